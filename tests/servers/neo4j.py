"""The Neo4j server that the tests run on: the one at NEO4J_TEST_URL, else one that is started here.

The started server is the real thing (Neo4j Community from Maven's jars, a process of its own). It ends with the process
that started it, because it watches its input, so that no run leaves a server behind.
"""

import contextlib
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from tests.servers.debian import ProgramMissing, need

HERE = Path(__file__).parent
JARS = HERE.parents[1] / "var" / "test-servers" / "neo4j-5.26.12"
START_SECONDS = 120
# Java 17 and 21 are the versions that Neo4j 5.26 supports; a JDK, since the launcher runs from its source.
JAVA_PACKAGES = ("openjdk-17-jdk-headless",)
# A small server that is up soon: little memory, the simple collector, no late compilation.
JAVA_OPTIONS = ("-Xmx1g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
COPY_JARS = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"


class ServerNotStarted(Exception):
    """The server did not come up; the text holds the end of its log."""


@contextlib.contextmanager
def neo4j_server() -> Iterator[str]:
    """Give the URL of a running Neo4j whose database `neo4j` is the tests' own, and may be emptied by them."""
    if url := os.environ.get("NEO4J_TEST_URL"):
        yield url
        return
    with started_server() as url:
        yield url


@contextlib.contextmanager
def started_server(java_options: tuple[str, ...] = JAVA_OPTIONS) -> Iterator[str]:
    """Give the URL of an empty Neo4j of one's own, and stop it afterwards."""
    need(("java", "javac"), JAVA_PACKAGES, "The tests' Neo4j server")
    _need_jars()
    with tempfile.TemporaryFile() as log:
        process = _start(log, java_options=java_options)
        try:
            yield _wait_for_url(process, log)
        finally:
            _stop(process)


def start_in(folder: Path, port: int, log: IO[bytes]) -> "subprocess.Popen[bytes]":
    """Start a Neo4j with its data in a folder, at a port. Returns when it answers; it is the caller's to end."""
    need(("java", "javac"), JAVA_PACKAGES, "The soak's Neo4j server")
    _need_jars()
    process = _start(log, str(folder), str(port))
    _wait_for_url(process, log)
    return process


def _need_jars() -> None:
    """Fetch the jars once. They are complete when their folder has its final name."""
    if JARS.is_dir():
        return
    need(("mvn",), ("maven",), "Fetching the jars of the tests' Neo4j server")
    JARS.parent.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(prefix="neo4j-", dir=JARS.parent))
    command = ["mvn", "-B", "-q", "-f", str(HERE / "pom.xml"), COPY_JARS, f"-DoutputDirectory={partial}"]
    for attempt in range(3):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            break
        time.sleep(5 * attempt)
    else:
        shutil.rmtree(partial, ignore_errors=True)
        raise ProgramMissing(
            "Fetching Neo4j's jars from Maven Central failed. Set NEO4J_TEST_URL to a server whose database may be "
            f"emptied, or try again.\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        )
    with contextlib.suppress(OSError):  # another run was first
        partial.rename(JARS)
    shutil.rmtree(partial, ignore_errors=True)


def _start(log: IO[bytes], *arguments: str, java_options: tuple[str, ...] = JAVA_OPTIONS) -> "subprocess.Popen[bytes]":
    launcher = HERE / "Neo4jTestServer.java"
    command = ["java", *java_options, "-cp", f"{JARS}/*", str(launcher), *arguments]
    # A session of its own: Ctrl-C stops the tests first, and the server once they are through.
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, start_new_session=True, bufsize=0
    )


def _wait_for_url(process: "subprocess.Popen[bytes]", log: IO[bytes]) -> str:
    assert process.stdout is not None
    deadline = time.monotonic() + START_SECONDS
    while (left := deadline - time.monotonic()) > 0:
        if not select.select([process.stdout], [], [], left)[0]:
            break
        line = process.stdout.readline().decode(errors="replace").strip()
        if line.startswith("bolt://"):
            return f"{line}/neo4j"
        if not line and process.poll() is not None:
            break
    log.seek(0)
    raise ServerNotStarted(f"The tests' Neo4j server did not start:\n{log.read().decode(errors='replace')[-3000:]}")


def _stop(process: "subprocess.Popen[bytes]") -> None:
    assert process.stdin is not None
    process.stdin.close()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()
