"""Delete a task in bounded batches: start, go on, finish. Any worker may do any batch, and may be killed at any point.

The tombstone is the state: which batch comes next, and a turn that each batch checks and moves on. From the first
statement on the task reads as closed, its goal ``[DELETED]``, and takes no event.
"""

from collections.abc import Callable
from typing import Any

from reaffirm import ids
from reaffirm.history.records import Scope, result_json
from reaffirm.operation import TRIES, Claim, earlier
from reaffirm.retention import erased
from reaffirm.retention.deleting import (
    COUNTS,
    DECISION_WINDOW,
    DELETE_DECISIONS,
    DELETE_EVENTS,
    DELETE_STEPS,
    EVENT_WINDOW,
    FINISH,
    FORGET_REQUESTS,
    START,
    UNFINISHED,
)
from reaffirm.retention.erasures import erasure_from, find_erasure, new_erasure
from reaffirm.retention.models import ErasureKind, RetentionResult
from reaffirm.retention.previews import Seen, digest_of
from reaffirm.retention.redaction import cause_facts, recording_digest
from reaffirm.store import OutcomeUnknown, StoreConflict

DELETED = "[DELETED]"
# Of one batch. More events would hold up other writers longer, and cost more for each.
EVENTS, CITING, STEPS, DECISIONS, REQUESTS = 100, 2_000, 500, 50, 200
# What a repeated request is told, by either product, where the record that it made is gone.
GONE = '{"recorded":false,"error":"task_not_found"}'
TASK_REQUESTS = ["create_task", "close_task", "reopen_task", "record_events", "set_step"]
NAMELESS_REQUESTS = ["resume_task", "repair_events"]  # their results hold no id of the task
DECISION_REQUESTS = ["record_decision", "supersede_decision", "reject_decision", "reaffirm_decision", "reopen_decision"]

Row = dict[str, Any]


def start(
    scope: Scope, name: str, keep: bool, reason: str, expected: str | None, claim: Claim
) -> RetentionResult | None:
    """One attempt to begin. None: the world moved, look again."""
    task_id = scope.task_id(name)
    stored = scope.store.read(REQUEST, id=claim.node_id)
    replayed = earlier(RetentionResult, stored[0]["request"] if stored else None, claim)
    if replayed:
        return replayed
    rows = scope.store.read(COUNTS, task_id=task_id, project_id=scope.project_id)
    if not rows:
        return RetentionResult(recorded=False, error="task_not_found", field="name")
    counts = rows[0]
    if counts["task"].get("deletion_id"):
        return RetentionResult(recorded=False, error="being_deleted", field="name")
    if any(counts["holds"]):
        return RetentionResult(recorded=False, error="on_hold", field="name")
    if expected is not None and digest_of(scope, Seen(counts, keep)) != expected:
        return RetentionResult(recorded=False, error="preview_changed", field="expected")
    erased.erasing_key(scope.store)
    return _begin(scope, counts, keep, reason, claim)


REQUEST = """MATCH (q:Request) WHERE q._agrag_history_record = true AND q.id = $id
RETURN q{.*} AS request"""


def _begin(scope: Scope, counts: Row, keep: bool, reason: str, claim: Claim) -> RetentionResult | None:
    task = counts["task"]
    erasure = {
        **new_erasure(scope, ErasureKind.TASK, task=task, reason=reason, at=ids.now()),
        "include_decisions": not keep,
        "phase": "events",
        "cursor": 0,
        "turn": 0,
        "last_seq": task["event_seq"],
        "request_node_id": claim.node_id,
        "affected": [],
        **dict.fromkeys(("events", "steps", "decisions", "supports", "requests", "flagged"), 0),
    }
    result = RetentionResult(recorded=True, erasure=erasure_from(erasure))
    written = scope.store.write(
        START,
        task_id=task["id"],
        project_id=scope.project_id,
        seq=task["event_seq"],
        events=counts["events"],
        steps=counts["steps"],
        decisions=counts["decisions"],
        request_node_id=claim.node_id,
        request=claim.properties(result_json(result)),
        erasure=erasure,
        erasure_id=erasure["id"],
        deleted=DELETED,
    )
    return result if written else None


def go_on(scope: Scope, limit: int) -> int:
    """Work off at most ``limit`` batches of the project's unfinished deletions; how many were done."""
    done = 0
    while done < limit:
        rows = scope.store.read(UNFINISHED, project_id=scope.project_id)
        if not rows:
            break
        done += run(scope, rows[0]["erasure"]["id"], limit - done)
    return done


def run(scope: Scope, erasure_id: str, limit: int) -> int:
    """Work off at most ``limit`` batches of one deletion. A batch that another worker did counts too."""
    done = losses = 0
    while done < limit:
        row = find_erasure(scope, erasure_id)
        if row is None or row["state"] != "running":
            break
        try:
            BATCHES[row["phase"]](scope, row)
            done += 1
        except (OutcomeUnknown, StoreConflict):
            losses += 1  # a batch that was applied has moved the turn on, so it is not done twice
            if losses >= TRIES:
                raise
    return done


def result_of(scope: Scope, erasure_id: str) -> RetentionResult:
    """The result of a deletion as far as it has come."""
    row = find_erasure(scope, erasure_id) or {}
    return RetentionResult(
        recorded=True, affected_decision_ids=tuple(sorted(row["affected"])), erasure=erasure_from(row)
    )


def _batch(row: Row, **more: object) -> dict[str, Any]:
    return {"erasure_id": row["id"], "turn": row["turn"], "task_id": row["task_id"], **more}


def _events(scope: Scope, row: Row) -> None:
    cursor = row["cursor"]
    found = scope.store.read(EVENT_WINDOW, task_id=row["task_id"], cursor=cursor, until=cursor + EVENTS)
    last = (found[0]["last"] or 0) if found else 0
    keep = not row["include_decisions"]
    end = row["last_seq"] if keep else max(last, row["last_seq"])  # a task that is kept may be written to again
    events = [each for each in found if each["event"] and each["event"]["seq"] <= end]
    events.sort(key=lambda each: each["event"]["seq"])  # an aggregate keeps no order
    until = min(cursor + EVENTS, end)
    citing = 0
    for number, each in enumerate(events):
        citing += each["citing"]
        if citing > CITING and number:
            until = each["event"]["seq"] - 1
            events = events[:number]
            break
    key = erased.erasing_key(scope.store)
    long = [e["event"] for e in events if e["event"].get("redacted_at") or e["length"] >= erased.REMEMBERED]
    digests = [event["payload_sha256"] for event in long]
    digests += [ids.text_digest(each["stored"]) for each in events if each["stored"]]  # as it was shown, cut
    marks = [erased.of_task(key, row["task_id"], digest) for digest in digests]
    scope.store.write(
        DELETE_EVENTS,
        **_batch(row, project_id=scope.project_id, cursor=cursor, until=until),
        own=keep,
        request_hashes=sorted({recording_digest(row["task_name"], each["event"]) for each in events}),
        texts=erased.texts(marks, erasure_id=row["id"], project_id=scope.project_id),
        **_flags(row),
        next="events" if until < end else "steps",
    )


def _flags(row: Row) -> dict[str, Any]:
    at = ids.now()
    return {"at": at, "ms": ids.milliseconds(at), "facts": cause_facts("deletion", row), "gone": GONE}


def _steps(scope: Scope, row: Row) -> None:
    after = "decisions" if row["include_decisions"] else "requests"
    scope.store.write(DELETE_STEPS, **_batch(row, limit=STEPS, next=after))


def _decisions(scope: Scope, row: Row) -> None:
    flags = _flags(row)
    del flags["gone"]
    scope.store.write(
        DELETE_DECISIONS,
        **_batch(row, project_id=scope.project_id, limit=_fitting(scope, row), next="requests"),
        **flags,
    )


def _fitting(scope: Scope, row: Row) -> int:
    """How many decisions one statement may delete: who cites them is flagged with it. One goes in any case."""
    citing = 0
    for number, each in enumerate(scope.store.read(DECISION_WINDOW, task_id=row["task_id"], limit=DECISIONS)):
        citing += each["citing"]
        if citing > CITING and number:
            return number
    return DECISIONS


def _requests(scope: Scope, row: Row) -> None:
    operations = TASK_REQUESTS + NAMELESS_REQUESTS + (DECISION_REQUESTS if row["include_decisions"] else [])
    arguments = {"task_name": row["task_name"]}
    scope.store.write(
        FORGET_REQUESTS,
        **_batch(row, project_id=scope.project_id, limit=REQUESTS, next="finish"),
        operation_names=operations,
        request_hashes=[ids.request_digest(operation, arguments) for operation in NAMELESS_REQUESTS],
        gone=GONE,
        at=ids.now(),
    )


def _finish(scope: Scope, row: Row) -> None:
    at = ids.now()
    finished = {**row, "state": "done", "finished_at": at}
    result = RetentionResult(
        recorded=True, affected_decision_ids=tuple(sorted(row["affected"])), erasure=erasure_from(finished)
    )
    scope.store.write(
        FINISH,
        **_batch(row, project_id=scope.project_id),
        request_node_id=row["request_node_id"],
        keep=not row["include_decisions"],
        result=result_json(result),
        at=at,
        by=row["by"],
    )


BATCHES: dict[str, Callable[[Scope, Row], None]] = {
    "events": _events,
    "steps": _steps,
    "decisions": _decisions,
    "requests": _requests,
    "finish": _finish,
}
