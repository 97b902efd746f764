"""`make soak`: kills on one store or both. Ends with 1 when anything was lost, half written or unsound."""

import argparse
import sys
import time

from tests.soak.kills import Soak
from tests.soak.servers import SERVERS

# The first six: where the kill was, by the last that the client told. The rest: what was found behind it.
COLUMNS = {
    "kills": "kills", "before": "unsent", "inside": "sent", "after": "answered", "acked": "told",
    "under a server": "server", "acknowledged": "acked", "there": "there", "not there": "absent",
    "part of the way": "partway", "settled": "settled", "lost": "lost", "half-written": "half",
}  # fmt: skip
SERVER_SHARE = {"falkordb": 0.2, "neo4j": 0.025}  # of the kills; a Neo4j takes ten seconds to come back


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--kills", type=int, default=1_000, help="on each store")
    parser.add_argument("--store", choices=["falkordb", "neo4j", "both"], default="both")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    chosen = parser.parse_args()
    stores = ["falkordb", "neo4j"] if chosen.store == "both" else [chosen.store]
    return max([_kill(store, chosen.kills, chosen.seed) for store in stores])


def _kill(store: str, kills: int, seed: int) -> int:
    started = time.monotonic()
    print(f"\n{store}: {kills} kills, seed {seed}", flush=True)
    server = SERVERS[store]()
    try:
        soak = Soak(server, seed)
        soak.run(kills, max(1, round(kills * SERVER_SHARE[store])))
        soak.close()
    finally:
        server.stop()
    print(table(soak), flush=True)
    print(f"{len(soak.loaded)} more events acknowledged while the server was killed")
    print(f"{len(soak.faults)} faults, {time.monotonic() - started:.0f} s", flush=True)
    for fault in soak.faults:
        print("  " + fault)
    return 1 if soak.faults else 0


def table(soak: Soak) -> str:
    """The counts by operation, and their sums."""
    rows = [(name, [soak.counts[name][column] for column in COLUMNS]) for name in sorted(soak.counts)]
    sums = [sum(each) for each in zip(*(counts for _, counts in rows), strict=True)]
    lines = [" " * 26 + "".join(f"{head:>9}" for head in COLUMNS.values())]
    for name, counts in [*rows, ("all", sums)]:
        lines.append(f"{name:26}" + "".join(f"{count or '.':>9}" for count in counts))
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
