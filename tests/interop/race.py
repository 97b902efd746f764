"""Runs inside agentic-graphrag's own environment: many of its writers at once on one task, its decisions, one document.

The words that are cited stand at the beginning of the document in all its versions, so an evidence id is known from the
hash of the version alone.
"""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from agrag.common.data_models.decision import DecisionSupportInput, DocumentSupportInput, EventSupportInput
from agrag.common.data_models.task import EventKind, StepState
from agrag.decisions import DecisionTraces
from agrag.evidence import fetch_evidence
from agrag.history import ConversationHistory

VERSION = "MATCH (d:Document {document_key: $key}) RETURN d.current_content_hash AS hash"


class Race:
    """Writers that go on until the time is up, and a count of what became of each call."""

    def __init__(self, open_store: Callable[[], Any], documents: Any, project: str) -> None:
        self._open, self._documents, self._project = open_store, documents, project
        self._writers: list[_Writer] = []
        self._counts: Counter[str] = Counter()

    async def prepare(self, shared: dict[str, Any], writers: int) -> None:
        """Connect the writers to a graph that has its schema. ``shared``: task, document, cited, versions, choices."""
        for number in range(writers):
            # A store of its own, as a process of its own would have: one store lets one transaction pass at a time.
            store = self._open()
            await store.connect()
            self._writers.append(_Writer(store, self._documents, self._project, f"theirs-{number}", shared))
        # Seconds, the first time: a connection learns the schema, and Neo4j plans each statement.
        await asyncio.gather(*(writer.event() for writer in self._writers))
        first = self._writers[0]
        for call in [first.change, first.step, *[first.decide] * 12, first.spread]:
            await call()

    async def run(self, seconds: float) -> dict[str, int]:
        """What became of the calls, by their names and what they were told."""
        until = time.monotonic() + seconds
        await asyncio.gather(*(self._write(writer, until) for writer in self._writers))
        for writer in self._writers:
            await writer.close()
        self._writers = []
        return dict(self._counts)

    async def _write(self, writer: "_Writer", until: float) -> None:
        while time.monotonic() < until:
            name, call = writer.any_call(changes=writer is self._writers[0])
            try:
                outcome = await call()
            except Exception as error:  # noqa: BLE001 - the test decides what it may raise
                outcome = f"{type(error).__name__}: {str(error)[:200]}"
            self._counts[f"{name} {outcome}"] += 1


class _Writer:
    """One agent."""

    def __init__(self, store: Any, documents: Any, project: str, agent: str, shared: dict[str, Any]) -> None:
        self._store, self._documents, self._agent, self._shared = store, documents, agent, shared
        self._task = shared["task"]
        self._history = ConversationHistory(store, project_id=project, agent_id=agent)
        self._decisions = DecisionTraces(store, project_id=project, agent_id=agent)
        # The session before this one has made all of it; each would look and wait for seconds at its first write.
        self._history._schema_ready = self._decisions._schema_ready = True

    async def close(self) -> None:
        await self._store.close()

    def any_call(self, *, changes: bool) -> tuple[str, Callable[[], Awaitable[str]]]:
        calls = {"event": self.event, "step": self.step, "decide": self.decide, "spread": self.spread}
        name = random.choices(list(calls), [3, 1, 4, 1])[0]
        if changes and random.random() < 0.1:
            name, calls["change"] = "change", self.change
        return name, calls[name]

    async def event(self) -> str:
        return _told(await self._history.record_event(self._task, EventKind.NOTE, payload=f"{self._agent} writes."))

    async def step(self) -> str:
        return _told(await self._history.set_step(self._task, f"step-{random.randrange(4)}", StepState.IN_PROGRESS))

    async def change(self) -> str:
        text = random.choice(self._shared["versions"])
        return str((await self._documents.update(self._shared["document"], text))["decision"])

    async def spread(self) -> str:
        await self._decisions.continue_decision_review(limit=5)
        return "recorded"

    async def decide(self) -> str:
        """Record, supersede, reaffirm or reject: whatever the choice allows."""
        choice = random.choice(self._shared["choices"])
        listed = await self._decisions.list_decisions(self._task, include_history=False)
        standing = [each for each in listed.page.decisions if each.choice_key == choice]
        supports, fetched = await self._cited()
        first, *others = self._shared["choices"]
        if choice in others[2:]:  # these rest on the first
            parents = [each for each in listed.page.decisions if each.choice_key == first]
            supports += [DecisionSupportInput(decision_id=str(each.id)) for each in parents]
        more: dict[str, Any] = {"supports": supports, "fetched_evidence": fetched}
        words = (f"{self._agent} says so", "The source says so.")
        if not standing:
            return _told(await self._decisions.record_decision(self._task, choice, *words, **more))
        what = random.choices(["supersede", "reaffirm", "reject"], [5, 5, 1])[0]
        target = standing[0].id
        if what == "supersede":
            return _told(await self._decisions.supersede_decision(target, *words, explanation="Newer.", **more))
        if what == "reaffirm":
            return _told(await self._decisions.reaffirm_decision(target, supports[:1], fetched_evidence=fetched))
        return _told(await self._decisions.reject_decision(target, "Wrong."))

    async def _cited(self) -> tuple[list[Any], list[Any]]:
        key, words = self._shared["document"], self._shared["cited"]
        rows = await self._store.execute_read(VERSION, {"key": key})
        head = (rows[0]["hash"] or "")[:16]
        evidence = f"ev1:s:{uuid5(NAMESPACE_OID, f'Document:{key}')}:{head}:0-{len(words)}"
        fetched = (await fetch_evidence(self._store, [evidence], scope=frozenset({key}))).outcomes
        event = EventSupportInput(task_name=self._task, seq=1)
        return [DocumentSupportInput(evidence_id=evidence), event], list(fetched)


def _told(result: Any) -> str:
    return "recorded" if result.recorded else str(result.error)
