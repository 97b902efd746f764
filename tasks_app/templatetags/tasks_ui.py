"""Words and icons of events and steps."""

from django import template
from django.utils import timezone

from reaffirm.decisions.models import Decision
from reaffirm.history.models import Event, StepSummary
from tasks_app.timeline import EventRow, Gap

register = template.Library()

EVENT_ICONS = {
    "message": "message-circle",
    "tool_call": "route",
    "tool_result": "corner-down-right",
    "note": "file-text",
}
STEP_ICONS = {
    "completed": "circle-check",
    "in_progress": "circle-dot",
    "failed": "circle-x",
    "unknown": "circle-dashed",
    "not_started": "circle-dashed",
}
STEP_CHIPS = {"completed": "chip-ok", "in_progress": "chip-info", "failed": "chip-bad"}
VALIDITY = {
    "reusable": ("shield-check", "result reusable", ""),
    "needs_review": ("flag", "result needs review", "chip-flag"),
    "unavailable": ("eraser", "result unavailable", "chip-bad"),
    "unknown": ("hourglass", "validity not known", ""),
}


@register.filter
def event_icon(event: Event) -> str:
    return "eraser" if event.redacted_at else EVENT_ICONS.get(str(event.kind), "file-text")


@register.filter
def step_icon(step: StepSummary) -> str:
    return STEP_ICONS.get(str(step.state), "circle-dashed")


@register.filter
def step_chip(step: StepSummary) -> str:
    return STEP_CHIPS.get(str(step.state), "")


@register.filter
def validity_icon(step: StepSummary) -> str:
    return VALIDITY.get(str(step.result_validity), VALIDITY["unknown"])[0]


@register.filter
def validity_words(step: StepSummary) -> str:
    return VALIDITY.get(str(step.result_validity), VALIDITY["unknown"])[1]


@register.filter
def validity_chip(step: StepSummary) -> str:
    return VALIDITY.get(str(step.result_validity), VALIDITY["unknown"])[2]


@register.filter
def row_kind(row: EventRow | Gap | Decision) -> str:
    if isinstance(row, Gap):
        return "gap"
    return "event" if isinstance(row, EventRow) else "decision"


@register.filter
def row_day(row: EventRow | Gap | Decision) -> str:
    """The day of a row, for the line that opens a new day; empty for a gap, which has no time."""
    if isinstance(row, Gap):
        return ""
    local = timezone.localtime(row.event.at if isinstance(row, EventRow) else row.created_at)
    return f"{local.day} {local:%B %Y}"


@register.filter
def before(seq: int, rows: int = 6) -> int:
    """A place for ``?after=`` that shows a few rows before this one."""
    return max(0, seq - rows)
