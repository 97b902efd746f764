"""The model of the races against the real stores: the same writes, one after the other, with the same outcomes."""

import itertools
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from hypothesis.strategies import booleans, sampled_from

from reaffirm.store import GraphStore
from tests.soak import model
from tests.soak.acts import ACTS, Scene
from tests.soak.operations import World

EXAMPLES = {"falkordb": 40, "neo4j": 12}
_numbers = itertools.count(1)


class Sequence(RuleBasedStateMachine):
    """Any writes in any order on one scene."""

    store: GraphStore

    @initialize(held=booleans())
    def begin(self, held: bool) -> None:
        self.scene = Scene(World(self.store), f"scene-{next(_numbers)}", held=held)
        self.scene.begin()
        self.state = self.scene.known
        self.calls = 0

    @rule(name=sampled_from(sorted(set(ACTS) - {"delete_task"})))
    def write(self, name: str) -> None:
        if name == "release_hold" and not self.scene.held:
            return
        self._write(name)

    @precondition(lambda self: self.calls > 4)
    @rule()
    def delete(self) -> None:
        self._write("delete_task")
        while self.state.phase:
            self.state = model.advance(self.state)

    @precondition(lambda self: self.state.document.text)
    @rule()
    def fetch(self) -> None:
        self.scene.fetch()
        document = self.state.document
        assert document is not None and document.text is not None
        self.state = model.replace(self.state, seen=(document.seq, document.text))

    def _write(self, name: str) -> None:
        self.calls += 1
        client = f"call {self.calls}"
        expected = ACTS[name].step(self.scene, client, self.state)
        outcome = ACTS[name].call(self.scene, client)
        states = [state for told, state in expected if told == outcome]
        assert states, (name, outcome, [told for told, _ in expected], self.state)
        # Which of several queued decisions goes first is the store's choice: the graph tells which it was.
        now = self.scene.look(self.store)
        self.state = next((state for state in states if self.scene.told(state) == now or state.phase), states[0])

    @invariant()
    def the_graph_is_as_the_model_says(self) -> None:
        assert self.scene.look(self.store) == self.scene.told(self.state)


def test_the_model_does_what_the_library_does(store: GraphStore) -> None:
    machine: Any = type("OnStore", (Sequence,), {"store": store})
    checks = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
    limits = settings(max_examples=EXAMPLES[store.kind], stateful_step_count=14, deadline=None, database=None,
                      suppress_health_check=checks)  # fmt: skip
    run_state_machine_as_test(machine, settings=limits)
