"""Conversation history: tasks, their numbered events and their steps."""

from typing import TYPE_CHECKING, Any

from .models import (
    REDACTED,
    ClosingResult,
    Event,
    EventInput,
    EventKind,
    EventLookup,
    EventPage,
    EventResult,
    EventsResult,
    ResultBasis,
    ResultValidity,
    ResumeResult,
    Step,
    StepChange,
    StepKind,
    StepPage,
    StepResult,
    StepState,
    StepSummary,
    StepTrail,
    Task,
    TaskPage,
    TaskResult,
    TaskStatus,
    ValidityReason,
)
from .reports import EventReport, Findings, RepairResult

if TYPE_CHECKING:
    from .conversation import ConversationHistory

__all__ = [
    "REDACTED",
    "ClosingResult",
    "ConversationHistory",
    "Event",
    "EventInput",
    "EventKind",
    "EventLookup",
    "EventPage",
    "EventReport",
    "EventResult",
    "EventsResult",
    "Findings",
    "RepairResult",
    "ResultBasis",
    "ResultValidity",
    "ResumeResult",
    "Step",
    "StepChange",
    "StepKind",
    "StepPage",
    "StepResult",
    "StepState",
    "StepSummary",
    "StepTrail",
    "Task",
    "TaskPage",
    "TaskResult",
    "TaskStatus",
    "ValidityReason",
]


def __getattr__(name: str) -> Any:
    # A decision names our models, and a task's view holds decisions: loaded on first use, neither package has to wait
    # for the other.
    if name == "ConversationHistory":
        from .conversation import ConversationHistory

        return ConversationHistory
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
