"""Legal holds: what stands under one is neither redacted nor deleted until somebody releases it.

A hold is placed behind the lock of its task, which every redaction and deletion takes before it looks for holds: of
two that meet, one is first.
"""

from typing import Any
from uuid import uuid4

from reaffirm import ids
from reaffirm.decisions import cursors
from reaffirm.history.records import Scope, page_size, result_json
from reaffirm.operation import Claim, earlier
from reaffirm.retention.erasures import place
from reaffirm.retention.models import Hold, HoldPage, HoldResult

HOLD_READ = """WITH 1 AS one
OPTIONAL MATCH (q:Request) WHERE q._agrag_history_record = true AND q.id = $request_node_id
WITH CASE WHEN q IS NULL THEN null ELSE q{.*} END AS request
OPTIONAL MATCH (t:Task) WHERE t._agrag_history_record = true AND t.id = $task_id
WITH request, CASE WHEN t IS NULL THEN null ELSE t{.*} END AS task
OPTIONAL MATCH (e:Event) WHERE e._agrag_history_record = true AND e.id = $event_id AND e.task_id = $task_id
RETURN request, task, e.id AS event_id"""

EVENT_TASK = """MATCH (e:Event) WHERE e._agrag_history_record = true AND e.id = $event_id
WITH e
MATCH (t:Task)-[h:HAS_EVENT]->(e) WHERE t.project_id = $project_id
RETURN t.id AS task_id"""

PLACE_HOLD = """MATCH (t:Task) WHERE t._agrag_history_record = true AND t.id = $task_id AND t.project_id = $project_id
WITH t
//@lock t
WITH t WHERE properties(t).deletion_id IS NULL
OPTIONAL MATCH (e:Event) WHERE e._agrag_history_record = true AND e.id = $event_id AND e.task_id = $task_id
WITH t, count(e) AS found WHERE found = 1 OR $event_id = ''
OPTIONAL MATCH (q:Request) WHERE q._agrag_history_record = true AND q.id = $request_node_id
WITH t, count(q) AS done WHERE done = 0
CREATE (q:Request) SET q = $request
CREATE (h:LegalHold) SET h = $hold
RETURN h.id AS id"""

RELEASE_READ = """WITH 1 AS one
OPTIONAL MATCH (q:Request) WHERE q._agrag_history_record = true AND q.id = $request_node_id
WITH CASE WHEN q IS NULL THEN null ELSE q{.*} END AS request
OPTIONAL MATCH (h:LegalHold) WHERE h.id = $hold_id AND h.project_id = $project_id
RETURN request, CASE WHEN h IS NULL THEN null ELSE h{.*} END AS hold"""

RELEASE_HOLD = """MATCH (h:LegalHold) WHERE h.id = $hold_id AND h.project_id = $project_id
WITH h
//@lock h
WITH h WHERE properties(h).released_at IS NULL
OPTIONAL MATCH (q:Request) WHERE q._agrag_history_record = true AND q.id = $request_node_id
WITH h, count(q) AS done WHERE done = 0
CREATE (q:Request) SET q = $request
SET h += $changes
RETURN h.id AS id"""

# See LIST_ERASURES for the form.
LIST_HOLDS = """MATCH (h:LegalHold) WHERE h.project_id = $project_id AND h.at <= $at AND h.id IS NOT NULL
  AND NOT (h.at = $at AND h.id >= $id)
WITH h, h.at AS moment WHERE moment <= $at AND ($all = true OR h.released_at IS NULL)
RETURN h{.*} AS hold ORDER BY h.project_id DESC, h.at DESC, h.id DESC LIMIT $limit"""


def _task_of_event(scope: Scope, event_id: str) -> str | None:
    """The id of the task that an event of the project belongs to."""
    rows = scope.store.read(EVENT_TASK, event_id=event_id, project_id=scope.project_id)
    return rows[0]["task_id"] if rows else None


def place_hold(scope: Scope, task_id: str | None, event_id: str | None, reason: str, claim: Claim) -> HoldResult | None:
    """One attempt. None: the world moved, look again.

    Args:
        task_id: None where event_id tells it.
    """
    if task_id is None:
        task_id = (event_id and _task_of_event(scope, event_id)) or ""
    wanted = {"task_id": task_id, "event_id": event_id or "", "request_node_id": claim.node_id}
    row = scope.store.read(HOLD_READ, **wanted)[0]
    replayed = earlier(HoldResult, row["request"], claim)
    if replayed:
        return replayed
    task = row["task"]
    if event_id and row["event_id"] is None:
        return HoldResult(recorded=False, error="event_not_found", field="event_id")
    if task is None:
        return HoldResult(recorded=False, error="task_not_found", field="task_name")
    if task.get("deletion_id"):
        return HoldResult(recorded=False, error="being_deleted", field="task_name")
    hold = {
        "id": str(uuid4()),
        "project_id": scope.project_id,
        "task_id": task_id,
        "task_name": task["name"],
        "event_id": event_id,
        "reason": reason,
        "by": scope.agent_id,
        "at": ids.now(),
    }
    result = HoldResult(recorded=True, hold=hold_from(hold))
    written = scope.store.write(
        PLACE_HOLD,
        **wanted,
        project_id=scope.project_id,
        request=claim.properties(result_json(result)),
        hold=hold,
    )
    return result if written else None


def release_hold(scope: Scope, hold_id: str, reason: str, claim: Claim) -> HoldResult | None:
    """One attempt. None: the world moved, look again."""
    wanted = {"hold_id": hold_id, "project_id": scope.project_id, "request_node_id": claim.node_id}
    row = scope.store.read(RELEASE_READ, **wanted)[0]
    replayed = earlier(HoldResult, row["request"], claim)
    if replayed:
        return replayed
    if row["hold"] is None or row["hold"].get("released_at"):
        return HoldResult(recorded=False, error="hold_not_found", field="hold_id")
    changes = {"released_at": ids.now(), "released_by": scope.agent_id, "release_reason": reason}
    result = HoldResult(recorded=True, hold=hold_from({**row["hold"], **changes}))
    written = scope.store.write(RELEASE_HOLD, **wanted, request=claim.properties(result_json(result)), changes=changes)
    return result if written else None


def hold_from(row: dict[str, Any]) -> Hold:
    return Hold.model_validate(row)


def list_holds(scope: Scope, released: bool, limit: object, cursor: object) -> HoldPage:
    size = page_size(limit)
    at, after_id = place(cursor)
    rows = scope.store.read(
        LIST_HOLDS, project_id=scope.project_id, at=at, id=after_id, limit=size + 1, all=bool(released)
    )
    found = [row["hold"] for row in rows]
    last = found[size - 1] if len(found) > size else None
    return HoldPage(
        holds=tuple(hold_from(row) for row in found[:size]),
        next_cursor=cursors.encode(last["at"], last["id"]) if last else None,
    )
