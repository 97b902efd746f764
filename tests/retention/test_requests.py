"""prune_requests: old request records go, and what a late retry then does."""

from datetime import UTC, datetime, timedelta

from reaffirm import ids
from reaffirm.retention import HistoryRetention
from reaffirm.retention import requests as pruning
from reaffirm.store import GraphStore
from tests.decisions.factories import World
from tests.retention.test_redaction import MARKER, REASON, TASK, record
from tests.reviews.factories import PROJECT

AGE = timedelta(days=30)
LEFT = "MATCH (q:Request) WHERE q.project_id = $project RETURN q.request_id AS id ORDER BY id"
AGED = "MATCH (q:Request) WHERE q.request_id IN $ids SET q.claimed_ms = $ms RETURN count(q) AS aged"


def left(store: GraphStore) -> list[str]:
    return [row["id"] for row in store.read(LEFT, project=PROJECT) if len(row["id"]) < 9]


def aged(store: GraphStore, days: int, *request_ids: str) -> None:
    ms = ids.milliseconds(ids.stamp(datetime.now(UTC) - timedelta(days=days)))
    assert store.write(AGED, ids=list(request_ids), ms=ms) == [{"aged": len(request_ids)}]


def test_old_ones_go_and_young_ones_stay(store: GraphStore, world: World, retention: HistoryRetention) -> None:
    for number in range(5):
        record(world, f"{number}", f"e{number}")
    neighbour = World(store, "another-project")
    record(neighbour, "0", "theirs")
    aged(store, 31, "e0", "e1", "e2", "theirs")
    aged(store, 29, "e3")
    assert retention.prune_requests(AGE, limit=2).removed == 2
    assert retention.prune_requests(AGE).removed == 1
    assert left(store) == ["e3", "e4"]
    assert retention.prune_requests(AGE).removed == 0
    assert world.history.record_event(TASK, "message", payload="4", role="user", request_id="e4").replayed
    late = world.history.record_event(TASK, "message", payload="0", role="user", request_id="e0")
    assert late.event and late.event.seq == 6 and not late.replayed
    assert len(store.read(LEFT, project="another-project")) == 2


def test_what_has_no_time_gets_one(store: GraphStore, world: World, retention: HistoryRetention) -> None:
    """Records of agentic-graphrag: an event's tells when, any other counts from now."""
    record(world, "one", "e1")
    assert world.history.set_step(TASK, "read", "failed", request_id="s1").recorded
    store.write("MATCH (q:Request) WHERE q.request_id IN ['e1', 's1'] SET q.claimed_ms = null RETURN count(q) AS n")
    store.write(
        "MATCH (q:Request) WHERE q.request_id = 'e1' SET q.result_json = replace(q.result_json, $now, '2020') "
        "RETURN 1 AS one",
        now=str(datetime.now(UTC).year),
    )
    result = retention.prune_requests(AGE)
    assert (result.dated, result.removed) == (2, 1)
    assert left(store) == ["s1"]
    assert retention.prune_requests(AGE).dated == 0


def test_records_of_erased_things_stay(store: GraphStore, world: World, retention: HistoryRetention) -> None:
    record(world, request_id="e1")
    assert retention.delete_task(TASK, reason=REASON, request_id="x1").recorded
    aged(store, 99, "e1", "x1")
    assert retention.prune_requests(AGE).removed == 1
    world.tasks.discard(TASK)
    world.task()
    again = world.history.record_event(TASK, "message", payload=MARKER, role="user", request_id="e1")
    assert again.error == "erased"


def test_it_takes_no_young_ones(retention: HistoryRetention) -> None:
    assert retention.prune_requests(timedelta(days=6)).field == "older_than"
    assert retention.prune_requests(pruning.YOUNGEST).recorded
    assert retention.prune_requests(30).field == "older_than"  # type: ignore[arg-type]
    assert retention.prune_requests(AGE, limit=0).field == "limit"
