"""Whether the result of a step may be used again, told on every read: what it rests on may have changed since."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reaffirm import ids
from reaffirm.decisions.behind import BEHIND, state_of, tell
from reaffirm.decisions.models import DecisionStatus, ReviewState
from reaffirm.decisions.records import QUEUED_LOOKED_AT
from reaffirm.history.models import ResultBasis, ResultValidity, StepState, StepSummary, ValidityReason
from reaffirm.history.records import Scope, supports_of
from reaffirm.store import Row

# One read for all that any number of steps rest on, and for the decisions of a task's view. A review that still spreads
# may reach a decision when a way along DEPENDS_ON leads from it to a queued one; no more than 101 queued are tried.
FACTS = (
    """WITH 1 AS one
OPTIONAL MATCH (doc:Document) WHERE doc.id IN $document_ids
WITH doc
OPTIONAL MATCH (doc)-[h:HAS_ACTIVATION]->(a:DocumentActivation) WHERE a.activation_seq = doc.activation_seq
WITH collect(CASE WHEN doc IS NULL THEN null ELSE {id: doc.id, seq: doc.activation_seq,
  hash: doc.current_content_hash, verb: a.verb} END) AS documents
OPTIONAL MATCH (e:Event) WHERE e._agrag_history_record = true AND e.id IN $event_ids
WITH documents,
  collect(CASE WHEN e IS NULL THEN null ELSE e{.id, .redacted_at, .truncated, .payload_sha256} END) AS events
OPTIONAL MATCH (a:Decision) WHERE a.project_id = $project_id AND a.review_pending = true
WITH documents, events, collect(a)[0..101] AS queue
OPTIONAL MATCH (k:Decision) WHERE k._agrag_history_record = true AND k.id IN $decision_ids
WITH documents, events, queue, k
UNWIND (CASE WHEN size(queue) = 0 THEN [null] ELSE queue END) AS a
WITH documents, events, queue, k, CASE WHEN a IS NULL OR k IS NULL OR a.id = k.id THEN null
  ELSE shortestPath((k)-[:DEPENDS_ON*1..]->(a)) END AS path
WITH documents, events, size(queue) AS queued, k, count(path) AS paths
OPTIONAL MATCH (k)-[r:DEPENDS_ON]->(x:Decision)
WITH documents, events, queued, k, paths, count(r) AS parents
OPTIONAL MATCH (k)-[h:HAS_SUPPORT]->(s:DecisionSupport) WHERE s.current = true AND k.id IN $shown_ids
WITH documents, events, queued, k, paths, parents,
  collect(CASE WHEN s IS NULL THEN null ELSE s{.*} END) AS supports
OPTIONAL MATCH (t:Task)-[m:MADE]->(k)
WITH documents, events, queued, collect(CASE WHEN t IS NULL OR k.project_id <> $project_id THEN null ELSE
  {id: k.id, row: k{.*}, task_name: t.name, supports: supports, paths: paths, parents: parents} END) AS decisions
WITH documents, events, queued, decisions, [x IN decisions | x.id] AS looked_at
"""
    + BEHIND
    + "RETURN documents, events, queued, decisions, behind"
)

REMOVALS = ("delete", "purge")


@dataclass(frozen=True)
class Facts:
    """What the graph says now of things cited, each by its id."""

    documents: Mapping[str, Row] = field(default_factory=dict)
    events: Mapping[str, Row] = field(default_factory=dict)
    decisions: Mapping[str, Row] = field(default_factory=dict)
    queued: int = 0

    def may_be_reached(self, decision: Row) -> bool:
        """Whether a review that still spreads may reach a decision."""
        return bool(decision["paths"] or (self.queued > QUEUED_LOOKED_AT and decision["parents"]))


def facts(scope: Scope, steps: Iterable[Mapping[str, Any]], decision_ids: Sequence[str] = ()) -> Facts:
    """All that these steps rest on, and these decisions with their supports: one read, or none."""
    cited: dict[str, set[str]] = {"document": set(), "event": set(), "decision": set()}
    for step in steps:
        if step["state"] == StepState.COMPLETED and step.get("result_event_seq") is not None:
            cited["event"].add(ids.event_id(step["task_id"], step["result_event_seq"]))
            for support in supports_of(step):
                cited[support["kind"]].add(support[CITED_ID[support["kind"]]])
    cited["decision"].update(decision_ids)
    if not any(cited.values()):
        return Facts()
    rows = scope.store.read(
        FACTS,
        project_id=scope.project_id,
        document_ids=sorted(cited["document"]),
        event_ids=sorted(cited["event"]),
        decision_ids=sorted(cited["decision"]),
        shown_ids=list(decision_ids),
    )
    row = rows[0]
    tell([each["row"] for each in row["decisions"]], row["behind"])
    return Facts(_by_id(row["documents"]), _by_id(row["events"]), _by_id(row["decisions"]), row["queued"])


CITED_ID = {"document": "document_node_id", "event": "event_id", "decision": "decision_id"}


def _by_id(rows: Iterable[Row]) -> dict[str, Row]:
    return {row["id"]: row for row in rows}


def summaries(scope: Scope, steps: Sequence[Mapping[str, Any]]) -> tuple[StepSummary, ...]:
    """Steps with the validity of their results."""
    known = facts(scope, steps)
    return tuple(summary(step, known) for step in steps)


def summary(step: Mapping[str, Any], known: Facts) -> StepSummary:
    found, why = validity(step, known)
    return StepSummary.model_validate(
        {
            **step,
            "result_basis": step.get("result_basis") or ResultBasis.UNKNOWN,
            "result_supports": supports_of(step),
            "result_validity": found,
            "validity_reason": why,
        }
    )


Judged = tuple[ResultValidity, ValidityReason | None]

REUSABLE: Judged = (ResultValidity.REUSABLE, None)


def validity(step: Mapping[str, Any], known: Facts) -> Judged:
    """The rules of agentic-graphrag, in its order; the first support that is not as it was decides. And why."""
    if step["state"] != StepState.COMPLETED:
        return ResultValidity.UNKNOWN, ValidityReason(step["state"])
    seq = step.get("result_event_seq")
    if seq is None:
        return ResultValidity.UNAVAILABLE, ValidityReason.NO_RESULT
    unreadable = _unreadable(known.events.get(ids.event_id(step["task_id"], seq)), RESULT)
    if unreadable:
        return ResultValidity.UNAVAILABLE, unreadable
    if step.get("result_basis") == ResultBasis.INDEPENDENT:
        return REUSABLE
    if step.get("result_basis") != ResultBasis.SUPPORTED:
        return ResultValidity.UNKNOWN, ValidityReason.BASIS_UNKNOWN
    supports = supports_of(step)
    if not supports:
        return ResultValidity.UNAVAILABLE, ValidityReason.NO_SUPPORTS
    judged = (_support_state(support, known) for support in supports)
    return next((each for each in judged if each != REUSABLE), REUSABLE)


# Why an event cannot be read: gone, redacted, cut.
RESULT = (ValidityReason.RESULT_GONE, ValidityReason.RESULT_REDACTED, ValidityReason.RESULT_CUT)
CITED = (ValidityReason.EVENT_GONE, ValidityReason.EVENT_REDACTED, ValidityReason.EVENT_CUT)


def _unreadable(
    event: Row | None, reasons: tuple[ValidityReason, ValidityReason, ValidityReason]
) -> ValidityReason | None:
    gone, redacted, cut = reasons
    if event is None:
        return gone
    if event.get("redacted_at"):
        return redacted
    return cut if event.get("truncated") else None


def _support_state(support: Mapping[str, Any], known: Facts) -> Judged:
    if support["kind"] == "document":
        return _document_state(support, known.documents.get(support["document_node_id"]))
    if support["kind"] == "event":
        return _event_state(support, known.events.get(support["event_id"]))
    decision = known.decisions.get(support["decision_id"])
    if decision is None:
        return ResultValidity.UNAVAILABLE, ValidityReason.DECISION_GONE
    row = decision["row"]
    if row["status"] != DecisionStatus.ACTIVE:
        return ResultValidity.NEEDS_REVIEW, ValidityReason.DECISION_NOT_ACTIVE
    if state_of(row) is not ReviewState.CLEAR:
        return ResultValidity.NEEDS_REVIEW, ValidityReason.DECISION_NEEDS_REVIEW
    if known.may_be_reached(decision):
        return ResultValidity.NEEDS_REVIEW, ValidityReason.DECISION_BEING_CHECKED
    return REUSABLE


def _document_state(support: Mapping[str, Any], document: Row | None) -> Judged:
    if document is None or document["verb"] in REMOVALS or not document["hash"]:
        return ResultValidity.UNAVAILABLE, ValidityReason.DOCUMENT_REMOVED
    same = (document["seq"], document["hash"]) == (support.get("recorded_activation_seq"), support["content_hash"])
    return REUSABLE if same else (ResultValidity.NEEDS_REVIEW, ValidityReason.DOCUMENT_CHANGED)


def _event_state(support: Mapping[str, Any], event: Row | None) -> Judged:
    unreadable = _unreadable(event, CITED)
    # A task that was deleted and made again gives the same ids to other events; the digest tells them apart.
    digest = support.get("event_payload_sha256")
    if event is not None and digest is not None and digest != event["payload_sha256"]:
        unreadable = ValidityReason.EVENT_REPLACED
    return (ResultValidity.UNAVAILABLE, unreadable) if unreadable else REUSABLE
