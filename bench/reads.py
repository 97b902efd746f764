"""The reads of a day: the review list, its counts, one decision, conflicts, a task, passages."""

from collections.abc import Iterator
from functools import partial

from bench import writer
from bench.figures import Figure, Goal, at_least, at_most, figure_of
from bench.measure import Call, Side
from bench.peer import asked
from bench.run import Run, recorded
from bench.sources import PARAGRAPHS, write_source
from bench.world import BIGGEST
from reaffirm import ids
from reaffirm.decisions.models import DocumentSupportInput, EventSupportInput, SupportInput
from reaffirm.decisions.queue import review_cursor

PAGE, VARIED = 50, 20
GROUPS, STEPS, SUPPORTS = 200, 30, 20
CONTESTED, STEPPED = "contested", "stepped"
MANY = 64_000  # flags of the biggest size, at which the counts have their goal


def measure(run: Run) -> Iterator[Figure]:
    """Every read that has a goal."""
    yield from review_list(run)
    yield counts(run)
    yield decision_page(run)
    yield conflicts(run)
    yield task_view(run)
    yield passages(run)


def of_bare(sides: dict[str, Side], most: float = 1.5) -> Goal:
    return at_most(sides["ours"].median_ms / sides["bare"].median_ms, most, "× bare")


def times_agrag(sides: dict[str, Side], least: float) -> Goal:
    return at_least(sides["agrag"].median_ms / sides["ours"].median_ms, least, "× agrag")


def flags(run: Run) -> list[tuple[int, str]]:
    """The queue of the biggest project in its order: since when, and which decision."""
    world = run.world
    found = [
        (int(world.flag(number)["flagged_ms"]), world.id(number))
        for number in range(world.size)
        if world.root[number] >= 0 and world.tasks[world.task[number]].project == BIGGEST
    ]
    return sorted(found)


def review_list(run: Run) -> Iterator[Figure]:
    """The first, a middle and the last page, full rows, with the counts that stand above it."""
    queue, list_page = flags(run), run.traces(BIGGEST).list_decisions_for_review
    middle, last = len(queue) // 2, max(0, len(queue) - PAGE - 1)
    places: dict[str, list[int | None]] = {
        "first": [None],
        "middle": [max(0, middle - number) for number in range(VARIED)],
        "last": [last],
    }
    for name, starts in places.items():
        calls: list[Call] = [
            partial(list_page, limit=PAGE, cursor=None if start is None else review_cursor(*queue[start]))
            for start in starts
        ]
        sides = run.read(calls)
        operation = f"review list, {name} page of {PAGE}"
        goals = [of_bare(sides)]
        if operation in run.earlier:
            goals.append(
                at_most(sides["ours"].median_ms / run.earlier[operation], 1.5, "× its time at the size before")
            )
        run.earlier[operation] = sides["ours"].median_ms
        yield figure_of(operation, sides, goals)


def counts(run: Run) -> Figure:
    flagged = run.world.flagged[BIGGEST]
    sides = run.read([run.traces(BIGGEST).review_counts])
    most = 60 if run.server.kind == "falkordb" else 15
    goals = [of_bare(sides)]
    if flagged > MANY // 2:
        goals.append(at_most(sides["ours"].median_ms, most, "ms at 64,000 flags"))
    return figure_of(f"counts for the tabs, {flagged:,} flags", sides, goals)


def decision_page(run: Run) -> Figure:
    """Supports, dependents and history of flagged decisions, each in turn."""
    queue, case = flags(run), run.traces(BIGGEST).review_case
    step = max(1, len(queue) // VARIED)
    calls: list[Call] = [partial(case, decision_id) for _, decision_id in queue[::step]]
    reads, _ = run.statements_of(calls[0])
    sides = run.read(calls)
    return figure_of("decision with supports, dependents, history", sides, [of_bare(sides), at_most(reads, 1, "read")])


def conflicts(run: Run) -> Figure:
    """200 contested choices of three tasks each; a page has 50 of them on both sides."""
    kind = run.server.kind
    source = write_source(run.graph, "bench/contested.md", 1)
    names = [f"side-{number}" for number in range(3)]
    for name in names:
        recorded(run.history(CONTESTED).create_task(name, "Answer it otherwise."))
    rows = [
        writer.decision(
            kind,
            CONTESTED,
            ids.task_id(CONTESTED, name),
            f"shared-{group:03d}",
            [source.support(group % PARAGRAPHS, 1)],
            conclusion=f"Answer it as {name} does.",
            contested_in=CONTESTED,
        )
        for group in range(GROUPS)
        for name in names
    ]
    writer.write_all(run.store, writer.DECISIONS, rows)
    call = run.traces(CONTESTED).list_conflicts
    reads, _ = run.statements_of(call)
    sides = run.read([call], asked("decisions.list_conflicts", project=CONTESTED))
    goals = [times_agrag(sides, 20), at_most(reads, 1, "read")]
    return figure_of(f"list_conflicts, {GROUPS} groups", sides, goals)


def task_view(run: Run) -> Figure:
    """A task of 30 steps whose results rest on 20 supports each."""
    history, source = run.history(STEPPED), write_source(run.graph, "bench/steps.md", 1)
    recorded(history.create_task("many-steps", "Do all of it."))
    for number in range(SUPPORTS - PARAGRAPHS):
        recorded(history.record_event("many-steps", "note", payload=f"Step {number} was made."))
    passages = [source.evidence_id(number, 1) for number in range(PARAGRAPHS)]
    supports: list[SupportInput] = [DocumentSupportInput(evidence_id=each) for each in passages]
    supports += [EventSupportInput(task_name="many-steps", seq=seq + 1) for seq in range(SUPPORTS - PARAGRAPHS)]
    fetched = run.graph.fetch(passages)
    for number in range(STEPS):
        recorded(
            history.set_step(
                "many-steps",
                f"step-{number:02d}",
                "completed",
                kind="analysis",
                result_event_seq=1,
                result_basis="supported",
                supports=supports,
                fetched_evidence=fetched,
            )
        )
    call = partial(history.get_task, "many-steps")
    reads, _ = run.statements_of(call)
    sides = run.read([call], asked("history.get_task", "many-steps", project=STEPPED))
    goals = [times_agrag(sides, 20), at_most(reads, 3, "reads")]
    return figure_of(f"get_task, {STEPS} steps × {SUPPORTS} supports", sides, goals)


def passages(run: Run) -> Figure:
    """20 evidence ids of four documents."""
    sources = [write_source(run.graph, f"bench/fetched-{number}.md", 2) for number in range(4)]
    wanted = [source.evidence_id(number, 2) for source in sources for number in range(5)]
    call = partial(run.graph.fetch, wanted)
    reads, _ = run.statements_of(call)
    peer = asked("documents.fetch", wanted, [source.key for source in sources], project=BIGGEST)
    sides = run.read([call], peer)
    return figure_of("fetch of 20 evidence ids", sides, [at_most(reads, 1, "read")])
