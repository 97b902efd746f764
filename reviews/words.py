"""Words for states, reasons and refusals. One place, so that every page says the same."""

from collections.abc import Mapping
from dataclasses import dataclass

from reaffirm.decisions.models import Cause, DecisionStatus, ReviewReason, ReviewState, VerdictKind
from reaffirm.decisions.narrowing import ReviewSort
from reaffirm.knowledge.models import AnchorState


@dataclass(frozen=True)
class Label:
    """``tone`` is the class of the chip, ``icon`` a symbol of the sprite."""

    text: str
    icon: str
    tone: str = ""


ANCHORS = {
    AnchorState.EXACT: Label("Exact", "equal", "chip-exact"),
    AnchorState.MOVED: Label("Moved", "arrows-move-vertical", "chip-moved"),
    AnchorState.EDITED: Label("Edited", "pencil", "chip-edited"),
    AnchorState.AMBIGUOUS: Label("Ambiguous", "versions", "chip-ambiguous"),
    AnchorState.GONE: Label("Gone", "file-off", "chip-gone"),
    AnchorState.UNREACHABLE: Label("Unreachable", "plug-x", "chip-unreachable"),
}
WORST_FIRST = tuple(reversed(AnchorState))

REASONS = {
    ReviewReason.SOURCE_CHANGED: Label("Source changed", "file-diff"),
    ReviewReason.SOURCE_REMOVED: Label("Source removed", "trash"),
    ReviewReason.DEPENDENCY_REVIEW: Label("Cited decision changed", "replace"),
    ReviewReason.SOURCE_CHANGED_DURING_RECORDING: Label("Source changed while recording", "hourglass"),
}
ORDERS = {
    ReviewSort.OLDEST: "oldest first",
    ReviewSort.MOST_DEPENDENTS: "most dependents first",
    ReviewSort.SMALLEST_CHANGE: "smallest change first",
}
_CHANGED = {
    AnchorState.UNREACHABLE: Label("Source unreachable", "plug-x"),
    AnchorState.GONE: Label("Cited text gone", "file-off"),
    AnchorState.AMBIGUOUS: Label("Cited text in more than one place", "versions"),
    AnchorState.EDITED: Label("Cited text edited", "pencil"),
    AnchorState.MOVED: Label("Cited text moved", "arrows-move-vertical"),
    AnchorState.EXACT: Label("Source changed elsewhere", "file-diff"),
}

VERDICTS = {
    VerdictKind.REAFFIRM: Label("Reaffirmed", "check", "chip-ok"),
    VerdictKind.SUPERSEDE: Label("Superseded", "replace", ""),
    VerdictKind.REJECT: Label("Rejected", "ban", "chip-bad"),
}

# A reason of the library against reaffirm that a person can do something about first.
WAITING = {"the decision needs review itself": "the cited decision needs a look first"}

_STATUSES = {
    DecisionStatus.REJECTED: Label("rejected", "ban", "chip-bad"),
    DecisionStatus.SUPERSEDED: Label("superseded", "replace", ""),
}
_STATES = {
    ReviewState.CLEAR: Label("clear", "circle-check", "chip-ok"),
    ReviewState.NEEDS_REVIEW: Label("needs review", "flag", "chip-flag"),
    ReviewState.UNKNOWN: Label("being checked", "hourglass", ""),
}


REOPENED = Label("Reopened", "refresh")

# What somebody did who accepted a text, by the kind of the acceptance.
ACCEPTED = {"record": "recorded a decision on it", "reaffirm": "accepted it", "supersede": "wrote a revision on it"}


def reason_label(reason: ReviewReason | None, states: Mapping[str, int], cause: Cause | None = None) -> Label:
    """The reason of a flag; a changed source says what became of the cited words where that is known."""
    if cause and cause.kind == "reopened":
        return REOPENED
    if reason is None:
        return Label("Needs a look", "flag")
    if reason is ReviewReason.SOURCE_CHANGED:
        for state in WORST_FIRST:
            if states.get(state.value):
                return _CHANGED[state]
    return REASONS[reason]


def standing_label(status: DecisionStatus, review_state: ReviewState) -> Label:
    """How a decision stands: its status, and while it is active its review state."""
    return _STATUSES.get(status) or _STATES[review_state]


# What a refusal means to the person who posted a verdict, by error code: heading, then what to do.
REFUSALS: dict[str, tuple[str, str]] = {
    "decision_changed": (
        "Not saved: the page you saw is out of date",
        "The decision or the cited words changed while you were reading. Look at the newest text, then decide.",
    ),
    "decision_not_active": (
        "Not saved: this decision is no longer active",
        "It was superseded or rejected while you were reading.",
    ),
    "supersede_target_invalid": (
        "Not saved: this decision can no longer be superseded",
        "It was superseded or rejected while you were reading.",
    ),
    "choice_exists": (
        "Not saved: another decision already answers this choice",
        "It was recorded while you were reading.",
    ),
    "cannot_revalidate": (
        "Not saved: reaffirm is not possible now",
        "The cited words no longer stand as they were cited. Supersede with the current text, or reject.",
    ),
    "support_required": (
        "Not saved: nothing is left to cite",
        "None of the cited texts can be found now, so a new revision would have no support. Reject is still possible.",
    ),
    "request_id_reused": (
        "Not saved: this form was already used for something else",
        "It was sent before with other content. Load the page afresh to see what stands, then decide again.",
    ),
    "document_busy": (
        "Not saved: a cited document is being changed at this moment",
        "Wait a few seconds and commit again. Your text is kept.",
    ),
}
OTHER_REFUSAL = (
    "Not saved: the graph refused the verdict",
    "Load the page afresh to see what stands, then decide again.",
)

# Refusals after which nothing is known to be written, or nothing is known at all: heading, sentence, button.
OUTAGES: dict[str, tuple[str, str, str]] = {
    "store_unavailable": (
        "Not saved: the graph store cannot be reached",
        "Nothing was written. Your text is kept; commit again when the store answers.",
        "Try again",
    ),
    "outcome_unknown": (
        "It is not known whether your verdict was saved",
        "The store stopped answering after the verdict was sent. "
        "Asking again settles it: the verdict is never written twice.",
        "Ask again",
    ),
    "read_only": (
        "Not saved: the graph store is read-only",
        "Its schema has a fault that an operator has to mend; verdicts are not accepted until then. Your text is kept.",
        "Try again",
    ),
}
