"""Kill clients and servers at random moments inside every kind of write, and look at what is left.

A round is a few tries at once, each a client process with one operation. Of a client's round each is killed by itself:
before its statement, while it is under way, or behind it; of a server's round all live and the server is killed. Then
what was acknowledged must be there, what was not must be there whole or not at all, and the same call again must lead
to exactly once.
"""

import random
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

from reaffirm.models import Result
from reaffirm.store import GraphStore, open_store
from tests.soak import client, sound
from tests.soak.operations import OPERATIONS, PROJECT, Arguments, Facts, Operation, World
from tests.soak.servers import Server

AT_ONCE = 4
TOLD = 100  # kills between two lines that tell how far it is
LOADERS = 2
PHASES = ("before", "inside", "after")
FIRST_GUESS = {"before": 0.004, "inside": 0.003, "after": 0.002}  # seconds, until a try has told better
FORKS = get_context("forkserver")
FORKS.set_forkserver_preload(["tests.soak.client"])


@dataclass
class Try:
    """One operation in a client process, and what became of it.

    Attributes:
        place: The last that the client told before it ended: which decides where the kill was.
        before: The facts before the call; ``settled`` those behind it all.
    """

    number: int
    operation: Operation
    arguments: Arguments
    before: Facts
    phase: str
    statement: int
    fraction: float
    place: str = "before"
    acknowledged: bool = False
    refused: str | None = None
    settled: Facts = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"try {self.number} ({self.operation.name})"

    @property
    def wanted(self) -> Facts:
        return self.operation.after({**self.before, "mark": self.arguments["mark"]})


class Soak:
    """A run on one server."""

    def __init__(self, server: Server, seed: int) -> None:
        self.server, self.seed = server, seed
        self.counts: dict[str, Counter[str]] = defaultdict(Counter)
        self.faults: list[str] = []
        self.loaded: list[str] = []
        self._typical: dict[tuple[str, str], float] = {}
        self._tries: list[Try] = []
        self._names: list[str] = []
        self._number = 0
        self._order = random.Random(seed)
        self.store: GraphStore = open_store(server.url)
        self.store.ensure_schema()
        self.world = World(self.store)
        self.world.begin()

    def close(self) -> None:
        self.store.close()

    # Rounds

    def run(self, kills: int, server_kills: int) -> None:
        """So many kills in all, of which so many of the server, spread over the run, the last one at its end."""
        clients = kills - server_kills
        every = clients / server_kills if server_kills else clients + 1
        done = of_server = 0
        told = 0
        while done < clients or of_server < server_kills:
            if done >= clients or of_server < int(done / every):
                self.server_round(self._prepared(AT_ONCE))
                of_server += 1
            else:
                tries = self._prepared(min(AT_ONCE, clients - done))
                self.client_round(tries)
                done += len(tries)
            if done + of_server >= told + TOLD:
                told = done + of_server
                print(f"  {told} kills, {len(self.faults)} faults", flush=True)
        self._check_again()

    def client_round(self, tries: list[Try]) -> None:
        """Each try's client is killed."""
        with ThreadPoolExecutor(len(tries)) as pool:
            list(pool.map(self._killed, tries))
        self._settle(tries)

    def server_round(self, tries: list[Try]) -> None:
        """The server is killed under all of them, while others write events as fast as they can."""
        loaders = [_Loader(self.server.url, f"load-{tries[0].number}-{number}") for number in range(LOADERS)]
        killer = _ServerKiller(self.server, tries[0])
        with ThreadPoolExecutor(len(tries) + 1) as pool:
            clients = list(pool.map(self._client, tries))  # all connected, before one of them strikes
            reviving = pool.submit(killer.run)
            list(pool.map(lambda each: self._survived(*each, killer), zip(tries, clients, strict=True)))
            killer.now.set()
            reviving.result()
        for loader in loaders:
            self.loaded += loader.end()
        self.counts["(server)"]["kills"] += 1
        self._settle(tries)

    def _prepared(self, number: int) -> list[Try]:
        with ThreadPoolExecutor(number) as pool:
            return list(pool.map(self._prepare, [self._next() for _ in range(number)]))

    def _next(self) -> tuple[int, str]:
        """The number of the next try and its operation: all kinds in a random order, and again."""
        if not self._names:
            self._names = list(OPERATIONS)
            self._order.shuffle(self._names)
        self._number += 1
        return self._number, self._names.pop()

    def _prepare(self, which: tuple[int, str]) -> Try:
        number, name = which
        chance = random.Random(f"{self.seed} {number}")
        operation, mark = OPERATIONS[name], f"m{self.seed}-{number}-"
        own = operation.prepare(self.world, mark)
        arguments = {"mark": mark, "project": PROJECT, "request": f"r-{mark}", **own}
        phase, statement = chance.choice(PHASES), chance.choice((1, 1, 2, 3, 4, 6)) if operation.steps else 1
        before = operation.look(self.store, arguments)
        return Try(number, operation, arguments, before, phase, statement, chance.random())

    # One client

    def _client(self, each: Try) -> tuple[Any, Connection]:
        return _start(client.perform, self.server.url, each.phase, each.operation.name, each.arguments)

    def _killed(self, each: Try) -> None:
        process, line = self._client(each)
        line.send_bytes(client.GO)
        self._follow(each, line, process.kill)
        process.kill()
        process.join()
        self._drain(each, line)
        counts = self.counts[each.operation.name]
        counts["kills"] += 1
        counts[each.place] += 1

    def _survived(self, each: Try, started: tuple[Any, Connection], killer: "_ServerKiller") -> None:
        process, line = started
        line.send_bytes(client.GO)
        if each is killer.trigger:
            self._follow(each, line, killer.now.set)
        self._drain(each, line)
        process.join()
        self.counts[each.operation.name]["under a server"] += 1

    def _follow(self, each: Try, line: Connection, strike: Any) -> None:
        """Read what the client tells until its moment has come, then strike."""
        if each.phase == "before":
            self._pause(each)
            strike()
            return
        sign = client.WRITE if each.phase == "inside" else client.WROTE
        seen, last, started = 0, "before", time.monotonic()
        for message in _messages(line):
            self._learn(each, last, time.monotonic() - started)
            last, started = _place_of(message), time.monotonic()
            self._note(each, message)
            seen += message == sign
            if seen == each.statement:
                self._pause(each)
                strike()
                return

    def _pause(self, each: Try) -> None:
        time.sleep(each.fraction * 1.2 * self._typical.get((each.operation.name, each.phase), FIRST_GUESS[each.phase]))

    def _learn(self, each: Try, phase: str, seconds: float) -> None:
        key = (each.operation.name, phase)
        self._typical[key] = 0.7 * self._typical.get(key, seconds) + 0.3 * min(seconds, 1.0)

    def _drain(self, each: Try, line: Connection) -> None:
        for message in _messages(line):
            self._note(each, message)
        line.close()

    @staticmethod
    def _note(each: Try, message: bytes) -> None:
        each.place = _place_of(message)
        word, _, rest = message.partition(b" ")
        if word == client.ACK:
            each.acknowledged = rest == b"ok"
            each.refused = None if rest == b"ok" else rest.decode()

    # What is left

    def _settle(self, tries: list[Try]) -> None:
        with ThreadPoolExecutor(len(tries)) as pool:
            list(pool.map(self._settled, tries))
        self.faults += [f"behind try {tries[-1].number}: {breach}" for breach in sound.breaches(self.store)]
        self._tries += tries

    def _settled(self, each: Try) -> None:
        counts = self.counts[each.operation.name]
        found = each.operation.look(self.store, each.arguments)
        there = found == each.wanted
        if each.refused:
            self.faults.append(f"{each.name} was refused: {each.refused}")
        if each.acknowledged:
            counts["acknowledged"] += 1
            if not there:
                counts["lost"] += 1
                self.faults.append(f"{each.name} was acknowledged and is not there: {found}, wanted {each.wanted}")
        elif there:
            counts["there"] += 1
        elif found == each.before:
            counts["not there"] += 1
        elif each.operation.steps:
            counts["part of the way"] += 1
        else:
            counts["half-written"] += 1
            self.faults.append(f"{each.name} is half written: {found}, before {each.before}, wanted {each.wanted}")
        self._again(each, there)

    def _again(self, each: Try, there: bool) -> None:
        """The same call once more, from another process than the one that was killed: exactly once is what is left."""
        result: Any = each.operation.perform(self.world, each.arguments)
        if isinstance(result, Result):
            if not result.recorded:
                self.faults.append(f"{each.name} cannot be repeated: {result}")
            if there and each.operation.named and not result.replayed:
                self.faults.append(f"{each.name} was there, and its repetition was no replay: {result}")
        each.settled = each.operation.look(self.store, each.arguments)
        if each.settled == each.wanted:
            self.counts[each.operation.name]["settled"] += 1
        else:
            self.faults.append(f"{each.name} is not settled: {each.settled}, wanted {each.wanted}")

    def _check_again(self) -> None:
        """At the end of the run: all is still as it was settled, and each acknowledged event of the load is there."""
        self.world.spread(PROJECT)
        for each in self._tries:
            found = each.operation.look(self.store, each.arguments)
            if found != each.settled:
                self.counts[each.operation.name]["lost"] += 1
                self.faults.append(f"{each.name} is no longer as it was settled: {found}, was {each.settled}")
        rows = self.store.read(
            "MATCH (t:Task {name: 'common'})-[:HAS_EVENT]->(e:Event) WHERE e.payload STARTS WITH 'load-'\n"
            "RETURN e.payload AS payload, count(e) AS events"
        )
        found = {row["payload"]: row["events"] for row in rows}
        lost = [text for text in self.loaded if found.get(text) != 1]
        twice = [text for text, events in found.items() if events != 1]
        if lost or twice:
            self.faults.append(f"events of the load: {len(lost)} lost, {len(twice)} twice: {(lost + twice)[:5]}")


class _Loader:
    """A client process that writes events until it is told to end."""

    def __init__(self, url: str, mark: str) -> None:
        self._process, self._line = _start(client.load, url, mark)
        self._line.send_bytes(client.GO)

    def end(self) -> list[str]:
        """What was acknowledged to it."""
        self._line.send_bytes(b"end")
        texts = [message.partition(b" ")[2].decode() for message in _messages(self._line)]
        self._line.close()
        self._process.join()
        return texts


class _ServerKiller:
    """Kills the server when one of the tries has come to its moment, and starts it again."""

    def __init__(self, server: Server, trigger: Try) -> None:
        self._server, self.trigger = server, trigger
        self.now = threading.Event()

    def run(self) -> None:
        self.now.wait(10)
        self._server.kill()
        self._server.revive()


def _start(target: Any, *arguments: Any) -> tuple[Any, Connection]:
    """A process that is connected and waits for the sign."""
    ours, theirs = FORKS.Pipe()
    url, *rest = arguments
    process = FORKS.Process(target=target, args=(url, theirs, *rest), daemon=True)
    process.start()
    theirs.close()
    assert ours.recv_bytes() == client.READY
    return process, ours


def _messages(line: Connection) -> Iterator[bytes]:
    """What a process tells until it ends."""
    while True:
        try:
            yield line.recv_bytes()
        except (EOFError, OSError):
            return


def _place_of(message: bytes) -> str:
    word = message.partition(b" ")[0]
    return {client.WRITE: "inside", client.WROTE: "after", client.ACK: "acked"}.get(word, "raised")
