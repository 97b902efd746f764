"""Neo4j through the official driver."""

import contextlib
import functools
import random
import re
import socket
import threading
import time
from typing import Any, Literal, cast
from urllib.parse import urlsplit

from neo4j import READ_ACCESS, WRITE_ACCESS, Driver, GraphDatabase, Query
from neo4j.exceptions import (
    AuthError,
    ClientError,
    ConstraintError,
    DriverError,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
    TransientError,
)

from . import schema
from .base import EntityLabels, Row, SchemaReport, SearchIndex
from .errors import (
    OutcomeUnknown,
    StatementRefused,
    StoreConflict,
    StoreReadOnly,
    StoreUnavailable,
    TimeLimit,
    UniqueViolation,
)
from .neo4j_schema import ensure_neo4j
from .values import safe_params

STATEMENT_SECONDS = 60.0
TRIES = 12  # of one statement that loses a deadlock
# Codes of a statement at its time limit; the last one when it was waiting for a lock.
STOPPED = ("TransactionTimedOut", "Terminated", "LockClientStopped")

_INDEX = re.compile(r"^\s*//@index (\w+:\w+\([\w, ]+\))\s*$", re.MULTILINE)
_LOCK = re.compile(r"^\s*//@lock (\w+)(?:\.(\w+))?\s*$", re.MULTILINE)
_PARAMETER = re.compile(r"\$(\w+)")


@functools.lru_cache(maxsize=512)
def for_neo4j(query: str) -> str:
    """A text as Neo4j gets it.

    Each ``//@lock x`` line becomes a SET that takes the write lock of x and changes nothing, and an ``//@index`` line
    the hint to begin at that index, which is an error where the text cannot be served by it. All parameters become
    entries of one map: Neo4j plans a text anew for every combination of null and text, and for every size class of a
    list, which takes seconds. The entries of a map have no part in that.
    """
    locked = _LOCK.sub(lambda found: f"SET {found[1]}.{found[2] or 'id'} = {found[1]}.{found[2] or 'id'}", query)
    return _PARAMETER.sub(r"$p.\1", _INDEX.sub(r"USING INDEX \1", locked))


class Neo4jStore:
    """One database of a Neo4j server or cluster."""

    kind: Literal["falkordb", "neo4j"] = "neo4j"

    def __init__(self, uri: str, auth: tuple[str, str] | None, database: str | None) -> None:
        self._uri = uri
        self._auth = auth
        self._database = database
        self._driver: Driver | None = None
        self._lock = threading.Lock()  # many threads share a store; one of them connects
        self._bookmarks = GraphDatabase.bookmark_manager()
        self.read_only = False

    def read(self, query: str, **params: object) -> list[Row]:
        try:
            return self._retried(READ_ACCESS, query, safe_params(params))
        except OutcomeUnknown:
            pass  # a read is safe to repeat
        try:
            return self._retried(READ_ACCESS, query, safe_params(params))
        except OutcomeUnknown as error:
            raise StoreUnavailable(str(error)) from None

    def write(self, query: str, **params: object) -> list[Row]:
        if self.read_only:
            raise StoreReadOnly("the graph breaks a constraint that writes rely on")
        return self._retried(WRITE_ACCESS, query, safe_params(params))

    def search(self, index: SearchIndex, words: list[str], *, limit: int, tail: str, **params: object) -> list[Row]:
        label, properties = schema.FULL_TEXT[index]
        name = schema.full_text_name(label, properties)
        return self.read(schema.NEO4J_SEARCH + tail, _index=name, _words=" ".join(words), _limit=limit, **params)

    def explain(self, query: str, **params: object) -> str:
        checked = safe_params(params)
        with self._connected().session(database=self._database) as session:
            summary = session.run("EXPLAIN " + for_neo4j(query), {"p": checked}).consume()
        lines: list[str] = []
        _operators(cast("dict[str, Any]", summary.plan), lines)
        return "\n".join(lines)

    def ensure_schema(self) -> SchemaReport:
        problems = ensure_neo4j(self, schema.definitions())
        self.read_only = bool(problems)
        return SchemaReport(problems)

    def ensure_entities(self, entities: EntityLabels) -> SchemaReport:
        return SchemaReport(ensure_neo4j(self, schema.entity_definitions(entities)))

    def healthy(self) -> bool:
        try:
            return self.read("RETURN 1 AS one") == [{"one": 1}]
        except Exception:  # noqa: BLE001 - a health check answers no, whatever went wrong
            return False

    def close(self) -> None:
        with self._lock:
            driver, self._driver = self._driver, None
        if driver is not None:
            driver.close()

    # For neo4j_schema

    def define(self, query: str, **params: object) -> list[Row]:
        """Run a statement of the schema, also while the store is read-only."""
        return self._retried(WRITE_ACCESS, query, safe_params(params))

    def _connected(self) -> Driver:
        with self._lock:
            if self._driver is None:
                _refuse_redis(self._uri)
                self._driver = GraphDatabase.driver(
                    self._uri,
                    auth=self._auth,
                    connection_timeout=5,
                    connection_acquisition_timeout=20,
                    max_transaction_retry_time=0,
                    notifications_min_severity="OFF",
                    keep_alive=True,
                )
            return self._driver

    def _retried(self, access: str, query: str, params: dict[str, Any]) -> list[Row]:
        """Auto-commit, again while other transactions win a deadlock: those attempts were rolled back whole."""
        for attempt in range(TRIES):
            try:
                return self._run(access, query, params)
            except TransientError as error:
                if attempt == TRIES - 1:
                    raise StoreConflict(f"Neo4j gave the statement up after {TRIES} tries ({error.code})") from None
                time.sleep(random.random() * 0.01 * 2 ** min(attempt, 6))
        raise AssertionError("unreachable")

    def _run(self, access: str, query: str, params: dict[str, Any]) -> list[Row]:
        driver = self._connected()
        try:
            with driver.session(
                database=self._database, default_access_mode=access, bookmark_manager=self._bookmarks
            ) as session:
                return session.run(Query(for_neo4j(query), timeout=STATEMENT_SECONDS), {"p": params}).data()
        except TransientError:
            raise
        except ConstraintError as error:
            raise UniqueViolation(str(error.code)) from None
        except AuthError:
            raise StoreUnavailable(f"Neo4j at {self._uri} refused the credentials") from None
        except (ServiceUnavailable, SessionExpired) as error:
            raise _lost(error, self._uri) from None
        except ClientError as error:
            if any(words in str(error.code) for words in STOPPED):
                raise TimeLimit("Neo4j stopped the statement at its time limit; nothing was written") from None
            if "EntityNotFound" in str(error.code):
                # What the statement waited for to lock was deleted meanwhile.
                raise StoreConflict("a record was deleted while the statement waited for it") from None
            raise StatementRefused(f"Neo4j refused the statement ({error.code}): {error.message}") from None
        except Neo4jError as error:
            raise StatementRefused(f"Neo4j failed on the statement ({error.code})") from None
        except DriverError as error:
            raise StoreUnavailable(f"Neo4j cannot be reached at {self._uri} ({type(error).__name__})") from None


def _lost(error: Exception, uri: str) -> Exception:
    """Tell a connection that was never made (nothing sent) from one that broke."""
    text = str(error)
    if any(
        words in text
        for words in (
            "Couldn't connect",
            "Cannot resolve",
            "DNS resolve",
            "Unable to retrieve routing",
            "acquisition",
        )
    ):
        return StoreUnavailable(f"Neo4j cannot be reached at {uri}; is it running, and is the address right?")
    return OutcomeUnknown("the connection to Neo4j was lost before it answered")


# Bolt's greeting. It offers no version that exists, so the server says no and closes. No zero: Redis would stop there.
GREETING = bytes.fromhex("6060b017") + b"\x01" * 16


def _refuse_redis(uri: str) -> None:
    """Say so when a Bolt address leads to FalkorDB: Redis waits for the end of the greeting, and the driver 20 s."""
    parts = urlsplit(uri)
    if "+" in parts.scheme:
        return  # it would have to speak TLS first
    try:
        with socket.create_connection((parts.hostname or "localhost", parts.port or 7687), timeout=2) as line:
            line.sendall(GREETING)
            line.settimeout(0.5)
            with contextlib.suppress(TimeoutError):
                line.recv(4)
                return  # it answered Bolt, or closed
            line.sendall(b"\r\nPING\r\n")
            answer = line.recv(1)
    except OSError:
        return  # the driver tells what is wrong
    if answer in (b"-", b"+"):
        raise StoreUnavailable(
            "a Redis or FalkorDB server answers at this Bolt address; FalkorDB is reached as falkor://host:port/graph"
        )


def _operators(plan: dict[str, Any], lines: list[str]) -> None:
    lines.append(f"{plan['operatorType']} {plan.get('args', {}).get('Details', '')}")
    for child in plan.get("children", ()):
        _operators(child, lines)
