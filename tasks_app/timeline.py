"""One page of a task's log, as a person reads it: events, gaps, steps and decisions in one order. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from reaffirm.decisions.models import Decision, TaskView
from reaffirm.history.models import Event, EventPage, StepState, StepSummary, Task

EVENTS_A_PAGE = 100
SHOWN_CHARACTERS = 4_000


@dataclass(frozen=True)
class Gap:
    """Numbers without an event: a log that was cut, or written by something that skips numbers."""

    first: int
    last: int


@dataclass(frozen=True)
class EventRow:
    """``text`` is the payload, cut to ``SHOWN_CHARACTERS`` unless asked for in full; ``left_out`` counts the rest."""

    event: Event
    text: str
    left_out: int
    steps: tuple[StepSummary, ...] = ()

    @property
    def is_data(self) -> bool:
        """Set as code: what tools send and get is rarely prose."""
        return self.text.lstrip()[:1] in ("{", "[") or self.event.kind in ("tool_call", "tool_result")


@dataclass(frozen=True)
class Timeline:
    """``earlier`` and ``later`` are places for ``?after=``, None at an end."""

    rows: tuple[EventRow | Gap | Decision, ...] = ()
    first: int | None = None
    last: int | None = None
    total: int = 0
    earlier: int | None = None
    later: int | None = None
    missing: int = 0
    redacted: int = 0
    steps: tuple[StepSummary, ...] = field(default=())


# What waits or went wrong first, as in the task view of the library.
STEP_ORDER = (
    StepState.IN_PROGRESS,
    StepState.FAILED,
    StepState.UNKNOWN,
    StepState.NOT_STARTED,
    StepState.COMPLETED,
)


def timeline_of(
    *,
    task: Task,
    view: TaskView,
    page: EventPage,
    decisions: Sequence[Decision],
    after: int,
    full: int = 0,
) -> Timeline:
    """Lay out the events after number ``after``.

    ``page`` holds one event more than is shown, when there is one: its time says which decisions belong to this page.
    """
    shown, beyond = page.events[:EVENTS_A_PAGE], page.events[EVENTS_A_PAGE:]
    steps = tuple(step for state in STEP_ORDER for step in view.steps.get(state, ()))
    made = _made_here(decisions, shown, beyond, after)
    end = beyond[0].seq - 1 if beyond else max(task.event_seq, after)
    rows = tuple(_rows(shown, steps, made, after, end, full))
    return Timeline(
        rows=rows,
        first=shown[0].seq if shown else None,
        last=shown[-1].seq if shown else None,
        total=page.total or task.event_seq,
        earlier=max(0, after - EVENTS_A_PAGE) if after > 0 else None,
        later=shown[-1].seq if beyond else None,
        missing=sum(row.last - row.first + 1 for row in rows if isinstance(row, Gap)),
        redacted=sum(1 for event in shown if event.redacted_at),
        steps=steps,
    )


def _made_here(
    decisions: Iterable[Decision], shown: Sequence[Event], beyond: Sequence[Event], after: int
) -> list[Decision]:
    """Each decision stands on exactly one page: the one that holds the last event before it."""
    since = shown[0].at if shown and after > 0 else None
    until = beyond[0].at if beyond else None
    if not shown and after > 0:
        return []
    here = [
        decision
        for decision in decisions
        if (since is None or decision.created_at >= since) and (until is None or decision.created_at < until)
    ]
    return sorted(here, key=lambda decision: (decision.created_at, decision.id))


def _rows(
    shown: Sequence[Event],
    steps: Sequence[StepSummary],
    made: list[Decision],
    after: int,
    end: int,
    full: int,
) -> Iterator[EventRow | Gap | Decision]:
    number = after
    for event in shown:
        while made and made[0].created_at < event.at:
            yield made.pop(0)
        if event.seq > number + 1:
            yield Gap(number + 1, event.seq - 1)
        yield _event_row(event, steps, whole=event.seq == full)
        number = event.seq
    yield from made
    if end > number and (shown or not after):
        yield Gap(number + 1, end)


def _event_row(event: Event, steps: Sequence[StepSummary], *, whole: bool) -> EventRow:
    text = event.payload if whole else event.payload[:SHOWN_CHARACTERS]
    ended = tuple(step for step in steps if step.result_event_seq == event.seq)
    return EventRow(event=event, text=text, left_out=len(event.payload) - len(text), steps=ended)
