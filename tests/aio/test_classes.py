"""The awaitable classes are the synchronous ones, method by method."""

import asyncio
import inspect
import random
from typing import Any
from uuid import UUID

import pytest

from reaffirm import aio
from reaffirm.decisions import DecisionTraces
from reaffirm.history import ConversationHistory
from reaffirm.knowledge import Graph
from reaffirm.retention import HistoryRetention
from reaffirm.store import GraphStore, StoreUnavailable, ValueRefused

TWINS = [
    (ConversationHistory, aio.ConversationHistory),
    (DecisionTraces, aio.DecisionTraces),
    (Graph, aio.Graph),
    (HistoryRetention, aio.HistoryRetention),
]


def public(kind: type) -> dict[str, Any]:
    return {name: value for name, value in inspect.getmembers(kind, callable) if not name.startswith("_")}


@pytest.mark.parametrize(("plain", "awaitable"), TWINS)
def test_every_method_has_its_twin(plain: type, awaitable: type) -> None:
    """A new method gets one line in reaffirm/aio/classes.py: ``name = threaded(_Class.name)``."""
    twins = public(awaitable)
    for name, method in public(plain).items():
        assert name in twins, f"reaffirm/aio/classes.py: {awaitable.__name__} lacks {name}"
        assert inspect.iscoroutinefunction(twins[name])
        assert twins[name].__wrapped__ is method
        assert inspect.signature(twins[name]) == inspect.signature(method)
        assert twins[name].__doc__ == method.__doc__


def test_calls_run_side_by_side_and_answer_as_the_synchronous_ones(store: GraphStore) -> None:
    async def work() -> None:
        history = aio.ConversationHistory(store, project_id="atlas", agent_id="planner-1")
        assert (await history.create_task("storage", "Choose")).recorded
        made = await asyncio.gather(*(history.record_event("storage", "note", payload=f"{n}") for n in range(40)))
        assert sorted(result.event.seq for result in made if result.event) == list(range(1, 41))
        refused = await history.create_task("storage", "Another")
        assert (refused.recorded, refused.error) == (False, "task_exists")
        assert (await history.get_task("storage")).found

    asyncio.run(work())
    page = ConversationHistory(store, project_id="atlas", agent_id="planner-1").list_events("storage")
    assert [event.seq for event in page.events] == list(range(1, 41))


def test_an_id_may_be_a_uuid(store: GraphStore) -> None:
    async def work() -> None:
        history = aio.ConversationHistory(store, project_id="atlas", agent_id="planner-1")
        decisions = aio.DecisionTraces(store, project_id="atlas", agent_id="planner-1")
        await history.create_task("storage", "Choose")
        await history.record_event("storage", "note", payload="Thirty days.")
        support = aio.EventSupportInput(task_name="storage", seq=1)
        made = await decisions.record_decision("storage", "keep", "Thirty", "So it says.", supports=[support])
        assert made.decision
        found = await decisions.get_decision(UUID(made.decision.id))  # type: ignore[arg-type]
        assert found.decision == made.decision
        assert (await decisions.reject_decision(UUID(made.decision.id), reason="No.")).recorded  # type: ignore[arg-type]

    asyncio.run(work())


def test_a_cancelled_write_is_settled_by_its_request_id(store: GraphStore) -> None:
    """Whether it had begun, was under way or was done."""

    async def work() -> list[int]:
        history = aio.ConversationHistory(store, project_id="atlas", agent_id="planner-1")
        await history.create_task("storage", "Choose")

        async def write(number: int) -> int:
            def call() -> Any:
                return history.record_event("storage", "note", payload=f"{number}", request_id=f"r-{number}")

            with_luck = asyncio.create_task(call())
            await asyncio.sleep(random.random() * 0.02)
            with_luck.cancel()
            await asyncio.wait([with_luck])
            return int((await call()).event.seq)

        return list(await asyncio.gather(*(write(number) for number in range(30))))

    seqs = asyncio.run(work())
    assert sorted(seqs) == list(range(1, 31))
    page = ConversationHistory(store, project_id="atlas", agent_id="planner-1").list_events("storage")
    assert {event.payload: event.seq for event in page.events} == {str(n): seq for n, seq in enumerate(seqs)}


def test_faults_of_a_program_are_raised(store: GraphStore) -> None:
    with pytest.raises(ValueRefused):
        aio.ConversationHistory(store, project_id="", agent_id="planner-1")

    async def work() -> None:
        with pytest.raises(ValueError, match="max_chars"):
            await aio.fetch_evidence(store, ["ev1:x"], scope=frozenset(), max_chars=0)

    asyncio.run(work())


# Stores


def test_a_store_is_connected_has_its_schema_and_is_closed(blank_store_url: str) -> None:
    async def work() -> None:
        store = aio.open_store(blank_store_url)
        assert not (await store.connect()).problems
        assert await store.healthy()
        graph = await aio.Graph.open(graph_store=store)
        assert (await graph.add("Thirty days.", document_key="docs/a")).recorded
        evidence = await graph.cite("docs/a", "Thirty")
        inside = await aio.fetch_evidence(store, [evidence] * 101, scope={"docs/a"}, max_chars=3)
        assert {(each.status, each.text) for each in inside.outcomes} == {("truncated", "Thi")}
        assert len(inside.outcomes) == 101
        outside = await aio.fetch_evidence(store, [evidence, "ev1:x"], scope={"docs/b"})
        assert [each.status for each in outside.outcomes] == ["unavailable", "malformed"]
        assert (await graph.delete_document("docs/a")).decision == "removed"
        assert (await graph.purge_document("docs/a")).recorded
        await store.close()

    asyncio.run(work())


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, "falkor://localhost:6379/agrag"),
        ({"url": "redis://graph.example:7000", "graph": "g"}, "falkor://graph.example:7000/g"),
        ({"url": "rediss://u:p%2Fw@h:1"}, "falkors://u:p%2Fw@h:1/agrag"),
        ({"url": "rediss://u@h:1", "password": "a/b"}, "falkors://u:a%2Fb@h:1/agrag"),
        ({"url": "redis://h", "password": "pw"}, "falkor://:pw@h/agrag"),
        ({"url": "embedded:var/graph", "graph": "g"}, "embedded:var/graph?graph=g"),
    ],
)
def test_addresses_of_falkordb(monkeypatch: pytest.MonkeyPatch, settings: Any, expected: str) -> None:
    for name in ("URL", "PASSWORD", "GRAPH"):
        monkeypatch.delenv(f"FALKORDB_{name}", raising=False)
    assert aio.FalkorDBSettings(**settings).address() == expected
    for name, value in settings.items():
        monkeypatch.setenv(f"FALKORDB_{name.upper()}", value)
    assert aio.FalkorDBSettings().address() == expected
    assert "a/b" not in repr(aio.FalkorDBSettings())


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, "bolt://neo4j:neo4j@localhost:7687/neo4j"),
        (
            {"uri": "neo4j+s://x.example", "username": "a:b", "password": "p@w", "database": "d"},
            "neo4j+s://a%3Ab:p%40w@x.example/d",
        ),
    ],
)
def test_addresses_of_neo4j(monkeypatch: pytest.MonkeyPatch, settings: Any, expected: str) -> None:
    for name in ("URI", "USERNAME", "PASSWORD", "DATABASE"):
        monkeypatch.delenv(f"NEO4J_{name}", raising=False)
    assert aio.Neo4jSettings(**settings).address() == expected
    for name, value in settings.items():
        monkeypatch.setenv(f"NEO4J_{name.upper()}", value)
    assert aio.Neo4jSettings().address() == expected
    assert "p@w" not in repr(aio.Neo4jSettings())


def test_a_store_out_of_reach_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> None:
        store = aio.FalkorDBGraphStore(settings=aio.FalkorDBSettings(url="redis://127.0.0.1:9"))
        with pytest.raises(StoreUnavailable):
            await store.connect()
        await store.close()

    asyncio.run(work())
