"""A decision whose flag is still to be raised reads as flagged, and is treated as flagged, everywhere."""

import pytest

from reaffirm.decisions import queue
from reaffirm.decisions.models import Decision, DecisionSupportInput, ReviewReason, ReviewState
from reaffirm.history.models import ResultValidity
from reaffirm.knowledge import graph, statements
from reaffirm.store import GraphStore
from tests.decisions.factories import World
from tests.decisions.writes import at_once
from tests.reviews.factories import ELSEWHERE, QUOTE

STORED = "MATCH (d:Decision) WHERE d.id = $id RETURN d.review_state AS state"


@pytest.fixture
def world(store: GraphStore, monkeypatch: pytest.MonkeyPatch) -> World:
    """A world in which every change of a cited document leaves all flags to be raised."""
    monkeypatch.setattr(statements, "MAX_CITERS", 0)
    monkeypatch.setattr(graph.flagging, "continue_flagging", lambda *_: 0)
    return World(store)


def stored(world: World, decision: Decision) -> str:
    return str(world.store.read(STORED, id=decision.id)[0]["state"])


@pytest.fixture
def root(world: World) -> Decision:
    """A decision whose source has changed; its flag is still to come."""
    world.document()
    decision = world.decision([("refund-policy", QUOTE)], choice="root")
    world.change("refund-policy", ELSEWHERE)
    assert stored(world, decision) == "clear"
    return decision


def test_every_read_tells_it_as_flagged(world: World, root: Decision) -> None:
    again = world.again(root)
    assert (again.review_state, again.review_reason) == (ReviewState.NEEDS_REVIEW, ReviewReason.SOURCE_CHANGED)
    case = world.case(root.id)
    assert case.decision.review_state is ReviewState.NEEDS_REVIEW
    assert case.cause
    assert case.cause.version
    assert (case.cause.kind, case.cause.version.activation_seq, case.cause.previous_seq) == ("document", 2, 1)
    assert [each.review_state for each in case.revisions] == [ReviewState.NEEDS_REVIEW]
    listed = world.traces.list_decisions(root.task_name).decisions
    assert [each.review_state for each in listed] == [ReviewState.NEEDS_REVIEW]
    view = world.history.get_task(root.task_name).view
    assert view
    assert [each.review_state for each in view.decisions] == [ReviewState.NEEDS_REVIEW]
    counts = world.traces.review_counts()
    assert (counts.flagged, counts.listed, counts.by_reason) == (1, 0, {ReviewReason.SOURCE_CHANGED: 1})


def test_a_removed_source_is_told_as_removed(world: World) -> None:
    world.document()
    world.document("other")
    decision = world.decision([("refund-policy", QUOTE), ("other", QUOTE)])
    world.change("other", ELSEWHERE)
    assert world.graph.remove("refund-policy").recorded
    assert world.again(decision).review_reason is ReviewReason.SOURCE_REMOVED
    assert world.traces.review_counts().by_reason == {ReviewReason.SOURCE_REMOVED: 1}


def test_other_decisions_and_other_projects_read_as_they_are(world: World, root: Decision) -> None:
    fresh = world.decision([("refund-policy", QUOTE)], choice="fresh")
    other = World(world.store, project_id="another")
    elsewhere = other.decision(events=[other.event("Else.")], choice="elsewhere")
    assert world.again(fresh).review_state is ReviewState.CLEAR
    assert other.again(elsewhere).review_state is ReviewState.CLEAR
    assert other.traces.review_counts().flagged == 0
    assert world.traces.review_counts().flagged == 1


def test_a_decision_recorded_on_it_is_flagged(world: World, root: Decision) -> None:
    child = world.decision(choice="child", parents=[root])
    assert (child.review_state, child.review_reason) == (ReviewState.NEEDS_REVIEW, ReviewReason.DEPENDENCY_REVIEW)
    cause = world.case(child.id).cause
    assert cause
    assert (cause.kind, cause.decision_id, cause.depth) == ("decision", root.id, 1)


def test_what_rests_on_it_cannot_be_reaffirmed_and_its_step_is_not_reusable(world: World) -> None:
    world.document()
    root = world.decision([("refund-policy", QUOTE)], choice="root")
    child = world.decision(choice="child", parents=[root])
    event = world.event("Done.")
    step = world.history.set_step(
        child.task_name,
        "step",
        "completed",
        result_event_seq=event.seq,
        result_basis="supported",
        supports=[DecisionSupportInput(decision_id=root.id)],
    )
    assert step.recorded, step
    world.change("refund-policy", ELSEWHERE)
    refused = world.traces.reaffirm_where_it_stands(child.id, expected=world.seen(child.id))
    assert (refused.error, refused.detail) == ("cannot_revalidate", "the decision needs review itself")
    page = world.history.list_steps(child.task_name)
    assert page.steps[0].result_validity is ResultValidity.NEEDS_REVIEW


@pytest.mark.parametrize("flagged_between", [False, True])
def test_a_verdict_on_what_the_page_showed_is_given(world: World, root: Decision, flagged_between: bool) -> None:
    """The page says flagged; whether its flag was raised since makes no difference."""
    seen = world.seen(root.id)
    assert seen.review_state is ReviewState.NEEDS_REVIEW
    if flagged_between:
        world.store.write(
            "MATCH (d:Decision) WHERE d.id = $id SET d.review_state = 'needs_review', "
            "d.review_reason = 'source_changed' RETURN 1 AS one",
            id=root.id,
        )
    assert world.traces.reaffirm_where_it_stands(root.id, expected=seen).recorded
    assert world.again(root).review_state is ReviewState.CLEAR
    assert world.traces.review_counts().flagged == 0


def test_what_a_person_saw_clear_and_is_flagged_now_has_changed(world: World) -> None:
    world.document()
    decision = world.decision([("refund-policy", QUOTE)])
    seen = world.seen(decision.id)
    world.change("refund-policy", ELSEWHERE)
    assert world.traces.reaffirm_where_it_stands(decision.id, expected=seen).error == "decision_changed"


def test_verdicts_and_batches_at_once_agree(store: GraphStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of decisions reaffirmed while their flags are raised, each is clear on the new version in the end."""
    monkeypatch.setattr(statements, "MAX_CITERS", 3)
    monkeypatch.setattr(graph, "FLAGGED_AT_ONCE", 1)
    monkeypatch.setattr(graph.flagging, "BATCH", 2)
    world = World(store)
    world.document()
    decisions = [world.decision([("refund-policy", QUOTE)], choice=f"choice-{n}") for n in range(10)]
    world.change("refund-policy", ELSEWHERE)

    def flag() -> bool:
        while world.graph.continue_flagging(2):
            pass
        return True

    def reaffirm(decision: Decision) -> bool:
        while True:
            result = world.traces.reaffirm_where_it_stands(decision.id, expected=world.seen(decision.id))
            if result.error != "decision_changed":
                return result.recorded

    calls = [lambda d=d: reaffirm(d) for d in decisions[:6]]  # type: ignore[misc]
    assert all(at_once(calls + [flag, flag]))
    states = [world.again(decision).review_state for decision in decisions]
    assert states == [ReviewState.CLEAR] * 6 + [ReviewState.NEEDS_REVIEW] * 4
    assert world.traces.review_counts().flagged == world.traces.review_counts().listed == 4


def test_of_very_many_coming_flags_it_is_said_that_there_are_more(
    store: GraphStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "COMING", 2)
    monkeypatch.setattr(statements, "MAX_CITERS", 1)
    monkeypatch.setattr(graph, "FLAGGED_AT_ONCE", 1)
    monkeypatch.setattr(graph.flagging, "BATCH", 1)
    world = World(store)
    world.document()
    for number in range(5):
        world.decision([("refund-policy", QUOTE)], choice=f"choice-{number}")
    world.change("refund-policy", ELSEWHERE)

    told = []
    while True:
        counts = world.traces.review_counts()
        told.append((counts.flagged, counts.more_coming))
        if not world.graph.continue_flagging(1):
            break
    assert told == [(4, True), (5, True), (5, False), (5, False), (5, False)]
