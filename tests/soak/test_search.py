"""That the search for a serial order, and the look for breaches, find what is wrong."""

import pytest

from reaffirm.store import GraphStore
from tests.soak import model, sound
from tests.soak.acts import ACTS, BASE, Scene
from tests.soak.model import Outcome, State, Told, serial_order
from tests.soak.operations import World

BEGIN = State(goal="goal", events=("first",), decisions=((BASE, model.Decision(events=(1,))),))


def told(name: str, outcome: Outcome, *arguments: object) -> Told:
    function = getattr(model, name)
    return Told(f"{name} {arguments}", lambda state: function(state, *arguments), outcome)


def test_an_order_is_found_whatever_the_order_in_which_they_are_named() -> None:
    writes = [told("record_event", ("recorded", number), f"event {number}") for number in (3, 2, 4)]
    writes.append(told("reject", ("decision_not_active",), BASE))
    writes.append(told("reject", ("recorded",), BASE))
    order = serial_order(BEGIN, writes, lambda state: state.events == ("first", "event 2", "event 3", "event 4"))
    assert order is not None
    assert [each.outcome for each in order if each.name.startswith("record")] == [("recorded", n) for n in (2, 3, 4)]


@pytest.mark.parametrize(
    "writes",
    [
        [told("record_event", ("recorded", 2), "one"), told("record_event", ("recorded", 2), "two")],
        [told("reject", ("recorded",), BASE)] * 2,
        [told("reject", ("decision_not_active",), BASE)],
        [told("delete_task", ("recorded",)), told("record_event", ("recorded", 2), "kept")],
    ],
)
def test_what_no_order_explains_is_told(writes: list[Told]) -> None:
    assert serial_order(BEGIN, writes, lambda state: state.goal is not None) is None


BREAKS = {
    "ordinals not dense": "MATCH (s:DecisionSupport) WHERE s.ordinal = 1 SET s.ordinal = 2",
    "two active revisions": "MATCH (d:Decision {choice_key: 'child'}) SET d.choice_key = 'base', d.revision = 2",
    "event without task": "MATCH (:Task)-[h:HAS_EVENT]->(:Event) DELETE h",
    "support without decision": "MATCH (:Decision)-[h:HAS_SUPPORT]->(:DecisionSupport) DELETE h",
    "lost flag of a source": "MATCH (doc:Document) SET doc.activation_seq = 2",
    "lost flag of a parent": "MATCH (d:Decision {choice_key: 'base'}) SET d.review_state = 'needs_review'",
    "chunk without document": "MATCH (:Document)-[h:HAS_PART]->(:Chunk) DELETE h",
    "events": "MATCH (t:Task) SET t.event_seq = 2",
}


@pytest.mark.parametrize("name", sorted(BREAKS))
def test_each_breach_is_found(falkordb_store: GraphStore, name: str) -> None:
    scene = Scene(World(falkordb_store), "scene")
    scene.begin()
    assert list(sound.breaches(falkordb_store)) == []
    falkordb_store.write(BREAKS[name] + " RETURN 1 AS one")
    assert any(breach.startswith(f"{name}:") for breach in sound.breaches(falkordb_store))


def test_a_purge_behind_another_one_tells_the_activation_that_is_there(store: GraphStore) -> None:
    """A race of make soak: with two reads, the second purge said that nothing was to be done at the one before."""
    scene = Scene(World(store), "scene")
    scene.begin()

    class Overtaken:
        """A store where another client purges between the two reads of a purge."""

        reads = 0

        def read(self, query: str, **params: object) -> object:
            self.reads += 1
            if self.reads == 2:
                assert ACTS["purge"].call(scene, "other") == ("removed", 2)
            return store.read(query, **params)

        def __getattr__(self, name: str) -> object:
            return getattr(store, name)

    overtaken = scene.through(World(Overtaken()))  # type: ignore[arg-type]
    assert ACTS["purge"].call(overtaken, "own") == ("no_op", 2)
