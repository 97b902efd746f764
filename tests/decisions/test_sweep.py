"""Flags that another program lost are found and raised: exactly those, with their cause, once."""

import time
from typing import Any

import pytest

from reaffirm import ids
from reaffirm.decisions import Sweep, sweep_lost_flags, sweeping
from reaffirm.decisions.models import Decision, ReviewReason, ReviewState
from reaffirm.knowledge import graph, statements
from reaffirm.store import GraphStore
from tests.decisions.factories import World
from tests.decisions.writes import Catching, at_once, caught, changed, dump
from tests.reviews.factories import BEFORE, ELSEWHERE, PROJECT, QUOTE

# As a program leaves a document that dies between the activation and its flags.
ACTIVATE = """
MATCH (doc:Document {id: $id})
SET doc.activation_seq = doc.activation_seq + 1, doc.current_content_hash = $hash
CREATE (doc)-[has:HAS_ACTIVATION]->(a:DocumentActivation:_Node) SET a = $activation
RETURN doc.id AS id
"""
# As one leaves a decision that it claimed, without flagging what rests on it; and a project that it took for complete.
CLAIMED = """
MATCH (d:Decision) WHERE d.id = $id
SET d.review_pending = false, d.review_epoch = 1
WITH d
MATCH (p:Project) WHERE p.project_id = d.project_id
SET p.review_incomplete = false
RETURN d.id AS id
"""
DELETE = "MATCH (d:Decision) WHERE d.id = $id DETACH DELETE d RETURN 1 AS one"
FLAGGED = "MATCH (d:Decision) WHERE d.review_state = 'needs_review' RETURN collect(d.choice_key) AS found"
RAW = "MATCH (d:Decision) WHERE d.id = $id RETURN properties(d) AS d"


@pytest.fixture
def world(store: GraphStore) -> World:
    return World(store)


def flagged(world: World) -> set[str]:
    return set(world.store.read(FLAGGED)[0]["found"])


def raw(world: World, decision: Decision) -> dict[str, Any]:
    return dict(world.store.read(RAW, id=decision.id)[0]["d"])


def activate(world: World, key: str, text: str, seq: int, verb: str = "update") -> str:
    """A new version, and nobody flagged; the id of its activation."""
    node, activation = ids.document_id(key), ids.activation_id(f"{key}:{seq}")
    content_hash = None if verb == "delete" else ids.text_digest(text)
    facts = {"id": activation, "document_key": key, "verb": verb, "activation_seq": seq, "activated_at": ids.now()}
    assert world.store.write(ACTIVATE, id=node, hash=content_hash, activation=facts)
    return activation


def test_exactly_the_lost_flags_are_raised_and_a_second_sweep_raises_nothing(world: World) -> None:
    """Case 83."""
    decisions = [world.by_id(each) for each in world.many_flagged(20)]
    for decision in decisions:
        result = world.traces.reaffirm_where_it_stands(decision.id, expected=world.seen(decision.id))
        assert result.recorded, result
    assert [world.traces.sweep_lost_flags(), sweep_lost_flags(world.store)] == [0, 0]
    assert flagged(world) == set()

    world.document("other")
    other = world.decision([("other", QUOTE)], choice="other")
    before = ids.milliseconds(ids.now())
    activation = activate(world, "refund-policy", BEFORE, 3)
    assert sweep_lost_flags(world.store, PROJECT) == 20
    assert sweep_lost_flags(world.store) == 0
    assert flagged(world) == {decision.choice_key for decision in decisions}
    assert world.again(other).review_state is ReviewState.CLEAR
    found = raw(world, decisions[0])
    assert (found["review_reason"], found["cause_kind"], found["cause_seq"]) == ("source_changed", "document", 3)
    assert found["cause_activation_id"] == activation
    # Never older than the last verdict.
    assert found["flagged_ms"] >= before >= ids.milliseconds(found["verdict_at"])
    counts = world.traces.review_counts()
    assert counts.flagged == counts.listed == 20


def test_fault_20_a_decision_recorded_while_its_source_changed(world: World) -> None:
    """agentic-graphrag leaves it clear, on the version before the one in force."""
    world.document()
    decision = world.decision([("refund-policy", QUOTE)])
    activate(world, "refund-policy", ELSEWHERE, 2)
    assert raw(world, decision)["review_state"] == "clear"
    assert world.again(decision).review_state is ReviewState.NEEDS_REVIEW  # told so even before it is found
    assert world.traces.sweep_lost_flags() == 1
    assert world.again(decision).review_reason is ReviewReason.SOURCE_CHANGED
    assert world.traces.sweep_lost_flags() == 0


def test_a_lost_removal_is_raised_as_removed(world: World) -> None:
    world.document()
    decision = world.decision([("refund-policy", QUOTE)])
    activate(world, "refund-policy", "", 2, "delete")
    assert world.traces.sweep_lost_flags() == 1
    assert world.again(decision).review_reason is ReviewReason.SOURCE_REMOVED


def test_fault_05_the_same_text_cut_anew_is_a_new_sequence(world: World) -> None:
    """agentic-graphrag flags whoever cites it. Where it lost the flag we raise it, and the passage stands exactly."""
    world.document()
    decision = world.decision([("refund-policy", QUOTE)])
    activate(world, "refund-policy", BEFORE, 2)
    assert world.traces.sweep_lost_flags() == 1
    case = world.case(decision.id)
    assert [citation.anchor and citation.anchor.state.value for citation in case.citations] == ["exact"]
    assert case.blockers == ()


def test_parents_among_them_queue(world: World) -> None:
    world.document()
    parent = world.decision([("refund-policy", QUOTE)], choice="parent")
    world.decision(choice="child", parents=[parent])
    activate(world, "refund-policy", ELSEWHERE, 2)
    assert world.traces.sweep_lost_flags() == 1
    assert world.traces.review_counts().queued == 1
    assert world.traces.continue_decision_review() >= 1
    assert flagged(world) == {"parent", "child"}
    assert world.traces.sweep_lost_flags() == 0


def chain(world: World) -> list[Decision]:
    world.document()
    decisions = [world.decision([("refund-policy", QUOTE)], choice="root")]
    for number in range(3):
        decisions.append(world.decision(choice=f"link-{number}", parents=[decisions[-1]]))
    return decisions


@pytest.mark.parametrize("end", ["flag", "reject", "supersede"])
def test_fault_19_a_claim_whose_dependents_were_never_flagged(world: World, end: str) -> None:
    """The project is said to be complete. The sweep flags who cites the claimed one; the rest is a review as ever."""
    root, child, *_ = chain(world)
    if end == "flag":
        world.change("refund-policy", ELSEWHERE)
    elif end == "reject":
        assert world.traces.reject_decision(root.id, "Wrong.").recorded
    else:
        seen = world.seen(root.id)
        assert world.traces.supersede_where_it_stands(root.id, explanation="New.", expected=seen).recorded
    assert world.traces.sweep_lost_flags() == 0  # it is queued: the review will come
    world.store.write(CLAIMED, id=root.id)
    assert world.traces.continue_decision_review() == 0
    assert world.again(child).review_state is ReviewState.CLEAR

    assert world.traces.sweep_lost_flags() == 1
    found = world.case(child.id)
    assert (found.decision.review_state, found.decision.review_reason) == (
        ReviewState.NEEDS_REVIEW,
        ReviewReason.DEPENDENCY_REVIEW,
    )
    assert found.cause
    assert (found.cause.decision_id, found.cause.root, found.cause.depth) == (root.id, root.id, 1)
    assert world.traces.sweep_lost_flags() == 0
    while world.traces.continue_decision_review():
        pass
    assert flagged(world) == {"link-0", "link-1", "link-2"} | ({"root"} if end == "flag" else set())
    assert world.traces.sweep_lost_flags() == 0


def test_a_parent_that_is_gone_is_a_reason_to_look(world: World) -> None:
    root, child, *_ = chain(world)
    world.store.write(DELETE, id=root.id)
    assert world.traces.sweep_lost_flags() == 1
    assert world.again(child).review_reason is ReviewReason.DEPENDENCY_REVIEW


def test_a_parent_in_order_and_what_is_not_active_are_left_alone(world: World) -> None:
    root, child, grandchild, _ = chain(world)
    assert world.traces.reject_decision(grandchild.id, "Wrong.").recorded
    while world.traces.continue_decision_review():
        pass
    before = flagged(world)
    assert world.traces.sweep_lost_flags() == 0
    assert flagged(world) == before == {"link-2"}
    assert [world.again(each).review_state for each in (root, child)] == [ReviewState.CLEAR] * 2


def test_only_the_project_asked_for(world: World) -> None:
    world.document()
    world.decision([("refund-policy", QUOTE)], choice="here")
    other = World(world.store, project_id="another")
    other.decision([("refund-policy", QUOTE)], choice="there")
    activate(world, "refund-policy", ELSEWHERE, 2)
    assert other.traces.sweep_lost_flags() == 1
    assert flagged(world) == {"there"}
    assert sweep_lost_flags(world.store) == 1


def test_a_document_that_batches_work_off_is_left_to_them(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.document()
    world.decision([("refund-policy", QUOTE)])
    monkeypatch.setattr(statements, "MAX_CITERS", 0)
    with monkeypatch.context() as patched:
        patched.setattr(graph.flagging, "continue_flagging", lambda *_: 0)
        world.change("refund-policy", ELSEWHERE)
    assert world.traces.sweep_lost_flags() == 0
    assert world.graph.continue_flagging() == 1


def test_a_walk_in_small_pages_from_anywhere_finds_all_and_stops_at_its_limit(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweeping, "WINDOW", 2)
    monkeypatch.setattr(sweeping, "BATCH", 1)
    parents = []
    for number in range(5):
        key = world.document(f"policy-{number}")
        parents.append(world.decision([(key, QUOTE)], choice=f"parent-{number}"))
        world.decision([(key, QUOTE)], choice=f"leaf-{number}")
        world.decision(choice=f"child-{number}", parents=[parents[-1]])
    for number in range(5):
        activate(world, f"policy-{number}", ELSEWHERE, 2)
    assert sweep_lost_flags(world.store, limit=3) == 3
    assert len(flagged(world)) == 3
    for start in (ids.document_id("policy-2"), "zzz", "0"):
        walk = Sweep(world.store, start=start, limit=4)
        assert sum(walk.pages()) == walk.raised <= 4
    assert len(flagged(world)) == 10
    for parent in parents:
        world.store.write(CLAIMED, id=parent.id)
    walk = Sweep(world.store, start=parents[2].id)
    assert sum(walk.pages()) == 5
    assert len(flagged(world)) == 15


def test_sweeps_verdicts_and_reviews_at_once(world: World) -> None:
    """Whatever comes first, in the end nothing is clear that should not be, and a sweep finds nothing."""
    world.document()
    roots = [world.decision([("refund-policy", QUOTE)], choice=f"root-{n}") for n in range(6)]
    for number, root in enumerate(roots):
        world.decision(choice=f"child-{number}", parents=[root])
    activate(world, "refund-policy", BEFORE, 2)
    until = time.monotonic() + 30

    def reaffirm(decision: Decision) -> bool:
        while time.monotonic() < until:
            result = world.traces.reaffirm_where_it_stands(decision.id, expected=world.seen(decision.id))
            if result.error != "decision_changed":
                return result.recorded
        return False

    def spread() -> bool:
        for _ in range(5):
            world.traces.continue_decision_review(3)
        return True

    sweeps = [lambda: sweep_lost_flags(world.store) >= 0] * 3
    calls = [lambda d=d: reaffirm(d) for d in roots[:3]]  # type: ignore[misc]
    assert all(at_once([*calls, *sweeps, spread, spread]))
    while world.traces.continue_decision_review():
        pass
    assert sweep_lost_flags(world.store) == 0
    states = [world.again(root).review_state for root in roots]
    assert states == [ReviewState.CLEAR] * 3 + [ReviewState.NEEDS_REVIEW] * 3


def test_every_guard_of_a_flag_by_a_parent_holds(world: World) -> None:
    """The world moved between the look and the write: nothing is written."""
    root, child, *_ = chain(world)
    world.change("refund-policy", ELSEWHERE)
    world.store.write(CLAIMED, id=root.id)
    statement = caught(lambda: sweep_lost_flags(Catching(world.store)))  # type: ignore[arg-type]
    before = dump(world.store)
    for node, values in (
        (root.id, {"review_state": "clear"}),
        (root.id, {"review_pending": True}),
        (child.id, {"review_state": "needs_review"}),
        (child.id, {"status": "rejected"}),
    ):
        with changed(world.store, node, **values):
            rows = world.store.write(statement.query, **statement.params)
            assert not any(row["flagged"] for row in rows), values
    assert dump(world.store) == before
    assert world.store.write(statement.query, **statement.params) == [{"flagged": 1}]
