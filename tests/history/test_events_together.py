"""record_events: many events in one statement, all or none."""

from datetime import timedelta
from typing import Any

import pytest

from reaffirm import ids
from reaffirm.history import ConversationHistory, EventInput
from reaffirm.retention import HistoryRetention
from reaffirm.store import GraphStore
from tests.decisions.writes import at_once
from tests.history.records import task_id
from tests.history.stores import Watched

SECRET = "A secret of more than twenty characters."


def notes(*texts: str) -> list[EventInput]:
    return [EventInput(kind="note", payload=text) for text in texts]


def test_they_stand_in_their_order_behind_what_is_there(history: ConversationHistory, task: str) -> None:
    history.record_event(task, "note", payload="before")
    batch = [
        EventInput(kind="message", role="user", payload="How long?"),
        EventInput(kind="tool_result", name="read", payload="ü" * 40_000),
        EventInput(kind="note", payload=""),
    ]
    result = history.record_events(task, batch)
    assert result.recorded and result.first_seq == 2
    assert [event.seq for event in result.events] == [2, 3, 4]
    assert result.events == history.list_events(task).events[1:]
    assert [event.id for event in result.events] == [ids.event_id(task_id(task), number) for number in (2, 3, 4)]
    assert result.events[1].truncated and len(result.events[1].payload) == 32_000
    assert history.record_event(task, "note", payload="behind").event.seq == 5  # type: ignore[union-attr]
    assert history.verify_events(task).missing == 0


def test_a_hundred_take_one_read_and_one_write(store: GraphStore, task: str) -> None:
    watched = Watched(store)
    result = ConversationHistory(watched, project_id="atlas", agent_id="a").record_events(task, notes(*"x" * 100))
    assert len(result.events) == 100
    assert (watched.reads, watched.writes) == (1, 1)


def test_a_repeated_call_appends_nothing_and_tells_them_as_they_are_now(
    store: GraphStore, history: ConversationHistory, task: str
) -> None:
    first = history.record_events(task, notes(SECRET, "two"), request_id="e1")
    assert history.record_events(task, notes(SECRET, "two"), request_id="e1").events == first.events
    assert history.record_events(task, notes("two", SECRET), request_id="e1").error == "request_id_reused"
    assert history.record_event(task, "note", payload=SECRET, request_id="e1").error == "request_id_reused"
    retention = HistoryRetention(store, project_id="atlas", agent_id="user:c")
    assert retention.redact_event(first.events[0].id, "A reason").recorded
    again = history.record_events(task, notes(SECRET, "two"), request_id="e1")
    assert [event.payload for event in again.events] == ["[REDACTED]", "two"]
    assert again.replayed
    rows = store.read("MATCH (q:Request) RETURN q.result_json AS text")
    assert not any(SECRET in (row["text"] or "") for row in rows)


def test_a_short_redacted_text_does_not_come_back_when_requests_are_pruned(
    store: GraphStore, history: ConversationHistory, task: str
) -> None:
    first = history.record_events(task, notes("short", "two"), request_id="e1")
    retention = HistoryRetention(store, project_id="atlas", agent_id="user:c")
    assert retention.redact_event(first.events[0].id, "A reason").recorded
    store.write("MATCH (q:Request) SET q.claimed_ms = 1 RETURN count(q) AS n")
    assert retention.prune_requests(timedelta(days=30)).recorded
    again = history.record_events(task, notes("short", "two"), request_id="e1")
    assert [event.payload for event in again.events] == ["[REDACTED]", "two"]


def test_what_was_redacted_is_refused_by_its_place_and_nothing_is_appended(
    store: GraphStore, history: ConversationHistory, task: str
) -> None:
    event = history.record_event(task, "note", payload=SECRET).event
    assert event
    assert HistoryRetention(store, project_id="atlas", agent_id="user:c").redact_event(event.id, "A reason").recorded
    result = history.record_events(task, notes("one", SECRET, "three"))
    assert (result.recorded, result.error, result.field) == (False, "erased", "batch[1].payload")
    assert len(history.list_events(task).events) == 1


def test_after_the_task_is_deleted_a_repeated_call_brings_nothing_back(
    store: GraphStore, history: ConversationHistory, task: str
) -> None:
    history.record_events(task, notes("one", "two"), request_id="e1")
    retention = HistoryRetention(store, project_id="atlas", agent_id="user:c")
    assert retention.delete_task(task, reason="Over.").recorded
    assert history.create_task(task, "Another goal").recorded
    result = history.record_events(task, notes("one", "two"), request_id="e1")
    assert (result.recorded, result.error, result.events) == (False, "erased", ())


@pytest.mark.parametrize(
    ("batch", "field"),
    [
        ([], "batch"),
        (notes(*"x" * 101), "batch"),
        ("note", "batch"),
        (None, "batch"),
        ([*notes("x"), "y"], "batch[1]"),
        ([*notes("x"), EventInput.model_construct(kind="shout", payload="y", role=None, name=None)], "batch[1].kind"),
        ([*notes("x"), EventInput.model_construct(kind="note", payload=7, role=None, name=None)], "batch[1].payload"),
        ([EventInput(kind="note", payload="x", name="n" * 201)], "batch[0].name"),
        ([EventInput(kind="note", payload="x\0")], "batch[0].payload"),
        ([EventInput(kind="note", payload="x", role="\ud800")], "batch[0].role"),
    ],
)
def test_one_bad_event_refuses_all_and_is_named(
    history: ConversationHistory, task: str, batch: Any, field: str
) -> None:
    result = history.record_events(task, batch)
    assert (result.recorded, result.error, result.field) == (False, "invalid_value", field)
    assert history.list_events(task).events == ()


def test_no_task_no_events(history: ConversationHistory) -> None:
    assert history.record_events("nothing", notes("x")).error == "task_not_found"


def test_batches_and_single_events_of_many_writers_leave_no_gap(
    store: GraphStore, history: ConversationHistory, task: str
) -> None:
    def write(number: int) -> int:
        writer = ConversationHistory(store, project_id="atlas", agent_id=f"agent-{number}")
        for turn in range(4):
            if number % 2:
                assert writer.record_event(task, "note", payload=f"{number}-{turn}").recorded
            else:
                texts = [f"{number}-{turn}-{each}" for each in range(7)]
                seqs = [event.seq for event in writer.record_events(task, notes(*texts)).events]
                assert seqs == list(range(seqs[0], seqs[0] + 7))
        return number

    at_once([lambda n=n: write(n) for n in range(8)])  # type: ignore[misc]
    report = history.verify_events(task)
    assert (report.events, report.missing, report.doubled.count, report.wrong_ids.count) == (128, 0, 0, 0)


def test_of_one_request_made_by_many_at_once_one_is_appended(
    store: GraphStore, history: ConversationHistory, task: str
) -> None:
    results = at_once([lambda: history.record_events(task, notes("one", "two"), request_id="e1")] * 8)
    assert {result.first_seq for result in results} == {1}
    assert [result.replayed for result in results].count(False) == 1
    assert history.verify_events(task).events == 2


def test_it_looks_again_when_others_took_the_ready_numbers(
    store: GraphStore, history: ConversationHistory, task: str
) -> None:
    def others() -> None:
        watched.after_read = lambda: None
        history.record_events(task, notes(*"x" * 40))

    watched = Watched(store, others)
    result = ConversationHistory(watched, project_id="atlas", agent_id="a").record_events(task, notes("one", "two"))
    assert [event.seq for event in result.events] == [41, 42]
    assert watched.writes == 2


def test_what_is_redacted_meanwhile_is_not_appended(store: GraphStore, history: ConversationHistory, task: str) -> None:
    retention = HistoryRetention(store, project_id="atlas", agent_id="user:c")
    other, event = (history.record_event(task, "note", payload=text).event for text in ("x" * 30, SECRET))
    assert other and event
    assert retention.redact_event(other.id, "So that there is a key").recorded

    def redacting() -> None:
        watched.after_read = lambda: None
        assert retention.redact_event(event.id, "A reason").recorded

    watched = Watched(store)
    writer = ConversationHistory(watched, project_id="atlas", agent_id="a")
    assert writer.record_events(task, notes("x" * 31)).recorded  # learns the key
    watched.after_read = redacting
    result = writer.record_events(task, notes("one", SECRET))
    assert (result.error, result.field) == ("erased", "batch[1].payload")
    assert history.verify_events(task).events == 3


def test_a_task_that_is_being_deleted_takes_none(store: GraphStore, history: ConversationHistory, task: str) -> None:
    def deleting() -> None:
        watched.after_read = lambda: None
        store.write("MATCH (t:Task) SET t.deletion_id = 'x' RETURN 1 AS one")

    watched = Watched(store, deleting)
    result = ConversationHistory(watched, project_id="atlas", agent_id="a").record_events(task, notes("one"))
    assert (result.error, result.field) == ("being_deleted", "task_name")
    assert watched.writes == 1
    assert store.read("MATCH (e:Event) RETURN count(e) AS n") == [{"n": 0}]
