"""Legal holds: placed, listed, released, and what they refuse."""

from reaffirm.retention import HistoryRetention
from reaffirm.store import GraphStore
from tests.decisions.factories import World
from tests.decisions.writes import dump
from tests.retention.test_redaction import REASON, TASK, event_id, record


def test_a_hold_on_a_task_or_an_event_refuses_redaction(
    store: GraphStore, world: World, retention: HistoryRetention
) -> None:
    event = record(world)
    world.event("Another.")
    for options in ({"task_name": TASK}, {"event_id": event}):
        placed = retention.place_hold("Case 12.", **options)
        assert placed.hold, placed
        before = dump(store)
        assert retention.redact_event(event, REASON).error == "on_hold"
        assert dump(store) == before
        assert retention.release_hold(placed.hold.id, "Case closed.").recorded
        assert retention.release_hold(placed.hold.id, "Case closed.").error == "hold_not_found"
    other = retention.place_hold("Case 13.", event_id=event_id(2))
    assert other.recorded
    assert retention.redact_event(event, REASON).recorded
    assert retention.redact_event(event_id(2), REASON).error == "on_hold"


def test_holds_are_listed(world: World, retention: HistoryRetention) -> None:
    record(world)
    placed = [retention.place_hold(f"Case {number}.", task_name=TASK).hold for number in range(5)]
    assert placed[0] and retention.release_hold(placed[0].id, "Closed.").recorded
    assert [hold.reason for hold in retention.list_holds().holds] == ["Case 4.", "Case 3.", "Case 2.", "Case 1."]
    seen: list[str] = []
    cursor = None
    while True:
        page = retention.list_holds(released=True, limit=2, cursor=cursor)
        seen += [hold.reason for hold in page.holds]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert seen == [f"Case {number}." for number in (4, 3, 2, 1, 0)]
    released = retention.list_holds(released=True).holds[-1]
    assert (released.released_by, released.release_reason) == ("user:compliance", "Closed.")


def test_what_cannot_be_held_is_refused(world: World, retention: HistoryRetention) -> None:
    record(world)
    assert retention.place_hold("Why.", task_name="nowhere").error == "task_not_found"
    assert retention.place_hold("Why.", event_id=event_id(9)).error == "event_not_found"
    assert retention.place_hold("Why.").field == "task_name"
    assert retention.place_hold("Why.", task_name=TASK, event_id=event_id(1)).error == "invalid_value"
    first = retention.place_hold("Why.", task_name=TASK, request_id="h")
    again = retention.place_hold("Why.", task_name=TASK, request_id="h")
    assert again.replayed and again.hold == first.hold
    assert len(retention.list_holds().holds) == 1
