"""Decisions that rest on an older version of a document than the one in force, though nothing has flagged them yet.

Two things leave such a decision stored as clear for a while: a document with more citers than one statement may flag,
and a flag that another program lost. Reads compare the sequence that each current support was recorded against with the
document's, and tell such a decision as flagged.
"""

from collections.abc import Iterable, Mapping

from reaffirm.decisions.models import ReviewReason
from reaffirm.store import Row

Behind = Mapping[str, ReviewReason]

# Of a decision d with one of its supports s and the document doc that it names; null where all is as it was recorded.
IS_BEHIND = """CASE WHEN doc.activation_seq <> s.recorded_activation_seq
  THEN {id: d.id, removed: doc.current_content_hash IS NULL} END"""


def behind_of(rows: str, keep: str) -> str:
    """The end of a statement that goes on with ``keep`` and ``behind``: which of some decisions are behind.

    Args:
        rows: An expression for a list of decision ids.
        keep: What is in scope and stays so.
    """
    return f"""
WITH {keep}, {rows} AS looked_at
UNWIND (CASE WHEN size(looked_at) = 0 THEN [null] ELSE looked_at END) AS looked_at_id
OPTIONAL MATCH (d:Decision) WHERE d._agrag_history_record = true AND d.id = looked_at_id
WITH {keep}, d
OPTIONAL MATCH (d)-[h:HAS_SUPPORT]->(s:DecisionSupport) WHERE s.kind = 'document' AND s.current = true
WITH {keep}, d, s
OPTIONAL MATCH (doc:Document {{id: s.document_node_id}})
WITH {keep}, collect(DISTINCT {IS_BEHIND}) AS behind
"""


def behind_from(rows: Iterable[Row | None]) -> Behind:
    """Why each decision that is behind should be looked at, by its id."""
    found: dict[str, ReviewReason] = {}
    for row in rows:
        if row and row.get("id"):
            removed = row["removed"] or found.get(row["id"]) is ReviewReason.SOURCE_REMOVED
            found[row["id"]] = ReviewReason.SOURCE_REMOVED if removed else ReviewReason.SOURCE_CHANGED
    return found
