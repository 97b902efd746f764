"""Resume a task: what was in progress is unknown, and what is to be run again is named."""

from collections.abc import Sequence

from reaffirm.history import trails
from reaffirm.history.models import ResultValidity, ResumeResult, StepState
from reaffirm.history.records import Scope, task_from
from reaffirm.history.validity import facts, summary
from reaffirm.operation import Claim, earlier
from reaffirm.store import Row

SHOWN = 200  # names marked, steps left, completed steps not reusable: of each
UNKNOWN = StepState.UNKNOWN.value
CHECKED = 500  # completed steps whose results one call looks at

# Kept with the request. What is left to do is told as it is now, also to a repeated request.
STORED = {"recorded", "error", "marked", "marked_count"}

RESUME_READ = """WITH 1 AS one
OPTIONAL MATCH (q:Request) WHERE q._agrag_history_record = true AND q.id = $request_node_id
WITH CASE WHEN q IS NULL THEN null ELSE q{.operation, .payload_sha256, .result_json, .erased_at} END AS request
OPTIONAL MATCH (t:Task) WHERE t._agrag_history_record = true AND t.id = $task_id
WITH request, t
OPTIONAL MATCH (t)-[h:HAS_STEP]->(s:Step) WHERE s._agrag_history_record = true AND s.state = 'in_progress'
WITH request, t, s ORDER BY s.id
RETURN request, CASE WHEN t IS NULL THEN null ELSE t{.id, .deletion_id} END AS task,
  collect(CASE WHEN s IS NULL THEN null ELSE s{.id, .name, .kind, .result_event_seq, .result_basis} END) AS running"""

# The steps must be those that were read, or another writer has set one meanwhile.
RESUME = """MATCH (t:Task) WHERE t._agrag_history_record = true AND t.id = $task_id
WITH t
//@lock t
WITH t
OPTIONAL MATCH (q:Request) WHERE q._agrag_history_record = true AND q.id = $request_node_id
WITH t, count(q) AS done WHERE done = 0 AND properties(t).deletion_id IS NULL
OPTIONAL MATCH (t)-[h:HAS_STEP]->(s:Step) WHERE s._agrag_history_record = true AND s.state = 'in_progress'
WITH t, s ORDER BY s.id
WITH t, collect(s) AS running
WITH t, running, t.event_seq AS seq, [s IN running | s.id] AS found WHERE found = $step_ids
CREATE (q:Request) SET q = $request
FOREACH (s IN running | SET
  s.changes = (coalesce(s.changes, []) + [head([e IN $rows WHERE e.id = s.id | e.change])])[-10..],
  s.state = 'unknown', s.updated_seq = seq, s.result_supports = '[]')
RETURN seq"""

LEFT = """MATCH (t:Task) WHERE t._agrag_history_record = true AND t.id = $task_id AND t.project_id = $project_id
WITH t
OPTIONAL MATCH (t)-[h:HAS_STEP]->(s:Step) WHERE s._agrag_history_record = true
WITH t, s, CASE s.state WHEN 'in_progress' THEN 0 WHEN 'failed' THEN 1 WHEN 'unknown' THEN 2 WHEN 'not_started' THEN 3
  ELSE 4 END AS place
ORDER BY place, s.name
WITH t, collect(CASE WHEN s IS NULL OR place = 4 THEN null ELSE s END) AS open_steps,
  collect(CASE WHEN s IS NULL OR place < 4 THEN null ELSE s END) AS completed
RETURN t{.*} AS task, size(open_steps) AS left_count, [s IN open_steps | s{.*}][0..$found] AS left_steps,
  [s IN completed | s{.*}][0..$limit] AS completed"""


def resume(scope: Scope, name: str, claim: Claim, *, keep: bool) -> ResumeResult | None:
    """One attempt. None: the world moved, look again.

    Args:
        keep: The caller named the request, so it is recorded even when nothing was in progress.
    """
    task_id = scope.task_id(name)
    row = scope.store.read(RESUME_READ, request_node_id=claim.node_id, task_id=task_id)[0]
    replayed = earlier(ResumeResult, row["request"], claim)
    if replayed:
        return _told(scope, task_id, replayed)
    if not row["task"]:
        return ResumeResult(recorded=False, error="task_not_found", field="name")
    if row["task"].get("deletion_id"):
        return ResumeResult(recorded=False, error="being_deleted", field="name")
    running = row["running"]
    names = sorted(step["name"] for step in running)
    result = ResumeResult(recorded=True, marked=tuple(names[:SHOWN]), marked_count=len(names))
    if (running or keep) and not _mark(scope, task_id, running, result, claim):
        return None
    return _told(scope, task_id, result)


def _mark(scope: Scope, task_id: str, running: Sequence[Row], result: ResumeResult, claim: Claim) -> bool:
    rows = scope.store.write(
        RESUME,
        task_id=task_id,
        step_ids=[step["id"] for step in running],
        rows=[{"id": step["id"], "change": trails.entry(scope, {**step, "state": UNKNOWN})} for step in running],
        request_node_id=claim.node_id,
        request=claim.properties(result.model_dump_json(include=STORED)),
    )
    return bool(rows)


def _told(scope: Scope, task_id: str, result: ResumeResult) -> ResumeResult:
    rows = scope.store.read(LEFT, project_id=scope.project_id, task_id=task_id, found=SHOWN, limit=CHECKED + 1)
    if not rows or not result.recorded:
        return result  # deleted since
    row = rows[0]
    checked = row["completed"][:CHECKED]
    known = facts(scope, checked)
    left = [summary(step, known) for step in row["left_steps"]]
    judged = [summary(step, known) for step in checked]
    spent = [step for step in judged if step.result_validity is not ResultValidity.REUSABLE]
    more = len(row["completed"]) > CHECKED
    return result.model_copy(
        update={
            "task": task_from(row["task"]),
            "steps": (*left, *spent[:SHOWN]),
            "left_count": row["left_count"],
            "not_reusable_count": len(spent),
            "next_after_name": checked[-1]["name"] if more else None,
        }
    )
