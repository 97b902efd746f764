"""The list of a project's tasks: filtered, counted, newest first.

The order is that of the stored texts of the times. Both products write times that end in ``+00:00``, whose texts sort
as the times do, so an index gives the order. A time that another program wrote in another form (``Z``, ``+05:30``, no
zone) sorts by the text that it has in UTC: such tasks are few, are found by the pass that counts, and are merged in.
"""

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from reaffirm import ids
from reaffirm.history.models import TaskPage, TaskStatus
from reaffirm.history.records import Scope, name_or_none, page_size, task_from
from reaffirm.history.words import words_of
from reaffirm.store import Row

LOOKED_AT = 2_000  # tasks that one page with words or an author looks at
COUNTED = 10_000  # tasks of a project among which words or an author are counted
ODD_LOOKED_AT = 1_000  # tasks with a time in another form; where there are more, all sort by their stored text

# Neo4j takes the order from the index when every property of it has a predicate and a place in the ORDER BY; an OR in
# the keyset would make it a union of scans. With 10,000 tasks it then reads 52 entries for a page of 50 (PROFILE), with
# the ORDER BY of the LIMIT alone 10,000. FalkorDB keeps no order but that of the LIMIT. Its index drops the upper bound
# of a text, so that is checked again behind a projection, where no index is asked; the marker too, or Neo4j would take
# the unique key of marker and id.
TASKS_PAGE = """MATCH (t:Task) WHERE t.project_id = $project_id AND t.created_at <= $created_at AND t.id IS NOT NULL
  AND NOT (t.created_at = $created_at AND t.id >= $id)
WITH t ORDER BY t.project_id DESC, t.created_at DESC, t.id DESC
WITH t, t.created_at AS moment, t._agrag_history_record AS history WHERE moment <= $created_at AND history = true
WITH t, moment ORDER BY t.project_id DESC, moment DESC, t.id DESC LIMIT $window
WITH collect(t) AS looked
RETURN size(looked) AS looked, last(looked).created_at AS last_created_at, last(looked).id AS last_id,
  [t IN looked WHERE ($any_form = true OR t.created_at ENDS WITH '+00:00') AND ($author = '' OR t.author = $author)
    AND all(w IN $words WHERE toLower(t.name) CONTAINS toLower(w) OR toLower(t.goal) CONTAINS toLower(w))
    | t{.*}][0..$found] AS tasks"""

# The same with the index that begins with the status; the marker is part of it. Tasks of one moment are sorted by id
# behind it.
TASKS_OF_STATUS = """MATCH (t:Task) WHERE t._agrag_history_record = true AND t.project_id = $project_id
  AND t.status = $status AND t.created_at <= $created_at
WITH t ORDER BY t._agrag_history_record DESC, t.project_id DESC, t.status DESC, t.created_at DESC, t.id DESC
WITH t, t.created_at AS moment WHERE moment <= $created_at AND NOT (moment = $created_at AND t.id >= $id)
WITH t, moment ORDER BY t._agrag_history_record DESC, t.project_id DESC, t.status DESC, moment DESC, t.id DESC
  LIMIT $window
WITH collect(t) AS looked
RETURN size(looked) AS looked, last(looked).created_at AS last_created_at, last(looked).id AS last_id,
  [t IN looked WHERE ($any_form = true OR t.created_at ENDS WITH '+00:00') AND ($author = '' OR t.author = $author)
    AND all(w IN $words WHERE toLower(t.name) CONTAINS toLower(w) OR toLower(t.goal) CONTAINS toLower(w))
    | t{.*}][0..$found] AS tasks"""

# One pass over the project's entries of the index, which holds all that is asked for but the ids of the few.
TASK_COUNTS = """MATCH (t:Task) WHERE t._agrag_history_record = true AND t.project_id = $project_id
  AND t.status IS NOT NULL AND t.created_at IS NOT NULL
RETURN t.status AS status, count(t) AS tasks,
  collect(CASE WHEN t.created_at ENDS WITH '+00:00' THEN null ELSE t{.id, .created_at} END)[0..1001] AS odd"""

# FalkorDB loses a WHERE with all() in it when an aggregate follows, so the filter is inside a list here too.
TASKS_FOUND = """MATCH (t:Task) WHERE t._agrag_history_record = true AND t.project_id = $project_id
  AND t.status IS NOT NULL AND t.created_at IS NOT NULL
WITH collect(t) AS looked
RETURN size([t IN looked WHERE ($status = '' OR t.status = $status) AND ($author = '' OR t.author = $author)
  AND all(w IN $words WHERE toLower(t.name) CONTAINS toLower(w) OR toLower(t.goal) CONTAINS toLower(w))
  | t.id]) AS found"""

TASKS_BY_ID = """UNWIND $ids AS id
MATCH (t:Task) WHERE t._agrag_history_record = true AND t.id = id
WITH collect(t) AS looked
RETURN [t IN looked WHERE t.project_id = $project_id AND ($status = '' OR t.status = $status)
  AND ($author = '' OR t.author = $author)
  AND all(w IN $words WHERE toLower(t.name) CONTAINS toLower(w) OR toLower(t.goal) CONTAINS toLower(w))
  | t{.*}] AS tasks"""

Place = tuple[str, str]
FIRST_PAGE: Place = ("~", "")  # after every time
LAST: Place = ("", "")


@dataclass(frozen=True)
class TaskFilter:
    """What tasks must be like. Empty stands for any."""

    status: str
    author: str
    words: list[str]

    @property
    def params(self) -> dict[str, object]:
        return {"author": self.author, "words": self.words}

    @property
    def by_index(self) -> bool:
        """Whether an index alone finds the tasks."""
        return not self.author and not self.words


def list_tasks(scope: Scope, status: object, text: object, author: object, limit: object, cursor: object) -> TaskPage:
    """A page. Two statements, one more for words or an author, one more where times have other forms."""
    wanted = _filter(status, text, author)
    surveyed = scope.store.read(TASK_COUNTS, project_id=scope.project_id)
    counts = {each: sum(row["tasks"] for row in surveyed if row["status"] == each) for each in TaskStatus}
    if wanted is None:
        return TaskPage(counts=counts, count=0)
    odd = {row["id"]: _sortable(row["created_at"]) for each in surveyed for row in each["odd"]}
    any_form = len(odd) > ODD_LOOKED_AT
    if any_form:
        odd = {}
    size, start = page_size(limit), _position(cursor)
    end: Place | None
    found, end = _page(scope, wanted, start, size, any_form=any_form)
    found += _odd(scope, wanted, odd, start, end or LAST, size)
    found.sort(key=lambda row: (odd.get(row["id"], row["created_at"]), row["id"]), reverse=True)
    shown = found[:size]
    if len(found) > size:
        end = (odd.get(shown[-1]["id"], str(shown[-1]["created_at"])), str(shown[-1]["id"]))
    return TaskPage(
        tasks=tuple(task_from(row) for row in shown),
        next_cursor=_cursor(end) if end else None,
        counts=counts,
        count=_count(scope, wanted, counts),
    )


def _filter(status: object, text: object, author: object) -> TaskFilter | None:
    """None: no task can be like that."""
    words = words_of(text)
    states = [each.value for each in TaskStatus if each == status]
    name = name_or_none(author)
    if words is None or (status is not None and not states) or (author is not None and name is None):
        return None
    return TaskFilter(states[0] if states else "", name or "", words)


def _page(
    scope: Scope, wanted: TaskFilter, start: Place, size: int, *, any_form: bool
) -> tuple[list[Row], Place | None]:
    """Matching tasks after a place, and the last place looked at; None at the end of the list."""
    window = size + 1 if wanted.by_index else LOOKED_AT
    asked: dict[str, object] = {
        "project_id": scope.project_id,
        "created_at": start[0],
        "id": start[1],
        "window": window,
        "any_form": any_form,
        "found": size + 1,
        **wanted.params,
    }
    if wanted.status:
        row = scope.store.read(TASKS_OF_STATUS, status=wanted.status, **asked)[0]
    else:
        row = scope.store.read(TASKS_PAGE, **asked)[0]
    end = (row["last_created_at"], row["last_id"]) if row["looked"] == window else None
    return row["tasks"], end


def _odd(scope: Scope, wanted: TaskFilter, odd: Mapping[str, str], start: Place, end: Place, size: int) -> list[Row]:
    """The first matching tasks between two places whose times have another form.

    Not cut before the filter: of 1,000 ids any may match.
    """
    between = sorted(
        ((moment, task_id) for task_id, moment in odd.items() if end <= (moment, task_id) < start), reverse=True
    )
    if not between:
        return []
    rows = scope.store.read(
        TASKS_BY_ID,
        project_id=scope.project_id,
        ids=[task_id for _, task_id in (between[: size + 1] if wanted.by_index and not wanted.status else between)],
        status=wanted.status,
        **wanted.params,
    )
    found: list[Row] = rows[0]["tasks"]
    return found


def _count(scope: Scope, wanted: TaskFilter, counts: Mapping[TaskStatus, int]) -> int | None:
    among = counts[TaskStatus(wanted.status)] if wanted.status else sum(counts.values())
    if wanted.by_index:
        return among
    if sum(counts.values()) > COUNTED:
        return None
    rows = scope.store.read(TASKS_FOUND, project_id=scope.project_id, status=wanted.status, **wanted.params)
    return int(rows[0]["found"])


def _sortable(created_at: str) -> str:
    """A stored time as its text would be in UTC; without a zone it is UTC by rule."""
    try:
        moment = datetime.fromisoformat(created_at)
    except ValueError:
        return created_at
    return ids.stamp(moment if moment.tzinfo else moment.replace(tzinfo=UTC))


def _cursor(place: Place) -> str:
    """Where a page ends: the text of the time, which sorts, and the id."""
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")


def _position(cursor: object) -> Place:
    """A cursor that is not one of ours means the first page."""
    if not isinstance(cursor, str) or not 1 <= len(cursor) <= 400:
        return FIRST_PAGE
    try:
        position = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
        created_at, task_id = position
        ids.milliseconds(created_at)
    except (binascii.Error, ValueError, TypeError, OverflowError):
        return FIRST_PAGE
    return (created_at, task_id) if ids.is_uuid(task_id) else FIRST_PAGE
