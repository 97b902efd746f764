"""agentic-graphrag 0.0.7 itself, from its own environment, asked to run calls and to say how long they took."""

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from bench.measure import Sample
from bench.servers import Server
from tests.interop.agrag import RUNNER, Agrag
from tests.interop.environment import agrag_python

MEASURED = RUNNER.with_name("measured.py")
AGENT = "agent-7@work.example"


class Peer:
    """Its classes on the graph that is measured."""

    def __init__(self, agrag: Agrag, server: Server) -> None:
        self._agrag, self._server = agrag, server
        agrag.use(server.url)

    def open(self) -> None:
        """Its schema, as opening its graph makes it."""
        self._agrag.call("documents.open")

    def call(self, name: str, *args: Any, project: str, **kwargs: Any) -> Any:
        """One call that is not measured; its result as plain data."""
        return self._agrag.call(name, *args, project=project, agent=AGENT, **kwargs)

    def timed(self, calls: Sequence[dict[str, Any]], clients: int, most: float) -> Sample:
        """Run calls, by so many clients at once, for at most so many seconds.

        Raises:
            RuntimeError: It refused one.
        """
        cpu = self._server.cpu_seconds()
        told = self._agrag.call("bench.run", list(calls), clients, most)
        if told["failed"]:
            raise RuntimeError(f"agentic-graphrag refused what is measured: {told['failed']}")
        return Sample(told["seconds"], told["wall"], told["statements"], self._server.cpu_seconds() - cpu)

    def drain(self, project: str, most: float) -> dict[str, Any]:
        """Spread a project's reviews, for at most so many seconds."""
        cpu = self._server.cpu_seconds()
        told = self._agrag.call("bench.drain", project, AGENT, most)
        return {**told, "cpu": self._server.cpu_seconds() - cpu}


def asked(name: str, *args: Any, project: str, **kwargs: Any) -> dict[str, Any]:
    """One call for timed()."""
    return {"call": name, "project": project, "agent": AGENT, "args": list(args), "kwargs": kwargs}


@contextlib.contextmanager
def peers() -> Iterator[Agrag]:
    """Its process, for one run."""
    process = Agrag(agrag_python(), MEASURED)
    try:
        yield process
    finally:
        process.close()
