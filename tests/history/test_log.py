"""list_events in both directions and filtered."""

import math
from typing import Any

import pytest

from reaffirm.history import ConversationHistory, EventKind, EventPage, log
from reaffirm.store import GraphStore
from tests.history.records import add_decision, change, delete_event, redact, task_id
from tests.history.stores import Watched

OF_ANOTHER = "MATCH (x:DecisionSupport) SET x.event_payload_sha256 = 'other' RETURN count(x) AS n"


def record(history: ConversationHistory, task: str, count: int) -> None:
    for number in range(1, count + 1):
        assert history.record_event(task, "note", payload=f"event {number}").recorded


def seqs(page: EventPage) -> list[int]:
    return [event.seq for event in page.events]


def downwards(history: ConversationHistory, task: str, limit: int, **asked: Any) -> list[int]:
    """All numbers, page by page, newest first."""
    page = history.list_events(task, newest_first=True, limit=limit, **asked)
    found = seqs(page)
    for _ in range(200):
        if page.next_before_seq is None:
            return found
        assert page.next_after_seq is None
        page = history.list_events(task, before_seq=page.next_before_seq, limit=limit, **asked)
        found += seqs(page)
    raise AssertionError("the log does not end")


def upwards(history: ConversationHistory, task: str, limit: int, **asked: Any) -> list[int]:
    page = history.list_events(task, limit=limit, **asked)
    found = seqs(page)
    for _ in range(200):
        if page.next_after_seq is None:
            return found
        assert page.next_before_seq is None
        page = history.list_events(task, after_seq=page.next_after_seq, limit=limit, **asked)
        found += seqs(page)
    raise AssertionError("the log does not end")


@pytest.mark.parametrize("limit", [1, 3, 7, 200])
def test_it_goes_both_ways(store: GraphStore, history: ConversationHistory, task: str, limit: int) -> None:
    record(history, task, 7)
    assert upwards(history, task, limit) == [1, 2, 3, 4, 5, 6, 7]
    assert downwards(history, task, limit) == [7, 6, 5, 4, 3, 2, 1]
    for seq in (4, 5, 7):
        delete_event(store, task, seq)
    assert upwards(history, task, limit) == [1, 2, 3, 6]
    assert downwards(history, task, limit) == [6, 3, 2, 1]


def test_a_page_between_two_numbers_is_newest_first(history: ConversationHistory, task: str) -> None:
    record(history, task, 9)
    page = history.list_events(task, after_seq=2, before_seq=7, limit=3)
    assert (seqs(page), page.next_before_seq, page.total) == ([6, 5, 4], 4, 9)
    page = history.list_events(task, after_seq=2, before_seq=4, limit=3)
    assert (seqs(page), page.next_before_seq) == ([3], None)
    by_id = history.list_events_by_id(task_id(task), after_seq=2, before_seq=7, limit=3)
    assert by_id == history.list_events(task, after_seq=2, before_seq=7, limit=3)


@pytest.mark.parametrize(
    ("before", "expected"),
    [(0, []), (1, []), (-5, []), (2, [1]), (3, [2, 1]), (4, [3, 2, 1]), (2**63 - 1, [3, 2, 1]), (2**63, [3, 2, 1])],
)
def test_any_place_to_begin_is_answered(
    history: ConversationHistory, task: str, before: int, expected: list[int]
) -> None:
    """Case 32."""
    record(history, task, 3)
    page = history.list_events(task, before_seq=before)
    assert (page.found, page.total, seqs(page), page.next_before_seq) == (True, 3, expected, None)


@pytest.mark.parametrize("before", [math.nan, "1", True, 1.5])
def test_a_place_that_is_no_number_is_the_end(history: ConversationHistory, task: str, before: int) -> None:
    record(history, task, 3)
    assert seqs(history.list_events(task, before_seq=before)) == [3, 2, 1]


@pytest.fixture
def talk(store: GraphStore, history: ConversationHistory, task: str) -> str:
    """Twelve events of all kinds, by two authors."""
    ana = ConversationHistory(store, project_id="atlas", agent_id="user:ana")
    for number in range(3):
        assert history.record_event(task, "message", role="user", payload=f"Keep {number} days? (100%)").recorded
        assert history.record_event(task, "tool_call", name="search", payload='{"q":"KEEP"}').recorded
        assert history.record_event(task, "tool_result", name="search", payload="Élan's policy: keep a.b*c").recorded
        assert ana.record_event(task, "note", name="step:read", payload="").recorded
    return task


@pytest.mark.parametrize("limit", [1, 2, 50])
def test_it_filters(history: ConversationHistory, talk: str, limit: int) -> None:
    expected: list[tuple[dict[str, Any], list[int]]] = [
        ({"kind": "message"}, [1, 5, 9]),
        ({"kind": EventKind.NOTE}, [4, 8, 12]),
        ({"name": "search"}, [2, 3, 6, 7, 10, 11]),
        ({"author": "user:ana"}, [4, 8, 12]),
        ({"text": "keep"}, [1, 2, 3, 5, 6, 7, 9, 10, 11]),
        ({"text": "days KEEP 1"}, [1, 5, 9]),
        ({"text": "1 days"}, [1, 5, 9]),
        ({"text": "(100%)"}, [1, 5, 9]),
        ({"text": "élan's a.b*c"}, [3, 7, 11]),
        ({"text": "a.b.c"}, []),
        ({"text": ".*"}, []),
        ({"text": "step:"}, [4, 8, 12]),
        ({"text": "search", "kind": "tool_call", "name": "search", "author": "planner-1"}, [2, 6, 10]),
        ({"kind": "message", "author": "user:ana"}, []),
        ({"text": " \n"}, list(range(1, 13))),
    ]
    for asked, found in expected:
        assert upwards(history, talk, limit, **asked) == found, asked
        assert downwards(history, talk, limit, **asked) == found[::-1], asked


@pytest.mark.parametrize(
    "asked",
    [{"kind": "bogus"}, {"kind": ""}, {"kind": 5}, {"name": "\ud83d"}, {"author": 5}, {"text": "a\0"}, {"text": 5}],
)
def test_what_cannot_be_is_not_found(history: ConversationHistory, talk: str, asked: dict[str, Any]) -> None:
    for page in (history.list_events(talk, **asked), history.list_events(talk, newest_first=True, **asked)):
        assert (page.found, page.events, page.total) == (True, (), 12)
        assert (page.next_after_seq, page.next_before_seq) == (None, None)
    assert not history.list_events("elsewhere", **asked).found


def test_a_redacted_event_holds_no_words(store: GraphStore, history: ConversationHistory, talk: str) -> None:
    redact(store, talk, 1)
    assert upwards(history, talk, 50, text="days") == [5, 9]
    assert upwards(history, talk, 50, text="redacted") == []
    assert upwards(history, talk, 50, kind="message") == [1, 5, 9]


def test_only_events_that_a_current_support_cites(store: GraphStore, history: ConversationHistory, talk: str) -> None:
    assert history.create_task("other", "Goal").recorded
    history.record_event("other", "note", payload="x")
    assert upwards(history, talk, 50, cited=True) == []
    first = add_decision(store, talk, "backup")  # on event 1
    add_decision(store, talk, "second")
    store.write(
        "MATCH (x:DecisionSupport) SET x.event_id = $id, x.seq = 9 RETURN 1 AS n", id=event_id(history, talk, 9)
    )
    add_decision(store, talk, "third")
    for limit in (1, 50):
        assert upwards(history, talk, limit, cited=True) == [1, 9]
        assert downwards(history, talk, limit, cited=True) == [9, 1]
        assert upwards(history, talk, limit, cited=True, kind="message", text="2") == [9]
    assert upwards(history, "other", 50, cited=True) == []
    change(store, first, status="rejected")
    assert upwards(history, talk, 50, cited=True) == [1, 9]
    store.write("MATCH (x:DecisionSupport) WHERE x.seq = 1 SET x.current = false RETURN 1 AS n")
    assert upwards(history, talk, 50, cited=True) == [9]
    store.write(OF_ANOTHER)
    assert upwards(history, talk, 50, cited=True) == []


def event_id(history: ConversationHistory, task: str, seq: int) -> str:
    found = history.fetch_event(task, seq).event
    assert found is not None
    return found.id


def test_a_page_with_a_filter_looks_at_no_more_than_its_window(
    history: ConversationHistory, talk: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log, "LOOKED_AT", 3)
    page = history.list_events(talk, author="user:ana")
    assert (page.events, page.next_after_seq) == ((), 3)
    page = history.list_events(talk, author="user:ana", newest_first=True)
    assert (seqs(page), page.next_before_seq) == ([12], 10)
    for limit in (1, 50):
        assert upwards(history, talk, limit, author="user:ana") == [4, 8, 12]
        assert downwards(history, talk, limit, author="user:ana") == [12, 8, 4]


def test_reads_do_not_grow(store: GraphStore, history: ConversationHistory, talk: str) -> None:
    watched = Watched(store)
    reader = ConversationHistory(watched, project_id="atlas", agent_id="a")
    for limit in (1, 12):
        for asked in ({}, {"newest_first": True}, {"text": "keep"}, {"cited": True, "before_seq": 7}):
            watched.reads = 0
            reader.list_events(talk, limit=limit, **asked)
            assert (watched.reads, watched.writes) == (1, 0)
