"""The bounded view of one task, in at most three reads however much hangs on it."""

from collections.abc import Iterable, Mapping
from typing import Any

from reaffirm.decisions.models import ConflictGroup, Decision, TaskLookup, TaskView
from reaffirm.decisions.records import decision_from
from reaffirm.decisions.sides import difference_of
from reaffirm.history.models import StepState, StepSummary
from reaffirm.history.records import Scope, task_from
from reaffirm.history.validity import Facts, facts, summary
from reaffirm.store import Row

# Work that is left comes first.
STATE_ORDER = (
    StepState.IN_PROGRESS,
    StepState.FAILED,
    StepState.UNKNOWN,
    StepState.NOT_STARTED,
    StepState.COMPLETED,
)
STEPS, DECISIONS, GROUPS = 50, 20, 10

VIEW = """MATCH (t:Task) WHERE t._agrag_history_record = true AND t.id = $task_id AND t.project_id = $project_id
WITH t
OPTIONAL MATCH (t)-[h:HAS_STEP]->(s:Step) WHERE s._agrag_history_record = true
WITH t, s, CASE s.state WHEN 'in_progress' THEN 0 WHEN 'failed' THEN 1 WHEN 'unknown' THEN 2 WHEN 'not_started' THEN 3
  ELSE 4 END AS place
ORDER BY place, s.name
WITH t, collect(CASE WHEN s IS NULL THEN null ELSE s{.*} END) AS steps
OPTIONAL MATCH (t)-[m:MADE]->(d:Decision) WHERE d._agrag_history_record = true AND d.status = 'active'
WITH t, steps, d ORDER BY d.created_at DESC, d.id DESC
WITH t, steps, collect(d) AS ds
RETURN t{.*} AS task, steps[0..50] AS steps, [x IN steps | x.state] AS states, size(ds) AS decision_count,
  [x IN ds | x.id][0..20] AS newest, [x IN ds WHERE x.review_state = 'needs_review' | x.id][0..20] AS flagged,
  [x IN ds | x.choice_key] AS choice_keys"""

# The task's own side first, then the newest.
CONFLICTS = """MATCH (d:Decision) WHERE d.project_id = $project_id AND d.status = 'active'
  AND d.choice_key IN $choice_keys AND d._agrag_history_record = true
WITH d
MATCH (t:Task)-[m:MADE]->(d)
WITH d, CASE WHEN d.task_id = $task_id THEN 0 ELSE 1 END AS place
ORDER BY d.choice_key, place, d.created_at DESC, d.id
WITH d.choice_key AS choice_key, collect(d.id) AS sides, count(DISTINCT d.conclusion) AS conclusions,
  count(DISTINCT d.task_id) AS tasks, min(d.conclusion) AS least, max(d.conclusion) AS greatest
WHERE conclusions > 1 AND tasks > 1
RETURN choice_key, sides[0..10] AS sides, size(sides) AS number, least, greatest ORDER BY choice_key LIMIT 11"""


def get_task(scope: Scope, task_id: str) -> TaskLookup:
    rows = scope.store.read(VIEW, project_id=scope.project_id, task_id=task_id)
    if not rows or not rows[0]["task"]:  # Neo4j shows a node without properties while another writer deletes it
        return TaskLookup(found=False)
    row = rows[0]
    groups = _conflicts(scope, task_id, row["choice_keys"])
    sides = [side for group in groups[:GROUPS] for side in group["sides"]]
    known = facts(scope, row["steps"], sorted({*row["newest"], *row["flagged"], *sides}))
    return TaskLookup(found=True, task=task_from(row["task"]), view=_view(row, groups, known))


def _conflicts(scope: Scope, task_id: str, choice_keys: list[str]) -> list[Row]:
    if not choice_keys:
        return []
    return scope.store.read(CONFLICTS, project_id=scope.project_id, task_id=task_id, choice_keys=choice_keys)


def _view(row: Row, groups: list[Row], known: Facts) -> TaskView:
    steps = [summary(step, known) for step in row["steps"]]
    task = task_from(row["task"])
    return TaskView(
        task_name=task.name,
        goal=task.goal,
        status=task.status,
        last_event_seq=task.event_seq,
        steps=_by_state(steps),
        step_counts={state: row["states"].count(state.value) for state in STATE_ORDER},
        steps_truncated=len(row["states"]) > STEPS,
        decisions=_decisions(row["newest"], known),
        decision_count=row["decision_count"],
        decisions_truncated=row["decision_count"] > DECISIONS,
        review_decisions=_decisions(row["flagged"], known),
        conflicts=tuple(_conflict(group, known) for group in groups[:GROUPS]),
        conflicts_truncated=len(groups) > GROUPS,
    )


def _conflict(group: Row, known: Facts) -> ConflictGroup:
    decisions = _decisions(group["sides"], known)
    return ConflictGroup(
        choice_key=group["choice_key"],
        decisions=decisions,
        truncated=group["number"] > len(group["sides"]),
        count=group["number"],
        difference=difference_of([group["least"], group["greatest"], *(each.conclusion for each in decisions)]),
    )


def _by_state(steps: Iterable[StepSummary]) -> dict[StepState, tuple[StepSummary, ...]]:
    listed = list(steps)
    return {state: tuple(step for step in listed if step.state is state) for state in STATE_ORDER}


def _decisions(decision_ids: Iterable[str], known: Facts) -> tuple[Decision, ...]:
    """In the order given; one that went away between two reads is left out."""
    found: list[Mapping[str, Any]] = [known.decisions[each] for each in decision_ids if each in known.decisions]
    return tuple(
        decision_from(
            each["row"],
            task_name=each["task_name"],
            supports=each["supports"],
            reached=known.may_be_reached(dict(each)),
        )
        for each in found
    )
