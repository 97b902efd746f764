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
