"""One decision with everything that judging it needs, as one read returned it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from reaffirm.decisions.behind import state_of, tell
from reaffirm.decisions.models import Decision, DecisionStatus, ReviewState, Seen, Support
from reaffirm.decisions.passages import (
    Passage,
    Versions,
    passage_of,
    seen_of_event,
    seen_of_parent,
    versions_from,
)
from reaffirm.decisions.reading import VERDICT_READ
from reaffirm.decisions.records import QUEUED_LOOKED_AT, decision_from, present, support_from, undamaged
from reaffirm.decisions.supports import Wanted, guard
from reaffirm.knowledge.anchors import Reading
from reaffirm.store import GraphStore

Node = Mapping[str, Any]


@dataclass(frozen=True)
class Case:
    """What one read knows of a decision. Maps are by id."""

    row: Node
    task: Node
    request: dict[str, Any] | None
    all_supports: tuple[Support, ...]
    documents: Mapping[str, Node]
    versions: Versions
    events: Mapping[str, Node]
    near: Mapping[str, Node]
    queued: int

    @property
    def id(self) -> str:
        return str(self.row["id"])

    @cached_property
    def supports(self) -> tuple[Support, ...]:
        """Current supports in their order."""
        return tuple(support for support in self.all_supports if support.current)

    @property
    def next_ordinal(self) -> int:
        return max((support.ordinal for support in self.all_supports), default=-1) + 1

    def of_kind(self, kind: str) -> list[Support]:
        return [support for support in self.supports if support.kind == kind]

    @cached_property
    def passages(self) -> dict[str, Passage]:
        """Support id → passage, for document supports."""
        reading = Reading()
        return {
            support.id: passage_of(support, self.documents.get(support.document_node_id or ""), self.versions, reading)
            for support in self.of_kind("document")
        }

    @cached_property
    def parents(self) -> dict[str, Node | None]:
        """Cited decision id → its row, or None where the project has no such decision."""
        return {
            support.decision_id or "": self.near.get(support.decision_id or "") for support in self.of_kind("decision")
        }

    @property
    def parent_ids(self) -> set[str]:
        """The cited decisions that the project has."""
        return {each for each, row in self.parents.items() if row}

    def reached(self, row: Node) -> bool:
        """Whether a review that still spreads may reach a decision."""
        if row.get("paths"):
            return True
        return self.queued > QUEUED_LOOKED_AT and (row["id"] != self.id or bool(self.parents))

    @cached_property
    def decision(self) -> Decision:
        own = self.near.get(self.id, self.row)
        return decision_from(
            self.row,
            task_name=self.task["name"],
            supports=[support.model_dump() for support in self.supports],
            reached=self.reached(own),
        )

    def parent_decision(self, row: Node) -> Decision:
        return decision_from(row, task_name=row.get("task_name") or "", reached=self.reached(row))

    def successor(self, parent: Node | None) -> Node | None:
        """The active revision that took the place of a superseded decision that this one cites."""
        found: Node | None = (parent or {}).get("successor")
        if parent is None or parent["status"] != DecisionStatus.SUPERSEDED or not found or not found.get("id"):
            return None
        return None if found["id"] == self.id else found

    def is_clear(self, parent: Node | None) -> bool:
        """Whether a cited decision is active, clear, not behind, and out of reach of a review that still spreads."""
        if parent is None or parent["status"] != "active":
            return False
        return state_of(parent) is ReviewState.CLEAR and not self.reached(parent)

    def seen_of(self, support: Support) -> str:
        """Digest of what a person sees of one support now."""
        if support.kind == "document":
            return self.passages[support.id].seen
        if support.kind == "event":
            return seen_of_event(self.events.get(support.event_id or ""))
        parent = self.parents.get(support.decision_id or "")
        return seen_of_parent(parent, self.successor(parent))

    def differs_from(self, seen: Seen) -> bool:
        """Whether the decision, what it cites, or the cited words are no longer as a person saw them."""
        stored = state_of(self.row)
        shown = ReviewState.CLEAR if seen.review_state is ReviewState.UNKNOWN else seen.review_state
        if self.row["status"] != seen.status or stored is not shown:
            return True
        if {support.id for support in self.supports} != set(seen.support_ids):
            return True
        return any(seen.passages.get(support.id) != self.seen_of(support) for support in self.supports)

    def document_guards(self, document_ids: list[str]) -> list[dict[str, Any]]:
        """What a write requires of these documents, in the order of their ids."""
        return [guard(known) for each in sorted(set(document_ids)) if (known := self.documents.get(each))]


def read_case(
    store: GraphStore,
    query: str,
    *,
    project_id: str,
    decision_id: str,
    request_node_id: str = "",
    wanted: Wanted | None = None,
) -> tuple[Case, Mapping[str, Any]] | None:
    """Read a decision of a project; None where the project has none of this id. The row is for what the query adds."""
    rows = store.read(
        query,
        id=decision_id,
        project=project_id,
        request=request_node_id,
        pairs=wanted.pairs if wanted else [],
        doc_ids=wanted.document_ids if wanted else [],
        event_ids=wanted.event_ids if wanted else [],
        decision_ids=wanted.decision_ids if wanted else [],
    )
    if not rows:
        return None
    row = rows[0]
    return case_from(row), row


def case_from(row: Mapping[str, Any]) -> Case:
    supports = [support_from(each) for each in present(row["supports"])]
    near = present(row["near"])
    tell([row["decision"], *near, *(each.get("successor") for each in near)], row["behind"])
    return Case(
        row=row["decision"],
        task=row["task"],
        request=row["request"] if row["request"] and row["request"].get("id") else None,
        all_supports=tuple(sorted(supports, key=lambda support: support.ordinal)),
        documents={each["id"]: each for each in present(row["docs"])},
        versions=versions_from(undamaged(row["chunks"], "text")),
        events={each["id"]: each for each in undamaged(row["events"], "payload_sha256")},
        near={each["id"]: each for each in near},
        queued=row["queued"],
    )


def read_for_verdict(
    store: GraphStore, *, project_id: str, decision_id: str, request_node_id: str, wanted: Wanted | None = None
) -> Case | None:
    found = read_case(
        store,
        VERDICT_READ,
        project_id=project_id,
        decision_id=decision_id,
        request_node_id=request_node_id,
        wanted=wanted,
    )
    return found[0] if found else None
