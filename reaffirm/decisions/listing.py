"""Reads of single decisions and of a task's decisions."""

from reaffirm import ids
from reaffirm.decisions import cursors
from reaffirm.decisions.behind import BEHIND, tell
from reaffirm.decisions.models import (
    Decision,
    DecisionLookup,
    DecisionPage,
    DecisionResult,
    SupportHistoryPage,
)
from reaffirm.decisions.recording import Scope
from reaffirm.decisions.records import QUEUED_LOOKED_AT, decision_from, present, support_from
from reaffirm.store import Row

PAGE, MAX_PAGE = 20, 100

# Whether a review that still spreads may reach d: rows of d become one row with the number of paths. An idle project
# has no queued decisions, so this costs one index look-up.
REACHED = """
OPTIONAL MATCH (a:Decision) WHERE a.project_id = $project AND a.review_pending = true
WITH d, t, collect(a)[0..101] AS queued
UNWIND (CASE WHEN size(queued) = 0 THEN [null] ELSE queued END) AS a
WITH d, t, queued, CASE WHEN a IS NULL OR a.id = d.id THEN null
  ELSE shortestPath((d)-[:DEPENDS_ON*1..]->(a)) END AS path
WITH d, t, size(queued) AS queued, count(path) AS paths
OPTIONAL MATCH (d)-[h:HAS_SUPPORT]->(s:DecisionSupport) WHERE s.current = true
"""

ONE = (
    """
MATCH (d:Decision {_agrag_history_record: true, id: $id}) WHERE d.project_id = $project
WITH d
MATCH (t:Task)-[m:MADE]->(d)
WITH d, t
"""
    + REACHED
    + """
WITH d, t, queued, paths, collect(s{.*}) AS supports, [d.id] AS looked_at
"""
    + BEHIND
    + "RETURN d{.*} AS decision, t.name AS task_name, queued, paths, supports, behind"
)

OF_TASK = (
    """
MATCH (t:Task) WHERE t._agrag_history_record = true AND t.id = $task_id AND t.project_id = $project
WITH t
OPTIONAL MATCH (t)-[m:MADE]->(d:Decision) WHERE $history = true OR d.status = 'active'
WITH t, d ORDER BY d.created_at DESC, d.id DESC
WITH t, collect(d) AS all_of_them
WITH t, size(all_of_them) AS number, [x IN all_of_them WHERE $before = ''
  OR x.created_at < $before OR (x.created_at = $before AND x.id < $before_id)][0..$limit] AS ds
UNWIND (CASE WHEN size(ds) = 0 THEN [null] ELSE ds END) AS d
OPTIONAL MATCH (a:Decision) WHERE a.project_id = $project AND a.review_pending = true
WITH t, number, d, collect(a)[0..101] AS queued
UNWIND (CASE WHEN size(queued) = 0 THEN [null] ELSE queued END) AS a
WITH t, number, d, queued, CASE WHEN d IS NULL OR a IS NULL OR a.id = d.id THEN null
  ELSE shortestPath((d)-[:DEPENDS_ON*1..]->(a)) END AS path
WITH t, number, d, size(queued) AS queued, count(path) AS paths
OPTIONAL MATCH (d)-[h:HAS_SUPPORT]->(s:DecisionSupport) WHERE s.current = true
WITH t, number, d, queued, paths, collect(s{.*}) AS supports, [d.id] AS looked_at
"""
    + BEHIND
    + "RETURN t.name AS task_name, number, d{.*} AS decision, queued, paths, supports, behind"
)

SUPPORTS = """
MATCH (d:Decision {_agrag_history_record: true, id: $id}) WHERE d.project_id = $project
WITH d
OPTIONAL MATCH (d)-[h:HAS_SUPPORT]->(s:DecisionSupport) WHERE s.ordinal > $after
WITH d, s ORDER BY s.ordinal
RETURN d.id AS id, collect(s{.*})[0..$limit] AS supports
"""

REQUEST = """
MATCH (q:Request) WHERE q._agrag_history_record = true AND q.id = $id
RETURN q{.*} AS request
"""

CITES = """
MATCH (s:DecisionSupport) WHERE s.document_node_id = $document_id
WITH s
MATCH (d:Decision)-[h:HAS_SUPPORT]->(s) WHERE d.project_id = $project
RETURN d.id AS id LIMIT 1
"""


def _decision(row: Row) -> Decision:
    supports = present(row["supports"])
    tell([row["decision"]], row["behind"])
    unsure = row["queued"] > QUEUED_LOOKED_AT and any(each["kind"] == "decision" for each in supports)
    return decision_from(
        row["decision"],
        task_name=row["task_name"],
        supports=supports,
        reached=bool(row["paths"]) or unsure,
    )


def get_decision(scope: Scope, decision_id: str) -> DecisionLookup:
    if not ids.is_uuid(decision_id):
        return DecisionLookup(found=False)
    rows = scope.store.read(ONE, id=decision_id, project=scope.project_id)
    return DecisionLookup(found=True, decision=_decision(rows[0])) if rows else DecisionLookup(found=False)


def list_decisions(
    scope: Scope, task_id: str, *, include_history: bool, limit: int, cursor: str | None
) -> DecisionPage:
    """A page of a task's decisions, newest first, id as tie-break."""
    if not ids.is_uuid(task_id):
        return DecisionPage(found=False)
    limit = cursors.bounded(limit, 1, MAX_PAGE, PAGE)
    before, before_id = _place(cursor)
    rows = scope.store.read(
        OF_TASK,
        task_id=task_id,
        project=scope.project_id,
        history=bool(include_history),
        before=before,
        before_id=before_id,
        limit=limit + 1,
    )
    if not rows:
        return DecisionPage(found=False)
    found = [row for row in rows if row["decision"] and row["decision"].get("id")]
    found.sort(key=lambda row: (row["decision"]["created_at"], row["decision"]["id"]), reverse=True)
    last = found[limit - 1]["decision"] if len(found) > limit else None
    return DecisionPage(
        found=True,
        decisions=tuple(_decision(row) for row in found[:limit]),
        count=rows[0]["number"],
        next_cursor=cursors.encode(last["created_at"], last["id"]) if last else None,
    )


def support_history(scope: Scope, decision_id: str, *, after_ordinal: int, limit: int) -> SupportHistoryPage:
    if not ids.is_uuid(decision_id):
        return SupportHistoryPage(found=False)
    limit = cursors.bounded(limit, 1, MAX_PAGE, PAGE)
    after = cursors.bounded(after_ordinal, -1, 2**53, -1)
    rows = scope.store.read(SUPPORTS, id=decision_id, project=scope.project_id, after=after, limit=limit + 1)
    if not rows:
        return SupportHistoryPage(found=False)
    supports = [support_from(each) for each in present(rows[0]["supports"])]
    return SupportHistoryPage(
        found=True,
        supports=tuple(supports[:limit]),
        next_after_ordinal=supports[limit - 1].ordinal if len(supports) > limit else None,
    )


def find_request(scope: Scope, request_id: str) -> DecisionResult | None:
    if not isinstance(request_id, str):
        return None
    rows = scope.store.read(REQUEST, id=ids.request_node_id(scope.project_id, request_id))
    if not rows or not rows[0]["request"].get("result_json"):
        return None
    return DecisionResult.model_validate_json(rows[0]["request"]["result_json"]).model_copy(update={"replayed": True})


def cites_document(scope: Scope, document_id: str) -> bool:
    return bool(ids.is_uuid(document_id) and scope.store.read(CITES, document_id=document_id, project=scope.project_id))


def _place(cursor: str | None) -> tuple[str, str]:
    created_at, decision_id = cursors.decode(cursor) or ("", "")
    try:
        ids.milliseconds(created_at)
    except (ValueError, TypeError):
        return "", ""
    return created_at, decision_id
