"""The graph database behind one small interface: open_store(url)."""

from pathlib import Path
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from .base import GraphStore, Row, SchemaReport, SearchIndex
from .errors import (
    OutcomeUnknown,
    StatementRefused,
    StoreConflict,
    StoreError,
    StoreReadOnly,
    StoreUnavailable,
    UniqueViolation,
    ValueRefused,
)

__all__ = [
    "GraphStore",
    "OutcomeUnknown",
    "Row",
    "SchemaReport",
    "SearchIndex",
    "StatementRefused",
    "StoreConflict",
    "StoreError",
    "StoreReadOnly",
    "StoreUnavailable",
    "UniqueViolation",
    "ValueRefused",
    "open_store",
]

NEO4J_SCHEMES = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")
FALKOR_SCHEMES = ("falkor", "falkors")
DEFAULT_GRAPH = "agrag"


def open_store(url: str) -> GraphStore:
    """Pick the adapter for an address; nothing connects yet.

    Args:
        url: ``embedded:<folder>[?graph=<name>]``, ``falkor[s]://[user][:password]@host[:6379]/<graph>``, or
            ``bolt[+s]://`` or ``neo4j[+s]://[user:password@]host[:7687][/<database>]``.

    Raises:
        ValueError: The address names no store; the text never holds the password.
    """
    if url.startswith("embedded:"):
        return _embedded(url.removeprefix("embedded:"))
    parts = _split(url)
    if parts.scheme in NEO4J_SCHEMES:
        return _neo4j(parts)
    if parts.scheme in FALKOR_SCHEMES:
        return _falkor(parts)
    known = ", ".join(["embedded:<folder>", *(f"{scheme}://" for scheme in (*NEO4J_SCHEMES, *FALKOR_SCHEMES))])
    raise ValueError(f"the graph address has the scheme {parts.scheme or 'none'!r}; use one of {known}")


def _split(url: str) -> SplitResult:
    """The parts of an address. What urlsplit says of a wrong one may hold a piece of the password and is not told."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        raise ValueError(
            "the graph address has no valid host and port; write / ? # @ in a password as %2F %3F %23 %40"
        ) from None
    if parts.query or parts.fragment:
        raise ValueError("the graph address goes on after the graph's name; write ? and # in a password as %3F and %23")
    return parts


def _embedded(rest: str) -> GraphStore:
    from .falkordb import FalkorStore

    folder, _, query = rest.partition("?")
    if not folder:
        raise ValueError("embedded: needs a folder, as in embedded:var/graph")
    if any(ord(character) < 32 for character in folder):
        raise ValueError("the folder's name holds a control character")
    options = parse_qs(query, keep_blank_values=True)
    if set(options) - {"graph"}:
        raise ValueError("embedded: has one option, as in embedded:var/graph?graph=name")
    graph = options.get("graph", [DEFAULT_GRAPH])[0]
    return FalkorStore.embedded(str(Path(folder).resolve()), _graph_name(graph))


def _falkor(parts: SplitResult) -> GraphStore:
    from .falkordb import FalkorStore

    return FalkorStore.at(
        host=parts.hostname or "localhost",
        port=parts.port or 6379,
        username=unquote(parts.username) if parts.username else None,
        password=unquote(parts.password) if parts.password else None,
        tls=parts.scheme == "falkors",
        graph=_graph_name(unquote(parts.path.strip("/")) or DEFAULT_GRAPH),
    )


def _neo4j(parts: SplitResult) -> GraphStore:
    from .neo4j import Neo4jStore

    host = parts.hostname or "localhost"
    address = f"{parts.scheme}://{f'[{host}]' if ':' in host else host}:{parts.port or 7687}"
    auth = (unquote(parts.username), unquote(parts.password or "")) if parts.username else None
    return Neo4jStore(address, auth, unquote(parts.path.strip("/")) or None)


def _graph_name(name: str) -> str:
    if not name.isascii() or not name.replace("_", "").replace("-", "").isalnum() or len(name) > 100:
        raise ValueError("a graph name has 1 to 100 letters, digits, _ or -")
    return name
