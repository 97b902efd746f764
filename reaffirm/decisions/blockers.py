"""Why a decision cannot be reaffirmed now, in words for people: one rule for the page and for the write."""

from reaffirm.decisions.behind import state_of
from reaffirm.decisions.case import Case
from reaffirm.decisions.models import DecisionStatus, ReviewState, Support
from reaffirm.decisions.passages import Passage
from reaffirm.knowledge.models import AnchorState


def document_blocker(passage: Passage) -> str | None:
    """Why a passage keeps its decision from being reaffirmed, in words; None when it does not, or only wants a pick."""
    if passage.removed:
        return "the source was removed"
    words = {
        AnchorState.EDITED: "the cited words were edited",
        AnchorState.GONE: "the cited words are no longer there",
        AnchorState.UNREACHABLE: "the cited text cannot be read",
    }
    return words.get(passage.anchor.state)


def event_blocker(case: Case, support: Support) -> str | None:
    """Why a cited event keeps its decision from being reaffirmed."""
    if support.source_deleted_at:
        return "the event was deleted"  # what has its id now is another one
    event = case.events.get(support.event_id or "")
    if event is None:
        return "the event is no longer there"
    if event.get("redacted_at"):
        return "the event was redacted"
    pinned = support.event_payload_sha256
    if pinned and pinned != event["payload_sha256"]:
        return "another event stands under this number now"
    return None


def parent_blocker(case: Case, support: Support) -> str | None:
    """Why a cited decision keeps the one that cites it from being reaffirmed."""
    if support.source_deleted_at:
        return "the decision was deleted"
    parent = case.parents.get(support.decision_id or "")
    if parent is None:
        return "the decision is no longer there"
    if parent["status"] != DecisionStatus.ACTIVE:
        return f"the decision was {parent['status']}"
    if case.is_clear(parent):
        return None
    if state_of(parent) is ReviewState.CLEAR:
        return "a review that still spreads may reach the decision"
    return "the decision needs review itself"
