"""Confirm a decision on the current version of what it cites."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from reaffirm import ids
from reaffirm.decisions import supports as citing
from reaffirm.decisions.blockers import document_blocker, event_blocker, parent_blocker
from reaffirm.decisions.case import Case
from reaffirm.decisions.causes import origin_of
from reaffirm.decisions.chronicle import word
from reaffirm.decisions.judging import (
    CLEARED,
    Judged,
    Picks,
    judge,
    note,
    pinned,
    plain_picks,
    require_active,
    resolve_new,
    result_of,
    verdict_facts,
)
from reaffirm.decisions.models import DecisionResult, DocumentSupportInput, ReviewState, Seen, VerdictKind
from reaffirm.decisions.passages import Passage
from reaffirm.decisions.recording import Scope
from reaffirm.decisions.supports import Refused, Wanted
from reaffirm.decisions.writing import REAFFIRM
from reaffirm.knowledge import evidence
from reaffirm.knowledge.models import AnchorState, FetchOutcome
from reaffirm.operation import Claim, claim
from reaffirm.store import ValueRefused


@dataclass(frozen=True)
class Group:
    """The group that a verdict belongs to: its id, and the root that all its flags began at."""

    id: str
    root_id: str


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
    if isinstance(evidence_inputs, str | bytes) or not isinstance(evidence_inputs, Sequence):
        raise ValueRefused("evidence", "is not a list of document supports")
    for number, given in enumerate(evidence_inputs):
        if not isinstance(given, DocumentSupportInput):
            raise ValueRefused(f"evidence[{number}]", "is not a document support")
    wanted = citing.check(scope.project_id, evidence_inputs, fetched, where="evidence") if evidence_inputs else None
    usable = citing.outcomes(fetched).values()
    arguments = {"id": decision_id, "evidence": citing.inputs(evidence_inputs), "explanation": explanation}
    claimed = claim(scope.project_id, request_id, "reaffirm_decision", arguments)

    def act(case: Case) -> DecisionResult | None:
        require_active(case)
        _require_current(case, usable)
        _require_standing(case)
        if wanted:
            wanted.require_number("evidence")
            malformed = next((n for n in range(len(wanted.supports)) if n not in wanted.references), None)
            if malformed is not None:
                raise Refused("support_malformed", f"evidence[{malformed}].evidence_id")
        cited = {support.document_node_id for support in case.of_kind("document")}
        if cited != set(wanted.document_ids if wanted else ()):
            raise Refused("cannot_revalidate", "evidence", "cite exactly the documents that the decision cites")
        rows = _fetched_rows(scope, case, wanted) if wanted else []
        return reaffirmed(scope, claimed, case, rows, explanation)

    return judge(Judged(scope, decision_id, claimed, expected), act, wanted, "decision_not_found")


def reaffirm_where_it_stands(
    scope: Scope, decision_id: str, *, expected: Seen, picks: Picks, explanation: str, request_id: str | None
) -> DecisionResult:
    """Confirm a decision on its own passages, each pinned anew where it stands in the current version."""
    arguments = {"id": decision_id, "picks": plain_picks(picks), "explanation": explanation}
    claimed = claim(scope.project_id, request_id, "reaffirm_decision", arguments)

    def act(case: Case) -> DecisionResult | None:
        require_active(case)
        _require_standing(case)
        rows = [
            pinned(case, support, standing_id(case.passages[support.id], picks.get(support.id)))
            for support in case.of_kind("document")
        ]
        return reaffirmed(scope, claimed, case, rows, explanation)

    return judge(Judged(scope, decision_id, claimed, expected), act, None, "decision_not_found")


def standing_id(passage: Passage, pick: tuple[int, int] | None) -> str:
    """The evidence id of a passage in the current version, or a refusal."""
    at = f"supports[{passage.support.ordinal}]"
    problem = document_blocker(passage)
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


def _require_current(case: Case, fetched: Iterable[FetchOutcome]) -> None:
    """Every cited document is there, and was fetched as it is now."""
    seen = {(outcome.document_key, outcome.content_hash) for outcome in fetched}
    for support in case.of_kind("document"):
        document = case.passages[support.id].document
        at = f"supports[{support.ordinal}]"
        if case.passages[support.id].removed:
            raise Refused("cannot_revalidate", at, "the source was removed")
        if (document["document_key"], document["current_content_hash"]) not in seen:
            raise Refused("cannot_revalidate", at, f"fetch the current version of {document['document_key']}")


def _require_standing(case: Case) -> None:
    """Every cited event is as it was, and every cited decision is active and clear."""
    for support in case.supports:
        at = f"supports[{support.ordinal}]"
        if support.kind == "event" and (problem := event_blocker(case, support)):
            missing = (support.event_id or "") not in case.events
            raise Refused("support_event_not_found" if missing else "cannot_revalidate", at, problem)
        if support.kind == "decision" and (problem := parent_blocker(case, support)):
            raise Refused("cannot_revalidate", at, problem)


def _fetched_rows(scope: Scope, case: Case, wanted: Wanted) -> list[dict[str, Any]]:
    """The caller's passages as supports: fetched, of the current version, and every passage cited so far unchanged.

    Each of those is among them, in whole or in part: a reaffirmation drops no support.
    """
    try:
        resolved = resolve_new(scope, case, wanted, where="evidence")
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
        pick = next((place for place in of_document if passage.is_candidate(place)), None)
        standing_id(passage, pick)
        low, high = pick or (passage.anchor.start or 0, passage.anchor.end or 0)
        if not any(start < high and low < end for start, end in of_document):
            at = f"supports[{support.ordinal}]"
            raise Refused("cannot_revalidate", at, "none of the evidence is where this cited passage stands now")
    return resolved.rows


def _place(case: Case, evidence_id: str) -> tuple[int, int] | None:
    reference = evidence.decode(evidence_id)
    if reference is None:
        return None
    document = case.documents.get(reference.document_node_id) or {}
    version = case.versions.get((reference.document_node_id, document.get("current_content_hash") or ""))
    return version.text.range_of(reference) if version else None


def reaffirmed(
    scope: Scope,
    claimed: Claim,
    case: Case,
    rows: list[dict[str, Any]],
    explanation: str,
    group: Group | None = None,
) -> DecisionResult | None:
    """Write a reaffirmation that was judged; None when the world moved meanwhile."""
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
        **verdict_facts(VerdictKind.REAFFIRM, scope, at),
    }
    kept = [support.model_dump() for support in case.supports if support.kind != "document"]
    result = result_of(case, after, kept + new)
    documents = case.document_guards([support.document_node_id or "" for support in case.of_kind("document")])
    parents = sorted({support.decision_id or "" for support in case.of_kind("decision")})
    events = sorted({support.event_id or "" for support in case.of_kind("event")})
    written = scope.store.write(
        REAFFIRM,
        doc_ids=[guard["id"] for guard in documents],
        docs=documents,
        locked_ids=sorted({case.id, *parents, *([group.root_id] if group else [])}),
        id=case.id,
        seen_state=case.row["review_state"],
        seen_supports=[support.id for support in case.supports],
        event_ids=events,
        event_hashes=sorted({case.events[each]["payload_sha256"] for each in events}),
        request_node_id=claimed.node_id,
        claim=claimed.properties(result.model_dump_json()),
        **note(case, scope, f"Decision {case.id} reaffirmed.", at),
        word=word("reaffirm", scope.agent_id, at, explanation),
        supports=new,
        flag_root=origin_of(case.row)[0] if case.row["review_state"] == ReviewState.NEEDS_REVIEW else None,
        root=group and group.root_id,
        group=group and group.id,
        by=scope.agent_id,
        at=at,
        why=explanation,
        cleared=CLEARED,
    )
    return result if written else None
