"""Request records that are old enough to go: nobody repeats a call after so long."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from reaffirm import ids
from reaffirm.history.records import Scope
from reaffirm.retention.models import PruneResult
from reaffirm.store import Row

YOUNGEST = timedelta(days=7)
BATCH = 500
FIRST = datetime(1970, 1, 1, tzinfo=UTC)  # nothing is older

# agentic-graphrag stores no time.
UNDATED = """MATCH (q:Request) WHERE q.project_id = $project_id AND q.operation IS NOT NULL AND q.claimed_ms IS NULL
RETURN q.id AS id, q.operation AS operation, q.result_json AS result_json LIMIT $limit"""

DATE = """UNWIND $rows AS row
MATCH (q:Request) WHERE q._agrag_history_record = true AND q.id = row.id
SET q.claimed_ms = row.ms
RETURN count(q) AS dated"""

PRUNE = """MATCH (q:Request) WHERE q.project_id = $project_id AND q.claimed_ms < $before_ms
WITH q WHERE q.erased_at IS NULL AND q.redacted_at IS NULL
WITH q ORDER BY q.claimed_ms, q.id LIMIT $limit
WITH collect(q) AS qs
FOREACH (q IN qs | DETACH DELETE q)
RETURN size(qs) AS removed"""

# Where a result tells when its request was made: the record is made by this request and no earlier one.
MADE_AT = {
    "record_event": ("event", "at"),
    "record_decision": ("decision", "created_at"),
    "supersede_decision": ("decision", "created_at"),
}


def prune(scope: Scope, older_than: timedelta, limit: int) -> PruneResult:
    """Date what has no date, then remove what is older, in batches; each is safe to kill and to run at once."""
    now = datetime.now(UTC)
    before = ids.milliseconds(ids.stamp(now - min(older_than, now - FIRST)))
    dated = _dated(scope, limit)
    removed = 0
    while removed < limit:
        size = min(BATCH, limit - removed)
        rows = scope.store.write(PRUNE, project_id=scope.project_id, before_ms=before, limit=size)
        gone = rows[0]["removed"] if rows else 0
        removed += gone
        if gone < size:
            break
    return PruneResult(recorded=True, removed=removed, dated=dated)


def _dated(scope: Scope, limit: int) -> int:
    dated = 0
    now = ids.milliseconds(ids.now())
    while dated < limit:
        found = scope.store.read(UNDATED, project_id=scope.project_id, limit=min(BATCH, limit - dated))
        if not found:
            break
        written = scope.store.write(DATE, rows=[{"id": row["id"], "ms": _made_at(row) or now} for row in found])
        dated += written[0]["dated"] if written else 0
    return dated


def _made_at(row: Row) -> int | None:
    record, field = MADE_AT.get(row["operation"], ("", ""))
    try:
        result: dict[str, Any] = json.loads(row["result_json"] or "{}")
        return ids.milliseconds((result.get(record) or {})[field])
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
