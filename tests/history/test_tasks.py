"""create_task and list_tasks."""

import json

import pytest

from reaffirm import ids
from reaffirm.history import ConversationHistory, TaskStatus
from reaffirm.store import GraphStore, ValueRefused
from tests.history.records import nodes
from tests.history.stores import Watched

PROJECT = "MATCH (p:Project) RETURN p{.*} AS project"
REQUESTS = "MATCH (q:Request) RETURN q{.*} AS request ORDER BY q.request_id"


def test_it_creates_a_task_and_its_project(store: GraphStore, history: ConversationHistory) -> None:
    result = history.create_task("storage", "Choose a backup policy")
    assert result.recorded and not result.replayed
    assert result.task is not None
    assert result.task.id == "7f0b0167-ae29-500e-9bf4-d6157ca1c73c"  # agentic-graphrag's id for project atlas
    assert (result.task.author, result.task.event_seq, result.task.status) == ("planner-1", 0, TaskStatus.OPEN)
    assert store.read(PROJECT)[0]["project"] == {
        "_agrag_history_record": True,
        "project_id": "atlas",
        "review_incomplete": False,
        "review_epoch": 0,
    }
    assert history.get_task("storage").task == result.task


def test_it_returns_the_task_of_the_same_goal(history: ConversationHistory, task: str) -> None:
    again = history.create_task(task, "Choose a backup policy", request_id="again")
    assert again.recorded and again.task == history.get_task(task).task


def test_a_task_of_another_goal_is_refused(store: GraphStore, history: ConversationHistory, task: str) -> None:
    before = nodes(store)
    result = history.create_task(task, "Something else", request_id="other")
    assert (result.recorded, result.error, result.task) == (False, "task_exists", None)
    assert nodes(store) == before


def test_it_leaves_a_project_as_it_is(store: GraphStore, history: ConversationHistory, task: str) -> None:
    store.write("MATCH (p:Project) SET p.review_incomplete = true, p.review_epoch = 7 RETURN 1 AS one")
    assert history.create_task("second", "Goal").recorded
    project = store.read(PROJECT)
    assert [(row["project"]["review_incomplete"], row["project"]["review_epoch"]) for row in project] == [(True, 7)]


def test_projects_do_not_see_each_others_tasks(store: GraphStore, history: ConversationHistory, task: str) -> None:
    other = ConversationHistory(store, project_id="borealis", agent_id="planner-1")
    created = other.create_task(task, "Another goal")
    assert created.recorded and created.task is not None
    assert not other.get_task_by_id(ids.task_id("atlas", task)).found
    assert not other.list_events_by_id(ids.task_id("atlas", task)).found
    assert [each.id for each in other.list_tasks().tasks] == [created.task.id]


def test_a_repeated_request_returns_the_first_result(history: ConversationHistory) -> None:
    first = history.create_task("storage", "Goal", request_id="r1")
    again = history.create_task("storage", "Goal", request_id="r1")
    assert again.replayed and again.task == first.task


def test_a_request_of_agentic_graphrag_is_replayed(store: GraphStore, history: ConversationHistory, task: str) -> None:
    """Digest and result as its release 0.0.7 wrote them."""
    stored = history.get_task(task).task
    assert stored is not None
    request = {
        "id": "4056c16d-0047-56c4-a8d3-5a3c5ed8feda",
        "project_id": "atlas",
        "request_id": "req-task-1",
        "operation": "create_task",
        "payload_sha256": "8f3f98e7020053442aab7583f059344f89768cff791fb382f02269bbbd629e9f",
        "result_json": '{"recorded":true,"error":null,"task":' + stored.model_dump_json() + "}",
        "_agrag_history_record": True,
    }
    store.write("CREATE (q:Request) SET q = $request RETURN 1 AS one", request=request)
    result = history.create_task("storage", "Choose a backup policy", request_id="req-task-1")
    assert result.recorded and result.replayed and result.task == stored


def test_the_stored_result_has_the_shape_of_agentic_graphrag(store: GraphStore, history: ConversationHistory) -> None:
    created = history.create_task("storage", "Choose a backup policy", request_id="req-task-1").task
    assert created is not None
    request = store.read(REQUESTS)[0]["request"]
    assert request["id"] == "4056c16d-0047-56c4-a8d3-5a3c5ed8feda"
    assert request["payload_sha256"] == "8f3f98e7020053442aab7583f059344f89768cff791fb382f02269bbbd629e9f"
    assert json.loads(request["result_json"]) == {
        "recorded": True,
        "error": None,
        "task": {
            "id": created.id,
            "project_id": "atlas",
            "name": "storage",
            "goal": "Choose a backup policy",
            "status": "open",
            "event_seq": 0,
            "author": "planner-1",
            "created_at": created.created_at.isoformat().replace("+00:00", "Z"),
        },
    }


# Case 62: a request id belongs to one body and one project


def test_the_same_request_id_with_another_body_is_refused(store: GraphStore, history: ConversationHistory) -> None:
    assert history.create_task("storage", "Goal", request_id="r1").recorded
    before = nodes(store)
    for result in (
        history.create_task("storage", "Another", request_id="r1"),
        history.create_task("other", "Goal", request_id="r1"),
        history.record_event("storage", "note", payload="x", request_id="r1"),
        history.set_step("storage", "read", "in_progress", request_id="r1"),
    ):
        assert (result.recorded, result.error, result.field) == (False, "request_id_reused", "request_id")
    assert nodes(store) == before


def test_a_request_id_counts_in_one_project_only(store: GraphStore, history: ConversationHistory) -> None:
    other = ConversationHistory(store, project_id="borealis", agent_id="planner-1")
    assert history.create_task("storage", "Goal", request_id="r1").recorded
    result = other.create_task("storage", "Another", request_id="r1")
    assert result.recorded and not result.replayed


@pytest.mark.parametrize("request_id", ["", "k" * 65, " k", "a\0b", "\ud83d", 5, b"k"])
def test_a_bad_request_id_is_refused(store: GraphStore, history: ConversationHistory, request_id: str) -> None:
    before = nodes(store)
    for result in (
        history.create_task("storage", "Goal", request_id=request_id),
        history.record_event("storage", "note", payload="x", request_id=request_id),
        history.set_step("storage", "read", "in_progress", request_id=request_id),
    ):
        assert (result.error, result.field) == ("invalid_request_id", "request_id")
        assert result.detail
    assert nodes(store) == before


def test_request_ids_that_differ_in_case_or_accent_form_are_two(history: ConversationHistory) -> None:
    keys = ["k" * 64, "K" * 64, "caf\u00e9", "cafe\u0301"]
    for number, key in enumerate(keys):
        result = history.create_task(f"task {number}", "Goal", request_id=key)
        assert result.recorded and not result.replayed


# The list


def names(history: ConversationHistory, limit: int) -> list[str]:
    """All names, page by page; every page but the last is full."""
    found: list[str] = []
    cursor = None
    while True:
        page = history.list_tasks(limit=limit, cursor=cursor)
        found += [each.name for each in page.tasks]
        if page.next_cursor is None:
            return found
        assert len(page.tasks) == limit
        cursor = page.next_cursor


def test_it_lists_tasks_newest_first_page_by_page(store: GraphStore, history: ConversationHistory) -> None:
    created = [f"task {number}" for number in range(7)]
    for name in created:
        assert history.create_task(name, "Goal").recorded
    assert ConversationHistory(store, project_id="borealis", agent_id="a").create_task("foreign", "Goal").recorded
    expected = created[::-1]
    for limit in (1, 2, 3, 7, 50):
        assert names(history, limit) == expected


def test_tasks_of_the_same_moment_are_listed_once_each(store: GraphStore, history: ConversationHistory) -> None:
    for number in range(6):
        assert history.create_task(f"task {number}", "Goal").recorded
    # agentic-graphrag leaves the fraction of a full second out
    store.write("MATCH (t:Task) SET t.created_at = '2026-11-30T10:44:50+00:00' RETURN count(t) AS tasks")
    for limit in (1, 4):
        assert sorted(names(history, limit)) == [f"task {number}" for number in range(6)]


@pytest.mark.parametrize("cursor", ["", "?", "%%%", "e30", "WzEsMl0", "\ud83d", "x" * 5_000, 7, "WyJhIiwiYiJd"])
def test_a_bad_cursor_means_the_first_page(history: ConversationHistory, task: str, cursor: str) -> None:
    assert [each.name for each in history.list_tasks(cursor=cursor).tasks] == [task]


def test_an_empty_project_has_no_tasks(history: ConversationHistory) -> None:
    page = history.list_tasks()
    assert (page.tasks, page.next_cursor) == ((), None)


def test_creating_reads_once_and_writes_once(store: GraphStore) -> None:
    watched = Watched(store)
    ConversationHistory(watched, project_id="atlas", agent_id="planner-1").create_task("storage", "Goal")
    assert (watched.reads, watched.writes) == (1, 1)


@pytest.mark.parametrize("field", ["project_id", "agent_id"])
@pytest.mark.parametrize("value", ["", " a", "a" * 201, None, "a\0"])
def test_a_history_needs_a_project_and_an_author(store: GraphStore, field: str, value: str) -> None:
    names = {"project_id": "atlas", "agent_id": "planner-1", field: value}
    with pytest.raises(ValueRefused) as refused:
        ConversationHistory(store, **names)
    assert refused.value.field == field
