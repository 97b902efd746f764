"""The last words on a question, and the history of one decision."""

from typing import Any

import pytest

from reaffirm.decisions import DecisionTraces
from reaffirm.store import GraphStore
from tests.decisions.factories import World
from tests.history.stores import Watched
from tests.reviews.factories import AGENT, ELSEWHERE, PROJECT, QUOTE

ERA = "MATCH (d:Decision) WHERE d.id = $id SET d += $values RETURN count(d) AS changed"


def as_by_agrag(store: GraphStore, decision_id: str) -> None:
    """agentic-graphrag stores no verdict."""
    values = dict.fromkeys(("verdict_kind", "verdict_by", "verdict_at"))
    assert store.write(ERA, id=decision_id, values=values) == [{"changed": 1}]


def test_every_decision_on_the_key_with_the_last_word_on_it(store: GraphStore) -> None:
    world = World(store)
    world.document()
    event = world.event("So it is.")
    cited: Any = {"quotes": [("refund-policy", QUOTE)]}
    first = world.decision(**cited, task="first")
    plain = world.decision(events=[event], task="plain")
    rejected = world.decision(**cited, task="rejected")
    other = world.decision(**cited, choice="another-key")
    assert world.traces.reject_decision(rejected.id, "Out of date.").recorded
    replaced = world.decision(**cited, task="replaced")
    new = world.traces.supersede_decision(
        replaced.id, "Half of it.", "r", explanation="New law.", supports=[event]
    ).decision
    assert new
    world.change("refund-policy", ELSEWHERE)
    seen = world.seen(first.id)
    assert world.traces.reaffirm_where_it_stands(first.id, explanation="Still so.", expected=seen).recorded
    page = world.traces.precedents("refund-window")
    assert [(each.decision.id, each.last.kind) for each in page.precedents][:1] == [(first.id, "reaffirm")]
    said = {each.decision.id: each.last for each in page.precedents}
    assert said.keys() == {first.id, plain.id, rejected.id, replaced.id, new.id}
    assert other.id not in said
    assert (said[first.id].by, said[first.id].reason) == (AGENT, "Still so.")
    assert (said[plain.id].kind, said[plain.id].by, said[plain.id].at) == ("recorded", AGENT, plain.created_at)
    assert (said[rejected.id].kind, said[rejected.id].reason) == ("reject", "Out of date.")
    assert (said[replaced.id].kind, said[replaced.id].reason, said[replaced.id].successor_id) == (
        "supersede", "New law.", new.id,
    )  # fmt: skip
    assert (page.count, page.next_cursor) == (5, None)
    times = [each.last.at for each in page.precedents]
    assert times == sorted(times, reverse=True)  # type: ignore[type-var]
    for each in (first, rejected, replaced):
        as_by_agrag(store, each.id)
    said = {each.decision.id: each.last for each in world.traces.precedents("refund-window").precedents}
    assert (said[first.id].kind, said[first.id].reason) == ("reaffirm", "Still so.")
    assert (said[rejected.id].kind, said[rejected.id].by, said[rejected.id].at) == ("reject", AGENT, None)
    assert (said[replaced.id].by, said[replaced.id].at) == (AGENT, new.created_at)


def test_it_is_paged_in_two_reads(store: GraphStore) -> None:
    watched = Watched(store)
    world, other = World(store), World(store, project_id="other")
    event = world.event("So.", task="t0")
    made = [world.decision(events=[event], task=f"t{number}").id for number in range(7)]
    other.decision(events=[other.event("So.", task="t0")], task="t0")  # case 67
    traces = DecisionTraces(watched, project_id=PROJECT, agent_id=AGENT)  # type: ignore[arg-type]
    found: list[str] = []
    cursor: str | None = None
    while True:
        watched.reads = 0
        page = traces.precedents("refund-window", limit=3, cursor=cursor)
        assert (watched.reads, page.count) == (2, 7)
        found += [each.decision.id for each in page.precedents]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert sorted(found) == sorted(made)
    assert len(traces.precedents("refund-window", limit=100).precedents) == 7


@pytest.mark.parametrize("key", ["", " x", "\0", "x" * 201, None, 7, "nowhere"])
def test_nothing_is_found_under_a_key_that_nobody_used(store: GraphStore, key: Any) -> None:
    page = World(store).traces.precedents(key, limit=-1, cursor="nonsense")
    assert (page.precedents, page.count, page.next_cursor) == ((), 0, None)
