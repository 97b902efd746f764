"""Case 56: a store stops statements at its time limit. Each call says so, nothing is done by half, and it can go on."""

import contextlib
import logging
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from neo4j import GraphDatabase

from reaffirm import ids
from reaffirm.decisions.models import Decision
from reaffirm.retention import HistoryRetention
from reaffirm.retention.models import ErasureState
from reaffirm.store import GraphStore, OutcomeUnknown, StoreUnavailable, neo4j, open_store
from reaffirm.store.errors import TimeLimit
from tests.decisions.bulk import bulk
from tests.decisions.factories import World
from tests.decisions.writes import dump
from tests.reviews.factories import AGENT, PROJECT

TASK = "refund-LM-20931"
MANY = 2_000
CITE = """
UNWIND $ids AS id
MATCH (d:Decision) WHERE d._agrag_history_record = true AND d.id = id
CREATE (d)-[h:HAS_SUPPORT]->(s:DecisionSupport)
SET s._agrag_history_record = true, s.id = 's' + id, s.project_id = $project, s.kind = 'event', s.current = true,
  s.event_id = $event_id, s.task_name = $task, s.seq = 1, s.ordinal = 0
RETURN count(s) AS made
"""
LONG = "UNWIND range(1, 20000) AS a UNWIND range(1, 20000) AS b RETURN sum(a * b) AS n"
LOCK = "MATCH (n) WHERE n:Event OR n:Task SET n.id = n.id"
Limited = Callable[[], contextlib.AbstractContextManager[None]]


@pytest.fixture
def limited(store: Any, store_url: str, monkeypatch: pytest.MonkeyPatch) -> Limited:
    """While it is open, statements of some length run into the limit of the server."""

    @contextlib.contextmanager
    def falkordb() -> Iterator[None]:
        store.command("GRAPH.CONFIG", "SET", "TIMEOUT_DEFAULT", "1")
        try:
            yield
        finally:
            store.command("GRAPH.CONFIG", "SET", "TIMEOUT_DEFAULT", "30000")

    @contextlib.contextmanager
    def by_waiting() -> Iterator[None]:
        """Neo4j looks at the limit every two seconds: a statement that waits for a lock is there still."""
        parts = urlsplit(store_url)
        with monkeypatch.context() as patched, GraphDatabase.driver(f"bolt://{parts.netloc}") as driver:
            patched.setattr(neo4j, "STATEMENT_SECONDS", 0.05)
            with driver.session(database=parts.path.strip("/")) as session, session.begin_transaction() as locks:
                locks.run(LOCK).consume()
                yield
                locks.rollback()

    return falkordb if store.kind == "falkordb" else by_waiting


@pytest.fixture
def root(store: GraphStore) -> Decision:
    """The root of some thousand decisions, all of which cite the first event."""
    world = World(store)
    root = world.decision(events=[world.event("The body of the event.")], choice="root")
    made = bulk(store, root, [(number, 0) for number in range(1, MANY)])
    for start in range(0, len(made), 1_000):
        store.write(CITE, ids=made[start : start + 1_000], project=PROJECT, task=TASK, event_id=first_event())
    return root


def first_event() -> str:
    return ids.event_id(ids.task_id(PROJECT, TASK), 1)


def test_a_read_that_takes_too_long_says_so(store: GraphStore, limited: Limited) -> None:
    with limited(), pytest.raises(TimeLimit):
        store.read(LONG)
    assert store.healthy()


def test_an_erasure_at_its_limit_does_nothing_and_can_be_sent_again(
    store: GraphStore, limited: Limited, root: Decision
) -> None:
    world = World(store)
    retention = HistoryRetention(store, project_id=PROJECT, agent_id=AGENT)
    before = dump(store)
    with limited():
        with pytest.raises((StoreUnavailable, OutcomeUnknown)):
            retention.redact_event(first_event(), "Asked for.", request_id="r")
        with pytest.raises((StoreUnavailable, OutcomeUnknown)):
            retention.delete_task(TASK, reason="Over.", request_id="d")
    assert [line for line in dump(store) if "ErasureKey" not in line] == before  # the key is made on its own
    assert retention.list_erasures().erasures == ()

    done = retention.redact_event(first_event(), "Asked for.", request_id="r")
    assert done.recorded and not done.replayed and len(done.affected_decision_ids) == MANY
    assert world.traces.review_counts().flagged == MANY
    gone = retention.delete_task(TASK, reason="Over.", batches=1, request_id="d")
    assert gone.erasure and gone.erasure.state is ErasureState.RUNNING
    with limited(), contextlib.suppress(StoreUnavailable):
        retention.continue_deletion(1)
    assert retention.list_erasures().erasures[0].state is ErasureState.RUNNING
    while retention.continue_deletion():
        pass
    done = retention.delete_task(TASK, reason="Over.", request_id="d")
    assert done.erasure and (done.erasure.state, done.erasure.decisions) == (ErasureState.DONE, MANY)
    assert not world.history.get_task(TASK).found


def test_what_rests_on_a_decision_is_told_whole_or_not_at_all(falkordb_store: Any) -> None:
    store = falkordb_store
    world = World(store)
    root = world.decision(events=[world.event("The body of the event.")], choice="root")
    bulk(store, root, [(number, 0) for number in range(1, MANY)])
    store.command("GRAPH.CONFIG", "SET", "TIMEOUT_DEFAULT", "1")
    try:
        for call in (world.traces.dependents, lambda each: world.traces.preview(each, "reject")):
            with pytest.raises(TimeLimit):
                call(root.id)
    finally:
        store.command("GRAPH.CONFIG", "SET", "TIMEOUT_DEFAULT", "30000")
    assert world.traces.dependents(root.id).count == MANY - 1


@pytest.mark.parametrize(
    ("name", "value", "usual", "words"),
    [
        ("TIMEOUT_DEFAULT", "50", "30000", "stops statements after 50 ms"),
        ("RESULTSET_SIZE", "1000", "-1", "cuts answers at 1000 rows"),
    ],
)
def test_a_low_limit_is_told_at_the_start(
    falkordb_url: str, name: str, value: str, usual: str, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    store: Any = open_store(falkordb_url)
    try:
        assert store.ensure_schema().warnings == []
        store.command("GRAPH.CONFIG", "SET", name, value)
        with caplog.at_level(logging.WARNING):
            (warning,) = store.ensure_schema().warnings
        assert words in warning and words in caplog.text
        assert not store.read_only
    finally:
        store.command("GRAPH.CONFIG", "SET", name, usual)
        store.close()
