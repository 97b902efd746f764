"""Writers that meet: of two, one is first, and nothing is half done."""

import pytest

from reaffirm import ids
from reaffirm.decisions.models import EventSupportInput
from reaffirm.models import Result
from reaffirm.retention import HistoryRetention
from reaffirm.store import GraphStore
from tests.decisions.factories import World
from tests.decisions.writes import at_once
from tests.retention.test_redaction import REASON, record
from tests.reviews.factories import PROJECT

ROUNDS = 6


@pytest.mark.parametrize("verb", ["record", "reaffirm", "supersede"])
def test_a_decision_that_cites_what_is_being_redacted_is_flagged_or_refused(
    store: GraphStore, world: World, retention: HistoryRetention, verb: str
) -> None:
    for number in range(ROUNDS):
        task = f"task-{number}"
        event = record(world, f"Reported on day {number} of the month.", f"r{number}", task)
        cited = world.event_input(task)
        standing = [world.decision(events=[cited], task=task, choice=f"c{each}") for each in range(3)]

        def write(each: int, task: str = task, cited: object = cited, standing: object = standing) -> Result:
            if verb == "record":
                return world.traces.record_decision(
                    task, f"new-{each}", "Yes.", "Why.", supports=[cited], fetched_evidence=[]
                )
            if verb == "supersede":
                return world.traces.supersede_decision(
                    standing[each].id, "No.", "Why.", explanation="New.", supports=[cited], fetched_evidence=[]
                )
            return world.traces.reaffirm_decision(standing[each].id, [], fetched_evidence=[])

        calls = [lambda each=each: write(each) for each in range(3)]
        results = at_once([calls[0], lambda event=event: retention.redact_event(event, REASON), *calls[1:]])
        assert results[1].recorded
        assert {result.error for result in results if not result.recorded} <= {"cannot_revalidate"}
        lost = store.read(
            "MATCH (d:Decision)-[h:HAS_SUPPORT]->(s:DecisionSupport) WHERE s.event_id = $id AND d.status = 'active' "
            "AND d.review_state <> 'needs_review' RETURN d.id AS id",
            id=event,
        )
        assert lost == []


def test_a_hold_and_a_redaction_never_both_win(world: World, retention: HistoryRetention) -> None:
    for number in range(ROUNDS):
        task = f"task-{number}"
        event = record(world, f"Reported on day {number} of the month.", f"r{number}", task)
        held, redacted = at_once(
            [
                lambda task=task: retention.place_hold("Case 12.", task_name=task),
                lambda event=event: retention.redact_event(event, REASON),
            ]
        )
        assert held.recorded
        stored = world.history.fetch_event(task, 1).event
        assert stored and bool(stored.redacted_at) == redacted.recorded
        assert redacted.recorded or redacted.error == "on_hold"


@pytest.mark.parametrize("keep", [False, True])
def test_a_deletion_and_what_is_written_meanwhile(
    store: GraphStore, world: World, retention: HistoryRetention, keep: bool
) -> None:
    """What was recorded goes with the task, or is refused; nothing of it is left behind."""
    for number in range(ROUNDS):
        task = f"task-{number}"
        record(world, f"Reported on day {number} of the month.", f"r{number}", task)
        cited = world.event_input(task)
        world.task(f"other-{number}")

        def events(task: str = task) -> list[Result]:
            return [world.history.record_event(task, "note", payload=f"written meanwhile {n}") for n in range(5)]

        def decision(task: str = f"other-{number}", cited: EventSupportInput = cited) -> list[Result]:
            return [world.traces.record_decision(task, "c", "Yes.", "Why.", supports=[cited], fetched_evidence=[])]

        def delete(task: str = task) -> list[Result]:
            return [retention.delete_task(task, not keep, reason=REASON)]

        written, cites, deleted = at_once([events, decision, delete])
        assert deleted[0].recorded
        refusals = {result.error for result in [*written, *cites] if not result.recorded}
        assert refusals <= {"being_deleted", "task_not_found", "support_event_not_found", "task_closed"}
        left = store.read("MATCH (e:Event) WHERE e.task_id = $id RETURN e.at AS at", id=ids.task_id(PROJECT, task))
        finished = store.read("MATCH (x:Erasure) WHERE x.task_name = $name RETURN x.finished_at AS at", name=task)
        # A task that keeps its decisions takes events again behind the end, as a closed one does.
        assert all(keep and row["at"] > finished[0]["at"] for row in left)
        lost = store.read(
            "MATCH (d:Decision)-[h:HAS_SUPPORT]->(s:DecisionSupport) WHERE s.task_name = $name "
            "AND d.review_state <> 'needs_review' RETURN d.id AS id",
            name=task,
        )
        assert lost == []
    assert retention.continue_deletion() == 0
