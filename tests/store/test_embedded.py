"""The embedded server: one for a folder, however many processes start it and however it dies, and no write is lost."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from reaffirm.store import OutcomeUnknown, StoreUnavailable, embedded, open_store

PROCESSES = 12


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="embedded-") as name:
        yield Path(name)
        embedded.stop(name)


def start(folder: Path, worker: str, count: int) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "tests.store.supervised", str(folder), worker, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def servers(folder: Path) -> list[int]:
    """The server processes of a folder."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            command = (entry / "cmdline").read_bytes().decode(errors="replace")
            if "redis-server" in command and (entry / "cwd").resolve() == folder.resolve():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def lines(folder: Path) -> set[str]:
    store = open_store(f"embedded:{folder}?graph=lines")
    try:
        return {row["id"] for row in store.read("MATCH (n:Line) RETURN n.id AS id")}
    finally:
        store.close()


def finish(processes: list["subprocess.Popen[str]"]) -> set[str]:
    said = set()
    for process in processes:
        output, _ = process.communicate(timeout=120)
        assert process.returncode == 0
        said |= set(output.split())
    return said


def test_12_processes_start_one_server_cold_warm_and_after_each_death(folder: Path) -> None:
    said = finish([start(folder, f"cold{n}", 4) for n in range(PROCESSES)])
    assert len(said) == PROCESSES * 4
    first = servers(folder)
    assert len(first) == 1
    said |= finish([start(folder, f"warm{n}", 2) for n in range(2)])
    assert servers(folder) == first
    for how in (signal.SIGKILL, signal.SIGTERM):
        os.kill(servers(folder)[0], how)
        said |= finish([start(folder, f"after{how}{n}", 4) for n in range(4)])
        assert len(servers(folder)) == 1
    assert lines(folder) >= said


def test_what_is_acknowledged_outlives_a_kill_in_the_middle_of_writes(folder: Path) -> None:
    embedded.ensure(folder)
    writers = [start(folder, f"w{n}", 150) for n in range(3)]
    time.sleep(1.5)
    for _ in range(3):
        time.sleep(0.4)
        for pid in servers(folder):
            os.kill(pid, signal.SIGKILL)
    said = finish(writers)
    assert len(said) == 450
    assert lines(folder) >= said
    assert len(servers(folder)) == 1


def test_the_server_outlives_the_process_that_started_it(folder: Path) -> None:
    starter = start(folder, "starter", 100_000)
    assert starter.stdout
    first = starter.stdout.readline().strip()
    (server,) = servers(folder)
    starter.kill()
    starter.communicate()
    assert servers(folder) == [server]
    assert first in lines(folder)


def test_a_restart_under_load_loses_no_read_and_doubles_no_write(folder: Path) -> None:
    """Reads are tried again; a write says that its outcome is not known, or happens exactly once."""
    store = open_store(f"embedded:{folder}?graph=lines")
    store.write("CREATE (n:Line {id: 'first'}) RETURN 1 AS one")
    stop = threading.Event()
    outcomes: dict[str, str] = {}

    def write(worker: int) -> None:
        number = 0
        while not stop.is_set():
            line = f"{worker}-{number}"
            number += 1
            try:
                store.write("CREATE (n:Line {id: $id}) RETURN 1 AS one", id=line)
                outcomes[line] = "written"
            except OutcomeUnknown:
                outcomes[line] = "unknown"
            except StoreUnavailable:
                outcomes[line] = "not written"

    errors: list[BaseException] = []

    def read() -> None:
        while not stop.is_set():
            try:
                assert store.read("MATCH (n:Line {id: 'first'}) RETURN n.id AS id") == [{"id": "first"}]
            except BaseException as error:  # noqa: BLE001 - reported by the test
                errors.append(error)

    threads = [threading.Thread(target=write, args=(n,)) for n in range(4)] + [
        threading.Thread(target=read) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for _ in range(3):
        time.sleep(0.5)
        os.kill(servers(folder)[0], signal.SIGKILL)
    time.sleep(1)
    stop.set()
    for thread in threads:
        thread.join()
    rows = store.read("MATCH (n:Line) RETURN n.id AS id, count(n) AS copies")
    store.close()
    assert not errors
    copies = {row["id"]: row["copies"] for row in rows}
    assert set(copies.values()) == {1}
    assert not [line for line, outcome in outcomes.items() if outcome == "written" and line not in copies]
    assert not [line for line, outcome in outcomes.items() if outcome == "not written" and line in copies]
    assert "written" in outcomes.values()


def test_a_long_or_odd_path_works(folder: Path) -> None:
    deep = folder / ("a long name " * 8) / 'with "quotes" and \\ more' / ("ä" * 30)
    store = open_store(f"embedded:{deep}?graph=lines")
    assert store.write("CREATE (n:Line {id: 'x'}) RETURN 1 AS one") == [{"one": 1}]
    server = embedded.ensure(deep)
    assert len(server.socket_path.encode()) <= embedded.MAX_SOCKET_PATH
    assert Path(server.socket_path).parent.stat().st_mode & 0o077 == 0
    store.close()
    assert embedded.stop(deep)
    assert not embedded.stop(deep)


def test_a_server_that_cannot_start_is_given_up_soon_and_says_why(folder: Path) -> None:
    (folder / "appendonlydir").write_text("in the way")
    store = open_store(f"embedded:{folder}")
    began = time.monotonic()
    with pytest.raises(StoreUnavailable, match=r"server\.log"):
        store.read("RETURN 1 AS one")
    assert time.monotonic() - began < 60
    assert not store.healthy()
    store.close()


def test_a_server_that_hangs_is_told_at_once_and_used_again_when_it_goes_on(folder: Path) -> None:
    """A page must not wait for a minute: one PING tells that nothing will come, and nothing is sent."""
    store = open_store(f"embedded:{folder}?graph=hanging")
    other = open_store(f"embedded:{folder}?graph=hanging")
    store.ensure_schema()
    (server,) = servers(folder)
    os.kill(server, signal.SIGSTOP)
    try:
        assert not store.healthy()
        with pytest.raises(StoreUnavailable):
            store.read("RETURN 1 AS one")
        with pytest.raises(StoreUnavailable):
            store.write("CREATE (n:Line {id: 'never'}) RETURN n.id AS id")
        with pytest.raises(StoreUnavailable, match="does not answer"):
            other.read("RETURN 1 AS one")
    finally:
        os.kill(server, signal.SIGCONT)
    assert store.healthy()
    assert store.read("MATCH (n:Line) RETURN count(n) AS lines") == [{"lines": 0}]
    assert other.read("RETURN 1 AS one") == [{"one": 1}]
    store.close()
    other.close()


def test_a_server_that_is_silent_while_it_loads_is_waited_for(folder: Path) -> None:
    """It repeats a thousand writes between two answers, which on a busy machine takes longer than a PING waits."""
    embedded.ensure(folder)
    (server,) = servers(folder)
    log = folder / "server.log"
    noise = "This server is sending an error to its AOF-loading-client: '-Constraint already exists'\n" * 5_000
    log.write_text(log.read_text().replace("Ready to accept connections", "Loading") + noise)  # as it stands until then
    os.kill(server, signal.SIGSTOP)
    found: list[object] = []
    waiting = threading.Thread(target=lambda: found.append(embedded.ensure(folder)))
    waiting.start()
    waiting.join(embedded.PING_SECONDS * (embedded.SILENCES + 1))
    still = waiting.is_alive()
    os.kill(server, signal.SIGCONT)
    waiting.join(30)
    assert still and len(found) == 1
