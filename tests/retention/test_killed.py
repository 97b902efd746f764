"""A deletion that is killed between any two statements, and done by many workers at once."""

import random

import pytest

from reaffirm.retention import HistoryRetention
from reaffirm.retention import deletion as driver
from reaffirm.store import GraphStore, OutcomeUnknown
from tests.decisions.factories import World
from tests.decisions.writes import at_once, dump
from tests.retention.conftest import OFFICER
from tests.retention.test_deletion import fill, held
from tests.retention.test_redaction import MARKER, REASON, TASK
from tests.reviews.factories import PROJECT


class Killed(BaseException):
    """As from outside: nothing in the library catches it."""


class Dying:
    """A store whose process is killed before or after a write, or whose line breaks behind one."""

    def __init__(self, store: GraphStore, writes: int, how: str) -> None:
        self.store, self.left, self.how = store, writes, how

    def write(self, query: str, **params: object) -> object:
        self.left -= 1
        if self.left < 0 and self.how == "before":
            raise Killed
        rows = self.store.write(query, **params)
        if self.left == 0 and self.how == "lost":
            raise OutcomeUnknown("the line broke")
        if self.left <= 0 and self.how == "after":
            raise Killed
        return rows

    def __getattr__(self, name: str) -> object:
        return getattr(self.store, name)


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("EVENTS", "CITING", "STEPS", "DECISIONS", "REQUESTS"):
        monkeypatch.setattr(driver, name, 4)


def scene(world: World) -> tuple[str, str]:
    """A task of some size, and a decision elsewhere that rests on it, with another on that one."""
    made = fill(world, events=14, decisions=9, steps=6)
    citing = world.decision(
        events=[world.event_input(TASK)], parents=[world.by_id(made[3])], task="other", choice="citing"
    )
    return citing.id, world.decision(parents=[citing], task="other", choice="resting").id


def whole(store: GraphStore, world: World, retention: HistoryRetention, citing: str, resting: str) -> None:
    """All of the task is gone, once, and all that rested on it knows."""
    assert held(store) == {} and not world.history.get_task(TASK).found
    tasks = [each for each in retention.list_erasures().erasures if each.task_name == TASK]
    assert [(x.state, x.events, x.decisions, x.supports, x.steps, x.flagged) for x in tasks] == [
        ("done", 14, 9, 9, 6, 1)
    ]
    assert not [line for line in dump(store) if MARKER in line]
    assert world.by_id(citing).review_reason == "source_removed"
    world.traces.continue_decision_review()
    assert world.by_id(resting).review_reason == "dependency_review"
    assert store.read("MATCH (s:DecisionSupport) WHERE s.source_deleted_at IS NULL RETURN count(s) AS s") == [{"s": 1}]


@pytest.mark.parametrize("how", ["before", "after", "lost"])
def test_it_goes_on_after_a_kill(store: GraphStore, world: World, retention: HistoryRetention, how: str) -> None:
    citing, resting = scene(world)
    chance = random.Random(7)
    for _ in range(60):
        dying = Dying(store, chance.randint(0, 3), how)
        try:
            HistoryRetention(dying, project_id=PROJECT, agent_id=OFFICER).delete_task(  # type: ignore[arg-type]
                TASK, reason=REASON, request_id="x"
            )
        except Killed:
            continue
        break
    assert retention.delete_task(TASK, reason=REASON, request_id="x").replayed
    whole(store, world, retention, citing, resting)


def test_many_workers_do_each_batch_once(store: GraphStore, world: World, retention: HistoryRetention) -> None:
    citing, resting = scene(world)
    assert retention.delete_task(TASK, reason=REASON, batches=0).recorded
    assert sum(at_once([retention.continue_deletion] * 6)) >= 10
    whole(store, world, retention, citing, resting)
