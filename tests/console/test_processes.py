"""One driver per process, made after fork (cases.md 28)."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from console import graph

ROOT = Path(__file__).parents[2]

LOADED = """
import os
os.environ["DJANGO_SETTINGS_MODULE"] = "console.settings"
import console.wsgi
from console.celery import app
from console import graph, jobs
from django.db import connections
from django.core.management import call_command
call_command("check")
assert not graph.graph_open_here(), "a store is open"
assert not app.configured, "the broker was asked for"
assert all(c.connection is None for c in connections.all(initialized_only=True)), "SQL is open"
print("nothing is connected")
"""


def test_loading_the_console_connects_nothing(tmp_path: Path) -> None:
    environment = os.environ | {"VAR_DIR": str(tmp_path), "GRAPH_URL": "", "DATABASE_URL": "", "CELERY_BROKER_URL": ""}
    environment["SECRET_KEY"] = ""
    done = subprocess.run(
        [sys.executable, "-c", LOADED], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60
    )

    assert done.returncode == 0, done.stderr
    assert "nothing is connected" in done.stdout
    assert not (tmp_path / "graph").exists()


def in_child(work: Callable[[], Any]) -> str:
    """The result of some work in a forked process, as text."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(writer, str(work()).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        text = answer.read()
    os.waitpid(pid, 0)
    return text


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_process_opens_its_own_store(console_graph: str) -> None:
    mine = graph.graph_store()
    assert mine.healthy()

    def child() -> str:
        had_one = graph.graph_open_here()
        own = graph.graph_store()
        answer = f"{had_one} {own is mine} {own.healthy()}"
        graph.graph_close()
        return answer

    assert in_child(child) == "False False True"
    assert graph.graph_store() is mine
    assert mine.healthy()


def test_the_store_is_one_per_process_and_closed_on_demand(console_graph: str) -> None:
    first = graph.graph_store()
    assert graph.graph_store() is first

    graph.graph_close()

    assert not graph.graph_open_here()
    assert graph.graph_store() is not first
