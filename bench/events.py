"""Appending events: one by one, by one client and by eight."""

import itertools
from collections.abc import Iterator

from bench.figures import Figure, at_least, at_most, figure_of
from bench.measure import Call
from bench.peer import asked
from bench.run import Run, recorded
from bench.world import BIGGEST
from bench.writes import compare

TASKS = 64


def measure(run: Run) -> Iterator[Figure]:
    """Each side appends to the same tasks, in turn."""
    history, numbers = run.history(BIGGEST), itertools.count()
    for number in range(TASKS):
        recorded(history.create_task(task_name(number), "Note what happens."))

    def ours() -> Call:
        number = next(numbers)
        return lambda: recorded(
            history.record_event(task_name(number), "note", payload=f"It went on, {number}.", request_id=f"r-{number}")
        )

    def theirs() -> dict[str, object]:
        number = next(numbers)
        words = f"It went on, {number}."
        more = {"payload": words, "request_id": f"r-{number}"}
        return asked("history.record_event", task_name(number), "note", project=BIGGEST, **more)

    for clients in run.effort.clients:
        reads, writes = run.statements_of(ours())
        sides = compare(run, ours, theirs, clients)
        goals = [
            at_least(sides["ours"].rate / sides["agrag"].rate, 4, "× agrag"),
            at_most(writes, 1, "write"),
            at_most(reads, 1, "read"),
        ]
        yield figure_of(f"append an event, {clients} client{'s' * (clients > 1)}", sides, goals, rates=True)


def task_name(number: int) -> str:
    return f"events-{number % TASKS:02d}"
