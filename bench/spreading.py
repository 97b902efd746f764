"""A review that spreads to all that rests on a rejected decision: a fan, a chain, and a fan of 100,000."""

import time
from collections.abc import Iterator

from bench import writer
from bench.figures import Figure, at_least, at_most, milliseconds
from bench.run import Run, recorded
from bench.sources import write_source
from reaffirm import ids

SIZE, PEER_FAN, PEER_CHAIN, BIG = 5_000, 500, 100, 100_000
PEER_SECONDS = 60.0
BIG_FROM = 20_000  # decisions in the graph, from which on the big fan is measured


def measure(run: Run) -> Iterator[Figure]:
    """Ours on all of it; agentic-graphrag on less of the same form, since it needs minutes for that."""
    scale = run.effort.scale
    yield spread(run, "fan-out", SIZE // scale, PEER_FAN // scale, chain=False)
    yield spread(run, "chain", SIZE // scale, PEER_CHAIN // scale, chain=True)
    if run.world.size >= BIG_FROM:
        yield big(run)


def spread(run: Run, form: str, ours: int, theirs: int, *, chain: bool) -> Figure:
    """Flag so many decisions below one."""
    seconds, statements, cpu = drained(run, below(run, f"{form}-ours", ours, chain=chain), ours)
    project = below(run, f"{form}-theirs", max(theirs, 1), chain=chain)
    told = run.peer.drain(project, PEER_SECONDS)
    flagged = run.traces(project).review_counts().flagged
    rate, peer_rate = ours / seconds, max(flagged, 1) / told["wall"]
    return Figure(
        f"propagation, {form} of {ours:,}",
        ours=f"{seconds:.2f} s, {rate:,.0f}/s, longest statement {milliseconds(run.watched.longest * 1000)} ms",
        peer=f"{told['wall']:.1f} s for {flagged:,}, {peer_rate:,.0f}/s",
        statements=f"{statements / ours:.3g} / {told['statements'] / max(flagged, 1):.3g} a decision",
        cpu=f"{milliseconds(cpu / ours * 1000)} / {milliseconds(told['cpu'] / max(flagged, 1) * 1000)} a decision",
        goals=[at_least(rate / peer_rate, 30, "× agrag")],
    )


def big(run: Run) -> Figure:
    size = BIG // run.effort.scale
    seconds, statements, cpu = drained(run, below(run, "big", size, chain=False), size)
    longest = run.watched.longest * 1000
    return Figure(
        f"propagation, fan-out of {size:,}",
        ours=f"{seconds:.1f} s, {size / seconds:,.0f}/s, longest statement {milliseconds(longest)} ms",
        statements=f"{statements / size:.3g} a decision",
        cpu=f"{milliseconds(cpu / size * 1000)} a decision",
        goals=[at_most(longest, 500, "ms for the longest statement")],
    )


def below(run: Run, name: str, size: int, *, chain: bool) -> str:
    """A project of its own: a rejected decision, and so many that rest on it. Its name."""
    project = f"spread-{name}"
    recorded(run.history(project).create_task("all", "Rest on one decision."))
    task_id, source = ids.task_id(project, "all"), write_source(run.graph, f"bench/{project}.md", 1)
    key = ids.decision_id(task_id, "d-0000000", 1)
    rows: list[writer.Row] = []
    links: list[writer.Row] = []
    for number in range(size + 1):
        supports = [source.support(number % 12, 1)]
        parent = rows[-1]["decision"]["id"] if chain and rows else key
        if number:
            supports.append(writer.decision_support(parent))
        dependents = (size if number == 0 else 0) if not chain else int(number < size)
        row = writer.decision(run.server.kind, project, task_id, f"d-{number:07d}", supports, dependents=dependents)
        rows.append(row)
        if number:
            links.append({"child": row["decision"]["id"], "parent": parent})
    writer.write_all(run.store, writer.DECISIONS, rows)
    writer.write_all(run.store, writer.LINKS, links)
    recorded(run.traces(project).reject_decision(key, "It was wrong."))
    return project


def drained(run: Run, project: str, size: int) -> tuple[float, int, float]:
    """Spread the reviews of a project to the end: seconds, statements and processor time of the server."""
    traces, watched = run.traces(project), run.watched
    watched.longest, before, cpu, start = 0.0, watched.sent, run.server.cpu_seconds(), time.perf_counter()
    while traces.continue_decision_review():
        pass
    seconds = time.perf_counter() - start
    spent = watched.sent - before, run.server.cpu_seconds() - cpu
    flagged = traces.review_counts().flagged
    if flagged != size:
        raise RuntimeError(f"{flagged} of {size} were flagged")
    return seconds, *spent
