"""FalkorDB through its own client: a server at an address, or the embedded one."""

import contextlib
import logging
import random
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, Literal

import redis
from falkordb import FalkorDB, Graph
from falkordb.exceptions import SchemaVersionMismatchException
from redis.backoff import NoBackoff
from redis.exceptions import BusyLoadingError, ResponseError
from redis.retry import Retry

from . import embedded, schema
from .base import EntityLabels, Row, SchemaReport, SearchIndex
from .errors import OutcomeUnknown, StatementRefused, StoreReadOnly, StoreUnavailable, TimeLimit, UniqueViolation
from .falkordb_schema import ensure_falkordb, low_limits
from .values import safe_params

STATEMENT_SECONDS = 35  # longer than the server's own limit of 30 s, so that the server's answer comes first
PING_SECONDS = 2
CONNECTIONS = 8  # more writers make this store slower, not faster

log = logging.getLogger(__name__)

ClientMaker = Callable[[], FalkorDB]


class FalkorStore:
    """One graph of a FalkorDB server."""

    kind: Literal["falkordb", "neo4j"] = "falkordb"

    def __init__(self, make_client: ClientMaker, graph: str, where: str) -> None:
        self._make_client = make_client
        self._where = where  # for people: it never holds a password
        self._name = graph
        self._client: FalkorDB | None = None
        self._graph: Graph | None = None
        self._lock = threading.Lock()  # many threads share a store; one of them connects
        self._silent = False  # the last statement got no answer in time; asked with a PING before the next one
        self.read_only = False

    @classmethod
    def embedded(cls, folder: str, graph: str) -> "FalkorStore":
        """The server of a folder, started when it is needed."""

        def make() -> FalkorDB:
            server = embedded.ensure(folder)
            return FalkorDB(
                connection_pool=_pool(
                    redis.UnixDomainSocketConnection, path=server.socket_path, password=server.password
                )
            )

        return cls(make, graph, folder)

    @classmethod
    def at(
        cls, host: str, port: int, username: str | None, password: str | None, tls: bool, graph: str
    ) -> "FalkorStore":
        """A server at an address."""

        def make() -> FalkorDB:
            kind = redis.SSLConnection if tls else redis.Connection
            return FalkorDB(
                connection_pool=_pool(kind, host=host, port=port, username=username, password=password),
            )

        return cls(make, graph, f"{host}:{port}")

    def read(self, query: str, **params: object) -> list[Row]:
        checked = safe_params(params)
        try:
            return self._run(query, checked, read_only=True)
        except TimeLimit:
            raise
        except (OutcomeUnknown, StoreUnavailable):
            return self._again(query, checked)

    def _again(self, query: str, params: dict[str, Any]) -> list[Row]:
        """A read is safe to repeat once on a new connection; the embedded server is started again on the way."""
        self._drop_client()
        try:
            return self._run(query, params, read_only=True)
        except OutcomeUnknown as error:
            raise StoreUnavailable(str(error)) from None

    def write(self, query: str, **params: object) -> list[Row]:
        if self.read_only:
            raise StoreReadOnly("the graph breaks a constraint that writes rely on")
        return self._write(query, safe_params(params))

    def _write(self, query: str, params: dict[str, Any]) -> list[Row]:
        try:
            return self._run(query, params, read_only=False)
        except TimeLimit:
            raise
        except StoreUnavailable:
            self._drop_client()  # nothing was written: once more, on a new connection
            return self._run(query, params, read_only=False)
        except OutcomeUnknown:
            self._drop_client()
            raise

    def search(self, index: SearchIndex, words: list[str], *, limit: int, tail: str, **params: object) -> list[Row]:
        label, properties = schema.FULL_TEXT[index]
        head = schema.FALKOR_SEARCH[label]
        found = "|".join(words)
        query = " | ".join(f"(@_ft_{name}:({found}))" for name in properties)
        return self.read(head + tail, _label=label, _words=query, _limit=limit, **params)

    def explain(self, query: str, **params: object) -> str:
        checked = safe_params(params)
        with _driver_errors():
            return str(self._connected().explain(query, checked))

    def ensure_schema(self) -> SchemaReport:
        problems = ensure_falkordb(self, schema.definitions())
        self.read_only = bool(problems)
        warnings = low_limits(self)
        for each in warnings:
            log.warning("%s", each)
        return SchemaReport(problems, warnings)

    def ensure_entities(self, entities: EntityLabels) -> SchemaReport:
        return SchemaReport(ensure_falkordb(self, schema.entity_definitions(entities)))

    def healthy(self) -> bool:
        try:
            self._silent = True  # ask with a PING first: a health check must not wait for a server that hangs
            return self.read("RETURN 1 AS one") == [{"one": 1}]
        except Exception:  # noqa: BLE001 - a health check answers no, whatever went wrong
            return False

    def close(self) -> None:
        self._drop_client()

    # For falkordb_schema

    def define(self, query: str, **params: object) -> list[Row]:
        """Run a statement of the schema, also while the store is read-only."""
        return self._write(query, safe_params(params))

    def command(self, *words: str) -> Any:
        """Run a server command on this graph: the name, then its arguments."""
        with _driver_errors():
            return self._connected().client.execute_command(words[0], *words[1:])

    @property
    def name(self) -> str:
        return self._name

    def _connected(self) -> Graph:
        with self._lock:
            graph = self._graph
        if graph is None:
            graph = self._connect()
        if self._silent:
            if not self._answers_ping(graph):
                raise TimeLimit("FalkorDB does not answer; nothing was sent")
            self._silent = False
        return graph

    def _connect(self) -> Graph:
        """Connect outside the lock: a server that is slow to start must not hold up the threads that have one."""
        try:
            client = self._make_client()
        except (redis.ConnectionError, redis.TimeoutError, OSError) as error:
            why = error.strerror if isinstance(error, OSError) else None
            raise StoreUnavailable(
                f"FalkorDB cannot be reached at {self._where} ({why or type(error).__name__})"
            ) from None
        except redis.RedisError as error:
            raise StoreUnavailable(f"FalkorDB refused the connection ({type(error).__name__})") from None
        with self._lock:
            if self._graph is None:
                self._client, self._graph = client, client.select_graph(self._name)
                return self._graph
            graph = self._graph
        client.connection.connection_pool.disconnect()  # another thread was first
        return graph

    def _answers_ping(self, graph: Graph) -> bool:
        """Whether the server answers at all, within PING_SECONDS, on a connection of its own."""
        pool = graph.client.connection.connection_pool
        quick = pool.connection_class(
            **{**pool.connection_kwargs, "socket_timeout": PING_SECONDS, "socket_connect_timeout": PING_SECONDS}
        )
        try:
            quick.connect()
            quick.send_command("PING")
            return bool(quick.read_response())
        except (redis.RedisError, OSError):
            return False
        finally:
            quick.disconnect()

    def _drop_client(self) -> None:
        with self._lock:
            client, self._client, self._graph = self._client, None, None
        if client is not None:
            # Connections that other threads are using go on; they are closed when they come back to the dropped pool.
            client.connection.connection_pool.disconnect(inuse_connections=False)

    def _run(self, query: str, params: dict[str, Any], *, read_only: bool) -> list[Row]:
        graph = self._connected()
        try:
            call = graph.ro_query if read_only else graph.query
            result = call(query, params)
        except SchemaVersionMismatchException:
            graph.schema.clear()
            if not read_only:
                raise OutcomeUnknown("the graph was replaced while a write was answered") from None
            raise StoreUnavailable("the graph was replaced while it was read") from None
        except BusyLoadingError:
            self._await_loading()
            raise StoreUnavailable("FalkorDB is still loading its data") from None
        except redis.TimeoutError as error:
            self._silent = True
            if read_only or "connecting" in str(error):
                raise TimeLimit("FalkorDB did not answer in time") from None
            raise OutcomeUnknown("FalkorDB did not answer in time") from None
        except redis.ConnectionError as error:
            raise _lost(error) from None
        except ResponseError as error:
            if read_only and "empty key" in str(error):
                return self._run(query, params, read_only=False)  # no graph yet: a read that makes an empty one
            raise _refused(error) from None
        names = [column[1] for column in result.header]
        return [{name: plain(value) for name, value in zip(names, row, strict=True)} for row in result.result_set]

    def _await_loading(self) -> None:
        time.sleep(0.2 + random.random() / 10)


@contextlib.contextmanager
def _driver_errors() -> Iterator[None]:
    """The client's errors as this package's own."""
    try:
        yield
    except (redis.ConnectionError, redis.TimeoutError) as error:
        raise StoreUnavailable(f"FalkorDB cannot be reached ({type(error).__name__})") from None
    except ResponseError as error:
        raise _refused(error) from None


def plain(value: Any) -> Any:
    """The client's ordered maps as plain ones, all the way down."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


def _pool(connection_class: type[Any], **options: Any) -> redis.BlockingConnectionPool:
    return redis.BlockingConnectionPool(  # type: ignore[no-untyped-call]
        max_connections=CONNECTIONS,
        timeout=STATEMENT_SECONDS,
        connection_class=connection_class,
        decode_responses=True,
        socket_timeout=STATEMENT_SECONDS,
        socket_connect_timeout=5,
        retry=Retry(NoBackoff(), 0),  # a repeated command would be a second write
        **options,
    )


def _lost(error: Exception) -> Exception:
    """Tell a connection that was never made (nothing sent) from one that broke."""
    text = str(error)
    if "connecting to" in text or "No connection available" in text or isinstance(error, redis.AuthenticationError):
        return StoreUnavailable("FalkorDB cannot be reached")
    return OutcomeUnknown("the connection to FalkorDB was lost before it answered")


def _refused(error: ResponseError) -> Exception:
    text = str(error)
    if "unique constraint violation" in text:
        return UniqueViolation(text)
    if "timed out" in text:
        return TimeLimit("FalkorDB stopped the statement at its time limit; nothing was written")
    if "LOADING" in text:
        return StoreUnavailable("FalkorDB is still loading its data")
    if "unknown command" in text:
        return StatementRefused("the server is a Redis without the FalkorDB module")
    return StatementRefused(f"FalkorDB refused the statement: {text}")
