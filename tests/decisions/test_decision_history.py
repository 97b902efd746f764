"""The history of one choice: revisions by number, periods, words said, supports; rings are named, not followed."""

from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest

from reaffirm import ids
from reaffirm.decisions import DecisionTraces
from reaffirm.decisions.models import Decision, DecisionStatus
from reaffirm.store import GraphStore
from tests.decisions.factories import World
from tests.history.stores import Watched
from tests.reviews.factories import AGENT, EDITED, ELSEWHERE, PROJECT, QUOTE

VALUES = "MATCH (d:Decision) WHERE d.id = $id SET d += $values RETURN count(d) AS changed"
REPLACES = """
MATCH (a:Decision) WHERE a.id = $newer
WITH a
MATCH (b:Decision) WHERE b.id = $older
CREATE (a)-[r:SUPERSEDES]->(b)
RETURN count(r) AS made
"""
CHAIN = """
MATCH (t:Task) WHERE t._agrag_history_record = true AND t.id = $task_id
WITH t
UNWIND $rows AS row
CREATE (t)-[m:MADE]->(d:Decision) SET d = row
RETURN count(d) AS made
"""


def replaces(store: GraphStore, newer: str, older: str) -> None:
    assert store.write(REPLACES, newer=newer, older=older) == [{"made": 1}]


def next_revision(world: World, decision: Decision, conclusion: str) -> Decision:
    made = world.traces.supersede_decision(
        decision.id, conclusion, "r", explanation=f"Now: {conclusion}", supports=[world.event_input(decision.task_name)]
    ).decision
    assert made
    return made


def chain(world: World, length: int) -> list[Decision]:
    made = [world.decision(events=[world.event("So it is.")])]
    while len(made) < length:
        made.append(next_revision(world, made[-1], f"Answer {len(made) + 1}."))
    return made


def test_everything_that_was_said_and_cited(store: GraphStore) -> None:
    world = World(store)
    world.document()
    first = world.decision([("refund-policy", QUOTE)])
    for number in (1, 2):
        world.change("refund-policy", f"{ELSEWHERE} {number}")
        seen = world.seen(first.id)
        assert world.traces.reaffirm_where_it_stands(first.id, explanation=f"Look {number}.", expected=seen).recorded
    second = world.traces.supersede_decision(
        first.id, "Half of it.", "r", explanation="New law.", supports=[world.event("A new law.")]
    ).decision
    assert second
    assert world.traces.reject_decision(second.id, "No such law.").recorded
    for asked in (first, second):
        history = world.traces.decision_history(asked.id)
        assert (history.found, history.decision_id, history.task_name) == (True, asked.id, first.task_name)
        assert (history.head_id, history.active_id, history.count, history.cycle) == (second.id, None, 2, ())
        newest, oldest = history.revisions
        assert [each.kind for each in newest.said] == ["recorded", "reject"]
        assert [(each.kind, each.by, each.reason) for each in oldest.said] == [
            ("recorded", AGENT, None), ("reaffirm", AGENT, "Look 1."), ("reaffirm", AGENT, "Look 2."),
            ("supersede", AGENT, "New law."),
        ]  # fmt: skip
        assert oldest.said[-1].successor_id == second.id
        assert [each.current for each in oldest.supports] == [False, False, True]
        assert (oldest.support_count, oldest.replaces, newest.replaces) == (3, (), (first.id,))
        assert (newest.said[-1].by, newest.said[-1].reason) == (AGENT, "No such law.")
        assert oldest.held_from == first.created_at and oldest.held_until == oldest.said[-1].at


def test_a_reaffirmation_without_a_passage_is_told(store: GraphStore) -> None:
    """Fault 24."""
    world = World(store)
    world.document()
    parent = world.decision([("refund-policy", QUOTE)], choice="parent")
    child = world.decision(parents=[parent], choice="child")
    world.change("refund-policy", ELSEWHERE)
    while world.traces.continue_decision_review():
        pass
    for each, why in ((parent, "Same words."), (child, "Its parent holds.")):
        seen = world.seen(each.id)
        assert world.traces.reaffirm_where_it_stands(each.id, explanation=why, expected=seen).recorded
    (revision,) = world.traces.decision_history(child.id).revisions
    assert [(each.kind, each.reason) for each in revision.said] == [
        ("recorded", None), ("reaffirm", "Its parent holds."),
    ]  # fmt: skip


def test_case_91_the_head_is_found_by_revision_not_by_time(store: GraphStore) -> None:
    world = World(store)
    made = chain(world, 3)
    back = (made[0].created_at - timedelta(days=30)).isoformat()
    assert store.write(VALUES, id=made[2].id, values={"created_at": back}) == [{"changed": 1}]
    history = world.traces.decision_history(made[0].id)
    assert (history.head_id, history.active_id) == (made[2].id, made[2].id)
    assert [each.decision.revision for each in history.revisions] == [3, 2, 1]
    assert [each.said[-1].successor_id for each in history.revisions] == [None, made[2].id, made[1].id]


def test_case_92_a_chain_of_40_is_one_read(store: GraphStore) -> None:
    world = World(store)
    made = chain(world, 40)
    watched = Watched(store)
    traces = DecisionTraces(watched, project_id=PROJECT, agent_id=AGENT)  # type: ignore[arg-type]
    history = traces.decision_history(made[7].id)
    assert (watched.reads, history.count, history.next_before_revision) == (1, 40, None)
    assert [each.decision.id for each in history.revisions] == [each.id for each in reversed(made)]
    assert (history.head_id, history.active_id, history.cycle) == (made[-1].id, made[-1].id, ())


@pytest.mark.parametrize("ring", [(0, 2), (0, 0), (1, 3)])
def test_case_92_a_ring_that_an_import_left_is_named_and_not_followed(store: GraphStore, ring: tuple[int, int]) -> None:
    world = World(store)
    made = chain(world, 4)
    low, high = ring
    replaces(store, made[low].id, made[high].id)  # the older one is said to replace the newer one
    history = world.traces.decision_history(made[3].id)
    assert set(history.cycle) == {each.id for each in made[low : high + 1]}
    assert (len(history.cycle), history.count, history.head_id) == (high - low + 1, 4, made[3].id)


def test_a_ring_through_another_choice_is_named_too(store: GraphStore) -> None:
    world = World(store)
    event = world.event("So.")
    one, two = (world.decision(events=[event], choice=name) for name in ("one", "two"))
    foreign = World(store, project_id="other")
    theirs = foreign.decision(events=[foreign.event("So.")], choice="one")
    replaces(store, one.id, theirs.id)
    assert world.traces.decision_history(one.id).cycle == ()
    assert world.traces.decision_history(one.id).revisions[0].replaces == ()
    replaces(store, one.id, two.id)
    replaces(store, two.id, one.id)
    assert set(world.traces.decision_history(one.id).cycle) == {one.id, two.id}


def test_case_94_what_is_recorded_again_is_a_new_revision(store: GraphStore) -> None:
    """Case 95: the same words held in two periods; both are found, each with its own."""
    world = World(store)
    event = world.event("So it is.")
    first = world.decision(events=[event])
    assert world.traces.reject_decision(first.id, "Out of date.").recorded
    dead = world.by_id(first.id)
    again = world.decision(events=[event])
    other = next_revision(world, again, "Something else.")
    third = next_revision(world, other, first.conclusion)
    assert world.by_id(first.id) == dead
    history = world.traces.decision_history(first.id)
    assert [each.decision.id for each in history.revisions] == [third.id, other.id, again.id, first.id]
    assert [each.decision.conclusion for each in history.revisions].count(first.conclusion) == 3
    assert [each.decision.status for each in history.revisions] == [
        DecisionStatus.ACTIVE, DecisionStatus.SUPERSEDED, DecisionStatus.SUPERSEDED, DecisionStatus.REJECTED,
    ]  # fmt: skip
    periods: list[tuple[Any, Any]] = [(each.held_from, each.held_until) for each in reversed(history.revisions)]
    for (start, end), (after, _) in pairwise(periods):
        assert start < end <= after
    assert periods[-1][1] is None
    said = {each.decision.id: each.last.kind for each in world.traces.precedents("refund-window").precedents}
    assert said == {first.id: "reject", again.id: "supersede", other.id: "supersede", third.id: "recorded"}


def test_a_long_history_is_paged(store: GraphStore) -> None:
    world = World(store)
    (first,) = chain(world, 1)
    (row,) = store.read("MATCH (d:Decision) WHERE d.id = $id RETURN d{.*} AS row", id=first.id)
    rows = [
        {**row["row"], "id": ids.decision_id(first.task_id, first.choice_key, number), "revision": number}
        for number in range(2, 251)
    ]
    assert store.write(CHAIN, task_id=first.task_id, rows=rows) == [{"made": 249}]
    found: list[int] = []
    history = world.traces.decision_history(first.id)
    while True:
        found += [each.decision.revision for each in history.revisions]
        assert (history.count, history.head_id) == (250, rows[-1]["id"])
        if history.next_before_revision is None:
            break
        history = world.traces.decision_history(first.id, before_revision=history.next_before_revision)
    assert found == list(range(250, 0, -1))
    assert world.traces.decision_history(first.id, before_revision=-5).revisions == ()


def test_a_review_that_spreads_reads_as_unknown_here_too(store: GraphStore) -> None:
    world = World(store)
    world.document()
    parent = world.decision([("refund-policy", QUOTE)], choice="parent")
    child = world.decision(parents=[parent], choice="child")
    world.change("refund-policy", EDITED)
    assert world.traces.decision_history(child.id).revisions[0].decision == world.by_id(child.id)


@pytest.mark.parametrize("decision_id", ["", "x", None, ids.decision_id("t", "c", 1)])
def test_nothing_is_found_of_others(store: GraphStore, decision_id: Any) -> None:
    world = World(store)
    assert world.traces.decision_history(decision_id).found is False
    foreign = World(store, project_id="other")
    theirs = foreign.decision(events=[foreign.event("So.")])
    world.decision(events=[world.event("So.")])
    assert world.traces.decision_history(theirs.id).found is False
    assert world.traces.decision_history(theirs.id).model_dump(exclude_defaults=True) == {"found": False}
