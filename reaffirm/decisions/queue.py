"""The review list: flags of a project, oldest first, in keyset pages, with exact counts."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reaffirm.decisions import cursors
from reaffirm.decisions.models import ReviewCounts, ReviewPage, ReviewReason, ReviewRow
from reaffirm.decisions.records import cause_from, decision_from
from reaffirm.store import GraphStore

LATEST = 2**62  # after every flag
WINDOW = 1_000  # flags that a bounded read of FalkorDB aims at; ten times too wide costs a few milliseconds
PAGE, MAX_PAGE = 20, 200

# One pass over the flags of a project. The three equalities alone are what a flag is; a flag that another program
# raised has no place in the order (flagged_ms) until adopt_flags() gives it one.
COUNTS = """
WITH 1 AS one
OPTIONAL MATCH (d:Decision) WHERE d.project_id = $project AND d.status = 'active' AND d.review_state = 'needs_review'
WITH d.review_reason AS reason, count(d) AS flagged, count(d.flagged_ms) AS listed, min(d.flagged_ms) AS first,
  max(d.flagged_ms) AS last, sum(CASE WHEN d.flagged_ms IS NOT NULL
    AND ($reason IS NULL OR d.review_reason = $reason) AND ($task_id IS NULL OR d.task_id = $task_id)
    AND ($choice_key IS NULL OR d.choice_key = $choice_key) THEN 1 ELSE 0 END) AS matching
WITH collect({reason: reason, flagged: flagged, listed: listed, first: first, last: last, matching: matching}) AS groups
OPTIONAL MATCH (a:Decision) WHERE a.project_id = $project AND a.review_pending = true
WITH groups, count(a) AS queued
OPTIONAL MATCH (c:Decision) WHERE c.contested_in = $project AND c.choice_key >= '' AND c.status = 'active'
WITH groups, queued, c.choice_key AS choice_key, count(DISTINCT c.conclusion) AS conclusions,
  count(DISTINCT c.task_id) AS tasks
WITH groups, queued, sum(CASE WHEN conclusions > 1 AND tasks > 1 THEN 1 ELSE 0 END) AS conflicts
OPTIONAL MATCH (doc:Document) WHERE doc.flagging_ms >= 0
WITH groups, queued, conflicts, doc
OPTIONAL MATCH (s:DecisionSupport) WHERE s.document_node_id = doc.id AND s.project_id = $project AND s.current = true
  AND s.recorded_activation_seq <> doc.activation_seq AND coalesce(s.flagged_seq, 0) <> doc.activation_seq
WITH groups, queued, conflicts, doc, s
OPTIONAL MATCH (x:Decision)-[h:HAS_SUPPORT]->(s) WHERE x.status = 'active' AND x.review_state = 'clear'
WITH groups, queued, conflicts, x, max(CASE WHEN doc.current_content_hash IS NULL THEN 1 ELSE 0 END) AS removed
RETURN groups, queued, conflicts, count(x) AS coming, sum(CASE WHEN x IS NULL THEN 0 ELSE removed END) AS coming_removed
"""

HEAD = """
MATCH (d:Decision) WHERE d.project_id = $project AND d.status = 'active' AND d.review_state = 'needs_review'
  AND d.flagged_ms >= $from AND d.flagged_ms <= $to AND d.id >= ''
"""
FILTERS = """
  AND ($reason IS NULL OR d.review_reason = $reason) AND ($task_id IS NULL OR d.task_id = $task_id)
  AND ($choice_key IS NULL OR d.choice_key = $choice_key)
"""
ROWS = """
MATCH (t:Task)-[m:MADE]->(d)
WITH d, t, matching
OPTIONAL MATCH (d)-[h:HAS_SUPPORT]->(s:DecisionSupport) WHERE s.current = true
WITH d, t, matching, s
OPTIONAL MATCH (doc:Document {id: s.document_node_id})
WITH d, t, matching, count(s) AS citations, collect(DISTINCT coalesce(doc.title, doc.document_key)) AS titles,
  max(CASE WHEN s.document_node_id = d.cause_document_id THEN s.recorded_activation_seq END) AS previous_seq
OPTIONAL MATCH (cause:Document {id: d.cause_document_id})
WITH d, t, matching, citations, titles, previous_seq, cause{.id, .document_key, .title} AS document
OPTIONAL MATCH (act:DocumentActivation {id: d.cause_activation_id})
WITH d, t, matching, citations, titles, previous_seq, document, act{.*} AS activation
OPTIONAL MATCH (k:Decision) WHERE k._agrag_history_record = true AND k.id = d.cause_decision_id
WITH d, t, matching, citations, titles, previous_seq, document, activation, k{.id, .choice_key} AS parent
OPTIONAL MATCH (c:Decision)-[r:DEPENDS_ON]->(d) WHERE c.status = 'active'
RETURN d{.*} AS decision, t.name AS task_name, matching, citations, titles, previous_seq, document, activation, parent,
  count(r) AS dependents
"""

FORWARD = (
    HEAD
    + "AND NOT (d.flagged_ms = $from AND d.id <= $after)"
    + FILTERS
    + "WITH d ORDER BY d.project_id, d.status, d.review_state, d.flagged_ms, d.id LIMIT $limit\nWITH d, 0 AS matching"
    + ROWS
)
BACKWARD = (
    HEAD
    + "AND NOT (d.flagged_ms = $to AND d.id >= $after)"
    + FILTERS
    + "WITH d ORDER BY d.project_id DESC, d.status DESC, d.review_state DESC, d.flagged_ms DESC, d.id DESC\n"
    "LIMIT $limit\nWITH d, 0 AS matching" + ROWS
)
# One document's flags begin at its supports; they are few enough to sort.
OF_DOCUMENT = (
    """
MATCH (x:DecisionSupport) WHERE x.document_node_id = $document_id AND x.current = true
WITH x
MATCH (d:Decision)-[hx:HAS_SUPPORT]->(x)
WITH DISTINCT d
WHERE d.project_id = $project AND d.status = 'active' AND d.review_state = 'needs_review' AND d.flagged_ms IS NOT NULL
"""
    + FILTERS
    + """
WITH d ORDER BY d.flagged_ms, d.id
WITH collect(d) AS ds
WITH size(ds) AS matching, [x IN ds WHERE $back = false AND (x.flagged_ms > $from
    OR (x.flagged_ms = $from AND x.id > $after))][0..$limit] AS forward,
  [x IN ds WHERE $back = true AND (x.flagged_ms < $to OR (x.flagged_ms = $to AND x.id < $after))] AS before
WITH matching, forward + before[CASE WHEN size(before) > $limit THEN size(before) - $limit ELSE 0 END..size(before)]
  AS ds
UNWIND ds AS d
"""
    + ROWS
)


@dataclass(frozen=True)
class Filters:
    """What a page is narrowed to; None = not."""

    task_id: str | None = None
    reason: ReviewReason | None = None
    choice_key: str | None = None
    document_id: str | None = None

    def params(self) -> dict[str, Any]:
        return {"reason": self.reason, "task_id": self.task_id, "choice_key": self.choice_key}


@dataclass(frozen=True)
class Tally:
    """Counts with what a page read needs to aim: the first and last place in the order."""

    counts: ReviewCounts
    matching: int
    first: int
    last: int


def tally(store: GraphStore, project_id: str, filters: Filters) -> Tally:
    """Count the flags of a project, in one statement."""
    row = store.read(COUNTS, project=project_id, **filters.params())[0]
    groups = [group for group in row["groups"] if group["flagged"]]
    by_reason = {ReviewReason(group["reason"]): int(group["flagged"]) for group in groups if group["reason"]}
    removed = int(row["coming_removed"])
    for reason, coming in (
        (ReviewReason.SOURCE_REMOVED, removed),
        (ReviewReason.SOURCE_CHANGED, int(row["coming"]) - removed),
    ):
        if coming:
            by_reason[reason] = by_reason.get(reason, 0) + coming
    counts = ReviewCounts(
        flagged=sum(int(group["flagged"]) for group in groups) + int(row["coming"]),
        listed=sum(int(group["listed"]) for group in groups),
        by_reason=by_reason,
        queued=int(row["queued"]),
        conflicts=int(row["conflicts"] or 0),
    )
    placed = [group for group in groups if group["first"] is not None]
    return Tally(
        counts,
        sum(int(group["matching"]) for group in groups),
        min((group["first"] for group in placed), default=0),
        max((group["last"] for group in placed), default=0),
    )


def review_cursor(flagged_ms: int, decision_id: str) -> str:
    """The cursor of the place of one flag: a page after it, or before it, begins beside that flag."""
    return cursors.encode(flagged_ms, decision_id)


def _place(cursor: str | None) -> tuple[int, str] | None:
    """Read a cursor; one that is none of ours is as good as no cursor."""
    place = cursors.decode(cursor)
    return place if place and type(place[0]) is int and 0 <= place[0] < LATEST else None


def review_page(
    store: GraphStore, project_id: str, filters: Filters, *, limit: int, cursor: str | None, backwards: bool
) -> ReviewPage:
    """One page of flags. At most three reads: counts, page, and on FalkorDB perhaps the page without a window."""
    limit = cursors.bounded(limit, 1, MAX_PAGE, PAGE)
    known = tally(store, project_id, filters)
    place = _place(cursor)
    back = backwards and place is not None
    if filters.document_id:
        found = _rows_of_document(store, project_id, filters, limit + 1, place, back)
        matching = found[0]["matching"] if found else _none_after(store, project_id, filters, place)
    else:
        found = _rows(store, project_id, filters, limit + 1, place, back, known)
        matching = known.matching
    found.sort(key=lambda row: (row["decision"]["flagged_ms"], row["decision"]["id"]))
    more = len(found) > limit
    shown = (found[1:] if back else found[:limit]) if more else found
    return ReviewPage(
        rows=tuple(_row(each) for each in shown),
        counts=known.counts,
        count=matching,
        next_cursor=_edge(shown, -1) if (back or more) else None,
        previous_cursor=_edge(shown, 0) if (more if back else place is not None) else None,
    )


def _edge(rows: list[dict[str, Any]], index: int) -> str | None:
    if not rows:
        return None
    decision = rows[index]["decision"]
    return review_cursor(decision["flagged_ms"], decision["id"])


def _none_after(store: GraphStore, project_id: str, filters: Filters, place: tuple[int, str] | None) -> int:
    """The exact count of a document's flags when the asked page is past their end."""
    if place is None:
        return 0
    rows = _rows_of_document(store, project_id, filters, 1, None, back=False)
    return int(rows[0]["matching"]) if rows else 0


def _rows_of_document(
    store: GraphStore, project_id: str, filters: Filters, limit: int, place: tuple[int, str] | None, back: bool
) -> list[dict[str, Any]]:
    at, after = place or (-1, "")
    return store.read(
        OF_DOCUMENT,
        project=project_id,
        document_id=filters.document_id,
        back=back,
        limit=limit,
        after=after,
        **{"from": at, "to": at},
        **filters.params(),
    )


def _rows(
    store: GraphStore,
    project_id: str,
    filters: Filters,
    limit: int,
    place: tuple[int, str] | None,
    back: bool,
    known: Tally,
) -> list[dict[str, Any]]:
    at, after = place or (0, "")
    query = BACKWARD if back else FORWARD
    params = {"project": project_id, "limit": limit, "after": after, **filters.params()}
    whole = {"from": 0, "to": at} if back else {"from": at, "to": LATEST}
    if store.kind == "falkordb" and known.counts.listed > WINDOW:
        # It sorts all that the predicates leave, so leave it about a window's worth.
        width = max(1, (known.last - known.first) * WINDOW // known.counts.listed)
        edge = max(at, known.first)
        window = {"from": at - width, "to": at} if back else {"from": at, "to": edge + width}
        rows = store.read(query, **params, **window)
        if len(rows) >= limit:
            return rows
    return store.read(query, **params, **whole)


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
