"""Appending events: one by one, by one client and by eight, and a hundred at once."""

import itertools
from collections.abc import Iterator

from bench.figures import Figure, at_least, at_most, figure_of
from bench.measure import Call, interleaved
from bench.peer import asked
from bench.run import Run, recorded
from bench.world import BIGGEST
from bench.writes import compare
from reaffirm.history import EventInput

TASKS, BATCH = 64, 100


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
    yield in_batches(run)


def in_batches(run: Run) -> Figure:
    """A hundred in one statement; the rates are of events."""
    history, numbers = run.history(BIGGEST), itertools.count()
    words = [EventInput(kind="note", payload=f"It went on, step {number} of many.") for number in range(BATCH)]

    def ours() -> Call:
        number = next(numbers)
        name = task_name(number)
        return lambda: recorded(history.record_events(name, words, request_id=f"batch-{number}"))

    many = max(2, run.effort.calls // 2)
    reads, writes = run.statements_of(ours())
    run.below(run.held([ours()]))
    sides = interleaved(
        {
            "ours": lambda _: run.ours([ours() for _ in range(many)]),
            "bare": lambda _: run.below(run.held([ours() for _ in range(many)])),
        },
        run.effort.rounds,
    )
    goals = [at_most(writes, 1, "write"), at_most(reads, 1, "read")]
    if run.server.kind == "falkordb":
        goals.append(at_least(sides["ours"].rate * BATCH, 5_000, "events a second"))
    figure = figure_of(f"append {BATCH} events at once", sides, goals)
    for name in ("ours", "bare"):
        setattr(figure, name, f"{getattr(figure, name)}, {sides[name].rate * BATCH:,.0f} events/s")
    return figure


def task_name(number: int) -> str:
    return f"events-{number % TASKS:02d}"
