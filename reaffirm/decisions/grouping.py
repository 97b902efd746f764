"""Decisions that were flagged because of one root, which was then reaffirmed: they can be reaffirmed as a group.

A group is a list of single verdicts under one id: each decision has its own guarded statement, its own note in its
task's log and its own request, so a group that is interrupted is a part of it done, and goes on when it is sent again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reaffirm import fields, ids
from reaffirm.decisions.blockers import event_blocker
from reaffirm.decisions.case import Case
from reaffirm.decisions.causes import Cause
from reaffirm.decisions.groups import CauseGroup, GroupMember, GroupOutcome, GroupResult
from reaffirm.decisions.judging import Judged, judge, pinned, require_active
from reaffirm.decisions.models import DecisionResult, DecisionStatus, ReviewReason, ReviewState, Support
from reaffirm.decisions.reaffirming import Group, reaffirmed, standing_id
from reaffirm.decisions.recording import Scope
from reaffirm.decisions.records import decision_from, present, support_from
from reaffirm.decisions.supports import Refused, Wanted
from reaffirm.operation import claim
from reaffirm.store import ValueRefused

LISTED, MOST_LISTED = 100, 200
AT_ONCE = 25

# Flags with this root, whatever else has become their cause since; $ids narrows them to those that were chosen.
GROUP_READ = """
MATCH (root:Decision {_agrag_history_record: true, id: $id}) WHERE root.project_id = $project
WITH root
OPTIONAL MATCH (rt:Task)-[rm:MADE]->(root)
WITH root, rt.name AS root_task
OPTIONAL MATCH (a:Decision) WHERE a.project_id = $project AND a.review_pending = true
WITH root, root_task, count(a) AS queued
OPTIONAL MATCH (d:Decision) WHERE d.project_id = $project AND d.cause_root_id = $id
WITH root, root_task, queued, CASE WHEN d.status = 'active' AND d.review_state = 'needs_review'
  AND ($every = true OR d.id IN $ids) THEN d END AS d
WITH root, root_task, queued, d ORDER BY d.cause_depth, d.flagged_ms, d.id
WITH root, root_task, queued, count(d) AS number, collect(d)[0..$limit] AS ds
UNWIND (CASE WHEN size(ds) = 0 THEN [null] ELSE ds END) AS d
OPTIONAL MATCH (t:Task)-[m:MADE]->(d)
WITH root, root_task, queued, number, d, t
OPTIONAL MATCH (d)-[h:HAS_SUPPORT]->(s:DecisionSupport) WHERE s.current = true
WITH root, root_task, queued, number, d, t, s
OPTIONAL MATCH (doc:Document {id: s.document_node_id})
WITH root, root_task, queued, number, d, t, s, doc
OPTIONAL MATCH (e:Event) WHERE e._agrag_history_record = true AND e.id = s.event_id
WITH root, root_task, queued, number, d, t, s, doc, e
OPTIONAL MATCH (k:Decision) WHERE k._agrag_history_record = true AND k.id = s.target_decision_id
WITH root, root_task, queued, number, d, t, collect(s{.*}) AS supports,
  collect(doc{.id, .document_key, .activation_seq, .current_content_hash}) AS docs,
  collect(e{.id, .payload_sha256, .redacted_at}) AS events, collect(k{.*}) AS near
RETURN root{.*} AS root, root_task, queued, number, d{.*} AS decision, t{.*} AS task, supports, docs, events, near
"""


@dataclass(frozen=True)
class _Found:
    """A group as one read returned it: its root, and its members with what they cite."""

    root: Mapping[str, Any]
    root_task: str
    queued: int
    number: int
    cases: dict[str, Case]


def group_of(scope: Scope, cause: Cause | str, *, limit: int) -> CauseGroup:
    """The flags that began at one root, those nearest to it first, with why each cannot be in the group."""
    root_id = cause.root if isinstance(cause, Cause) else cause
    found = _read(scope, root_id, limit=limit)
    if found is None:
        return CauseGroup(found=False, reason="the project has no such decision")
    problem = _root_problem(found.root, spreading=False)
    passing: set[str] = set()
    reasons = {each: _problem(case, found.root, passing) for each, case in found.cases.items()}
    while True:  # a member may wait for others of the group, which come before it
        more = {each for each, reason in reasons.items() if reason is None} - passing
        if not more:
            break
        passing |= more
        reasons = {each: _problem(case, found.root, passing) for each, case in found.cases.items()}
    return CauseGroup(
        found=True,
        root=decision_from(found.root, task_name=found.root_task),
        reason=problem,
        members=tuple(
            GroupMember(
                decision=case.decision,
                depth=case.row.get("cause_depth"),
                reason=problem or reasons[each],
                seen=_token(case),
            )
            for each, case in found.cases.items()
        ),
        count=found.number,
        spreading=found.queued > 0,
    )


def reaffirm_group(
    scope: Scope,
    cause: Cause | str,
    decision_ids: Sequence[str],
    *,
    explanation: str,
    expected: Mapping[str, str],
    request_id: str | None,
) -> GroupResult:
    """Reaffirm chosen members, those that others cite first, each with a statement of its own."""
    root_id = cause.root if isinstance(cause, Cause) else cause
    chosen = _chosen(decision_ids, expected)
    group_id = fields.request_id(request_id) or ids.new_request_id()
    found = _read(scope, root_id, limit=AT_ONCE, chosen=chosen)
    if found is None or root_id is None:
        return GroupResult(recorded=False, error="decision_not_found", field="cause")
    group = Group(group_id, root_id)
    results = {each: _one(scope, group, each, explanation, expected[each]) for each in _in_order(chosen, found.cases)}
    complete = all(result.recorded for result in results.values())
    return GroupResult(
        recorded=complete,
        error=None if complete else "group_incomplete",
        group_id=group_id,
        results=tuple(GroupOutcome(decision_id=each, result=results[each]) for each in chosen),
        replayed=all(result.replayed for result in results.values()),
    )


def _chosen(decision_ids: object, expected: object) -> list[str]:
    if isinstance(decision_ids, str | bytes) or not isinstance(decision_ids, Sequence):
        raise ValueRefused("decision_ids", "is not a list of ids")
    if not 1 <= len(decision_ids) <= AT_ONCE:
        raise ValueRefused("decision_ids", f"has {len(decision_ids)} entries; give 1 to {AT_ONCE}")
    for number, each in enumerate(decision_ids):
        if not ids.is_uuid(each):
            raise ValueRefused(f"decision_ids[{number}]", "is not the id of a decision")
    if not isinstance(expected, Mapping) or not all(isinstance(expected.get(each), str) for each in decision_ids):
        raise ValueRefused("expected", "does not hold what group_of() told of each decision")
    return list(dict.fromkeys(decision_ids))


def _in_order(chosen: list[str], cases: Mapping[str, Case]) -> list[str]:
    """The chosen ones, each after those of them that it cites."""
    ordered: list[str] = []
    waiting = list(chosen)
    while waiting:
        ready = [each for each in waiting if each not in cases or not set(cases[each].parents) & set(waiting) - {each}]
        if not ready:  # they cite each other in a circle: none of them can be reaffirmed
            ready = waiting
        ordered += ready
        waiting = [each for each in waiting if each not in ready]
    return ordered


def _one(scope: Scope, group: Group, decision_id: str, explanation: str, seen: str) -> DecisionResult:
    arguments = {"id": decision_id, "group": group.id, "root": group.root_id, "explanation": explanation}
    request_id = ids.text_digest(f"{group.id}:{decision_id}")
    claimed = claim(scope.project_id, request_id, "reaffirm_decision", arguments)

    def act(case: Case) -> DecisionResult | None:
        require_active(case)
        if _token(case) != seen:
            return DecisionResult(recorded=False, error="decision_changed", standing=case.decision.verdict)
        root = case.near.get(group.root_id)
        problem = _root_problem(root, spreading=not case.is_clear(root)) or _problem(case, root or {}, set())
        if problem:
            raise Refused("cannot_revalidate", "decision_ids", problem)
        rows = [
            pinned(case, support, standing_id(case.passages[support.id], None)) for support in case.of_kind("document")
        ]
        return reaffirmed(scope, claimed, case, rows, explanation, group)

    wanted = Wanted((), {}, {}, decision_ids=[group.root_id])
    return judge(Judged(scope, decision_id, claimed, None), act, wanted, "decision_not_found")


def _root_problem(root: Mapping[str, Any] | None, *, spreading: bool) -> str | None:
    """Why nothing can follow the root: only a decision that was flagged and then reaffirmed is active and clear."""
    if root is None:
        return "the root is no longer there"
    if root["status"] != DecisionStatus.ACTIVE:
        return f"the root was {root['status']}"
    if root["review_state"] != ReviewState.CLEAR:
        return "the root needs review itself"
    return "a review that still spreads may reach the root" if spreading else None


_OTHER_CAUSES = {
    "document": "a source that it cites changed as well",
    "reopened": "it was reopened",
    "recording": "a source changed while it was recorded",
    "redaction": "an event that it cites was redacted",
    "deletion": "something that it cites was deleted",
}


def _problem(case: Case, root: Mapping[str, Any], passing: set[str]) -> str | None:
    """Why a decision has another cause than the root, or is in question for more than that.

    Args:
        passing: Members that will be clear when it is this one's turn.
    """
    row = case.row
    if row["review_state"] != ReviewState.NEEDS_REVIEW:
        return "it is not flagged"
    if row.get("cause_kind") != "decision" or row.get("review_reason") != ReviewReason.DEPENDENCY_REVIEW:
        return _OTHER_CAUSES.get(row.get("cause_kind") or "", "it was flagged for another reason")
    if row.get("cause_root_id") != root.get("id"):
        return "its flag began at another decision"
    return next((found for each in case.supports if (found := _support_problem(case, each, root, passing))), None)


def _support_problem(case: Case, support: Support, root: Mapping[str, Any], passing: set[str]) -> str | None:
    if support.kind == "event":
        return event_blocker(case, support)
    if support.kind == "document":
        document = case.documents.get(support.document_node_id or "")
        same = document is not None and (
            (document["activation_seq"], document.get("current_content_hash"))
            == (support.recorded_activation_seq, support.content_hash)
        )
        return None if same else _OTHER_CAUSES["document"]
    parent = case.parents.get(support.decision_id or "")
    if parent is None:
        return "a decision that it cites is no longer there"
    if parent["status"] != DecisionStatus.ACTIVE:
        return f"a decision that it cites was {parent['status']}"
    if parent["id"] in passing:
        return None
    if not case.is_clear(parent):
        return "another decision that it cites needs review"
    return _reviewed_since(case, parent, root)


def _reviewed_since(case: Case, parent: Mapping[str, Any], root: Mapping[str, Any]) -> str | None:
    """A parent that had a flag of another origin while this one waited was a second cause, though it is clear now."""
    if parent["id"] == root.get("id") or parent.get("verdict_root_id") in (None, root.get("id")):
        return None
    since = ids.milliseconds(parent["verdict_at"]) if parent.get("verdict_at") else 0
    if since < (case.row.get("flagged_ms") or 0):
        return None
    return "another decision that it cites was in question as well"


def _token(case: Case) -> str:
    """Digest of the flag and of what is cited, as a person saw them in the list."""
    row = case.row
    facts = [row["status"], row["review_state"], row.get("review_reason"), row.get("cause_kind")]
    facts += [row.get("cause_root_id"), row.get("flagged_ms")]
    return ids.joined(*facts, *sorted(support.id for support in case.supports))


def _read(scope: Scope, root_id: str | None, *, limit: int, chosen: Sequence[str] = ()) -> _Found | None:
    if not ids.is_uuid(root_id or ""):
        return None
    rows = scope.store.read(
        GROUP_READ, id=root_id, project=scope.project_id, limit=limit, every=not chosen, ids=list(chosen)
    )
    if not rows:
        return None
    first = rows[0]
    cases = {row["decision"]["id"]: _case(row) for row in rows if row["decision"] and row["decision"].get("id")}
    nearest = sorted(cases.values(), key=_nearness)
    return _Found(
        first["root"], first["root_task"] or "", first["queued"], first["number"], {case.id: case for case in nearest}
    )


def _nearness(case: Case) -> tuple[int, int, str]:
    """Those nearest to the root first. Neo4j may show a flag that is cleared meanwhile without its facts."""
    return case.row.get("cause_depth") or 0, case.row.get("flagged_ms") or 0, case.id


def _case(row: Mapping[str, Any]) -> Case:
    """A member with what it cites, without any text: a group has only decisions whose sources did not change."""
    supports = sorted((support_from(each) for each in present(row["supports"])), key=lambda each: each.ordinal)
    return Case(
        row=row["decision"],
        task=row["task"] or {"name": ""},
        request=None,
        all_supports=tuple(supports),
        documents={each["id"]: each for each in present(row["docs"])},
        versions={},
        events={each["id"]: each for each in present(row["events"])},
        near={each["id"]: each for each in present(row["near"])},
        queued=0,
    )
