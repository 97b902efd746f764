"""The tables of docs/benchmarks.md: one section for each store and size, between markers. All else there is by hand."""

import datetime
import os
import platform
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from bench.figures import Figure, Goal

DOCUMENT = Path(__file__).parents[1] / "docs" / "benchmarks.md"
HEAD = (
    "| operation | ours | agrag 0.0.7 | bare | statements | server CPU, ms | goals |",
    "|---|---|---|---|---|---|---|",
)


def machine() -> str:
    """What it was measured on."""
    processor = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
    memory = re.search(r"MemTotal:\s*(\d+)", Path("/proc/meminfo").read_text())
    gigabytes = round(int(memory[1]) / 2**20) if memory else 0
    model = processor[1].strip() if processor else platform.machine()
    return f"{os.cpu_count()} cores ({model}), {gigabytes} GB, Python {platform.python_version()}"


def revision() -> str:
    """The commit that was measured."""
    git = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    done = subprocess.run(git, cwd=DOCUMENT.parent, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def section(title: str, facts: str, figures: Sequence[Figure]) -> str:
    """One table, below what it was measured on."""
    now = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC")
    lines = [f"### {title}", "", f"{now}, revision {revision()}; {machine()}; {facts}.", "", *HEAD]
    lines += [row(each) for each in figures]
    return "\n".join(lines)


def row(figure: Figure) -> str:
    """One row of the table."""
    name = figure.operation + (f" ({figure.note})" if figure.note else "")
    cells = [name, figure.ours, figure.peer, figure.bare, figure.statements, figure.cpu]
    return "| " + " | ".join([*(each or "–" for each in cells), "<br>".join(map(_goal, figure.goals))]) + " |"


def _goal(goal: Goal) -> str:
    said = {True: "met", False: "**not met**", None: "not measured"}[goal.met]
    return f"{goal.text}: {goal.found}, {said}"


def put(name: str, text: str, document: Path = DOCUMENT) -> None:
    """Replace the section of this name in the document, or add it behind the last one."""
    begin, end = f"<!-- measured: {name} -->", f"<!-- end: {name} -->"
    block = f"{begin}\n{text}\n{end}"
    old = document.read_text()
    found = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
    if found.search(old):
        document.write_text(found.sub(lambda _: block, old))
    else:
        document.write_text(f"{old.rstrip()}\n\n{block}\n")
