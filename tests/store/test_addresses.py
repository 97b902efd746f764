"""open_store(): which store an address means, and what it says of a wrong one."""

import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from reaffirm.decisions import DecisionTraces
from reaffirm.history import ConversationHistory
from reaffirm.store import GraphStore, StoreUnavailable, ValueRefused, embedded, open_store

SECRET = "hunter2"


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("embedded:var/graph", "falkordb"),
        ("embedded:var/graph?graph=other-one", "falkordb"),
        ("falkor://localhost/g", "falkordb"),
        ("falkor://:hunter2@localhost:6380/g", "falkordb"),
        ("falkors://user:hunter2@localhost", "falkordb"),
        *[(f"{scheme}://neo4j:hunter2@localhost:7687/db", "neo4j") for scheme in ("bolt", "bolt+s", "bolt+ssc")],
        *[(f"{scheme}://neo4j:hunter2@localhost/db", "neo4j") for scheme in ("neo4j", "neo4j+s", "neo4j+ssc")],
        ("bolt://[::1]:7687", "neo4j"),
    ],
)
def test_it_picks_the_adapter_and_connects_to_nothing(url: str, kind: str) -> None:
    store = open_store(url)
    assert store.kind == kind
    assert SECRET not in repr(store)
    store.close()


@pytest.mark.parametrize(
    "url",
    [
        "",
        "var/graph",
        "redis://localhost",
        f"http://u:{SECRET}@localhost",
        f"falkor://:{SECRET}/x@localhost/g",
        f"falkor://:{SECRET}@localhost:99999/g",
        f"falkor://:{SECRET}#1@localhost/g",
        f"falkor://:{SECRET}?1@localhost/g",
        f"bolt://u:{SECRET}@[::1/db",
        "falkor://localhost/two words",
        "falkor://localhost/g%00h",
        "embedded:",
        "embedded:var/graph?graph=",
        "embedded:var/graph?graph=a%0Ab",
        "embedded:var/graph?grpah=typo",
        "embedded:var/\0graph",
        "embedded:var/\ngraph",
    ],
)
def test_a_wrong_address_is_refused_without_its_password(url: str) -> None:
    """Cases 34 and 59 too: no name from outside gets into a command."""
    with pytest.raises(ValueError, match=r"\w") as caught:
        open_store(url)
    assert SECRET not in str(caught.value)
    assert caught.value.__context__ is None or caught.value.__suppress_context__


@pytest.mark.parametrize(
    "url", [f"bolt://u:{SECRET}@127.0.0.1:1/db", f"neo4j://u:{SECRET}@127.0.0.1:1", f"falkor://:{SECRET}@127.0.0.1:1/g"]
)
def test_a_store_out_of_reach_says_so_without_its_password(url: str) -> None:
    store = open_store(url)
    with pytest.raises(StoreUnavailable) as read:
        store.read("RETURN 1 AS one")
    with pytest.raises(StoreUnavailable) as written:
        store.write("CREATE (n:Nothing) RETURN 1 AS one")
    with pytest.raises(StoreUnavailable) as defined:
        store.ensure_schema()
    assert not any(SECRET in str(each.value) for each in (read, written, defined))
    assert store.healthy() is False
    store.close()


@pytest.fixture
def redis_port(falkordb_folder: Path) -> Iterator[int]:
    """A TCP port behind which the embedded FalkorDB answers."""
    from tests.history.stores import CuttingProxy

    server = embedded.ensure(falkordb_folder)

    def connect() -> socket.socket:
        line = socket.socket(socket.AF_UNIX)
        line.connect(server.socket_path)
        return line

    proxy = CuttingProxy(connect, b"\xff never sent", "sent")
    yield proxy.port
    proxy.close()


@pytest.mark.parametrize("scheme", ["bolt", "neo4j"])
def test_a_bolt_address_that_leads_to_falkordb_is_named(redis_port: int, scheme: str) -> None:
    """Case 61: the combination is refused at once and clearly, and the server lives on."""
    store = open_store(f"{scheme}://127.0.0.1:{redis_port}/db")
    began = time.monotonic()
    with pytest.raises(StoreUnavailable, match="falkor://"):
        store.read("RETURN 1 AS one")
    assert time.monotonic() - began < 10
    store.close()


def test_the_embedded_server_keeps_its_password(falkordb_folder: Path) -> None:
    server = embedded.ensure(falkordb_folder)
    assert server.password not in repr(server)
    assert (falkordb_folder / "password").stat().st_mode & 0o777 == 0o600
    assert (falkordb_folder / "server.conf").stat().st_mode & 0o777 == 0o600


def test_a_blank_graph_is_healthy_and_reads_as_empty(blank_store_url: str) -> None:
    store: GraphStore = open_store(blank_store_url)
    assert store.healthy()
    assert store.read("MATCH (n:Decision) RETURN count(n) AS found") == [{"found": 0}]
    store.close()


@pytest.mark.parametrize("name", ["p1\0", "p1`", "p1 x", "%20", "p" * 101])
def test_a_graph_name_that_could_change_a_command_is_refused(name: str) -> None:
    """cases.md 59: a graph's name is the one text of an address that reaches a command."""
    with pytest.raises(ValueError, match="graph name"):
        open_store(f"falkor://127.0.0.1:1/{name}")


def test_a_project_that_ends_a_text_early_is_refused() -> None:
    """cases.md 59: a project is only ever a parameter, and never one with a NUL."""
    store = open_store("falkor://127.0.0.1:1/agrag")
    with pytest.raises(ValueRefused, match="NUL"):
        DecisionTraces(store, project_id="p1\0", agent_id="planner")
    with pytest.raises(ValueRefused, match="NUL"):
        ConversationHistory(store, project_id="p1\0", agent_id="planner")


@pytest.mark.parametrize("scheme", ["falkor", "bolt"])
def test_a_server_that_is_not_there_is_named_without_the_password(scheme: str) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        store = open_store(f"{scheme}://user:{SECRET}@127.0.0.1:{port}/graph")
        for call in (store.ensure_schema, lambda: store.read("RETURN 1 AS one")):
            with pytest.raises(StoreUnavailable, match=rf"127\.0\.0\.1:{port}") as told:
                call()
            assert SECRET not in str(told.value)
    store.close()


def test_a_host_whose_name_is_unknown_was_never_written_to() -> None:
    store = open_store(f"bolt://user:{SECRET}@nohost.invalid")
    with pytest.raises(StoreUnavailable, match=r"nohost\.invalid"):
        store.write("CREATE (:Nothing)")
    store.close()
