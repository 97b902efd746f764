"""Erased stays erased: a text that was erased is not recorded again."""

import pytest

from reaffirm.retention import HistoryRetention, use_erasure_key
from reaffirm.store import GraphStore, ValueRefused, open_store
from tests.decisions.factories import World
from tests.decisions.writes import dump
from tests.history.stores import Watched
from tests.retention.test_redaction import MARKER, REASON, TASK, record
from tests.reviews.factories import PROJECT


def refused(world: World, payload: str = MARKER, task: str = TASK) -> str | None:
    return world.history.record_event(world.task(task), "note", payload=payload).error


def test_a_redacted_text_does_not_come_back(store: GraphStore, world: World, retention: HistoryRetention) -> None:
    event = record(world)
    assert retention.redact_event(event, REASON).recorded
    before = dump(store)
    assert refused(world) == "erased"
    assert dump(store) == before
    assert refused(world, task="another-task") == "erased"
    assert refused(world, MARKER + " ") is None
    assert refused(World(store, "another-project")) is None


def test_another_process_learns_the_key(
    store_url: str, store: GraphStore, world: World, retention: HistoryRetention
) -> None:
    event = record(world)
    other = open_store(store_url)
    elsewhere = World(other)
    elsewhere.tasks.add(TASK)
    assert refused(elsewhere, "Something else, before any erasure.") is None
    assert retention.redact_event(event, REASON).recorded
    assert refused(elsewhere) == "erased"
    other.close()


def test_recording_is_one_read_and_one_statement(store: GraphStore, world: World, retention: HistoryRetention) -> None:
    assert retention.redact_event(record(world), REASON).recorded
    watched = Watched(store)
    again = World(watched)
    again.tasks.add(TASK)
    again.event("The first one learns the key.")
    watched.reads = watched.writes = 0
    again.event("Nothing was erased here.")
    assert (watched.reads, watched.writes) == (1, 1)


def test_a_short_text_is_not_remembered(store: GraphStore, world: World, retention: HistoryRetention) -> None:
    """cases 65: a digest of ``4821`` can be guessed, and ``yes`` must not be refused for ever."""
    event = record(world, "4821")
    assert retention.redact_event(event, REASON).recorded
    assert store.read("MATCH (x:ErasedText) RETURN count(x) AS texts") == [{"texts": 0}]
    assert refused(world, "4821") is None


def test_a_given_key_is_not_in_the_graph(
    store_url: str, store: GraphStore, world: World, retention: HistoryRetention
) -> None:
    key = "a key that an operator keeps elsewhere, of 32 bytes or more"
    use_erasure_key(store, key)
    assert retention.redact_event(record(world), REASON).recorded
    assert not [line for line in dump(store) if key in line or key.encode().hex() in line]
    assert refused(world) == "erased"
    without = open_store(store_url)
    stranger = HistoryRetention(without, project_id=PROJECT, agent_id="x")
    other = record(world, "Another text of some length.", "r2")
    assert stranger.redact_event(other, REASON).error == "erasure_key_missing"
    use_erasure_key(without, "another key, which is not the one that the first had")
    assert stranger.redact_event(other, REASON).error == "erasure_key_missing"
    without.close()


def test_a_short_key_is_refused(store: GraphStore) -> None:
    with pytest.raises(ValueRefused, match="32"):
        use_erasure_key(store, "short")


def test_a_redacted_text_does_not_come_back_as_a_document(
    store_url: str, store: GraphStore, world: World, retention: HistoryRetention
) -> None:
    assert retention.redact_event(record(world), REASON).recorded
    elsewhere = open_store(store_url)
    for graph in (world.graph, World(elsewhere).graph):
        before = dump(store)
        assert graph.add(MARKER, document_key="notes", project_id=PROJECT).error == "erased"
        assert dump(store) == before
    elsewhere.close()
    assert world.graph.add(MARKER + " And more.", document_key="notes", project_id=PROJECT).recorded
    assert world.graph.update("notes", MARKER, project_id=PROJECT).error == "erased"
    assert world.graph.add(MARKER, document_key="other", project_id="another-project").recorded
