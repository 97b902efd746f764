"""Redact one event: its body and every copy of it that a machine can be sure of, in one statement.

The event is locked before its citers are looked for, and a decision is recorded behind the lock of the events that it
cites: a racing one is flagged here, or finds the event redacted.
"""

from collections.abc import Mapping
from typing import Any

from reaffirm import ids
from reaffirm.history.events import arguments
from reaffirm.history.models import REDACTED, EventResult
from reaffirm.history.records import Scope, event_from, result_json
from reaffirm.operation import Claim, earlier
from reaffirm.retention import erased
from reaffirm.retention.erasures import erasure_from, new_erasure
from reaffirm.retention.models import ErasureKind, RetentionResult

MAX_CITERS = 20_000

REDACT_READ = """WITH 1 AS one
OPTIONAL MATCH (q:Request) WHERE q._agrag_history_record = true AND q.id = $request_node_id
WITH CASE WHEN q IS NULL THEN null ELSE q{.*} END AS request
OPTIONAL MATCH (e:Event) WHERE e._agrag_history_record = true AND e.id = $event_id
WITH request, e
OPTIONAL MATCH (t:Task)-[he:HAS_EVENT]->(e) WHERE t.project_id = $project_id
WITH request, CASE WHEN t IS NULL THEN null ELSE e{.*} END AS event,
  CASE WHEN t IS NULL THEN null ELSE t{.*} END AS task
OPTIONAL MATCH (s:DecisionSupport) WHERE s.event_id = $event_id AND s.current = true
WITH request, event, task, count(s) AS citers
OPTIONAL MATCH (h:LegalHold) WHERE h.task_id = task.id
RETURN request, event, task, citers, sum(CASE WHEN h.id IS NOT NULL AND h.released_at IS NULL
  AND coalesce(h.event_id, $event_id) = $event_id THEN 1 ELSE 0 END) AS held"""

# Who cites the event now, or rests on one who does. A decision that was rejected or superseded is not asked again.
_CITERS = """OPTIONAL MATCH (s:DecisionSupport) WHERE s.event_id = $event_id AND s.current = true
WITH e, s
OPTIONAL MATCH (d:Decision)-[hs:HAS_SUPPORT]->(s) WHERE d.status = 'active' AND d.project_id = $project_id
WITH DISTINCT e, d ORDER BY d.id
//@lock d
WITH e, d
OPTIONAL MATCH (c:Decision)-[r:DEPENDS_ON]->(d) WHERE c.status = 'active'
WITH e, d, count(r) AS below
WITH e, collect(CASE WHEN properties(d).status = 'active' THEN d END) AS ds,
  collect(CASE WHEN properties(d).status = 'active' AND below > 0 THEN d END) AS spreading
WITH e, ds, spreading, [x IN ds | x.id] AS affected WHERE size(ds) <= $most
"""

# A waiting flag keeps its age.
FLAG_ONE = """d.flagged_ms = CASE WHEN d.review_state = 'needs_review' AND d.flagged_ms IS NOT NULL
    THEN d.flagged_ms ELSE $ms END,
  d.change_size = coalesce(d.change_size, 9007199254740992),
  d.review_state = 'needs_review', d.review_reason = 'source_removed', d += $facts"""

# Every copy of the body in a request record has the digest that this event's recording had, whichever product wrote it.
REDACT = (
    """MATCH (e:Event) WHERE e._agrag_history_record = true AND e.id = $event_id
WITH e
//@lock e
WITH e
"""
    + _CITERS
    + """MATCH (t:Task)-[he:HAS_EVENT]->(e) WHERE t.project_id = $project_id
WITH e, ds, spreading, affected, t
//@lock t
WITH e, ds, spreading, affected, t WHERE properties(t).deletion_id IS NULL
OPTIONAL MATCH (h:LegalHold) WHERE h.task_id = $task_id
WITH e, ds, spreading, affected, sum(CASE WHEN h.id IS NOT NULL AND h.released_at IS NULL
  AND coalesce(h.event_id, $event_id) = $event_id THEN 1 ELSE 0 END) AS held WHERE held = 0
OPTIONAL MATCH (q:Request) WHERE q._agrag_history_record = true AND q.id = $request_node_id
WITH e, ds, spreading, affected, count(q) AS done WHERE done = 0
MATCH (p:Project) WHERE p._agrag_history_record = true AND p.project_id = $project_id
WITH e, ds, spreading, affected, p
//@lock p.project_id
WITH e, ds, spreading, affected, p
OPTIONAL MATCH (c:Request) WHERE c.payload_sha256 = $digest AND c.result_json CONTAINS $event_id
WITH e, ds, spreading, affected, p, coalesce(p.review_epoch, 0) AS epoch, collect(c) AS copies
OPTIONAL MATCH (a:Request) WHERE a._agrag_history_record = true AND a.id = coalesce(e.appended_by, '')
WITH e, ds, spreading, affected, p, epoch, copies, collect(a) AS appending
WITH e, ds, spreading, affected, p, epoch, copies, appending,
  reduce(text = '', x IN affected | text + CASE WHEN text = '' THEN '"' ELSE ',"' END + x + '"') AS listed
CREATE (q:Request) SET q = $request, q.result_json = $before_ids + listed + $before_requests
  + toString(size(copies)) + $before_flagged + toString(size(affected)) + $after
CREATE (x:Erasure) SET x = $erasure, x.requests = size(copies), x.flagged = size(affected)
SET e.payload = $redacted, e.redacted_at = coalesce(e.redacted_at, $at), e.redacted_by = coalesce(e.redacted_by, $by),
  e.redacted_reason = coalesce(e.redacted_reason, $reason), e._ft_payload = null
FOREACH (c IN copies | SET c.result_json = $redacted_result, c.redacted_at = coalesce(c.redacted_at, $at))
FOREACH (a IN appending | SET a.redacted_at = coalesce(a.redacted_at, $at))
FOREACH (m IN $texts | MERGE (k:ErasedText {id: m.id}) SET k += m)
FOREACH (d IN ds | SET """
    + FLAG_ONE
    + """)
FOREACH (d IN spreading | SET d.review_pending = true)
FOREACH (one IN CASE WHEN size(spreading) > 0 THEN [1] ELSE [] END |
  SET p.review_incomplete = true, p.review_epoch = epoch + size(spreading))
RETURN affected, size(copies) AS requests"""
)


def redact(scope: Scope, event_id: str, reason: str, claim: Claim) -> RetentionResult | None:
    """One attempt. None: the world moved, look again."""
    row = scope.store.read(REDACT_READ, event_id=event_id, project_id=scope.project_id, request_node_id=claim.node_id)[
        0
    ]
    replayed = earlier(RetentionResult, row["request"], claim)
    if replayed:
        return replayed
    event, task = row["event"], row["task"]
    if event is None:
        return RetentionResult(recorded=False, error="event_not_found", field="event_id")
    if task.get("deletion_id"):
        return RetentionResult(recorded=False, error="being_deleted", field="event_id")
    if row["held"]:
        return RetentionResult(recorded=False, error="on_hold", field="event_id")
    if row["citers"] > MAX_CITERS:
        return RetentionResult(recorded=False, error="too_many_citers", field="event_id")
    if len(event["payload"]) >= QUOTED and event["payload"] in reason and not event.get("redacted_at"):
        detail = "the reason repeats the text that is to go; it would keep it alive"
        return RetentionResult(recorded=False, error="invalid_value", field="reason", detail=detail)
    return _write(scope, event, task, reason, claim)


QUOTED = 8  # code points; a reason that holds a shorter body may do so by chance


def _write(
    scope: Scope, event: dict[str, Any], task: dict[str, Any], reason: str, claim: Claim
) -> RetentionResult | None:
    at = ids.now()
    erasure = {
        **new_erasure(scope, ErasureKind.EVENT, task=task, reason=reason, at=at),
        "event_id": event["id"],
        "events": 1,
    }
    after = {**event, "payload": REDACTED, "redacted_at": event.get("redacted_at") or at}
    parts = _result_parts(
        RetentionResult(
            recorded=True,
            affected_decision_ids=(IDS,),
            erasure=erasure_from({**erasure, "requests": REQUESTS, "flagged": FLAGGED}),
        )
    )
    written = scope.store.write(
        REDACT,
        event_id=event["id"],
        task_id=task["id"],
        project_id=scope.project_id,
        most=MAX_CITERS,
        request_node_id=claim.node_id,
        request=claim.properties(),
        before_ids=parts[0],
        before_requests=parts[1],
        before_flagged=parts[2],
        after=parts[3],
        erasure=erasure,
        digest=recording_digest(task["name"], event),
        redacted=REDACTED,
        redacted_result=result_json(EventResult(recorded=True, event=event_from(after))),
        texts=_remembered(scope, event, erasure["id"]),
        at=at,
        by=scope.agent_id,
        reason=reason,
        ms=ids.milliseconds(at),
        facts=cause_facts("redaction", erasure),
    )
    if not written:
        return None
    counted = {**erasure, "requests": written[0]["requests"], "flagged": len(written[0]["affected"])}
    return RetentionResult(
        recorded=True, affected_decision_ids=tuple(written[0]["affected"]), erasure=erasure_from(counted)
    )


def recording_digest(task_name: str, event: dict[str, Any]) -> str:
    """The digest of the request that recorded an event: the same in both products, and made of what the event keeps."""
    return ids.request_digest("record_event", arguments(task_name, event))


def cause_facts(kind: str, erasure: Mapping[str, Any]) -> dict[str, Any]:
    """Own facts of a flag that an erasure raised; those of an earlier cause go."""
    return {
        "flagged_by": erasure["by"],
        "cause_kind": kind,
        "cause_by": erasure["by"],
        "cause_reason": erasure["reason"],
        "cause_root_id": None,
        "cause_depth": None,
        "cause_erasure_id": erasure["id"],
        "cause_event_id": erasure.get("event_id"),
        "cause_document_id": None,
        "cause_activation_id": None,
        "cause_seq": None,
        "cause_decision_id": None,
    }


def _remembered(scope: Scope, event: dict[str, Any], erasure_id: str) -> list[dict[str, str]]:
    if not event.get("redacted_at") and len(event["payload"]) < erased.REMEMBERED:
        return []
    key = erased.erasing_key(scope.store)
    digests = [event["payload_sha256"]]
    if event.get("truncated") and not event.get("redacted_at"):
        digests.append(ids.text_digest(event["payload"]))  # as it was shown, cut
    marks = [erased.of_project(key, scope.project_id, digest) for digest in digests]
    return erased.texts(marks, erasure_id=erasure_id, project_id=scope.project_id)


# Numbers that no count reaches, and a text that no id is: the statement puts what it finds in their places.
IDS, REQUESTS, FLAGGED = "<ids>", 2**53 + 1, 2**53 + 3


def _result_parts(result: RetentionResult) -> tuple[str, str, str, str]:
    """The result's text around the ids and the two counts. The reason may hold any of them, and stands between."""
    before_ids, _, rest = result_json(result).partition(f'"{IDS}"')
    before_requests, _, rest = rest.rpartition(f'"requests":{REQUESTS}')
    before_flagged, _, after = rest.rpartition(f'"flagged":{FLAGGED}')
    return before_ids, f'{before_requests}"requests":', f'{before_flagged}"flagged":', after
