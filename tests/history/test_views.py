"""get_task."""

import pytest

from reaffirm.decisions.models import EventSupportInput, ReviewReason, ReviewState, SupportInput, TaskView
from reaffirm.history import ConversationHistory, StepState
from reaffirm.store import GraphStore
from tests.history.records import add_decision, add_version, change, citing, depend, task_id
from tests.history.stores import Watched


def view_of(history: ConversationHistory, task: str) -> TaskView:
    found = history.get_task(task)
    assert found.found and found.view is not None
    assert history.get_task_by_id(task_id(task)) == found
    return found.view


def test_an_empty_task(history: ConversationHistory, task: str) -> None:
    view = view_of(history, task)
    assert (view.task_name, view.goal, view.status, view.last_event_seq) == (task, "Choose a backup policy", "open", 0)
    assert list(view.steps) == ["in_progress", "failed", "unknown", "not_started", "completed"]
    assert set(view.step_counts.values()) == {0}
    assert (view.decisions, view.decision_count, view.review_decisions, view.conflicts) == ((), 0, (), ())


def test_a_task_that_is_not_there(history: ConversationHistory) -> None:
    found = history.get_task("storage")
    assert (found.found, found.task, found.view) == (False, None, None)


def test_steps_that_are_left_come_first_and_all_are_counted(history: ConversationHistory, task: str) -> None:
    for number in range(49):
        assert history.set_step(task, f"done {number:02}", "completed").recorded
    for name, state in (("b", "in_progress"), ("a", "in_progress"), ("c", "not_started"), ("d", "failed")):
        assert history.set_step(task, name, state).recorded
    view = view_of(history, task)
    assert [step.name for step in view.steps[StepState.IN_PROGRESS]] == ["a", "b"]
    assert len(view.steps[StepState.COMPLETED]) == 46
    assert view.steps_truncated
    assert view.step_counts == {"in_progress": 2, "failed": 1, "unknown": 0, "not_started": 1, "completed": 49}


def test_it_shows_the_newest_active_decisions(store: GraphStore, history: ConversationHistory, task: str) -> None:
    for number in range(23):
        created = f"2026-11-30T10:44:{number:02}.000001+00:00"
        flagged = {"review_state": "needs_review", "review_reason": "source_changed"} if number < 3 else {}
        add_decision(store, task, f"choice {number}", created_at=created, **flagged)
    add_decision(store, task, "retired", status="rejected", created_at="2026-12-01T00:00:00+00:00")
    view = view_of(history, task)
    assert [each.choice_key for each in view.decisions] == [f"choice {number}" for number in range(22, 2, -1)]
    assert (view.decision_count, view.decisions_truncated) == (23, True)
    assert [each.choice_key for each in view.review_decisions] == ["choice 2", "choice 1", "choice 0"]
    assert view.review_decisions[0].review_reason is ReviewReason.SOURCE_CHANGED
    newest = view.decisions[0]
    assert (newest.task_name, newest.assumptions, len(newest.supports)) == (task, ("Current",), 1)


def test_only_decisions_that_a_spreading_review_may_reach_read_as_unknown(
    store: GraphStore, history: ConversationHistory, task: str
) -> None:
    """Fault 10 of agentic-graphrag: there, the whole project does."""
    root, child, apart = (add_decision(store, task, key) for key in ("root", "child", "apart"))
    depend(store, child, root)
    change(store, root, review_pending=True)
    states = {each.id: each.review_state for each in view_of(history, task).decisions}
    assert states == {root: ReviewState.CLEAR, child: ReviewState.UNKNOWN, apart: ReviewState.CLEAR}


def test_it_shows_the_conflicts_of_the_task(store: GraphStore, history: ConversationHistory, task: str) -> None:
    for name in ("audit", "third"):
        assert history.create_task(name, "Goal").recorded
    own = add_decision(store, task, "retention", "Thirty days")
    other = add_decision(store, "audit", "retention", "Ninety days")
    for name in (task, "audit"):
        add_decision(store, name, "agreed", "Same")
    for name in ("audit", "third"):
        add_decision(store, name, "elsewhere", f"Conclusion of {name}")
    add_decision(store, task, "settled", "One")
    add_decision(store, "audit", "settled", "Two", status="superseded")
    view = view_of(history, task)
    assert [(group.choice_key, group.truncated, group.count) for group in view.conflicts] == [("retention", False, 2)]
    assert view.conflicts[0].difference == "words"
    assert [each.id for each in view.conflicts[0].decisions] == [own, other]
    assert [each.task_name for each in view.conflicts[0].decisions] == [task, "audit"]


def test_conflicts_are_capped_and_say_so(store: GraphStore, history: ConversationHistory, task: str) -> None:
    for number in range(11):
        name = f"other {number}"
        assert history.create_task(name, "Goal").recorded
        add_decision(store, name, "choice 00", f"Conclusion {number}")
    for number in range(11):
        add_decision(store, task, f"choice {number:02}", "Mine")
        if number:
            add_decision(store, "other 0", f"choice {number:02}", "Theirs")
    view = view_of(history, task)
    assert [group.choice_key for group in view.conflicts] == [f"choice {number:02}" for number in range(10)]
    assert view.conflicts_truncated
    assert (len(view.conflicts[0].decisions), view.conflicts[0].truncated, view.conflicts[0].count) == (10, True, 12)
    assert view.conflicts[0].decisions[0].conclusion == "Mine"


@pytest.mark.parametrize(("steps", "supports"), [(1, 1), (30, 20)])
def test_reads_do_not_grow(
    store: GraphStore, task: str, history: ConversationHistory, steps: int, supports: int
) -> None:
    """Fault 13 of agentic-graphrag: there, 30 steps with 20 supports take 607 reads."""
    history.record_event(task, "note", payload="result")
    passage = add_version(store, "policy.txt", "Thirty days.")
    add_decision(store, task, "backup")
    cited: list[SupportInput] = [citing(passage), *[EventSupportInput(task_name=task, seq=1)] * (supports - 1)]
    for number in range(steps):
        assert history.set_step(
            task,
            f"step {number}",
            "completed",
            result_event_seq=1,
            result_basis="supported",
            supports=cited,
            fetched_evidence=[passage],
        ).recorded
    watched = Watched(store)
    reader = ConversationHistory(watched, project_id="atlas", agent_id="a")
    view = reader.get_task(task).view
    assert view is not None
    assert {step.result_validity for step in view.steps[StepState.COMPLETED]} == {"reusable"}
    assert len(view.steps[StepState.COMPLETED]) == steps
    assert (watched.reads, watched.writes) == (3, 0)
    watched.reads = 0
    assert len(reader.list_steps(task).steps) == steps
    assert watched.reads == 2
