"""Source changes: every version and every removal of a document, newest first."""

import base64
import binascii
import json
from typing import Any

from reaffirm import fields, ids
from reaffirm.knowledge.changes_models import SourceChange, SourceChangePage
from reaffirm.knowledge.describing import known_id, web_address
from reaffirm.store import GraphStore, Row, ValueRefused

LIMIT, MAX_LIMIT = 50, 200
LOOKED_AT = 1_000  # changes that one page of a project looks at
COUNTED = 10_000  # decisions of one change that are counted as waiting

Place = tuple[str, str]
FIRST_PAGE: Place = ("~", "")  # after every time

# As in the list of tasks: Neo4j takes the order from the index when each of its properties has a predicate and a place
# in the ORDER BY, and FalkorDB's index drops the upper bound of a text, so that is checked once more behind it.
_NEWEST = """MATCH (a:DocumentActivation) WHERE a.activated_at <= $moment AND a.id >= ''
  AND NOT (a.activated_at = $moment AND a.id >= $after)
WITH a, a.activated_at AS moment WHERE moment <= $moment
WITH a ORDER BY a.activated_at DESC, a.id DESC LIMIT $window
MATCH (a)<-[has:HAS_ACTIVATION]-(doc:Document)
WITH doc, collect(a{.id, .activated_at}) AS changes
"""
_OF_DOCUMENT = """MATCH (doc:Document {id: $id})
WITH doc
MATCH (doc)-[has:HAS_ACTIVATION]->(a:DocumentActivation)
WITH doc, a, a.activated_at AS moment
WHERE moment <= $moment AND NOT (moment = $moment AND a.id >= $after)
WITH doc, a ORDER BY a.activated_at DESC, a.id DESC LIMIT $window
WITH doc, collect(a{.id, .activated_at}) AS changes
"""
# A project sees a document that was added through it, or that a decision of it cites.
_SEEN = """CALL {
  WITH doc
  OPTIONAL MATCH (p:Project {_agrag_history_record: true, project_id: $project_id})-[source:HAS_SOURCE]->(doc)
  RETURN count(source) AS sources
}
CALL {
  WITH doc
  OPTIONAL MATCH (s:DecisionSupport) WHERE s.document_node_id = doc.id AND s.project_id = $project_id
  WITH s LIMIT 1
  RETURN count(s) AS cited
}
RETURN changes, sources + cited > 0 AS seen"""
_ALL = "RETURN changes, true AS seen"

NEWEST = _NEWEST + _ALL
NEWEST_OF_PROJECT = _NEWEST + _SEEN
OF_DOCUMENT = _OF_DOCUMENT + _ALL
OF_DOCUMENT_IN_PROJECT = _OF_DOCUMENT + _SEEN
SEEN_BY = "MATCH (doc:Document {id: $id})\nWITH doc, [] AS changes\n" + _SEEN

READ_CHANGES = """UNWIND $ids AS id
MATCH (a:DocumentActivation) WHERE a.id = id
WITH a
MATCH (a)<-[has:HAS_ACTIVATION]-(doc:Document)
WITH a, doc
CALL {
  WITH a
  OPTIONAL MATCH (d:Decision) WHERE d.cause_activation_id = a.id AND d.review_state = 'needs_review'
    AND d.status = 'active' AND ($project_id = '' OR d.project_id = $project_id)
  WITH d LIMIT $most
  RETURN count(d) AS waiting
}
RETURN properties(a) AS change, properties(doc) AS doc, waiting"""


def source_changes(
    store: GraphStore, document_key: object, project_id: object, limit: object, cursor: object
) -> SourceChangePage:
    """A page, with two statements; see Graph.source_changes()."""
    size = max(1, min(limit, MAX_LIMIT)) if type(limit) is int else LIMIT
    project = project_name(project_id)
    document = known_id(document_key) if document_key is not None else None
    if (project is None and project_id is not None) or (document is None and document_key is not None):
        return SourceChangePage()
    looked, window = _looked_at(store, document, project, size, _place(cursor))
    shown = [place for place, seen in looked if seen][:size]
    left = len([place for place, seen in looked if seen]) > size
    end = shown[-1] if left else looked[-1][0] if len(looked) == window else None
    found = read_changes(store, [change_id for _, change_id in shown], project)
    changes = (found[change_id] for _, change_id in shown if change_id in found)
    return SourceChangePage(changes=tuple(changes), next_cursor=_cursor(end) if end else None)


def _looked_at(
    store: GraphStore, document: str | None, project: str | None, size: int, start: Place
) -> tuple[list[tuple[Place, bool]], int]:
    """The places of the next changes, newest first, and whether the project sees them; and how many were asked for."""
    asked: dict[str, Any] = {"moment": start[0], "after": start[1]}
    asked["window"] = LOOKED_AT if project and not document else size + 1
    asked |= {"id": document} if document else {}
    asked |= {"project_id": project} if project else {}
    if document:
        rows = store.read(OF_DOCUMENT_IN_PROJECT if project else OF_DOCUMENT, **asked)
    else:
        rows = store.read(NEWEST_OF_PROJECT if project else NEWEST, **asked)
    places = [((each["activated_at"], each["id"]), bool(row["seen"])) for row in rows for each in row["changes"]]
    return sorted(places, reverse=True), int(asked["window"])


def sees(store: GraphStore, project: str, document: str) -> bool:
    """Whether a document was added through a project, or is cited by a decision of it."""
    rows = store.read(SEEN_BY, id=document, project_id=project)
    return bool(rows and rows[0]["seen"])


def read_changes(store: GraphStore, change_ids: list[str], project: str | None) -> dict[str, SourceChange]:
    """Changes by their ids, with one statement."""
    if not change_ids:
        return {}
    rows = store.read(READ_CHANGES, ids=change_ids, project_id=project or "", most=COUNTED + 1)
    return {row["change"]["id"]: _change(row) for row in rows}


def _change(row: Row) -> SourceChange:
    change, doc = row["change"], row["doc"]
    latest = change["activation_seq"] == doc.get("activation_seq")
    return SourceChange(
        activation_id=change["id"],
        activation_seq=change["activation_seq"],
        verb=change["verb"],
        author=change.get("author"),
        activated_at=change["activated_at"],
        document_id=doc["id"],
        document_key=doc["document_key"],
        title=doc.get("title"),
        uri=web_address(doc.get("uri")),
        content_hash=change.get("content_hash"),
        previous_content_hash=change.get("previous_content_hash"),
        latest=latest,
        flagged=change.get("decisions_flagged"),
        flagging=latest and doc.get("flagging_ms") is not None,
        waiting=min(row["waiting"], COUNTED),
        more_waiting=row["waiting"] > COUNTED,
    )


def project_name(project_id: object) -> str | None:
    """A project as it can be; None for what is none, and where none is named."""
    try:
        return None if project_id is None else fields.name("project_id", project_id)
    except ValueRefused:
        return None


def _cursor(place: Place) -> str:
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")


def _place(cursor: object) -> Place:
    """A cursor that is not one of ours means the first page."""
    if not isinstance(cursor, str) or not 1 <= len(cursor) <= 400:
        return FIRST_PAGE
    try:
        moment, change_id = json.loads(
            base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        )
        ids.milliseconds(moment)
    except (binascii.Error, ValueError, TypeError, OverflowError, RecursionError):
        return FIRST_PAGE
    return (moment, change_id) if ids.is_uuid(change_id) else FIRST_PAGE
