"""The schema on Neo4j: created where it is missing, awaited, and its problems named."""

import time

from .errors import StatementRefused, StoreConflict, StoreUnavailable, UniqueViolation
from .schema import (
    FOREIGN_INDEX_NAMES,
    FULL_TEXT_OPTIONS,
    READY_SECONDS,
    Definer,
    Definitions,
    constraint_name,
    full_text_name,
    twins,
)

# What a definition fails with: on data or an index in its way, or because another process makes the same now.
DEFINITION_ERRORS = (StatementRefused, StoreConflict, UniqueViolation)

BUILDING = """SHOW INDEXES YIELD name, state, populationPercent AS done WHERE state <> 'ONLINE'
RETURN name, state, done"""


def ensure_neo4j(store: Definer, defined: Definitions) -> list[str]:
    """Create what is missing, wait until it is online, and return the problems found in the data."""
    problems: list[str] = []
    existing = {row["name"] for row in store.define("SHOW CONSTRAINTS YIELD name")}
    for label, properties in defined.unique:
        name = constraint_name(label, properties)
        if name in existing:
            continue
        keys = ", ".join(f"n.{key}" for key in properties)
        try:
            store.define(f"CREATE CONSTRAINT {name} IF NOT EXISTS FOR (n:{label}) REQUIRE ({keys}) IS UNIQUE")
        except DEFINITION_ERRORS:
            if not _has_constraint(store, label, properties):
                problems.append(twins(store, label, properties))
    indexes = {row["name"] for row in store.define("SHOW INDEXES YIELD name")}
    for label, properties in defined.lookups:
        name = FOREIGN_INDEX_NAMES.get((label, properties)) or f"reaffirm_{label.lower()}_{'_'.join(properties)}"
        if name not in indexes:
            keys = ", ".join(f"n.{key}" for key in properties)
            _make_index(store, name, f"CREATE INDEX {name} IF NOT EXISTS FOR (n:{label}) ON ({keys})")
    for label, properties in defined.full_text:
        name = full_text_name(label, properties)
        if name not in indexes:
            keys = ", ".join(f"n.{key}" for key in properties)
            text = f"CREATE FULLTEXT INDEX {name} IF NOT EXISTS FOR (n:{label}) ON EACH [{keys}] {FULL_TEXT_OPTIONS}"
            _make_index(store, name, text)
    _await_indexes(store)
    return problems


def _await_indexes(store: Definer) -> None:
    """Wait until every index is online.

    Raises:
        StoreUnavailable: A large graph takes longer; the server goes on building.
        StatementRefused: The server gave up on one.
    """
    deadline = time.monotonic() + READY_SECONDS
    while rows := store.define(BUILDING):
        failed = [row["name"] for row in rows if row["state"] == "FAILED"]
        if failed:
            raise StatementRefused(f"Neo4j could not build the index {failed[0]}; drop it, and open the store again")
        if time.monotonic() > deadline:
            done = min(row["done"] for row in rows)
            raise StoreUnavailable(
                f"Neo4j is still building {len(rows)} indexes of this graph (the last of them is at {done:.0f} %); "
                "it goes on by itself: open the store again in some minutes"
            )
        time.sleep(0.05)


def _make_index(store: Definer, name: str, text: str) -> None:
    """Run a definition; that another process was quicker is fine."""
    try:
        store.define(text)
    except DEFINITION_ERRORS:
        if name not in {row["name"] for row in store.define("SHOW INDEXES YIELD name")}:
            raise


def _has_constraint(store: Definer, label: str, properties: tuple[str, ...]) -> bool:
    """Another process, or another name, may have made it meanwhile."""
    rows = store.define("SHOW CONSTRAINTS YIELD labelsOrTypes AS labels, properties, type")
    return any(
        row["labels"] == [label] and sorted(row["properties"]) == sorted(properties) and row["type"] == "UNIQUENESS"
        for row in rows
    )
