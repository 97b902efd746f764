"""redact_event: the body and every sure copy of it go in one statement."""

import pytest

from reaffirm import ids
from reaffirm.history import REDACTED
from reaffirm.retention import HistoryRetention
from reaffirm.store import GraphStore
from tests.decisions.factories import World
from tests.decisions.writes import dump
from tests.reviews.factories import PROJECT

MARKER = "The account number is GB29-NWBK-6016-1331."
TASK = "refund-LM-20931"
REASON = "Asked for by the customer."


def event_id(seq: int = 1, task: str = TASK) -> str:
    return ids.event_id(ids.task_id(PROJECT, task), seq)


def record(world: World, payload: str = MARKER, request_id: str | None = "r1", task: str = TASK) -> str:
    result = world.history.record_event(
        world.task(task), "message", payload=payload, role="user", request_id=request_id
    )
    assert result.event, result
    return result.event.id


def test_fault_01_no_byte_of_a_redacted_body_stays(
    store: GraphStore, world: World, retention: HistoryRetention
) -> None:
    """cases 65: request records of either product hold the body as well."""
    event = record(world)
    citing = world.decision(events=[world.event_input(TASK)])
    result = retention.redact_event(event, REASON)
    assert result.recorded and result.affected_decision_ids == (citing.id,)
    assert not [line for line in dump(store) if "NWBK" in line]
    stored = world.history.fetch_event(TASK, 1).event
    assert stored and stored.payload == REDACTED and stored.redacted_at
    assert stored.payload_sha256 == ids.text_digest(MARKER)
    again = world.history.record_event(TASK, "message", payload=MARKER, role="user", request_id="r1")
    assert again.replayed and again.event and again.event.payload == REDACTED
    assert result.erasure and (result.erasure.requests, result.erasure.flagged, result.erasure.events) == (1, 1, 1)


def test_fault_07_who_cites_it_is_flagged_and_what_rests_on_that_queued(
    world: World, retention: HistoryRetention
) -> None:
    event = record(world)
    citing = world.decision(events=[world.event_input(TASK)])
    resting = world.decision(parents=[citing], choice="resting")
    assert retention.redact_event(event, REASON).recorded
    found = world.again(citing)
    assert (found.review_state, found.review_reason) == ("needs_review", "source_removed")
    cause = world.case(citing.id).cause
    assert cause and (cause.kind, cause.by) == ("redaction", "user:compliance")
    assert world.again(resting).review_state == "unknown"
    world.traces.continue_decision_review()
    assert world.again(resting).review_reason == "dependency_review"


def test_a_repeated_request_returns_the_first_result(world: World, retention: HistoryRetention) -> None:
    event = record(world)
    world.decision(events=[world.event_input(TASK)])
    first = retention.redact_event(
        event, 'So "requests":9007199254740993,"flagged":9007199254740995 "<ids>"', request_id="x"
    )
    again = retention.redact_event(
        event, 'So "requests":9007199254740993,"flagged":9007199254740995 "<ids>"', request_id="x"
    )
    assert first.recorded and again.replayed
    assert again.model_copy(update={"replayed": False}) == first


def test_the_first_time_is_kept(world: World, retention: HistoryRetention) -> None:
    event = record(world)
    retention.redact_event(event, REASON)
    first = world.history.fetch_event(TASK, 1).event
    assert retention.redact_event(event, "Again.").recorded
    assert world.history.fetch_event(TASK, 1).event == first
    assert [each.reason for each in retention.list_erasures().erasures] == ["Again.", REASON]


@pytest.mark.parametrize("verb", ["reject", "supersede"])
def test_fault_06_a_retired_decision_is_not_flagged(world: World, retention: HistoryRetention, verb: str) -> None:
    """Nothing could clear it."""
    event = record(world)
    citing = world.decision(events=[world.event_input(TASK)])
    if verb == "reject":
        assert world.traces.reject_decision(citing.id, "Wrong.").recorded
    else:
        other = world.event("Another event.")
        assert world.traces.supersede_decision(
            citing.id, "No.", "Why.", explanation="New.", supports=[other], fetched_evidence=[]
        ).recorded
    result = retention.redact_event(event, REASON)
    assert result.affected_decision_ids == ()
    assert world.again(citing).review_state == "clear"


def test_a_reason_must_not_keep_the_text_alive(world: World, retention: HistoryRetention) -> None:
    event = record(world)
    refused = retention.redact_event(event, f"Because it says: {MARKER}")
    assert (refused.error, refused.field) == ("invalid_value", "reason")


def test_what_is_not_there_is_refused(world: World, retention: HistoryRetention, store: GraphStore) -> None:
    record(world)
    assert retention.redact_event(event_id(9), REASON).error == "event_not_found"
    assert retention.redact_event("nonsense", REASON).field == "event_id"
    stranger = HistoryRetention(store, project_id="another", agent_id="x")
    assert stranger.redact_event(event_id(1), REASON).error == "event_not_found"
