"""Many writers at once: 16 threads, one store."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from reaffirm import ids
from reaffirm.history import ConversationHistory, EventResult, StepResult, TaskResult
from reaffirm.store import GraphStore
from tests.history.records import task_id

THREADS = 16
R = TypeVar("R")


def at_once(work: Callable[[int], R]) -> list[R]:
    barrier = threading.Barrier(THREADS)

    def run(number: int) -> R:
        barrier.wait()
        return work(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(run, range(THREADS)))


def test_events_of_many_writers_are_numbered_gapless(
    store: GraphStore, history: ConversationHistory, task: str
) -> None:
    def append(number: int) -> list[EventResult]:
        return [history.record_event(task, "note", payload=f"{number}-{turn}") for turn in range(20)]

    results = [result for each in at_once(append) for result in each]
    assert all(result.recorded for result in results)
    acknowledged = {result.event.seq: result.event for result in results if result.event}
    assert sorted(acknowledged) == list(range(1, 321))
    stored = history.list_events(task, limit=200).events + history.list_events(task, after_seq=200, limit=200).events
    assert {event.seq: event for event in stored} == acknowledged
    assert [event.id for event in stored] == ids.event_ids(task_id(task), 0, 320)
    found = history.get_task(task).task
    assert found is not None
    assert found.event_seq == 320


def test_one_task_is_made_once(store: GraphStore, history: ConversationHistory) -> None:
    def create(number: int) -> TaskResult:
        return history.create_task("storage", "Goal", request_id=f"r{number}")

    results = at_once(create)
    assert all(result.recorded for result in results)
    assert len({result.task.created_at for result in results if result.task}) == 1
    assert store.read("MATCH (t:Task) RETURN count(t) AS tasks") == [{"tasks": 1}]
    assert store.read("MATCH (p:Project) RETURN count(p) AS projects") == [{"projects": 1}]
    assert store.read("MATCH (q:Request) RETURN count(q) AS requests") == [{"requests": THREADS}]


def test_of_different_goals_one_wins(store: GraphStore, history: ConversationHistory) -> None:
    results = at_once(lambda number: history.create_task("storage", f"Goal {number}"))
    assert sorted(result.error or "recorded" for result in results) == ["recorded"] + ["task_exists"] * 15


def test_one_request_writes_once(store: GraphStore, history: ConversationHistory, task: str) -> None:
    results = at_once(lambda _: history.record_event(task, "note", payload="x", request_id="e1"))
    assert {result.event.seq for result in results if result.event} == {1}
    assert sum(not result.replayed for result in results) == 1
    assert history.list_events(task).total == 1


def test_one_step_is_written_by_many(store: GraphStore, history: ConversationHistory, task: str) -> None:
    def write(number: int) -> StepResult:
        return history.set_step(task, "read", "in_progress" if number % 2 else "completed")

    assert all(result.recorded for result in at_once(write))
    links = store.read("MATCH (t:Task)-[h:HAS_STEP]->(s:Step) RETURN count(h) AS links, count(DISTINCT s) AS steps")
    assert links == [{"links": 1, "steps": 1}]
