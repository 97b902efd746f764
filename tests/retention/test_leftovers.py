"""What an erasure leaves behind: no word in any record, no number that is wrong, no call that brings it back."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from reaffirm import ids
from reaffirm.decisions import DecisionTraces
from reaffirm.decisions.models import EventSupportInput
from reaffirm.models import Result
from reaffirm.retention import HistoryRetention, deletion
from reaffirm.store import GraphStore
from tests.decisions.factories import World
from tests.decisions.writes import Catching, caught, changed, dump
from tests.retention.test_redaction import REASON, TASK, event_id, record
from tests.reviews.factories import PROJECT

WORD = "Quetzalcoatl"
NAMED = f"ask {WORD}"


def said(what: str) -> str:
    return f"{what}: {WORD} lives at 12 Harbour Lane."


def fill(world: World) -> dict[str, Callable[[], Result]]:
    """A task in which every write of the history was made under a request id and says a word; the writes, again."""
    history = world.history
    world.tasks.add(TASK)
    writes: dict[str, Callable[[], Result]] = {
        "create": lambda: history.create_task(TASK, said("Goal"), request_id="create"),
        "confirm": lambda: history.create_task(TASK, said("Goal"), request_id="confirm"),
        "event": lambda: history.record_event(
            TASK, "note", payload=said("Body"), name=said("Name"), role=said("Role"), request_id="event"
        ),
        "step": lambda: history.set_step(TASK, NAMED, "in_progress", request_id="step"),
        "close": lambda: history.close_task(TASK, reason=said("Closed"), request_id="close"),
        "close again": lambda: history.close_task(TASK, request_id="close again"),
        "reopen": lambda: history.reopen_task(TASK, reason=said("Reopened"), request_id="reopen"),
        "resume": lambda: history.resume_task(TASK, request_id="resume"),
        "repair": lambda: history.repair_events(TASK, request_id="repair"),
    }
    for name, write in writes.items():
        assert write().recorded, name
    return writes


@pytest.mark.parametrize("keep", [False, True])
def test_no_request_of_a_deleted_task_keeps_a_word_of_it(
    store: GraphStore, world: World, retention: HistoryRetention, keep: bool
) -> None:
    """Results of closing and resuming hold the goal, the reasons and names of steps as well."""
    writes = fill(world)
    cited = EventSupportInput(task_name=TASK, seq=1)
    world.decision(events=[cited], choice="kept", conclusion="Nothing that names anybody.")
    assert retention.delete_task(TASK, not keep, reason=REASON).recorded
    assert [line for line in dump(store) if WORD in line] == []
    for name, write in writes.items():
        again = write()
        assert (again.error, again.replayed) == ("erased", True), name
        assert WORD not in again.model_dump_json(), name


def test_what_a_deleted_decision_rested_on_counts_one_dependent_less(
    store: GraphStore, world: World, retention: HistoryRetention
) -> None:
    """The queue sorts by that number."""
    root = world.decision(events=[world.event("Elsewhere.", "other")], task="other", choice="root")
    other = world.decision(events=[world.event("Elsewhere.", "other")], task="other", choice="second")
    for number in range(3):
        world.decision(parents=[root, other] if number else [root], choice=f"c{number}")
    retired = world.decision(parents=[root], choice="retired")
    assert world.traces.reject_decision(retired.id, "Wrong.").recorded
    staying = world.decision(parents=[root], task="third", choice="staying")
    assert retention.delete_task(TASK, reason=REASON).recorded
    rows = store.read("MATCH (d:Decision) RETURN d.id AS id, d.dependents AS dependents")
    assert {row["id"]: row["dependents"] for row in rows} == {root.id: 1, other.id: 0, staying.id: 0}
    assert world.traces.dependents(root.id).count == 1


def test_a_batch_deletes_no_more_decisions_than_it_can_flag_citers(
    world: World, retention: HistoryRetention, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fifty decisions that ten thousand cite are more than one statement can do within its time."""
    monkeypatch.setattr(deletion, "CITING", 4)
    event = world.event("Reported on day 12.")
    made = [world.decision(events=[event], choice=f"c{number}") for number in range(4)]
    resting = [
        world.decision(parents=[parent], task="other", choice=f"{parent.choice_key}-{number}")
        for parent in made
        for number in range(3 if parent is made[0] else 2)
    ]
    assert retention.delete_task(TASK, reason=REASON, batches=0).recorded
    batches = []
    while retention.continue_deletion(1):
        batches.append(retention.list_erasures().erasures[0].decisions)
    deleted = [after - before for before, after in zip([0, *batches], batches, strict=False) if after > before]
    assert sum(deleted) == 4 and max(deleted) <= 2
    assert retention.list_erasures().erasures[0].flagged == len(resting)


@pytest.mark.parametrize("keep", [False, True])
def test_a_task_that_is_being_deleted_takes_no_write(
    store: GraphStore, world: World, retention: HistoryRetention, keep: bool
) -> None:
    """It would be recorded, and gone when the deletion ends."""
    cited = world.event("Reported on day 12.")
    made = world.decision(events=[cited])
    seen = world.seen(made.id)
    elsewhere = world.event("Elsewhere.", "other")
    assert world.history.set_step(TASK, "read", "in_progress").recorded
    assert retention.delete_task(TASK, not keep, reason=REASON, batches=0, request_id="x").recorded
    history, traces = world.history, world.traces
    writes: dict[str, Callable[[], Result]] = {
        "event": lambda: history.record_event(TASK, "note", payload="late"),
        "step": lambda: history.set_step(TASK, "late", "in_progress"),
        "close": lambda: history.close_task(TASK, reason="late"),
        "reopen": lambda: history.reopen_task(TASK, reason="late"),
        "resume": lambda: history.resume_task(TASK),
        "repair": lambda: history.repair_events(TASK),
        "record": lambda: traces.record_decision(TASK, "late", "Yes.", "Why.", supports=[elsewhere]),
        "reopen decision": lambda: traces.reopen_decision(made.id, "late"),
        "reaffirm": lambda: traces.reaffirm_decision(made.id, []),
        "supersede": lambda: traces.supersede_where_it_stands(made.id, explanation="late", expected=seen),
        "reject": lambda: traces.reject_decision(made.id, "late"),
    }
    before = dump(store)
    assert {name: write().error for name, write in writes.items()} == dict.fromkeys(writes, "being_deleted")
    assert dump(store) == before
    assert retention.delete_task(TASK, not keep, reason=REASON, request_id="x").recorded
    assert (traces.get_decision(made.id).found, history.get_task(TASK).found) == (keep, keep)


def test_a_decision_is_not_reopened_behind_the_start_of_a_deletion(store: GraphStore, world: World) -> None:
    made = world.decision(events=[world.event("Reported on day 12.")])
    traces = DecisionTraces(Catching(store), project_id=PROJECT, agent_id="a")
    write = caught(lambda: traces.reopen_decision(made.id, "Look again."))
    with changed(store, made.task_id, deletion_id="x"):
        before = dump(store)
        assert store.write(write.query, **write.params) == [] and dump(store) == before
    assert len(store.write(write.query, **write.params)) == 1


def test_pruning_keeps_the_request_of_a_redacted_event(
    store: GraphStore, world: World, retention: HistoryRetention
) -> None:
    """A text too short to be remembered would come back with a late retry."""
    event = record(world, "PIN 1234", "short")
    assert retention.redact_event(event, REASON).recorded
    store.write("MATCH (q:Request) SET q.claimed_ms = 5 RETURN count(q) AS n")
    assert retention.prune_requests(timedelta(days=7)).removed
    again = world.history.record_event(TASK, "message", payload="PIN 1234", role="user", request_id="short")
    assert again.replayed and again.event and again.event.payload == "[REDACTED]"
    assert [line for line in dump(store) if "PIN 1234" in line] == []


@pytest.mark.parametrize("older_than", [timedelta.max, timedelta(days=800_000)])
def test_nothing_is_older_than_all_time(retention: HistoryRetention, older_than: timedelta) -> None:
    assert retention.prune_requests(older_than).recorded


@pytest.mark.parametrize("verb", ["redact", "delete"])
def test_what_was_shown_of_a_cut_text_stays_erased(world: World, retention: HistoryRetention, verb: str) -> None:
    """An export holds the part that is stored, so that is what an import brings back."""
    event = record(world, "Her account is 1331. " * 2_000)
    shown = world.history.fetch_event(TASK, 1).event
    assert shown and shown.truncated
    if verb == "redact":
        assert retention.redact_event(event, REASON).recorded
    else:
        assert retention.delete_task(TASK, reason=REASON).recorded
        world.tasks.clear()
    assert world.history.record_event(world.task(), "note", payload=shown.payload).error == "erased"


def test_a_hold_is_replayed_when_its_event_is_gone(world: World, retention: HistoryRetention) -> None:
    """The request comes before the event, as in every write."""
    event = record(world)
    placed = retention.place_hold("Case 12.", event_id=event, request_id="h")
    assert placed.hold and retention.release_hold(placed.hold.id, "Closed.").recorded
    assert retention.delete_task(TASK, reason=REASON).recorded
    again = retention.place_hold("Case 12.", event_id=event, request_id="h")
    assert again.replayed and again.hold == placed.hold
    assert retention.place_hold("Case 13.", event_id=event, request_id="h").error == "request_id_reused"
    assert retention.place_hold("Case 13.", event_id=event_id(1)).error == "event_not_found"
    assert retention.place_hold("Case 13.", event_id=ids.joined("nothing")).error == "event_not_found"
