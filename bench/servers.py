"""A server of each kind for one measurement: empty, started here, its processor time and memory in sight."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from neo4j import GraphDatabase

from reaffirm.store import GraphStore, embedded, open_store
from tests.servers.neo4j import started_server

STORES = ("falkordb", "neo4j")
# As somebody would run it for a million decisions, not as the tests do.
JAVA_OPTIONS = ("-Xms1g", "-Xmx4g", "-XX:+UseG1GC", "-Dpagecache.mebibytes=2048")
VERSIONS = "CALL dbms.components() YIELD versions RETURN versions[0] AS version"
PROCESS = "CALL dbms.queryJmx('java.lang:type=Runtime') YIELD attributes RETURN attributes.Name.value AS name"
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Server:
    """One running server, its graph empty with the schema in place."""

    kind: str
    url: str
    version: str
    pid: int

    def cpu_seconds(self) -> float:
        """Processor time of the server so far, in user and system mode."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def megabytes(self) -> int:
        """Resident memory."""
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") // 2**20


@contextlib.contextmanager
def server(kind: str) -> Iterator[Server]:
    """Start a server with an empty graph, and stop it afterwards."""
    with _falkordb() if kind == "falkordb" else _neo4j() as started:
        store = open_store(started.url)
        _with_schema(store)
        store.close()
        yield started


def _with_schema(store: GraphStore) -> None:
    report = store.ensure_schema()
    if report.problems:
        raise RuntimeError("; ".join(report.problems))


@contextlib.contextmanager
def _falkordb() -> Iterator[Server]:
    folder = Path(tempfile.mkdtemp(prefix="reaffirm-bench-"))
    try:
        yield running_falkordb(f"embedded:{folder}?graph=bench")
    finally:
        embedded.stop(folder)
        shutil.rmtree(folder, ignore_errors=True)


def running_falkordb(url: str) -> Server:
    """The server behind an ``embedded:`` address."""
    client = embedded.ensure(url.removeprefix("embedded:").partition("?")[0]).client()
    info = client.info("server")
    modules = client.execute_command("MODULE", "LIST")  # type: ignore[no-untyped-call]
    client.close()
    number = next(int(each[b"ver"]) for each in modules if each[b"name"] == b"graph")  # 41603 stands for 4.16.3
    version = f"FalkorDB {number // 10000}.{number // 100 % 100}.{number % 100}"
    return Server("falkordb", url, version, int(info["process_id"]))


@contextlib.contextmanager
def _neo4j() -> Iterator[Server]:
    with started_server(JAVA_OPTIONS) as url:
        yield running_neo4j(url)


def running_neo4j(url: str) -> Server:
    """The server behind a Bolt address of this machine, without a sign-in."""
    with GraphDatabase.driver(url.rpartition("/")[0]) as driver:
        version = driver.execute_query(VERSIONS).records[0]["version"]
        name = driver.execute_query(PROCESS).records[0]["name"]
    return Server("neo4j", url, f"Neo4j {version} Community", int(str(name).partition("@")[0]))
