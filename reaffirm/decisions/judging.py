"""What all verdicts share: one read, the replay of an earlier call, what the person saw, one guarded statement."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from reaffirm import ids
from reaffirm.decisions import supports as citing
from reaffirm.decisions.case import Case, read_for_verdict
from reaffirm.decisions.listing import REQUEST
from reaffirm.decisions.models import DecisionResult, DecisionStatus, Seen, Support, VerdictKind
from reaffirm.decisions.recording import Scope, refusal
from reaffirm.decisions.records import FLAG_FACTS, decision_from
from reaffirm.decisions.supports import Refused, Resolved, Wanted
from reaffirm.history.models import EventKind
from reaffirm.knowledge import evidence
from reaffirm.operation import MARKER, Claim, earlier, settle, sure

READY_EVENT_IDS = 32  # how far a task's log may move between the read and the write of one attempt
CLEARED = dict.fromkeys(FLAG_FACTS)  # null removes

Picks = Mapping[str, tuple[int, int]]


@dataclass(frozen=True)
class Judged:
    """One verdict on its way: what was asked, by which request, on what the person saw."""

    scope: Scope
    decision_id: str
    claimed: Claim
    expected: Seen | None


def judge(
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
            return _missing(judged, missing)
        stored = earlier(DecisionResult, case.request, judged.claimed)
        if stored:
            return stored
        if case.task.get("deletion_id"):
            return DecisionResult(recorded=False, error="being_deleted", field="decision_id")
        if judged.expected is not None and case.differs_from(judged.expected):
            return DecisionResult(recorded=False, error="decision_changed", standing=case.decision.verdict)
        try:
            return act(case)
        except Refused as error:
            return refusal(error)

    return settle(sure(judged.scope.store, attempt))


def _missing(judged: Judged, code: str) -> DecisionResult:
    """There is no such decision. As in agentic-graphrag, only supersede says so before it looks at the request."""
    if code != "supersede_target_invalid":
        rows = judged.scope.store.read(REQUEST, id=judged.claimed.node_id)
        stored = earlier(DecisionResult, rows[0]["request"] if rows else None, judged.claimed)
        if stored:
            return stored
    return DecisionResult(recorded=False, error=code, field="decision_id")


def require_active(case: Case) -> None:
    if case.row["status"] != DecisionStatus.ACTIVE:
        raise Refused("decision_not_active", "decision_id")


def pinned(case: Case, support: Support, evidence_id: str) -> dict[str, Any]:
    """A document support on a passage of the current version."""
    reference = evidence.decode(evidence_id)
    assert reference is not None  # made by us
    document = case.documents[reference.document_node_id]
    content_hash, seq = document["current_content_hash"], document["activation_seq"]
    held = case.versions[document["id"], content_hash].holding(reference)
    words = held[0].text[slice(*held[1])] if held else None
    return citing.document_support(evidence_id, reference, content_hash, document, seq, words)


def resolve_new(scope: Scope, case: Case, wanted: Wanted, where: str = "supports") -> Resolved:
    """Resolve supports that the caller names, on what the read of the decision returned."""
    return citing.resolve(
        wanted,
        project_id=scope.project_id,
        documents=case.documents,
        versions=case.versions,
        events=case.events,
        decisions=case.near,
        where=where,
    )


def verdict_facts(kind: VerdictKind, scope: Scope, at: str) -> dict[str, str]:
    return {"verdict_kind": kind.value, "verdict_by": scope.agent_id, "verdict_at": at}


def note(case: Case, scope: Scope, payload: str, at: str) -> dict[str, Any]:
    """The parameters of a statement that notes in the decision's task what was done."""
    base = case.task["event_seq"]
    return {
        "base": base,
        "ready_ids": ids.event_ids(case.task["id"], base, READY_EVENT_IDS),
        "event": {
            "task_id": case.task["id"],
            "kind": EventKind.NOTE.value,
            "payload": payload,
            "payload_sha256": ids.text_digest(payload),
            "truncated": False,
            "author": scope.agent_id,
            "at": at,
            MARKER: True,
        },
    }


def result_of(case: Case, after: Mapping[str, Any], supports: list[dict[str, Any]]) -> DecisionResult:
    return DecisionResult(recorded=True, decision=decision_from(after, task_name=case.task["name"], supports=supports))


def plain_picks(picks: Picks) -> dict[str, list[int]]:
    return {support: [start, end] for support, (start, end) in sorted(picks.items())}
