"""Case 89: a document that gets another key while a flag is open; the flag stays reachable and names both keys."""

import pytest

from reaffirm.decisions import DecisionTraces
from reaffirm.decisions.models import Decision, ReviewCase, ReviewReason
from reaffirm.retention import HistoryRetention
from reaffirm.store import GraphStore
from tests.decisions.factories import World
from tests.history.stores import Watched
from tests.reviews.factories import AGENT, BEFORE, EDITED, ELSEWHERE, PROJECT, QUOTE

OLD, NEW = "refund-policy", "policies/refunds"


@pytest.fixture
def world(store: GraphStore) -> World:
    return World(store)


def flag(world: World) -> Decision:
    """A flag that is open before the document gets its other key."""
    return world.flagged(ELSEWHERE)


def add(world: World, text: str, key: str = NEW, project: str | None = PROJECT) -> None:
    assert world.graph.add(text, document_key=key, project_id=project).recorded


def remove(world: World) -> None:
    assert world.graph.remove(OLD).recorded


def told(case: ReviewCase) -> list[tuple[str, ...]]:
    assert case.cause
    assert case.cause.same_text_keys == case.citations[0].same_text_keys
    return [case.cause.same_text_keys]


@pytest.mark.parametrize("first", ["removed", "added"])
def test_an_open_flag_names_both_keys(world: World, first: str) -> None:
    decision = flag(world)
    if first == "removed":
        remove(world)
        add(world, ELSEWHERE)
    else:
        add(world, ELSEWHERE)
        remove(world)
    (row,) = world.traces.list_decisions_for_review().rows
    assert (row.decision.id, row.decision.review_reason) == (decision.id, ReviewReason.SOURCE_REMOVED)
    assert row.cause.document_key == OLD
    assert world.traces.list_decisions_for_review(document_key=OLD).count == 1
    case = world.case(decision.id)
    assert case.cause and case.cause.document_key == OLD and case.citations[0].support.document_key == OLD
    assert told(case) == [(NEW,)]
    assert case.citations[0].cited_text == QUOTE
    result = world.traces.reject_decision(decision.id, "It moved.", expected=world.seen(decision.id))
    assert result.recorded


def test_the_cited_text_counts_as_well_as_the_last_one(world: World) -> None:
    decision = flag(world)
    remove(world)
    add(world, BEFORE)
    add(world, ELSEWHERE, "another-copy")
    assert told(world.case(decision.id)) == [("another-copy", NEW)]


def test_what_cannot_be_known_is_not_told(world: World) -> None:
    decision = flag(world)
    add(world, ELSEWHERE)
    assert told(world.case(decision.id)) == [()]  # a copy beside a document that is there is no other key of it
    assert world.graph.remove(NEW).recorded
    remove(world)
    assert told(world.case(decision.id)) == [()]
    add(world, EDITED)
    assert told(world.case(decision.id)) == [()]


def test_the_key_of_another_projects_document_is_not_told(world: World) -> None:
    decision = flag(world)
    remove(world)
    add(world, ELSEWHERE, project=None)
    add(world, BEFORE, "theirs", "other-project")
    assert told(world.case(decision.id)) == [()]
    world.decision([(NEW, QUOTE)], choice="cites it")
    assert told(world.case(decision.id)) == [(NEW,)]


def test_it_costs_a_read_only_where_a_document_was_removed(store: GraphStore) -> None:
    world = World(store)
    decision = flag(world)
    watched = Watched(store)
    traces = DecisionTraces(watched, project_id=PROJECT, agent_id=AGENT)  # type: ignore[arg-type]
    traces.review_case(decision.id)
    assert (watched.reads, watched.writes) == (1, 0)
    remove(world)
    traces.review_case(decision.id)
    assert (watched.reads, watched.writes) == (3, 0)


@pytest.mark.parametrize("name", ["refund-LM-20931", "refund-20931"], ids=["same name", "another name"])
def test_a_task_that_is_deleted_and_made_again_leaves_its_flags_reachable(world: World, name: str) -> None:
    """Case 89: its decisions were kept, and one elsewhere rests on them."""
    decision = flag(world)
    resting = world.decision(choice="resting", task="elsewhere", parents=[decision])
    while world.traces.continue_decision_review():
        pass
    retention = HistoryRetention(world.store, project_id=PROJECT, agent_id=AGENT)
    assert retention.delete_task(decision.task_name, False, reason="It has another name now.").recorded
    made = world.history.create_task(name, "Settle the claim.")
    assert (made.recorded, made.error) == ((False, "task_exists") if name == decision.task_name else (True, None))
    if made.recorded:
        moved = world.decision([(OLD, QUOTE)], task=name)
        assert moved.id != decision.id and world.traces.list_decisions(name).count == 1

    rows = {row.decision.id: row for row in world.traces.list_decisions_for_review().rows}
    assert set(rows) == {decision.id, resting.id}
    assert (rows[decision.id].decision.task_name, rows[decision.id].cause.document_key) == ("refund-LM-20931", OLD)
    assert world.traces.list_decisions_for_review(task_name="refund-LM-20931").count == 1
    case = world.case(resting.id)
    assert case.citations[0].parent and case.citations[0].parent.task_name == "refund-LM-20931"
    for each in (decision, resting):
        kept = world.traces.reaffirm_where_it_stands(each.id, expected=world.seen(each.id))
        assert kept.recorded, kept
    assert world.traces.review_counts().flagged == 0
