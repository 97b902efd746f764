"""Tasks: create one, list them."""

import base64
import binascii
import json
from typing import Any

from reaffirm import ids
from reaffirm.history.models import Task, TaskPage, TaskResult, TaskStatus
from reaffirm.history.records import Scope, page_size, result_json, task_from
from reaffirm.operation import MARKER, Claim, earlier

# What every write of this package looks at first. By id: it is made of project and name, in either product.
REQUEST_AND_TASK = """WITH 1 AS one
OPTIONAL MATCH (q:Request) WHERE q._agrag_history_record = true AND q.id = $request_node_id
WITH CASE WHEN q IS NULL THEN null ELSE q{.operation, .payload_sha256, .result_json} END AS request
OPTIONAL MATCH (t:Task) WHERE t._agrag_history_record = true AND t.id = $task_id
RETURN request, CASE WHEN t IS NULL THEN null ELSE t{.*} END AS task"""

# ``one`` goes through every aggregation: one without a key makes a row where a guard left none.
CREATE_TASK = """WITH 1 AS one
OPTIONAL MATCH (q:Request) WHERE q._agrag_history_record = true AND q.id = $request_node_id
WITH one, count(q) AS done WHERE done = 0
OPTIONAL MATCH (x:Task) WHERE x._agrag_history_record = true AND x.id = $task_id
WITH one, count(x) AS twins WHERE twins = 0
MERGE (p:Project {_agrag_history_record: true, project_id: $project_id})
  ON CREATE SET p.review_incomplete = false, p.review_epoch = 0
CREATE (t:Task) SET t = $task
CREATE (q:Request) SET q = $request
RETURN t.id AS id"""

# The task was there already, with this goal: only the request is recorded.
CONFIRM_TASK = """MATCH (t:Task) WHERE t._agrag_history_record = true AND t.id = $task_id
WITH t
//@lock t
WITH t
OPTIONAL MATCH (q:Request) WHERE q._agrag_history_record = true AND q.id = $request_node_id
WITH t, count(q) AS done WHERE done = 0 AND t.goal = $goal
CREATE (q:Request) SET q = $request
RETURN t.id AS id"""

# Neo4j takes the order from the index when every property of it has a predicate and a place in the ORDER BY; an OR in
# the keyset would make it a union of scans. FalkorDB's index drops the upper bound of a text, so that is checked again
# behind a projection, where no index is asked; the marker too, or Neo4j would take the unique key of marker and id.
LIST_TASKS = """MATCH (t:Task) WHERE t.project_id = $project_id AND t.created_at <= $created_at AND t.id >= ''
  AND NOT (t.created_at = $created_at AND t.id >= $id)
WITH t, t.created_at AS moment, t._agrag_history_record AS history WHERE moment <= $created_at AND history = true
RETURN t{.*} AS task ORDER BY t.project_id DESC, t.created_at DESC, t.id DESC LIMIT $limit"""
FIRST_PAGE = ("~", "")  # after every time


def create(scope: Scope, name: str, goal: str, claim: Claim, *, keep: bool) -> TaskResult | None:
    """One attempt. None: the world moved, look again.

    Args:
        keep: The caller named the request, so it is recorded even when the task was there already.
    """
    task_id = scope.task_id(name)
    row = scope.store.read(REQUEST_AND_TASK, request_node_id=claim.node_id, task_id=task_id)[0]
    replayed = earlier(TaskResult, row["request"], claim)
    if replayed:
        return replayed
    if row["task"] is None:
        return _create(scope, _new_task(scope, name, goal), claim)
    task = task_from(row["task"])
    if task.goal != goal:
        return TaskResult(recorded=False, error="task_exists", field="goal")
    result = TaskResult(recorded=True, task=task)
    if not keep:
        return result
    written = scope.store.write(
        CONFIRM_TASK,
        task_id=task_id,
        goal=goal,
        request_node_id=claim.node_id,
        request=claim.properties(result_json(result)),
    )
    return result if written else None


def _new_task(scope: Scope, name: str, goal: str) -> dict[str, Any]:
    return {
        "id": scope.task_id(name),
        "project_id": scope.project_id,
        "name": name,
        "goal": goal,
        "status": TaskStatus.OPEN.value,
        "event_seq": 0,
        "author": scope.agent_id,
        "created_at": ids.now(),
        MARKER: True,
    }


def _create(scope: Scope, properties: dict[str, Any], claim: Claim) -> TaskResult | None:
    result = TaskResult(recorded=True, task=task_from(properties))
    written = scope.store.write(
        CREATE_TASK,
        task_id=properties["id"],
        project_id=scope.project_id,
        task=properties,
        request_node_id=claim.node_id,
        request=claim.properties(result_json(result)),
    )
    return result if written else None


def list_tasks(scope: Scope, limit: object, cursor: object) -> TaskPage:
    size = page_size(limit)
    created_at, after_id = _position(cursor)
    rows = scope.store.read(LIST_TASKS, project_id=scope.project_id, created_at=created_at, id=after_id, limit=size + 1)
    records = [row["task"] for row in rows]
    shown: list[Task] = [task_from(record) for record in records[:size]]
    more = len(records) > size
    return TaskPage(tasks=tuple(shown), next_cursor=_cursor(records[size - 1]) if more else None)


def _cursor(record: dict[str, Any]) -> str:
    """Where a page ends: the stored text of the time, which sorts, and the id."""
    text = json.dumps([record["created_at"], record["id"]])
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _position(cursor: object) -> tuple[str, str]:
    """A cursor that is not one of ours means the first page."""
    if not isinstance(cursor, str) or not 1 <= len(cursor) <= 400:
        return FIRST_PAGE
    try:
        position = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
        created_at, task_id = position
        ids.milliseconds(created_at)
    except (binascii.Error, ValueError, TypeError, OverflowError):
        return FIRST_PAGE
    return (created_at, task_id) if ids.is_uuid(task_id) else FIRST_PAGE
