"""Where people and agents quote a text: found by exact words, listed for a person, never judged by the machine.

A quote is a common part of at least 24 code points, or a whole text of 8 to 23. Cut into blocks of 12, a text that is
quoted at that length always has one whole block in the quote, so one pass over the other text finds it.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from reaffirm.history.records import Scope
from reaffirm.retention.models import Copy
from reaffirm.store import Row

MINIMUM, WHOLE = 24, 8  # code points
BLOCK = MINIMUM // 2
PLACES = 20  # of one block that stands in the text more often
RECORDS, CHARACTERS = 20_000, 20_000_000  # compared by one preview
SHOWN = 200
TASKS, EVENTS = 20, 200  # read by one statement

DECISION_FIELDS = (
    "conclusion", "rationale", "question", "assumptions", "open_questions", "rejection_reason",
    "supersession_explanation", "said", "cause_reason",
)  # fmt: skip

TASK_FIELDS = ("goal", "close_reason", "reopen_reason")

# The form is that of list_erasures: both stores walk the index from its end.
PROJECT_TASKS = """MATCH (t:Task) WHERE t.project_id = $project_id AND t.created_at <= $created_at
  AND t.id IS NOT NULL AND NOT (t.created_at = $created_at AND t.id >= $id)
WITH t, t.created_at AS moment, t._agrag_history_record AS history WHERE moment <= $created_at AND history = true
RETURN t{.*} AS task ORDER BY t.project_id DESC, t.created_at DESC, t.id DESC LIMIT $limit"""

DECISION_TEXTS = """UNWIND $task_ids AS task_id
MATCH (t:Task) WHERE t._agrag_history_record = true AND t.id = task_id
WITH t
MATCH (t)-[m:MADE]->(d:Decision)
WITH t, d ORDER BY d.id LIMIT $limit
OPTIONAL MATCH (d)-[h:HAS_SUPPORT]->(s:DecisionSupport) WHERE s.review_explanation IS NOT NULL
RETURN t.name AS task_name, d{.*} AS decision, collect(CASE WHEN s IS NULL THEN null
  ELSE s{.id, .review_explanation} END) AS supports"""

EVENT_TEXTS = """MATCH (e:Event) WHERE e._agrag_history_record = true AND e.task_id = $task_id
  AND e.seq > $after_seq AND e.seq <= $to
  AND e.redacted_at IS NULL
RETURN e.id AS id, e.payload AS payload ORDER BY e.seq"""


@dataclass(frozen=True)
class Place:
    """One text of the project, and where it stands."""

    kind: str
    record_id: str
    field: str
    task_name: str
    text: str


@dataclass(frozen=True)
class Found:
    copies: tuple[Copy, ...]
    looked_at: int
    complete: bool


class Quotes:
    """Tells how much of a text others repeat. What a JSON text says counts too: people quote it without its escapes."""

    def __init__(self, text: str) -> None:
        self._texts = [each for each in dict.fromkeys([text, *_strings(text)]) if len(each) >= WHOLE]
        self._blocks: dict[str, list[tuple[int, int]]] = {}
        for number, each in enumerate(self._texts):
            if len(each) < MINIMUM:
                continue
            for start in range(0, len(each) - BLOCK + 1, BLOCK):
                places = self._blocks.setdefault(each[start : start + BLOCK], [])
                if len(places) < PLACES:
                    places.append((number, start))

    def longest(self, other: str) -> int:
        """The length of the longest part that the other text repeats; 0 where it is too short to be a quote."""
        best = max((len(each) for each in self._texts if len(each) < MINIMUM and each in other), default=0)
        end = 0  # of the last part found: what lies in it need not be looked at again
        for at in range(len(other) - BLOCK + 1):
            if at < end:
                continue
            for number, start in self._blocks.get(other[at : at + BLOCK], ()):
                before, after = self._reach(self._texts[number], start, other, at)
                if after + before >= MINIMUM:
                    best = max(best, before + after)
                    end = max(end, at + after)
        return best

    @staticmethod
    def _reach(text: str, start: int, other: str, at: int) -> tuple[int, int]:
        before = after = 0
        while before < min(start, at) and text[start - before - 1] == other[at - before - 1]:
            before += 1
        most = min(len(text) - start, len(other) - at)
        while after < most and text[start + after] == other[at + after]:
            after += 1
        return before, after


def _strings(text: str) -> Iterator[str]:
    """Every text in a JSON text; nothing of any other."""
    try:
        open_values = [json.loads(text)]
    except (ValueError, RecursionError):
        return
    while open_values:
        value = open_values.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            open_values += value.values()
        elif isinstance(value, list):
            open_values += value


def find(scope: Scope, event: Mapping[str, Any], task: Mapping[str, Any]) -> Found:
    """Look for quotes of an event's body: its own task first, then the others of the project, newest first."""
    quotes = Quotes(event["payload"])
    copies: list[Copy] = []
    records = characters = 0
    for place in _places(scope, task):
        if place.record_id == event["id"]:
            continue
        if records >= RECORDS or characters >= CHARACTERS:
            return Found(tuple(copies), records, complete=False)
        records += 1
        characters += len(place.text)
        length = quotes.longest(place.text)
        if length and len(copies) < SHOWN:
            copies.append(_copy(place, length))
    return Found(tuple(copies), records, complete=True)


def _copy(place: Place, length: int) -> Copy:
    return Copy(kind=place.kind, record_id=place.record_id, field=place.field, task_name=place.task_name, length=length)


def _places(scope: Scope, own: Mapping[str, Any]) -> Iterator[Place]:
    yield from _of_tasks(scope, [own])
    created_at, after_id = "~", ""  # after every time
    while True:
        rows = scope.store.read(
            PROJECT_TASKS, project_id=scope.project_id, created_at=created_at, id=after_id, limit=TASKS
        )
        yield from _of_tasks(scope, [row["task"] for row in rows if row["task"]["id"] != own["id"]])
        if len(rows) < TASKS:
            return
        created_at, after_id = rows[-1]["task"]["created_at"], rows[-1]["task"]["id"]


def _of_tasks(scope: Scope, tasks: list[Mapping[str, Any]]) -> Iterator[Place]:
    for task in tasks:
        for field in TASK_FIELDS:
            yield Place("task", task["id"], field, task["name"], task.get(field) or "")
    if not tasks:
        return
    for row in scope.store.read(DECISION_TEXTS, task_ids=[task["id"] for task in tasks], limit=RECORDS):
        yield from _of_decision(row)
    for task in tasks:
        for after in range(0, task["event_seq"], EVENTS):
            for row in scope.store.read(EVENT_TEXTS, task_id=task["id"], after_seq=after, to=after + EVENTS):
                if row["id"]:
                    yield Place("event", row["id"], "payload", task["name"], row["payload"])


def _of_decision(row: Row) -> Iterator[Place]:
    decision = row["decision"]
    for field in DECISION_FIELDS:
        value = decision.get(field) or ()
        for text in [value] if isinstance(value, str) else value:
            words = " ".join(_strings(text)) if field == "said" else text
            yield Place("decision", decision["id"], field, row["task_name"], words)
    for support in row["supports"]:
        if support and support.get("review_explanation"):
            words = support["review_explanation"]
            yield Place("support", support["id"], "review_explanation", row["task_name"], words)
