"""Labels, constraints and indexes of the graph, on both stores.

Names and forms of the constraints are those of agentic-graphrag, so that either product may come first. Never a plain
index on a key that it makes unique, never another full-text index on its properties: its own could then not be made.
"""

import time
from typing import TYPE_CHECKING

from redis.exceptions import ResponseError

from .base import SearchIndex
from .errors import StoreUnavailable

if TYPE_CHECKING:
    from .falkordb import FalkorStore
    from .neo4j import Neo4jStore

MARKER = "_agrag_history_record"
READY_SECONDS = 60.0

# Unique keys of history records; each is prefixed with the marker.
HISTORY_KEYS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Project", ("project_id",)),
    ("Task", ("id",)),
    ("Task", ("project_id", "name")),
    ("Event", ("id",)),
    ("Event", ("task_id", "seq")),
    ("Step", ("id",)),
    ("Step", ("task_id", "name")),
    ("Request", ("id",)),
    ("Request", ("project_id", "request_id")),
    ("Decision", ("id",)),
    ("Decision", ("task_id", "choice_key", "revision")),
    ("DecisionSupport", ("id",)),
)

# Ingestion nodes that we write too: unique by id.
KNOWLEDGE_LABELS = ("Document", "Chunk", "Section", "DocumentActivation")

RELATIONSHIPS = (
    "MADE",
    "HAS_SUPPORT",
    "DEPENDS_ON",
    "SUPERSEDES",
    "HAS_EVENT",
    "HAS_STEP",
    "HAS_PART",
    "HAS_CHILD",
    "NEXT_CHUNK",
    "HAS_ACTIVATION",
    "HAS_SOURCE",
)

# What our reads look up. On Neo4j each is one composite index; on FalkorDB every property gets its own.
LOOKUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Decision", ("project_id", "status", "review_state", "flagged_ms", "id")),
    ("Decision", ("project_id", "status", "review_state")),
    ("Decision", ("project_id", "status", "choice_key")),
    ("Decision", ("project_id", "review_pending")),
    ("Decision", ("contested_in", "choice_key")),
    ("DecisionSupport", ("document_node_id",)),
    ("DecisionSupport", ("event_id",)),
    ("DecisionSupport", ("target_decision_id",)),
    ("Chunk", ("document_id", "content_hash")),
    ("Task", ("project_id", "created_at", "id")),
    ("CutoverJob", ("status",)),
)
# CutoverJob(status) is agentic-graphrag's own index; the name and form are the same there.
FOREIGN_INDEX_NAMES: dict[tuple[str, tuple[str, ...]], str] = {("CutoverJob", ("status",)): "cutover_job_status_index"}

FULL_TEXT: dict[SearchIndex, tuple[str, tuple[str, ...]]] = {
    "decision": ("Decision", ("conclusion", "rationale")),
    "chunk": ("Chunk", ("text",)),
}

FULL_TEXT_OPTIONS = """OPTIONS {indexConfig: {
  `fulltext.analyzer`: 'standard-no-stop-words', `fulltext.eventually_consistent`: false}}"""

NEO4J_SEARCH = "CALL db.index.fulltext.queryNodes($_index, $_words, {limit: $_limit}) YIELD node, score\n"
FALKOR_SEARCH = {
    "Decision": "CALL db.idx.fulltext.queryNodes('Decision', $_words) YIELD node, score\n"
    "WITH node, score ORDER BY score DESC LIMIT $_limit\n",
    "Chunk": "CALL db.idx.fulltext.queryNodes('Chunk', $_words) YIELD node, score\n"
    "WITH node, score ORDER BY score DESC LIMIT $_limit\n",
}

# While a label or a relationship type does not exist, two guarded writes may both pass on FalkorDB; so all exist first.
FIRST_USE = """CREATE (a:Project:Task:Event:Step:Request:Decision:DecisionSupport
  :Document:Chunk:Section:DocumentActivation:CutoverJob:_Node)
CREATE (a)-[:MADE]->(a), (a)-[:HAS_SUPPORT]->(a), (a)-[:DEPENDS_ON]->(a), (a)-[:SUPERSEDES]->(a), (a)-[:HAS_EVENT]->(a),
  (a)-[:HAS_STEP]->(a), (a)-[:HAS_PART]->(a), (a)-[:HAS_CHILD]->(a), (a)-[:NEXT_CHUNK]->(a), (a)-[:HAS_ACTIVATION]->(a),
  (a)-[:HAS_SOURCE]->(a)
WITH a DETACH DELETE a"""


def unique_keys() -> list[tuple[str, tuple[str, ...]]]:
    """Every (label, properties) that is unique."""
    history = [(label, (MARKER, *properties)) for label, properties in HISTORY_KEYS]
    return history + [(label, ("id",)) for label in KNOWLEDGE_LABELS]


def _constraint_name(label: str, properties: tuple[str, ...]) -> str:
    if properties == ("id",):
        return f"node_{len(label)}_{label}_id_unique"
    return f"{label.lower()}_{'_'.join(properties)}_unique"


def full_text_name(label: str, properties: tuple[str, ...]) -> str:
    """agentic-graphrag's name of a full-text index on Neo4j: every part with its length before it."""
    parts = [f"{len(part)}_{part}" for part in (label, *properties)]
    return f"idx_{'_'.join(parts)}_fulltext"


# Neo4j


def ensure_neo4j(store: "Neo4jStore") -> list[str]:
    """Create what is missing, wait until it is online, and return the problems found in the data."""
    from .neo4j import DEFINITION_ERRORS

    problems: list[str] = []
    existing = {row["name"] for row in store.define("SHOW CONSTRAINTS YIELD name")}
    for label, properties in unique_keys():
        name = _constraint_name(label, properties)
        if name in existing:
            continue
        keys = ", ".join(f"n.{key}" for key in properties)
        try:
            store.define(f"CREATE CONSTRAINT {name} IF NOT EXISTS FOR (n:{label}) REQUIRE ({keys}) IS UNIQUE")
        except DEFINITION_ERRORS:
            if not _neo4j_has_constraint(store, label, properties):
                problems.append(_twins(store, label, properties))
    indexes = {row["name"] for row in store.define("SHOW INDEXES YIELD name")}
    for label, properties in LOOKUPS:
        name = FOREIGN_INDEX_NAMES.get((label, properties)) or f"reaffirm_{label.lower()}_{'_'.join(properties)}"
        if name not in indexes:
            keys = ", ".join(f"n.{key}" for key in properties)
            store.define(f"CREATE INDEX {name} IF NOT EXISTS FOR (n:{label}) ON ({keys})")
    for label, properties in FULL_TEXT.values():
        name = full_text_name(label, properties)
        if name not in indexes:
            keys = ", ".join(f"n.{key}" for key in properties)
            store.define(
                f"CREATE FULLTEXT INDEX {name} IF NOT EXISTS FOR (n:{label}) ON EACH [{keys}] {FULL_TEXT_OPTIONS}"
            )
    store.define("CALL db.awaitIndexes($seconds)", seconds=int(READY_SECONDS))
    return problems


def _neo4j_has_constraint(store: "Neo4jStore", label: str, properties: tuple[str, ...]) -> bool:
    """Another process, or another name, may have made it meanwhile."""
    rows = store.define("SHOW CONSTRAINTS YIELD labelsOrTypes AS labels, properties, type")
    return any(
        row["labels"] == [label] and sorted(row["properties"]) == sorted(properties) and row["type"] == "UNIQUENESS"
        for row in rows
    )


# FalkorDB


def ensure_falkordb(store: "FalkorStore") -> list[str]:
    """Create what is missing, wait until it is operational, and return the problems found in the data."""
    store.define(FIRST_USE)
    wanted = unique_keys()
    indexed = _falkor_indexed(store)
    for label, name in sorted({(label, name) for label, keys in [*wanted, *LOOKUPS] for name in keys}):
        if (label, name, "RANGE") not in indexed:
            _tolerate(store, f"CREATE INDEX FOR (n:{label}) ON (n.{name})")
    for label, properties in FULL_TEXT.values():
        for name in properties:
            if (label, f"_ft_{name}", "FULLTEXT") not in indexed:
                _tolerate(store, f"CALL db.idx.fulltext.createNodeIndex('{label}', '_ft_{name}')")
    states = _falkor_constraints(store)
    for label, properties in wanted:
        if states.get((label, frozenset(properties))) in (None, "FAILED"):
            _falkor_constraint(store, label, properties)
    return _await_falkordb(store, wanted)


def _tolerate(store: "FalkorStore", text: str) -> None:
    """Run a definition; that another process was quicker is fine."""
    try:
        store.define(text)
    except ResponseError as error:
        if "already indexed" not in str(error):
            raise


def _falkor_constraint(store: "FalkorStore", label: str, properties: tuple[str, ...]) -> None:
    count = str(len(properties))
    try:
        store.command(
            "GRAPH.CONSTRAINT", "CREATE", store.name, "UNIQUE", "NODE", label, "PROPERTIES", count, *properties
        )
    except ResponseError as error:
        if "already exists" not in str(error):
            raise


def _falkor_indexed(store: "FalkorStore") -> set[tuple[str, str, str]]:
    rows = store.define("CALL db.indexes() YIELD label, types RETURN label, types")
    return {
        (row["label"], name, kind) for row in rows for name, kinds in (row["types"] or {}).items() for kind in kinds
    }


def _falkor_constraints(store: "FalkorStore") -> dict[tuple[str, frozenset[str]], str]:
    rows = store.define(
        "CALL db.constraints() YIELD type, label, properties, status RETURN type, label, properties, status"
    )
    return {(row["label"], frozenset(row["properties"])): row["status"] for row in rows if row["type"] == "UNIQUE"}


def _await_falkordb(store: "FalkorStore", wanted: list[tuple[str, tuple[str, ...]]]) -> list[str]:
    deadline = time.monotonic() + READY_SECONDS
    while True:
        states = _falkor_constraints(store)
        open_ones = [key for key in wanted if states.get((key[0], frozenset(key[1]))) != "OPERATIONAL"]
        failed = [key for key in open_ones if states.get((key[0], frozenset(key[1]))) == "FAILED"]
        if len(failed) == len(open_ones):
            return [_twins(store, label, properties) for label, properties in failed]
        if time.monotonic() > deadline:
            raise StoreUnavailable(f"FalkorDB did not finish its constraints within {READY_SECONDS:.0f} s")
        time.sleep(0.02)


# Both


def _twins(store: "Neo4jStore | FalkorStore", label: str, properties: tuple[str, ...]) -> str:
    """Name the rows that share a key which must be unique."""
    keys = ", ".join(f"n.{key} AS k{number}" for number, key in enumerate(properties))
    names = ", ".join(f"k{number}" for number in range(len(properties)))
    present = " AND ".join(f"n.{key} IS NOT NULL" for key in properties)
    rows = store.define(
        f"MATCH (n:{label}) WHERE {present} WITH {keys}, count(n) AS copies WHERE copies > 1 "
        f"RETURN [{names}] AS key, copies ORDER BY copies DESC LIMIT 5"
    )
    shown = [name for name in properties if name != MARKER]
    examples = "; ".join(
        ", ".join(f"{name}={value!r}" for name, value in zip(properties, row["key"], strict=True) if name in shown)
        + f" ({row['copies']} copies)"
        for row in rows
    )
    return f"{label}: more than one record with the same {', '.join(shown)}: {examples or 'see the server log'}"
