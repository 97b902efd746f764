"""close_task and reopen_task."""

import json

import pytest

from reaffirm.history import ClosingResult, ConversationHistory, Task, TaskStatus
from reaffirm.store import GraphStore
from tests.history.records import nodes, task_id
from tests.history.stores import Watched
from tests.history.test_races import at_once

REQUEST = "MATCH (q:Request) WHERE q.request_id = $key RETURN q{.*} AS request"
NAME = 'storage ,"event_seq":0, "steps_in_progress":0}'


def stored(history: ConversationHistory, name: str) -> Task:
    found = history.get_task(name).task
    assert found is not None
    return found


def test_fault_33_a_task_is_closed_and_opened_again(store: GraphStore, history: ConversationHistory, task: str) -> None:
    history.record_event(task, "note", payload="x")
    closed = history.close_task(task, reason="All done").task
    assert closed is not None and closed == stored(history, task)
    assert (closed.status, closed.closed_by, closed.close_reason) == (TaskStatus.DONE, "planner-1", "All done")
    assert closed.closed_at is not None and closed.reopened_at is None
    assert [each.name for each in history.list_tasks(status="done").tasks] == [task]
    ana = ConversationHistory(store, project_id="atlas", agent_id="user:ana")
    opened = ana.reopen_task(task).task
    assert opened is not None and opened == stored(history, task)
    assert (opened.status, opened.reopened_by, opened.reopen_reason) == (TaskStatus.OPEN, "user:ana", None)
    assert (opened.closed_by, opened.closed_at, opened.event_seq) == ("planner-1", closed.closed_at, 1)
    again = ana.close_task(task).task
    assert again is not None
    assert (again.closed_by, again.close_reason, again.reopened_by) == ("user:ana", None, "user:ana")
    view = history.get_task(task).view
    assert view is not None
    assert view.status is TaskStatus.DONE


@pytest.mark.parametrize("request_id", [None, "r2"])
def test_closing_a_closed_task_changes_nothing(
    store: GraphStore, history: ConversationHistory, task: str, request_id: str | None
) -> None:
    first = history.close_task(task, reason="All done", request_id="r1")
    before = stored(history, task)
    ana = ConversationHistory(store, project_id="atlas", agent_id="user:ana")
    again = ana.close_task(task, reason="Really", request_id=request_id)
    assert again.recorded and again.task == first.task == before == stored(history, task)
    assert ana.reopen_task(task, request_id="r3").recorded
    assert ana.reopen_task(task).recorded


def test_a_closed_task_refuses_nothing(history: ConversationHistory, task: str) -> None:
    """Agents of agentic-graphrag know nothing of closing."""
    assert history.close_task(task).recorded
    assert history.record_event(task, "note", payload="late").recorded
    assert history.set_step(task, "read", "in_progress").recorded
    assert history.create_task(task, "Choose a backup policy").recorded
    now = stored(history, task)
    assert (now.status, now.event_seq) == (TaskStatus.DONE, 1)


def test_it_warns_of_steps_in_progress(history: ConversationHistory, task: str) -> None:
    for name, state in (("a", "in_progress"), ("b", "in_progress"), ("c", "failed")):
        assert history.set_step(task, name, state).recorded
    closed = history.close_task(task, request_id="r1")
    assert (closed.recorded, closed.warnings, closed.steps_in_progress) == (True, ("steps_in_progress",), 2)
    assert history.close_task(task, request_id="r1").warnings == ("steps_in_progress",)
    opened = history.reopen_task(task)
    assert (opened.warnings, opened.steps_in_progress) == ((), 0)
    assert [step.state for step in history.list_steps(task).steps] == ["in_progress", "in_progress", "failed"]


def test_a_repeated_request_returns_the_first_result(store: GraphStore, history: ConversationHistory) -> None:
    """Case 62. Texts that look like the places in the result that the statement fills are left alone."""
    assert history.create_task(NAME, NAME).recorded
    history.record_event(NAME, "note", payload="x")
    first = history.close_task(NAME, reason=NAME, request_id="r1")
    assert first.task is not None and first.task == stored(history, NAME)
    history.reopen_task(NAME)
    again = history.close_task(NAME, reason=NAME, request_id="r1")
    assert again.replayed and again.model_copy(update={"replayed": False}) == first
    assert stored(history, NAME).status is TaskStatus.OPEN
    written = json.loads(store.read(REQUEST, key="r1")[0]["request"]["result_json"])
    assert (written["task"]["event_seq"], written["steps_in_progress"]) == (1, 0)
    before = nodes(store)
    for other in (
        history.close_task(NAME, reason="Another", request_id="r1"),
        history.reopen_task(NAME, reason=NAME, request_id="r1"),
        history.close_task("elsewhere", reason=NAME, request_id="r1"),
    ):
        assert (other.recorded, other.error) == (False, "request_id_reused")
    assert nodes(store) == before


def test_a_task_must_exist(store: GraphStore, history: ConversationHistory) -> None:
    for result in (history.close_task("storage", request_id="r1"), history.reopen_task("storage")):
        assert (result.recorded, result.error, result.field) == (False, "task_not_found", "name")
    assert nodes(store) == 0


def test_closing_reads_once_and_writes_once(store: GraphStore, history: ConversationHistory, task: str) -> None:
    watched = Watched(store)
    assert ConversationHistory(watched, project_id="atlas", agent_id="a").close_task(task).recorded
    assert (watched.reads, watched.writes) == (1, 1)


def test_closing_opening_and_events_at_once(store: GraphStore, history: ConversationHistory, task: str) -> None:
    """Each write lands whole: no event is lost, and who and when are of the write that set the status."""

    def work(number: int) -> list[ClosingResult | None]:
        writer = ConversationHistory(store, project_id="atlas", agent_id=f"agent-{number}")
        done: list[ClosingResult | None] = []
        for turn in range(6):
            if number % 4 < 2:
                assert writer.record_event(task, "note", payload=f"{number}-{turn}").recorded
            elif number % 4 == 2:
                done.append(writer.close_task(task, reason=f"{number}-{turn}"))
            else:
                done.append(writer.reopen_task(task, reason=f"{number}-{turn}"))
        return done

    results = [result for each in at_once(work) for result in each]
    assert all(result is not None and result.recorded for result in results)
    assert sorted(event.seq for event in history.list_events(task, limit=200).events) == list(range(1, 49))
    now = store.read("MATCH (t:Task) WHERE t.id = $id RETURN t{.*} AS task", id=task_id(task))[0]["task"]
    assert now["event_seq"] == 48
    word, noun = ("closed", "close") if now["status"] == "done" else ("reopened", "reopen")
    number, _, _ = now[f"{noun}_reason"].partition("-")
    assert now[f"{word}_by"] == f"agent-{number}"
    assert int(number) % 4 == (2 if word == "closed" else 3)
