"""How a page of a task's log is laid out."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from reaffirm.decisions.models import Decision, TaskView
from reaffirm.history.models import Event, EventPage, StepState, StepSummary, Task
from tasks_app.timeline import EVENTS_A_PAGE, SHOWN_CHARACTERS, EventRow, Gap, Timeline, timeline_of

BEGUN = datetime(2026, 11, 26, 10, 0, tzinfo=UTC)


def event(seq: int, **values: Any) -> Event:
    said = {"payload": f"event {seq}", "kind": "message", "truncated": False, "author": "agent", "payload_sha256": ""}
    return Event(id=f"e{seq}", task_id="t", seq=seq, at=BEGUN + timedelta(minutes=seq), **(said | values))


def decision(name: str, minute: float) -> Decision:
    return Decision(
        id=name,
        task_id="t",
        task_name="task",
        project_id="p",
        choice_key="c",
        revision=1,
        conclusion="yes",
        rationale="because",
        author="agent",
        status="active",
        review_state="clear",
        created_at=BEGUN + timedelta(minutes=minute),
    )


def step(name: str, seq: int | None, state: str = "completed") -> StepSummary:
    return StepSummary(
        name=name, kind="read", state=state, result_event_seq=seq, result_basis="unknown", result_validity="reusable"
    )


def layout(
    events: list[Event],
    decisions: tuple[Decision, ...] = (),
    *,
    after: int = 0,
    total: int | None = None,
    steps: tuple[StepSummary, ...] = (),
    full: int = 0,
) -> Timeline:
    last = total if total is not None else (events[-1].seq if events else 0)
    said = {"id": "t", "project_id": "p", "name": "task", "goal": "g", "status": "open", "author": "a"}
    task = Task(event_seq=last, created_at=BEGUN, **said)
    by_state: dict[StepState, tuple[StepSummary, ...]] = {}
    for one in steps:
        by_state[one.state] = (*by_state.get(one.state, ()), one)
    view = TaskView(task_name="task", goal="g", status="open", last_event_seq=last, steps=by_state, step_counts={})
    page = EventPage(found=True, events=tuple(events), total=last)
    return timeline_of(task=task, view=view, page=page, decisions=decisions, after=after, full=full)


def names(timeline: Timeline) -> list[str]:
    said = []
    for row in timeline.rows:
        if isinstance(row, Gap):
            said.append(f"gap {row.first}-{row.last}")
        else:
            said.append(str(row.event.seq) if isinstance(row, EventRow) else row.id)
    return said


def test_decisions_stand_at_the_time_they_were_made() -> None:
    made = (decision("late", 9), decision("second", 2.5), decision("first", 0.5))

    assert names(layout([event(1), event(2), event(3)], made)) == ["first", "1", "2", "second", "3", "late"]


def test_missing_numbers_are_shown_where_they_are_missing() -> None:
    timeline = layout([event(2), event(3), event(6)], total=8)

    assert names(timeline) == ["gap 1-1", "2", "3", "gap 4-5", "6", "gap 7-8"]
    assert timeline.missing == 5


def test_a_log_that_lost_all_its_events_says_so() -> None:
    assert names(layout([], total=3)) == ["gap 1-3"]


def test_no_gap_is_claimed_at_the_edge_of_a_page() -> None:
    events = [event(seq) for seq in range(1, EVENTS_A_PAGE + 2)]
    timeline = layout(events, total=500)

    assert names(timeline)[-1] == str(EVENTS_A_PAGE)
    assert (timeline.first, timeline.last, timeline.later, timeline.earlier) == (1, 100, 100, None)


def test_a_gap_between_two_pages_is_shown_on_the_first_of_them() -> None:
    events = [event(seq) for seq in range(1, EVENTS_A_PAGE + 1)] + [event(105)]

    assert names(layout(events, total=200))[-1] == "gap 101-104"


@pytest.mark.parametrize("minute", [0.5, 50.5, 100.5, 101.5, 150.5, 200.5, 999])
def test_each_decision_stands_on_exactly_one_page(minute: float) -> None:
    every = [event(seq) for seq in range(1, 251)]
    made = (decision("it", minute),)
    pages, after = [], 0
    while after is not None:
        timeline = layout([one for one in every if one.seq > after][: EVENTS_A_PAGE + 1], made, after=after, total=250)
        pages.append(names(timeline))
        after = timeline.later  # type: ignore[assignment]

    assert len(pages) == 3
    assert sum(page.count("it") for page in pages) == 1


def test_pages_lead_both_ways() -> None:
    middle = layout([event(seq) for seq in range(151, 252)], after=150, total=500)
    early = layout([event(seq) for seq in range(31, 132)], after=30, total=500)

    assert (middle.earlier, middle.later) == (50, 250)
    assert early.earlier == 0


def test_a_step_stands_at_the_event_that_holds_its_result() -> None:
    timeline = layout([event(1), event(2)], steps=(step("read", 2), step("ask", None, "in_progress")))
    rows = [row for row in timeline.rows if isinstance(row, EventRow)]

    assert [[one.name for one in row.steps] for row in rows] == [[], ["read"]]
    assert [one.name for one in timeline.steps] == ["ask", "read"]


def test_long_texts_are_cut_until_they_are_asked_for() -> None:
    long = event(1, payload="😀" * (SHOWN_CHARACTERS + 7))
    cut, whole = layout([long]).rows[0], layout([long], full=1).rows[0]

    assert isinstance(cut, EventRow)
    assert isinstance(whole, EventRow)
    assert (len(cut.text), cut.left_out) == (SHOWN_CHARACTERS, 7)
    assert (whole.text, whole.left_out) == (long.payload, 0)


def test_beyond_the_end_there_is_nothing() -> None:
    timeline = layout([], (decision("d", 1),), after=900, total=500)

    assert timeline.rows == ()
    assert timeline.first is None
