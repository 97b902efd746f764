"""Reaffirm, supersede, reject: each one read and one guarded statement."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reaffirm import ids
from reaffirm.decisions import supports as citing
from reaffirm.decisions.case import Case, read_for_verdict
from reaffirm.decisions.models import (
    DecisionResult,
    DecisionStatus,
    DocumentSupportInput,
    ReviewState,
    Seen,
    Support,
    SupportInput,
    VerdictKind,
)
from reaffirm.decisions.passages import Passage
from reaffirm.decisions.recording import Content, Scope, decision_record, refusal
from reaffirm.decisions.records import FLAG_FACTS, decision_from, verdict_from
from reaffirm.decisions.supports import Refused, Resolved, Wanted
from reaffirm.decisions.writing import REAFFIRM, REJECT, SUPERSEDE
from reaffirm.history.models import EventKind
from reaffirm.knowledge import evidence
from reaffirm.knowledge.models import AnchorState, FetchOutcome
from reaffirm.operation import MARKER, Claim, claim, earlier, settle

READY_EVENT_IDS = 32  # how far a task's log may move between the read and the write of one attempt
STANDS = (AnchorState.EXACT, AnchorState.MOVED)
CLEARED = dict.fromkeys(FLAG_FACTS)  # null removes

Picks = Mapping[str, tuple[int, int]]


@dataclass(frozen=True)
class Judged:
    """One verdict on its way: what was asked, by which request, on what the person saw."""

    scope: Scope
    decision_id: str
    claimed: Claim
    expected: Seen | None


def _settled(
    judged: Judged, act: Callable[[Case], DecisionResult | None], wanted: Wanted | None, missing: str
) -> DecisionResult:
    """Read the decision, replay an earlier call, check what the person saw, then act; again while the world moves."""

    def attempt() -> DecisionResult | None:
        case = None
        if ids.is_uuid(judged.decision_id):
            case = read_for_verdict(
                judged.scope.store,
                project_id=judged.scope.project_id,
                decision_id=judged.decision_id,
                request_node_id=judged.claimed.node_id,
                wanted=wanted,
            )
        if case is None:
            return DecisionResult(recorded=False, error=missing, field="decision_id")
        stored = earlier(DecisionResult, case.request, judged.claimed)
        if stored:
            return stored
        if judged.expected is not None and case.differs_from(judged.expected):
            return DecisionResult(recorded=False, error="decision_changed", standing=verdict_from(case.row))
        try:
            return act(case)
        except Refused as error:
            return refusal(error)

    return settle(attempt)


# Reject


def reject(
    scope: Scope, decision_id: str, reason: str, *, request_id: str | None, expected: Seen | None
) -> DecisionResult:
    """Retire a decision without a replacement."""
    claimed = claim(scope.project_id, request_id, "reject_decision", {"id": decision_id, "reason": reason})

    def act(case: Case) -> DecisionResult | None:
        if case.row["status"] != DecisionStatus.ACTIVE:
            return DecisionResult(recorded=False, error="decision_not_active", field="decision_id")
        at = ids.now()
        after = {
            **case.row,
            **CLEARED,
            "status": "rejected",
            "review_state": "clear",
            "review_reason": None,
            "rejection_reason": reason,
            "rejected_by": scope.agent_id,
            **_verdict(VerdictKind.REJECT, scope, at),
        }
        result = _result(case, after, [support.model_dump() for support in case.supports])
        written = scope.store.write(
            REJECT,
            id=case.id,
            project=scope.project_id,
            seen_state=expected and case.row["review_state"],
            seen_supports=[support.id for support in case.supports] if expected else None,
            request_node_id=claimed.node_id,
            claim=claimed.properties(result.model_dump_json()),
            reason=reason,
            by=scope.agent_id,
            at=at,
            cleared={**CLEARED, "contested_in": None},
        )
        return result if written else None

    return _settled(Judged(scope, decision_id, claimed, expected), act, None, "decision_not_found")


# Reaffirm


def reaffirm(
    scope: Scope,
    decision_id: str,
    evidence_inputs: Sequence[DocumentSupportInput],
    *,
    fetched: Sequence[FetchOutcome],
    explanation: str,
    request_id: str | None,
    expected: Seen | None,
) -> DecisionResult:
    """Confirm a decision on passages that the caller fetched."""
    arguments = {"id": decision_id, "evidence": citing.inputs(evidence_inputs), "explanation": explanation}
    claimed = claim(scope.project_id, request_id, "reaffirm_decision", arguments)
    try:
        wanted = citing.check(scope.project_id, evidence_inputs, fetched, where="evidence") if evidence_inputs else None
    except Refused as error:
        return refusal(error)

    def act(case: Case) -> DecisionResult | None:
        _require_active(case)
        cited = {support.document_node_id for support in case.of_kind("document")}
        if cited != set(wanted.document_ids if wanted else ()):
            raise Refused("cannot_revalidate", "evidence", "cite exactly the documents that the decision cites")
        rows = _fetched_rows(scope, case, wanted) if wanted else []
        return _reaffirmed(scope, claimed, case, rows, explanation)

    return _settled(Judged(scope, decision_id, claimed, expected), act, wanted, "decision_not_found")


def reaffirm_where_it_stands(
    scope: Scope, decision_id: str, *, expected: Seen, picks: Picks, explanation: str, request_id: str | None
) -> DecisionResult:
    """Confirm a decision on its own passages, each pinned anew where it stands in the current version."""
    arguments = {"id": decision_id, "picks": _plain(picks), "explanation": explanation}
    claimed = claim(scope.project_id, request_id, "reaffirm_decision", arguments)

    def act(case: Case) -> DecisionResult | None:
        _require_active(case)
        rows = [
            _pinned(case, support, _standing_id(case.passages[support.id], picks.get(support.id)))
            for support in case.of_kind("document")
        ]
        return _reaffirmed(scope, claimed, case, rows, explanation)

    return _settled(Judged(scope, decision_id, claimed, expected), act, None, "decision_not_found")


def blocker(passage: Passage) -> str | None:
    """Why a passage keeps its decision from being reaffirmed, in words; None when it does not, or only wants a pick."""
    if passage.removed:
        return "the source was removed"
    words = {
        AnchorState.EDITED: "the cited words were edited",
        AnchorState.GONE: "the cited words are no longer there",
        AnchorState.UNREACHABLE: "the cited text cannot be read",
    }
    return words.get(passage.anchor.state)


def event_blocker(case: Case, support: Support) -> str | None:
    """Why a cited event keeps its decision from being reaffirmed."""
    event = case.events.get(support.event_id or "")
    if event is None:
        return "the event is no longer there"
    if event.get("redacted_at"):
        return "the event was redacted"
    pinned = support.event_payload_sha256
    if pinned and pinned != event["payload_sha256"]:
        return "another event stands under this number now"
    return None


def parent_blocker(case: Case, support: Support) -> str | None:
    """Why a cited decision keeps the one that cites it from being reaffirmed."""
    parent = case.parents.get(support.decision_id or "")
    if parent is None:
        return "the decision is no longer there"
    if parent["status"] != DecisionStatus.ACTIVE:
        return f"the decision was {parent['status']}"
    if case.is_clear(parent):
        return None
    if parent["review_state"] == ReviewState.CLEAR:
        return "a review that still spreads may reach the decision"
    return "the decision needs review itself"


def _require_active(case: Case) -> None:
    if case.row["status"] != DecisionStatus.ACTIVE:
        raise Refused("decision_not_active", "decision_id")


def _standing_id(passage: Passage, pick: tuple[int, int] | None) -> str:
    """The evidence id of a passage in the current version, or a refusal."""
    at = f"supports[{passage.support.ordinal}]"
    problem = blocker(passage)
    if problem:
        raise Refused("cannot_revalidate", at, problem)
    if passage.anchor.state is AnchorState.AMBIGUOUS:
        if pick is None:
            raise Refused("cannot_revalidate", at, "the cited words stand in more than one place; pick one")
        if not passage.is_candidate(pick):
            raise Refused("cannot_revalidate", at, "the picked place is none of the candidates")
    else:
        pick = None
    found = passage.evidence_id(pick)
    if found is None:
        raise Refused("cannot_revalidate", at, "no evidence id names the passage in the current version")
    return found


def _fetched_rows(scope: Scope, case: Case, wanted: Wanted) -> list[dict[str, Any]]:
    """The caller's passages as supports: fetched, of the current version, and every passage cited so far unchanged."""
    try:
        resolved = _resolved(scope, case, wanted, where="evidence")
    except Refused as error:
        code = error.code if error.code == "support_malformed" else "cannot_revalidate"
        raise Refused(code, error.at, error.detail or error.code) from None
    if resolved.changed:
        raise Refused("cannot_revalidate", "evidence", "a cited document changed since it was fetched; fetch it again")
    picked = [
        (row["document_node_id"], place)
        for row in resolved.rows
        if (place := _place(case, row["evidence_id"])) is not None
    ]
    for support in case.of_kind("document"):
        passage = case.passages[support.id]
        of_document = [place for document, place in picked if document == support.document_node_id]
        _standing_id(passage, next((place for place in of_document if passage.is_candidate(place)), None))
    return resolved.rows


def _place(case: Case, evidence_id: str) -> tuple[int, int] | None:
    reference = evidence.decode(evidence_id)
    if reference is None:
        return None
    document = case.documents.get(reference.document_node_id) or {}
    version = case.versions.get((reference.document_node_id, document.get("current_content_hash") or ""))
    return version.text.range_of(reference) if version else None


def _pinned(case: Case, support: Support, evidence_id: str) -> dict[str, Any]:
    reference = evidence.decode(evidence_id)
    assert reference is not None  # made by us
    document = case.documents[reference.document_node_id]
    return citing.document_support(
        evidence_id, reference, document["current_content_hash"], document, document["activation_seq"]
    )


def _reaffirmed(
    scope: Scope, claimed: Claim, case: Case, rows: list[dict[str, Any]], explanation: str
) -> DecisionResult | None:
    for support in case.supports:
        problem = (
            event_blocker(case, support)
            if support.kind == "event"
            else parent_blocker(case, support)
            if support.kind == "decision"
            else None
        )
        if problem:
            code = (
                "support_event_not_found" if support.kind == "event" and "no longer" in problem else "cannot_revalidate"
            )
            raise Refused(code, f"supports[{support.ordinal}]", problem)
    at = ids.now()
    review = {"reviewed_by": scope.agent_id, "reviewed_at": at, "review_explanation": explanation}
    new = [
        {
            **row,
            **review,
            "id": ids.reaffirmed_support_id(case.id, at, index),
            "ordinal": case.next_ordinal + index,
            "project_id": scope.project_id,
        }
        for index, row in enumerate(rows)
    ]
    after = {
        **case.row,
        **CLEARED,
        "review_state": "clear",
        "review_reason": None,
        **_verdict(VerdictKind.REAFFIRM, scope, at),
    }
    kept = [support.model_dump() for support in case.supports if support.kind != "document"]
    result = _result(case, after, kept + new)
    documents = case.document_guards([support.document_node_id or "" for support in case.of_kind("document")])
    parents = sorted({support.decision_id or "" for support in case.of_kind("decision")})
    events = sorted({support.event_id or "" for support in case.of_kind("event")})
    base = case.task["event_seq"]
    payload = f"Decision {case.id} reaffirmed."
    written = scope.store.write(
        REAFFIRM,
        doc_ids=[guard["id"] for guard in documents],
        docs=documents,
        locked_ids=sorted({case.id, *parents}),
        id=case.id,
        seen_state=case.row["review_state"],
        seen_supports=[support.id for support in case.supports],
        event_ids=events,
        request_node_id=claimed.node_id,
        base=base,
        ready_ids=ids.event_ids(case.task["id"], base, READY_EVENT_IDS),
        claim=claimed.properties(result.model_dump_json()),
        event={
            "task_id": case.task["id"],
            "kind": EventKind.NOTE.value,
            "payload": payload,
            "payload_sha256": ids.text_digest(payload),
            "truncated": False,
            "author": scope.agent_id,
            "at": at,
            MARKER: True,
        },
        supports=new,
        by=scope.agent_id,
        at=at,
        why=explanation,
        cleared=CLEARED,
    )
    return result if written else None


# Supersede


def supersede(
    scope: Scope,
    decision_id: str,
    words: Content,
    *,
    explanation: str,
    supports: Sequence[SupportInput],
    fetched: Sequence[FetchOutcome],
    request_id: str | None,
    expected: Seen | None,
) -> DecisionResult:
    """Replace a decision by one that cites what the caller names."""
    try:
        wanted = citing.check(scope.project_id, supports, fetched)
    except Refused as error:
        return refusal(error)
    cited = citing.inputs(supports)
    arguments = {**_words(words), "old_id": decision_id, "explanation": explanation, "supports": cited}
    claimed = claim(scope.project_id, request_id, "supersede_decision", arguments)

    def act(case: Case) -> DecisionResult | None:
        if case.row["status"] != DecisionStatus.ACTIVE:
            raise Refused("supersede_target_invalid", "decision_id")
        if case.id in wanted.decision_ids:
            raise Refused("support_decision_not_active", "supports", "a decision cannot rest on the one it replaces")
        return _superseded(scope, claimed, case, words, _resolved(scope, case, wanted), explanation)

    return _settled(Judged(scope, decision_id, claimed, expected), act, wanted, "supersede_target_invalid")


def supersede_where_it_stands(
    scope: Scope,
    decision_id: str,
    words: Callable[[Case], Content],
    *,
    asked: Mapping[str, object],
    explanation: str,
    expected: Seen,
    picks: Picks,
    request_id: str | None,
) -> DecisionResult:
    """Replace a decision by one that cites again every passage, event and decision that can be cited now.

    Args:
        words: Makes the new words of the decision as it stands (the same words, where none are given).
        asked: The given words, for the request's digest.
    """
    arguments = {"old_id": decision_id, "explanation": explanation, "picks": _plain(picks), **asked}
    claimed = claim(scope.project_id, request_id, "supersede_decision", arguments)

    def act(case: Case) -> DecisionResult | None:
        if case.row["status"] != DecisionStatus.ACTIVE:
            raise Refused("supersede_target_invalid", "decision_id")
        return _superseded(scope, claimed, case, words(case), _cited_again(case, picks), explanation)

    return _settled(Judged(scope, decision_id, claimed, expected), act, None, "supersede_target_invalid")


def _cited_again(case: Case, picks: Picks) -> Resolved:
    rows: list[dict[str, Any]] = []
    for support in case.supports:
        row = _again(case, support, picks.get(support.id))
        if row and row not in rows:
            rows.append(row)
    if not rows:
        raise Refused("support_required", "supports", "nothing that the decision cites can be cited now")
    documents = case.document_guards([row["document_node_id"] for row in rows if row["kind"] == "document"])
    parent_ids = sorted({row["decision_id"] for row in rows if row["kind"] == "decision"})
    parents = [{"id": each, "state": case.near[each]["review_state"]} for each in parent_ids]
    events = sorted({row["event_id"] for row in rows if row["kind"] == "event"})
    return Resolved(rows, documents, events, parents, changed=False)


def _again(case: Case, support: Support, pick: tuple[int, int] | None) -> dict[str, Any] | None:
    """A support as it can be cited now, or None when it cannot."""
    if support.kind == "document":
        passage = case.passages[support.id]
        if passage.anchor.state is AnchorState.AMBIGUOUS and (pick is None or not passage.is_candidate(pick)):
            return None
        found = passage.evidence_id(pick if passage.anchor.state is AnchorState.AMBIGUOUS else None)
        return _pinned(case, support, found) if found else None
    if support.kind == "event":
        if event_blocker(case, support):
            return None
        return {
            "kind": "event",
            "event_id": support.event_id,
            "task_name": support.task_name,
            "seq": support.seq,
            "event_payload_sha256": case.events[support.event_id or ""]["payload_sha256"],
            "current": True,
            MARKER: True,
        }
    parent = case.parents.get(support.decision_id or "")
    if parent is None or parent["status"] != DecisionStatus.ACTIVE:
        return None
    return {
        "kind": "decision",
        "decision_id": support.decision_id,
        "target_decision_id": support.decision_id,
        "current": True,
        MARKER: True,
    }


def _resolved(scope: Scope, case: Case, wanted: Wanted, where: str = "supports") -> Resolved:
    return citing.resolve(
        wanted,
        project_id=scope.project_id,
        documents=case.documents,
        versions=case.versions,
        events=case.events,
        decisions=case.near,
        where=where,
    )


def _superseded(
    scope: Scope, claimed: Claim, case: Case, words: Content, resolved: Resolved, explanation: str
) -> DecisionResult | None:
    at = ids.now()
    if words.question is None and case.row.get("question"):
        words = replace(words, question=case.row["question"])
    record, rows, result = decision_record(
        scope,
        task=dict(case.task),
        project_id=scope.project_id,
        choice_key=case.row["choice_key"],
        revision=case.row["revision"] + 1,
        words=words,
        resolved=resolved,
        at=at,
        explanation=explanation,
    )
    parent_ids = [parent["id"] for parent in resolved.parents]
    written = scope.store.write(
        SUPERSEDE,
        doc_ids=[guard["id"] for guard in resolved.documents],
        docs=resolved.documents,
        locked_ids=sorted({case.id, *parent_ids}),
        parents=resolved.parents,
        id=case.id,
        seen_state=case.row["review_state"],
        seen_supports=[support.id for support in case.supports],
        event_ids=resolved.event_ids,
        request_node_id=claimed.node_id,
        project=scope.project_id,
        claim=claimed.properties(result.model_dump_json()),
        decision=record,
        supports=rows,
        by=scope.agent_id,
        at=at,
        cleared={**CLEARED, "contested_in": None},
    )
    return result if written else None


def _verdict(kind: VerdictKind, scope: Scope, at: str) -> dict[str, str]:
    return {"verdict_kind": kind.value, "verdict_by": scope.agent_id, "verdict_at": at}


def _result(case: Case, after: Mapping[str, Any], supports: list[dict[str, Any]]) -> DecisionResult:
    return DecisionResult(recorded=True, decision=decision_from(after, task_name=case.task["name"], supports=supports))


def _words(words: Content) -> dict[str, object]:
    return {
        "conclusion": words.conclusion,
        "rationale": words.rationale,
        "assumptions": words.assumptions,
        "open_questions": words.open_questions,
    }


def _plain(picks: Picks) -> dict[str, list[int]]:
    return {support: [start, end] for support, (start, end) in sorted(picks.items())}
