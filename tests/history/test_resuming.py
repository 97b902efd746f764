"""resume_task: what was in progress is unknown, and what is to be run again is named."""

from typing import Any

import pytest

from reaffirm.decisions.models import DecisionSupportInput, EventSupportInput, SupportInput
from reaffirm.history import ConversationHistory, ResumeResult, StepResult, resuming
from reaffirm.store import GraphStore
from tests.history.records import (
    add_decision,
    add_version,
    change,
    citing,
    delete_event,
    depend,
    nodes,
    redact,
    remove,
    task_id,
)
from tests.history.stores import Watched
from tests.history.test_races import at_once

SUPPORTED: dict[str, Any] = {"state": "completed", "result_event_seq": 1, "result_basis": "supported"}


def again(result: ResumeResult) -> dict[str, str]:
    return {step.name: str(step.validity_reason) for step in result.steps}


def test_steps_in_progress_become_unknown(store: GraphStore, history: ConversationHistory, task: str) -> None:
    for name, state in (("b", "in_progress"), ("a", "in_progress"), ("c", "failed"), ("d", "not_started")):
        assert history.set_step(task, name, state, kind="read").recorded
    history.record_event(task, "note", payload="x")
    history.close_task(task)
    assert history.create_task("other", "Goal").recorded and history.set_step("other", "a", "in_progress").recorded
    result = history.resume_task(task)
    assert (result.recorded, result.marked, result.marked_count) == (True, ("a", "b"), 2)
    assert again(result) == {"c": "failed", "a": "unknown", "b": "unknown", "d": "not_started"}
    assert (result.left_count, result.not_reusable_count, result.next_after_name) == (4, 0, None)
    assert result.task is not None and result.task.status == "done"
    first = history.step_trail(task, "a").step
    assert first is not None
    assert (first.state, first.kind, first.updated_seq, first.id) == ("unknown", "read", 1, first.id)
    assert history.list_steps("other").steps[0].state == "in_progress"
    quiet = history.resume_task(task)
    assert (quiet.marked, quiet.marked_count, again(quiet)) == ((), 0, again(result))


def test_it_names_why_a_completed_result_cannot_be_used_again(
    store: GraphStore, history: ConversationHistory, task: str
) -> None:
    for payload in ("result", "cited", "redacted", "deleted", "replaced", "r", "d"):
        assert history.record_event(task, "note", payload=payload).recorded
    changed, removed = add_version(store, "changed.txt", "Thirty."), add_version(store, "removed.txt", "Ten.")
    made = {key: add_decision(store, task, key) for key in ("gone", "retired", "flagged", "root", "reached", "fine")}
    cited: dict[str, list[SupportInput]] = {
        "document_changed": [citing(changed)],
        "document_removed": [citing(removed)],
        "event_redacted": [EventSupportInput(task_name=task, seq=3)],
        "event_gone": [EventSupportInput(task_name=task, seq=4)],
        "event_replaced": [EventSupportInput(task_name=task, seq=5)],
        "decision_gone": [DecisionSupportInput(decision_id=made["gone"])],
        "decision_not_active": [DecisionSupportInput(decision_id=made["retired"])],
        "decision_needs_review": [DecisionSupportInput(decision_id=made["flagged"])],
        "decision_being_checked": [DecisionSupportInput(decision_id=made["reached"])],
        "None": [EventSupportInput(task_name=task, seq=2), DecisionSupportInput(decision_id=made["fine"])],
    }
    for name, supports in cited.items():
        written = history.set_step(task, name, **SUPPORTED, supports=supports, fetched_evidence=[changed, removed])
        assert written.recorded, written
    for name, seq, basis in (
        ("no_result", None, "independent"),
        ("basis_unknown", 1, "unknown"),
        ("result_redacted", 6, "independent"),
        ("result_gone", 7, "independent"),
    ):
        assert history.set_step(task, name, "completed", result_event_seq=seq, result_basis=basis).recorded
    assert set(again(history.resume_task(task))) == {"no_result", "basis_unknown"}
    add_version(store, "changed.txt", "Ninety.", seq=2)
    remove(store, "removed.txt", 2)
    for seq in (3, 6):
        redact(store, task, seq)
    for seq in (4, 7):
        delete_event(store, task, seq)
    store.write("MATCH (e:Event) WHERE e.seq = 5 SET e.payload_sha256 = 'other' RETURN 1 AS one")
    change(store, made["retired"], status="rejected")
    change(store, made["flagged"], review_state="needs_review")
    depend(store, made["reached"], made["root"])
    change(store, made["root"], review_pending=True)
    store.write("MATCH (d:Decision) WHERE d.id = $id DETACH DELETE d RETURN 1 AS gone", id=made["gone"])
    result = history.resume_task(task)
    reasons = again(result)
    assert reasons == {name: name for name in reasons}
    assert set(reasons) == {*cited, "no_result", "basis_unknown", "result_redacted", "result_gone"} - {"None"}
    assert (result.left_count, result.not_reusable_count) == (0, len(reasons))


def test_a_repeated_request_marks_nothing_anew_and_tells_what_is_left(
    history: ConversationHistory, task: str, store: GraphStore
) -> None:
    """Case 62."""
    assert history.set_step(task, "a", "in_progress").recorded
    first = history.resume_task(task, request_id="r1")
    assert first.marked == ("a",)
    assert history.set_step(task, "a", "in_progress").recorded
    repeated = history.resume_task(task, request_id="r1")
    assert (repeated.replayed, repeated.marked, repeated.marked_count) == (True, ("a",), 1)
    assert again(repeated) == {"a": "in_progress"}
    assert history.create_task("other", "Goal").recorded
    before = nodes(store)
    refused = history.resume_task("other", request_id="r1")
    assert (refused.recorded, refused.error, refused.steps) == (False, "request_id_reused", ())
    assert nodes(store) == before
    assert history.resume_task("other", request_id="r2").recorded  # nothing to mark, yet the request is kept
    assert history.resume_task("other", request_id="r2").replayed


def test_a_task_must_exist(store: GraphStore, history: ConversationHistory) -> None:
    result = history.resume_task("storage", request_id="r1")
    assert (result.recorded, result.error, result.field) == (False, "task_not_found", "name")
    assert nodes(store) == 0


def test_what_is_told_is_bounded_and_counted(
    history: ConversationHistory, task: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        assert history.set_step(task, f"left {number}", "in_progress").recorded
        assert history.set_step(task, f"done {number}", "completed").recorded
    monkeypatch.setattr(resuming, "SHOWN", 2)
    monkeypatch.setattr(resuming, "CHECKED", 3)
    result = history.resume_task(task)
    assert (result.marked, result.marked_count) == (("left 0", "left 1"), 5)
    assert [step.name for step in result.steps] == ["left 0", "left 1", "done 0", "done 1"]
    assert (result.left_count, result.not_reusable_count, result.next_after_name) == (5, 3, "done 2")
    rest = history.list_steps(task, state="completed", after_name=result.next_after_name)
    assert [step.name for step in rest.steps] == ["done 3", "done 4"]


@pytest.mark.parametrize("steps", [1, 30])
def test_statements_do_not_grow(store: GraphStore, history: ConversationHistory, task: str, steps: int) -> None:
    history.record_event(task, "note", payload="x")
    for number in range(steps):
        assert history.set_step(task, f"a {number}", "in_progress").recorded
        assert history.set_step(
            task,
            f"b {number}",
            **SUPPORTED,
            supports=[EventSupportInput(task_name=task, seq=1)],
        ).recorded
    watched = Watched(store)
    result = ConversationHistory(watched, project_id="atlas", agent_id="a").resume_task(task)
    assert (result.marked_count, result.left_count, result.not_reusable_count) == (steps, steps, 0)
    assert (watched.reads, watched.writes) == (3, 1)


def test_a_race_with_writers_of_steps_loses_nothing(store: GraphStore, history: ConversationHistory, task: str) -> None:
    """What was set after the resumption stands; what was in progress before it is unknown."""
    for number in range(16):
        assert history.set_step(task, f"step {number:02}", "in_progress").recorded

    def work(number: int) -> list[StepResult | ResumeResult]:
        if number % 4 == 0:
            return [history.resume_task(task)]
        return [history.set_step(task, f"step {number:02}", "completed")]

    results = [result for each in at_once(work) for result in each]
    assert all(result.recorded for result in results)
    states = {step.name: str(step.state) for step in history.list_steps(task).steps}
    assert states == {f"step {number:02}": "completed" if number % 4 else "unknown" for number in range(16)}
    for number in range(16):
        trail = [str(each.state) for each in history.step_trail(task, f"step {number:02}").changes]
        last = ["completed"] if number % 4 else ["unknown"]
        assert trail in (["in_progress", *last], ["in_progress", "unknown", *last])
    assert store.read("MATCH (t:Task) WHERE t.id = $id RETURN t.event_seq AS n", id=task_id(task)) == [{"n": 0}]
