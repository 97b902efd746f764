"""Close a task and open it again."""

from typing import Any

from reaffirm import ids
from reaffirm.history.models import ClosingResult, TaskStatus
from reaffirm.history.records import OWN_RESULT_FIELDS, Scope, task_from
from reaffirm.history.tasks import REQUEST_AND_TASK
from reaffirm.operation import Claim, earlier

# Whoever was quicker, an event or another closing, holds the lock of the task until it is done.
SET_STATUS = """MATCH (t:Task) WHERE t._agrag_history_record = true AND t.id = $task_id
WITH t
//@lock t
WITH t
OPTIONAL MATCH (q:Request) WHERE q._agrag_history_record = true AND q.id = $request_node_id
WITH t, count(q) AS done WHERE done = 0 AND properties(t).status = $seen_status AND properties(t).goal = $seen_goal
  AND properties(t).deletion_id IS NULL
OPTIONAL MATCH (t)-[h:HAS_STEP]->(s:Step) WHERE s._agrag_history_record = true AND s.state = 'in_progress'
  AND $status = 'done'
WITH t, count(s) AS running, t.event_seq AS seq
CREATE (q:Request) SET q = $request,
  q.result_json = $before_seq + toString(seq) + $before_running + toString(running) + '}'
SET t += $values
RETURN seq, running"""


def set_status(
    scope: Scope, name: str, status: TaskStatus, reason: str | None, claim: Claim, *, keep: bool
) -> ClosingResult | None:
    """One attempt. None: the world moved, look again.

    Args:
        keep: The caller named the request, so it is recorded even when the task has this status already.
    """
    task_id = scope.task_id(name)
    row = scope.store.read(REQUEST_AND_TASK, request_node_id=claim.node_id, task_id=task_id)[0]
    replayed = earlier(ClosingResult, row["request"], claim)
    if replayed:
        return replayed
    if not row["task"]:
        return ClosingResult(recorded=False, error="task_not_found", field="name")
    if row["task"].get("deletion_id"):
        return ClosingResult(recorded=False, error="being_deleted", field="name")
    stands = row["task"]["status"] == status
    if stands and not keep:
        return ClosingResult(recorded=True, task=task_from(row["task"]))
    values = {} if stands else _change(scope, status, reason)
    return _write(scope, {**row["task"], **values}, row["task"]["status"], values, claim)


def _change(scope: Scope, status: TaskStatus, reason: str | None) -> dict[str, Any]:
    word, noun = ("closed", "close") if status is TaskStatus.DONE else ("reopened", "reopen")
    return {
        "status": status.value,
        f"{word}_at": ids.now(),
        f"{word}_by": scope.agent_id,
        f"{noun}_reason": reason,
    }


def _write(
    scope: Scope, task: dict[str, Any], seen_status: str, values: dict[str, Any], claim: Claim
) -> ClosingResult | None:
    before_seq, before_running = _result_parts(task)
    written = scope.store.write(
        SET_STATUS,
        task_id=task["id"],
        seen_status=seen_status,
        seen_goal=task["goal"],
        status=task["status"],
        values=values,
        request_node_id=claim.node_id,
        request=claim.properties(),
        before_seq=before_seq,
        before_running=before_running,
    )
    if not written:
        return None
    now = task_from({**task, "event_seq": written[0]["seq"]})
    return ClosingResult(recorded=True, task=now, steps_in_progress=written[0]["running"])


def _result_parts(task: dict[str, Any]) -> tuple[str, str]:
    """The result's text around the two numbers that the statement puts in.

    Inside a JSON text every quote has a backslash, so the first bare ``event_seq`` is the right one; the count is last.
    """
    result = ClosingResult(recorded=True, task=task_from({**task, "event_seq": 0}))
    before, _, after = result.model_dump_json(exclude=OWN_RESULT_FIELDS).partition(',"event_seq":0,')
    return f'{before},"event_seq":', f",{after.removesuffix('0}')}"
