"""Faults of agentic-graphrag 0.0.7 around erasing that this product does not share, each by its number."""

import pytest

from reaffirm.history import ConversationHistory
from reaffirm.retention import HistoryRetention
from reaffirm.store import GraphStore
from tests.decisions.factories import World
from tests.reviews.factories import PROJECT

TASK = "refund-LM-20931"
OFFICER = "user:compliance"
REASON = "Asked for by the customer."


@pytest.fixture
def world(store: GraphStore) -> World:
    return World(store)


@pytest.fixture
def retention(store: GraphStore) -> HistoryRetention:
    return HistoryRetention(store, project_id=PROJECT, agent_id=OFFICER)


def test_fault_07_a_step_whose_result_was_redacted_is_named(world: World, retention: HistoryRetention) -> None:
    """There it only turns unavailable, and nothing says why or what to run again."""
    world.event("The account number is GB29-NWBK-6016-1331.")
    history: ConversationHistory = world.history
    done = history.set_step(TASK, "read", "completed", result_event_seq=1, result_basis="independent")
    assert done.recorded
    event = history.fetch_event(TASK, 1).event
    assert event and retention.redact_event(event.id, REASON).recorded
    (step,) = history.resume_task(TASK).steps
    assert (step.name, step.result_validity, step.validity_reason) == ("read", "unavailable", "result_redacted")


def test_fault_25_who_erased_what_when_and_why_is_kept(world: World, retention: HistoryRetention) -> None:
    """There nothing of it is kept; a deletion names the decisions that it deleted, and leaves the project queued."""
    event = world.event("The account number is GB29-NWBK-6016-1331.")
    own = world.decision(events=[event])
    outside = world.decision(events=[event], task="other")
    found = world.history.fetch_event(TASK, 1).event
    assert found and retention.redact_event(found.id, REASON).recorded
    deleted = retention.delete_task(TASK, reason="The claim is settled.")
    assert deleted.affected_decision_ids == (outside.id,)
    assert not world.traces.get_decision(own.id).found
    last, first = retention.list_erasures().erasures
    assert [(each.kind, each.task_name, each.by, each.reason) for each in (first, last)] == [
        ("event", TASK, OFFICER, REASON),
        ("task", TASK, OFFICER, "The claim is settled."),
    ]
    assert first.at <= last.at
    assert (first.event_id, last.events, last.decisions, last.supports) == (found.id, 1, 1, 1)
    assert world.traces.review_counts().queued == 0


@pytest.mark.parametrize("verb", ["reject", "supersede"])
def test_fault_25_a_verdict_has_a_time(world: World, verb: str) -> None:
    """There neither a rejection nor a supersession has one."""
    event = world.event("Day 12.")
    decision = world.decision(events=[event])
    if verb == "reject":
        assert world.traces.reject_decision(decision.id, "Wrong.").recorded
    else:
        assert world.traces.supersede_decision(
            decision.id, "Half.", "Day 12.", explanation="Half.", supports=[event]
        ).recorded
    (revision,) = [
        each for each in world.traces.decision_history(decision.id).revisions if each.decision.id == decision.id
    ]
    said = revision.said[-1]
    assert (said.kind, said.by) == (verb, world.agent)
    assert said.at and said.at >= decision.created_at
