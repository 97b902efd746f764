"""Why a decision is flagged, the way that a flag took, and who accepted a text before."""

from collections.abc import Mapping
from typing import Any

from reaffirm.decisions.states import DecisionStatus, ReviewReason, ReviewState
from reaffirm.knowledge.models import DocumentVersion
from reaffirm.models import Instant, Model

LONGEST_WAY = 50  # citations between a root and a decision that a read follows


def title_of(question: str | None, choice_key: str) -> str:
    """What people call a decision: its question, or its choice key in words."""
    if question:
        return question
    words = choice_key.replace("-", " ").replace("_", " ").replace(".", " · ").strip()
    return words[:1].upper() + words[1:]


class CauseStep(Model):
    """One decision on the way of a flag."""

    decision_id: str
    choice_key: str
    question: str | None = None
    status: DecisionStatus
    review_state: ReviewState

    @property
    def title(self) -> str:
        return title_of(self.question, self.choice_key)


class Cause(Model):
    """Why a decision is flagged.

    Attributes:
        kind: document (a version or a removal), decision (a parent), recording, reopened (a person's will), redaction
            (of a cited event), deletion (of something cited, with its task), or unknown (flagged by a program that
            stores no cause).
        version: For document: the activation that flagged it. previous_seq: the one that the decision had cited.
        decision_id, choice_key: For decision: the parent that raised it.
        root: For decision: where the flag began, the id of the first decision whose own cause is no parent.
        depth: How many citations lie between the root and this decision; 1 = it cites the root.
        path: The shortest way, the root first and this decision last. Only ``review_case()`` tells it, and none that is
            longer than 50 citations.
        same_text_keys: For document, where it was removed: keys of others of the project that hold its text now. It may
            have been renamed. Only ``review_case()`` tells them.
        by, at: Who gave rise to it, and when, where the graph tells: the author of the version; who superseded or
            rejected the parent, or since when it is flagged itself; who recorded the decision; who reopened it; who
            erased what it cites.
        reason: For reopened, redaction and deletion: why. Told beside a document too, with ``by``, when its version
            came after the reopening.
        erasure_id: For redaction and deletion: the tombstone.
    """

    kind: str
    document_key: str | None = None
    document_title: str | None = None
    version: DocumentVersion | None = None
    previous_seq: int | None = None
    decision_id: str | None = None
    choice_key: str | None = None
    root: str | None = None
    depth: int | None = None
    path: tuple[CauseStep, ...] = ()
    same_text_keys: tuple[str, ...] = ()
    by: str | None = None
    at: Instant | None = None
    reason: str | None = None
    erasure_id: str | None = None


class Acceptance(Model):
    """Who accepted the words of a passage, when, and by what.

    Attributes:
        kind: record, supersede or reaffirm.
        decision_id, revision: The revision of the choice that it was done for.
        evidence_id: The passage as it was accepted.
        text: Its words; None when that version can no longer be read.
    """

    kind: str
    by: str
    at: Instant
    decision_id: str
    revision: int
    evidence_id: str
    text: str | None = None


def origin_of(row: Mapping[str, Any]) -> tuple[str | None, int | None]:
    """Where a flag that a decision passes on began, and how far from there whoever cites the decision is.

    Itself at distance 1, unless it was flagged by a parent: then that one's origin, as far as it is known.
    """
    by_parent = (
        row["status"] == DecisionStatus.ACTIVE
        and row["review_state"] == ReviewState.NEEDS_REVIEW
        and row.get("review_reason") == ReviewReason.DEPENDENCY_REVIEW
        and (row.get("cause_kind") or "decision") == "decision"
    )
    if not by_parent:
        return row["id"], 1
    depth = row.get("cause_depth")
    return row.get("cause_root_id"), None if depth is None else depth + 1
