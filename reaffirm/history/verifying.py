"""Whether the log of a task is whole: numbers, ids and digests. In windows, so that no statement reads a long log."""

from collections.abc import Iterator
from typing import Any

from reaffirm import ids
from reaffirm.history.records import INT64_MAX, OWN_RESULT_FIELDS, Scope
from reaffirm.history.reports import EventReport, Findings, RepairResult
from reaffirm.history.tasks import REQUEST_AND_TASK
from reaffirm.operation import Claim, earlier
from reaffirm.store import Row

SHOWN = 100  # findings of each kind that a report names
WINDOW = 200  # numbers a statement, when it reads payloads
LIGHT_WINDOW = 2_000  # without payloads
REPAIRED = 500  # events that one call gives an id

TASK_SEQ = """MATCH (t:Task) WHERE t._agrag_history_record = true AND t.id = $task_id AND t.project_id = $project_id
RETURN t.event_seq AS seq"""

# Both bounds: with one alone Neo4j may read the whole index instead of a part of it.
LAST_BEYOND = """MATCH (e:Event) WHERE e._agrag_history_record = true AND e.task_id = $task_id
  AND e.seq > $after AND e.seq <= $until
WITH e.seq AS seq ORDER BY seq DESC LIMIT 1
RETURN seq"""

FIRST_BEYOND = """MATCH (e:Event) WHERE e._agrag_history_record = true AND e.task_id = $task_id
  AND e.seq > $after AND e.seq <= $until
WITH e.seq AS seq ORDER BY seq LIMIT 1
RETURN seq"""

EVENTS_WHOLE = """MATCH (e:Event) WHERE e._agrag_history_record = true AND e.task_id = $task_id
  AND e.seq > $after AND e.seq <= $until
WITH e ORDER BY e.seq
RETURN collect(e{.seq, .id, .payload, .payload_sha256, .truncated, .redacted_at}) AS events"""

EVENTS_LIGHT = """MATCH (e:Event) WHERE e._agrag_history_record = true AND e.task_id = $task_id
  AND e.seq > $after AND e.seq <= $until
WITH e ORDER BY e.seq
RETURN collect(e{.seq, .id}) AS events"""

# All that have no id still have none, and no number is doubled: two events would get one id.
REPAIR_EVENTS = """MATCH (t:Task) WHERE t._agrag_history_record = true AND t.id = $task_id
WITH t
//@lock t
WITH t
OPTIONAL MATCH (q:Request) WHERE q._agrag_history_record = true AND q.id = $request_node_id
WITH t, count(q) AS done WHERE done = 0 AND properties(t).deletion_id IS NULL
OPTIONAL MATCH (e:Event) WHERE e._agrag_history_record = true AND e.task_id = $task_id AND e.seq IN $numbers
WITH t, collect(CASE WHEN e.id IS NULL THEN e ELSE null END) AS nameless, t.event_seq AS seq
WITH t, nameless, seq WHERE size(nameless) = size($rows)
CREATE (q:Request) SET q = $request
FOREACH (e IN nameless | SET e.id = head([x IN $rows WHERE x.seq = e.seq | x.id]))
SET t.event_seq = CASE WHEN $last > seq THEN $last ELSE seq END
RETURN seq"""


def verify(scope: Scope, task_id: str) -> EventReport:
    """Read the whole log once. What is appended meanwhile is left out."""
    extent = _extent(scope, task_id)
    if extent is None:
        return EventReport(found=False)
    end, last = extent
    checks = _Checks(task_id)
    for after, until, events in _windows(scope, EVENTS_WHOLE, task_id, max(end, last), WINDOW):
        checks.look(after, until, events)
    return checks.report(end)


def _extent(scope: Scope, task_id: str) -> tuple[int, int] | None:
    """The last number given out, and that of an event beyond it or 0.

    A number is given out by the statement that makes the event: whoever sees the event before sees the number after.
    """
    rows = scope.store.read(TASK_SEQ, project_id=scope.project_id, task_id=task_id)
    if not rows:
        return None
    end: int = rows[0]["seq"]
    beyond = scope.store.read(LAST_BEYOND, task_id=task_id, after=end, until=INT64_MAX)
    if not beyond:
        return end, 0
    last: int = beyond[0]["seq"]
    rows = scope.store.read(TASK_SEQ, project_id=scope.project_id, task_id=task_id)
    if not rows:
        return None
    now: int = rows[0]["seq"]
    return (end, 0) if last <= now else (now, last)


def _windows(scope: Scope, query: str, task_id: str, end: int, size: int) -> Iterator[tuple[int, int, list[Row]]]:
    """The log in windows: the numbers that each covers, and the events there. An empty stretch is one window."""
    after = 0
    while after < end:
        until = min(after + size, end)
        events = scope.store.read(query, task_id=task_id, after=after, until=until)[0]["events"]
        if not events:
            first = scope.store.read(FIRST_BEYOND, task_id=task_id, after=until, until=end)
            until = first[0]["seq"] - 1 if first else end
        yield after, until, events
        after = until


class _Checks:
    """What is found on the way through a log."""

    def __init__(self, task_id: str) -> None:
        self._task_id = task_id
        self._events = self._missing = self._unchecked = self._last = 0
        self._gaps: list[tuple[int, int]] = []
        self._doubled: list[int] = []
        self._wrong_ids: list[int] = []
        self._wrong_digests: list[int] = []

    def look(self, after: int, until: int, events: list[Row]) -> None:
        number = after
        for event in events:
            seq = event["seq"]
            if seq == self._last:
                self._doubled.append(seq)
            elif seq > number + 1:
                self._gap(number + 1, seq - 1)
            number = self._last = seq
            self._events += 1
            if event.get("id") != ids.event_id(self._task_id, seq):
                self._wrong_ids.append(seq)
            if event.get("redacted_at") or event.get("truncated"):
                self._unchecked += 1
            elif ids.text_digest(event.get("payload") or "") != event.get("payload_sha256"):
                self._wrong_digests.append(seq)
        if until > number:
            self._gap(number + 1, until)

    def _gap(self, first: int, last: int) -> None:
        self._missing += last - first + 1
        if self._gaps and self._gaps[-1][1] == first - 1:
            self._gaps[-1] = (self._gaps[-1][0], last)
        else:
            self._gaps.append((first, last))

    def report(self, end: int) -> EventReport:
        return EventReport(
            found=True,
            task_id=self._task_id,
            total=end,
            events=self._events,
            missing=self._missing,
            gap_count=len(self._gaps),
            gaps=tuple(self._gaps[:SHOWN]),
            doubled=_findings(self._doubled),
            wrong_ids=_findings(self._wrong_ids),
            wrong_digests=_findings(self._wrong_digests),
            unchecked=self._unchecked,
            behind=max(0, self._last - end),
            ahead=max(0, end - self._last),
        )


def _findings(numbers: list[int]) -> Findings:
    return Findings(count=len(numbers), numbers=tuple(numbers[:SHOWN]))


def repair(scope: Scope, task_id: str, claim: Claim, *, keep: bool) -> RepairResult | None:
    """One attempt. None: the world moved, look again.

    Args:
        keep: The caller named the request, so it is recorded even when there was nothing to repair.
    """
    row = scope.store.read(REQUEST_AND_TASK, request_node_id=claim.node_id, task_id=task_id)[0]
    replayed = earlier(RepairResult, row["request"], claim)
    if replayed:
        return replayed
    if row["task"] and row["task"].get("deletion_id"):
        return RepairResult(recorded=False, error="being_deleted", field="task_name")
    extent = _extent(scope, task_id) if row["task"] else None
    if extent is None:
        return RepairResult(recorded=False, error="task_not_found", field="task_name")
    end, last = extent
    nameless = _nameless(scope, task_id, max(end, last))
    given = nameless[:REPAIRED]
    result = RepairResult(
        recorded=True, ids_given=tuple(given), ids_left=len(nameless) - len(given), raised_by=max(0, last - end)
    )
    if not given and not result.raised_by and not keep:
        return result
    rows = [{"seq": seq, "id": ids.event_id(task_id, seq)} for seq in given]
    written = scope.store.write(
        REPAIR_EVENTS,
        task_id=task_id,
        request_node_id=claim.node_id,
        numbers=given,
        rows=rows,
        last=last,
        request=claim.properties(result.model_dump_json(exclude=OWN_RESULT_FIELDS)),
    )
    return result if written else None


def _nameless(scope: Scope, task_id: str, end: int) -> list[int]:
    """The numbers of events without an id; not doubled ones, of which only one could have it."""
    seen: dict[int, list[Any]] = {}
    for _, _, events in _windows(scope, EVENTS_LIGHT, task_id, end, LIGHT_WINDOW):
        for event in events:
            seen.setdefault(event["seq"], []).append(event.get("id"))
        seen = {seq: found for seq, found in seen.items() if None in found}
    return [seq for seq, found in seen.items() if len(found) == 1]
