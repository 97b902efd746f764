"""agentic-graphrag at the other end of a pipe: its classes, called as if they were here."""

import json
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from reaffirm.store import embedded

RUNNER = Path(__file__).parent / "runner.py"
PROJECT, AGENT = "atlas", "planner-1"


class AgragRaised(Exception):
    """A call raised there; the text names the exception."""


class Agrag:
    """The runner's process. Ends with the process that started it, because it reads its input to the end."""

    def __init__(self, python: Path, runner: Path = RUNNER) -> None:
        self._log = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed with the process
        self._process = subprocess.Popen(
            # -I: neither our folder nor PYTHONPATH reaches it.
            [str(python), "-I", str(runner)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            cwd=tempfile.gettempdir(),  # it would read a .env where it stands
        )

    def call(self, name: str, *args: Any, project: str = PROJECT, agent: str = AGENT, **kwargs: Any) -> Any:
        """Call ``<part>.<method>`` there and give its result as plain data.

        Raises:
            AgragRaised: It raised.
        """
        assert self._process.stdin and self._process.stdout
        asked = {"call": name, "project": project, "agent": agent, "args": args, "kwargs": kwargs}
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            self._log.seek(0)
            raise AgragRaised(f"the process ended: {self._log.read()[-3000:]}")
        answer = json.loads(line)
        if "error" in answer:
            raise AgragRaised(answer["error"])
        return answer["result"]

    def use(self, store_url: str, *, anew: bool = False) -> None:
        """Speak to the graph that a store URL of ours names; it stays open for a later test.

        Args:
            anew: On a new connection, with nothing remembered of its schema.
        """
        self.call("sessions.use", "anew" if anew else "kept", **address(store_url))

    def close(self) -> None:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._log.close()


def address(store_url: str) -> dict[str, Any]:
    if store_url.startswith("embedded:"):
        folder, _, graph = store_url.removeprefix("embedded:").partition("?graph=")
        server = embedded.ensure(folder)
        return {
            "url": f"unix://{server.socket_path}",
            "graph": graph,
            "username": None,
            "password": server.password,
        }
    parts = urlsplit(store_url)
    return {
        "url": f"{parts.scheme}://{parts.hostname}:{parts.port or 7687}",
        "graph": parts.path.strip("/") or "neo4j",
        "username": unquote(parts.username) if parts.username else None,
        "password": unquote(parts.password) if parts.password else None,
    }


class Service:
    """One of its classes: every method by its own name."""

    def __init__(self, agrag: Agrag, part: str, project: str, agent: str) -> None:
        self._agrag, self._part, self._project, self._agent = agrag, part, project, agent

    def __getattr__(self, method: str) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            name = f"{self._part}.{method}"
            return self._agrag.call(name, *args, project=self._project, agent=self._agent, **kwargs)

        return call


class Theirs:
    """Its services for one project and agent, connected to a test's graph."""

    def __init__(self, agrag: Agrag, project: str = PROJECT, agent: str = AGENT) -> None:
        self.documents = Service(agrag, "documents", project, agent)
        self.entities = Service(agrag, "entities", project, agent)  # documents, by an extractor that finds names
        self.history = Service(agrag, "history", project, agent)
        self.decisions = Service(agrag, "decisions", project, agent)
        self.retention = Service(agrag, "retention", project, agent)
        self.crash = Service(agrag, "crash", project, agent)
        self.methods = Service(agrag, "methods", project, agent)
        self.race = Service(agrag, "race", project, agent)
        self._agrag = agrag

    def another(self, agent: str) -> "Theirs":
        """The same project for another agent."""
        return Theirs(self._agrag, agent=agent)
