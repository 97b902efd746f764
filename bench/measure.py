"""Running calls and telling how long they took: by the clock, in statements, and in the server's processor time."""

import statistics
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from bench.servers import Server

Call = Callable[[], object]


@dataclass(frozen=True)
class Sample:
    """Some calls of one side, run together."""

    seconds: list[float]
    wall: float
    statements: int
    cpu: float


@dataclass
class Side:
    """All samples of one side: ours, agrag or bare."""

    samples: list[Sample] = field(default_factory=list)

    @property
    def calls(self) -> int:
        return sum(len(each.seconds) for each in self.samples)

    @property
    def median_ms(self) -> float:
        """The median of all its calls."""
        return statistics.median(second for each in self.samples for second in each.seconds) * 1000

    @property
    def rate(self) -> float:
        """Calls a second: the median of the rounds."""
        return statistics.median(len(each.seconds) / each.wall for each in self.samples)

    @property
    def statements(self) -> float:
        """A call."""
        return sum(each.statements for each in self.samples) / self.calls

    @property
    def cpu_ms(self) -> float:
        """Of the server, a call."""
        return sum(each.cpu for each in self.samples) / self.calls * 1000


def timed(calls: Sequence[Call], clients: int, server: Server, statements: Callable[[], int] = lambda: 0) -> Sample:
    """Run calls, by so many clients at once.

    Args:
        statements: The number of statements sent so far.
    """
    before, cpu, start = statements(), server.cpu_seconds(), time.perf_counter()
    if clients == 1:
        seconds = [_timed(call) for call in calls]
    else:
        with ThreadPoolExecutor(clients) as pool:
            seconds = list(pool.map(_timed, calls))
    wall = time.perf_counter() - start
    return Sample(seconds, wall, statements() - before, server.cpu_seconds() - cpu)


def _timed(call: Call) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def interleaved(sides: dict[str, Callable[[int], Sample]], rounds: int) -> dict[str, Side]:
    """Let the sides take turns, so that what else the machine does meets all of them; the first turn goes round."""
    found = {name: Side() for name in sides}
    names = list(sides)
    for number in range(rounds):
        for place in range(len(names)):
            name = names[(place + number) % len(names)]
            found[name].samples.append(sides[name](number))
    return found
