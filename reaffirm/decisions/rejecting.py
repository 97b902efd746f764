"""Retire a decision without a replacement."""

from reaffirm import ids
from reaffirm.decisions.case import Case
from reaffirm.decisions.judging import CLEARED, Judged, judge, require_active, result_of, verdict_facts
from reaffirm.decisions.models import DecisionResult, Seen, VerdictKind
from reaffirm.decisions.recording import Scope
from reaffirm.decisions.writing import REJECT
from reaffirm.operation import claim


def reject(
    scope: Scope, decision_id: str, reason: str, *, request_id: str | None, expected: Seen | None
) -> DecisionResult:
    """Retire a decision without a replacement."""
    claimed = claim(scope.project_id, request_id, "reject_decision", {"id": decision_id, "reason": reason})

    def act(case: Case) -> DecisionResult | None:
        require_active(case)
        at = ids.now()
        after = {
            **case.row,
            **CLEARED,
            "status": "rejected",
            "review_state": "clear",
            "review_reason": None,
            "rejection_reason": reason,
            "rejected_by": scope.agent_id,
            **verdict_facts(VerdictKind.REJECT, scope, at),
        }
        result = result_of(case, after, [support.model_dump() for support in case.supports])
        written = scope.store.write(
            REJECT,
            id=case.id,
            locked_ids=sorted({case.id, *case.parent_ids}),
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

    return judge(Judged(scope, decision_id, claimed, expected), act, None, "decision_not_found")
