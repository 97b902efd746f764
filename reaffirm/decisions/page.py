"""All that the page of one decision shows: its citations then and now, why it is flagged, what rests on it."""

from collections.abc import Mapping
from typing import Any

from reaffirm import ids
from reaffirm.decisions.acceptance import Accepted
from reaffirm.decisions.behind import is_behind, state_of, tell
from reaffirm.decisions.blockers import document_blocker, event_blocker, parent_blocker
from reaffirm.decisions.case import Case, read_case
from reaffirm.decisions.causes import Cause
from reaffirm.decisions.models import Citation, Decision, ReviewCase, ReviewState, Support
from reaffirm.decisions.reading import CASE_READ
from reaffirm.decisions.records import cause_from, decision_from, present, version_from
from reaffirm.decisions.renames import same_text_keys
from reaffirm.history.models import Event, Task
from reaffirm.knowledge.diff import passage_diff
from reaffirm.knowledge.models import AnchorState, DocumentVersion, PassageDiff
from reaffirm.store import GraphStore

Renamed = Mapping[str, tuple[str, ...]]


def review_case(store: GraphStore, project_id: str, decision_id: str) -> ReviewCase | None:
    """The page of one decision; None where the project has no such decision.

    One read; another one where agentic-graphrag pinned a passage of a version that is neither cited nor current; and
    another one where a cited document was removed.
    """
    if not ids.is_uuid(decision_id):
        return None
    found = read_case(store, CASE_READ, project_id=project_id, decision_id=decision_id)
    if found is None:
        return None
    case, row = found
    for rows in (row["way"], row["dependents"], row["revisions"], row["precedents"]):
        tell(rows, row["behind"])
    activations = {(each["document_id"], each["activation_seq"]): each for each in present(row["activations"])}
    accepted = Accepted(store, case, row["revisions"])
    renamed = same_text_keys(store, project_id, case, present(row["activations"]))
    citations = tuple(
        _citation(case, number, support, activations, accepted, renamed)
        for number, support in enumerate(case.supports, start=1)
    )
    return ReviewCase(
        decision=case.decision,
        task=Task.model_validate(case.task),
        cause=_cause(case, row, renamed) if state_of(case.row) is ReviewState.NEEDS_REVIEW else None,
        citations=citations,
        blockers=tuple(_blockers(case)),
        dependents=_listed(row["dependents"]),
        dependent_count=row["dependent_count"],
        revisions=_listed(row["revisions"], task_name=case.task["name"]),
        precedents=_listed(row["precedents"]),
        review_spreading=case.queued > 0,
    )


def _cause(case: Case, row: Mapping[str, Any], renamed: Renamed) -> Cause:
    cause = _coming_cause(case, row) if is_behind(case.row) else _stored_cause(case, row)
    keys = renamed.get(ids.document_id(cause.document_key), ()) if cause.document_key else ()
    return cause.model_copy(update={"same_text_keys": keys})


def _stored_cause(case: Case, row: Mapping[str, Any]) -> Cause:
    cause_id = case.row.get("cause_activation_id")
    activation = next((each for each in present(row["activations"]) if each["id"] == cause_id), None)
    document_id = case.row.get("cause_document_id")
    previous = [
        support.recorded_activation_seq
        for support in case.of_kind("document")
        if support.document_node_id == document_id and support.recorded_activation_seq is not None
    ]
    return cause_from(
        case.row,
        document=case.documents.get(document_id or ""),
        activation=activation,
        parent=row["cause"],
        previous_seq=max(previous, default=None),
        way=row["way"],
    )


def _coming_cause(case: Case, row: Mapping[str, Any]) -> Cause:
    """The cause that the flag will have: the newest activation of a document that the decision is behind."""
    found = [
        (str(activation["activated_at"]), support, activation)
        for support in case.of_kind("document")
        for activation in present(row["activations"])
        if activation["document_id"] == support.document_node_id
        and activation["activation_seq"] == case.documents[activation["document_id"]].get("activation_seq")
        and activation["activation_seq"] != support.recorded_activation_seq
    ]
    if not found:
        return Cause(kind="unknown")
    _, support, activation = max(found, key=lambda each: each[0])
    return cause_from(
        {"cause_kind": "document"},
        document=case.documents[support.document_node_id or ""],
        activation=activation,
        parent=None,
        previous_seq=support.recorded_activation_seq,
    )


def _citation(
    case: Case,
    number: int,
    support: Support,
    activations: Mapping[tuple[str, int], Mapping[str, Any]],
    accepted: Accepted,
    renamed: Renamed,
) -> Citation:
    if support.kind == "document":
        return _document_citation(case, number, support, activations, accepted, renamed)
    if support.kind == "event":
        event = case.events.get(support.event_id or "")
        return Citation(
            number=number,
            support=support,
            title=f"Event {support.seq} in {support.task_name}",
            event=Event.model_validate(event) if event else None,
            seen=case.seen_of(support),
        )
    parent = case.parents.get(support.decision_id or "")
    known = case.parent_decision(parent) if parent else None
    successor = case.successor(parent)
    return Citation(
        number=number,
        support=support,
        title=known.title if known else "A decision that is no longer there",
        parent=known,
        successor=case.parent_decision({**successor, "task_name": known.task_name}) if known and successor else None,
        seen=case.seen_of(support),
    )


def _document_citation(
    case: Case,
    number: int,
    support: Support,
    activations: Mapping[tuple[str, int], Mapping[str, Any]],
    accepted: Accepted,
    renamed: Renamed,
) -> Citation:
    passage = case.passages[support.id]
    document_id = support.document_node_id or ""
    current_seq = passage.document.get("activation_seq") or 0

    def version(seq: int) -> DocumentVersion | None:
        row = activations.get((document_id, seq))
        return version_from(row) if row else None

    return Citation(
        number=number,
        support=support,
        title=passage.document.get("title") or passage.document.get("document_key") or support.document_key or "",
        anchor=passage.anchor,
        cited_text=passage.cited_text,
        current_text=passage.current_text,
        candidate_texts=tuple(passage.words_at(each.start, each.end) for each in passage.anchor.candidates),
        candidate_contexts=tuple(passage.around(each.start, each.end) for each in passage.anchor.candidates),
        diff=_diff(case, support),
        cited_version=version(support.recorded_activation_seq or 0),
        current_version=version(current_seq),
        accepted=accepted.of(passage),
        same_text_keys=renamed.get(document_id, ()),
        seen=passage.seen,
    )


def _diff(case: Case, support: Support) -> PassageDiff | None:
    """The passage in its context; a removed or unreadable current version counts as an empty text."""
    passage = case.passages[support.id]
    if passage.cited is None:
        return None
    place = (passage.anchor.start, passage.anchor.end)
    return passage_diff(
        old_text=passage.cited.text,
        old_range=passage.cited_range,
        new_text=passage.current.text.text if passage.current else "",
        new_range=(place[0], place[1]) if place[0] is not None and place[1] is not None else None,
    )


def _blockers(case: Case) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    for number, support in enumerate(case.supports, start=1):
        problem = _problem(case, support)
        if problem:
            found.append((number, problem))
    return found


def _problem(case: Case, support: Support) -> str | None:
    if support.kind == "event":
        return event_blocker(case, support)
    if support.kind == "decision":
        return parent_blocker(case, support)
    passage = case.passages[support.id]
    problem = document_blocker(passage)
    if problem or passage.anchor.state is AnchorState.AMBIGUOUS:
        return problem
    return None if passage.evidence_id() else "no evidence id names the passage in the current version"


def _listed(rows: list[Mapping[str, Any]], task_name: str | None = None) -> tuple[Decision, ...]:
    return tuple(decision_from(row, task_name=task_name or row.get("task_name") or "") for row in present(rows))
