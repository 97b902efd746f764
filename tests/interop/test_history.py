"""Closing, resuming and the trail of a step, beside agentic-graphrag on one task."""

import pytest

from tests.interop.worlds import Both

GOAL = "Choose a backup policy"


@pytest.fixture
def task(both: Both) -> str:
    assert both.our_history.create_task("storage", GOAL).recorded
    return "storage"


def test_it_reads_and_works_on_a_task_that_we_closed(both: Both, task: str) -> None:
    assert both.our_history.close_task(task, reason="All done", request_id="close-1").recorded
    view = both.theirs.history.get_task(task)["view"]
    assert (view["status"], view["goal"]) == ("done", GOAL)
    again = both.theirs.history.create_task(task, GOAL)
    assert (again["recorded"], again["task"]["status"]) == (True, "done")
    event = both.theirs.history.record_event(task, "note", payload="late")
    assert event["recorded"] and event["event"]["seq"] == 1
    assert both.theirs.history.set_step(task, "read", "in_progress")["recorded"]
    # Neither knows the other's operation, so a request id of one is no request of the other.
    refused = both.theirs.history.create_task("another", GOAL, request_id="close-1")
    assert (refused["recorded"], refused["error"]) == (False, "request_id_reused")
    found = both.our_history.get_task(task).task
    assert found and (found.status, found.closed_by, found.event_seq) == ("done", "user:ana", 1)
    assert both.our_history.reopen_task(task).recorded
    assert both.theirs.history.get_task(task)["view"]["status"] == "open"


def test_a_task_of_its_own_is_listed_counted_and_closed(both: Both) -> None:
    for number in range(3):
        assert both.theirs.history.create_task(f"theirs {number}", GOAL)["recorded"]
    assert both.our_history.close_task("theirs 1").recorded
    page = both.our_history.list_tasks(text="THEIRS", limit=2)
    assert [each.name for each in page.tasks] == ["theirs 2", "theirs 1"]
    assert (page.count, page.counts) == (3, {"open": 2, "done": 1})


def test_fault_33_it_leaves_the_trail_of_a_step_alone(both: Both, task: str) -> None:
    assert both.our_history.set_step(task, "read", "in_progress").recorded
    assert both.theirs.history.set_step(task, "read", "failed")["recorded"]
    trail = both.our_history.step_trail(task, "read")
    assert [str(each.state) for each in trail.changes] == ["in_progress"]
    assert trail.other_writer and trail.step and trail.step.state == "failed"


def test_it_reads_the_steps_that_we_resumed(both: Both, task: str) -> None:
    assert both.theirs.history.set_step(task, "read", "in_progress", kind="read")["recorded"]
    assert both.our_history.set_step(task, "write", "in_progress").recorded
    result = both.our_history.resume_task(task)
    assert result.marked == ("read", "write")
    steps = both.theirs.history.list_steps(task, "unknown")["steps"]
    assert [(step["name"], step["kind"], step["state"]) for step in steps] == [
        ("read", "read", "unknown"),
        ("write", "other", "unknown"),
    ]
