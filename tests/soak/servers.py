"""The servers of a soak: each in a folder of its own, to be killed with kill -9 and started again on what it left."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from pathlib import Path
from typing import Protocol

from reaffirm.store import embedded
from tests.servers import neo4j


class Server(Protocol):
    """A server that may be killed."""

    name: str
    url: str

    def kill(self) -> None:
        """End it as the kernel would end it: nothing is flushed, nothing closed."""

    def revive(self) -> None:
        """Start it again on its data; returns when it answers."""

    def stop(self) -> None:
        """End it and remove its data."""


class FalkorServer:
    """The embedded server of a folder. Any client that misses it starts it again."""

    name = "falkordb"

    def __init__(self) -> None:
        self._home = Path(tempfile.mkdtemp(prefix="reaffirm-soak-"))
        self.url = f"embedded:{self._home}?graph=soak"
        embedded.ensure(self._home)

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(int((self._home / "server.pid").read_text()), signal.SIGKILL)

    def revive(self) -> None:
        embedded.ensure(self._home)

    def stop(self) -> None:
        embedded.stop(self._home)
        shutil.rmtree(self._home, ignore_errors=True)


class Neo4jServer:
    """A Neo4j Community with its data in a folder, at a port that stays the same."""

    name = "neo4j"

    def __init__(self) -> None:
        self._home = Path(tempfile.mkdtemp(prefix="reaffirm-soak-"))
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port = free.getsockname()[1]
        self._log = (self._home / "log").open("w+b")
        self._process: subprocess.Popen[bytes] | None = None
        self.revive()
        self.url = f"bolt://127.0.0.1:{self._port}/neo4j"

    def kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def revive(self) -> None:
        self._process = neo4j.start_in(self._home / "data", self._port, self._log)

    def stop(self) -> None:
        self.kill()
        self._log.close()
        shutil.rmtree(self._home, ignore_errors=True)


SERVERS = {"falkordb": FalkorServer, "neo4j": Neo4jServer}
