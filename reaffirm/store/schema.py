"""What the graph has on both stores: labels, unique keys, look-ups, full text, and their names.

Names and forms of the constraints are those of agentic-graphrag, so that either product may come first. Never a plain
index on a key that it makes unique, never another full-text index on its properties: its own could then not be made.
"""

from dataclasses import dataclass
from typing import Protocol

from .base import EntityLabels, Row, SearchIndex

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

# Where the names of entities lead to them; agentic-graphrag's, like its form.
ALIAS_LABEL = "_MergeAlias"

# Records of retention, ours alone: tombstones, legal holds, digests of erased texts and their key.
RETENTION_LABELS = ("Erasure", "LegalHold", "ErasedText", "ErasureKey")

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
    "MENTIONED_IN",
)

# What our reads look up. On Neo4j each is one composite index; on FalkorDB every property gets its own.
LOOKUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Decision", ("project_id", "status", "review_state", "flagged_ms", "id")),
    ("Decision", ("project_id", "status", "review_state", "dependents", "id")),
    ("Decision", ("project_id", "status", "review_state", "change_size", "id")),
    ("Decision", ("project_id", "status", "review_state")),
    ("Decision", ("task_id", "review_state")),
    ("Decision", ("cause_activation_id",)),
    ("Decision", ("project_id", "status", "choice_key")),
    ("Decision", ("project_id", "review_pending")),
    ("Decision", ("project_id", "cause_root_id")),
    ("Decision", ("contested_in", "choice_key")),
    ("DecisionSupport", ("document_node_id",)),
    ("DecisionSupport", ("event_id",)),
    ("DecisionSupport", ("target_decision_id",)),
    ("DecisionSupport", ("document_node_id", "recorded_activation_seq")),
    ("DecisionSupport", ("document_node_id", "project_id")),
    ("Document", ("flagging_ms",)),
    ("DocumentActivation", ("activated_at", "id")),
    ("Chunk", ("document_id", "content_hash")),
    ("Document", ("current_content_hash",)),
    ("Task", ("project_id", "created_at", "id")),
    ("Task", (MARKER, "project_id", "status", "created_at")),
    ("CutoverJob", ("status",)),
    (ALIAS_LABEL, ("entity_id",)),
    ("DecisionSupport", ("project_id", "task_name")),
    ("Request", ("payload_sha256",)),
    ("Request", ("project_id", "operation")),
    ("Request", ("project_id", "claimed_ms")),
    ("Erasure", ("project_id", "at", "id")),
    ("Erasure", ("project_id", "state")),
    ("LegalHold", ("task_id",)),
    ("LegalHold", ("project_id", "at", "id")),
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
    "WITH node, score LIMIT $_limit\n",  # unsorted: the search of decisions filters before it sorts
    "Chunk": "CALL db.idx.fulltext.queryNodes('Chunk', $_words) YIELD node, score\n"
    "WITH node, score ORDER BY score DESC LIMIT $_limit\n",
}

# While a label or a relationship type does not exist, two guarded writes may both pass on FalkorDB; so all exist first.
FIRST_USE = """CREATE (a:Project:Task:Event:Step:Request:Decision:DecisionSupport
  :Document:Chunk:Section:DocumentActivation:CutoverJob:_Node:Erasure:LegalHold:ErasedText:ErasureKey:_MergeAlias)
CREATE (a)-[:MADE]->(a), (a)-[:HAS_SUPPORT]->(a), (a)-[:DEPENDS_ON]->(a), (a)-[:SUPERSEDES]->(a), (a)-[:HAS_EVENT]->(a),
  (a)-[:HAS_STEP]->(a), (a)-[:HAS_PART]->(a), (a)-[:HAS_CHILD]->(a), (a)-[:NEXT_CHUNK]->(a), (a)-[:HAS_ACTIVATION]->(a),
  (a)-[:HAS_SOURCE]->(a), (a)-[:MENTIONED_IN]->(a)
WITH a DETACH DELETE a"""

Keys = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class Definitions:
    """What is to be made in one go.

    Attributes:
        first_use: A statement that uses every label and type of relationship once and leaves nothing.
        unique, lookups, full_text: Labels with properties.
    """

    first_use: str
    unique: Keys
    lookups: Keys
    full_text: Keys


def definitions() -> Definitions:
    """The schema that every graph has."""
    history = tuple((label, (MARKER, *properties)) for label, properties in HISTORY_KEYS)
    by_id = tuple((label, ("id",)) for label in KNOWLEDGE_LABELS + RETENTION_LABELS)
    unique = (*history, *by_id, (ALIAS_LABEL, ("merge_key",)))
    return Definitions(FIRST_USE, unique, LOOKUPS, tuple(FULL_TEXT.values()))


def entity_definitions(entities: EntityLabels) -> Definitions:
    """What agentic-graphrag has for each label of its schema, but vectors; and its key of all nodes of documents."""
    used = ", ".join(f"(a)-[:`{name}`]->(a)" for name in ("MENTIONED_IN", *entities.relations))
    labels = "".join(f":`{label}`" for label in entities.labels)
    return Definitions(
        f"CREATE (a:_Node{labels})\nCREATE {used}\nWITH a DETACH DELETE a",
        (("_Node", ("id",)), *((label, (key,)) for label in entities.labels for key in ("id", "merge_key"))),
        (),
        tuple((label, ("name",)) for label in entities.labels),
    )


def constraint_name(label: str, properties: tuple[str, ...]) -> str:
    if properties == ("id",) or (properties == ("merge_key",) and label != ALIAS_LABEL):
        return f"node_{len(label)}_{label}_{properties[0]}_unique"
    return f"{label.lower()}_{'_'.join(properties)}_unique"


def full_text_name(label: str, properties: tuple[str, ...]) -> str:
    """agentic-graphrag's name of a full-text index on Neo4j: every part with its length before it."""
    parts = [f"{len(part)}_{part}" for part in (label, *properties)]
    return f"idx_{'_'.join(parts)}_fulltext"


class Definer(Protocol):
    """What a schema needs of an adapter."""

    def define(self, query: str, **params: object) -> list[Row]:
        """Run a statement of the schema, also while the store is read-only."""


def twins(store: Definer, label: str, properties: tuple[str, ...]) -> str:
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
    if not examples:
        return (
            f"{label}: {', '.join(shown)} cannot be made unique; does an index on the same properties stand in the way?"
        )
    return f"{label}: more than one record with the same {', '.join(shown)}: {examples}"
