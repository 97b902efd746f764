"""What a decision, or a step, cites: resolved against the graph, never trusted."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reaffirm import fields, ids
from reaffirm.decisions.behind import state_of
from reaffirm.decisions.causes import origin_of
from reaffirm.decisions.models import (
    DecisionSupportInput,
    DocumentSupportInput,
    EventSupportInput,
    SupportInput,
)
from reaffirm.decisions.passages import Versions, digest_of
from reaffirm.decisions.states import ReviewState
from reaffirm.knowledge import evidence
from reaffirm.knowledge.models import EvidenceReference, FetchOutcome, FetchStatus
from reaffirm.operation import MARKER
from reaffirm.store import ValueRefused

MAX_SUPPORTS = 20
HASH = re.compile("[0-9a-f]{64}")


class Refused(Exception):
    """A support cannot be used. code is the error code; field says which support."""

    def __init__(self, code: str, at: str, detail: str | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.at = at
        self.detail = detail


@dataclass(frozen=True)
class Wanted:
    """Checked inputs, with all that one read needs to look them up."""

    supports: tuple[SupportInput, ...]
    references: dict[int, EvidenceReference]
    fetched: dict[str, FetchOutcome]
    event_ids: list[str] = field(default_factory=list)
    decision_ids: list[str] = field(default_factory=list)
    wrong_number: bool = False

    @property
    def pairs(self) -> list[dict[str, str]]:
        """The versions whose text is needed: document and content hash, as fetched."""
        found = {
            (reference.document_node_id, outcome.content_hash)
            for number, reference in self.references.items()
            if (outcome := self.fetched.get(self.supports[number].evidence_id))  # type: ignore[union-attr]
            and outcome.content_hash
        }
        return [{"doc": document, "hash": content_hash} for document, content_hash in sorted(found)]

    def require_number(self, where: str) -> None:
        if self.wrong_number:
            detail = f"cite 1 to {MAX_SUPPORTS} supports; {len(self.supports)} were given"
            raise Refused("support_required", where, detail)

    @property
    def document_ids(self) -> list[str]:
        return sorted({reference.document_node_id for reference in self.references.values()})


@dataclass(frozen=True)
class Resolved:
    """Supports that stand in the graph as it was read.

    Attributes:
        rows: Properties of the DecisionSupport nodes without ids, ordinals and project, in the order given.
        documents: Cited documents as guards: id, seq, hash ('' when removed).
        event_ids, parents: Cited events, and cited decisions with the review state read.
        changed: A cited document moved on since it was fetched.
    """

    rows: list[dict[str, Any]]
    documents: list[dict[str, Any]]
    event_ids: list[str]
    parents: list[dict[str, Any]]
    changed: bool

    @property
    def event_hashes(self) -> list[str]:
        """What stands under the numbers of the cited events: another event may come to stand there."""
        return sorted({row["event_payload_sha256"] for row in self.rows if row["kind"] == "event"})


def check(
    project_id: str,
    supports: Sequence[SupportInput],
    fetched: Sequence[FetchOutcome],
    *,
    where: str = "supports",
    none_later: bool = False,
) -> Wanted:
    """Check the form of supports and collect what must be read.

    Args:
        none_later: Whether no support at all is refused by resolve(), as too many are, and not here.

    Raises:
        ValueRefused: A support is of no known kind, or a value in it is not acceptable.
        Refused: support_required, where there is none. All else comes after the task and the choice: see resolve().
    """
    if isinstance(supports, str | bytes) or not isinstance(supports, Sequence):
        raise ValueRefused(where, "is not a list of supports")
    if not supports and not none_later:
        raise Refused("support_required", where, f"cite 1 to {MAX_SUPPORTS} supports")
    references: dict[int, EvidenceReference] = {}
    event_ids: list[str] = []
    decision_ids: list[str] = []
    wrong_number = not 1 <= len(supports) <= MAX_SUPPORTS
    for number, support in enumerate(supports if not wrong_number else ()):
        at = f"{where}[{number}]"
        if isinstance(support, DocumentSupportInput):
            reference = evidence.decode(support.evidence_id)
            if reference is not None:
                references[number] = reference
        elif isinstance(support, EventSupportInput):
            event_ids.append(_event_id(project_id, support, at))
        elif isinstance(support, DecisionSupportInput):
            if ids.is_uuid(support.decision_id):
                decision_ids.append(support.decision_id)
        else:
            raise ValueRefused(at, "is not a DocumentSupportInput, EventSupportInput or DecisionSupportInput")
    return Wanted(
        tuple(supports),
        references,
        outcomes(fetched),
        sorted(set(event_ids)),
        sorted(set(decision_ids)),
        wrong_number,
    )


def _event_id(project_id: str, support: EventSupportInput, at: str) -> str:
    name = fields.name(f"{at}.task_name", support.task_name)
    seq = fields.whole(f"{at}.seq", support.seq, 1)
    return ids.event_id(ids.task_id(project_id, name), seq)


def outcomes(fetched: object) -> dict[str, FetchOutcome]:
    """The fetches that are good for anything, by evidence id."""
    if isinstance(fetched, str | bytes) or not isinstance(fetched, Iterable):
        raise ValueRefused("fetched_evidence", "is not a list; give what fetch() returned")
    found: dict[str, FetchOutcome] = {}
    for number, outcome in enumerate(fetched):
        if not isinstance(outcome, FetchOutcome):
            raise ValueRefused(
                f"fetched_evidence[{number}]", "is not a fetch outcome; give the list that fetch() returned"
            )
        if outcome.status is FetchStatus.OK and HASH.fullmatch(outcome.content_hash or ""):
            found[outcome.evidence_id] = outcome
    return found


def resolve(
    wanted: Wanted,
    *,
    project_id: str,
    documents: Mapping[str, Mapping[str, Any]],
    versions: Versions,
    events: Mapping[str, Mapping[str, Any]],
    decisions: Mapping[str, Mapping[str, Any]],
    where: str = "supports",
) -> Resolved:
    """Resolve checked supports on what was read; documents, events and decisions by id. One that is given twice is kept
    once: the same passage twice is no more evidence than once.

    Raises:
        Refused: With the code of the first support that cannot be used, in the order given.
    """
    wanted.require_number(where)
    rows: list[dict[str, Any]] = []
    changed = False
    for number, support in enumerate(wanted.supports):
        at = f"{where}[{number}]"
        if isinstance(support, DocumentSupportInput):
            reference = wanted.references.get(number)
            if reference is None:
                raise Refused("support_malformed", f"{at}.evidence_id")
            row, moved = _document(wanted, number, reference, documents, versions, at)
            changed = changed or moved
        elif isinstance(support, EventSupportInput):
            row = _event(project_id, support, events, at)
        else:
            row = _decision(support, decisions, at)
        if row not in rows:
            rows.append(row)
    guards = [guard(documents[each]) for each in wanted.document_ids]
    parents = [parent_guard(decisions[each]) for each in wanted.decision_ids]
    return Resolved(rows, guards, wanted.event_ids, parents, changed)


def _document(
    wanted: Wanted,
    number: int,
    reference: EvidenceReference,
    documents: Mapping[str, Mapping[str, Any]],
    versions: Versions,
    at: str,
) -> tuple[dict[str, Any], bool]:
    evidence_id = wanted.supports[number].evidence_id  # type: ignore[union-attr]
    outcome = wanted.fetched.get(evidence_id)
    if outcome is None or outcome.content_hash is None or outcome.reference != reference:
        raise Refused("support_not_fetched", at)
    document = documents.get(reference.document_node_id)
    if document is None or document["document_key"] != outcome.document_key:
        raise Refused("support_document_not_found", at)
    if outcome.content_hash[:16] != reference.content_hash_prefix or outcome.observed_activation_seq is None:
        raise Refused("support_not_fetched", at, "the fetch names another version than the evidence id")
    version = versions.get((reference.document_node_id, outcome.content_hash))
    held = version.holding(reference) if version else None
    if held is None or held[0].text[slice(*held[1])] != outcome.text:
        raise Refused("support_not_fetched", at, "the graph holds other words at this place; fetch the passage again")
    observed = outcome.observed_activation_seq
    current_seq = document["activation_seq"]
    if observed > current_seq:
        raise Refused("support_not_fetched", at, "the fetch names a version that does not exist")
    moved = document.get("current_content_hash") != outcome.content_hash or current_seq != observed
    words = held[0].text[slice(*held[1])]
    return document_support(evidence_id, reference, outcome.content_hash, document, observed, words), moved


def document_support(
    evidence_id: str,
    reference: EvidenceReference,
    content_hash: str,
    document: Mapping[str, Any],
    seq: int,
    words: str | None,
) -> dict[str, Any]:
    """Properties of a document support, without id, ordinal and project. The digest of its words is ours."""
    row: dict[str, Any] = {
        "kind": "document",
        "evidence_id": evidence_id,
        "document_key": document["document_key"],
        "document_node_id": reference.document_node_id,
        "content_hash_prefix": reference.content_hash_prefix,
        "content_hash": content_hash,
        "reference_kind": reference.kind.value,
        "recorded_activation_seq": seq,
        "current": True,
        MARKER: True,
    }
    if words is not None:
        row["text_digest"] = digest_of(words)
    for name in ("char_start", "char_end", "chunk_id"):
        value = getattr(reference, name)
        if value is not None:
            row[name] = value
    return row


def _event(
    project_id: str, support: EventSupportInput, events: Mapping[str, Mapping[str, Any]], at: str
) -> dict[str, Any]:
    event = events.get(ids.event_id(ids.task_id(project_id, support.task_name), support.seq))
    if event is None:
        raise Refused("support_event_not_found", at)
    if event.get("redacted_at"):
        raise Refused("cannot_revalidate", at, "the event was redacted")
    return {
        "kind": "event",
        "event_id": event["id"],
        "task_name": support.task_name,
        "seq": support.seq,
        "event_payload_sha256": event["payload_sha256"],
        "current": True,
        MARKER: True,
    }


def _decision(support: DecisionSupportInput, decisions: Mapping[str, Mapping[str, Any]], at: str) -> dict[str, Any]:
    decision = decisions.get(support.decision_id)
    if decision is None:
        raise Refused("support_decision_not_found", at)
    if decision["status"] != "active":
        raise Refused("support_decision_not_active", at)
    return {
        "kind": "decision",
        "decision_id": support.decision_id,
        "target_decision_id": support.decision_id,
        "current": True,
        MARKER: True,
    }


def guard(document: Mapping[str, Any]) -> dict[str, Any]:
    """What a write requires of a cited document. Both, since on FalkorDB agentic-graphrag commits them one by one."""
    hash_now = document.get("current_content_hash") or ""
    return {"id": document["id"], "seq": document["activation_seq"], "hash": hash_now}


def parent_guard(decision: Mapping[str, Any]) -> dict[str, Any]:
    """What a write requires of a cited decision, with the origin of the flag that it passes on."""
    root, depth = origin_of(decision)
    doubtful = state_of(decision) is not ReviewState.CLEAR
    return {
        "id": decision["id"],
        "state": decision["review_state"],
        "doubtful": doubtful,
        "root": root,
        "depth": depth,
    }


def with_ids(rows: list[dict[str, Any]], decision_id: str, project_id: str) -> list[dict[str, Any]]:
    """The supports of a new decision: index and ordinal are the same there."""
    return [
        {**row, "id": ids.support_id(decision_id, index), "ordinal": index, "project_id": project_id}
        for index, row in enumerate(rows)
    ]


def inputs(supports: Sequence[SupportInput]) -> list[dict[str, Any]]:
    """Supports as they go into a request's digest."""
    return [support.model_dump(mode="json") for support in supports if hasattr(support, "model_dump")]
