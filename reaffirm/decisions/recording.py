"""Record a decision on a choice of a task."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from reaffirm import fields, ids
from reaffirm.decisions import supports as citing
from reaffirm.decisions.behind import tell
from reaffirm.decisions.models import DecisionResult, ReviewReason, ReviewState, SupportInput
from reaffirm.decisions.passages import versions_from
from reaffirm.decisions.reading import RECORD_READ
from reaffirm.decisions.records import UNSIZED, decision_from, new_decision, present, undamaged
from reaffirm.decisions.supports import Refused, Resolved
from reaffirm.decisions.writing import RECORD
from reaffirm.knowledge.models import FetchOutcome
from reaffirm.operation import Claim, claim, earlier, settle, sure
from reaffirm.store import GraphStore


@dataclass(frozen=True)
class Scope:
    """Whose decisions: a project of a store, and the agent or person who writes."""

    store: GraphStore
    project_id: str
    agent_id: str


@dataclass(frozen=True)
class Content:
    """The checked words of a decision."""

    conclusion: str
    rationale: str
    assumptions: list[str]
    open_questions: list[str]
    question: str | None = None


def content(
    conclusion: object, rationale: object, assumptions: object, open_questions: object, question: object = None
) -> Content:
    """Check the words of a decision."""
    return Content(
        fields.text("conclusion", conclusion, fields.SHORT_TEXT),
        fields.text("rationale", rationale, fields.RATIONALE),
        fields.texts("assumptions", assumptions),
        fields.texts("open_questions", open_questions),
        fields.optional_text("question", question, 1_000) or None,
    )


def refusal(error: Refused) -> DecisionResult:
    return DecisionResult(recorded=False, error=error.code, field=error.at, detail=error.detail)


def decision_record(
    scope: Scope,
    *,
    task: dict[str, Any],
    project_id: str,
    choice_key: str,
    revision: int,
    words: Content,
    resolved: Resolved,
    at: str,
    explanation: str | None = None,
) -> tuple[dict[str, Any], list[dict[str, Any]], DecisionResult]:
    """The nodes of a new decision with its review state, and the result that tells of it."""
    record = new_decision(
        scope.store.kind,
        task={"id": task["id"], "project_id": project_id},
        choice_key=choice_key,
        revision=revision,
        conclusion=words.conclusion,
        rationale=words.rationale,
        assumptions=words.assumptions,
        open_questions=words.open_questions,
        question=words.question,
        author=scope.agent_id,
        at=at,
    )
    if explanation is not None:
        record["supersession_explanation"] = explanation
    record.update(_review(resolved, at))
    rows = citing.with_ids(resolved.rows, record["id"], project_id)
    warnings = (ReviewReason.SOURCE_CHANGED_DURING_RECORDING.value,) if resolved.changed else ()
    decision = decision_from(record, task_name=task["name"], supports=rows)
    return record, rows, DecisionResult(recorded=True, decision=decision, warnings=warnings)


def _review(resolved: Resolved, at: str) -> dict[str, Any]:
    """Clear, unless a source changed while the decision was made or a parent is itself in question."""
    flagged = {
        "review_state": ReviewState.NEEDS_REVIEW.value,
        "flagged_ms": ids.milliseconds(at),
        "change_size": UNSIZED,
    }
    if resolved.changed:
        reason = ReviewReason.SOURCE_CHANGED_DURING_RECORDING.value
        return {**flagged, "review_reason": reason, "cause_kind": "recording"}
    doubtful = next((parent for parent in resolved.parents if parent["doubtful"]), None)
    if doubtful:
        return {
            **flagged,
            "review_reason": ReviewReason.DEPENDENCY_REVIEW.value,
            "cause_kind": "decision",
            "cause_decision_id": doubtful["id"],
            "cause_root_id": doubtful["root"],
            "cause_depth": doubtful["depth"],
        }
    return {"review_state": ReviewState.CLEAR.value}


def record(
    scope: Scope,
    task_name: str,
    choice_key: str,
    words: Content,
    *,
    supports: Sequence[SupportInput],
    fetched: Sequence[FetchOutcome],
    request_id: str | None,
) -> DecisionResult:
    """Record a decision, or say why not. Checks in the documented order."""
    try:
        wanted = citing.check(scope.project_id, supports, fetched)
    except Refused as error:
        return refusal(error)
    name = fields.name("task_name", task_name)
    key = fields.name("choice_key", choice_key)
    task_id = ids.task_id(scope.project_id, name)
    claimed = claim(scope.project_id, request_id, "record_decision", _arguments(name, key, words, supports))

    def attempt() -> DecisionResult | None:
        found = scope.store.read(
            RECORD_READ,
            task_id=task_id,
            request=claimed.node_id,
            choice_key=key,
            project=scope.project_id,
            doc_ids=wanted.document_ids,
            event_ids=wanted.event_ids,
            decision_ids=wanted.decision_ids,
            pairs=wanted.pairs,
        )[0]
        stored = earlier(DecisionResult, found["request"], claimed)
        if stored:
            return stored
        if not found["task"]:
            return DecisionResult(recorded=False, error="task_not_found", field="task_name")
        if found["task"].get("deletion_id"):
            return DecisionResult(recorded=False, error="being_deleted", field="task_name")
        revisions = present(found["revisions"])
        newest = max(revisions, key=lambda row: row["revision"], default=None)
        if newest and newest["status"] != "rejected":
            return DecisionResult(recorded=False, error="choice_exists", field="choice_key")
        near = present(found["near"])
        tell(near, found["behind"])
        try:
            resolved = citing.resolve(
                wanted,
                project_id=scope.project_id,
                documents={row["id"]: row for row in present(found["docs"])},
                versions=versions_from(undamaged(found["chunks"], "text")),
                events={row["id"]: row for row in undamaged(found["events"], "payload_sha256")},
                decisions={row["id"]: row for row in near},
            )
        except Refused as error:
            return refusal(error)
        return _write(scope, claimed, found["task"], key, words, resolved, revisions)

    return settle(sure(scope.store, attempt))


def _write(
    scope: Scope,
    claimed: Claim,
    task: dict[str, Any],
    key: str,
    words: Content,
    resolved: Resolved,
    revisions: list[dict[str, Any]],
) -> DecisionResult | None:
    record_row, rows, result = decision_record(
        scope,
        task=task,
        project_id=scope.project_id,
        choice_key=key,
        revision=max((row["revision"] for row in revisions), default=0) + 1,
        words=words,
        resolved=resolved,
        at=ids.now(),
    )
    written = scope.store.write(
        RECORD,
        doc_ids=[guard["id"] for guard in resolved.documents],
        docs=resolved.documents,
        parent_ids=[parent["id"] for parent in resolved.parents],
        parents=resolved.parents,
        event_ids=resolved.event_ids,
        event_hashes=resolved.event_hashes,
        task_id=task["id"],
        choice_key=key,
        revisions=len(revisions),
        project=scope.project_id,
        request_node_id=claimed.node_id,
        claim=claimed.properties(result.model_dump_json()),
        decision=record_row,
        supports=rows,
    )
    return result if written else None


def _arguments(task_name: str, choice_key: str, words: Content, supports: Sequence[SupportInput]) -> dict[str, object]:
    arguments: dict[str, object] = {
        "task_name": task_name,
        "choice_key": choice_key,
        "conclusion": words.conclusion,
        "rationale": words.rationale,
        "assumptions": words.assumptions,
        "open_questions": words.open_questions,
        "supports": citing.inputs(supports),
    }
    if words.question:
        arguments["question"] = words.question
    return arguments
