"""Each guard alone keeps a whole statement of retention from writing."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from reaffirm.retention import HistoryRetention
from reaffirm.store import GraphStore, UniqueViolation
from tests.decisions.factories import World
from tests.decisions.writes import Catching, Caught, caught, changed, dump
from tests.retention.conftest import OFFICER
from tests.retention.test_redaction import REASON, TASK, record
from tests.reviews.factories import PROJECT

Guard = Callable[["Scene"], Any]
NOWHERE = "00000000-0000-0000-0000-000000000000"


class Scene:
    def __init__(self, store: GraphStore) -> None:
        self.store = store
        self.world = World(store)
        self.event = record(self.world)
        self.citing = self.world.decision(events=[self.world.event_input(TASK)])
        self.task = self.citing.task_id
        retention = HistoryRetention(store, project_id=PROJECT, agent_id=OFFICER)
        placed = retention.place_hold("Case 1.", task_name=TASK)
        assert placed.hold and retention.release_hold(placed.hold.id, "Closed.").recorded
        other = self.world.event("Held.", task="elsewhere")
        standing = retention.place_hold("Case 2.", task_name=other.task_name)
        assert standing.hold
        self.released, self.standing = placed.hold.id, standing.hold.id

    def write_of(self, verb: str) -> Caught:
        retention = HistoryRetention(Catching(self.store), project_id=PROJECT, agent_id=OFFICER)
        # The key is made before, so that the first write is the statement itself.
        HistoryRetention(self.store, project_id=PROJECT, agent_id=OFFICER).redact_event(
            record(self.world, "Some other text, long enough.", None, "elsewhere-2"), REASON
        )
        calls: dict[str, Callable[[], object]] = {
            "redact": lambda: retention.redact_event(self.event, REASON),
            "hold": lambda: retention.place_hold("Case 3.", event_id=self.event),
            "start": lambda: retention.delete_task(TASK, reason=REASON),
            "release": lambda: retention.release_hold(self.standing, "Closed."),
        }
        return caught(calls[verb])


def node(which: str, **values: Any) -> Guard:
    return lambda scene: changed(scene.store, getattr(scene, which), **values)


def parameter(**values: Any) -> Guard:
    @contextmanager
    def other(scene: Scene) -> Iterator[dict[str, Any]]:
        yield values

    return other


@contextmanager
def claimed(scene: Scene) -> Iterator[dict[str, Any]]:
    found = scene.store.read("MATCH (q:Request) RETURN q.id AS id LIMIT 1")
    yield {"request_node_id": found[0]["id"]}


TASK_GUARDS: dict[str, Guard] = {
    "task is being deleted": node("task", deletion_id="x"),
    "task is of another project": node("task", project_id="another"),
    "request id was used": claimed,
}
GUARDS: dict[str, dict[str, Guard]] = {
    "redact": {
        **TASK_GUARDS,
        "event is gone": node("event", id=NOWHERE),
        "a hold on the task stands": node("released", released_at=None),
        "a hold on the event stands": lambda scene: changed(
            scene.store, scene.released, released_at=None, event_id=scene.event
        ),
        "too many cite it": parameter(most=0),
        "project is gone": parameter(project_id="another"),
    },
    "start": {
        **TASK_GUARDS,
        "a hold on the task stands": node("released", released_at=None),
        "an event more": parameter(events=0),
        "a number more": node("task", event_seq=9),
        "a step more": parameter(steps=9),
        "a decision more": parameter(decisions=9),
        "task is gone": node("task", id=NOWHERE),
    },
    "hold": {**TASK_GUARDS, "task is gone": node("task", id=NOWHERE), "event is gone": node("event", id=NOWHERE)},
    "release": {
        "hold was released": node("standing", released_at="2026-11-30T10:00:00+00:00"),
        "hold is of another project": node("standing", project_id="another"),
        "request id was used": claimed,
    },
}


@pytest.mark.parametrize("verb", GUARDS)
def test_each_guard_alone_keeps_a_write_from_writing_anything(store: GraphStore, verb: str) -> None:
    scene = Scene(store)
    write = scene.write_of(verb)
    start = dump(store)
    for name, guard in GUARDS[verb].items():
        with guard(scene) as other:
            before = dump(store)
            rows = store.write(write.query, **{**write.params, **(other or {})})
            assert rows == [], f"{verb} wrote although {name}"
            assert dump(store) == before, name
    assert dump(store) == start
    assert len(store.write(write.query, **write.params)) == 1
    after = dump(store)
    assert after != start
    try:
        again = store.write(write.query, **write.params)
    except UniqueViolation:
        again = []
    assert again == [] and dump(store) == after


@pytest.mark.parametrize("phase", ["events", "steps", "decisions", "requests", "finish"])
def test_a_batch_is_done_once(store: GraphStore, phase: str) -> None:
    """The turn is the guard of each: of two workers with the same batch, the second changes nothing."""
    scene = Scene(store)
    retention = HistoryRetention(store, project_id=PROJECT, agent_id=OFFICER)
    assert retention.delete_task(TASK, reason=REASON, batches=0).recorded
    while store.read("MATCH (x:Erasure) WHERE x.state = 'running' RETURN x.phase AS phase") != [{"phase": phase}]:
        assert retention.continue_deletion(1)
    catching = HistoryRetention(Catching(store), project_id=PROJECT, agent_id=OFFICER)
    write = caught(lambda: catching.continue_deletion(1))
    before = dump(store)
    assert store.write(write.query, **{**write.params, "turn": 99}) == []
    assert dump(store) == before
    assert len(store.write(write.query, **write.params)) == 1
    after = dump(store)
    assert after != before
    assert store.write(write.query, **write.params) == [] and dump(store) == after
    assert scene.citing
