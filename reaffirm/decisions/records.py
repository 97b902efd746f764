"""From the graph's rows to records, and back."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from reaffirm import ids
from reaffirm.decisions.behind import is_behind, state_of
from reaffirm.decisions.causes import Cause, CauseStep
from reaffirm.decisions.models import (
    Decision,
    DecisionStatus,
    ReviewReason,
    ReviewState,
    StandingVerdict,
    Support,
    VerdictKind,
)
from reaffirm.knowledge.models import DocumentVersion
from reaffirm.operation import MARKER

# Facts of a flag, removed by every verdict. agentic-graphrag does not know them and leaves them alone.
FLAG_FACTS = (
    "flagged_ms",
    "flagged_by",
    "cause_kind",
    "cause_document_id",
    "cause_activation_id",
    "cause_seq",
    "cause_decision_id",
    "cause_root_id",
    "cause_depth",
    "cause_by",
    "cause_reason",
    "cause_erasure_id",
    "cause_event_id",
    "anchor_states",
    "words_added",
    "words_removed",
    "change_size",
)

# ``change_size`` of a flag without a known one: not compared yet, or no cited words that could have changed. It sorts
# behind every known size, and is the same number in the statements that raise flags.
UNSIZED = 2**53

# How many queued decisions are looked at to tell which clear ones they may still reach. Beyond it, every clear decision
# that cites another one reads as unknown.
QUEUED_LOOKED_AT = 100


def present(rows: Iterable[Mapping[str, Any] | None]) -> list[dict[str, Any]]:
    """Rows that exist: a collect() over an optional match may hold one row of nothing."""
    return [dict(row) for row in rows if row and row.get("id") is not None]


def undamaged(rows: Iterable[Mapping[str, Any] | None], name: str) -> list[dict[str, Any]]:
    """Rows that exist and have a property that all of their kind have.

    On Neo4j a node that is deleted while it is read may come with its id and nothing else.
    """
    return [row for row in present(rows) if row.get(name) is not None]


def decision_from(
    row: Mapping[str, Any],
    *,
    task_name: str,
    supports: Iterable[Mapping[str, Any]] = (),
    reached: bool = False,
) -> Decision:
    """A Decision of its node's properties.

    Args:
        row: All properties of the node; behind.tell() may have added why it should be looked at.
        reached: A review that still spreads may reach it; then a clear decision reads as unknown.
    """
    state = state_of(row)
    if reached and state is ReviewState.CLEAR and row["status"] == DecisionStatus.ACTIVE:
        state = ReviewState.UNKNOWN
    # Another program that clears a flag leaves its time behind.
    flagged_ms = row.get("flagged_ms") if row["review_state"] == ReviewState.NEEDS_REVIEW else None
    known = [support_from(support) for support in sorted(supports, key=lambda each: each["ordinal"])]
    return Decision(
        id=row["id"],
        task_id=row["task_id"],
        task_name=task_name,
        project_id=row["project_id"],
        choice_key=row["choice_key"],
        revision=row["revision"],
        conclusion=row["conclusion"],
        rationale=row["rationale"],
        assumptions=tuple(row.get("assumptions") or ()),
        open_questions=tuple(row.get("open_questions") or ()),
        question=row.get("question"),
        author=row["author"],
        status=DecisionStatus(row["status"]),
        review_state=state,
        review_reason=row["behind"] if is_behind(row) else row.get("review_reason") or None,
        rejection_reason=row.get("rejection_reason"),
        rejected_by=row.get("rejected_by"),
        supersession_explanation=row.get("supersession_explanation"),
        created_at=row["created_at"],
        flagged_at=_moment(flagged_ms),
        verdict=verdict_from(row, known),
        supports=tuple(known),
    )


# What a verdict of ours leaves a decision as; another program may have changed that since.
VERDICT_OF_STATUS = {
    DecisionStatus.ACTIVE: VerdictKind.REAFFIRM,
    DecisionStatus.REJECTED: VerdictKind.REJECT,
    DecisionStatus.SUPERSEDED: VerdictKind.SUPERSEDE,
}


def verdict_from(row: Mapping[str, Any], supports: Iterable[Support] = ()) -> StandingVerdict | None:
    """The last verdict that stands on a decision, as far as the graph tells who gave it and when.

    Args:
        supports: A reaffirmation by agentic-graphrag is known from the supports that it pinned.
    """
    kind = VERDICT_OF_STATUS[DecisionStatus(row["status"])]
    stored = None
    if row.get("verdict_kind") == kind:
        stored = StandingVerdict(kind=kind, by=row["verdict_by"], at=row["verdict_at"])
    if kind is not VerdictKind.REAFFIRM:
        return stored
    for each in supports:
        if each.current and each.reviewed_by and each.reviewed_at and (stored is None or each.reviewed_at > stored.at):
            stored = StandingVerdict(kind=kind, by=each.reviewed_by, at=each.reviewed_at)
    return stored


def support_from(row: Mapping[str, Any]) -> Support:
    return Support.model_validate(row)


def cause_from(
    row: Mapping[str, Any],
    *,
    document: Mapping[str, Any] | None,
    activation: Mapping[str, Any] | None,
    parent: Mapping[str, Any] | None,
    previous_seq: int | None = None,
    way: Iterable[Mapping[str, Any]] = (),
) -> Cause:
    """Why a decision is flagged.

    Args:
        document, activation: What ``cause_document_id`` and ``cause_activation_id`` name.
        parent: What ``cause_decision_id`` names.
        previous_seq: The activation of that document that the decision cites.
        way: The decisions from this one to the root, where they were read.
    """
    if row.get("cause_kind") == "document" and document and document.get("id"):
        return Cause(
            kind="document",
            document_key=document["document_key"],
            document_title=document.get("title"),
            version=version_from(activation) if activation and activation.get("id") else None,
            previous_seq=previous_seq,
            by=row.get("cause_by") or (activation or {}).get("author") or row.get("flagged_by"),
            at=(activation or {}).get("activated_at"),
            reason=row.get("cause_reason"),
            erasure_id=row.get("cause_erasure_id"),
        )
    if row.get("cause_kind") == "decision" and parent and parent.get("id"):
        path = tuple(_step(each) for each in reversed(list(way)))
        return Cause(
            kind="decision",
            decision_id=parent["id"],
            choice_key=parent["choice_key"],
            root=row.get("cause_root_id"),
            depth=len(path) - 1 if path else row.get("cause_depth"),
            path=path,
            **_doubted(parent),
        )
    if row.get("cause_kind") == "reopened":
        return Cause(
            kind="reopened",
            by=row.get("cause_by"),
            reason=row.get("cause_reason"),
            at=_moment(row.get("flagged_ms")),
        )
    if row.get("cause_kind") in ("redaction", "deletion"):
        return Cause(
            kind=row["cause_kind"],
            erasure_id=row.get("cause_erasure_id"),
            by=row.get("cause_by"),
            reason=row.get("cause_reason"),
            at=_moment(row.get("flagged_ms")),
        )
    if row.get("review_reason") == ReviewReason.SOURCE_CHANGED_DURING_RECORDING:
        return Cause(kind="recording", by=row["author"], at=row["created_at"])
    return Cause(kind="unknown")


def _step(row: Mapping[str, Any]) -> CauseStep:
    return CauseStep(
        decision_id=row["id"],
        choice_key=row["choice_key"],
        question=row.get("question"),
        status=DecisionStatus(row["status"]),
        review_state=state_of(row),
    )


def _doubted(parent: Mapping[str, Any]) -> dict[str, Any]:
    """Who brought a parent into doubt, and when. agentic-graphrag stores no time of a rejection."""
    status = DecisionStatus(parent["status"])
    if status is DecisionStatus.ACTIVE:
        since = parent.get("flagged_ms") if parent["review_state"] == ReviewState.NEEDS_REVIEW else None
        by = parent.get("cause_by") or parent.get("flagged_by")
        return {"by": by, "at": _moment(since)} if since is not None else {}
    if parent.get("verdict_kind") == VERDICT_OF_STATUS[status]:
        return {"by": parent["verdict_by"], "at": parent["verdict_at"]}
    if status is DecisionStatus.REJECTED:
        return {"by": parent.get("rejected_by")}
    return {"by": parent.get("replaced_by"), "at": parent.get("replaced_at")}


def _moment(milliseconds: int | None) -> datetime | None:
    return None if milliseconds is None else datetime.fromtimestamp(milliseconds / 1000, UTC)


def version_from(row: Mapping[str, Any]) -> DocumentVersion:
    return DocumentVersion(
        activation_seq=row["activation_seq"],
        verb=row["verb"],
        content_hash=row.get("content_hash"),
        activated_at=row["activated_at"],
        activation_id=row["id"],
    )


def search_copies(kind: str, **texts: str) -> dict[str, str]:
    """Copies for FalkorDB's full-text index, every line end a blank. Neo4j indexes the texts themselves."""
    if kind != "falkordb":
        return {}
    return {f"_ft_{name}": text.replace("\n", " ").replace("\r", " ") for name, text in texts.items()}


def new_decision(
    kind: str,
    *,
    task: Mapping[str, Any],
    choice_key: str,
    revision: int,
    conclusion: str,
    rationale: str,
    assumptions: list[str],
    open_questions: list[str],
    question: str | None,
    author: str,
    at: str,
) -> dict[str, Any]:
    """The properties of a new active decision, review state not yet set.

    Args:
        kind: The store's kind; FalkorDB needs copies for its full-text index.
    """
    record: dict[str, Any] = {
        "id": ids.decision_id(task["id"], choice_key, revision),
        "task_id": task["id"],
        "project_id": task["project_id"],
        "choice_key": choice_key,
        "revision": revision,
        "conclusion": conclusion,
        "rationale": rationale,
        "assumptions": assumptions,
        "open_questions": open_questions,
        "author": author,
        "status": DecisionStatus.ACTIVE.value,
        "created_at": at,
        "conclusion_digest": ids.text_digest(conclusion)[:32],
        "dependents": 0,
        MARKER: True,
        **search_copies(kind, conclusion=conclusion, rationale=rationale),
    }
    if question:
        record["question"] = question
    return record
