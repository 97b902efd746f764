"""Tasks: create one."""

from typing import Any

from reaffirm import ids
from reaffirm.history.models import TaskResult, TaskStatus
from reaffirm.history.records import Scope, result_json, task_from
from reaffirm.operation import MARKER, Claim, earlier

# What every write of this package looks at first. By id: it is made of project and name, in either product.
REQUEST_AND_TASK = """WITH 1 AS one
OPTIONAL MATCH (q:Request) WHERE q._agrag_history_record = true AND q.id = $request_node_id
WITH CASE WHEN q IS NULL THEN null ELSE q{.operation, .payload_sha256, .result_json, .erased_at} END AS request
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
    if not row["task"]:
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
