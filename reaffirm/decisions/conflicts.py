"""Choice keys whose active decisions in different tasks reach different conclusions."""

from reaffirm.decisions import cursors
from reaffirm.decisions.behind import tell
from reaffirm.decisions.models import ConflictGroup, ConflictList
from reaffirm.decisions.reading import PATHS
from reaffirm.decisions.records import decision_from, present
from reaffirm.decisions.several import QUEUED, may_be_reached
from reaffirm.decisions.sides import difference_of, evidence_of
from reaffirm.store import GraphStore, Row

GROUPS = 50
SIDES = 50

# The marks are sparse: a decision carries one when recording found another conclusion on its choice. Status and
# conclusions are read again, so a mark that no longer holds costs a row and never shows a conflict. Groups first, then
# their sides. A page begins behind the groups, since the index of FalkorDB compares texts wrongly. The least and the
# greatest conclusion tell that all differ where not all sides are listed.
CONFLICTS = (
    QUEUED
    + """
MATCH (m:Decision) WHERE m.contested_in = $project AND m.choice_key IS NOT NULL AND m.status = 'active'
WITH queued, m.choice_key AS choice_key, count(DISTINCT m.conclusion) AS conclusions,
  count(DISTINCT m.task_id) AS tasks
WHERE conclusions > 1 AND tasks > 1 AND choice_key > $after
WITH queued, choice_key ORDER BY choice_key LIMIT $groups
OPTIONAL MATCH (d:Decision) WHERE d.project_id = $project AND d.status = 'active' AND d.choice_key = choice_key
WITH queued, choice_key, d ORDER BY d.created_at DESC, d.id
WITH queued, choice_key, count(d) AS number, min(d.conclusion) AS least, max(d.conclusion) AS greatest,
  collect(d)[0..$sides] AS ds
UNWIND ds AS k
"""
    + PATHS
    + """WITH size(queued) AS queued, choice_key, number, least, greatest, k AS d, paths
OPTIONAL MATCH (t:Task)-[m:MADE]->(d)
WITH queued, choice_key, number, least, greatest, d, paths, t
OPTIONAL MATCH (d)-[h:HAS_SUPPORT]->(s:DecisionSupport) WHERE s.current = true
WITH queued, choice_key, number, least, greatest, d, paths, t, s
OPTIONAL MATCH (doc:Document {id: s.document_node_id})
WITH queued, choice_key, number, least, greatest, d, paths, t, s, doc
OPTIONAL MATCH (k:Decision) WHERE k._agrag_history_record = true AND k.id = s.target_decision_id
WITH queued, choice_key, number, least, greatest, d, paths, t, collect(s{.*,
  doc: doc{.document_key, .title, .activation_seq, .current_content_hash},
  cited: CASE WHEN k.project_id = $project THEN k{.choice_key, .status} END}) AS supports
RETURN queued, choice_key, number, least, greatest,
  collect(d{.*, task_name: t.name, paths: paths, supports: supports}) AS sides
ORDER BY choice_key
"""
)


def list_conflicts(
    store: GraphStore, project_id: str, *, limit: int = GROUPS, cursor: str | None = None
) -> ConflictList:
    """A page of conflicts by choice key, each with at most 50 sides, in one read."""
    limit = cursors.bounded(limit, 1, GROUPS, GROUPS)
    rows = store.read(
        CONFLICTS,
        project=project_id,
        after=cursors.decode_text(cursor) or "",
        groups=limit + 1,
        sides=SIDES,
    )
    groups = [_group(row) for row in rows]
    more = len(groups) > limit
    return ConflictList(
        groups=tuple(groups[:limit]),
        truncated=more,
        next_cursor=cursors.encode_text(groups[limit - 1].choice_key) if more else None,
    )


def _behind(decision_id: str, supports: list[Row]) -> list[Row]:
    """What behind.BEHIND would read: documents that moved on since the decision cited them."""
    documents = [(each, each.get("doc") or {}) for each in supports if each["kind"] == "document"]
    return [
        {"id": decision_id, "removed": document.get("current_content_hash") is None}
        for each, document in documents
        if document.get("activation_seq") not in (None, each.get("recorded_activation_seq"))
    ]


def _group(row: Row) -> ConflictGroup:
    sides = sorted(row["sides"], key=lambda side: (side["created_at"], side["id"]), reverse=True)
    supports = {side["id"]: sorted(present(side["supports"]), key=lambda each: each["ordinal"]) for side in sides}
    tell(sides, [known for side, cited in supports.items() for known in _behind(side, cited)])
    return ConflictGroup(
        choice_key=row["choice_key"],
        decisions=tuple(
            decision_from(
                side,
                task_name=side["task_name"] or "",
                supports=supports[side["id"]],
                reached=may_be_reached(side["paths"], row["queued"], supports[side["id"]]),
            )
            for side in sides
        ),
        truncated=row["number"] > len(sides),
        count=row["number"],
        difference=difference_of([row["least"], row["greatest"], *(side["conclusion"] for side in sides)]),
        evidence={side: tuple(evidence_of(each) for each in cited) for side, cited in supports.items()},
    )
