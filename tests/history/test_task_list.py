"""list_tasks: filters, counts, and an order that no form of a time upsets."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from reaffirm.history import ConversationHistory, TaskStatus, listing
from reaffirm.store import GraphStore
from tests.history.records import task_id
from tests.history.stores import Watched

SET_TIME = "MATCH (t:Task) WHERE t._agrag_history_record = true AND t.id = $id SET t.created_at = $at RETURN 1 AS n"
SET_STATUS = "MATCH (t:Task) WHERE t.name IN $names SET t.status = 'done' RETURN count(t) AS n"


def make(history: ConversationHistory, *names: str, goal: str = "Goal") -> None:
    for name in names:
        assert history.create_task(name, goal).recorded


def listed(history: ConversationHistory, limit: int, **asked: str) -> list[str]:
    """All names, page by page; never more on a page than asked for."""
    found: list[str] = []
    cursor = None
    for _ in range(100):
        page = history.list_tasks(limit=limit, cursor=cursor, **asked)
        assert len(page.tasks) <= limit
        found += [each.name for each in page.tasks]
        cursor = page.next_cursor
        if cursor is None:
            return found
    raise AssertionError("the list does not end")


def test_it_filters_by_status_author_and_words(store: GraphStore, history: ConversationHistory) -> None:
    make(history, "Backup policy", "log retention")
    make(history, "audit", goal="Find every BACKUP (100%) in Zürich/élan")
    make(ConversationHistory(store, project_id="atlas", agent_id="user:ana"), "backups of ana")
    make(ConversationHistory(store, project_id="borealis", agent_id="planner-1"), "Backup elsewhere")
    store.write(SET_STATUS, names=["audit"])
    for limit in (1, 2, 50):
        assert listed(history, limit) == ["backups of ana", "audit", "log retention", "Backup policy"]
        assert listed(history, limit, status="done") == ["audit"]
        assert listed(history, limit, status="open") == ["backups of ana", "log retention", "Backup policy"]
        assert listed(history, limit, author="user:ana") == ["backups of ana"]
        assert listed(history, limit, text="backup") == ["backups of ana", "audit", "Backup policy"]
        assert listed(history, limit, text=" policy \n BACKUP ") == ["Backup policy"]
        assert listed(history, limit, text="backup", status="done") == ["audit"]
        assert listed(history, limit, text="ÉLAN zürich") == ["audit"]
    for literal in ("(100%)", "/él", "100%"):
        assert listed(history, 50, text=literal) == ["audit"]
    for nothing in (".*", "back.p", "%25", "'", "~", "a*"):
        assert listed(history, 50, text=nothing) == []


def test_it_counts(store: GraphStore, history: ConversationHistory) -> None:
    assert (history.list_tasks().counts, history.list_tasks().count) == ({"open": 0, "done": 0}, 0)
    make(history, *[f"task {number}" for number in range(5)], "other")
    store.write(SET_STATUS, names=["task 0", "task 1"])
    make(ConversationHistory(store, project_id="borealis", agent_id="a"), "task 9")
    page = history.list_tasks(limit=1)
    assert page.counts == {TaskStatus.OPEN: 4, TaskStatus.DONE: 2}
    assert page.count == 6
    assert history.list_tasks(status="done", limit=1).count == 2
    found = history.list_tasks(text="task", status="open", limit=1)
    assert (found.count, found.counts) == (3, page.counts)
    assert history.list_tasks(author="nobody").count == 0


@pytest.mark.parametrize(
    "asked",
    [
        {"status": "bogus"},
        {"status": 5},
        {"status": ""},
        {"author": ""},
        {"author": "a\0"},
        {"author": 5},
        {"author": "a" * 8_165},
        {"text": "a\0"},
        {"text": "\ud83d"},
        {"text": 5},
    ],
)
def test_what_cannot_be_is_not_found(history: ConversationHistory, task: str, asked: dict[str, Any]) -> None:
    page = history.list_tasks(**asked)
    assert (page.tasks, page.count, page.next_cursor) == ((), 0, None)
    assert page.counts == {"open": 1, "done": 0}


def test_blank_words_are_no_filter_and_200_characters_count(history: ConversationHistory, task: str) -> None:
    assert history.list_tasks(text=" \n").count == 1
    assert history.list_tasks(text="storage" + " " * 200 + "nowhere").count == 1
    assert history.list_tasks(text="s " * 100 + "nowhere").count == 1
    assert history.list_tasks(text="nowhere " + "storage" * 5_000).count == 0


def test_a_page_with_words_looks_at_no_more_than_its_window(
    history: ConversationHistory, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(history, "needle 1", *[f"task {number}" for number in range(7)], "needle 2")
    monkeypatch.setattr(listing, "LOOKED_AT", 3)
    first = history.list_tasks(text="needle", limit=50)
    assert [each.name for each in first.tasks] == ["needle 2"]
    second = history.list_tasks(text="needle", limit=50, cursor=first.next_cursor)
    assert (second.tasks, second.next_cursor is None) == ((), False)
    assert listed(history, 50, text="needle") == ["needle 2", "needle 1"]
    assert listed(history, 1, text="needle", status="open") == ["needle 2", "needle 1"]
    monkeypatch.setattr(listing, "COUNTED", 8)
    assert history.list_tasks(text="needle").count is None
    assert history.list_tasks().count == 9


def test_it_sorts_times_of_any_form(store: GraphStore, history: ConversationHistory) -> None:
    """Case 35: the same clock in other zones, without one, with nanoseconds; equal moments in equal and other texts."""
    moment = datetime(2026, 1, 11, 0, 0, tzinfo=UTC)
    texts = [
        "2026-01-10T23:59:59.999999+00:00",
        "2026-01-11T05:30:00.000001+05:30",
        "2026-01-11T00:00:00.000002Z",
        "2026-01-10T18:30:00.000003-05:30",
        "2026-01-11T00:00:00.000004-00:00",
        "2026-01-11T00:00:00.000005",
        "2026-01-11T00:00:00.000006+00:00",
        "2026-01-11T00:00:00.000007999Z",
        "2026-01-11T00:00:00.5Z",
        "2026-01-11T00:00:01+00:00",
        "2026-01-11T05:30:01.000001+05:30",
    ]
    names = [f"task {number:02}" for number in range(len(texts))]
    make(history, *names)
    for name, text in zip(names, texts, strict=True):
        store.write(SET_TIME, id=task_id(name), at=text)
    for limit in (1, 2, 3, 11):
        assert listed(history, limit) == names[::-1]
        assert listed(history, limit, status="open") == names[::-1]
        assert listed(history, limit, text="task") == names[::-1]
    found = {each.name: each.created_at for each in history.list_tasks().tasks}
    assert found["task 01"] == moment + timedelta(microseconds=1)
    for name, text in zip(names, ("2026-01-11T00:00:00Z", "2026-01-11T00:00:00+00:00") * 6, strict=False):
        store.write(SET_TIME, id=task_id(name), at=text)
    for limit in (1, 3, 4):
        assert sorted(listed(history, limit)) == names


def test_more_times_of_another_form_than_are_merged_hide_nothing(
    store: GraphStore, history: ConversationHistory, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"task {number}" for number in range(5)]
    make(history, *names)
    for number, name in enumerate(names):
        store.write(SET_TIME, id=task_id(name), at=f"2026-01-11T00:00:0{number}Z")
    monkeypatch.setattr(listing, "ODD_LOOKED_AT", 4)
    for limit in (1, 2, 50):
        assert listed(history, limit) == names[::-1]


def test_reads_do_not_grow(store: GraphStore, history: ConversationHistory) -> None:
    make(history, *[f"task {number}" for number in range(12)])
    watched = Watched(store)
    reader = ConversationHistory(watched, project_id="atlas", agent_id="a")
    for limit in (1, 10):
        for asked, reads in (({}, 2), ({"status": "open"}, 2), ({"text": "task"}, 3), ({"author": "planner-1"}, 3)):
            watched.reads = 0
            assert len(reader.list_tasks(limit=limit, **asked).tasks) == limit
            assert (watched.reads, watched.writes) == (reads, 0)


def test_names_that_look_equal_are_two_tasks(history: ConversationHistory) -> None:
    """Case 76: Latin and Cyrillic, a composed and a decomposed accent, full-width letters."""
    names = ["ops-bot", "\u043eps-bot", "caf\u00e9", "cafe\u0301", "ABC", "\uff21\uff22\uff23"]
    for name in names:
        created = history.create_task(name, f"Goal of {names.index(name)}")
        assert created.recorded and created.task and created.task.name == name
    assert listed(history, 2) == names[::-1]
    assert {history.get_task(name).task.goal for name in names} == {f"Goal of {number}" for number in range(6)}  # type: ignore[union-attr]
