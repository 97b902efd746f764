"""Each decision knows how many active ones cite it, whoever records, supersedes or rejects them, also all at once."""

from typing import Any

import pytest

from reaffirm.decisions import DecisionTraces, adopt_flags
from reaffirm.decisions.counting import count_flags
from reaffirm.decisions.models import DecisionSupportInput
from reaffirm.store import GraphStore
from tests.decisions.factories import World
from tests.decisions.writes import THREADS, Catching, at_once, caught, changed, dump
from tests.reviews.factories import PROJECT

STORED = "MATCH (d:Decision) RETURN d.id AS id, d.dependents AS stored"
COUNTED = """
MATCH (d:Decision)
OPTIONAL MATCH (c:Decision)-[r:DEPENDS_ON]->(d) WHERE c.status = 'active'
RETURN d.id AS id, count(DISTINCT c) AS counted
"""


def stored(store: GraphStore) -> dict[str, Any]:
    return {row["id"]: row["stored"] for row in store.read(STORED)}


def counted(store: GraphStore) -> dict[str, Any]:
    return {row["id"]: row["counted"] for row in store.read(COUNTED)}


def citing(*parents: Any) -> list[DecisionSupportInput]:
    return [DecisionSupportInput(decision_id=parent.id) for parent in parents]


def test_the_number_of_dependents_follows_every_write(store: GraphStore) -> None:
    world = World(store)
    event = world.event("It says so.")
    one, two, three = (world.decision(events=[event], choice=name) for name in ("one", "two", "three"))
    child = world.decision(choice="child", parents=[one, two])
    other = world.decision(choice="other", parents=[one, child])
    assert stored(store) == counted(store)
    assert [stored(store)[each.id] for each in (one, two, three, child, other)] == [2, 1, 0, 1, 0]

    # The revision keeps one parent, leaves one, and takes a new one; what cites the old revision still does.
    later = world.traces.supersede_decision(
        child.id, "No.", "Why.", explanation="New.", supports=citing(one, three)
    ).decision
    assert later
    assert stored(store) == counted(store)
    assert [stored(store)[each.id] for each in (one, two, three, child, later)] == [2, 0, 1, 1, 0]

    assert world.traces.reject_decision(later.id, "Wrong.").recorded
    assert world.traces.reject_decision(other.id, "Wrong.").recorded
    assert stored(store) == counted(store)
    assert set(stored(store).values()) == {0}

    assert world.decision(choice="child", parents=[one]).revision == 3
    assert stored(store) == counted(store)
    assert stored(store)[one.id] == 1


def test_a_verdict_where_it_stands_keeps_the_number(store: GraphStore) -> None:
    world = World(store)
    event = world.event("It says so.")
    parent = world.decision(events=[event], choice="parent")
    child = world.decision(choice="child", parents=[parent])
    world.traces.supersede_where_it_stands(child.id, explanation="New.", expected=world.seen(child.id))
    assert stored(store) == counted(store)
    assert stored(store)[parent.id] == 1


def test_of_writers_at_once_each_is_counted(store: GraphStore) -> None:
    """Recorded, superseded and rejected on the same two decisions."""
    world = World(store)
    event = world.event("It says so.")
    parents = [world.decision(events=[event], choice=f"parent-{number}") for number in range(2)]
    children = [world.decision(choice=f"old-{number}", parents=parents) for number in range(THREADS)]

    def write(number: int) -> bool:
        traces = DecisionTraces(store, project_id=PROJECT, agent_id=f"agent-{number}")
        if number % 4 == 0:
            return traces.reject_decision(children[number].id, "Wrong.").recorded
        supports = citing(*(parents if number % 4 == 1 else parents[number % 2 :][:1]))
        if number % 4 == 3:
            return traces.record_decision(
                "refund-LM-20931", f"new-{number}", "Yes.", "Why.", supports=supports
            ).recorded
        return traces.supersede_decision(
            children[number].id, "No.", "Why.", explanation="New.", supports=supports
        ).recorded

    assert at_once([lambda number=number: write(number) for number in range(THREADS)]) == [True] * THREADS  # type: ignore[misc]
    assert stored(store) == counted(store)
    assert [stored(store)[parent.id] for parent in parents] == [12, 12]


@pytest.mark.parametrize("wrong", [None, 7])
def test_adoption_counts_where_another_program_wrote(store: GraphStore, wrong: int | None) -> None:
    world = World(store)
    world.document()
    parent = world.flagged()
    for number in range(3):
        world.decision(choice=f"child-{number}", parents=[parent])
    store.write("MATCH (d:Decision) WHERE d.id = $id SET d.dependents = $n RETURN 1 AS one", id=parent.id, n=wrong)
    assert adopt_flags(store, project_id=PROJECT) == 1
    assert stored(store) == counted(store)
    assert stored(store)[parent.id] == 3
    assert adopt_flags(store, project_id=PROJECT) == 0


def test_what_left_the_queue_meanwhile_is_not_counted(store: GraphStore) -> None:
    world = World(store)
    parent = world.flagged()
    store.write("MATCH (d:Decision) WHERE d.id = $id SET d.dependents = 7 RETURN 1 AS one", id=parent.id)
    write = caught(lambda: count_flags(Catching(store), PROJECT, limit=10))
    before = dump(store)
    with changed(store, parent.id, status="rejected"):
        assert store.write(write.query, **write.params) == [{"counted": 0}]
    with changed(store, parent.id, review_state="clear", change_size=None):
        store.write(write.query, **write.params)
        facts = store.read("MATCH (d:Decision) WHERE d.id = $id RETURN d{.*} AS d", id=parent.id)[0]["d"]
        assert facts.get("change_size") is None and facts["dependents"] == 0
        store.write("MATCH (d:Decision) WHERE d.id = $id SET d.dependents = 7 RETURN 1 AS one", id=parent.id)
    assert dump(store) == before
