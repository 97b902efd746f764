"""The words for where a decision stands. Exactly those of agentic-graphrag: it can read no others."""

from enum import StrEnum


class DecisionStatus(StrEnum):
    ACTIVE = "active"
    REJECTED = "rejected"
    SUPERSEDED = "superseded"


class ReviewState(StrEnum):
    """``unknown`` is only ever read: the decision is clear, but a review that still spreads may reach it."""

    CLEAR = "clear"
    NEEDS_REVIEW = "needs_review"
    UNKNOWN = "unknown"


class ReviewReason(StrEnum):
    SOURCE_CHANGED_DURING_RECORDING = "source_changed_during_recording"
    SOURCE_CHANGED = "source_changed"
    SOURCE_REMOVED = "source_removed"
    DEPENDENCY_REVIEW = "dependency_review"


class VerdictKind(StrEnum):
    REAFFIRM = "reaffirm"
    SUPERSEDE = "supersede"
    REJECT = "reject"
