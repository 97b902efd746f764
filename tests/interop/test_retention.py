"""What our retention does to records of agentic-graphrag, and what it reads afterwards."""

from typing import Any

import pytest

from reaffirm import ids
from reaffirm.retention import HistoryRetention
from tests.decisions.writes import dump
from tests.interop.agrag import PROJECT
from tests.interop.worlds import Both

MARKER = "The account number is GB29-NWBK-6016-1331."
TASK = "storage"
NOTHING: dict[str, Any] = {"fetched_evidence": [], "assumptions": [], "open_questions": []}
REASON = "Asked for by the customer."


@pytest.fixture
def retention(both: Both) -> HistoryRetention:
    return HistoryRetention(both.store, project_id=PROJECT, agent_id="user:compliance")


def their_event(both: Both, task: str = TASK, request_id: str = "e1") -> dict[str, Any]:
    assert both.theirs.history.create_task(task, f"Goal of {task}")["recorded"]
    result = both.theirs.history.record_event(task, "message", role="user", payload=MARKER, request_id=request_id)
    assert result["recorded"], result
    return dict(result["event"])


def their_decision(both: Both, task: str, choice: str, supports: list[Any], request_id: str | None = None) -> str:
    result = both.theirs.decisions.record_decision(
        task, choice, f"So: {MARKER}", "It says so.", supports=supports, request_id=request_id, **NOTHING
    )
    assert result["recorded"], result
    return str(result["decision"]["id"])


def event(task: str = TASK) -> dict[str, Any]:
    return {"task_name": task, "seq": 1}


def test_fault_01_its_request_records_hold_no_redacted_body(both: Both, retention: HistoryRetention) -> None:
    made = their_event(both)
    assert any("NWBK" in line for line in dump(both.store))
    result = retention.redact_event(made["id"], REASON)
    assert result.recorded and result.erasure and result.erasure.requests == 1
    assert not [line for line in dump(both.store) if "NWBK" in line]
    replay = both.theirs.history.record_event(TASK, "message", role="user", payload=MARKER, request_id="e1")
    assert (replay["recorded"], replay["event"]["payload"]) == (True, "[REDACTED]")
    assert both.theirs.history.list_events(TASK)["events"][0]["redacted_at"]


def test_fault_02_a_retry_behind_a_deletion_brings_nothing_back(both: Both, retention: HistoryRetention) -> None:
    their_event(both)
    decision = their_decision(both, TASK, "c", [event()], "d1")
    assert retention.delete_task(TASK, reason=REASON).recorded
    assert not [line for line in dump(both.store) if "NWBK" in line or "Goal of" in line]
    replay = both.theirs.history.record_event(TASK, "message", role="user", payload=MARKER, request_id="e1")
    assert (replay["recorded"], replay["error"], replay["event"]) == (False, "task_not_found", None)
    again = both.theirs.decisions.record_decision(
        TASK, "c", f"So: {MARKER}", "It says so.", supports=[event()], request_id="d1", **NOTHING
    )
    assert (again["recorded"], again["decision"]) == (False, None)
    assert not both.theirs.decisions.get_decision(decision)["found"]


def test_fault_03_kept_decisions_stay_in_reach_of_both(both: Both, retention: HistoryRetention) -> None:
    their_event(both)
    kept = their_decision(both, TASK, "c", [event()])
    assert both.theirs.history.create_task("other", "Another")["recorded"]
    resting = their_decision(both, "other", "r", [{"decision_id": kept}])
    assert retention.delete_task(TASK, False, reason=REASON).recorded
    found = both.theirs.decisions.get_decision(kept)
    assert (found["found"], found["decision"]["review_reason"]) == (True, "source_removed")
    assert [each["id"] for each in both.theirs.decisions.list_decisions(TASK)["page"]["decisions"]] == [kept]
    assert both.theirs.history.get_task(TASK)["view"]["goal"] == "[DELETED]"
    both.spread()
    assert both.ours_of(resting).review_reason == "dependency_review"
    # Making the task and the choice again raises nothing.
    assert both.theirs.history.create_task(TASK, "Goal of storage")["error"] == "task_exists"
    later = both.theirs.history.record_event(TASK, "note", payload="later")
    assert later["event"]["seq"] == 2
    cited = [{"task_name": TASK, "seq": 2}]
    refused = both.theirs.decisions.record_decision(TASK, "c", "Again.", "Why.", supports=cited, **NOTHING)
    assert refused["error"] == "choice_exists"
    replaced = both.theirs.decisions.supersede_decision(
        kept, "Again.", "Why.", explanation="New event.", supports=cited, **NOTHING
    )
    assert replaced["recorded"], replaced


def test_fault_07_it_goes_on_with_what_our_redaction_queued(both: Both, retention: HistoryRetention) -> None:
    made = their_event(both)
    citing = their_decision(both, TASK, "c", [event()])
    rejected = their_decision(both, TASK, "x", [event()])
    resting = their_decision(both, TASK, "r", [{"decision_id": citing}])
    assert both.theirs.decisions.reject_decision(rejected, "Wrong.")["recorded"]
    both.spread()
    assert retention.redact_event(made["id"], REASON).affected_decision_ids == (citing,)
    both.spread()
    assert both.flags()[citing] == ("needs_review", "source_removed")
    assert both.flags()[resting] == ("needs_review", "dependency_review")
    assert both.ours_of(rejected).review_state == "clear"


def test_fault_09_its_support_does_not_take_another_event_for_the_old_one(
    both: Both, retention: HistoryRetention
) -> None:
    their_event(both)
    assert both.theirs.history.create_task("other", "Another")["recorded"]
    citing = their_decision(both, "other", "c", [event()])
    assert retention.delete_task(TASK, reason=REASON).recorded
    assert both.theirs.history.create_task(TASK, "Once more")["recorded"]
    again = both.theirs.history.record_event(TASK, "note", payload="Another text.")
    assert again["event"]["id"] == ids.event_id(ids.task_id(PROJECT, TASK), 1)
    refused = both.ours.reaffirm_decision(citing, [], fetched_evidence=[])
    assert not refused.recorded and "deleted" in (refused.detail or "")
