"""What a deletion or a redaction would do, before anybody does it: counts, and who loses support. A fixed number of
reads, but for the search for quotes, which is bounded by records."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from reaffirm.history.records import Scope
from reaffirm.retention import copies
from reaffirm.retention.deleting import COUNTS
from reaffirm.retention.holds import hold_from
from reaffirm.retention.models import DeletionPreview, Loss, RedactionPreview
from reaffirm.retention.redaction import recording_digest
from reaffirm.store import Row

SHOWN = 100
HOLDS = 20
LOOKED_AT = 20_000  # of the decisions that lose support

# Decisions that cite an event of the task: their supports name it.
EVENT_LOSSES = """MATCH (s:DecisionSupport) WHERE s.project_id = $project_id AND s.task_name = $task_name
WITH s
MATCH (d:Decision)-[h:HAS_SUPPORT]->(s)
WHERE s.current = true AND d.status = 'active' AND (d.task_id <> $task_id OR $own = true)
WITH d, count(h) AS lost ORDER BY d.id LIMIT $most
OPTIONAL MATCH (t:Task)-[m:MADE]->(d)
WITH d, t, lost
OPTIONAL MATCH (d)-[k:HAS_SUPPORT]->(o:DecisionSupport) WHERE o.current = true
RETURN d.id AS id, d.choice_key AS choice_key, t.name AS task_name, lost, count(k) AS supports"""

# Decisions that cite one event, and the request records that hold its body.
CITERS = """MATCH (s:DecisionSupport) WHERE s.event_id = $event_id AND s.current = true
WITH s
MATCH (d:Decision)-[h:HAS_SUPPORT]->(s) WHERE d.status = 'active' AND d.project_id = $project_id
WITH d, count(h) AS lost ORDER BY d.id LIMIT $most
OPTIONAL MATCH (t:Task)-[m:MADE]->(d)
WITH d, t, lost
OPTIONAL MATCH (d)-[k:HAS_SUPPORT]->(o:DecisionSupport) WHERE o.current = true
RETURN d.id AS id, d.choice_key AS choice_key, t.name AS task_name, lost, count(k) AS supports"""

EVENT_FACTS = """MATCH (e:Event) WHERE e._agrag_history_record = true AND e.id = $event_id
WITH e
MATCH (t:Task)-[he:HAS_EVENT]->(e) WHERE t.project_id = $project_id
WITH e, t
OPTIONAL MATCH (k:LegalHold) WHERE k.task_id = t.id
RETURN e{.*} AS event, t{.*} AS task, collect(CASE WHEN k.id IS NOT NULL AND k.released_at IS NULL
  AND coalesce(k.event_id, $event_id) = $event_id THEN k{.*} END) AS holds"""

HOLDING = """MATCH (q:Request) WHERE q.payload_sha256 = $digest AND q.result_json CONTAINS $event_id
RETURN count(q) AS requests"""

# Decisions of other tasks that cite a decision of the task.
DECISION_LOSSES = """MATCH (t:Task) WHERE t._agrag_history_record = true AND t.id = $task_id
WITH t
MATCH (t)-[m:MADE]->(k:Decision)<-[r:DEPENDS_ON]-(d:Decision)
WHERE d.status = 'active' AND d.task_id <> $task_id
WITH DISTINCT k, d
MATCH (d)-[h:HAS_SUPPORT]->(s:DecisionSupport) WHERE s.current = true AND s.target_decision_id = k.id
WITH d, count(h) AS lost ORDER BY d.id LIMIT $most
OPTIONAL MATCH (t:Task)-[m:MADE]->(d)
WITH d, t, lost
OPTIONAL MATCH (d)-[k:HAS_SUPPORT]->(o:DecisionSupport) WHERE o.current = true
RETURN d.id AS id, d.choice_key AS choice_key, t.name AS task_name, lost, count(k) AS supports"""


@dataclass(frozen=True)
class Seen:
    """The counts of a task as one read told them, and whether its decisions are to be kept."""

    counts: dict[str, Any]
    keep: bool


def losses(scope: Scope, seen: Seen) -> list[Loss]:
    """Active decisions that stay and lose support, in the order of their ids; at most 20,000 of either kind."""
    task = seen.counts["task"]
    rows = scope.store.read(
        EVENT_LOSSES,
        project_id=scope.project_id,
        task_name=task["name"],
        task_id=task["id"],
        own=seen.keep,
        most=LOOKED_AT,
    )
    if not seen.keep:
        rows += scope.store.read(DECISION_LOSSES, task_id=task["id"], most=LOOKED_AT)
    return _summed(rows)


def _summed(rows: list[Row]) -> list[Loss]:
    found: dict[str, Loss] = {}
    for row in rows:
        before = found[row["id"]].lost if row["id"] in found else 0
        lost = before + row["lost"]
        found[row["id"]] = Loss(
            decision_id=row["id"],
            task_name=row["task_name"] or "",
            choice_key=row["choice_key"],
            lost=lost,
            left=row["supports"] - lost,
        )
    return [found[each] for each in sorted(found)]


def digest_of(scope: Scope, seen: Seen, lost: list[Loss] | None = None) -> str:
    """What two looks at the same task have in common; a record more or less makes it another."""
    counts, task = seen.counts, seen.counts["task"]
    known = losses(scope, seen) if lost is None else lost
    body = [
        task["id"],
        task["created_at"],
        task["event_seq"],
        seen.keep,
        *(counts[each] for each in ("events", "steps", "decisions", "supports")),
        [[loss.decision_id, loss.lost, loss.left] for loss in known],
    ]
    return hashlib.sha256(json.dumps(body).encode()).hexdigest()


def preview_deletion(scope: Scope, task_id: str, include_decisions: bool) -> DeletionPreview:
    rows = scope.store.read(COUNTS, task_id=task_id, project_id=scope.project_id)
    if not rows:
        return DeletionPreview(found=False)
    counts = rows[0]
    seen = Seen(counts, keep=not include_decisions)
    lost = losses(scope, seen)
    return DeletionPreview(
        found=True,
        task_id=task_id,
        include_decisions=include_decisions,
        events=counts["events"],
        steps=counts["steps"],
        decisions=counts["decisions"] if include_decisions else 0,
        supports=counts["supports"] if include_decisions else 0,
        kept_decisions=0 if include_decisions else counts["decisions"],
        losses=tuple(lost[:SHOWN]),
        loss_count=len(lost),
        unsupported=sum(loss.left == 0 for loss in lost),
        holds=tuple(hold_from(row) for row in counts["holds"] if row)[:HOLDS],
        digest=digest_of(scope, seen, lost),
    )


def preview_redaction(scope: Scope, event_id: str) -> RedactionPreview:
    rows = scope.store.read(EVENT_FACTS, event_id=event_id, project_id=scope.project_id)
    if not rows:
        return RedactionPreview(found=False)
    event, task = rows[0]["event"], rows[0]["task"]
    lost = _summed(scope.store.read(CITERS, event_id=event_id, project_id=scope.project_id, most=LOOKED_AT))
    holding = scope.store.read(HOLDING, event_id=event_id, digest=recording_digest(task["name"], event))
    gone = bool(event.get("redacted_at"))
    found = copies.Found((), 0, complete=True) if gone else copies.find(scope, event, task)
    return RedactionPreview(
        found=True,
        event_id=event_id,
        redacted_at=event.get("redacted_at"),
        losses=tuple(lost[:SHOWN]),
        loss_count=len(lost),
        requests=holding[0]["requests"],
        copies=found.copies,
        minimum=copies.MINIMUM,
        looked_at=found.looked_at,
        complete=found.complete,
        holds=tuple(hold_from(row) for row in rows[0]["holds"] if row)[:HOLDS],
    )
