"""Replace a decision by the next revision of its choice."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from reaffirm import ids
from reaffirm.decisions import supports as citing
from reaffirm.decisions.blockers import event_blocker
from reaffirm.decisions.case import Case
from reaffirm.decisions.judging import CLEARED, Judged, Picks, judge, pinned, plain_picks, resolve_new
from reaffirm.decisions.listing import get_decision
from reaffirm.decisions.models import DecisionResult, DecisionStatus, Seen, Support, SupportInput
from reaffirm.decisions.recording import Content, Scope, decision_record
from reaffirm.decisions.supports import Refused, Resolved
from reaffirm.decisions.writing import SUPERSEDE
from reaffirm.knowledge.models import AnchorState, FetchOutcome
from reaffirm.operation import MARKER, Claim, claim
from reaffirm.store import ValueRefused

# Beside one that is still active (another's supersession is not this): what agentic-graphrag leaves behind when it ends
# in the middle of a supersession.
READ_LATER = """
MATCH (old:Decision) WHERE old._agrag_history_record = true AND old.id = $id AND old.status = 'active'
WITH old
MATCH (v:Decision) WHERE v._agrag_history_record = true AND v.task_id = $task_id
  AND v.choice_key = $choice_key AND v.revision > $revision
RETURN v.id AS id LIMIT 1
"""


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
    wanted = citing.check(scope.project_id, supports, fetched, none_later=True)
    cited = citing.inputs(supports)
    arguments = {**_words(words), "old_id": decision_id, "explanation": explanation, "supports": cited}
    claimed = _claim(scope, decision_id, request_id, arguments)
    if isinstance(claimed, DecisionResult):
        return claimed

    def act(case: Case) -> DecisionResult | None:
        if case.row["status"] != DecisionStatus.ACTIVE:
            raise Refused("supersede_target_invalid", "decision_id")
        resolved = resolve_new(scope, case, wanted)
        if case.id in wanted.decision_ids:
            raise Refused("support_decision_not_active", "supports", "a decision cannot rest on the one it replaces")
        return _superseded(scope, claimed, case, words, resolved, explanation)

    return judge(Judged(scope, decision_id, claimed, expected), act, wanted, "supersede_target_invalid")


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
    arguments = {"old_id": decision_id, "explanation": explanation, "picks": plain_picks(picks), **asked}
    claimed = _claim(scope, decision_id, request_id, arguments)
    if isinstance(claimed, DecisionResult):
        return claimed

    def act(case: Case) -> DecisionResult | None:
        if case.row["status"] != DecisionStatus.ACTIVE:
            raise Refused("supersede_target_invalid", "decision_id")
        return _superseded(scope, claimed, case, words(case), _cited_again(case, picks), explanation)

    return judge(Judged(scope, decision_id, claimed, expected), act, None, "supersede_target_invalid")


def _claim(
    scope: Scope, decision_id: str, request_id: str | None, arguments: Mapping[str, object]
) -> Claim | DecisionResult:
    """The claim of a request id. As in agentic-graphrag, a decision that is not there is told before a wrong id."""
    try:
        return claim(scope.project_id, request_id, "supersede_decision", arguments)
    except ValueRefused:
        if get_decision(scope, decision_id).found:
            raise
        return DecisionResult(recorded=False, error="supersede_target_invalid", field="decision_id")


def _cited_again(case: Case, picks: Picks) -> Resolved:
    rows: list[dict[str, Any]] = []
    for support in case.supports:
        row = _again(case, support, picks.get(support.id))
        if row and row not in rows:
            rows.append(row)
    if not rows:
        raise Refused("support_required", "supports", "nothing that the decision cites can be cited now")
    documents = case.document_guards([row["document_node_id"] for row in rows if row["kind"] == "document"])
    cited = {row["decision_id"] for row in rows if row["kind"] == "decision"}
    known = {node["id"]: node for parent in case.parents.values() for node in (parent, case.successor(parent)) if node}
    parents = [citing.parent_guard(known[each]) for each in sorted(cited)]
    events = sorted({row["event_id"] for row in rows if row["kind"] == "event"})
    return Resolved(rows, documents, events, parents, changed=False)


def _again(case: Case, support: Support, pick: tuple[int, int] | None) -> dict[str, Any] | None:
    """A support as it can be cited now, or None when it cannot."""
    if support.kind == "document":
        passage = case.passages[support.id]
        if passage.anchor.state is AnchorState.AMBIGUOUS and (pick is None or not passage.is_candidate(pick)):
            return None
        found = passage.evidence_id(pick if passage.anchor.state is AnchorState.AMBIGUOUS else None)
        return pinned(case, support, found) if found else None
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
        parent = case.successor(parent)
    if parent is None:
        return None
    return {
        "kind": "decision",
        "decision_id": parent["id"],
        "target_decision_id": parent["id"],
        "current": True,
        MARKER: True,
    }


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
    cited = {parent["id"] for parent in resolved.parents}
    written = scope.store.write(
        SUPERSEDE,
        doc_ids=[guard["id"] for guard in resolved.documents],
        docs=resolved.documents,
        locked_ids=sorted({case.id, *cited, *case.parent_ids}),
        parent_ids=sorted(cited),
        parents=resolved.parents,
        gaining_ids=sorted(cited - case.parent_ids),
        losing_ids=sorted(case.parent_ids - cited),
        id=case.id,
        seen_state=case.row["review_state"],
        seen_supports=[support.id for support in case.supports],
        event_ids=resolved.event_ids,
        event_hashes=resolved.event_hashes,
        request_node_id=claimed.node_id,
        project=scope.project_id,
        claim=claimed.properties(result.model_dump_json()),
        decision=record,
        supports=rows,
        by=scope.agent_id,
        at=at,
        cleared={**CLEARED, "contested_in": None},
    )
    if written:
        return result
    choice = {"task_id": case.task["id"], "choice_key": case.row["choice_key"], "revision": case.row["revision"]}
    if scope.store.read(READ_LATER, id=case.id, **choice):
        raise Refused("supersede_target_invalid", "decision_id", "a later revision of this choice stands beside it")
    return None


def _words(words: Content) -> dict[str, object]:
    return {
        "conclusion": words.conclusion,
        "rationale": words.rationale,
        "assumptions": words.assumptions,
        "open_questions": words.open_questions,
    }
