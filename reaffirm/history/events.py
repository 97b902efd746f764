"""Events: append one or many, look one up."""

from dataclasses import dataclass
from typing import Any, TypeVar

from reaffirm import fields, ids
from reaffirm.history.models import EventInput, EventKind, EventLookup, EventResult, EventsResult
from reaffirm.history.records import INT64_MAX, Scope, event_from, result_json
from reaffirm.history.tasks import REQUEST_AND_TASK
from reaffirm.models import Result
from reaffirm.operation import MARKER, Claim, earlier
from reaffirm.retention import erased
from reaffirm.store import Row, ValueRefused

R = TypeVar("R", bound=Result)

MAX_EVENTS = 100
ROLE = 100
STORED_CHARACTERS = 32_000  # code points; the digest is always of the full text
READY_IDS = 32  # how far other writers may get between our read and our statement before it is made again

# The task, the request, and whether the text was erased: see retention/erased.py.
EVENT_READ = (
    REQUEST_AND_TASK.rpartition("RETURN")[0]
    + """WITH request, CASE WHEN t IS NULL THEN null ELSE t{.*} END AS task
OPTIONAL MATCH (k:ErasureKey) WHERE k.id = $key_id
WITH request, task, CASE WHEN k IS NULL THEN null ELSE k{.*} END AS key
OPTIONAL MATCH (x:ErasedText) WHERE x.id IN $erased_ids
RETURN request, task, key, collect(x.id) AS erased"""
)

# $event_ids are ready for what follows $base: other writers may have taken some of the numbers since.
_FREE = """MATCH (t:Task) WHERE t._agrag_history_record = true AND t.id = $task_id
WITH t
//@lock t
WITH t
OPTIONAL MATCH (q:Request) WHERE q._agrag_history_record = true AND q.id = $request_node_id
WITH t, count(q) AS done
WHERE done = 0 AND t.event_seq >= $base AND t.event_seq - $base + $count <= size($event_ids)
  AND properties(t).deletion_id IS NULL
OPTIONAL MATCH (x:ErasedText) WHERE x.id IN $erased_ids
WITH t, count(x) AS erased WHERE erased = 0
"""

RECORD_EVENT = (
    _FREE
    + """WITH t, t.event_seq + 1 AS seq
WITH t, seq, $event_ids[seq - $base - 1] AS event_id
CREATE (q:Request) SET q = $request, q.result_json = $before_id + event_id + $before_seq + toString(seq) + $after_seq
CREATE (t)-[:HAS_EVENT]->(e:Event) SET e = $event, e.seq = seq, e.id = event_id
SET t.event_seq = seq
RETURN seq, event_id"""
)

RECORD_EVENTS = (
    _FREE
    + """WITH t, t.event_seq AS last
CREATE (q:Request) SET q = $request, q.result_json = $before_seq + toString(last + 1) + $after_seq
FOREACH (one IN $events | CREATE (t)-[:HAS_EVENT]->(e:Event)
  SET e = one.properties, e.seq = last + one.number, e.id = $event_ids[last - $base + one.number - 1])
SET t.event_seq = last + $count
RETURN last"""
)

ONE_EVENT = """MATCH (e:Event) WHERE e._agrag_history_record = true AND e.task_id = $task_id AND e.seq = $seq
MATCH (t:Task)-[h:HAS_EVENT]->(e) WHERE t.project_id = $project_id
RETURN e{.*} AS event LIMIT 1"""

SOME_EVENTS = """MATCH (e:Event) WHERE e._agrag_history_record = true AND e.task_id = $task_id
  AND e.seq >= $first AND e.seq <= $last
MATCH (t:Task)-[h:HAS_EVENT]->(e) WHERE t.project_id = $project_id
RETURN e{.*} AS event ORDER BY e.seq"""

# 19 digits: no id before it holds so many in a row.
ID, SEQ = "<event id>", INT64_MAX


def record(scope: Scope, task_id: str, properties: dict[str, Any], claim: Claim) -> EventResult | None:
    """One attempt. None: the world moved, look again."""
    seen = _see(scope, task_id, [properties], claim)
    replayed = earlier(EventResult, seen.row["request"], claim)
    if replayed:
        return _afresh(scope, replayed)
    refusal = _hindrance(EventResult, seen)
    if refusal:
        return refusal.model_copy(update={"field": "payload"}) if refusal.error == "erased" else refusal
    properties = {**properties, "at": ids.now()}
    before_id, before_seq, after_seq = _result_parts(properties)
    written = not seen.outdated and scope.store.write(
        RECORD_EVENT,
        **_free(scope, task_id, seen, 1, claim),
        event=properties,
        before_id=before_id,
        before_seq=before_seq,
        after_seq=after_seq,
    )
    if not written:
        return None
    return EventResult(recorded=True, event=event_from({**properties, "id": written[0]["event_id"], **written[0]}))


def record_many(scope: Scope, task_id: str, batch: list[dict[str, Any]], claim: Claim) -> EventsResult | None:
    """One attempt to append all of them. None: the world moved, look again.

    The request keeps their numbers and none of their texts: a repeated call reads them as they are by then.
    """
    seen = _see(scope, task_id, batch, claim)
    replayed = earlier(EventsResult, seen.row["request"], claim)
    if replayed:
        return _many_afresh(scope, replayed, len(batch))
    refusal = _hindrance(EventsResult, seen)
    if refusal:
        return refusal
    at, count = ids.now(), len(batch)
    batch = [{**properties, "at": at, "appended_by": claim.node_id} for properties in batch]
    kept = EventsResult(
        recorded=True, task_id=task_id, first_seq=SEQ, at=event_from({**batch[0], "id": ID, "seq": 1}).at
    )
    before_seq, _, after_seq = result_json(kept).partition(str(SEQ))
    written = not seen.outdated and scope.store.write(
        RECORD_EVENTS,
        **_free(scope, task_id, seen, count, claim),
        events=[{"number": number, "properties": each} for number, each in enumerate(batch, 1)],
        before_seq=before_seq,
        after_seq=after_seq,
    )
    if not written:
        return None
    last = written[0]["last"]
    events = tuple(
        event_from({**each, "seq": last + number, "id": ids.event_id(task_id, last + number)})
        for number, each in enumerate(batch, 1)
    )
    return kept.model_copy(update={"first_seq": last + 1, "events": events})


@dataclass(frozen=True)
class _Seen:
    """What one attempt found.

    Attributes:
        row: The request, the task, and which texts were erased.
        marks: The ids under which each of the texts would be remembered.
        outdated: They were made under another key than the graph's.
    """

    row: Row
    marks: list[list[str]]
    outdated: bool


def _see(scope: Scope, task_id: str, batch: list[dict[str, Any]], claim: Claim) -> _Seen:
    marks = [
        erased.marks(scope.store, scope.project_id, task_id, each["payload"], each["payload_sha256"]) for each in batch
    ]
    row = scope.store.read(
        EVENT_READ,
        request_node_id=claim.node_id,
        task_id=task_id,
        key_id=erased.KEY_ID,
        erased_ids=sorted({mark for each in marks for mark in each}),
    )[0]
    return _Seen(row, marks, erased.learn(scope.store, row["key"]))


def _hindrance(kind: type[R], seen: _Seen) -> R | None:
    """Why nothing can be appended; None where nothing is in the way."""
    task = seen.row["task"]
    if not task:  # Neo4j shows a node without properties while another writer deletes it
        return kind(recorded=False, error="task_not_found", field="task_name")
    if task.get("deletion_id"):
        return kind(recorded=False, error="being_deleted", field="task_name")
    known = set(seen.row["erased"])
    wrong = [number for number, marks in enumerate(seen.marks) if known & set(marks)]
    return kind(recorded=False, error="erased", field=f"batch[{wrong[0]}].payload") if wrong else None


def _free(scope: Scope, task_id: str, seen: _Seen, count: int, claim: Claim) -> dict[str, Any]:
    """What the guards of an appending statement ask for."""
    base = seen.row["task"]["event_seq"]
    return {
        "task_id": task_id,
        "base": base,
        "count": count,
        "event_ids": ids.event_ids(task_id, base, READY_IDS + count - 1),
        "erased_ids": sorted({mark for each in seen.marks for mark in each}),
        "request_node_id": claim.node_id,
        "request": claim.properties(),
    }


def batch_of(scope: Scope, task_id: str, batch: object) -> list[dict[str, Any]]:
    """The events of a batch, each as ``properties_of`` makes it.

    Raises:
        ValueRefused: One of them is not acceptable, or they are none or too many.
    """
    if not isinstance(batch, list | tuple) or not 1 <= len(batch) <= MAX_EVENTS:
        raise ValueRefused("batch", f"is not a list of 1 to {MAX_EVENTS} EventInput")
    made = []
    for number, each in enumerate(batch):
        if not isinstance(each, EventInput):
            raise ValueRefused(f"batch[{number}]", "is not an EventInput")
        at = f"batch[{number}]."
        made.append(properties_of(scope, task_id, each.kind, each.role, each.name, each.payload, at=at))
    return made


def properties_of(
    scope: Scope, task_id: str, kind: object, role: object, name: object, payload: object, *, at: str = ""
) -> dict[str, Any]:
    """An event without what the statement gives it: number, id and time.

    Args:
        at: Where the arguments stand, for the refusal of one.

    Raises:
        ValueRefused: One of them is not acceptable.
    """
    checked = fields.choice(f"{at}kind", kind, EventKind)
    role = fields.optional_text(f"{at}role", role, ROLE)
    name = fields.optional_text(f"{at}name", name, fields.NAME_CHARACTERS)
    text = fields.text(f"{at}payload", payload, fields.PAYLOAD, required=False)
    return {
        "task_id": task_id,
        "kind": checked.value,
        "role": role,
        "name": name,
        "payload": text[:STORED_CHARACTERS],
        "payload_sha256": ids.text_digest(text),
        "truncated": len(text) > STORED_CHARACTERS,
        "author": scope.agent_id,
        MARKER: True,
    }


def arguments(task_name: str, properties: dict[str, Any]) -> dict[str, object]:
    """What a repeated request must be equal in."""
    named = ("kind", "role", "name", "payload_sha256")
    return {"task_name": task_name, **{name: properties.get(name) for name in named}}


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


def _many_afresh(scope: Scope, replayed: EventsResult, count: int) -> EventsResult:
    """A replay of many tells the events as they are now."""
    if not replayed.recorded:
        return replayed
    first = replayed.first_seq or 0
    rows = scope.store.read(
        SOME_EVENTS, project_id=scope.project_id, task_id=replayed.task_id, first=first, last=first + count - 1
    )
    events = tuple(event_from(row["event"]) for row in rows)
    if len(events) != count or any(event.at != replayed.at for event in events):
        return EventsResult(
            recorded=False,
            error="event_not_found",
            field="request_id",
            detail="Events were recorded under this request id and have been deleted since.",
            replayed=True,
        )
    return replayed.model_copy(update={"events": events})


def fetch(scope: Scope, task_id: str, seq: object) -> EventLookup:
    if type(seq) is not int or not 1 <= seq <= INT64_MAX:
        return EventLookup(found=False)
    rows = scope.store.read(ONE_EVENT, project_id=scope.project_id, task_id=task_id, seq=seq)
    return EventLookup(found=True, event=event_from(rows[0]["event"])) if rows else EventLookup(found=False)
