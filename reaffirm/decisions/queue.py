"""The review list: flags of a project in one of three orders, in keyset pages, with exact counts."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reaffirm.decisions import cursors
from reaffirm.decisions import queue_statements as cypher
from reaffirm.decisions.models import ReviewCounts, ReviewPage, ReviewReason, ReviewRow
from reaffirm.decisions.narrowing import LATEST, Filters, ReviewSort
from reaffirm.decisions.records import UNSIZED, cause_from, decision_from
from reaffirm.store import GraphStore

WINDOW = 1_000  # flags that are sorted in hand; on FalkorDB also what a walk aims at: ten times too wide costs little
COMING = 1_000  # flags still to be raised that are counted; of more it is said that there are more
PAGE, MAX_PAGE = 20, 200


@dataclass(frozen=True)
class Order:
    """How an order is stored and walked.

    Attributes:
        key: The property that it sorts by.
        missing: What a flag without that property counts as: the last of the order.
        falling: The largest comes first, and of equal ones the largest id.
    """

    key: str
    missing: int
    up: str
    down: str
    falling: bool = False

    def place(self, decision: Mapping[str, Any]) -> tuple[int, str]:
        value = decision.get(self.key)
        return (self.missing if value is None else value), decision["id"]


ORDERS = {
    ReviewSort.OLDEST: Order("flagged_ms", LATEST, cypher.BY_AGE_UP, cypher.BY_AGE_DOWN),
    ReviewSort.MOST_DEPENDENTS: Order(
        "dependents", -1, cypher.BY_DEPENDENTS_UP, cypher.BY_DEPENDENTS_DOWN, falling=True
    ),
    ReviewSort.SMALLEST_CHANGE: Order("change_size", UNSIZED, cypher.BY_CHANGE_UP, cypher.BY_CHANGE_DOWN),
}


@dataclass(frozen=True)
class Tally:
    """Counts with what a page read needs to choose its way and to aim.

    Attributes:
        matching: Listed flags that pass the filters, but for that by document.
        missing: How many of those lack what an order sorts by.
        first, last: The oldest and the newest flag, in epoch milliseconds.
    """

    counts: ReviewCounts
    matching: int
    missing: dict[ReviewSort, int]
    first: int
    last: int


def tally(store: GraphStore, project_id: str, filters: Filters) -> Tally:
    """Count the flags of a project, in one statement."""
    narrowed = filters != Filters()
    params = filters.params() if narrowed else {}
    statement = cypher.COUNTS_OF_FILTER if narrowed else cypher.COUNTS
    row = store.read(statement, project=project_id, enough=COMING + 1, **params)[0]
    groups, hits = [group for group in row["groups"] if group["flagged"]], row["hits"]

    def total(name: str) -> int:
        return sum(int(group[name]) for group in groups)

    by_reason = {ReviewReason(group["reason"]): int(group["flagged"]) for group in groups if group["reason"]}
    removed, more_coming = int(hits["coming_removed"]), int(hits["coming"]) > COMING
    for reason, coming in (
        (ReviewReason.SOURCE_REMOVED, removed),
        (ReviewReason.SOURCE_CHANGED, int(hits["coming"]) - removed),
    ):
        if coming:
            by_reason[reason] = by_reason.get(reason, 0) + coming
    counts = ReviewCounts(
        flagged=total("flagged") + int(hits["coming"]),
        more_coming=more_coming,
        listed=total("listed"),
        by_reason=by_reason,
        queued=int(row["queued"]),
        conflicts=int(row["conflicts"] or 0),
    )
    placed = [group for group in groups if group["first"] is not None]
    return Tally(
        counts,
        int(hits["matching"]) if narrowed else counts.listed,
        {
            ReviewSort.MOST_DEPENDENTS: int(hits["uncounted"]) if narrowed else total("uncounted"),
            ReviewSort.SMALLEST_CHANGE: int(hits["unsized"]) if narrowed else total("unsized"),
        },
        min((group["first"] for group in placed), default=0),
        max((group["last"] for group in placed), default=0),
    )


def review_cursor(flagged_ms: int, decision_id: str) -> str:
    """The cursor of a flag among the oldest: a page after it, or before it, begins beside that flag."""
    return _cursor(ReviewSort.OLDEST, (flagged_ms, decision_id))


def _cursor(sort: ReviewSort, place: tuple[int, str]) -> str:
    key, decision_id = place
    return cursors.encode(key if sort is ReviewSort.OLDEST else [sort.value, key], decision_id)


def _place(sort: ReviewSort, cursor: str | None) -> tuple[int, str] | None:
    """Read a cursor; one of another order, or that is none of ours, is as good as no cursor."""
    known = cursors.decode(cursor)
    if known is None:
        return None
    key, decision_id = known
    if sort is not ReviewSort.OLDEST:
        if not isinstance(key, list) or len(key) != 2 or key[0] != sort.value:
            return None
        key = key[1]
    return (key, decision_id) if type(key) is int and -1 <= key < LATEST else None


@dataclass(frozen=True)
class Asked:
    """One page as it was asked for.

    Attributes:
        place: The flag beside which it begins; None = the beginning.
        back: It ends there instead.
        limit: Rows to read: one more than to show, which tells whether there are further ones.
    """

    project_id: str
    filters: Filters
    sort: ReviewSort
    place: tuple[int, str] | None
    back: bool
    limit: int

    @property
    def order(self) -> Order:
        return ORDERS[self.sort]

    @property
    def down(self) -> bool:
        """Whether the key falls from row to row, in the direction of reading."""
        return self.back is not self.order.falling

    def params(self) -> dict[str, Any]:
        after = self.place[1] if self.place else ""
        return {"project": self.project_id, "limit": self.limit, "after": after, **self.filters.params()}


def review_page(
    store: GraphStore,
    project_id: str,
    filters: Filters,
    *,
    sort: ReviewSort = ReviewSort.OLDEST,
    limit: int,
    cursor: str | None,
    backwards: bool,
) -> ReviewPage:
    """One page of flags, in at most three reads: the counts, the page, and where one did not do, another page."""
    limit = cursors.bounded(limit, 1, MAX_PAGE, PAGE)
    place = _place(sort, cursor)
    asked = Asked(project_id, filters, sort, place, backwards and place is not None, limit + 1)
    known = tally(store, project_id, filters)
    start = _start(filters, known)
    if start:
        found = _in_hand(store, asked, start)
        matching = found[0]["matching"] if found else _none_there(store, asked, start)
    else:
        lacking = known.missing.get(sort, 0) > 0
        found = _in_hand(store, asked, cypher.OF_PROJECT) if lacking else _walked(store, asked, known)
        matching = known.matching
    return _page(asked, found, known.counts, matching)


def _page(asked: Asked, found: list[dict[str, Any]], counts: ReviewCounts, matching: int) -> ReviewPage:
    order, back = asked.order, asked.back
    found.sort(key=lambda row: order.place(row["decision"]), reverse=order.falling)
    more = len(found) >= asked.limit
    shown = (found[1:] if back else found[:-1]) if more else found
    first, last = (_cursor(asked.sort, order.place(shown[at]["decision"])) for at in (0, -1)) if shown else (None,) * 2
    return ReviewPage(
        rows=tuple(_row(each) for each in shown),
        counts=counts,
        count=matching,
        next_cursor=last if (back or more) else None,
        previous_cursor=first if (more if back else asked.place is not None) else None,
    )


def _start(filters: Filters, known: Tally) -> str | None:
    """Where few flags begin, or None: then the queue is walked, where a larger share of it is soon found."""
    if filters.document_id:
        return cypher.OF_DOCUMENT
    if filters.choice_key:
        return cypher.OF_CHOICE
    if known.matching > WINDOW:
        return None
    if filters.source_change:
        return cypher.OF_CHANGE
    return cypher.OF_TASK if filters.task_id else None


def _in_hand(store: GraphStore, asked: Asked, query: str) -> list[dict[str, Any]]:
    beginning = LATEST if asked.down else -2
    at = asked.place[0] if asked.place else beginning
    return store.read(
        query,
        **asked.params(),
        **{"from": at, "to": at},
        document_id=asked.filters.document_id,
        sort=asked.sort.value,
        down=asked.down,
    )


def _none_there(store: GraphStore, asked: Asked, query: str) -> int:
    """The exact count when the asked page is past the end."""
    if asked.place is None:
        return 0
    whole = Asked(asked.project_id, asked.filters, asked.sort, None, False, 1)
    rows = _in_hand(store, whole, query)
    return int(rows[0]["matching"]) if rows else 0


def _walked(store: GraphStore, asked: Asked, known: Tally) -> list[dict[str, Any]]:
    query = asked.order.down if asked.down else asked.order.up
    at = asked.place[0] if asked.place else (LATEST if asked.down else 0)
    if store.kind == "falkordb" and known.counts.listed > WINDOW:
        # It sorts all that the predicates leave, so leave it about a window's worth.
        rows = store.read(query, **asked.params(), **_window(asked, known, at))
        if len(rows) >= asked.limit:
            return rows
    whole = {"from": 0, "to": at} if asked.down else {"from": at, "to": LATEST}
    return store.read(query, **asked.params(), **whole)


def _window(asked: Asked, known: Tally, at: int) -> dict[str, int]:
    """Bounds that leave enough for a page, it is hoped, and far less than the queue."""
    if asked.sort is ReviewSort.OLDEST:
        width = max(1, (known.last - known.first) * WINDOW // max(1, known.matching))
        return {"from": at - width, "to": at} if asked.down else {"from": at, "to": max(at, known.first) + width}
    if asked.down:  # most flags have no dependents, and a list of the smallest changes is read from its beginning
        return {"from": 1 if asked.order.falling else at // 2, "to": at}
    return {"from": at, "to": 2 * at + 20}


def _row(row: Mapping[str, Any]) -> ReviewRow:
    decision = row["decision"]
    states = decision.get("anchor_states")
    return ReviewRow(
        decision=decision_from(decision, task_name=row["task_name"]),
        cause=cause_from(
            decision,
            document=row["document"],
            activation=row["activation"],
            parent=row["parent"],
            previous_seq=row["previous_seq"],
        ),
        citations=row["citations"],
        document_titles=tuple(sorted(title for title in row["titles"] if title)),
        dependents=row["dependents"],
        states=json.loads(states) if states else {},
        words_added=decision.get("words_added"),
        words_removed=decision.get("words_removed"),
    )
