"""verify_events and repair_events."""

import pytest

from reaffirm import ids
from reaffirm.decisions.models import EventSupportInput
from reaffirm.history import ConversationHistory, EventReport, verifying
from reaffirm.store import GraphStore, open_store
from tests.history.records import delete_event, nodes, redact, task_id
from tests.history.stores import Watched

CHANGE = "MATCH (e:Event) WHERE e.task_id = $task AND e.seq = $seq SET e += $values RETURN 1 AS n"
TASK_SEQ = "MATCH (t:Task) WHERE t.id = $task SET t.event_seq = $seq RETURN 1 AS n"
TWIN = """MATCH (t:Task) WHERE t.id = $task
WITH t
MATCH (e:Event) WHERE e.task_id = $task AND e.seq = $seq
CREATE (t)-[h:HAS_EVENT]->(x:Event) SET x = properties(e), x.id = null
RETURN 1 AS n"""
MANY = """MATCH (t:Task) WHERE t.id = $task
UNWIND range($first, $last) AS seq
CREATE (t)-[h:HAS_EVENT]->(e:Event) SET e = $event, e.seq = seq, e.id = $task + toString(seq)
RETURN count(e) AS n"""


def record(history: ConversationHistory, task: str, count: int) -> None:
    for number in range(1, count + 1):
        assert history.record_event(task, "note", payload=f"event {number} 🚀").recorded


def damage(store: GraphStore, task: str, seq: int, **values: object) -> None:
    assert store.write(CHANGE, task=task_id(task), seq=seq, values=values)


def verified(history: ConversationHistory, task: str) -> EventReport:
    report = history.verify_events(task)
    assert history.verify_events_by_id(task_id(task)) == report
    return report


def test_a_sound_log_is_whole(history: ConversationHistory, task: str) -> None:
    assert verified(history, task).whole
    record(history, task, 5)
    history.record_event(task, "note", payload="a" * 32_001)
    report = verified(history, task)
    assert report.whole
    assert (report.total, report.events, report.unchecked) == (6, 6, 1)


def test_it_finds_what_is_wrong(store: GraphStore, history: ConversationHistory, task: str) -> None:
    record(history, task, 12)
    for seq in (2, 3, 7, 12):
        delete_event(store, task, seq)
    redact(store, task, 5)
    damage(store, task, 6, payload="forged")
    damage(store, task, 8, id=None)
    damage(store, task, 9, id=ids.single("another"))
    damage(store, task, 10, payload="cut", truncated=True)
    report = verified(history, task)
    assert not report.whole
    assert (report.total, report.events, report.missing) == (12, 8, 4)
    assert (report.gaps, report.gap_count) == (((2, 3), (7, 7), (12, 12)), 3)
    assert (report.wrong_digests.count, report.wrong_digests.numbers) == (1, (6,))
    assert (report.wrong_ids.count, report.wrong_ids.numbers) == (2, (8, 9))
    assert (report.unchecked, report.doubled.count, report.behind, report.ahead) == (2, 0, 0, 1)


@pytest.mark.parametrize("seq", [0, 3])
def test_it_tells_a_count_that_is_behind(store: GraphStore, history: ConversationHistory, task: str, seq: int) -> None:
    record(history, task, 5)
    store.write(TASK_SEQ, task=task_id(task), seq=seq)
    report = verified(history, task)
    assert (report.total, report.events, report.missing, report.behind, report.ahead) == (seq, 5, 0, 5 - seq, 0)
    assert not report.whole


def test_it_tells_a_count_that_is_ahead_however_far(store: GraphStore, history: ConversationHistory, task: str) -> None:
    record(history, task, 3)
    store.write(TASK_SEQ, task=task_id(task), seq=2**62)
    watched = Watched(store)
    report = ConversationHistory(watched, project_id="atlas", agent_id="a").verify_events(task)
    assert (report.events, report.ahead, report.missing, report.behind) == (3, 2**62 - 3, 2**62 - 3, 0)
    assert report.gaps == ((4, 2**62),)
    assert watched.reads == 5


def test_doubled_numbers_are_named_and_not_repaired(blank_store_url: str) -> None:
    """Only a graph without its unique keys can hold them."""
    store = open_store(blank_store_url)
    history = ConversationHistory(store, project_id="atlas", agent_id="planner-1")
    assert history.create_task("storage", "Goal").recorded
    record(history, "storage", 4)
    store.write(TWIN, task=task_id("storage"), seq=2)
    report = verified(history, "storage")
    assert (report.doubled.count, report.doubled.numbers, report.events, report.missing) == (1, (2,), 5, 0)
    assert (report.wrong_ids.numbers, report.whole) == ((2,), False)
    assert history.repair_events("storage").ids_given == ()
    page = history.list_events("storage", limit=4)
    assert [event.seq for event in page.events] == [1, 2, 2, 3, 4]
    store.close()


def test_findings_are_counted_and_the_first_hundred_named(
    store: GraphStore, history: ConversationHistory, task: str
) -> None:
    """In windows: 2,500 events take 13 reads and two more, whatever is wrong with them."""
    event = {
        "task_id": task_id(task), "kind": "note", "payload": "x", "payload_sha256": "y", "truncated": False,
        "author": "a", "at": "2026-11-30T10:44:50+00:00", "_agrag_history_record": True,
    }  # fmt: skip
    store.write(MANY, task=task_id(task), first=1, last=2_500, event=event)
    store.write(TASK_SEQ, task=task_id(task), seq=2_500)
    watched = Watched(store)
    report = ConversationHistory(watched, project_id="atlas", agent_id="a").verify_events(task)
    assert (watched.reads, watched.writes) == (15, 0)
    assert (report.total, report.events, report.missing) == (2_500, 2_500, 0)
    for found in (report.wrong_ids, report.wrong_digests):
        assert (found.count, found.numbers) == (2_500, tuple(range(1, 101)))


def test_what_is_appended_meanwhile_is_no_fault(store: GraphStore, history: ConversationHistory, task: str) -> None:
    record(history, task, 3)

    def append() -> None:
        assert history.record_event(task, "note", payload="late").recorded

    watched = Watched(store, append)
    assert ConversationHistory(watched, project_id="atlas", agent_id="a").verify_events(task).whole
    assert watched.reads == 4
    assert verified(history, task).total == 7


@pytest.mark.parametrize("name", ["other", "", " a", "a\0", None, 5])
def test_a_task_that_is_not_there_has_no_report(history: ConversationHistory, task: str, name: str) -> None:
    assert not history.verify_events(name).found
    assert not history.verify_events_by_id(name).found


def test_a_task_of_another_project_has_no_report(store: GraphStore, history: ConversationHistory, task: str) -> None:
    other = ConversationHistory(store, project_id="borealis", agent_id="a")
    assert not other.verify_events_by_id(task_id(task)).found
    assert other.repair_events(task).error == "task_not_found"


# Repair


def test_fault_17_an_event_without_its_id_is_readable_and_repairable(
    store: GraphStore, history: ConversationHistory, task: str
) -> None:
    record(history, task, 4)
    for seq in (2, 4):
        damage(store, task, seq, id=None)
    assert [event.id for event in history.list_events(task).events] == ids.event_ids(task_id(task), 0, 4)
    assert [event.seq for event in history.list_events(task, newest_first=True).events] == [4, 3, 2, 1]
    cited = {"supports": [EventSupportInput(task_name=task, seq=2)], "result_basis": "supported"}
    assert history.set_step(task, "read", "completed", result_event_seq=1, **cited).error == "support_invalid"  # type: ignore[arg-type]
    result = history.repair_events(task, request_id="r1")
    assert (result.recorded, result.ids_given, result.ids_left, result.raised_by) == (True, (2, 4), 0, 0)
    assert verified(history, task).whole
    assert history.set_step(task, "read", "completed", result_event_seq=1, **cited).recorded  # type: ignore[arg-type]
    again = history.repair_events(task, request_id="r1")
    assert (again.replayed, again.ids_given) == (True, (2, 4))
    assert history.record_event(task, "note", payload="next").recorded


def test_it_raises_a_count_that_is_behind(store: GraphStore, history: ConversationHistory, task: str) -> None:
    record(history, task, 3)
    store.write(TASK_SEQ, task=task_id(task), seq=1)
    result = history.repair_events(task)
    assert (result.recorded, result.ids_given, result.raised_by) == (True, (), 2)
    assert verified(history, task).whole
    event = history.record_event(task, "note", payload="next").event
    assert event is not None and event.seq == 4


def test_repairing_a_sound_log_writes_nothing(store: GraphStore, history: ConversationHistory, task: str) -> None:
    record(history, task, 3)
    before = nodes(store)
    result = history.repair_events(task)
    assert (result.recorded, result.ids_given, result.raised_by) == (True, (), 0)
    assert nodes(store) == before
    assert history.repair_events(task, request_id="r1").recorded
    assert history.repair_events(task, request_id="r1").replayed
    assert history.create_task("other", "Goal").recorded
    assert history.repair_events("other", request_id="r1").error == "request_id_reused"


def test_a_repair_goes_on_where_it_stopped(
    store: GraphStore, history: ConversationHistory, task: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(history, task, 5)
    for seq in (1, 2, 3, 5):
        damage(store, task, seq, id=None)
    monkeypatch.setattr(verifying, "REPAIRED", 3)
    first, second = history.repair_events(task), history.repair_events(task)
    assert (first.ids_given, first.ids_left) == ((1, 2, 3), 1)
    assert (second.ids_given, second.ids_left) == ((5,), 0)
    assert verified(history, task).whole
