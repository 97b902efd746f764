"""Decisions that rest on an older version of a document than the one in force, though nothing has flagged them yet.

Two things leave such a decision stored as clear for a while: a document with more citers than one statement may flag,
and a flag that another program lost. Reads compare the sequence that each current support was recorded against with the
document's, and tell such a decision as flagged.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from reaffirm.decisions.states import DecisionStatus, ReviewReason, ReviewState
from reaffirm.store import Row

# Goes on from ``looked_at``, a list of decision ids, and adds ``behind``. A subquery, so that what else is in scope is
# no grouping key.
BEHIND = """
CALL {
  WITH looked_at
  UNWIND looked_at AS looked_at_id
  MATCH (x:Decision) WHERE x._agrag_history_record = true AND x.id = looked_at_id
  WITH x
  MATCH (x)-[h:HAS_SUPPORT]->(s:DecisionSupport) WHERE s.kind = 'document' AND s.current = true
  WITH x, s
  MATCH (doc:Document {id: s.document_node_id})
  WITH x, s, doc WHERE doc.activation_seq <> s.recorded_activation_seq
  RETURN collect({id: x.id, removed: doc.current_content_hash IS NULL}) AS behind
}
"""


def tell(decisions: Iterable[Row | None], behind: Iterable[Row]) -> None:
    """Note in each of these rows of decisions, under ``behind``, the reason for which it should be looked at."""
    found: dict[str, ReviewReason] = {}
    for row in behind:
        if row["removed"] or row["id"] not in found:
            found[row["id"]] = ReviewReason.SOURCE_REMOVED if row["removed"] else ReviewReason.SOURCE_CHANGED
    for decision in decisions:
        if decision and decision.get("id") in found:
            decision["behind"] = found[decision["id"]]


def is_behind(decision: Mapping[str, Any]) -> bool:
    """Whether a decision is stored as clear and rests on an older version."""
    return bool(
        decision.get("behind")
        and decision["status"] == DecisionStatus.ACTIVE
        and decision["review_state"] == ReviewState.CLEAR
    )


def state_of(decision: Mapping[str, Any]) -> ReviewState:
    """The review state of a row, as it would be had every flag been raised."""
    return ReviewState.NEEDS_REVIEW if is_behind(decision) else ReviewState(decision["review_state"])
