"""Where the passages of many decisions stand once a long document has changed: compared and stored with their flags."""

import re
import time
from collections.abc import Iterator
from pathlib import Path

from bench import writer
from bench.figures import Figure, at_most, milliseconds
from bench.run import Run, recorded
from bench.sources import Source, edited, next_version, paragraph
from reaffirm import ids
from reaffirm.decisions.comparison import compare_flags

PROJECT = "compared"
LINES, DECISIONS = 20_000, 10_000
EVERY = 50  # one line in so many is edited


def measure(run: Run) -> Iterator[Figure]:
    lines, decisions = LINES // run.effort.scale, DECISIONS // run.effort.scale
    key = "bench/long.md"
    source = Source(key, [])
    next_version(run.graph, source, text_of(key, lines, 1))
    cite(run, source, decisions)
    start = time.perf_counter()
    next_version(run.graph, source, text_of(key, lines, 2))
    activated = time.perf_counter() - start
    before, sent, cpu, start = peak_megabytes(), run.watched.sent, run.server.cpu_seconds(), time.perf_counter()
    compared = 0
    while done := compare_flags(run.store, PROJECT, limit=1_000):
        compared += done
    seconds = time.perf_counter() - start
    if compared != decisions:
        raise RuntimeError(f"{compared} of {decisions} flags were compared")
    grown = peak_megabytes() - before
    yield Figure(
        f"anchors of {decisions:,} decisions on one document of {lines:,} lines",
        ours=f"{seconds:.1f} s; the version with its flags {activated:.1f} s; {grown} MB more at the peak",
        statements=f"{(run.watched.sent - sent) / decisions:.3g} a decision",
        cpu=f"{milliseconds((run.server.cpu_seconds() - cpu) / decisions * 1000)} a decision",
        goals=[at_most(seconds, 10, "s in all"), at_most(grown, 200, "MB more")],
    )


def text_of(key: str, lines: int, version: int) -> str:
    """Each line a paragraph; the second version edits some, and begins with a new one, so that all others move."""
    rows = [
        paragraph(number, key) if version == 1 or number % EVERY else edited(number, key, version)
        for number in range(lines // 2)
    ]
    return "\n\n".join([*(["This version is in force from today on."] if version > 1 else []), *rows])


def cite(run: Run, source: Source, decisions: int) -> None:
    """One decision for each paragraph, in turn."""
    recorded(run.history(PROJECT).create_task("all", "Cite all of it."))
    task_id, at, text = ids.task_id(PROJECT, "all"), 0, source.texts[0]
    rows = []
    for number, words in enumerate(text.split("\n\n")[:decisions]):
        at = text.index(words, at)
        support = source.support_of(words, at, 1)
        rows.append(writer.decision(run.server.kind, PROJECT, task_id, f"d-{number:05d}", [support]))
    writer.write_all(run.store, writer.DECISIONS, rows)


def peak_megabytes() -> int:
    """The most memory that this process had since the last call."""
    found = re.search(r"VmHWM:\s*(\d+)", Path("/proc/self/status").read_text())
    Path("/proc/self/clear_refs").write_text("5")
    return int(found[1]) // 1024 if found else 0
