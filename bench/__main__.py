"""`python -m bench`: measure, print, and write docs/benchmarks.md."""

import argparse
import contextlib
import os
import sys
from collections.abc import Callable, Iterator

from bench import events, passages, reads, report, spreading, writes
from bench.figures import Figure
from bench.peer import Peer, peers
from bench.run import Effort, Run
from bench.servers import STORES, Server, server
from bench.stores import Bare, Watched
from bench.world import plan, write_world
from reaffirm.store import open_store
from tests.interop.agrag import Agrag

SIZES = (1_000, 20_000, 1_000_000)
PARTS: dict[str, Callable[[Run], Iterator[Figure]]] = {
    "reads": reads.measure,
    "writes": writes.measure,
    "events": events.measure,
    "spreading": spreading.measure,
    "passages": passages.measure,
}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="decisions, as in 1000,20000")
    parser.add_argument("--store", default="both", choices=[*STORES, "both"])
    parser.add_argument("--parts", default=",".join(PARTS))
    return parser.parse_args()


@contextlib.contextmanager
def prepared(
    started: Server, size: int, agrag: Agrag, effort: Effort, earlier: dict[str, float] | None = None
) -> Iterator[Run]:
    """A graph of so many decisions, and the three sides on it."""
    watched = Watched(open_store(started.url))
    world = plan(size)
    write_world(watched.store, world)
    bare, peer = Bare(started), Peer(agrag, started)
    peer.open()
    yield Run(started, watched, bare, peer, world, effort, {} if earlier is None else earlier)
    bare.close()
    watched.close()


def main() -> int:
    given = arguments()
    with peers() as agrag:
        for kind in STORES if given.store == "both" else (given.store,):
            earlier: dict[str, float] = {}
            for size in map(int, given.sizes.split(",")):
                _one(kind, size, given.parts.split(","), agrag, earlier)
    return 0


def _one(kind: str, size: int, parts: list[str], agrag: Agrag, earlier: dict[str, float]) -> None:
    with server(kind) as started, prepared(started, size, agrag, Effort(), earlier) as run:
        for part in parts:
            load, figures = os.getloadavg()[0], []
            for figure in PARTS[part](run):
                print(report.row(figure), flush=True)
                figures.append(figure)
            facts = f"load {load:.1f} at the start; {started.megabytes():,} MB in the server at the end"
            title = f"{started.version}, {size:,} decisions: {part}"
            report.put(f"{kind} {size} {part}", report.section(title, facts, figures))


if __name__ == "__main__":
    sys.exit(main())
