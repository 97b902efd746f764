"""One store with one graph in it, and the three sides that are measured on it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from bench.measure import Call, Sample, Side, interleaved, timed
from bench.peer import AGENT, Peer
from bench.servers import Server
from bench.stores import Bare, Statement, Watched
from bench.world import World
from reaffirm.decisions import DecisionTraces
from reaffirm.history import ConversationHistory
from reaffirm.knowledge import Graph
from reaffirm.models import Result
from reaffirm.store import GraphStore

T = TypeVar("T")


@dataclass(frozen=True)
class Effort:
    """How much is measured.

    Attributes:
        clients: How many write at once.
        rounds: Turns of each side.
        calls: Of ours and of the bare statement in a turn of one client; with eight clients four times as many.
        peer_calls: Of agentic-graphrag, likewise. It stops after ``peer_seconds`` of a turn.
        scale: What is spread and compared is so many times smaller.
    """

    clients: tuple[int, ...] = (1, 8)
    rounds: int = 5
    calls: int = 40
    peer_calls: int = 12
    peer_seconds: float = 10.0
    scale: int = 1


@dataclass
class Run:
    """What every measurement needs."""

    server: Server
    watched: Watched
    bare: Bare
    peer: Peer
    world: World
    effort: Effort
    earlier: dict[str, float]  # median milliseconds of operations at a smaller size

    @property
    def store(self) -> GraphStore:
        return self.watched.store

    def traces(self, project: str) -> DecisionTraces:
        return DecisionTraces(self.store, project_id=project, agent_id=AGENT)

    def history(self, project: str) -> ConversationHistory:
        return ConversationHistory(self.store, project_id=project, agent_id=AGENT)

    @property
    def graph(self) -> Graph:
        return Graph(self.store)

    def ours(self, calls: Sequence[Call], clients: int = 1) -> Sample:
        return timed(calls, clients, self.server, lambda: self.watched.sent)

    def theirs(self, calls: Sequence[dict[str, Any]], clients: int = 1) -> Sample:
        return self.peer.timed(calls, clients, self.effort.peer_seconds)

    def below(self, statements: Sequence[Statement], clients: int = 1) -> Sample:
        """Bare writes; each has to find its guards as the library would."""
        return timed([partial(_applied, self.bare, each) for each in statements], clients, self.server)

    def held(self, calls: Sequence[Call]) -> list[Statement]:
        """The writes that calls would send; they are not sent."""
        self.watched.keep = self.watched.hold = True
        try:
            for call in calls:
                call()
            return [each for each in self.watched.take() if each.access == "write"]
        finally:
            self.watched.keep = self.watched.hold = False

    def sent_by(self, call: Call) -> list[Statement]:
        """The statements that a call sends."""
        self.watched.keep = True
        try:
            call()
            return self.watched.take()
        finally:
            self.watched.keep = False

    def statements_of(self, call: Call) -> tuple[int, int]:
        """Reads and writes of one call, which also warms it."""
        reads, writes = self.watched.reads, self.watched.writes
        call()
        return self.watched.reads - reads, self.watched.writes - writes

    def read(self, calls: Sequence[Call], peer: dict[str, Any] | None = None) -> dict[str, Side]:
        """Measure reads of ours beside the statements that they send, and beside one of agentic-graphrag's."""
        statements = [self.sent_by(call) for call in calls]
        for each in statements:
            self._replay(each)
        sides: dict[str, Callable[[int], Sample]] = {
            "ours": lambda number: self.ours(_in_turn(calls, number, self.effort.calls)),
            "bare": lambda number: timed(
                [partial(self._replay, each) for each in _in_turn(statements, number, self.effort.calls)],
                1,
                self.server,
            ),
        }
        if peer is not None:
            self.theirs([peer])
            sides["agrag"] = lambda number: self.theirs([peer] * self.effort.peer_calls)
        return interleaved(sides, self.effort.rounds)

    def _replay(self, statements: list[Statement]) -> None:
        for statement in statements:
            self.bare.run(statement)


def _applied(bare: Bare, statement: Statement) -> None:
    if not bare.run(statement):
        raise RuntimeError("a bare statement found its guards broken")


def _in_turn(items: Sequence[T], start: int, count: int) -> list[T]:
    return [items[(start + number) % len(items)] for number in range(count)]


def recorded(result: Result) -> None:
    """A write that is measured was applied.

    Raises:
        RuntimeError: It was not.
    """
    if not result.recorded:
        raise RuntimeError(f"a measured write was refused: {result.error} {result.detail}")
