"""Tasks, events and steps. JSON keys as in agentic-graphrag."""

from enum import StrEnum
from typing import Any

from reaffirm.models import Instant, Model, Result

REDACTED = "[REDACTED]"


class TaskStatus(StrEnum):
    OPEN = "open"
    DONE = "done"


class EventKind(StrEnum):
    MESSAGE = "message"
    TOOL_CALL = "tool_call"
    TOOL_RESULT = "tool_result"
    NOTE = "note"


class StepState(StrEnum):
    NOT_STARTED = "not_started"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    FAILED = "failed"
    UNKNOWN = "unknown"


class StepKind(StrEnum):
    READ = "read"
    ANALYSIS = "analysis"
    OTHER = "other"


class ResultBasis(StrEnum):
    INDEPENDENT = "independent"
    SUPPORTED = "supported"
    UNKNOWN = "unknown"


class ResultValidity(StrEnum):
    REUSABLE = "reusable"
    NEEDS_REVIEW = "needs_review"
    UNAVAILABLE = "unavailable"
    UNKNOWN = "unknown"


class ValidityReason(StrEnum):
    """Why a step has to be run again. The first four are states; the others are of completed steps."""

    NOT_STARTED = "not_started"
    FAILED = "failed"
    UNKNOWN = "unknown"
    IN_PROGRESS = "in_progress"
    NO_RESULT = "no_result"
    RESULT_GONE = "result_gone"
    RESULT_REDACTED = "result_redacted"
    RESULT_CUT = "result_cut"
    BASIS_UNKNOWN = "basis_unknown"
    NO_SUPPORTS = "no_supports"
    DOCUMENT_REMOVED = "document_removed"
    DOCUMENT_CHANGED = "document_changed"
    EVENT_GONE = "event_gone"
    EVENT_REPLACED = "event_replaced"
    EVENT_REDACTED = "event_redacted"
    EVENT_CUT = "event_cut"
    DECISION_GONE = "decision_gone"
    DECISION_NOT_ACTIVE = "decision_not_active"
    DECISION_NEEDS_REVIEW = "decision_needs_review"
    DECISION_BEING_CHECKED = "decision_being_checked"


class Task(Model):
    """A task. Who closed it last, and who opened it again last, with when and why: facts of our own."""

    id: str
    project_id: str
    name: str
    goal: str
    status: TaskStatus
    event_seq: int
    author: str
    created_at: Instant
    closed_at: Instant | None = None
    closed_by: str | None = None
    close_reason: str | None = None
    reopened_at: Instant | None = None
    reopened_by: str | None = None
    reopen_reason: str | None = None


class Event(Model):
    id: str
    task_id: str
    seq: int
    kind: EventKind
    role: str | None = None
    name: str | None = None
    payload: str
    payload_sha256: str
    truncated: bool
    author: str
    at: Instant
    redacted_at: Instant | None = None


class Step(Model):
    id: str
    task_id: str
    name: str
    kind: StepKind
    state: StepState
    result_event_seq: int | None = None
    updated_seq: int
    result_basis: ResultBasis
    result_supports: tuple[dict[str, Any], ...] = ()


class StepSummary(Model):
    """A step as a list shows it. validity_reason says why a completed result cannot simply be used again."""

    name: str
    kind: StepKind
    state: StepState
    result_event_seq: int | None = None
    result_basis: ResultBasis
    result_validity: ResultValidity
    validity_reason: ValidityReason | None = None
    result_supports: tuple[dict[str, Any], ...] = ()


class StepChange(Model):
    """One write of a step: what it was from then on."""

    at: Instant
    by: str
    state: StepState
    kind: StepKind
    result_event_seq: int | None = None
    result_basis: ResultBasis


class StepTrail(Model):
    """A step and its last changes, oldest first; other_writer when agentic-graphrag wrote it after the last of them."""

    found: bool
    step: Step | None = None
    changes: tuple[StepChange, ...] = ()
    other_writer: bool = False


class TaskResult(Result):
    task: Task | None = None


class ClosingResult(TaskResult):
    """Of closing a task or opening it again.

    Attributes:
        steps_in_progress: How many steps of a task that was closed were in progress.
    """

    steps_in_progress: int = 0

    @property
    def warnings(self) -> tuple[str, ...]:
        """``steps_in_progress`` when the task was closed while some were."""
        return ("steps_in_progress",) if self.steps_in_progress else ()


class ResumeResult(TaskResult):
    """Of resuming a task.

    Attributes:
        marked: Steps that were in progress and are unknown now, by name; the first 200 of ``marked_count``.
        steps: What to run again, work that is left first: at most 200 steps that are not completed and at most 200
            completed ones whose result cannot be used again; ``validity_reason`` names why.
        left_count: How many steps are not completed.
        not_reusable_count: How many of the completed ones that were looked at cannot be used again.
        next_after_name: The first 500 completed steps by name are looked at. Where there are more, go on with
            ``list_steps(state="completed", after_name=next_after_name)``; None when all were.
    """

    marked: tuple[str, ...] = ()
    marked_count: int = 0
    steps: tuple[StepSummary, ...] = ()
    left_count: int = 0
    not_reusable_count: int = 0
    next_after_name: str | None = None


class EventResult(Result):
    event: Event | None = None


class EventInput(Model):
    """An event to be appended; its fields are those of ``record_event``."""

    kind: EventKind | str
    payload: str
    role: str | None = None
    name: str | None = None


class EventsResult(Result):
    """Events that were appended together, in the order given.

    Attributes:
        first_seq: The number of the first; the others follow without a gap.
        at: The time of all of them.
    """

    task_id: str | None = None
    first_seq: int | None = None
    at: Instant | None = None
    events: tuple[Event, ...] = ()


class StepResult(Result):
    step: Step | None = None


class EventLookup(Model):
    found: bool
    event: Event | None = None


class EventPage(Model):
    """Events in order of seq, or newest first. total is Task.event_seq, whatever the filter.

    One of next_after_seq (upwards) and next_before_seq (newest first) leads on; both are None at the end.
    """

    found: bool
    events: tuple[Event, ...] = ()
    next_after_seq: int | None = None
    total: int = 0
    next_before_seq: int | None = None

    @property
    def truncated(self) -> bool:
        return self.next_after_seq is not None


class StepPage(Model):
    found: bool
    steps: tuple[StepSummary, ...] = ()
    next_after_name: str | None = None

    @property
    def truncated(self) -> bool:
        return self.next_after_name is not None


class TaskPage(Model):
    """Tasks of a project, newest first. next_cursor is None at the end.

    Attributes:
        counts: The tasks of the project by status, whatever the filter.
        count: How many match the filter; None where counting them would cost too much.
    """

    tasks: tuple[Task, ...] = ()
    next_cursor: str | None = None
    counts: dict[TaskStatus, int] = {}
    count: int | None = None
