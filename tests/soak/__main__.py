"""`make soak`: kills and races on one store or both. Ends with 1 when anything was lost, half written or unsound."""

import argparse
import sys
import time

from tests.soak.client import quiet
from tests.soak.kills import Soak
from tests.soak.races import CLIENTS, Races, pairs
from tests.soak.servers import SERVERS, Server

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
    parser.add_argument("--races", type=int, help="pairs of writes on each store; all of them where it is not given")
    parser.add_argument("--store", choices=["falkordb", "neo4j", "both"], default="both")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    chosen = parser.parse_args()
    stores = ["falkordb", "neo4j"] if chosen.store == "both" else [chosen.store]
    quiet()
    return max([_soak(store, chosen.kills, chosen.races, chosen.seed) for store in stores])


def _soak(store: str, kills: int, races: int | None, seed: int) -> int:
    server = SERVERS[store]()
    try:
        faults = [*_kill(server, kills, seed), *_race(server, races, seed)]
    finally:
        server.stop()
    for fault in faults:
        print("  " + fault)
    return 1 if faults else 0


def _kill(server: Server, kills: int, seed: int) -> list[str]:
    if not kills:
        return []
    started = time.monotonic()
    print(f"\n{server.name}: {kills} kills, seed {seed}", flush=True)
    soak = Soak(server, seed)
    soak.run(kills, max(1, round(kills * SERVER_SHARE[server.name])))
    soak.close()
    print(table(soak))
    print(f"{len(soak.loaded)} more events acknowledged while the server was killed")
    print(f"{len(soak.faults)} faults, {time.monotonic() - started:.0f} s", flush=True)
    return soak.faults


def _race(server: Server, number: int | None, seed: int) -> list[str]:
    chosen = pairs(number, seed)
    started = time.monotonic()
    print(f"\n{server.name}: {len(chosen)} pairs of writes, {CLIENTS} clients each, seed {seed}", flush=True)
    races = Races(server.url, seed)
    races.run(chosen)
    races.close()
    recorded = sum(count for name, count in races.outcomes.items() if name.endswith(("recorded", "version", "removed")))
    print(f"{sum(races.outcomes.values())} calls, {recorded} of them wrote")
    print(f"{len(races.faults)} without a serial order or unsound, {time.monotonic() - started:.0f} s", flush=True)
    return races.faults


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
