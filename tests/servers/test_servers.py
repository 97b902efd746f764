"""The servers of the tests: none outlives its run, and what is missing is said."""

import os
import signal
import socket
import subprocess
import sys
import time
from urllib.parse import urlsplit

import pytest

from tests.servers import debian
from tests.servers.debian import ProgramMissing, need

STARTER = """
import time
from tests.servers.neo4j import neo4j_server

with neo4j_server() as url:
    print(url, flush=True)
    time.sleep(600)
"""


def test_neo4j_ends_when_the_run_that_started_it_is_killed() -> None:
    own = {name: value for name, value in os.environ.items() if name != "NEO4J_TEST_URL"}
    with subprocess.Popen([sys.executable, "-c", STARTER], env=own, stdout=subprocess.PIPE, text=True) as starter:
        assert starter.stdout is not None
        address = urlsplit(starter.stdout.readline().strip())
        port = int(address.port or 0)
        assert answers(port)
        starter.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 30
    while answers(port) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not answers(port)


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_a_missing_program_is_named_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(debian.os, "geteuid", lambda: 1000)
    with pytest.raises(ProgramMissing, match=r"needs no-such-program.*install no-such-package"):
        need(("sh", "no-such-program"), ("no-such-package",), "This test")


def test_nothing_is_installed_for_programs_that_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(debian.subprocess, "run", lambda *_, **__: pytest.fail("ran a command"))
    need(("sh",), ("dash",), "This test")
