"""Stores to be awaited: by their address, or by the classes and settings that agentic-graphrag has for them."""

import asyncio
import os
from collections.abc import Callable
from urllib.parse import quote, urlsplit

from pydantic import Field, SecretStr

from reaffirm import store as stores
from reaffirm.models import Model
from reaffirm.store import GraphStore, SchemaReport


class Store:
    """A graph database. Nothing connects before the first call."""

    def __init__(self, store: GraphStore) -> None:
        self._sync = store

    @property
    def sync(self) -> GraphStore:
        """The synchronous store behind it."""
        return self._sync

    async def connect(self) -> SchemaReport:
        """Connect, and make and await all constraints and indexes.

        Raises:
            StoreUnavailable: The graph is out of reach.
        """
        return await asyncio.to_thread(self._sync.ensure_schema)

    async def healthy(self) -> bool:
        """Whether the store answers a trivial read now. Never raises."""
        return await asyncio.to_thread(self._sync.healthy)

    async def close(self) -> None:
        """Close all connections."""
        await asyncio.to_thread(self._sync.close)


def open_store(url: str) -> Store:
    """A store by its address; see ``reaffirm.store.open_store``."""
    return Store(stores.open_store(url))


def plain_store(store: Store | GraphStore) -> GraphStore:
    """The synchronous store behind either."""
    return store.sync if isinstance(store, Store) else store


def _from(name: str, default: str) -> Callable[[], str]:
    return lambda: os.environ.get(name, default)


def _secret(name: str) -> SecretStr | None:
    value = os.environ.get(name)
    return SecretStr(value) if value else None


class Neo4jSettings(Model):
    """Where a Neo4j is; what is not given comes from NEO4J_URI, NEO4J_USERNAME, NEO4J_PASSWORD, NEO4J_DATABASE."""

    uri: str = Field(default_factory=_from("NEO4J_URI", "bolt://localhost:7687"))
    username: str = Field(default_factory=_from("NEO4J_USERNAME", "neo4j"))
    password: SecretStr = Field(default_factory=lambda: _secret("NEO4J_PASSWORD") or SecretStr("neo4j"))
    database: str = Field(default_factory=_from("NEO4J_DATABASE", "neo4j"))

    def address(self) -> str:
        """For ``open_store``; with the password."""
        parts = urlsplit(self.uri)
        login = f"{_quoted(self.username)}:{_quoted(self.password.get_secret_value())}"
        return f"{parts.scheme}://{login}@{parts.netloc.rpartition('@')[2]}/{_quoted(self.database)}"


class FalkorDBSettings(Model):
    """Where a FalkorDB is; what is not given comes from FALKORDB_URL, FALKORDB_PASSWORD, FALKORDB_GRAPH.

    Attributes:
        url: ``redis://host:6379``, ``rediss://…`` for TLS, or ``embedded:<folder>``.
    """

    url: str = Field(default_factory=_from("FALKORDB_URL", "redis://localhost:6379"))
    password: SecretStr | None = Field(default_factory=lambda: _secret("FALKORDB_PASSWORD"))
    graph: str = Field(default_factory=_from("FALKORDB_GRAPH", stores.DEFAULT_GRAPH))

    def address(self) -> str:
        """For ``open_store``; with the password."""
        if self.url.startswith("embedded:"):
            return f"{self.url}?graph={self.graph}"
        parts = urlsplit(self.url)
        login, _, host = parts.netloc.rpartition("@")
        if self.password is not None:
            login = f"{login.partition(':')[0]}:{_quoted(self.password.get_secret_value())}"
        scheme = {"redis": "falkor", "rediss": "falkors"}.get(parts.scheme, parts.scheme)
        return f"{scheme}://{login}{'@' if login else ''}{host}/{self.graph}"


class Neo4jGraphStore(Store):
    """A Neo4j, by its settings. Raises ValueError when they name none."""

    def __init__(self, *, settings: Neo4jSettings | None = None) -> None:
        super().__init__(stores.open_store((settings or Neo4jSettings()).address()))


class FalkorDBGraphStore(Store):
    """A FalkorDB, by its settings. Raises ValueError when they name none."""

    def __init__(self, *, settings: FalkorDBSettings | None = None) -> None:
        super().__init__(stores.open_store((settings or FalkorDBSettings()).address()))


def _quoted(text: str) -> str:
    return quote(text, safe="")
