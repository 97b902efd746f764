"""The log of a task, read in pages: upwards or newest first, all of it or what a filter leaves."""

from dataclasses import dataclass

from reaffirm.history.models import EventKind, EventPage
from reaffirm.history.records import INT64_MAX, Scope, event_from, page_size, sequence
from reaffirm.history.words import words_of
from reaffirm.store.values import text_problem

LOOKED_AT = 1_000  # numbers that one page with a filter looks at

# Numbers are gapless, so a page is a window of numbers, which the unique key serves; deleted ones leave it shorter.
# The filter is inside a list: FalkorDB loses a WHERE with all() in it when an aggregate follows.
LIST_EVENTS = """MATCH (t:Task) WHERE t._agrag_history_record = true AND t.id = $task_id AND t.project_id = $project_id
WITH t, CASE WHEN $sign < 0 AND t.event_seq < $high THEN t.event_seq ELSE $high END AS high
WITH t, high, CASE WHEN $sign < 0 AND high - $window > $low THEN high - $window ELSE $low END AS low
OPTIONAL MATCH (e:Event) WHERE e._agrag_history_record = true AND e.task_id = $task_id AND e.seq > low AND e.seq <= high
WITH t, low, high, e ORDER BY e.seq * $sign
WITH t, low, high, collect(e) AS looked
RETURN t.event_seq AS total, low, high, [e IN looked WHERE (size($kinds) = 0 OR e.kind IN $kinds)
  AND (size($names) = 0 OR e.name IN $names) AND (size($authors) = 0 OR e.author IN $authors)
  AND (size($words) = 0 OR e.redacted_at IS NULL)
  AND all(w IN $words WHERE toLower(coalesce(e.name, '')) CONTAINS toLower(w) OR toLower(e.payload) CONTAINS toLower(w))
  | e{.*}][0..$found] AS events"""

# A support names an event by its id; its digest, where it has one, tells another event under the same id apart.
LIST_CITED = """MATCH (t:Task) WHERE t._agrag_history_record = true AND t.id = $task_id AND t.project_id = $project_id
WITH t, CASE WHEN $sign < 0 AND t.event_seq < $high THEN t.event_seq ELSE $high END AS high
WITH t, high, CASE WHEN $sign < 0 AND high - $window > $low THEN high - $window ELSE $low END AS low
OPTIONAL MATCH (e:Event) WHERE e._agrag_history_record = true AND e.task_id = $task_id AND e.seq > low AND e.seq <= high
WITH t, low, high, e
OPTIONAL MATCH (x:DecisionSupport) WHERE x.event_id = e.id AND x.current = true AND x.project_id = $project_id
  AND coalesce(x.event_payload_sha256, e.payload_sha256) = e.payload_sha256
WITH t, low, high, e, count(x) AS cites
WITH t, low, high, e, cites ORDER BY e.seq * $sign
WITH t, low, high, collect(CASE WHEN cites > 0 THEN e ELSE null END) AS looked
RETURN t.event_seq AS total, low, high, [e IN looked WHERE (size($kinds) = 0 OR e.kind IN $kinds)
  AND (size($names) = 0 OR e.name IN $names) AND (size($authors) = 0 OR e.author IN $authors)
  AND (size($words) = 0 OR e.redacted_at IS NULL)
  AND all(w IN $words WHERE toLower(coalesce(e.name, '')) CONTAINS toLower(w) OR toLower(e.payload) CONTAINS toLower(w))
  | e{.*}][0..$found] AS events"""


@dataclass(frozen=True)
class LogPage:
    """Where a page begins and which way it goes, as asked for.

    Attributes:
        after_seq: Only numbers above it.
        before_seq: Only numbers below it, and newest first.
    """

    after_seq: object = 0
    before_seq: object = None
    newest_first: object = False
    limit: object = None

    @property
    def downwards(self) -> bool:
        return bool(self.newest_first) or self.before_seq is not None


@dataclass(frozen=True)
class EventFilter:
    """What events must be like, as asked for; None stands for any."""

    kind: object = None
    name: object = None
    author: object = None
    text: object = None
    cited: object = False

    def params(self) -> dict[str, list[str]] | None:
        """None: no event can be like that."""
        kinds = [each.value for each in EventKind if each == self.kind]
        words, names, authors = words_of(self.text), _exactly(self.name), _exactly(self.author)
        if words is None or names is None or authors is None or (self.kind is not None and not kinds):
            return None
        return {"kinds": kinds, "names": names, "authors": authors, "words": words}


def _exactly(value: object) -> list[str] | None:
    """The text that a property must be, as a list: none stands for any, None for a text that none can be."""
    if value is None:
        return []
    return [str.__str__(value)] if isinstance(value, str) and not text_problem(value) else None


ANY: dict[str, list[str]] = {"kinds": [], "names": [], "authors": [], "words": []}


def list_events(scope: Scope, task_id: str, page: LogPage, wanted: EventFilter) -> EventPage:
    """One statement. What no event can be like still tells whether the task exists, and how long its log is."""
    params = wanted.params()
    size, low = page_size(page.limit), sequence(page.after_seq)
    plain = params == ANY and not wanted.cited
    window = size if plain else LOOKED_AT
    if page.downwards:
        high = sequence(page.before_seq) - 1 if type(page.before_seq) is int else INT64_MAX
    else:
        high = min(low + window, INT64_MAX)
    rows = scope.store.read(
        LIST_CITED if wanted.cited else LIST_EVENTS,
        project_id=scope.project_id,
        task_id=task_id,
        sign=-1 if page.downwards else 1,
        low=low,
        high=low if params is None else max(high, 0),
        window=window,
        found=window * 2 if plain else size + 1,  # numbers that are doubled are not left out
        **(params or ANY),
    )
    if not rows:
        return EventPage(found=False)
    row = rows[0]
    events = tuple(event_from(each) for each in (row["events"] if plain else row["events"][:size]))
    if params is None:
        return EventPage(found=True, total=row["total"])
    if len(row["events"]) > len(events):
        beyond: int | None = events[-1].seq
    elif page.downwards:
        beyond = row["low"] + 1 if row["low"] > low else None
    else:
        beyond = high if high < row["total"] else None
    return EventPage(
        found=True,
        events=events,
        total=row["total"],
        next_before_seq=beyond if page.downwards else None,
        next_after_seq=None if page.downwards else beyond,
    )
