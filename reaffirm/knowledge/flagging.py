"""Flags in batches: for a document that more decisions cite than one statement may flag.

The activating statement marks the document (``flagging_ms``). Batches then flag who cites it, each one statement that
looks at the world again, so they may be interrupted anywhere and run from many workers at once. Every support that is
done carries the activation (``flagged_seq``), so a new worker, or a newer activation, goes on from what is there.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from reaffirm import ids
from reaffirm.knowledge.models import IngestResult
from reaffirm.knowledge.statements import FLAG
from reaffirm.operation import TRIES
from reaffirm.store import GraphStore, OutcomeUnknown, Row, StoreConflict

BATCH = 500  # decisions flagged by one statement
LISTED = 20_000  # and named by one read: it walks past those that are done, so it should not happen too often
MARKED_AT_ONCE = 10
REMOVALS = ("delete", "purge")

MARKED = """
MATCH (doc:Document) WHERE doc.flagging_ms >= 0
WITH doc ORDER BY doc.flagging_ms, doc.id LIMIT $limit
OPTIONAL MATCH (doc)-[has:HAS_ACTIVATION]->(a:DocumentActivation) WHERE a.activation_seq = doc.activation_seq
RETURN doc.id AS id, doc.activation_seq AS seq, doc.flagging_ms AS marked_ms,
  doc.current_content_hash IS NULL AS removed, a{.id, .verb, .author, .activated_at} AS activation
"""

MARK_OF = """
MATCH (doc:Document {id: $id}) WHERE doc.flagging_ms >= 0
WITH doc
OPTIONAL MATCH (doc)-[has:HAS_ACTIVATION]->(a:DocumentActivation) WHERE a.activation_seq = doc.activation_seq
RETURN doc.id AS id, doc.activation_seq AS seq, doc.flagging_ms AS marked_ms,
  doc.current_content_hash IS NULL AS removed, a{.id, .verb, .author, .activated_at} AS activation
"""

STANDING = """
MATCH (doc:Document {id: $id})
WITH doc
OPTIONAL MATCH (doc)-[has:HAS_ACTIVATION]->(a:DocumentActivation) WHERE a.activation_seq = $seq
RETURN doc.flagging_ms IS NOT NULL AS unfinished, max(coalesce(a.decisions_flagged, 0)) AS flagged
"""

# A decision recorded since the activation, on the version before it, was flagged when it was recorded.
CITING = """
MATCH (s:DecisionSupport) WHERE s.document_node_id = $id AND s.kind = 'document' AND s.current = true
  AND coalesce(s.recorded_activation_seq, 0) <> $seq AND coalesce(s.flagged_seq, 0) <> $seq
WITH DISTINCT s
MATCH (d:Decision)-[h:HAS_SUPPORT]->(s) WHERE d.status = 'active'
  AND NOT (d.review_state = 'needs_review' AND coalesce(d.created_at, '') >= $activated_at)
RETURN DISTINCT d.id AS id LIMIT $limit
"""

# On Neo4j properties(d).x reads the state behind the lock.
FLAG_CITERS = (
    """
MATCH (doc:Document {id: $id})
//@lock doc
WITH doc WHERE doc.activation_seq = $seq
OPTIONAL MATCH (a:DocumentActivation {id: $activation_id})
WITH doc, a
UNWIND $decision_ids AS decision_id
MATCH (d:Decision) WHERE d._agrag_history_record = true AND d.id = decision_id
WITH doc, a, d ORDER BY d.id
//@lock d
WITH doc, a, d
MATCH (d)-[h:HAS_SUPPORT]->(s:DecisionSupport) WHERE s.document_node_id = $id AND s.kind = 'document'
  AND s.current = true AND coalesce(s.recorded_activation_seq, 0) <> $seq
  AND (coalesce(s.flagged_seq, 0) <> $seq OR properties(d).review_state = 'clear')
WITH doc, a, d, collect(s) AS supports
OPTIONAL MATCH (c:Decision)-[r:DEPENDS_ON]->(d) WHERE c.status = 'active'
WITH doc, a, d, supports, count(r) AS dependents
WITH doc, a, collect(CASE WHEN properties(d).status = 'active' AND dependents = 0 THEN d END) AS leaves,
  collect(CASE WHEN properties(d).status = 'active' AND dependents > 0 THEN d END) AS parents,
  collect(supports) AS cited
WITH doc, a, leaves, parents, cited, [x IN parents | x.project_id] AS names
OPTIONAL MATCH (p:Project) WHERE p._agrag_history_record = true AND p.project_id IN names
WITH a, leaves, parents, cited, names, p ORDER BY p.project_id
//@lock p.project_id
WITH a, leaves, parents, cited, names, collect(p) AS projects
FOREACH (supports IN cited | FOREACH (s IN supports | SET s.flagged_seq = $seq))
FOREACH (one IN CASE WHEN a IS NULL THEN [] ELSE [a] END |
  SET one.decisions_flagged = coalesce(one.decisions_flagged, 0) + size(leaves) + size(parents))
"""
    + FLAG
    + "RETURN size(leaves) + size(parents) AS flagged"
)

FINISH = """
MATCH (doc:Document {id: $id})
//@lock doc
WITH doc WHERE doc.activation_seq = $seq AND doc.flagging_ms = $marked_ms
SET doc.flagging_ms = null
RETURN doc.id AS id
"""


@dataclass(frozen=True)
class Change:
    """The activation whose flags are raised."""

    document_id: str
    seq: int
    removed: bool
    activation_id: str
    author: str | None
    activated_at: str


def change_of(row: Row) -> Change:
    """The activation of a row of a document with its newest activation."""
    activation = row["activation"] or {}
    removed = bool(row["removed"]) or activation.get("verb") in REMOVALS
    activation_id, at = activation.get("id") or "", activation.get("activated_at") or "~"
    return Change(row["id"], row["seq"], removed, activation_id, activation.get("author"), at)


def flag_citers(store: GraphStore, change: Change, decision_ids: list[str]) -> int | None:
    """Flag at most BATCH decisions for a change; how many. None when the document moved on.

    Decisions that no longer cite an older version, and those that are flagged for this change, are left alone.
    """
    rows = persist(
        lambda: store.write(
            FLAG_CITERS,
            id=change.document_id,
            seq=change.seq,
            activation_id=change.activation_id,
            decision_ids=decision_ids,
            reason="source_removed" if change.removed else "source_changed",
            facts={"author": change.author},
            now_ms=ids.milliseconds(ids.now()),
        )
    )
    return int(rows[0]["flagged"]) if rows else None


def continue_flagging(store: GraphStore, limit: int, document_id: str | None = None) -> int:
    """Raise flags that activations left to batches.

    Args:
        limit: At most so many decisions are looked at.
        document_id: Only who cites this document.

    Returns:
        How many decisions were looked at; 0 when none was left.
    """
    done = 0
    for row in _marked(store, document_id):
        done += _go_on(store, row, limit - done)
        if done >= limit:
            break
    return done


def told(store: GraphStore, result: IngestResult) -> IngestResult:
    """The result of an activation whose flags are raised in batches, as far as they are now."""
    rows = store.read(STANDING, id=result.document_id, seq=result.activation_seq)
    if not rows:
        return result
    return result.model_copy(update={"flagged": int(rows[0]["flagged"]), "unfinished": rows[0]["unfinished"]})


def _marked(store: GraphStore, document_id: str | None) -> list[Row]:
    if document_id is None:
        return store.read(MARKED, limit=MARKED_AT_ONCE)
    return store.read(MARK_OF, id=document_id)


def _go_on(store: GraphStore, row: Row, limit: int) -> int:
    """Flag who cites one marked document; how many were looked at."""
    change, done = change_of(row), 0
    while done < limit:
        found = store.read(
            CITING,
            id=change.document_id,
            seq=change.seq,
            activated_at=change.activated_at,
            limit=min(LISTED, limit - done),
        )
        if not found:
            persist(lambda: store.write(FINISH, id=change.document_id, seq=change.seq, marked_ms=row["marked_ms"]))
            break
        for batch in _batches([each["id"] for each in found]):
            if flag_citers(store, change, batch) is None and _moved(store, change):
                return done  # a newer activation: its citers are listed anew
            done += len(batch)
    return done


def _moved(store: GraphStore, change: Change) -> bool:
    """Whether no row meant that the document has another activation now, and not that all of a batch was done."""
    rows = store.read(MARK_OF, id=change.document_id)
    return not rows or rows[0]["seq"] != change.seq


def _batches(found: list[str]) -> Iterator[list[str]]:
    for start in range(0, len(found), BATCH):
        yield found[start : start + BATCH]


def persist(write: Callable[[], list[Row]]) -> list[Row]:
    """A step that was applied is not applied again, so one whose answer was lost is just tried again."""
    for losses in range(TRIES):
        try:
            return write()
        except (OutcomeUnknown, StoreConflict):
            if losses == TRIES - 1:
                raise
    raise AssertionError("unreachable")
