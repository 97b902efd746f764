"""How a review spreads: to all that rests on a decision, once each, interrupted anywhere, from many workers at once."""

import random
import time
from typing import Any

import pytest

from reaffirm.decisions import propagation
from reaffirm.decisions.models import Decision, ReviewReason, ReviewState
from reaffirm.store import GraphStore, OutcomeUnknown
from tests.decisions.bulk import bulk
from tests.decisions.factories import World
from tests.decisions.writes import at_once
from tests.reviews.factories import ELSEWHERE, PROJECT, QUOTE

PENDING = "MATCH (d:Decision) WHERE d.review_pending = true RETURN count(d) AS n"
FLAGGED = "MATCH (d:Decision) WHERE d.review_state = 'needs_review' RETURN collect(d.choice_key) AS found"
INCOMPLETE = "MATCH (p:Project) RETURN collect(p.review_incomplete) AS incomplete"
CYCLE = """
MATCH (a:Decision) WHERE a.id = $a
WITH a
MATCH (b:Decision) WHERE b.id = $b
CREATE (a)-[r:DEPENDS_ON]->(b)
RETURN 1 AS one
"""


@pytest.fixture
def world(store: GraphStore) -> World:
    return World(store)


def flagged(world: World) -> set[str]:
    return set(world.store.read(FLAGGED)[0]["found"])


def finish(world: World, limit: int = 100) -> int:
    units = 0
    while done := world.traces.continue_decision_review(limit):
        units += done
        assert units < 5_000, "it does not end"
    assert world.store.read(PENDING) == [{"n": 0}]
    assert world.store.read(INCOMPLETE)[0]["incomplete"] in ([False], [])
    return units


def root(world: World) -> Decision:
    world.document()
    return world.decision([("refund-policy", QUOTE)], choice="root")


def child(world: World, name: str, *parents: Decision) -> Decision:
    return world.decision(choice=name, parents=parents)


def chain(world: World, length: int) -> list[Decision]:
    decisions = [root(world)]
    for number in range(1, length):
        decisions.append(child(world, f"link-{number}", decisions[-1]))
    return decisions


def test_a_chain_of_30_is_flagged_to_its_end(world: World) -> None:
    decisions = chain(world, 30)
    world.change("refund-policy", ELSEWHERE)
    assert flagged(world) == {"root"}
    finish(world)
    assert len(flagged(world)) == 30
    last = world.again(decisions[-1])
    assert last.review_reason is ReviewReason.DEPENDENCY_REVIEW
    cause = world.case(last.id).cause
    assert cause and cause.decision_id == decisions[-2].id


def test_a_fan_of_300_is_flagged_in_bounded_steps(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(propagation, "CHILDREN", 100)
    parent = root(world)
    leaves = 300 if world.store.kind == "falkordb" else 120  # the library writes them one by one
    for number in range(leaves):
        child(world, f"leaf-{number:03d}", parent)
    world.change("refund-policy", ELSEWHERE)
    assert world.traces.continue_decision_review(limit=1) == 1
    assert len(flagged(world)) == 1 + propagation.CHILDREN
    finish(world)
    assert len(flagged(world)) == 1 + leaves


def test_a_diamond_is_flagged_once_and_a_cycle_ends(world: World) -> None:
    top = root(world)
    left, right = child(world, "left", top), child(world, "right", top)
    bottom = child(world, "bottom", left, right)
    outside = world.decision(events=[world.event("Else.")], choice="outside")
    world.store.write(CYCLE, a=left.id, b=bottom.id)
    world.change("refund-policy", ELSEWHERE)
    finish(world)
    assert flagged(world) == {"root", "left", "right", "bottom"}
    assert world.again(outside).review_state is ReviewState.CLEAR


def test_only_what_a_review_may_still_reach_reads_as_unknown(world: World) -> None:
    """Fault 10, case 08: the rest of the project reads as it is, and can be reaffirmed."""
    first, second, third = chain(world, 3)
    world.document("other-policy")
    other = world.decision([("other-policy", QUOTE)], choice="unrelated")
    world.change("other-policy", ELSEWHERE)
    world.change("refund-policy", ELSEWHERE)
    assert world.again(second).review_state is ReviewState.UNKNOWN
    assert world.again(third).review_state is ReviewState.UNKNOWN
    counts = world.traces.review_counts()
    assert (counts.flagged, counts.spreading) == (2, True)
    states = {each.choice_key: each.review_state for each in world.traces.list_decisions(first.task_name).decisions}
    assert states["unrelated"] is ReviewState.NEEDS_REVIEW
    assert states["link-2"] is ReviewState.UNKNOWN
    assert world.traces.reaffirm_where_it_stands(other.id, expected=world.seen(other.id)).recorded
    assert world.again(other).review_state is ReviewState.CLEAR
    blocked = world.traces.reaffirm_where_it_stands(third.id, expected=world.seen(third.id))
    assert blocked.error == "cannot_revalidate"
    finish(world)
    assert world.again(third).review_state is ReviewState.NEEDS_REVIEW
    assert not world.traces.review_counts().spreading


def test_a_verdict_without_dependents_queues_nothing(world: World) -> None:
    decision = root(world)
    assert world.traces.reject_decision(decision.id, "Wrong.").recorded
    assert world.store.read(PENDING) == [{"n": 0}]
    assert world.store.read(INCOMPLETE)[0]["incomplete"] in ([False], [None], [])
    assert world.traces.continue_decision_review() == 0


@pytest.mark.parametrize("verdict", ["reject", "supersede"])
def test_a_verdict_flags_what_rests_on_the_decision(world: World, verdict: str) -> None:
    first, second, third = chain(world, 3)
    if verdict == "reject":
        assert world.traces.reject_decision(first.id, "Wrong.").recorded
    else:
        seen = world.seen(first.id)
        assert world.traces.supersede_where_it_stands(first.id, explanation="New.", expected=seen).recorded
    assert world.again(second).review_state is ReviewState.UNKNOWN
    finish(world)
    assert flagged(world) == {"link-1", "link-2"}
    assert world.again(third).review_reason is ReviewReason.DEPENDENCY_REVIEW


class Failing:
    """A store that loses the answer of every write, or the write itself, now and then."""

    def __init__(self, store: GraphStore) -> None:
        self.store = store
        self.writes = 0

    def write(self, query: str, **params: object) -> Any:
        self.writes += 1
        if self.writes % 3 == 1:
            raise OutcomeUnknown("lost before")
        rows = self.store.write(query, **params)
        if self.writes % 3 == 2:
            raise OutcomeUnknown("lost after")
        return rows

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)


def test_lost_answers_and_interruptions_lose_no_flag(world: World) -> None:
    """Fault 19: after any step a new worker goes on, and a lost answer changes nothing."""
    chain(world, 12)
    world.change("refund-policy", ELSEWHERE)
    failing = Failing(world.store)
    for _ in range(60):
        if not propagation.continue_review(failing, PROJECT, 1):  # type: ignore[arg-type]
            break
    assert world.store.read(PENDING) == [{"n": 0}]
    assert len(flagged(world)) == 12


class Killed(Exception):
    """What ends a worker in the middle of its work."""


class Killing:
    """A store whose client is killed at random, before a statement or between it and its answer."""

    def __init__(self, store: GraphStore, seed: int) -> None:
        self.store = store
        self.chance = random.Random(seed)

    def write(self, query: str, **params: object) -> Any:
        draw = self.chance.random()
        if draw < 0.15:
            raise Killed
        rows = self.store.write(query, **params)
        if draw < 0.3:
            raise Killed
        return rows

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)


FLAGS = "MATCH (d:Decision) WHERE d.review_state = 'needs_review' RETURN count(d) AS n"


def is_whole(world: World) -> bool:
    """Whether nothing is queued, and the project says so. Nothing queued that it says is complete, at any time."""
    queued = world.store.read(PENDING)[0]["n"]
    incomplete = world.store.read(INCOMPLETE)[0]["incomplete"]
    return queued == 0 and incomplete == [False]


@pytest.mark.parametrize("shape", ["fan of 5,000", "chain of 500", "web"])
def test_workers_that_are_killed_at_random_lose_no_flag(world: World, shape: str) -> None:
    """Four workers, each begun again and again; a step flags at most 500. The project is complete when it is."""
    top = root(world)
    links = {
        "fan of 5,000": [(number, 0) for number in range(1, 5_001)],
        "chain of 500": [(number, number - 1) for number in range(1, 501)],
        "web": [(number, (number - 1) // 3) for number in range(1, 400)]
        + [(number, number - 7) for number in range(8, 400)]
        + [(number, number + 5) for number in range(1, 380, 9)],
    }[shape]
    made = bulk(world.store, top, links)
    world.change("refund-policy", ELSEWHERE)
    assert world.by_id(made[-1]).review_state is ReviewState.UNKNOWN
    until = time.monotonic() + 120

    def work(seed: int) -> int:
        store, killed = Killing(world.store, seed), 0
        while time.monotonic() < until:
            try:
                if not propagation.continue_review(store, PROJECT, 20):  # type: ignore[arg-type]
                    return killed
            except Killed:
                killed += 1
        raise AssertionError("it did not end")

    killed = at_once([lambda n=n: work(n) for n in range(4)])  # type: ignore[misc]
    finish(world)
    assert sum(killed) > 0
    assert world.store.read(FLAGS) == [{"n": len(made) + 1}]
    assert is_whole(world)
    assert world.by_id(made[-1]).review_reason is ReviewReason.DEPENDENCY_REVIEW


def test_a_step_is_bounded_and_shared_by_what_it_claims(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(propagation, "CHILDREN", 40)
    top = root(world)
    below = [(number, 0) for number in range(1, 5)]
    leaves = [(100 * parent + number, parent) for parent in range(1, 5) for number in range(30)]
    bulk(world.store, top, below + leaves)
    world.change("refund-policy", ELSEWHERE)
    assert world.traces.continue_decision_review(limit=1) == 1
    before = world.store.read(FLAGS)[0]["n"]
    assert before == 5
    world.traces.continue_decision_review(limit=4)
    assert world.store.read(FLAGS) == [{"n": before + 40}]
    finish(world)
    assert world.store.read(FLAGS) == [{"n": 5 + 120}]


def test_a_project_that_was_called_complete_too_early_is_set_right(world: World) -> None:
    """agentic-graphrag may say so between another's claim and its flags; the next step takes it back."""
    decisions = chain(world, 4)
    world.change("refund-policy", ELSEWHERE)
    world.store.write("MATCH (p:Project) SET p.review_incomplete = false RETURN count(p) AS n")
    assert world.traces.continue_decision_review(limit=1) == 1
    assert world.store.read(INCOMPLETE)[0]["incomplete"] == [True]
    finish(world)
    assert len(flagged(world)) == len(decisions)


def test_with_more_than_100_queued_and_in_a_cycle_the_answer_is_careful(world: World) -> None:
    """Fault 10: what cites nothing is never unknown, nor is what no queued decision leads to, up to 100 of them."""
    top = root(world)
    apart = world.decision(events=[world.event("Else.")], choice="apart")
    below_apart = world.decision(choice="below-apart", parents=[apart])
    links = [(number, 0) for number in range(1, 102)] + [(1_000 + number, number) for number in range(1, 102)]
    made = bulk(world.store, top, [*links, (2_000, 1_001), (1, 2_000)])
    world.change("refund-policy", ELSEWHERE)
    assert world.again(below_apart).review_state is ReviewState.CLEAR
    assert world.by_id(made[-1]).review_state is ReviewState.UNKNOWN
    assert world.traces.continue_decision_review(limit=1) == 1
    assert world.traces.review_counts().queued == 101
    assert world.again(apart).review_state is ReviewState.CLEAR
    assert world.again(below_apart).review_state is ReviewState.UNKNOWN
    assert world.traces.reaffirm_where_it_stands(apart.id, expected=world.seen(apart.id)).recorded
    world.traces.continue_decision_review(limit=1)
    assert world.traces.review_counts().queued <= 101
    finish(world)
    assert world.again(below_apart).review_state is ReviewState.CLEAR
    assert world.store.read(FLAGS) == [{"n": len(made) + 1}]


def test_4_workers_at_once_flag_everything_and_say_when_it_is_complete(world: World) -> None:
    parent = root(world)
    middle = [child(world, f"middle-{number}", parent) for number in range(12)]
    for number in range(60):
        child(world, f"leaf-{number}", middle[number % 12], middle[(number + 1) % 12])
    world.change("refund-policy", ELSEWHERE)

    def work() -> int:
        units = 0
        while done := world.traces.continue_decision_review(3):
            units += done
        return units

    for _ in range(2):
        at_once([work] * 4)
    assert len(flagged(world)) == 73
    finish(world)


def test_a_flag_and_a_review_that_spreads_meet_a_new_decision(world: World) -> None:
    """A decision recorded on a parent that is just being flagged is flagged too, by whichever comes first."""
    parents = [root(world)]
    parents += [child(world, f"parent-{number}", parents[0]) for number in range(8)]
    world.change("refund-policy", ELSEWHERE)
    made = at_once(
        [lambda n=n: child(world, f"new-{n}", parents[n % 9]) for n in range(12)]  # type: ignore[misc, list-item]
        + [lambda: world.traces.continue_decision_review()] * 4
    )
    assert len(made) == 16
    finish(world)
    assert len(flagged(world)) == 9 + 12


def test_a_chain_of_six_is_cleared_root_first(world: World) -> None:
    """Case 86."""
    decisions = chain(world, 6)
    world.change("refund-policy", ELSEWHERE)
    finish(world)
    third = decisions[2]
    refused = world.traces.reaffirm_where_it_stands(third.id, expected=world.seen(third.id))
    assert (refused.error, refused.detail) == ("cannot_revalidate", "the decision needs review itself")
    for decision in decisions:
        result = world.traces.reaffirm_where_it_stands(decision.id, expected=world.seen(decision.id))
        assert result.recorded, result
    assert flagged(world) == set()
    assert world.traces.review_counts().flagged == 0
