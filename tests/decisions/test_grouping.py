"""What one root alone has flagged is reaffirmed as a group after the root was; never after another verdict on it."""

from typing import Any
from uuid import uuid4

import pytest

from reaffirm.decisions import DecisionTraces
from reaffirm.decisions.models import Decision, ReviewState
from reaffirm.store import GraphStore
from tests.decisions.factories import World
from tests.decisions.test_propagation import CYCLE, chain, child, finish, flagged, root
from tests.decisions.writes import Catching, at_once, caught, changed, dump
from tests.history.stores import Watched
from tests.reviews.factories import AGENT, BEFORE, ELSEWHERE, PROJECT, QUOTE

ADA = "user:ada"
REDACT = "MATCH (e:Event) WHERE e.id = $id SET e.redacted_at = '2026-11-30T10:00:00+00:00' RETURN 1 AS one"
LOGGED = """
MATCH (e:Event) WHERE e.group_id = $group
RETURN collect(e.payload) AS notes, collect(DISTINCT e.author) AS authors
"""
REQUESTS = "MATCH (q:Request) WHERE q.group_id = $group RETURN count(q) AS n"


@pytest.fixture
def world(store: GraphStore) -> World:
    return World(store)


def ada(world: World) -> DecisionTraces:
    return DecisionTraces(world.store, project_id=PROJECT, agent_id=ADA)


def reaffirm(world: World, decision: Decision) -> None:
    result = ada(world).reaffirm_where_it_stands(decision.id, expected=world.seen(decision.id))
    assert result.recorded, result


def reasons(world: World, top: Decision) -> dict[str, str | None]:
    group = world.traces.group_of(top.id)
    assert group.found and group.root and group.root.id == top.id
    return {member.decision.choice_key: member.reason for member in group.members}


def seen(world: World, top: Decision) -> dict[str, str]:
    return {member.decision.id: member.seen for member in world.traces.group_of(top.id).members}


def send(world: World, top: Decision, chosen: list[Decision], **more: Any) -> Any:
    given = {"decision_ids": [each.id for each in chosen], "expected": seen(world, top), "request_id": "group", **more}
    return ada(world).reaffirm_group(top.id, **given)


def errors(result: Any) -> list[str | None]:
    return [outcome.result.error for outcome in result.results]


def raise_flags(world: World, length: int) -> list[Decision]:
    """A chain whose root is flagged, then reaffirmed."""
    decisions = chain(world, length)
    world.change("refund-policy", ELSEWHERE)
    finish(world)
    reaffirm(world, decisions[0])
    return decisions


def test_the_chain_below_a_reaffirmed_root_is_reaffirmed_whole(world: World) -> None:
    decisions = raise_flags(world, 5)
    below = decisions[1:]
    group = world.traces.group_of(decisions[0].id)
    assert [(member.decision.id, member.depth, member.reason) for member in group.members] == [
        (each.id, depth, None) for depth, each in enumerate(below, start=1)
    ]
    assert (group.count, group.reason, group.spreading, len(group.eligible)) == (4, None, False, 4)
    result = send(world, decisions[0], below[::-1], explanation="The root stands.")
    assert result.recorded and not result.replayed and result.group_id == "group", result
    assert [outcome.decision_id for outcome in result.results] == [each.id for each in below[::-1]]
    assert flagged(world) == set()
    (logged,) = world.store.read(LOGGED, group="group")
    assert sorted(logged["notes"]) == sorted(f"Decision {each.id} reaffirmed." for each in below)
    assert logged["authors"] == [ADA]
    assert world.store.read(REQUESTS, group="group") == [{"n": 4}]
    for each in below:
        verdict = world.again(each).verdict
        assert verdict and (verdict.kind, verdict.by) == ("reaffirm", ADA)
    events = world.history.list_events(decisions[0].task_name, limit=200).events
    assert [event.seq for event in events] == list(range(1, len(events) + 1))


def test_a_group_that_is_sent_again_goes_on_where_it_stopped(world: World) -> None:
    decisions = raise_flags(world, 4)
    known = seen(world, decisions[0])
    first = send(world, decisions[0], decisions[1:3])
    assert first.recorded and flagged(world) == {"link-3"}
    whole = send(world, decisions[0], decisions[1:], expected=known)
    assert whole.recorded and not whole.replayed and flagged(world) == set()
    assert [outcome.result.replayed for outcome in whole.results] == [True, True, False]
    before = dump(world.store)
    again = send(world, decisions[0], decisions[1:], expected=known)
    assert again.recorded and again.replayed and dump(world.store) == before
    other = send(world, decisions[0], decisions[1:2], expected=known, explanation="Another.")
    assert errors(other) == ["request_id_reused"] and dump(world.store) == before


@pytest.mark.parametrize("verdict", ["none", "reject", "supersede", "reopen"])
def test_never_after_another_verdict_on_the_root(world: World, verdict: str) -> None:
    decisions = chain(world, 3)
    world.change("refund-policy", ELSEWHERE)
    finish(world)
    top = decisions[0]
    if verdict == "reject":
        assert ada(world).reject_decision(top.id, "Wrong.").recorded
    elif verdict == "supersede":
        shown = world.seen(top.id)
        assert ada(world).supersede_where_it_stands(top.id, explanation="New.", expected=shown).recorded
    elif verdict == "reopen":
        reaffirm(world, top)
        assert ada(world).reopen_decision(top.id, "Look again.").recorded
    finish(world)
    reason = {"reject": "the root was rejected", "supersede": "the root was superseded"}.get(
        verdict, "the root needs review itself"
    )
    assert reasons(world, top) == {"link-1": reason, "link-2": reason}
    assert world.traces.group_of(top.id).reason == reason
    before = dump(world.store)
    result = send(world, top, decisions[1:])
    assert (result.recorded, result.error) == (False, "group_incomplete")
    assert {outcome.result.detail for outcome in result.results} == {reason}
    assert errors(result) == ["cannot_revalidate"] * 2
    assert dump(world.store) == before


def test_each_other_cause_keeps_a_decision_out_and_is_named(world: World) -> None:
    event = world.event("It says so.")
    top = root(world)
    world.document("other", BEFORE)
    plain = child(world, "plain", top)
    sourced = world.decision([("other", QUOTE)], choice="own-source", parents=[top])
    second = world.decision([("other", QUOTE)], choice="second-root")
    doubled = child(world, "two-parents", top, second)
    told = world.decision(events=[world.event("A secret.")], choice="redacted", parents=[top])
    below = child(world, "below-another", plain, sourced)
    lower = world.decision(events=[event], choice="lower", parents=[plain])
    world.change("refund-policy", ELSEWHERE)
    finish(world)
    reaffirm(world, top)
    assert set(reasons(world, top).values()) == {None}
    world.change("other", ELSEWHERE)
    finish(world)
    secret = next(each for each in told.supports if each.kind == "event")
    world.store.write(REDACT, id=secret.event_id)
    expected = {
        "plain": None,
        "own-source": "a source that it cites changed as well",
        "two-parents": "another decision that it cites needs review",
        "redacted": "the event was redacted",
        "below-another": "another decision that it cites needs review",
        "lower": None,
    }
    assert reasons(world, top) == expected
    chosen = [plain, sourced, doubled, told, below, lower]
    result = send(world, top, chosen)
    assert {
        each.choice_key: outcome.result.detail for each, outcome in zip(chosen, result.results, strict=True)
    } == expected
    assert flagged(world) == {"own-source", "second-root", "two-parents", "redacted", "below-another"}
    reaffirm(world, second)
    assert reasons(world, top)["two-parents"] == "another decision that it cites was in question as well"
    result = send(world, top, [doubled], request_id="later")
    assert errors(result) == ["cannot_revalidate"]
    reaffirm(world, doubled)
    assert not world.is_flagged(doubled.id)


def test_a_parent_of_the_same_root_may_have_been_reaffirmed_by_itself(world: World) -> None:
    decisions = raise_flags(world, 4)
    reaffirm(world, decisions[1])
    assert reasons(world, decisions[0]) == {"link-2": None, "link-3": None}
    assert send(world, decisions[0], decisions[2:]).recorded


def test_a_member_whose_parent_was_not_chosen_is_refused(world: World) -> None:
    decisions = raise_flags(world, 4)
    result = send(world, decisions[0], [decisions[1], decisions[3]])
    assert errors(result) == [None, "cannot_revalidate"]
    assert result.results[1].result.detail == "another decision that it cites needs review"
    assert flagged(world) == {"link-2", "link-3"}


def test_a_circle_in_the_group_is_refused(world: World) -> None:
    decisions = raise_flags(world, 3)
    world.store.write(CYCLE, a=decisions[1].id, b=decisions[2].id)
    assert reasons(world, decisions[0]) == {"link-1": None, "link-2": None}  # supports tell what is cited
    assert send(world, decisions[0], decisions[1:]).recorded


def test_a_decision_that_changed_since_the_list_was_shown_is_refused(world: World) -> None:
    decisions = raise_flags(world, 3)
    known = seen(world, decisions[0])
    reaffirm(world, decisions[1])
    assert ada(world).reopen_decision(decisions[1].id, "Look again.").recorded
    finish(world)
    result = send(world, decisions[0], decisions[1:], expected=known)
    assert errors(result) == ["decision_changed", "cannot_revalidate"]
    assert result.results[0].result.standing.by == ADA
    assert flagged(world) == {"link-1", "link-2"}
    result = send(world, decisions[0], decisions[1:2], request_id="new", expected=seen(world, decisions[0]) | known)
    assert errors(result) == ["decision_changed"]


def test_odd_input_is_refused_and_writes_nothing(world: World) -> None:
    decisions = raise_flags(world, 2)
    known = seen(world, decisions[0])
    before = dump(world.store)
    one = decisions[1].id

    def refused(cause: Any = decisions[0].id, **given: Any) -> tuple[str | None, str | None]:
        given = {"decision_ids": [one], "expected": known, **given}
        result = ada(world).reaffirm_group(cause, **given)
        assert not result.recorded and result.detail, result
        return result.error, result.field

    many = [str(uuid4()) for _ in range(26)]
    assert refused(decision_ids=many, expected=dict.fromkeys(many, "")) == ("invalid_value", "decision_ids")
    assert refused(decision_ids=[]) == refused(decision_ids=one) == ("invalid_value", "decision_ids")
    assert refused(decision_ids=["no id"]) == ("invalid_value", "decision_ids[0]")
    assert refused(expected={}) == refused(expected=None) == ("invalid_value", "expected")
    assert refused(explanation=" ") == ("invalid_value", "explanation")
    assert refused(request_id="x" * 65) == ("invalid_request_id", "request_id")
    assert refused(None) == refused("x" * 101) == ("invalid_value", "cause")
    for cause in (str(uuid4()), "no id", world.case(one).citations[0].support.id):
        assert refused(cause) == ("decision_not_found", "cause")
        assert not world.traces.group_of(cause).found
    for odd in (None, 7, ""):
        assert not world.traces.group_of(odd).found  # type: ignore[arg-type]
    assert dump(world.store) == before
    unknown = str(uuid4())
    result = send(world, decisions[0], [], decision_ids=[unknown, one], expected={unknown: "x", one: known[one]})
    assert errors(result) == ["decision_not_found", None] and not result.recorded
    cause = world.case(one).cause
    assert cause is None
    foreign = World(world.store, project_id="other-project")
    assert not foreign.traces.group_of(decisions[0].id).found


def test_the_cause_of_a_flag_names_its_group(world: World) -> None:
    decisions = raise_flags(world, 3)
    cause = world.case(decisions[2].id).cause
    assert cause
    group = world.traces.group_of(cause)
    assert group.root and group.root.id == decisions[0].id and group.count == 2
    known = {member.decision.id: member.seen for member in group.members}
    assert ada(world).reaffirm_group(cause, decision_ids=list(known), expected=known).recorded


def test_each_guard_of_a_member_keeps_its_statement_from_writing(world: World) -> None:
    decisions = raise_flags(world, 3)
    catching = DecisionTraces(Catching(world.store), project_id=PROJECT, agent_id=ADA)
    member, known = decisions[1].id, seen(world, decisions[0])
    write = caught(lambda: catching.reaffirm_group(decisions[0].id, decision_ids=[member], expected=known))
    top = decisions[0].id
    for node, values in (
        (top, {"review_state": "needs_review"}),
        (top, {"status": "superseded"}),
        (top, {"status": "rejected"}),
        (top, {"id": "another"}),
        (member, {"cause_root_id": "another"}),
        (member, {"cause_kind": "reopened"}),
        (member, {"cause_root_id": None}),
        (member, {"review_state": "clear"}),
    ):
        with changed(world.store, node, **values):
            before = dump(world.store)
            assert world.store.write(write.query, **write.params) == [], values
            assert dump(world.store) == before
    assert len(world.store.write(write.query, **write.params)) == 1


def test_the_number_of_statements_grows_with_the_chosen_only(store: GraphStore) -> None:
    world = World(store)
    top = root(world)
    children = [child(world, f"leaf-{number:02d}", top) for number in range(8)]
    world.change("refund-policy", ELSEWHERE)
    finish(world)
    reaffirm(world, top)
    watched = Watched(store)
    traces = DecisionTraces(watched, project_id=PROJECT, agent_id=AGENT)  # type: ignore[arg-type]
    group = traces.group_of(top.id, limit=5)
    assert (watched.reads, len(group.members), group.count) == (1, 5, 8)
    watched.reads = watched.writes = 0
    known = seen(world, top)
    assert traces.reaffirm_group(top.id, decision_ids=[each.id for each in children], expected=known).recorded
    assert (watched.reads, watched.writes) == (1 + 8, 8)


def test_two_groups_at_once_give_each_decision_one_verdict(world: World) -> None:
    decisions = raise_flags(world, 5)
    known = seen(world, decisions[0])
    chosen = [each.id for each in decisions[1:]]

    def run(number: int) -> Any:
        traces = DecisionTraces(world.store, project_id=PROJECT, agent_id=f"user:{number}")
        return traces.reaffirm_group(decisions[0].id, decision_ids=chosen, expected=known)

    results = at_once([lambda number=number: run(number) for number in range(6)])  # type: ignore[misc]
    for number, _ in enumerate(chosen):
        won = [result.results[number].result for result in results if result.results[number].result.recorded]
        assert len(won) == 1
    assert flagged(world) == set()
    notes = [
        event for event in world.history.list_events(decisions[0].task_name, limit=200).events if event.kind == "note"
    ]
    assert len(notes) == 1 + 4
    assert all(world.again(each).review_state is ReviewState.CLEAR for each in decisions)
