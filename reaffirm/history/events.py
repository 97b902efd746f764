"""Events: append one, look one up."""

from typing import Any

from reaffirm import ids
from reaffirm.history.models import EventKind, EventLookup, EventResult
from reaffirm.history.records import INT64_MAX, Scope, event_from, result_json
from reaffirm.history.tasks import REQUEST_AND_TASK
from reaffirm.operation import MARKER, Claim, earlier
from reaffirm.retention import erased

STORED_CHARACTERS = 32_000  # code points; the digest is always of the full text
READY_IDS = 32  # how far other writers may get between our read and our statement before it is made again

# The task, the request, and whether the text was erased: see retention/erased.py.
EVENT_READ = (
    REQUEST_AND_TASK.rpartition("RETURN")[0]
    + """WITH request, CASE WHEN t IS NULL THEN null ELSE t{.*} END AS task
OPTIONAL MATCH (k:ErasureKey) WHERE k.id = $key_id
WITH request, task, CASE WHEN k IS NULL THEN null ELSE k{.*} END AS key
OPTIONAL MATCH (x:ErasedText) WHERE x.id IN $erased_ids
RETURN request, task, key, count(x) AS erased"""
)

RECORD_EVENT = """MATCH (t:Task) WHERE t._agrag_history_record = true AND t.id = $task_id
WITH t
//@lock t
WITH t
OPTIONAL MATCH (q:Request) WHERE q._agrag_history_record = true AND q.id = $request_node_id
WITH t, count(q) AS done
WHERE done = 0 AND t.event_seq >= $base AND t.event_seq - $base < size($event_ids)
  AND properties(t).deletion_id IS NULL
OPTIONAL MATCH (x:ErasedText) WHERE x.id IN $erased_ids
WITH t, count(x) AS erased WHERE erased = 0
WITH t, t.event_seq + 1 AS seq
WITH t, seq, $event_ids[seq - $base - 1] AS event_id
CREATE (q:Request) SET q = $request, q.result_json = $before_id + event_id + $before_seq + toString(seq) + $after_seq
CREATE (t)-[:HAS_EVENT]->(e:Event) SET e = $event, e.seq = seq, e.id = event_id
SET t.event_seq = seq
RETURN seq, event_id"""

ONE_EVENT = """MATCH (e:Event) WHERE e._agrag_history_record = true AND e.task_id = $task_id AND e.seq = $seq
MATCH (t:Task)-[h:HAS_EVENT]->(e) WHERE t.project_id = $project_id
RETURN e{.*} AS event LIMIT 1"""

# 19 digits: no id before it holds so many in a row.
ID, SEQ = "<event id>", INT64_MAX


def record(scope: Scope, task_id: str, properties: dict[str, Any], claim: Claim) -> EventResult | None:
    """One attempt. None: the world moved, look again."""
    sha256 = properties["payload_sha256"]
    marks = erased.marks(scope.store, scope.project_id, task_id, properties["payload"], sha256)
    row = scope.store.read(
        EVENT_READ, request_node_id=claim.node_id, task_id=task_id, key_id=erased.KEY_ID, erased_ids=marks
    )[0]
    replayed = earlier(EventResult, row["request"], claim)
    if replayed:
        return _afresh(scope, replayed)
    if row["task"] is None:
        return EventResult(recorded=False, error="task_not_found", field="task_name")
    if row["task"].get("deletion_id"):
        return EventResult(recorded=False, error="being_deleted", field="task_name")
    if erased.learn(scope.store, row["key"]):
        return None  # the text was not looked for under this key
    if row["erased"]:
        return EventResult(recorded=False, error="erased", field="payload")
    base = row["task"]["event_seq"]
    properties = {**properties, "at": ids.now()}
    before_id, before_seq, after_seq = _result_parts(properties)
    written = scope.store.write(
        RECORD_EVENT,
        task_id=task_id,
        base=base,
        event_ids=ids.event_ids(task_id, base, READY_IDS),
        erased_ids=marks,
        event=properties,
        request_node_id=claim.node_id,
        request=claim.properties(),
        before_id=before_id,
        before_seq=before_seq,
        after_seq=after_seq,
    )
    if not written:
        return None
    return EventResult(recorded=True, event=event_from({**properties, "id": written[0]["event_id"], **written[0]}))


def properties_of(
    scope: Scope, task_id: str, kind: EventKind, role: str | None, name: str | None, payload: str
) -> dict[str, Any]:
    """An event without what the statement gives it: number, id and time."""
    return {
        "task_id": task_id,
        "kind": kind.value,
        "role": role,
        "name": name,
        "payload": payload[:STORED_CHARACTERS],
        "payload_sha256": ids.text_digest(payload),
        "truncated": len(payload) > STORED_CHARACTERS,
        "author": scope.agent_id,
        MARKER: True,
    }


def _result_parts(properties: dict[str, Any]) -> tuple[str, str, str]:
    """The result's text around the id and the number, which the statement puts in.

    Both stand before any text of the caller in it, so the first place of each is the right one.
    """
    event = event_from({**properties, "id": ID, "seq": SEQ})
    before_id, _, rest = result_json(EventResult(recorded=True, event=event)).partition(ID)
    before_seq, _, after_seq = rest.partition(str(SEQ))
    return before_id, before_seq, after_seq


def _afresh(scope: Scope, replayed: EventResult) -> EventResult:
    """A replay tells the event as it is now: a redacted or deleted body must not come back from the request."""
    stored = replayed.event
    if stored is None:
        return replayed
    found = fetch(scope, stored.task_id, stored.seq).event
    # A task that was deleted and made again gives the same ids to other events.
    if found is None or (found.payload_sha256, found.at) != (stored.payload_sha256, stored.at):
        return EventResult(
            recorded=False,
            error="event_not_found",
            field="request_id",
            detail="The event was recorded under this request id and has been deleted since.",
            replayed=True,
        )
    return replayed.model_copy(update={"event": found})


def fetch(scope: Scope, task_id: str, seq: object) -> EventLookup:
    if type(seq) is not int or not 1 <= seq <= INT64_MAX:
        return EventLookup(found=False)
    rows = scope.store.read(ONE_EVENT, project_id=scope.project_id, task_id=task_id, seq=seq)
    return EventLookup(found=True, event=event_from(rows[0]["event"])) if rows else EventLookup(found=False)
