"""The line to the store breaks in the middle of a verdict: it happens once, or the caller is told that nobody knows."""

import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from reaffirm.decisions import DecisionTraces
from reaffirm.decisions.models import DecisionResult
from reaffirm.store import GraphStore, OutcomeUnknown, embedded, open_store
from tests.decisions.factories import World
from tests.history.stores import Cut, CuttingProxy
from tests.reviews.factories import ELSEWHERE, PROJECT

MARKS = {"reaffirm": b"o.reviewed_by", "supersede": b"'superseded'", "reject": b"d.rejection_reason"}
CLAIMS = "MATCH (q:Request) WHERE q.request_id = $id RETURN count(q) AS n"
Broken = Callable[..., GraphStore]


@pytest.fixture
def broken(store: GraphStore, store_url: str, falkordb_folder: Path) -> Iterator[Broken]:
    """Make stores whose line breaks when a statement passes that holds a mark."""
    made: list[tuple[GraphStore, CuttingProxy]] = []
    parts = urlsplit(store_url)

    def connect() -> socket.socket:
        if store.kind == "neo4j":
            return socket.create_connection((parts.hostname or "", parts.port or 7687))
        line = socket.socket(socket.AF_UNIX)
        line.connect(embedded.ensure(falkordb_folder).socket_path)
        return line

    def make(mark: bytes, cut: Cut, *, stay_down: bool = False) -> GraphStore:
        proxy = CuttingProxy(connect, mark, cut, stay_down=stay_down)
        url = f"bolt://127.0.0.1:{proxy.port}{parts.path}"
        if store.kind == "falkordb":
            password = embedded.ensure(falkordb_folder).password
            url = f"falkor://:{password}@127.0.0.1:{proxy.port}/{store_url.partition('graph=')[2]}"
        through = open_store(url)
        made.append((through, proxy))
        return through

    yield make
    for through, proxy in made:
        through.close()
        assert proxy.cuts == 1
        proxy.close()


def give(world: World, through: GraphStore, verb: str, decision_id: str) -> DecisionResult:
    traces = DecisionTraces(through, project_id=PROJECT, agent_id="user:ada")
    seen = world.seen(decision_id)
    if verb == "reaffirm":
        return traces.reaffirm_where_it_stands(decision_id, expected=seen, request_id="click")
    if verb == "supersede":
        return traces.supersede_where_it_stands(decision_id, explanation="New.", expected=seen, request_id="click")
    return traces.reject_decision(decision_id, "Wrong.", expected=seen, request_id="click")


@pytest.mark.parametrize("cut", ["sent", "answered"])
@pytest.mark.parametrize("verb", MARKS)
def test_fault_18_a_verdict_whose_line_breaks_happens_once(
    store: GraphStore, broken: Broken, verb: str, cut: Cut
) -> None:
    """Case 29."""
    world = World(store)
    decision = world.flagged(ELSEWHERE)
    result = give(world, broken(MARKS[verb], cut), verb, decision.id)
    assert result.recorded, result
    assert store.read(CLAIMS, id="click") == [{"n": 1}]
    assert store.read("MATCH (d:Decision) WHERE d.status = 'active' RETURN count(d) AS n")[0]["n"] == (verb != "reject")
    notes = store.read("MATCH (e:Event) WHERE e.kind = 'note' RETURN count(e) AS n")
    assert notes == [{"n": 1 if verb == "reaffirm" else 0}]


def test_a_store_that_stays_away_leaves_the_outcome_unknown_until_it_can_be_looked_up(
    store: GraphStore, broken: Broken
) -> None:
    world = World(store)
    decision = world.flagged(ELSEWHERE)
    with pytest.raises(OutcomeUnknown):
        give(world, broken(MARKS["reaffirm"], "answered", stay_down=True), "reaffirm", decision.id)
    found = world.traces.find_request("click")
    assert found and found.recorded and found.replayed
    assert found.decision and found.decision.id == decision.id
    assert world.traces.find_request("another") is None
    assert store.read(CLAIMS, id="click") == [{"n": 1}]
