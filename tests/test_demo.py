"""`make demo`, without its first step (the environment): it serves on either store and stops what it started."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from reaffirm.store import embedded

ROOT = Path(__file__).parents[1]
START_SECONDS = 180
OF_THE_TESTS = ("GRAPH_URL", "DATABASE_URL", "CELERY_BROKER_URL", "SECRET_KEY", "DEBUG", "DJANGO_SETTINGS_MODULE")


def free_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def demo(**environment: str) -> "subprocess.Popen[str]":
    clean = {name: value for name, value in os.environ.items() if name not in OF_THE_TESTS}
    return subprocess.Popen(
        [sys.executable, "scripts/demo.py"],
        cwd=ROOT,
        env={**clean, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def lines_until(process: "subprocess.Popen[str]", last: str) -> list[str]:
    """What it prints, up to the first line that begins with `last`, or all of it when it ends before."""
    assert process.stdout is not None
    lines: list[str] = []
    alarm = threading.Timer(START_SECONDS, process.kill)
    alarm.start()
    for line in process.stdout:
        lines.append(line.rstrip())
        if line.startswith(last):
            break
    alarm.cancel()
    return lines


def descendants(pid: int) -> dict[int, str]:
    """The processes below one, with their commands."""
    done = subprocess.run(["ps", "-axwwo", "pid=,ppid=,command="], capture_output=True, text=True, check=True)
    rows = [line.split(None, 2) for line in done.stdout.splitlines()]
    found, parents = {}, {pid}
    while parents:
        below = {int(row[0]): row[2] for row in rows if int(row[1]) in parents}
        found |= below
        parents = set(below)
    return found


def top_of(pid: int, word: str) -> int | None:
    """The first process below one that runs a program, and not the one that watches it."""
    named = {each for each, text in descendants(pid).items() if word in text and "respawn" not in text}
    return min(
        (each for each in named if not any(each in descendants(other) for other in named - {each})), default=None
    )


def within(seconds: float, holds: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.5)
    return True


def healthy(port: str) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health/", timeout=30) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


@pytest.fixture(params=["embedded", "neo4j"])
def graph_url(request: pytest.FixtureRequest) -> dict[str, str]:
    return {} if request.param == "embedded" else {"GRAPH_URL": request.getfixturevalue("neo4j_url")}


@pytest.fixture
def running(graph_url: dict[str, str], tmp_path: Path) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    port = free_port()
    process = demo(PORT=port, VAR_DIR=str(tmp_path / "var"), **graph_url)
    lines = lines_until(process, "sign-in ")
    assert lines[-1].startswith("sign-in "), "\n".join(lines)
    # What it prints goes on; a full pipe would stop it.
    assert process.stdout is not None
    drain = threading.Thread(target=process.stdout.readlines, daemon=True)
    drain.start()
    yield process, port
    process.kill()
    process.wait()
    drain.join(30)
    process.stdout.close()
    embedded.stop(tmp_path / "var" / "graph")


def test_it_serves_and_stops_what_it_started(running: tuple["subprocess.Popen[str]", str], tmp_path: Path) -> None:
    process, port = running
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/sign-in/", timeout=30) as answer:
        assert answer.status == 200

    again, _ = demo(PORT=free_port(), VAR_DIR=str(tmp_path / "var")).communicate()
    assert "A demo already runs" in again
    _kill_each(process, port, tmp_path / "var" / "graph")
    same_port, _ = demo(PORT=port, VAR_DIR=str(tmp_path / "other")).communicate()
    assert f"Port {port} is taken" in same_port

    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=60) == 0
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", int(port))) != 0
    assert not embedded.stop(tmp_path / "var" / "graph"), "the embedded server still ran"


def _kill_each(process: "subprocess.Popen[str]", port: str, folder: Path) -> None:
    """Each process is killed in turn; what it was is there again, and the pages are served."""
    for word in ("gunicorn", "celery --quiet -A console.celery worker", "celery --quiet -A console.celery beat"):
        assert within(60, lambda word=word: top_of(process.pid, word) is not None), f"no {word}"
        killed = top_of(process.pid, word)
        assert killed
        os.kill(killed, signal.SIGKILL)
        assert within(60, lambda word=word, old=killed: top_of(process.pid, word) not in (None, old)), f"no new {word}"
        assert within(60, lambda: healthy(port))
    server = int((folder / "server.pid").read_text())
    os.kill(server, signal.SIGKILL)
    assert within(60, lambda: healthy(port))
    assert within(60, lambda: (folder / "server.pid").read_text() != str(server))


def test_what_ends_again_and_again_is_given_up(tmp_path: Path) -> None:
    log = tmp_path / "starts"
    code = f"open({str(log)!r}, 'a').write('x')"
    fast = "import sys; sys.path.insert(0, 'scripts'); import respawn; respawn.PAUSE_SECONDS = 0; "
    run = f"{fast}sys.exit(respawn.main({[sys.executable, '-c', code]!r}))"
    done = subprocess.run([sys.executable, "-c", run], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "given up" in done.stdout
    assert log.read_text() == "x" * 10
