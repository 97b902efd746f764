"""Ask for another look at a clear decision, by a person's will."""

from reaffirm import ids
from reaffirm.decisions.case import Case
from reaffirm.decisions.chronicle import word
from reaffirm.decisions.judging import CLEARED, Judged, judge, note, require_active, result_of
from reaffirm.decisions.models import DecisionResult, ReviewReason, ReviewState, Seen
from reaffirm.decisions.recording import Scope
from reaffirm.decisions.records import UNSIZED
from reaffirm.decisions.supports import Refused
from reaffirm.operation import claim

# The last verdict stays on the decision: a reopened question carries the answers that it had.
REOPEN = """
MATCH (d:Decision) WHERE d._agrag_history_record = true AND d.id = $id
WITH d
//@lock d
WITH d WHERE d.status = 'active' AND d.project_id = $project AND d.review_state = 'clear'
MATCH (t:Task)-[m:MADE]->(d)
WITH d, t
//@lock t
WITH d, t WHERE properties(t).deletion_id IS NULL
OPTIONAL MATCH (d)-[h:HAS_SUPPORT]->(s:DecisionSupport)
WITH d, t, [x IN collect(s) WHERE x.current = true | x.id] AS cur
WHERE $seen_supports IS NULL OR (size(cur) = size($seen_supports) AND all(x IN cur WHERE x IN $seen_supports))
OPTIONAL MATCH (q:Request) WHERE q._agrag_history_record = true AND q.id = $request_node_id
WITH d, t, count(q) AS done
WHERE done = 0 AND t.event_seq >= $base AND t.event_seq - $base < size($ready_ids)
MATCH (p:Project) WHERE p._agrag_history_record = true AND p.project_id = $project
WITH d, t, p
//@lock p.project_id
WITH d, t, p
OPTIONAL MATCH (dep:Decision)-[r:DEPENDS_ON]->(d) WHERE dep.status = 'active'
WITH d, t, p, count(r) > 0 AS spreads, coalesce(p.review_epoch, 0) AS epoch, t.event_seq + 1 AS seq
WITH d, t, p, spreads, epoch, seq, $ready_ids[seq - $base - 1] AS event_id
CREATE (q:Request) SET q = $claim
CREATE (t)-[:HAS_EVENT]->(ev:Event) SET ev = $event, ev.seq = seq, ev.id = event_id
SET d += $facts, d.said = coalesce(d.said, []) + $word, t.event_seq = seq
FOREACH (x IN CASE WHEN spreads THEN [1] ELSE [] END |
  SET d.review_pending = true, p.review_incomplete = true, p.review_epoch = epoch + 1)
RETURN d.id AS id, spreads
"""


def reopen(
    scope: Scope, decision_id: str, reason: str, *, request_id: str | None, expected: Seen | None
) -> DecisionResult:
    """Flag a clear, active decision, with who asks for it and why."""
    claimed = claim(scope.project_id, request_id, "reopen_decision", {"id": decision_id, "reason": reason})

    def act(case: Case) -> DecisionResult | None:
        require_active(case)
        if case.row["review_state"] == ReviewState.NEEDS_REVIEW:
            raise Refused("already_flagged", "decision_id")
        at = ids.now()
        facts = {
            **CLEARED,
            "review_state": ReviewState.NEEDS_REVIEW.value,
            # The one of agentic-graphrag's four that claims no change of a source.
            "review_reason": ReviewReason.DEPENDENCY_REVIEW.value,
            "flagged_ms": ids.milliseconds(at),
            "change_size": UNSIZED,
            "flagged_by": scope.agent_id,
            "cause_kind": "reopened",
            "cause_by": scope.agent_id,
            "cause_reason": reason,
        }
        result = result_of(case, {**case.row, **facts}, [support.model_dump() for support in case.supports])
        written = scope.store.write(
            REOPEN,
            id=case.id,
            project=scope.project_id,
            seen_supports=[support.id for support in case.supports] if expected else None,
            request_node_id=claimed.node_id,
            claim=claimed.properties(result.model_dump_json()),
            **note(case, scope, f"Decision {case.id} reopened: {reason}", at),
            facts=facts,
            word=word("reopen", scope.agent_id, at, reason),
        )
        return result if written else None

    return judge(Judged(scope, decision_id, claimed, expected), act, None, "decision_not_found")
