"""delete_task: all of a task and only it, in batches, with every copy; decisions kept or not."""

import pytest

from reaffirm import ids
from reaffirm.decisions.models import EventSupportInput
from reaffirm.retention import HistoryRetention
from reaffirm.store import GraphStore
from tests.decisions.factories import World
from tests.decisions.writes import dump
from tests.retention.test_redaction import MARKER, REASON, TASK, record
from tests.reviews.factories import PROJECT

COUNT = (
    "MATCH (t:Task) WHERE t.id = $id OPTIONAL MATCH (t)-[r:HAS_EVENT|HAS_STEP|MADE]->(n) "
    "RETURN labels(n)[0] AS label, count(r) AS records"
)


def fill(world: World, *, events: int, decisions: int, steps: int, task: str = TASK) -> list[str]:
    """A task with so many of each; the ids of its decisions."""
    for number in range(events):
        world.event(f"{MARKER} Number {number}.", task)
    made = [
        world.decision(
            events=[EventSupportInput(task_name=task, seq=number % events + 1)], task=task, choice=f"c{number}",
            conclusion=f"{MARKER} {number}", request_id=f"{task}-{number}",
        ).id
        for number in range(decisions)
    ]  # fmt: skip
    for number in range(steps):
        assert world.history.set_step(task, f"step {number}", "completed", result_event_seq=1).recorded
    return made


def held(store: GraphStore, task: str = TASK, project: str = PROJECT) -> dict[str, int]:
    rows = store.read(COUNT, id=ids.task_id(project, task))
    return {row["label"]: row["records"] for row in rows if row["label"]}


def test_all_of_it_and_only_it_goes(store: GraphStore, world: World, retention: HistoryRetention) -> None:
    """cases 64: 'delete all' removed only the first page elsewhere, or everybody's."""
    neighbour = World(store, "another-project")
    for each in (world, neighbour):
        fill(each, events=250, decisions=120, steps=60)
    result = retention.delete_task(TASK, reason=REASON)
    assert result.erasure, result
    done = result.erasure
    assert (done.events, done.decisions, done.supports, done.steps) == (250, 120, 120, 60)
    assert (done.state, done.flagged) == ("done", 0)
    assert held(store) == {}
    assert held(store, project="another-project") == {"Event": 250, "Decision": 120, "Step": 60}
    assert not world.traces.search_decisions("account number")
    assert neighbour.traces.search_decisions("account number")
    left = [line for line in dump(store) if PROJECT in line and MARKER in line]
    assert left == []
    assert not world.history.get_task(TASK).found
    assert retention.list_erasures().erasures == (done,)


def test_kept_decisions_are_listed_searched_judged_and_erased_later(
    store: GraphStore, world: World, retention: HistoryRetention
) -> None:
    """cases 64."""
    made = fill(world, events=5, decisions=6, steps=2)
    result = retention.delete_task(TASK, False, reason=REASON)
    assert result.erasure, result
    assert (result.erasure.events, result.erasure.steps, result.erasure.decisions) == (5, 2, 0)
    assert sorted(result.affected_decision_ids) == sorted(made)
    assert held(store) == {"Decision": 6}
    page = world.traces.list_decisions(TASK)
    assert {decision.id for decision in page.decisions} == set(made)
    assert {decision.id for decision in world.traces.list_decisions_for_review().decisions} == set(made)
    task = world.history.get_task(TASK).task
    assert task and (task.goal, task.status, task.event_seq) == ("[DELETED]", "done", 5)
    assert world.traces.reject_decision(made[0], "Nothing is left of it.").recorded
    assert retention.delete_task(TASK, reason="All of it.").recorded
    assert held(store) == {} and not world.history.get_task(TASK).found


def test_who_cites_something_deleted_is_flagged_and_knows_why(world: World, retention: HistoryRetention) -> None:
    """Fault 3 of agentic-graphrag: dependents of kept or deleted decisions were never told."""
    made = fill(world, events=2, decisions=2, steps=0)
    by_event = world.decision(events=[EventSupportInput(task_name=TASK, seq=2)], task="other", choice="by-event")
    by_decision = world.decision(parents=[world.by_id(made[0])], task="other", choice="by-decision")
    resting = world.decision(parents=[by_decision], task="other", choice="resting")
    preview = retention.preview_deletion(TASK)
    assert [(loss.decision_id, loss.lost, loss.left) for loss in preview.losses] == [
        (each, 1, 0) for each in sorted([by_event.id, by_decision.id])
    ]
    assert (preview.loss_count, preview.unsupported) == (2, 2)
    result = retention.delete_task(TASK, reason=REASON, expected=preview.digest)
    assert set(result.affected_decision_ids) == {by_event.id, by_decision.id}
    for each in (by_event, by_decision):
        assert world.again(each).review_reason == "source_removed"
        cause = world.case(each.id).cause
        assert cause and (cause.kind, cause.by, cause.reason) == ("deletion", "user:compliance", REASON)
    world.traces.continue_decision_review()
    assert world.again(resting).review_reason == "dependency_review"


def test_fault_09_what_is_made_again_under_the_same_id_is_another(
    store: GraphStore, world: World, retention: HistoryRetention
) -> None:
    """Ids are made of names: also a support of agentic-graphrag, without a digest, must not take it for the old one."""
    made = fill(world, events=1, decisions=1, steps=0)
    by_event = world.decision(events=[EventSupportInput(task_name=TASK, seq=1)], task="other", choice="by-event")
    by_decision = world.decision(parents=[world.by_id(made[0])], task="other", choice="by-decision")
    store.write("MATCH (s:DecisionSupport) SET s.event_payload_sha256 = null RETURN count(s) AS supports")
    assert retention.delete_task(TASK, reason=REASON).recorded
    world.tasks.discard(TASK)
    again = world.event("Another text under the same number.")
    remade = world.decision(events=[again], choice="c0")
    assert remade.id == made[0]
    for each in (by_event, by_decision):
        refused = world.traces.reaffirm_decision(each.id, [], fetched_evidence=[])
        assert not refused.recorded and "deleted" in (refused.detail or "")


def test_fault_02_a_repeated_request_says_that_it_was_erased(
    store: GraphStore, world: World, retention: HistoryRetention
) -> None:
    """cases 65, fault 2 of agentic-graphrag: a replay returned the body of an event that did not exist any more."""
    record(world, request_id="e1")
    assert world.history.set_step(TASK, "read", "failed", request_id="s1").recorded
    decision = world.decision(events=[world.event_input(TASK)], request_id="d1")
    assert retention.delete_task(TASK, reason=REASON, request_id="x1").recorded
    world.tasks.discard(TASK)
    for _ in range(2):  # and once more where a task of this name was made again
        again = world.history.record_event(TASK, "message", payload=MARKER, role="user", request_id="e1")
        assert (again.error, again.replayed) == ("erased", True)
        assert world.history.set_step(TASK, "read", "failed", request_id="s1").error == "erased"
        assert world.traces.record_decision(
            TASK, decision.choice_key, decision.conclusion, decision.rationale,
            supports=[world.event_input(TASK)], fetched_evidence=[], request_id="d1",
        ).error == "erased"  # fmt: skip
        world.task()
    assert world.history.record_event(TASK, "note", payload=MARKER).error == "erased"
    assert world.history.record_event(world.task("other"), "note", payload=MARKER).recorded
    replay = retention.delete_task(TASK, reason=REASON, request_id="x1")
    assert replay.replayed and replay.erasure and replay.erasure.state == "done"
    assert world.history.get_task(TASK).found


def test_a_changed_task_is_not_deleted(store: GraphStore, world: World, retention: HistoryRetention) -> None:
    fill(world, events=2, decisions=1, steps=1)
    preview = retention.preview_deletion(TASK)
    assert (preview.events, preview.steps, preview.decisions, preview.supports) == (2, 1, 1, 1)
    assert preview == retention.preview_deletion(TASK)
    assert retention.preview_deletion(TASK, False).digest != preview.digest
    changes = (
        lambda: world.event("One more."),
        lambda: world.history.set_step(TASK, "another", "failed"),
        lambda: world.decision(events=[world.event_input(TASK)], choice="more"),
        lambda: world.decision(events=[world.event_input(TASK)], task="other", choice="more"),
    )
    for change in changes:
        change()
        before = dump(store)
        assert retention.delete_task(TASK, reason=REASON, expected=preview.digest).error == "preview_changed"
        assert dump(store) == before
        preview = retention.preview_deletion(TASK)
    assert retention.delete_task(TASK, reason=REASON, expected=preview.digest).recorded


def test_a_hold_refuses_it(store: GraphStore, world: World, retention: HistoryRetention) -> None:
    event = record(world)
    placed = retention.place_hold("Case 12.", event_id=event)
    assert placed.hold
    assert retention.preview_deletion(TASK).holds == (placed.hold,)
    before = dump(store)
    assert retention.delete_task(TASK, reason=REASON).error == "on_hold"
    assert dump(store) == before
    assert retention.release_hold(placed.hold.id, "Closed.").recorded
    assert retention.delete_task(TASK, reason=REASON).recorded


def test_an_unfinished_deletion_says_so_and_goes_on(world: World, retention: HistoryRetention) -> None:
    fill(world, events=3, decisions=2, steps=1)
    started = retention.delete_task(TASK, reason=REASON, batches=0, request_id="x")
    assert started.erasure and started.erasure.state == "running"
    task = world.history.get_task(TASK).task
    assert task and (task.goal, task.status) == ("[DELETED]", "done")
    assert world.history.record_event(TASK, "note", payload="late").error == "being_deleted"
    assert retention.place_hold("Too late.", task_name=TASK).error == "being_deleted"
    assert retention.delete_task(TASK, reason=REASON).error == "being_deleted"
    assert world.history.create_task(TASK, "Settle the claim.").error == "task_exists"
    first = world.history.fetch_event(TASK, 1).event
    assert first and retention.redact_event(first.id, REASON).error == "being_deleted"
    assert retention.continue_deletion(1) == 1
    assert retention.list_erasures().erasures[0].events == 3
    assert retention.delete_task(TASK, reason=REASON, request_id="x").recorded
    assert retention.continue_deletion() == 0
    assert retention.list_erasures().erasures[0].state == "done"


@pytest.mark.parametrize("project", ["another-project", PROJECT])
def test_what_is_not_there_is_refused(store: GraphStore, world: World, project: str) -> None:
    record(world)
    stranger = HistoryRetention(store, project_id=project, agent_id="x")
    name = "nowhere" if project == PROJECT else TASK
    assert stranger.delete_task(name, reason=REASON).error == "task_not_found"
    assert not stranger.preview_deletion(name).found
    assert stranger.delete_task(TASK, "yes", reason=REASON).field == "include_decisions"  # type: ignore[arg-type]


def test_tombstones_are_paged(world: World, retention: HistoryRetention) -> None:
    for number in range(5):
        record(world, f"Text {number}", f"r{number}", f"task-{number}")
        assert retention.delete_task(f"task-{number}", reason=REASON).recorded
    seen: list[str] = []
    cursor = None
    while True:
        page = retention.list_erasures(limit=2, cursor=cursor)
        seen += [erasure.task_name for erasure in page.erasures]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert seen == [f"task-{number}" for number in (4, 3, 2, 1, 0)]
    assert len(retention.list_erasures(cursor="nonsense").erasures) == 5
