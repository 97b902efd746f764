"""record_event, list_events and fetch_event."""

import hashlib
import json
import math

import pytest

from reaffirm import ids
from reaffirm.history import ConversationHistory, EventKind
from reaffirm.store import GraphStore
from tests.history.records import delete_event, nodes, redact, task_id
from tests.history.stores import Watched

REQUEST = "MATCH (q:Request) WHERE q.request_id = $key RETURN q{.*} AS request"


def record(history: ConversationHistory, task: str, count: int) -> None:
    for number in range(1, count + 1):
        assert history.record_event(task, "note", payload=f"event {number}").recorded


def test_events_are_numbered_from_one_without_gaps(history: ConversationHistory, task: str) -> None:
    results = [history.record_event(task, kind, payload=kind.value, role="user", name="n") for kind in EventKind]
    assert [result.event.seq for result in results if result.event] == [1, 2, 3, 4]
    first = results[0].event
    assert first is not None
    assert first.id == ids.event_id(task_id(task), 1)
    assert (first.kind, first.role, first.name, first.author) == (EventKind.MESSAGE, "user", "n", "planner-1")
    assert history.fetch_event(task, 1).event == first
    found = history.get_task(task).task
    assert found is not None
    assert found.event_seq == 4


def test_a_long_payload_is_cut_and_its_digest_is_of_all_of_it(history: ConversationHistory, task: str) -> None:
    text = "🚀" * 31_999 + "ab" + "c" * 10
    result = history.record_event(task, "note", payload=text)
    assert result.event is not None
    assert result.event.truncated
    assert result.event.payload == "🚀" * 31_999 + "a"
    assert result.event.payload_sha256 == hashlib.sha256(text.encode()).hexdigest()
    whole = history.record_event(task, "note", payload="a" * 32_000).event
    assert whole is not None
    assert not whole.truncated


@pytest.mark.parametrize(
    "payload", ["", " ", "\n", 'a"b\\c\u2028 \x01 <event id> ,"seq":1 9223372036854775807', "½ m²"]
)
def test_a_payload_is_stored_as_it_is(history: ConversationHistory, task: str, payload: str) -> None:
    first = history.record_event(task, "note", payload=payload, name=payload[:10] or None, request_id="e1").event
    assert first is not None
    assert history.fetch_event(task, 1).event == first
    assert first.payload == payload
    assert (
        history.record_event(task, "note", payload=payload, name=payload[:10] or None, request_id="e1").event == first
    )


def test_a_task_must_exist(store: GraphStore, history: ConversationHistory) -> None:
    before = nodes(store)
    result = history.record_event("storage", "note", payload="x", request_id="e1")
    assert (result.recorded, result.error, result.event) == (False, "task_not_found", None)
    assert nodes(store) == before
    # the refused request id is free again
    assert history.create_task("storage", "Goal").recorded
    assert history.record_event("storage", "note", payload="y", request_id="e1").recorded


def test_a_repeated_request_makes_no_second_event(history: ConversationHistory, task: str) -> None:
    first = history.record_event(task, "note", payload="x", request_id="e1")
    again = history.record_event(task, "note", payload="x", request_id="e1")
    assert again.replayed and again.event == first.event
    assert history.list_events(task).total == 1


@pytest.mark.parametrize(
    "other", [{"payload": "y"}, {"kind": "message"}, {"role": "user"}, {"name": "n"}, {"task_name": "second"}]
)
def test_the_same_request_id_with_another_body_is_refused(
    history: ConversationHistory, task: str, other: dict[str, str]
) -> None:
    """Case 62."""
    assert history.create_task("second", "Goal").recorded
    body = {"task_name": task, "kind": "note", "payload": "x"}
    assert history.record_event(**body, request_id="e1").recorded
    result = history.record_event(**{**body, **other}, request_id="e1")
    assert (result.recorded, result.error) == (False, "request_id_reused")
    assert history.list_events(task).total == 1


def test_an_unfinished_claim_of_agentic_graphrag_holds_its_request_id(
    store: GraphStore, history: ConversationHistory, task: str
) -> None:
    digest = ids.request_digest(
        "record_event",
        {"task_name": task, "kind": "note", "role": None, "name": None, "payload_sha256": ids.text_digest("x")},
    )
    claim = {
        "id": ids.request_node_id("atlas", "e1"),
        "project_id": "atlas",
        "request_id": "e1",
        "operation": "record_event",
        "payload_sha256": digest,
        "_agrag_history_record": True,
    }
    store.write("CREATE (q:Request) SET q = $claim RETURN 1 AS one", claim=claim)
    assert history.record_event(task, "note", payload="x", request_id="e1").error == "request_id_reused"


def test_the_stored_result_has_the_shape_of_agentic_graphrag(
    store: GraphStore, history: ConversationHistory, task: str
) -> None:
    event = history.record_event(
        task, "message", role="user", payload="How long do we keep backups?", request_id="req-ev-1"
    ).event
    assert event is not None
    request = store.read(REQUEST, key="req-ev-1")[0]["request"]
    assert request["payload_sha256"] == "769c19e54b0edee40ce22e662770e1d428d45a3e58d1aa4ae824309e6daf291b"
    assert json.loads(request["result_json"]) == {
        "recorded": True,
        "error": None,
        "event": {
            "id": "41bc6f60-3321-50e4-80c6-d4eebc0002aa",
            "task_id": "7f0b0167-ae29-500e-9bf4-d6157ca1c73c",
            "seq": 1,
            "kind": "message",
            "role": "user",
            "name": None,
            "payload": "How long do we keep backups?",
            "payload_sha256": "fd7070b1d45b2b63c2c7a1b69c7faf345200e09c41af29b6426527ed8b57b44d",
            "truncated": False,
            "author": "planner-1",
            "at": event.at.isoformat().replace("+00:00", "Z"),
            "redacted_at": None,
        },
    }


def test_a_replay_of_a_redacted_event_never_tells_its_body(
    store: GraphStore, history: ConversationHistory, task: str
) -> None:
    history.record_event(task, "note", payload="secret", request_id="e1")
    redact(store, task, 1)
    again = history.record_event(task, "note", payload="secret", request_id="e1")
    assert again.recorded and again.event is not None
    assert again.event.payload == "[REDACTED]"
    assert again.event.redacted_at is not None
    assert again.event == history.fetch_event(task, 1).event


def test_a_replay_of_a_deleted_event_says_that_it_is_gone(
    store: GraphStore, history: ConversationHistory, task: str
) -> None:
    history.record_event(task, "note", payload="secret", request_id="e1")
    delete_event(store, task, 1)
    again = history.record_event(task, "note", payload="secret", request_id="e1")
    assert (again.recorded, again.error, again.event, again.replayed) == (False, "event_not_found", None, True)
    assert again.detail


def test_a_replay_does_not_take_another_event_for_its_own(
    store: GraphStore, history: ConversationHistory, task: str
) -> None:
    """A task deleted and made again gives the same ids to other events."""
    history.record_event(task, "note", payload="secret", request_id="e1")
    delete_event(store, task, 1)
    store.write("MATCH (t:Task) SET t.event_seq = 0 RETURN 1 AS one")
    history.record_event(task, "note", payload="another", request_id="e2")
    again = history.record_event(task, "note", payload="secret", request_id="e1")
    assert (again.error, again.event) == ("event_not_found", None)


def test_recording_reads_once_and_writes_once(store: GraphStore, history: ConversationHistory, task: str) -> None:
    watched = Watched(store)
    ConversationHistory(watched, project_id="atlas", agent_id="a").record_event(task, "note", payload="x")
    assert (watched.reads, watched.writes) == (1, 1)


def test_it_looks_again_when_others_wrote_more_than_the_ready_ids(
    store: GraphStore, history: ConversationHistory, task: str
) -> None:
    def others() -> None:
        watched.after_read = lambda: None
        record(history, task, 40)

    watched = Watched(store, others)
    result = ConversationHistory(watched, project_id="atlas", agent_id="a").record_event(task, "note", payload="x")
    assert result.event is not None
    assert (result.event.seq, result.event.id) == (41, ids.event_id(task_id(task), 41))
    assert watched.writes == 2


def test_it_says_so_when_the_task_is_deleted_meanwhile(
    store: GraphStore, history: ConversationHistory, task: str
) -> None:
    def delete() -> None:
        store.write("MATCH (t:Task) DETACH DELETE t RETURN 1 AS gone")

    watched = Watched(store, delete)
    result = ConversationHistory(watched, project_id="atlas", agent_id="a").record_event(task, "note", payload="x")
    assert (result.recorded, result.error) == (False, "task_not_found")


# Pages


def test_pages_are_windows_of_numbers(history: ConversationHistory, task: str) -> None:
    record(history, task, 7)
    seen, after = [], 0
    while True:
        page = history.list_events(task, after_seq=after, limit=3)
        assert (page.found, page.total) == (True, 7)
        seen += [event.seq for event in page.events]
        if page.next_after_seq is None:
            break
        after = page.next_after_seq
    assert seen == [1, 2, 3, 4, 5, 6, 7]
    by_id = history.list_events_by_id(task_id(task), after_seq=3, limit=3)
    assert by_id == history.list_events(task, after_seq=3, limit=3)


def test_a_full_last_page_is_the_end(history: ConversationHistory, task: str) -> None:
    record(history, task, 4)
    assert history.list_events(task, limit=4).next_after_seq is None
    assert history.list_events(task, after_seq=2, limit=2).next_after_seq is None


def test_deleted_events_do_not_end_the_paging(store: GraphStore, history: ConversationHistory, task: str) -> None:
    record(history, task, 7)
    for seq in (2, 3, 4):
        delete_event(store, task, seq)
    first = history.list_events(task, limit=2)
    second = history.list_events(task, after_seq=first.next_after_seq or 0, limit=2)
    third = history.list_events(task, after_seq=second.next_after_seq or 0, limit=5)
    assert [[event.seq for event in page.events] for page in (first, second, third)] == [[1], [], [5, 6, 7]]
    assert third.next_after_seq is None
    assert not history.fetch_event(task, 3).found


def test_an_event_without_its_id_does_not_hide_the_others(
    store: GraphStore, history: ConversationHistory, task: str
) -> None:
    """agentic-graphrag on FalkorDB writes the id in a second statement, and may die between the two."""
    record(history, task, 2)
    store.write("MATCH (e:Event) WHERE e.seq = 2 SET e.id = null RETURN 1 AS one")
    assert [event.id for event in history.list_events(task).events] == ids.event_ids(task_id(task), 0, 2)


@pytest.mark.parametrize(
    ("after_seq", "seqs"), [(-1, [1, 2]), (2**63 - 1, []), (2**63, []), (10**30, []), ("1", [1, 2]), (math.nan, [1, 2])]
)
def test_any_place_to_begin_is_answered(
    history: ConversationHistory, task: str, after_seq: int, seqs: list[int]
) -> None:
    """Case 32."""
    record(history, task, 2)
    page = history.list_events(task, after_seq=after_seq)
    assert [event.seq for event in page.events] == seqs
    assert (page.found, page.total, page.next_after_seq) == (True, 2, None)


@pytest.mark.parametrize(("limit", "count"), [(-1, 1), (0, 1), (1, 1), (10**9, 3), (2**63, 3), (math.nan, 3), ("1", 3)])
def test_any_limit_is_answered(history: ConversationHistory, task: str, limit: int, count: int) -> None:
    record(history, task, 3)
    assert len(history.list_events(task, limit=limit).events) == count


@pytest.mark.parametrize("name", ["other", "", " ", "a\0", "\ud83d", "a" * 8_165, None, 5])
def test_under_a_name_that_is_not_there_nothing_is_found(history: ConversationHistory, task: str, name: str) -> None:
    assert not history.list_events(name).found
    assert not history.fetch_event(name, 1).found
    assert not history.list_steps(name).found
    assert not history.get_task(name).found
    assert not history.list_events_by_id(name).found
    assert not history.get_task_by_id(name).found


@pytest.mark.parametrize("seq", [0, -1, 2, 2**63, math.nan, "1", None, True])
def test_a_number_that_is_not_there_is_not_found(history: ConversationHistory, task: str, seq: int) -> None:
    record(history, task, 1)
    assert not history.fetch_event(task, seq).found
