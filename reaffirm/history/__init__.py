"""Conversation history: tasks, their numbered events and their steps."""

from typing import TYPE_CHECKING, Any

from .models import (
    REDACTED,
    Event,
    EventKind,
    EventLookup,
    EventPage,
    EventResult,
    ResultBasis,
    ResultValidity,
    Step,
    StepKind,
    StepPage,
    StepResult,
    StepState,
    StepSummary,
    Task,
    TaskPage,
    TaskResult,
    TaskStatus,
)

if TYPE_CHECKING:
    from .conversation import ConversationHistory

__all__ = [
    "REDACTED",
    "ConversationHistory",
    "Event",
    "EventKind",
    "EventLookup",
    "EventPage",
    "EventResult",
    "ResultBasis",
    "ResultValidity",
    "Step",
    "StepKind",
    "StepPage",
    "StepResult",
    "StepState",
    "StepSummary",
    "Task",
    "TaskPage",
    "TaskResult",
    "TaskStatus",
]


def __getattr__(name: str) -> Any:
    # A decision names our models, and a task's view holds decisions: loaded on first use, neither package has to wait
    # for the other.
    if name == "ConversationHistory":
        from .conversation import ConversationHistory

        return ConversationHistory
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
