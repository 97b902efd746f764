"""What holds of a graph at every moment, whatever was killed: found breaches, none when it is sound."""

from collections.abc import Callable, Iterator

from reaffirm.store import GraphStore
from tests.interop import invariants

# Properties that every record of a label has.
WHOLE = {
    "Task": "id name goal status event_seq",
    "Event": "id seq kind payload payload_sha256 at",
    "Step": "id name state updated_seq",
    "Request": "id request_id operation payload_sha256",
    "Decision": "id choice_key revision status review_state conclusion",
    "DecisionSupport": "id kind ordinal current",
    "Document": "id document_key activation_seq",
    "DocumentActivation": "id activation_seq verb",
    "Chunk": "id text content_hash",
    "LegalHold": "id task_id reason",
    "Erasure": "id kind state",
}
# Each names what must not be there.
ORPHANS = {
    "event without task": "MATCH (x:Event) WHERE NOT (:Task)-[:HAS_EVENT]->(x) RETURN x.id AS id",
    "step without task": "MATCH (x:Step) WHERE NOT (:Task)-[:HAS_STEP]->(x) RETURN x.id AS id",
    "decision without task": "MATCH (x:Decision) WHERE NOT (:Task)-[:MADE]->(x) RETURN x.id AS id",
    "support without decision": "MATCH (x:DecisionSupport) WHERE NOT (:Decision)-[:HAS_SUPPORT]->(x) RETURN x.id AS id",
    "chunk without document": "MATCH (x:Chunk) WHERE NOT (:Document)-[:HAS_PART]->(x) RETURN x.id AS id",
    "section without document": "MATCH (x:Section) WHERE NOT (:Document)-[:HAS_PART]->(x) RETURN x.id AS id",
    "activation without document": "MATCH (x:DocumentActivation) WHERE NOT (:Document)-[:HAS_ACTIVATION]->(x) "
    "RETURN x.id AS id",
    "claim without result": "MATCH (x:Request) WHERE x.result_json IS NULL RETURN x.id AS id",
    "open chunk of no version in force": "MATCH (doc:Document)-[h:HAS_PART]->(x:Chunk) WHERE h.invalid_at IS NULL "
    "AND x.content_hash <> coalesce(doc.current_content_hash, '') RETURN x.id AS id",
}
TWO_ACTIVE = """
MATCH (d:Decision) WHERE d.status = 'active'
WITH d.task_id AS task, d.choice_key AS choice, count(d) AS active WHERE active > 1
RETURN task + ' ' + choice AS id
"""
ORDINALS = """
MATCH (d:Decision)-[h:HAS_SUPPORT]->(s:DecisionSupport)
WITH d.id AS id, count(s) AS supports, min(s.ordinal) AS first, max(s.ordinal) AS last, count(DISTINCT s.ordinal) AS own
WHERE first <> 0 OR last <> supports - 1 OR own <> supports
RETURN id
"""
# A clear decision whose document moved on reads as flagged while the document carries the mark of unfinished flags.
UNFLAGGED = """
MATCH (d:Decision)-[h:HAS_SUPPORT]->(s:DecisionSupport)
WHERE d.status = 'active' AND d.review_state = 'clear' AND s.kind = 'document' AND s.current = true
WITH d, s
MATCH (doc:Document {id: s.document_node_id})
WHERE doc.flagging_ms IS NULL
  AND (doc.activation_seq <> s.recorded_activation_seq OR coalesce(doc.current_content_hash, '') <> s.content_hash)
RETURN d.id AS id
"""
# One whose parent is in doubt reads as unknown while that parent carries the mark of a review that spreads.
UNAWARE = """
MATCH (d:Decision)-[r:DEPENDS_ON]->(p:Decision)
WHERE d.status = 'active' AND d.review_state = 'clear' AND (p.status <> 'active' OR p.review_state <> 'clear')
  AND coalesce(p.review_pending, false) = false
RETURN d.id AS id
"""
QUERIES = {
    **ORPHANS,
    "two active revisions": TWO_ACTIVE,
    "ordinals not dense": ORDINALS,
    "lost flag of a source": UNFLAGGED,
    "lost flag of a parent": UNAWARE,
}
CHECKS: dict[str, Callable[[GraphStore], None]] = {
    "events": invariants.gapless_events,
    "revisions": invariants.one_active_revision,
    "versions": invariants.one_version,
}


def breaches(store: GraphStore) -> Iterator[str]:
    """Every breach of what must always hold, in words."""
    for label, properties in WHOLE.items():
        missing = " OR ".join(f"x.{name} IS NULL" for name in properties.split())
        rows = store.read(f"MATCH (x:{label}) WHERE {missing} RETURN x{{.*}} AS record LIMIT 3")
        if rows:
            yield f"{label} without all of its properties: {rows}"
            return  # the other checks count on them
    for name, query in QUERIES.items():
        found = [row["id"] for row in store.read(query)]
        if found:
            yield f"{name}: {found[:5]}"
    for name, check in CHECKS.items():
        try:
            check(store)
        except AssertionError as error:
            yield f"{name}: {error}"
