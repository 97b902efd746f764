"""Decisions, supports, flags and verdicts. JSON keys as in agentic-graphrag, which ignores the extra ones."""

from pydantic import Field

from reaffirm.decisions.causes import Acceptance as Acceptance
from reaffirm.decisions.causes import Cause as Cause
from reaffirm.decisions.causes import CauseStep as CauseStep
from reaffirm.decisions.causes import title_of
from reaffirm.decisions.sides import Difference, SideEvidence
from reaffirm.decisions.states import DecisionStatus as DecisionStatus
from reaffirm.decisions.states import ReviewReason as ReviewReason
from reaffirm.decisions.states import ReviewState as ReviewState
from reaffirm.decisions.states import VerdictKind as VerdictKind
from reaffirm.history.models import Event, StepState, StepSummary, Task, TaskStatus
from reaffirm.knowledge.models import Anchor, DocumentVersion, PassageDiff
from reaffirm.models import Instant, Model, Result


class DocumentSupportInput(Model):
    evidence_id: str


class EventSupportInput(Model):
    task_name: str
    seq: int


class DecisionSupportInput(Model):
    decision_id: str


SupportInput = DocumentSupportInput | EventSupportInput | DecisionSupportInput


class Support(Model):
    """A support as stored; the fields that its kind does not have are None."""

    id: str = ""
    kind: str  # document, event, decision
    ordinal: int = 0
    current: bool = True
    evidence_id: str | None = None
    document_key: str | None = None
    document_node_id: str | None = None
    content_hash_prefix: str | None = None
    content_hash: str | None = None
    reference_kind: str | None = None
    char_start: int | None = None
    char_end: int | None = None
    chunk_id: str | None = None
    recorded_activation_seq: int | None = None
    text_digest: str | None = None
    event_id: str | None = None
    task_name: str | None = None
    seq: int | None = None
    event_payload_sha256: str | None = None
    source_deleted_at: Instant | None = None  # the event or decision was deleted with its task; its id may come again
    decision_id: str | None = None
    reviewed_by: str | None = None
    reviewed_at: Instant | None = None
    review_explanation: str | None = None


class StandingVerdict(Model):
    """The last verdict on a decision: who, when, which."""

    kind: VerdictKind
    by: str
    at: Instant


class Decision(Model):
    id: str
    task_id: str
    task_name: str
    project_id: str = ""
    choice_key: str
    revision: int
    conclusion: str
    rationale: str
    assumptions: tuple[str, ...] = ()
    open_questions: tuple[str, ...] = ()
    question: str | None = None
    author: str
    status: DecisionStatus
    review_state: ReviewState
    review_reason: ReviewReason | None = None
    rejection_reason: str | None = None
    rejected_by: str | None = None
    supersession_explanation: str | None = None
    created_at: Instant
    flagged_at: Instant | None = None
    verdict: StandingVerdict | None = None
    supports: tuple[Support, ...] = ()

    @property
    def title(self) -> str:
        """The question, or the choice key in words."""
        return title_of(self.question, self.choice_key)


class DecisionResult(Result):
    """record, supersede, reject, reaffirm. ``standing`` tells a loser which verdict stands (error decision_changed)."""

    decision: Decision | None = None
    warnings: tuple[str, ...] = ()
    standing: StandingVerdict | None = None

    @property
    def given(self) -> tuple[VerdictKind, str] | None:
        """Which verdict this result tells of, and by whom; None for any other result."""
        if not self.recorded or self.decision is None:
            return None
        if self.decision.verdict:
            return self.decision.verdict.kind, self.decision.verdict.by
        replaces = self.decision.supersession_explanation is not None
        return (VerdictKind.SUPERSEDE, self.decision.author) if replaces else None


class DecisionLookup(Model):
    found: bool
    decision: Decision | None = None


class DecisionPage(Model):
    found: bool
    decisions: tuple[Decision, ...] = ()
    count: int = 0
    next_cursor: str | None = None

    @property
    def page(self) -> "DecisionPage":
        """Itself: agentic-graphrag wraps the page in a lookup."""
        return self

    @property
    def truncated(self) -> bool:
        return self.next_cursor is not None


class SupportHistoryPage(Model):
    found: bool
    supports: tuple[Support, ...] = ()
    next_after_ordinal: int | None = None

    @property
    def truncated(self) -> bool:
        return self.next_after_ordinal is not None


class ConflictGroup(Model):
    """One choice key in conflict.

    Attributes:
        decisions: Its active decisions, newest first. truncated: there are more sides than these.
        count: All sides.
        difference: In what the conclusions differ.
        evidence: Decision id → what that side rests on.

    The view of a task gives the first three alone.
    """

    choice_key: str
    decisions: tuple[Decision, ...]
    truncated: bool = False
    count: int | None = None
    difference: Difference | None = None
    evidence: dict[str, tuple[SideEvidence, ...]] = Field(default_factory=dict)


class ConflictList(Model):
    """A page of conflicts by choice key; ``truncated`` and ``next_cursor`` tell that more follow."""

    groups: tuple[ConflictGroup, ...] = ()
    truncated: bool = False
    next_cursor: str | None = None


class TaskView(Model):
    """A bounded view of a task; never holds event bodies."""

    task_name: str
    goal: str
    status: TaskStatus
    last_event_seq: int
    steps: dict[StepState, tuple[StepSummary, ...]]
    step_counts: dict[StepState, int]
    steps_truncated: bool = False
    decisions: tuple[Decision, ...] = ()
    decision_count: int = 0
    decisions_truncated: bool = False
    review_decisions: tuple[Decision, ...] = ()
    conflicts: tuple[ConflictGroup, ...] = ()
    conflicts_truncated: bool = False


class TaskLookup(Model):
    found: bool
    task: Task | None = None
    view: TaskView | None = None


class ReviewCounts(Model):
    """Exact counts of a project, from one statement.

    Attributes:
        flagged: Active decisions that need review: the three equalities, and those that a document with too many citers
            for one statement still leaves to be flagged.
        more_coming: Of the latter there are more than were counted: flagged is the least there are.
        listed: Those of them that have a place in the order; less than flagged until adopt_flags() has run.
        by_reason: flagged, by reason.
        queued: Decisions whose dependents are still to be flagged; more than 0 means that a review still spreads.
        conflicts: Choice keys in conflict.
    """

    flagged: int = 0
    more_coming: bool = False
    listed: int = 0
    by_reason: dict[ReviewReason, int] = Field(default_factory=dict)
    queued: int = 0
    conflicts: int = 0

    @property
    def spreading(self) -> bool:
        """A review still spreads, so more flags may come."""
        return self.queued > 0


class ReviewRow(Model):
    """One flag in the queue.

    Attributes:
        states: Anchor states of the document citations with their counts, as last compared; empty = not compared yet.
        words_added, words_removed: Size of the change in the cited passages; None = not compared yet.
    """

    decision: Decision
    cause: Cause
    citations: int
    document_titles: tuple[str, ...] = ()
    dependents: int = 0
    states: dict[str, int] = Field(default_factory=dict)
    words_added: int | None = None
    words_removed: int | None = None


class ReviewPage(Model):
    """A keyset page in one of the three orders, id as tie-break. ``count`` is exact for the filter."""

    rows: tuple[ReviewRow, ...] = ()
    counts: ReviewCounts = ReviewCounts()
    count: int = 0
    next_cursor: str | None = None
    previous_cursor: str | None = None

    @property
    def decisions(self) -> tuple[Decision, ...]:
        return tuple(row.decision for row in self.rows)

    @property
    def truncated(self) -> bool:
        return self.next_cursor is not None


class Citation(Model):
    """A current support with what it cites, then and now.

    Attributes:
        number: 1-based place in the list that a person sees.
        title: Document title or key, ``Event 3 in <task>``, or the parent's title.
        cited_text, current_text: The cited words and the words at the anchor's range; None when there are none to read.
        candidate_contexts: What stands before and behind each candidate, so that equal ones can be told apart.
        successor: The active revision that took the place of a superseded parent; superseding cites it instead.
        seen: Digest of what a person sees of it now (current passage and state); goes into ``Seen``.
        accepted: Who accepted the words that stand for it now, the newest first, at most 5: by this revision of the
            choice or an earlier one. It clears nothing.
        same_text_keys: Where the document was removed: keys of others that hold its text now.
        cited_version, current_version: Activations; current_version.content_hash None = removed.
    """

    number: int
    support: Support
    title: str
    anchor: Anchor | None = None
    cited_text: str | None = None
    current_text: str | None = None
    candidate_texts: tuple[str, ...] = ()
    candidate_contexts: tuple[tuple[str, str], ...] = ()
    diff: PassageDiff | None = None
    cited_version: DocumentVersion | None = None
    current_version: DocumentVersion | None = None
    event: Event | None = None
    parent: Decision | None = None
    successor: Decision | None = None
    accepted: tuple[Acceptance, ...] = ()
    same_text_keys: tuple[str, ...] = ()
    seen: str = ""


class Seen(Model):
    """What a person saw when they chose a verdict; the library refuses with decision_changed when it no longer holds.

    Attributes:
        status, review_state: As shown.
        support_ids: Ids of the current supports shown.
        passages: Support id → ``Citation.seen``. Only cited words count, not what changed elsewhere in a version.
    """

    status: DecisionStatus
    review_state: ReviewState
    support_ids: tuple[str, ...]
    passages: dict[str, str]


class ReviewCase(Model):
    """All that the page of one decision shows, from one read.

    Attributes:
        blockers: Why reaffirm is not possible now, as (citation number or 0, sentence); empty = possible once every
            ambiguous citation has a pick.
        dependents: Active decisions that cite this one directly, at most 50; dependent_count counts them all.
        revisions: All revisions of the choice in this task, newest first.
        precedents: Active decisions on the same choice key in other tasks, at most 10.
    """

    decision: Decision
    task: Task
    cause: Cause | None = None
    citations: tuple[Citation, ...] = ()
    blockers: tuple[tuple[int, str], ...] = ()
    dependents: tuple[Decision, ...] = ()
    dependent_count: int = 0
    revisions: tuple[Decision, ...] = ()
    precedents: tuple[Decision, ...] = ()
    review_spreading: bool = False

    @property
    def seen(self) -> Seen:
        """What a person sees who looks at this now: the ``expected`` of their verdict."""
        return Seen(
            status=self.decision.status,
            review_state=self.decision.review_state,
            support_ids=tuple(citation.support.id for citation in self.citations),
            passages={citation.support.id: citation.seen for citation in self.citations},
        )

    @property
    def accepted_before(self) -> Acceptance | None:
        """The newest acceptance, when the text of every cited passage is one that was accepted before; else None."""
        documents = [citation for citation in self.citations if citation.support.kind == "document"]
        if not documents or not all(citation.accepted for citation in documents):
            return None
        return max((citation.accepted[0] for citation in documents), key=lambda found: found.at)
