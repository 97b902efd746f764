"""Source changes, and what one of them touched."""

from reaffirm.knowledge.models import AnchorState, PassageDiff
from reaffirm.models import Instant, Model


class SourceChange(Model):
    """One activation of a document: a version that came into force, or a removal.

    Attributes:
        verb: add, update, delete or purge.
        author: Who did it; None where agentic-graphrag did, which does not say.
        title, uri: As they are today.
        content_hash: The version after it; None after a removal.
        previous_content_hash: The version before it; None where there was none.
        latest: Nothing has happened to the document since.
        flagged: How many decisions it flagged; None where agentic-graphrag did it and does not say.
        flagging: Some of its flags are still being raised.
        waiting: How many of them still wait for a verdict.
        more_waiting: There are more than ``waiting``, where counting stopped.
    """

    activation_id: str
    activation_seq: int
    verb: str
    author: str | None = None
    activated_at: Instant
    document_id: str
    document_key: str
    title: str | None = None
    uri: str | None = None
    content_hash: str | None = None
    previous_content_hash: str | None = None
    latest: bool = False
    flagged: int | None = None
    flagging: bool = False
    waiting: int = 0
    more_waiting: bool = False


class SourceChangePage(Model):
    """Changes, newest first. A page may be short, or empty, while more follow: go on until next_cursor is None."""

    changes: tuple[SourceChange, ...] = ()
    next_cursor: str | None = None


class TouchedPassage(Model):
    """A cited passage, and where it stands in the version after a change.

    Attributes:
        text: The cited words, at most 500 characters of them.
        state: exact and moved: the change left the words as they are.
    """

    evidence_id: str
    text: str
    state: AnchorState
    start: int | None = None
    end: int | None = None


class CitingDecision(Model):
    """An active decision that cites a document as it was before a change.

    Attributes:
        touched: One of its passages does not stand in the version after the change as it was cited.
        flagged_by_it: It waits for a verdict, and this change is the cause.
    """

    decision_id: str
    project_id: str
    task_id: str
    choice_key: str
    question: str | None = None
    conclusion: str
    review_state: str
    flagged_by_it: bool
    touched: bool
    passages: tuple[TouchedPassage, ...]


class SourceChangeView(Model):
    """One change with its diff and who cites what it touched.

    Attributes:
        diff: All changed paragraphs in their context, at most 2,000 rows; the rest is folded and counted. None where a
            text cannot be read any more.
        touched, untouched: A page of the active decisions that still cite the document as it was before, by their ids.
        next_cursor: Where the next page of decisions begins.
    """

    change: SourceChange
    diff: PassageDiff | None = None
    touched: tuple[CitingDecision, ...] = ()
    untouched: tuple[CitingDecision, ...] = ()
    next_cursor: str | None = None
