"""What the flags of a project are about, counted: by reason, task, document, source change, choice key and author."""

from collections.abc import Callable
from typing import Any

from pydantic import Field

from reaffirm.decisions.narrowing import Filters
from reaffirm.decisions.queue_statements import FLAGGED, MATCHES
from reaffirm.models import Instant, Model
from reaffirm.store import GraphStore

MOST = 50  # values of a facet that are listed; the rest is a number

_VALUES = """
UNWIND $names AS facet
WITH facet, CASE facet WHEN 'reason' THEN d.review_reason WHEN 'task' THEN d.task_id
  WHEN 'change' THEN d.cause_activation_id WHEN 'choice' THEN d.choice_key ELSE d.author END AS value, count(d) AS flags
WHERE value IS NOT NULL
WITH facet, value, flags ORDER BY facet, flags DESC, value
WITH facet, collect({value: value, flags: flags}) AS found
WITH facet, size(found) AS values, found[0..50] AS top
UNWIND top AS x
WITH facet, values, x.value AS value, x.flags AS flags,
  CASE WHEN facet = 'task' THEN x.value ELSE '' END AS task_id,
  CASE WHEN facet = 'change' THEN x.value ELSE '' END AS change_id
OPTIONAL MATCH (t:Task) WHERE t._agrag_history_record = true AND t.id = task_id
WITH facet, values, value, flags, change_id, t.name AS task_name
OPTIONAL MATCH (a:DocumentActivation {id: change_id})
WITH facet, values, value, flags, task_name, a
OPTIONAL MATCH (x:Document)-[ha:HAS_ACTIVATION]->(a)
RETURN facet, values, value, flags, task_name, a{.activation_seq, .activated_at, .author} AS activation,
  x{.document_key, .title} AS document
"""
_DOCUMENTS = """
MATCH (d)-[h:HAS_SUPPORT]->(s:DecisionSupport) WHERE s.current = true AND s.document_node_id IS NOT NULL
WITH s.document_node_id AS value, count(DISTINCT d) AS flags
WITH value, flags ORDER BY flags DESC, value
WITH collect({value: value, flags: flags}) AS found
WITH size(found) AS values, found[0..50] AS top
UNWIND top AS x
WITH values, x.value AS value, x.flags AS flags
OPTIONAL MATCH (doc:Document {id: value})
RETURN values, value, flags, doc{.document_key, .title} AS document
"""

_QUEUE = f"MATCH (d:Decision) WHERE {FLAGGED} AND {MATCHES}"
_CITING = f"""MATCH (c:DecisionSupport) WHERE c.document_node_id = $document_id AND c.current = true
WITH c
MATCH (d:Decision)-[hc:HAS_SUPPORT]->(c)
WITH DISTINCT d WHERE {FLAGGED} AND {MATCHES}"""

VALUES_OF_PROJECT = _QUEUE + _VALUES
VALUES_OF_DOCUMENT = _CITING + "\nWITH d" + _VALUES
DOCUMENTS_OF_PROJECT = _QUEUE + "\nWITH d" + _DOCUMENTS
DOCUMENTS_OF_DOCUMENT = _CITING + "\nWITH d" + _DOCUMENTS


class FacetValue(Model):
    """One value, as ``list_decisions_for_review`` takes it, with its number of flags.

    A document has its title. A source change has its document too, the number of the version, when it came, and who
    gave it, as far as the graph tells.
    """

    value: str
    count: int
    title: str | None = None
    document_key: str | None = None
    activation_seq: int | None = None
    at: Instant | None = None
    by: str | None = None


class Facet(Model):
    """The 50 most frequent values, and how many further ones there are."""

    values: tuple[FacetValue, ...] = ()
    more: int = 0


class ReviewFacets(Model):
    """Counts of listed flags. One that cites two documents counts for both; no other facet has a flag twice."""

    reasons: Facet = Field(default_factory=Facet)
    tasks: Facet = Field(default_factory=Facet)
    documents: Facet = Field(default_factory=Facet)
    source_changes: Facet = Field(default_factory=Facet)
    choice_keys: Facet = Field(default_factory=Facet)
    authors: Facet = Field(default_factory=Facet)


FIELDS = {
    "reason": "reasons",
    "task": "tasks",
    "change": "source_changes",
    "choice": "choice_keys",
    "author": "authors",
}


def review_facets(store: GraphStore, project_id: str, filters: Filters) -> ReviewFacets:
    """Count what passes the filters, in two reads."""
    params: dict[str, Any] = {"project": project_id, "document_id": filters.document_id, **filters.params()}
    narrow = filters.document_id is not None
    rows = store.read(VALUES_OF_DOCUMENT if narrow else VALUES_OF_PROJECT, names=list(FIELDS), **params)
    documents = store.read(DOCUMENTS_OF_DOCUMENT if narrow else DOCUMENTS_OF_PROJECT, **params)
    facets = {field: _facet([row for row in rows if row["facet"] == name], _value) for name, field in FIELDS.items()}
    return ReviewFacets(documents=_facet(documents, _document), **facets)


def _facet(rows: list[dict[str, Any]], value: Callable[[dict[str, Any]], FacetValue]) -> Facet:
    values = sorted((value(row) for row in rows), key=lambda each: (-each.count, each.value))
    return Facet(values=tuple(values), more=rows[0]["values"] - len(rows) if rows else 0)


def _value(row: dict[str, Any]) -> FacetValue:
    activation, document = row["activation"] or {}, row["document"] or {}
    return FacetValue(
        value=row["task_name"] if row["facet"] == "task" else row["value"],
        count=row["flags"],
        title=document.get("title"),
        document_key=document.get("document_key"),
        activation_seq=activation.get("activation_seq"),
        at=activation.get("activated_at"),
        by=activation.get("author"),
    )


def _document(row: dict[str, Any]) -> FacetValue:
    document = row["document"] or {}
    key = document.get("document_key") or row["value"]
    return FacetValue(value=key, count=row["flags"], title=document.get("title"), document_key=key)
