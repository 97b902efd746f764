"""`make demo`, without its first step (the environment): it serves on either store and stops what it started."""

import os
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
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


@pytest.fixture(params=["embedded", "neo4j"])
def graph_url(request: pytest.FixtureRequest) -> dict[str, str]:
    return {} if request.param == "embedded" else {"GRAPH_URL": request.getfixturevalue("neo4j_url")}


@pytest.fixture
def running(graph_url: dict[str, str], tmp_path: Path) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    port = free_port()
    process = demo(PORT=port, VAR_DIR=str(tmp_path / "var"), **graph_url)
    lines = lines_until(process, "sign-in ")
    assert lines[-1].startswith("sign-in "), "\n".join(lines)
    yield process, port
    process.kill()
    process.communicate()
    embedded.stop(tmp_path / "var" / "graph")


def test_it_serves_and_stops_what_it_started(running: tuple["subprocess.Popen[str]", str], tmp_path: Path) -> None:
    process, port = running
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/sign-in/", timeout=30) as answer:
        assert answer.status == 200

    again, _ = demo(PORT=free_port(), VAR_DIR=str(tmp_path / "var")).communicate()
    assert "A demo already runs" in again
    same_port, _ = demo(PORT=port, VAR_DIR=str(tmp_path / "other")).communicate()
    assert f"Port {port} is taken" in same_port

    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == 0
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", int(port))) != 0
    assert not embedded.stop(tmp_path / "var" / "graph"), "the embedded server still ran"
