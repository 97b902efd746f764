"""Steps: write one, read them by name."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reaffirm import ids
from reaffirm.decisions.models import SupportInput
from reaffirm.decisions.passages import versions_from
from reaffirm.decisions.supports import Refused, Resolved, Wanted, check, inputs, resolve
from reaffirm.errors import in_words
from reaffirm.history import trails
from reaffirm.history.models import ResultBasis, StepKind, StepPage, StepResult, StepState
from reaffirm.history.records import Scope, name_or_none, page_size, result_json, step_from
from reaffirm.history.validity import summaries
from reaffirm.knowledge.models import FetchOutcome
from reaffirm.operation import MARKER, Claim, earlier
from reaffirm.store import ValueRefused

# All that the checks of set_step look at. $pairs are the versions that the fetched passages are from.
SET_STEP_READ = """WITH 1 AS one
OPTIONAL MATCH (q:Request) WHERE q._agrag_history_record = true AND q.id = $request_node_id
WITH CASE WHEN q IS NULL THEN null ELSE q{.operation, .payload_sha256, .result_json, .erased_at} END AS request
OPTIONAL MATCH (t:Task) WHERE t._agrag_history_record = true AND t.id = $task_id
WITH request, CASE WHEN t IS NULL THEN null ELSE t{.*} END AS task
OPTIONAL MATCH (e:Event) WHERE e._agrag_history_record = true AND e.id IN $event_ids
WITH request, task,
  collect(CASE WHEN e IS NULL THEN null ELSE e{.id, .payload_sha256, .redacted_at, .truncated} END) AS events
OPTIONAL MATCH (k:Decision) WHERE k._agrag_history_record = true AND k.id IN $decision_ids
WITH request, task, events,
  collect(CASE WHEN k.project_id = $project_id THEN k{.id, .status, .review_state} ELSE null END) AS decisions
OPTIONAL MATCH (doc:Document) WHERE doc.id IN $document_ids
WITH request, task, events, decisions, collect(CASE WHEN doc IS NULL THEN null
  ELSE doc{.id, .document_key, .activation_seq, .current_content_hash} END) AS documents
UNWIND (CASE WHEN size($pairs) = 0 THEN [null] ELSE $pairs END) AS pair
OPTIONAL MATCH (c:Chunk) WHERE c.document_id = pair.doc AND c.content_hash = pair.hash
WITH request, task, events, decisions, documents, c
OPTIONAL MATCH (x:Document)-[h:HAS_PART]->(c)
RETURN request, task, events, decisions, documents, collect(CASE WHEN c IS NULL OR c._pending_job_id IS NOT NULL
  THEN null ELSE c{.id, .index, .text, .char_start, .char_end, .document_id, .content_hash, .chunker_hash,
  version: h.version_id, closed: h.invalid_at} END) AS chunks"""

# ``one`` goes through every aggregation: one without a key makes a row where a guard left none.
SET_STEP = """WITH 1 AS one
OPTIONAL MATCH (doc:Document) WHERE doc.id IN $document_ids
WITH one, doc ORDER BY doc.id
//@lock doc
WITH one, collect(doc) AS docs
WITH one, docs WHERE size(docs) = size($documents) AND all(x IN $documents WHERE any(y IN docs WHERE
  y.id = x.id AND y.activation_seq = x.seq AND y.current_content_hash = x.hash))
OPTIONAL MATCH (k:Decision) WHERE k._agrag_history_record = true AND k.id IN $decision_ids
WITH one, k ORDER BY k.id
//@lock k
WITH one, collect(k) AS ks
WITH one, ks WHERE size(ks) = size($decision_ids) AND all(k IN ks WHERE k.status = 'active')
MATCH (t:Task) WHERE t._agrag_history_record = true AND t.id = $task_id
WITH t
//@lock t
WITH t
OPTIONAL MATCH (e:Event) WHERE e._agrag_history_record = true AND e.id IN $event_ids AND e.redacted_at IS NULL
WITH t, count(DISTINCT e) AS es WHERE es = size($event_ids)
OPTIONAL MATCH (r:Event) WHERE r._agrag_history_record = true AND r.id IN $result_ids
  AND ($state <> 'completed' OR r.redacted_at IS NULL AND r.truncated = false)
WITH t, count(DISTINCT r) AS rs WHERE rs = size($result_ids)
OPTIONAL MATCH (q:Request) WHERE q._agrag_history_record = true AND q.id = $request_node_id
WITH t, count(q) AS done WHERE done = 0 AND properties(t).deletion_id IS NULL
OPTIONAL MATCH (o:Step) WHERE o._agrag_history_record = true AND o.id = $step_id
WITH t, t.event_seq AS seq, head(collect(o.changes)) AS trail
MERGE (s:Step {_agrag_history_record: true, id: $step_id})
MERGE (t)-[h:HAS_STEP]->(s)
SET s += $step, s.updated_seq = seq, s.changes = (coalesce(trail, []) + [$change])[-10..]
CREATE (q:Request) SET q = $request, q.result_json = $before_seq + toString(seq) + $after_seq
RETURN seq"""

LIST_STEPS = """MATCH (t:Task) WHERE t._agrag_history_record = true AND t.id = $task_id AND t.project_id = $project_id
WITH t
OPTIONAL MATCH (t)-[h:HAS_STEP]->(s:Step) WHERE s._agrag_history_record = true
  AND s.name > $after AND s.state IN $states
WITH t, s ORDER BY s.name LIMIT $limit
RETURN t.id AS id, collect(CASE WHEN s IS NULL THEN null ELSE s{.*} END) AS steps"""

# What agentic-graphrag stores of a support, by kind; what a support does not have is null there.
REVIEW_FIELDS = ("reviewed_by", "reviewed_at", "review_explanation")
STORED_FIELDS = {"document": ("char_start", "char_end", "chunk_id", *REVIEW_FIELDS)}
OWN_KEYS = {MARKER, "target_decision_id", "text_digest"}

UPDATED = '"updated_seq":'


@dataclass(frozen=True)
class Draft:
    """A step as it is to be written, its values checked.

    Attributes:
        wanted: The supports to resolve; None when the result needs none, or when ``refused`` says why they cannot be.
    """

    task_name: str
    name: str
    state: StepState
    kind: StepKind
    result_event_seq: int | None
    basis: ResultBasis
    wanted: Wanted | None = None
    refused: StepResult | None = None

    def properties(self, task_id: str, supports: list[dict[str, Any]]) -> dict[str, Any]:
        stored = [{**row, "ordinal": ordinal} for ordinal, row in enumerate(supports)]
        return {
            "id": ids.step_id(task_id, self.name),
            "task_id": task_id,
            "name": self.name,
            "kind": self.kind.value,
            "state": self.state.value,
            "result_event_seq": self.result_event_seq,
            "result_basis": self.basis.value,
            "result_supports": json.dumps(stored, sort_keys=True, separators=(",", ":")),
            MARKER: True,
        }


def arguments(draft: Draft, supports: object) -> dict[str, object]:
    """What a repeated request must be equal in.

    Raises:
        ValueRefused: supports is no list of supports.
    """
    if isinstance(supports, str | bytes) or not isinstance(supports, Sequence):
        raise ValueRefused("supports", "is not a list of supports")
    for number, support in enumerate(supports):
        if not isinstance(support, SupportInput):
            raise ValueRefused(
                f"supports[{number}]", "is not a DocumentSupportInput, EventSupportInput or DecisionSupportInput"
            )
    return {
        "task_name": draft.task_name,
        "name": draft.name,
        "state": draft.state.value,
        "kind": draft.kind.value,
        "result_event_seq": draft.result_event_seq,
        "result_basis": draft.basis.value,
        "supports": inputs(supports),
    }


def with_supports(
    project_id: str, draft: Draft, supports: Sequence[SupportInput], fetched: Sequence[FetchOutcome]
) -> Draft:
    """The draft with its supports checked in form. Only a completed, supported result keeps any."""
    if draft.state is not StepState.COMPLETED or draft.basis is not ResultBasis.SUPPORTED:
        return draft
    try:
        wanted = check(project_id, supports, fetched)
    except Refused as refused:
        code = "support_invalid" if supports else "support_required"
        return replace(draft, refused=StepResult(recorded=False, error=code, field=refused.at, detail=refused.detail))
    return replace(draft, wanted=wanted)


def write(scope: Scope, draft: Draft, claim: Claim) -> StepResult | None:
    """One attempt. None: the world moved, look again."""
    task_id = scope.task_id(draft.task_name)
    result_id = ids.event_id(task_id, draft.result_event_seq) if draft.result_event_seq is not None else None
    row = _read(scope, draft, task_id, result_id, claim)
    replayed = earlier(StepResult, row["request"], claim)
    if replayed:
        return replayed
    if not row["task"]:
        return StepResult(recorded=False, error="task_not_found", field="task_name")
    if row["task"].get("deletion_id"):
        return StepResult(recorded=False, error="being_deleted", field="task_name")
    if draft.refused:
        return draft.refused
    resolved = _resolved(scope, draft, row)
    if isinstance(resolved, StepResult):
        return resolved
    events = {event["id"]: event for event in row["events"]}
    if result_id is not None and result_id not in events:
        return StepResult(recorded=False, error="event_not_found", field="result_event_seq")
    if result_id is not None and draft.state is StepState.COMPLETED and not _readable(events[result_id]):
        return StepResult(
            recorded=False,
            error="support_invalid",
            field="result_event_seq",
            detail="The event that holds the result was redacted or cut, so the result cannot be read again.",
        )
    return _write(scope, draft, task_id, result_id, resolved, claim)


def _read(scope: Scope, draft: Draft, task_id: str, result_id: str | None, claim: Claim) -> dict[str, Any]:
    wanted = draft.wanted
    event_ids = {*(wanted.event_ids if wanted else ()), *([result_id] if result_id else ())}
    return scope.store.read(
        SET_STEP_READ,
        project_id=scope.project_id,
        task_id=task_id,
        request_node_id=claim.node_id,
        event_ids=sorted(event_ids),
        decision_ids=wanted.decision_ids if wanted else [],
        document_ids=wanted.document_ids if wanted else [],
        pairs=wanted.pairs if wanted else [],
    )[0]


def _readable(event: Mapping[str, Any]) -> bool:
    return not event.get("redacted_at") and not event["truncated"]


def _resolved(scope: Scope, draft: Draft, row: Mapping[str, Any]) -> Resolved | StepResult:
    """The supports as the graph has them, or the refusal.

    The code of agentic-graphrag for every problem with one is support_invalid; the detail begins with the exact code.
    """
    if draft.wanted is None:
        return Resolved([], [], [], [], False)
    try:
        resolved = resolve(
            draft.wanted,
            project_id=scope.project_id,
            documents=_by_id(row["documents"]),
            versions=versions_from(row["chunks"]),
            events=_by_id(row["events"]),
            decisions=_by_id(row["decisions"]),
        )
    except Refused as refused:
        detail = f"{refused.code}: {refused.detail or in_words(refused.code)}"
        return StepResult(recorded=False, error="support_invalid", field=refused.at, detail=detail)
    if resolved.changed:
        return StepResult(
            recorded=False,
            error="support_invalid",
            field="fetched_evidence",
            detail="A cited document has changed since it was fetched; fetch the passage again.",
        )
    return resolved


def _by_id(rows: Iterable[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in rows}


def _write(
    scope: Scope, draft: Draft, task_id: str, result_id: str | None, resolved: Resolved, claim: Claim
) -> StepResult | None:
    step = draft.properties(task_id, [_stored(row) for row in resolved.rows])
    before_seq, after_seq = _result_parts(step)
    written = scope.store.write(
        SET_STEP,
        document_ids=[document["id"] for document in resolved.documents],
        documents=resolved.documents,
        decision_ids=[parent["id"] for parent in resolved.parents],
        task_id=task_id,
        event_ids=resolved.event_ids,
        result_ids=[result_id] if result_id else [],
        state=draft.state.value,
        request_node_id=claim.node_id,
        step_id=step["id"],
        step=step,
        change=trails.entry(scope, step),
        request=claim.properties(),
        before_seq=before_seq,
        after_seq=after_seq,
    )
    if not written:
        return None
    return StepResult(recorded=True, step=step_from({**step, "updated_seq": written[0]["seq"]}))


def _stored(row: Mapping[str, Any]) -> dict[str, Any]:
    nothing = dict.fromkeys(STORED_FIELDS.get(row["kind"], REVIEW_FIELDS))
    return {**nothing, **{key: value for key, value in row.items() if key not in OWN_KEYS}}


def _result_parts(step: Mapping[str, Any]) -> tuple[str, str]:
    """The result's text around updated_seq, which the statement puts in.

    The name stands before it, but inside a JSON text every quote has a backslash: the first bare key is the right one.
    """
    text = result_json(StepResult(recorded=True, step=step_from({**step, "updated_seq": 0})))
    before, _, after = text.partition(f",{UPDATED}0,")
    return f"{before},{UPDATED}", f",{after}"


def list_steps(scope: Scope, task_id: str, state: object, after_name: object, limit: object) -> StepPage:
    size = page_size(limit)
    rows = scope.store.read(
        LIST_STEPS,
        project_id=scope.project_id,
        task_id=task_id,
        after=name_or_none(after_name) or "",
        states=[each.value for each in StepState if state is None or each == state],
        limit=size + 1,
    )
    if not rows:
        return StepPage(found=False)
    steps = rows[0]["steps"]
    shown = steps[:size]
    return StepPage(
        found=True,
        steps=summaries(scope, shown),
        next_after_name=shown[-1]["name"] if len(steps) > size else None,
    )
