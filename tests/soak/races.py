"""16 clients at once with two kinds of write on the same objects: what they were told, and what the graph holds behind
them, is what some order of the writes one after the other leads to."""

import random
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations_with_replacement

from reaffirm.store import open_store
from tests.soak import sound
from tests.soak.acts import ACTS, Act, Scene
from tests.soak.model import Outcome, serial_order
from tests.soak.operations import World

CLIENTS = 16
STORES = 4  # as of so many processes; each has connections of its own
CHECKED = 25  # races between two looks at the whole graph

Pair = tuple[str, str]


def pairs(number: int | None, seed: int) -> list[Pair]:
    """All pairs of writes in a random order, or so many of them."""
    found = list(combinations_with_replacement(sorted(ACTS), 2))
    random.Random(seed).shuffle(found)
    return found[:number]


class Races:
    """Races on one store."""

    def __init__(self, url: str, seed: int) -> None:
        self._worlds = [World(open_store(url)) for _ in range(STORES)]
        self._store = self._worlds[0].store
        self._store.ensure_schema()
        self._seed = seed
        self._number = 0
        self.faults: list[str] = []
        self.outcomes: Counter[str] = Counter()

    def close(self) -> None:
        for world in self._worlds:
            world.store.close()

    def run(self, chosen: list[Pair]) -> None:
        for number, pair in enumerate(chosen, 1):
            self.faults += self._race(pair)
            if number % CHECKED == 0 or number == len(chosen):
                self.faults += [f"behind race {number}: {each}" for each in sound.breaches(self._store)]

    def _race(self, pair: Pair) -> Iterator[str]:
        self._number += 1
        scene = Scene(self._worlds[0], f"race-{self._seed}-{self._number}", held="release_hold" in pair)
        scene.begin()
        calls = [(ACTS[pair[number % 2]], f"client {number}") for number in range(CLIENTS)]
        outcomes = self._at_once(scene, calls)
        while scene.world.decisions(scene.name).continue_decision_review():
            pass
        found = scene.look(self._store)
        told = [act.told(scene, client, outcome) for (act, client), outcome in zip(calls, outcomes, strict=True)]
        self.outcomes.update(f"{each.name.partition(' by ')[0]}: {each.outcome[0]}" for each in told)
        if serial_order(scene.known, told, lambda state: scene.told(state) == found) is None:
            counts = Counter((each.name, each.outcome) for each in told)
            yield f"{pair[0]} and {pair[1]}: no order explains {dict(counts)} and {found}"

    def _at_once(self, scene: Scene, calls: list[tuple[Act, str]]) -> list[Outcome]:
        gate = threading.Barrier(len(calls))
        scenes = [scene.through(world) for world in self._worlds]

        def run(number: int) -> Outcome:
            act, client = calls[number]
            gate.wait()
            return act.call(scenes[number % STORES], client)

        with ThreadPoolExecutor(len(calls)) as pool:
            return list(pool.map(run, range(len(calls))))
