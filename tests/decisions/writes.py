"""Statements caught on their way to a store, what a store holds, and many threads at once."""

import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

from reaffirm.store import GraphStore

T = TypeVar("T")
THREADS = 16
NODES = "MATCH (n) RETURN labels(n) AS labels, n{.*} AS properties"
RELATIONSHIPS = (
    "MATCH (a)-[r]->(b) RETURN type(r) AS type, properties(r) AS properties, coalesce(a.id, a.project_id) AS source, "
    "coalesce(b.id, b.project_id) AS target"
)
OLD = "MATCH (n) WHERE n.id = $id RETURN n[$name] AS value"
SET = "MATCH (n) WHERE n.id = $id SET n += $values RETURN count(n) AS changed"


def dump(store: GraphStore) -> list[str]:
    """Everything that a graph holds, in an order of its own."""
    rows = store.read(NODES) + store.read(RELATIONSHIPS)
    return sorted(json.dumps(row, sort_keys=True) for row in rows)


class Caught(Exception):
    """A write on its way, with its text and parameters. It never reached the store."""

    def __init__(self, query: str, params: dict[str, Any]) -> None:
        super().__init__("caught")
        self.query = query
        self.params = params


class Catching:
    """A store that reads, and catches the first write."""

    def __init__(self, store: GraphStore) -> None:
        self.store = store

    def write(self, query: str, **params: object) -> Any:
        raise Caught(query, params)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)


def caught(call: Callable[[], object]) -> Caught:
    try:
        result = call()
    except Caught as found:
        return found
    raise AssertionError(f"it wrote nothing: {result}")


@contextmanager
def changed(store: GraphStore, node_id: str, **values: Any) -> Iterator[None]:
    """A node with other properties, for a while."""
    old = {name: store.read(OLD, id=node_id, name=name)[0]["value"] for name in values}
    assert store.write(SET, id=node_id, values=values) == [{"changed": 1}]
    yield
    assert store.write(SET, id=values.get("id", node_id), values=old) == [{"changed": 1}]


def at_once(calls: list[Callable[[], T]]) -> list[T]:
    """Run all calls at the same moment, each in a thread; an exception of any of them is raised."""
    gate = threading.Barrier(len(calls))

    def run(call: Callable[[], T]) -> T:
        gate.wait()
        return call()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))
