"""Stores that are looked at: one that counts and remembers statements, and the bare driver below it."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from falkordb import FalkorDB
from neo4j import READ_ACCESS, WRITE_ACCESS, GraphDatabase

from bench.servers import Server
from reaffirm.store import GraphStore, Row, embedded
from reaffirm.store.neo4j import for_neo4j
from reaffirm.store.values import safe_params

Access = Literal["read", "write"]
CONNECTIONS = 16


@dataclass(frozen=True)
class Statement:
    """One statement as the library sent it."""

    access: Access
    text: str
    params: dict[str, Any]


@dataclass
class Watched:
    """Stands before a store, and counts what passes through.

    Attributes:
        kept: The statements since the last take(), while ``keep`` is set.
        hold: Writes are kept and not sent; the caller is told that they were applied.
        longest: Seconds of the longest statement; set it to 0 to begin anew.
    """

    inner: GraphStore
    keep: bool = False
    hold: bool = False
    reads: int = 0
    writes: int = 0
    longest: float = 0.0
    kept: list[Statement] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    __hash__ = object.__hash__

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    @property
    def store(self) -> GraphStore:
        """Itself, as what the library takes."""
        return cast(GraphStore, self)

    @property
    def sent(self) -> int:
        """Statements so far."""
        return self.reads + self.writes

    def read(self, query: str, **params: object) -> list[Row]:
        self._count("read", query, params)
        return self._timed(self.inner.read, query, params)

    def write(self, query: str, **params: object) -> list[Row]:
        self._count("write", query, params)
        if self.hold:
            return [{"id": "held", "seq": 1, "event_id": "held", "last": 0, "spreads": False}]
        return self._timed(self.inner.write, query, params)

    def take(self) -> list[Statement]:
        """The kept statements, and begin anew."""
        taken, self.kept = self.kept, []
        return taken

    def _timed(self, send: Callable[..., list[Row]], query: str, params: dict[str, object]) -> list[Row]:
        start = time.perf_counter()
        rows = send(query, **params)
        self.longest = max(self.longest, time.perf_counter() - start)
        return rows

    def _count(self, access: Access, query: str, params: dict[str, object]) -> None:
        with self._lock:
            if access == "read":
                self.reads += 1
            else:
                self.writes += 1
            if self.keep:
                self.kept.append(Statement(access, query, dict(safe_params(params))))


class Bare:
    """Statements through the driver and nothing else: the floor of what the library can reach."""

    def __init__(self, server: Server) -> None:
        self._neo4j: Any = None
        self._graph: Any = None
        if server.kind == "neo4j":
            self._neo4j = GraphDatabase.driver(
                server.url.rpartition("/")[0], max_connection_pool_size=CONNECTIONS, notifications_min_severity="OFF"
            )
        else:
            folder, _, graph = server.url.removeprefix("embedded:").partition("?graph=")
            found = embedded.ensure(folder)
            address = {"unix_socket_path": found.socket_path, "password": found.password, "socket_timeout": 60}
            self._graph = FalkorDB(**address, max_connections=CONNECTIONS).select_graph(graph)

    def run(self, statement: Statement) -> list[Any]:
        """The rows as the driver gives them."""
        if self._neo4j is None:
            call = self._graph.ro_query if statement.access == "read" else self._graph.query
            return list(call(statement.text, statement.params).result_set)
        access = READ_ACCESS if statement.access == "read" else WRITE_ACCESS
        with self._neo4j.session(database="neo4j", default_access_mode=access) as session:
            return list(session.run(for_neo4j(statement.text), {"p": statement.params}).data())

    def close(self) -> None:
        if self._neo4j is not None:
            self._neo4j.close()
        else:
            self._graph.client.connection.close()
