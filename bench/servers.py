"""A server of each kind for one measurement: empty, started here, its processor time and memory in sight."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
        client = embedded.ensure(folder).client()
        info = client.info("server")
        modules = client.execute_command("MODULE", "LIST")  # type: ignore[no-untyped-call]
        client.close()
        yield Server("falkordb", f"embedded:{folder}?graph=bench", _module(modules), int(info["process_id"]))
    finally:
        embedded.stop(folder)
        shutil.rmtree(folder, ignore_errors=True)


def _module(modules: Sequence[Sequence[Any]]) -> str:
    """The version of the FalkorDB module: 41603 stands for 4.16.3."""
    facts = [dict(zip(each[::2], each[1::2], strict=True)) for each in modules]
    number = next(int(each["ver"]) for each in facts if each["name"] == "graph")
    return f"FalkorDB {number // 10000}.{number // 100 % 100}.{number % 100}"


@contextlib.contextmanager
def _neo4j() -> Iterator[Server]:
    with started_server(JAVA_OPTIONS) as url:
        with GraphDatabase.driver(url.rpartition("/")[0]) as driver:
            version = driver.execute_query(VERSIONS).records[0]["version"]
            name = driver.execute_query(PROCESS).records[0]["name"]
        yield Server("neo4j", url, f"Neo4j {version} Community", int(str(name).partition("@")[0]))
