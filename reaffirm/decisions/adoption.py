"""Own facts for records that agentic-graphrag wrote: a flag's place in the queue and its cause, and marks of conflicts.

It writes none of them, so they are added afterwards, with what the queue's orders sort by (counting.py). Every step is
safe to run twice and at once with anything else.
"""

from collections.abc import Mapping
from typing import Any

from reaffirm import ids
from reaffirm.decisions.causes import origin_of
from reaffirm.decisions.counting import count_flags
from reaffirm.decisions.records import FLAG_FACTS, UNSIZED, present
from reaffirm.store import GraphStore

BATCH = 500

CITED = """
WITH d LIMIT $limit
OPTIONAL MATCH (d)-[h:HAS_SUPPORT]->(s:DecisionSupport) WHERE s.current = true
WITH d, s
OPTIONAL MATCH (doc:Document {id: s.document_node_id})
WITH d, s, doc
OPTIONAL MATCH (doc)-[ha:HAS_ACTIVATION]->(act:DocumentActivation) WHERE act.activation_seq = doc.activation_seq
WITH d, s, doc, act
OPTIONAL MATCH (k:Decision) WHERE k._agrag_history_record = true AND k.id = s.target_decision_id
RETURN d{.id, .review_reason, .created_at, .flagged_ms, .cause_kind, .cause_seq} AS decision, collect({id: s.id,
  document_id: doc.id, seq: s.recorded_activation_seq, current_seq: doc.activation_seq,
  removed: doc.current_content_hash IS NULL, reviewed_at: s.reviewed_at, activation_id: act.id,
  activated_at: act.activated_at, parent: k{.id, .status, .review_state, .review_reason, .cause_kind, .cause_root_id,
  .cause_depth, .flagged_ms}}) AS supports
"""

# Flags without a place in the order.
UNPLACED = (
    """
MATCH (d:Decision) WHERE d.project_id = $project AND d.status = 'active' AND d.review_state = 'needs_review'
  AND d.flagged_ms IS NULL
"""
    + CITED
)

# Flags that the other program raised anew: it leaves our facts of an earlier flag where they are. Their cause names an
# older version, or a document on which the decision was reaffirmed since; or the reason is of another kind.
OUTDATED = (
    """
MATCH (d:Decision) WHERE d.project_id = $project AND d.status = 'active' AND d.review_state = 'needs_review'
  AND d.cause_kind IS NOT NULL
WITH d
OPTIONAL MATCH (x:Document {id: d.cause_document_id})
WITH d, x
OPTIONAL MATCH (d)-[h:HAS_SUPPORT]->(s:DecisionSupport) WHERE s.current = true AND s.document_node_id = x.id
  AND (x.current_content_hash IS NULL OR s.recorded_activation_seq <> x.activation_seq)
WITH d, x.activation_seq AS seq, count(s) AS changed
WITH d, CASE d.cause_kind
  WHEN 'document' THEN changed = 0 OR seq <> d.cause_seq OR d.review_reason = 'dependency_review'
  WHEN 'decision' THEN d.review_reason <> 'dependency_review'
  WHEN 'reopened' THEN d.review_reason <> 'dependency_review'
  WHEN 'redaction' THEN d.review_reason <> 'source_removed'
  WHEN 'deletion' THEN d.review_reason <> 'source_removed'
  ELSE d.review_reason <> 'source_changed_during_recording' END AS outdated
WHERE outdated = true
WITH d
"""
    + CITED
)

# Flags by a parent whose origin is not known, because the parent's was not known when they were raised.
ROOTLESS = """
MATCH (d:Decision) WHERE d.project_id = $project AND d.status = 'active' AND d.review_state = 'needs_review'
  AND d.cause_kind = 'decision' AND d.cause_root_id IS NULL
WITH d
MATCH (k:Decision) WHERE k._agrag_history_record = true AND k.id = d.cause_decision_id
  AND (k.status <> 'active' OR k.review_state = 'clear' OR k.review_reason <> 'dependency_review'
    OR k.cause_root_id IS NOT NULL OR coalesce(k.cause_kind, 'decision') <> 'decision')
RETURN d{.id, .cause_kind, .cause_seq} AS decision, k{.id, .status, .review_state, .review_reason, .cause_kind,
  .cause_root_id, .cause_depth} AS parent LIMIT $limit
"""

# Facts of a flag on a decision that the other program cleared.
LEFT_BEHIND = """
MATCH (d:Decision) WHERE d.project_id = $project AND d.status = 'active' AND d.review_state = 'clear'
  AND d.flagged_ms >= 0 AND d.id IS NOT NULL
RETURN d.id AS id LIMIT $limit
"""

TIDY = """
MATCH (d:Decision) WHERE d._agrag_history_record = true AND d.id IN $ids
WITH d ORDER BY d.id
//@lock d
WITH d WHERE d.status = 'active' AND d.review_state = 'clear'
SET d += $cleared
RETURN count(d) AS tidied
"""

PLACE = """
UNWIND $rows AS row
MATCH (d:Decision) WHERE d._agrag_history_record = true AND d.id = row.id
WITH row, d ORDER BY d.id
//@lock d
WITH row, d WHERE d.review_state = 'needs_review' AND d.status = 'active'
  AND (d.flagged_ms IS NULL OR (coalesce(d.cause_kind, '') = row.kind AND coalesce(d.cause_seq, -1) = row.seq))
SET d += row.facts
RETURN count(d) AS placed
"""

# Active decisions that have not been held against the others on their choice.
UNMARKED = """
MATCH (d:Decision) WHERE d.project_id = $project AND d.status = 'active' AND d.choice_key IS NOT NULL
  AND d.conclusion_digest IS NULL
RETURN d.id AS id, d.conclusion AS conclusion LIMIT $limit
"""

MARK = """
UNWIND $rows AS row
MATCH (d:Decision) WHERE d._agrag_history_record = true AND d.id = row.id
WITH row, d ORDER BY d.id
//@lock d
WITH row, d WHERE d.status = 'active'
OPTIONAL MATCH (o:Decision) WHERE o.project_id = $project AND o.status = 'active' AND o.choice_key = d.choice_key
WITH row, d, [x IN collect(o) WHERE x.task_id <> d.task_id AND x.conclusion <> d.conclusion] AS others
OPTIONAL MATCH (c:Decision)-[r:DEPENDS_ON]->(d) WHERE c.status = 'active'
WITH row, d, others, count(DISTINCT c) AS dependents
SET d.dependents = dependents, d.conclusion_digest = row.digest
FOREACH (o IN others | SET o.contested_in = $project)
FOREACH (one IN CASE WHEN size(others) > 0 THEN [1] ELSE [] END | SET d.contested_in = $project)
RETURN count(d) AS marked
"""

PROJECTS = """
MATCH (p:Project) WHERE p._agrag_history_record = true AND p.project_id IS NOT NULL
RETURN p.project_id AS project_id ORDER BY project_id
"""


def adopt_flags(store: GraphStore, *, project_id: str | None = None, limit: int = 1_000) -> int:
    """Complete flags, and decisions not yet held against the others on their choice. Returns how many were completed.

    Args:
        project_id: One project, or None for all of the graph.
        limit: At most so many of each kind in each project.
    """
    projects = [project_id] if project_id is not None else [row["project_id"] for row in store.read(PROJECTS)]
    return sum(
        _tidy(store, each, limit)
        + place_flags(store, each, limit=limit)
        + _placed(store, OUTDATED, each, limit)
        + _rooted(store, each, limit)
        + _mark(store, each, limit)
        + count_flags(store, each, limit=limit)
        for each in projects
    )


def place_flags(store: GraphStore, project_id: str, *, limit: int) -> int:
    """Give flags that another program raised their place in the order, and their cause."""
    return _placed(store, UNPLACED, project_id, limit)


def _placed(store: GraphStore, query: str, project_id: str, limit: int) -> int:
    placed = 0
    while placed < limit:
        rows = store.read(query, project=project_id, limit=min(BATCH, limit - placed))
        if not rows:
            break
        now = ids.milliseconds(ids.now())
        uncompared = {"anchor_states": None, "change_size": UNSIZED}
        facts = [{**_was(row["decision"]), "facts": uncompared | _facts(row, now)} for row in rows]
        written = store.write(PLACE, rows=facts)
        count = int(written[0]["placed"]) if written else 0
        placed += count
        if not count:
            break
    return placed


def _rooted(store: GraphStore, project_id: str, limit: int) -> int:
    """Give flags by a parent their origin, from the top down: each round those whose parent has one."""
    done = 0
    while done < limit:
        rows = store.read(ROOTLESS, project=project_id, limit=min(BATCH, limit - done))
        if not rows:
            break
        facts = [{**_was(row["decision"]), "facts": _origin_facts(row["parent"])} for row in rows]
        written = store.write(PLACE, rows=facts)
        count = int(written[0]["placed"]) if written else 0
        done += count
        if not count:
            break
    return done


def _origin_facts(parent: Mapping[str, Any]) -> dict[str, Any]:
    root, depth = origin_of(parent)
    return {"cause_root_id": root, "cause_depth": depth}


def _was(decision: Mapping[str, Any]) -> dict[str, Any]:
    """Which flag is completed: one that got another cause in between is left for the next time."""
    seq = decision["cause_seq"]
    return {"id": decision["id"], "kind": decision["cause_kind"] or "", "seq": -1 if seq is None else seq}


def _tidy(store: GraphStore, project_id: str, limit: int) -> int:
    found = store.read(LEFT_BEHIND, project=project_id, limit=min(BATCH, limit))
    if not found:
        return 0
    written = store.write(TIDY, ids=[row["id"] for row in found], cleared=dict.fromkeys(FLAG_FACTS))
    return int(written[0]["tidied"]) if written else 0


def _facts(row: Mapping[str, Any], now: int) -> dict[str, Any]:
    """When and by what a flag was raised, as far as the graph can tell."""
    decision = row["decision"]
    supports = present(row["supports"])
    reason = decision["review_reason"]
    if reason == "source_changed_during_recording":
        return {"flagged_ms": ids.milliseconds(decision["created_at"]), "cause_kind": "recording", "cause_seq": None}
    if reason == "dependency_review":
        return _parent_facts(supports, now)
    changed = [
        each for each in supports if each["activation_id"] and (each["removed"] or each["seq"] != each["current_seq"])
    ]
    if not changed:
        return {"flagged_ms": now, "cause_kind": None, "cause_seq": None}
    newest = max(changed, key=lambda each: str(each["activated_at"]))
    return {
        "flagged_ms": _since(decision, supports) or ids.milliseconds(newest["activated_at"]),
        "cause_kind": "document",
        "cause_document_id": newest["document_id"],
        "cause_activation_id": newest["activation_id"],
        "cause_seq": newest["current_seq"],
        "cause_by": None,
        "cause_reason": None,
    }


def _parent_facts(supports: list[dict[str, Any]], now: int) -> dict[str, Any]:
    parents = present(each["parent"] for each in supports)
    doubtful = [each for each in parents if each["status"] != "active" or each["review_state"] != "clear"]
    cause = next(iter(doubtful or parents), None)
    return {
        "flagged_ms": (cause and cause["flagged_ms"]) or now,
        "cause_seq": None,
        "cause_kind": "decision" if cause else None,
        "cause_decision_id": cause and cause["id"],
        "cause_by": None,
        "cause_reason": None,
        **(_origin_facts(cause) if cause else {}),
    }


def _since(decision: Mapping[str, Any], supports: list[dict[str, Any]]) -> int | None:
    """Since when a flag that was raised anew has been waiting; None when somebody cleared it in between."""
    waiting: int | None = decision["flagged_ms"]
    reviewed = [ids.milliseconds(each["reviewed_at"]) for each in supports if each["reviewed_at"]]
    if waiting is None or any(each > waiting for each in reviewed):
        return None
    return waiting


def _mark(store: GraphStore, project_id: str, limit: int) -> int:
    marked = 0
    while marked < limit:
        found = store.read(UNMARKED, project=project_id, limit=min(BATCH, limit - marked))
        if not found:
            break
        rows = [{"id": row["id"], "digest": ids.text_digest(row["conclusion"])[:32]} for row in found]
        written = store.write(MARK, project=project_id, rows=rows)
        count = int(written[0]["marked"]) if written else 0
        marked += count
        if not count:
            break
    return marked
