"""Both products write at once: 16 threads here, 8 agents there, one task, its decisions and one document."""

import os
import random
import threading
import time
from collections import Counter
from typing import Any

import pytest

from reaffirm import ids
from reaffirm.decisions import DecisionTraces
from reaffirm.decisions.models import DecisionSupportInput, DocumentSupportInput, EventSupportInput, SupportInput
from reaffirm.history import ConversationHistory
from reaffirm.knowledge import Graph
from reaffirm.models import Result
from reaffirm.store import GraphStore
from tests.decisions.writes import THREADS, at_once
from tests.interop import invariants
from tests.interop.agrag import PROJECT
from tests.interop.worlds import Both

SECONDS = float(os.environ.get("INTEROP_RACE_SECONDS", "30"))
AGENTS = 8
PAUSE = 0.4  # a write here is one statement, there some ten: without a rest ours would leave theirs no room
CITED = "Backups are kept for as long as the law asks."
SHARED: dict[str, Any] = {
    "task": "shared",
    "document": "docs/shared.txt",
    "cited": CITED,
    "choices": [f"choice-{number}" for number in range(6)],
    "versions": [f"{CITED}\n\nThe rest is of no weight, says edition {number}." for number in range(5)],
}
# What a write of ours may be told while others write; none of it leaves anything behind.
OVERTAKEN = {
    "cannot_revalidate", "choice_exists", "decision_changed", "decision_not_active", "document_busy",
    "supersede_target_invalid", "support_decision_not_active", "support_not_fetched", "unreadable",
}  # fmt: skip


class Writer:
    """One thread of ours."""

    WRITES = ("change", "event", "step", "decide", "spread")

    def __init__(self, store: GraphStore, number: int) -> None:
        self._changes = number == 0
        self._agent = f"ours-{number}"
        self._graph = Graph(store)
        self._history = ConversationHistory(store, project_id=PROJECT, agent_id=self._agent)
        self._decisions = DecisionTraces(store, project_id=PROJECT, agent_id=self._agent)

    def any_name(self) -> str:
        if self._changes and random.random() < 0.5:
            return "change"
        return random.choices(self.WRITES, [0, 3, 1, 4, 1])[0]

    def write(self, name: str) -> str:
        """A write; gives its name and what it was told."""
        if name == "change":
            result = self._graph.update(SHARED["document"], random.choice(SHARED["versions"]), author=self._agent)
            return _told(name, result)
        if name == "event":
            return _told(name, self._history.record_event("shared", "note", payload=f"{self._agent} writes."))
        if name == "step":
            return _told(name, self._history.set_step("shared", f"step-{random.randrange(4)}", "in_progress"))
        if name == "spread":
            self._decisions.continue_decision_review(5)
            return "spread recorded"
        return self._decide()

    def _decide(self) -> str:
        choice = random.choice(SHARED["choices"])
        active = self._decisions.list_decisions("shared", include_history=False, limit=100).decisions
        standing = [each for each in active if each.choice_key == choice]
        try:
            evidence = self._graph.cite(SHARED["document"], CITED)
        except ValueError:  # in the middle of an activation there, the old version is gone and the new one not in force
            return "cite unreadable"
        fetched = self._graph.fetch([evidence])
        cited = DocumentSupportInput(evidence_id=evidence)
        supports: list[SupportInput] = [cited, EventSupportInput(task_name="shared", seq=1)]
        if choice in SHARED["choices"][3:]:  # these rest on the first
            parents = [each for each in active if each.choice_key == SHARED["choices"][0]]
            supports += [DecisionSupportInput(decision_id=each.id) for each in parents]
        more: dict[str, Any] = {"supports": supports, "fetched_evidence": fetched}
        words = (f"{self._agent} says so", "The source says so.")
        if not standing:
            return _told("record", self._decisions.record_decision("shared", choice, *words, **more))
        what = random.choices(["supersede", "reaffirm", "reject"], [5, 5, 1])[0]
        target = standing[0].id
        if what == "supersede":
            return _told(what, self._decisions.supersede_decision(target, *words, explanation="Newer.", **more))
        if what == "reaffirm":
            return _told(what, self._decisions.reaffirm_decision(target, [cited], fetched_evidence=fetched))
        return _told(what, self._decisions.reject_decision(target, "Wrong."))


def _told(name: str, result: Result) -> str:
    return f"{name} {'recorded' if result.recorded else result.error}"


@pytest.fixture
def begun(both: Both) -> Both:
    both.theirs.documents.update(SHARED["document"], SHARED["versions"][0])
    assert both.theirs.history.create_task("shared", "Race")["recorded"]
    assert both.theirs.history.record_event("shared", "note", payload="The beginning.")["recorded"]
    both.record("shared", "first", supports=({"task_name": "shared", "seq": 1},))
    first = Writer(both.store, 1)
    for name in Writer.WRITES * 2:
        first.write(name)  # what a store does for the first time takes it seconds
    return both


def raced(both: Both, seconds: float) -> tuple[Counter[str], Counter[str]]:
    """What the writes of both were told: ours, theirs."""
    ours: Counter[str] = Counter()
    theirs: Counter[str] = Counter()
    guard = threading.Lock()
    both.theirs.race.prepare(SHARED, AGENTS)
    until = time.monotonic() + seconds

    def agents() -> None:
        theirs.update(both.theirs.race.run(seconds))

    def thread(number: int) -> None:
        writer = Writer(both.store, number)
        while time.monotonic() < until:
            told = writer.write(writer.any_name())
            time.sleep(random.random() * PAUSE)
            with guard:
                ours[told] += 1

    at_once([agents, *(lambda number=number: thread(number) for number in range(THREADS))])  # type: ignore[misc]
    return ours, theirs


def test_both_write_at_once(begun: Both) -> None:
    """Events without a gap, one active revision of a choice, no orphan, one version in force, no flag lost."""
    ours, theirs = raced(begun, SECONDS)
    assert {told.split()[1] for told in ours} <= OVERTAKEN | {"recorded"}, ours
    for name in ("event", "step", "change", "record"):
        assert ours[f"{name} recorded"], ours
    assert ours["supersede recorded"] + ours["reaffirm recorded"] + ours["reject recorded"], ours
    for told in ("event recorded", "step recorded", "change new_version", "decide recorded"):
        assert theirs[told], theirs
    begun.spread("ours")
    invariants.sound(begun.store)
    # It reads a document or a parent in one step and writes the decision in another. Ours does so in one.
    lost = invariants.lost_flags(begun.store)
    assert all(writer.startswith(invariants.THEIRS) for writer in lost.values()), lost
    assert begun.ours.sweep_lost_flags() >= len(lost)
    begun.spread("ours")
    assert invariants.lost_flags(begun.store) == {}
    each_reads_the_other(begun)


def each_reads_the_other(both: Both) -> None:
    flags = both.flags()
    mine = {each.id: each for each in both.ours.task_decisions(ids.task_id(PROJECT, "shared"))}
    for each in both.theirs.decisions.list_decisions("shared")["page"]["decisions"]:
        assert mine[each["id"]].status == each["status"]
        assert (mine[each["id"]].review_state == "needs_review") == (each["id"] in flags)
    view, other = both.our_history.get_task("shared").view, both.theirs.history.get_task("shared")["view"]
    assert view and (view.last_event_seq, view.step_counts["in_progress"]) == (
        other["last_event_seq"],
        other["step_counts"]["in_progress"],
    )
    last = view.last_event_seq - 50
    events = both.our_history.list_events("shared", after_seq=last).events
    assert [each.id for each in events] == [
        each["id"] for each in both.theirs.history.list_events("shared", after_seq=last)["events"]
    ]
    assert both.our_graph.text(SHARED["document"]) in SHARED["versions"]
    assert both.theirs.documents.evidence(SHARED["document"])
