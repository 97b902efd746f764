"""How much of what a flagged decision cites has changed: counted once after an activation and stored with the flag.

Anchors cannot be found in Cypher, so the queue shows what was stored here, and says "not compared yet" until then. The
size of the change, by which the queue can be sorted, is the number of words added and removed. A flag that no change of
a cited text raised has none: a parent in doubt is no small change. It sorts last, as one not compared yet.
"""

import json
from collections import Counter

from reaffirm.decisions.case import Case, read_for_verdict
from reaffirm.decisions.models import ReviewReason
from reaffirm.decisions.records import UNSIZED
from reaffirm.knowledge.diff import words_that_changed
from reaffirm.store import GraphStore

UNCOMPARED = """
MATCH (d:Decision) WHERE d.project_id = $project AND d.status = 'active' AND d.review_state = 'needs_review'
  AND d.anchor_states IS NULL
RETURN d.id AS id, d.flagged_ms AS flagged_ms ORDER BY flagged_ms, id LIMIT $limit
"""

# Only onto the very flag that was compared: an activation in between removes the facts and names itself as the cause.
COMPARED = """
MATCH (d:Decision) WHERE d._agrag_history_record = true AND d.id = $id
WITH d
//@lock d
WITH d WHERE d.status = 'active' AND d.review_state = 'needs_review'
  AND coalesce(d.cause_activation_id, '') = $cause
SET d.anchor_states = $states, d.words_added = $added, d.words_removed = $removed, d.change_size = $size
RETURN d.id AS id
"""


def compare_flags(store: GraphStore, project_id: str, *, limit: int = 100) -> int:
    """Compare at most ``limit`` flags whose cited passages were not looked at yet. Returns how many were compared."""
    compared = 0
    for row in store.read(UNCOMPARED, project=project_id, limit=limit):
        case = read_for_verdict(store, project_id=project_id, decision_id=row["id"], request_node_id="")
        if case is None:
            continue
        states, added, removed = _change(case)
        written = store.write(
            COMPARED,
            id=case.id,
            cause=case.row.get("cause_activation_id") or "",
            states=json.dumps(states, sort_keys=True),
            added=added,
            removed=removed,
            size=_size(case, added + removed),
        )
        compared += len(written)
    return compared


def _size(case: Case, words: int) -> int:
    by_text = case.passages and case.row["review_reason"] != ReviewReason.DEPENDENCY_REVIEW
    return words if words or by_text else UNSIZED


def _change(case: Case) -> tuple[dict[str, int], int, int]:
    """The document citations by anchor state, and the words added and removed in the cited passages."""
    states: Counter[str] = Counter()
    added = removed = 0
    for passage in case.passages.values():
        states[passage.anchor.state.value] += 1
        more, fewer = words_that_changed(passage.cited_text or "", passage.current_text or "")
        added, removed = added + more, removed + fewer
    return dict(states), added, removed
