"""The schema on FalkorDB: created where it is missing, awaited, and its problems named."""

import time
from typing import Any, Protocol

from .errors import StatementRefused, StoreUnavailable
from .schema import READY_SECONDS, Definer, Definitions, Keys, twins

LIMITS = ("TIMEOUT_DEFAULT", "TIMEOUT_MAX", "RESULTSET_SIZE")
LEAST_MS = 10_000  # the largest statements (20,000 flags at once) take a second; a busy server, some


class GraphDefiner(Definer, Protocol):
    """An adapter that also runs server commands: constraints are made by one."""

    @property
    def name(self) -> str:
        """The name of the graph."""

    def command(self, *words: str) -> Any:
        """Run a server command."""


def ensure_falkordb(store: GraphDefiner, defined: Definitions) -> list[str]:
    """Create what is missing, wait until it is operational, and return the problems found in the data."""
    store.define(defined.first_use)
    wanted = defined.unique
    indexed = _falkor_indexed(store)
    for label, name in sorted({(label, name) for label, keys in (*wanted, *defined.lookups) for name in keys}):
        if (label, name, "RANGE") not in indexed:
            _tolerate(store, f"CREATE INDEX FOR (n:{label}) ON (n.{name})")
    for label, properties in defined.full_text:
        for name in properties:
            if (label, f"_ft_{name}", "FULLTEXT") not in indexed:
                _tolerate(store, f"CALL db.idx.fulltext.createNodeIndex('{label}', '_ft_{name}')")
    states = _falkor_constraints(store)
    for label, properties in wanted:
        if states.get((label, frozenset(properties))) in (None, "FAILED"):
            _falkor_constraint(store, label, properties)
    return _await_falkordb(store, wanted)


def low_limits(store: GraphDefiner) -> list[str]:
    """What the server's settings will make fail, in words. A server that does not tell its settings has none."""
    try:
        known = {name: int(store.command("GRAPH.CONFIG", "GET", name)[1]) for name in LIMITS}
    except StatementRefused:
        return []
    found = []
    least = min((known[name] for name in LIMITS[:2] if known[name] > 0), default=LEAST_MS)
    if least < LEAST_MS:
        found.append(
            f"FalkorDB stops statements after {least} ms (TIMEOUT_DEFAULT, TIMEOUT_MAX): what takes longer fails, and"
            f" nothing of it is written; give it at least {LEAST_MS}"
        )
    if known["RESULTSET_SIZE"] >= 0:
        found.append(f"FalkorDB cuts answers at {known['RESULTSET_SIZE']} rows (RESULTSET_SIZE); set it to -1")
    return found


def _tolerate(store: GraphDefiner, text: str) -> None:
    """Run a definition; that another process was quicker is fine."""
    try:
        store.define(text)
    except StatementRefused as error:
        if "already indexed" not in str(error):
            raise


def _falkor_constraint(store: GraphDefiner, label: str, properties: tuple[str, ...]) -> None:
    count = str(len(properties))
    try:
        store.command(
            "GRAPH.CONSTRAINT", "CREATE", store.name, "UNIQUE", "NODE", label, "PROPERTIES", count, *properties
        )
    except StatementRefused as error:
        if "already exists" not in str(error):
            raise


def _falkor_indexed(store: GraphDefiner) -> set[tuple[str, str, str]]:
    rows = store.define("CALL db.indexes() YIELD label, types RETURN label, types")
    return {
        (row["label"], name, kind) for row in rows for name, kinds in (row["types"] or {}).items() for kind in kinds
    }


def _falkor_constraints(store: GraphDefiner) -> dict[tuple[str, frozenset[str]], str]:
    rows = store.define(
        "CALL db.constraints() YIELD type, label, properties, status RETURN type, label, properties, status"
    )
    return {(row["label"], frozenset(row["properties"])): row["status"] for row in rows if row["type"] == "UNIQUE"}


def _await_falkordb(store: GraphDefiner, wanted: Keys) -> list[str]:
    deadline = time.monotonic() + READY_SECONDS
    while True:
        states = _falkor_constraints(store)
        open_ones = [key for key in wanted if states.get((key[0], frozenset(key[1]))) != "OPERATIONAL"]
        failed = [key for key in open_ones if states.get((key[0], frozenset(key[1]))) == "FAILED"]
        if len(failed) == len(open_ones):
            return [twins(store, label, properties) for label, properties in failed]
        if time.monotonic() > deadline:
            raise StoreUnavailable(
                f"FalkorDB is still checking {len(open_ones)} constraints of this graph; "
                "it goes on by itself: open the store again in some minutes"
            )
        time.sleep(0.02)
