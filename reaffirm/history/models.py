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


class Task(Model):
    id: str
    project_id: str
    name: str
    goal: str
    status: TaskStatus
    event_seq: int
    author: str
    created_at: Instant


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
    name: str
    kind: StepKind
    state: StepState
    result_event_seq: int | None = None
    result_basis: ResultBasis
    result_validity: ResultValidity
    result_supports: tuple[dict[str, Any], ...] = ()


class TaskResult(Result):
    task: Task | None = None


class EventResult(Result):
    event: Event | None = None


class StepResult(Result):
    step: Step | None = None


class EventLookup(Model):
    found: bool
    event: Event | None = None


class EventPage(Model):
    """Events in order of seq. total is Task.event_seq."""

    found: bool
    events: tuple[Event, ...] = ()
    next_after_seq: int | None = None
    total: int = 0

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
    """Tasks of a project, newest first. next_cursor is None at the end."""

    tasks: tuple[Task, ...] = ()
    next_cursor: str | None = None
