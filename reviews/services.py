"""The write path of a verdict: role, audit row, graph, audit row. Holds no SQL transaction meanwhile."""

import json
from dataclasses import dataclass, field

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied

from console.audit import audit_append
from console.graph import agent_id_of, decisions_for
from console.jobs import propagate_soon
from console.models import AuditOutcome, Project
from reaffirm.decisions import DecisionTraces
from reaffirm.decisions.models import DecisionResult, Seen, VerdictKind
from reaffirm.store import OutcomeUnknown, StoreReadOnly, StoreUnavailable

ROLES = frozenset({"reviewer", "lead"})
# Verdicts that flag what rests on the decision; a job follows them down.
SPREADS = frozenset({VerdictKind.SUPERSEDE, VerdictKind.REJECT})

# What the audit log calls an outcome; any other code of the library is a refusal.
AUDITED = {
    "recorded": AuditOutcome.DONE,
    "decision_changed": AuditOutcome.STALE,
    "decision_not_active": AuditOutcome.STALE,
    "supersede_target_invalid": AuditOutcome.STALE,
    "outcome_unknown": AuditOutcome.UNKNOWN,
    "store_unavailable": AuditOutcome.NOT_DONE,
    "read_only": AuditOutcome.NOT_DONE,
}

Picks = dict[str, tuple[int, int]]


@dataclass(frozen=True)
class Revision:
    """What a new revision says; None = as the decision has it."""

    conclusion: str | None = None
    rationale: str | None = None
    assumptions: tuple[str, ...] | None = None
    open_questions: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Verdict:
    """What a person chose. ``text`` is the note, the explanation or the reason; ``revision`` None = the same words."""

    kind: VerdictKind
    text: str = ""
    picks: Picks = field(default_factory=dict)
    revision: Revision | None = None


@dataclass(frozen=True)
class Outcome:
    """What became of it.

    ``code``: recorded, an error code of the library, store_unavailable, outcome_unknown or read_only.
    """

    code: str
    result: DecisionResult | None = None

    @property
    def recorded(self) -> bool:
        return self.code == "recorded"


def decision_verdict(
    *,
    project: Project,
    user: User,
    roles: frozenset[str],
    decision_id: str,
    nonce: str,
    seen: Seen,
    verdict: Verdict,
) -> Outcome:
    """Give a verdict on a flagged decision.

    Args:
        roles: Those of ``user`` in ``project``; one of ROLES is needed.
        nonce: The request id. The same one with the same verdict answers with the first result and writes nothing.
        seen: What the person saw; the library refuses with decision_changed when it no longer holds.

    Raises:
        PermissionDenied: The person may not give verdicts here.
    """
    if not ROLES & roles:
        raise PermissionDenied("A verdict needs the role reviewer or lead.")

    def note(outcome: AuditOutcome, detail: str = "") -> None:
        audit_append(
            project=project,
            actor=agent_id_of(user),
            verb=f"verdict.{verdict.kind.value}",
            target=decision_id,
            outcome=outcome.value,
            request_id=nonce,
            detail=detail,
        )

    note(AuditOutcome.INTENDED)
    outcome = _send(project, user, decision_id, nonce, seen, verdict)
    note(AUDITED.get(outcome.code, AuditOutcome.REFUSED), _facts(outcome))
    if outcome.recorded and verdict.kind in SPREADS:
        propagate_soon()
    return outcome


def _send(project: Project, user: User, decision_id: str, nonce: str, seen: Seen, verdict: Verdict) -> Outcome:
    try:
        traces = decisions_for(project, user)
        try:
            outcome = _outcome(_write(traces, decision_id, nonce, seen, verdict))
        except OutcomeUnknown:
            outcome = _settle(traces, nonce)
    except StoreReadOnly:
        return Outcome("read_only")
    except StoreUnavailable:
        return Outcome("store_unavailable")
    if outcome.recorded and outcome.result and outcome.result.given != (verdict.kind, agent_id_of(user)):
        # The number of somebody else's form: that verdict is theirs, and the log must not say otherwise.
        return Outcome("request_id_reused")
    return outcome


def _settle(traces: DecisionTraces, nonce: str) -> Outcome:
    """Ask once what became of the write. No trace of it proves nothing yet: it may still be on its way."""
    try:
        result = traces.find_request(nonce)
    except StoreUnavailable:
        result = None
    return _outcome(result) if result else Outcome("outcome_unknown")


def _outcome(result: DecisionResult) -> Outcome:
    return Outcome("recorded" if result.recorded else result.error or "refused", result)


def _write(traces: DecisionTraces, decision_id: str, nonce: str, seen: Seen, verdict: Verdict) -> DecisionResult:
    if verdict.kind is VerdictKind.REAFFIRM:
        explained = {"explanation": verdict.text} if verdict.text else {}
        return traces.reaffirm_where_it_stands(
            decision_id, expected=seen, picks=verdict.picks, request_id=nonce, **explained
        )
    if verdict.kind is VerdictKind.REJECT:
        return traces.reject_decision(decision_id, verdict.text, request_id=nonce, expected=seen)
    revision = verdict.revision or Revision()
    return traces.supersede_where_it_stands(
        decision_id,
        revision.conclusion,
        revision.rationale,
        explanation=verdict.text,
        expected=seen,
        picks=verdict.picks,
        assumptions=revision.assumptions,
        open_questions=revision.open_questions,
        request_id=nonce,
    )


def _facts(outcome: Outcome) -> str:
    """Codes and ids for the audit log, never a text, which a redaction would have to find again."""
    facts: dict[str, object] = {"code": outcome.code}
    result = outcome.result
    if result and result.replayed:
        facts["replayed"] = True
    if result and result.recorded and result.decision:
        facts["decision"] = result.decision.id
    if result and result.standing:
        standing = result.standing
        facts["standing"] = [standing.kind.value, standing.by, standing.at.isoformat()]
    return json.dumps(facts, separators=(",", ":"))
