"""Stores that are looked at: one that counts and remembers statements, and the bare driver below it."""

import threading
from dataclasses import dataclass, field
from typing import Any, Literal

from falkordb import FalkorDB
from neo4j import READ_ACCESS, WRITE_ACCESS, GraphDatabase

from bench.servers import Server
from reaffirm.store import GraphStore, Row, SchemaReport, SearchIndex, embedded
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
    """A store that counts what passes through it.

    Attributes:
        kept: The statements since the last take(), while ``keep`` is set.
        hold: Writes are kept and not sent; the caller is told that they were applied.
    """

    store: GraphStore
    keep: bool = False
    hold: bool = False
    reads: int = 0
    writes: int = 0
    kept: list[Statement] = field(default_factory=list)
    read_only: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    __hash__ = object.__hash__

    def __post_init__(self) -> None:
        self.kind: Literal["falkordb", "neo4j"] = self.store.kind

    def read(self, query: str, **params: object) -> list[Row]:
        self._count("read", query, params)
        return self.store.read(query, **params)

    def write(self, query: str, **params: object) -> list[Row]:
        self._count("write", query, params)
        if self.hold:
            return [{"id": "held", "seq": 1, "event_id": "held", "first": 1, "spreads": False, "flagged": 0}]
        return self.store.write(query, **params)

    def search(self, index: SearchIndex, words: list[str], *, limit: int, tail: str, **params: object) -> list[Row]:
        return self.store.search(index, words, limit=limit, tail=tail, **params)

    def explain(self, query: str, **params: object) -> str:
        return self.store.explain(query, **params)

    def ensure_schema(self) -> SchemaReport:
        return self.store.ensure_schema()

    def healthy(self) -> bool:
        return self.store.healthy()

    def close(self) -> None:
        self.store.close()

    def take(self) -> list[Statement]:
        """The kept statements, and begin anew."""
        taken, self.kept = self.kept, []
        return taken

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
            self._neo4j = GraphDatabase.driver(server.url.rpartition("/")[0], max_connection_pool_size=CONNECTIONS)
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
