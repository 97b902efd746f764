"""A dependency flag names where it began, how far that is, and the shortest way from there."""

from typing import Any

import pytest

from reaffirm.decisions import DecisionTraces, adopt_flags
from reaffirm.decisions.models import Cause, Decision
from reaffirm.store import GraphStore
from tests.decisions.factories import World
from tests.decisions.test_propagation import CYCLE, chain, child, finish, root
from tests.history.stores import Watched
from tests.reviews.factories import AGENT, ELSEWHERE, PROJECT, QUOTE

# What agentic-graphrag's propagation leaves of ours: the flag, and no fact of its cause.
FORGET = """
MATCH (d:Decision) WHERE d.project_id = $project AND d.review_reason = 'dependency_review'
SET d.flagged_ms = null, d.cause_kind = null, d.cause_decision_id = null, d.cause_root_id = null, d.cause_depth = null
RETURN count(d) AS forgotten
"""
FACTS = """
MATCH (d:Decision) WHERE d.project_id = $project AND d.review_reason = 'dependency_review'
RETURN d.choice_key AS choice, d.cause_root_id AS root, d.cause_depth AS depth, d.cause_decision_id AS parent
ORDER BY choice
"""


@pytest.fixture
def world(store: GraphStore) -> World:
    return World(store)


def cause_of(world: World, decision: Decision) -> Cause:
    cause = world.case(decision.id).cause
    assert cause
    return cause


def way(world: World, decision: Decision) -> list[str]:
    return [step.choice_key for step in cause_of(world, decision).path]


def facts(world: World) -> list[dict[str, Any]]:
    return world.store.read(FACTS, project=PROJECT)


def test_a_chain_names_its_root_and_every_step(world: World) -> None:
    decisions = chain(world, 5)
    world.change("refund-policy", ELSEWHERE)
    finish(world)
    cause = cause_of(world, decisions[4])
    assert (cause.kind, cause.root, cause.depth) == ("decision", decisions[0].id, 4)
    assert [step.decision_id for step in cause.path] == [each.id for each in decisions]
    assert {step.review_state for step in cause.path} == {"needs_review"}
    assert cause.decision_id == decisions[3].id
    first = cause_of(world, decisions[0])
    assert (first.kind, first.root, first.depth, first.path) == ("document", None, None, ())
    rows = {row.decision.id: row.cause for row in world.traces.list_decisions_for_review().rows}
    assert [(rows[each.id].root, rows[each.id].depth) for each in decisions[1:]] == [
        (decisions[0].id, depth) for depth in (1, 2, 3, 4)
    ]


def test_the_shortest_way_is_told_and_a_cycle_ends(world: World) -> None:
    top = root(world)
    left = child(world, "left", top)
    lower = child(world, "lower", left)
    bottom = child(world, "bottom", lower, top)
    last = child(world, "last", bottom)
    world.store.write(CYCLE, a=left.id, b=last.id)
    world.change("refund-policy", ELSEWHERE)
    finish(world)
    assert way(world, bottom) == ["root", "bottom"]
    assert way(world, last) == ["root", "bottom", "last"]
    assert cause_of(world, last).depth == 2
    assert way(world, left) == ["root", "left"]


@pytest.mark.parametrize("verdict", ["reject", "supersede"])
def test_a_verdict_is_a_root(world: World, verdict: str) -> None:
    """The truth table's last row: what rested on a decision that was found wrong stays flagged, and says so."""
    decisions = chain(world, 3)
    world.change("refund-policy", ELSEWHERE)
    finish(world)
    second = decisions[1]
    if verdict == "reject":
        assert world.traces.reject_decision(decisions[0].id, "Wrong.").recorded
    else:
        seen = world.seen(decisions[0].id)
        assert world.traces.supersede_where_it_stands(decisions[0].id, explanation="New.", expected=seen).recorded
    finish(world)
    assert [(row["root"], row["depth"]) for row in facts(world)] == [(decisions[0].id, 1), (decisions[0].id, 2)]
    assert cause_of(world, second).path[0].status == {"reject": "rejected", "supersede": "superseded"}[verdict]
    refused = world.traces.reaffirm_where_it_stands(second.id, expected=world.seen(second.id))
    assert refused.error == "cannot_revalidate"
    assert world.is_flagged(second.id) and world.is_flagged(decisions[2].id)


def test_a_source_that_is_removed_leaves_the_decision_and_flags_what_rests_on_it(world: World) -> None:
    """The truth table: source removed."""
    decisions = chain(world, 3)
    assert world.graph.remove("refund-policy").recorded
    finish(world)
    top = world.again(decisions[0])
    assert (top.status, top.review_state, top.review_reason) == ("active", "needs_review", "source_removed")
    assert world.case(top.id).citations[0].cited_text == QUOTE
    assert [(row["root"], row["depth"]) for row in facts(world)] == [(top.id, 1), (top.id, 2)]
    refused = world.traces.reaffirm_where_it_stands(top.id, expected=world.seen(top.id))
    assert (refused.error, refused.detail) == ("cannot_revalidate", "the source was removed")


def test_a_parent_that_is_rejected_flags_as_a_root_of_its_own(world: World) -> None:
    first, second, third = chain(world, 3)
    assert world.traces.reject_decision(second.id, "Wrong.").recorded
    finish(world)
    cause = cause_of(world, third)
    assert (cause.root, cause.depth, way(world, third)) == (second.id, 1, ["link-1", "link-2"])
    assert not world.is_flagged(first.id)


def test_a_decision_recorded_on_a_flagged_one_knows_the_root(world: World) -> None:
    decisions = chain(world, 3)
    world.change("refund-policy", ELSEWHERE)
    finish(world)
    late = child(world, "late", decisions[2])
    cause = cause_of(world, late)
    assert (cause.root, cause.depth) == (decisions[0].id, 3)
    assert way(world, late) == ["root", "link-1", "link-2", "late"]


def test_flags_of_agentic_graphrag_get_their_root_by_adoption(world: World) -> None:
    decisions = chain(world, 6)
    world.change("refund-policy", ELSEWHERE)
    finish(world)
    known = facts(world)
    assert [row["depth"] for row in known] == [1, 2, 3, 4, 5]
    assert world.store.write(FORGET, project=PROJECT) == [{"forgotten": 5}]
    assert cause_of(world, decisions[5]).kind == "unknown"
    assert adopt_flags(world.store, project_id=PROJECT) > 0
    assert facts(world) == known
    assert adopt_flags(world.store, project_id=PROJECT) == 0


def test_a_cycle_of_flags_without_any_origin_is_left_alone(world: World) -> None:
    first, second = chain(world, 2)
    world.change("refund-policy", ELSEWHERE)
    finish(world)
    world.store.write(CYCLE, a=first.id, b=second.id)
    world.store.write(
        "MATCH (d:Decision) WHERE d.project_id = $project SET d.review_reason = 'dependency_review' RETURN 1 AS one",
        project=PROJECT,
    )
    world.store.write(FORGET, project=PROJECT)
    adopt_flags(world.store, project_id=PROJECT)
    assert {row["root"] for row in facts(world)} == {None}
    assert adopt_flags(world.store, project_id=PROJECT) == 0


def test_the_way_costs_no_further_read(store: GraphStore) -> None:
    world = World(store)
    decisions = chain(world, 4)
    world.change("refund-policy", ELSEWHERE)
    finish(world)
    watched = Watched(store)
    traces = DecisionTraces(watched, project_id=PROJECT, agent_id=AGENT)  # type: ignore[arg-type]
    for decision in decisions:
        watched.reads = watched.writes = 0
        assert traces.review_case(decision.id)
        assert (watched.reads, watched.writes) == (1, 0)


def test_a_way_longer_than_fifty_citations_is_told_by_its_root_alone(falkordb_store: GraphStore) -> None:
    world = World(falkordb_store)
    decisions = chain(world, 53)
    world.change("refund-policy", ELSEWHERE)
    finish(world)
    assert len(cause_of(world, decisions[50]).path) == 51
    cause = cause_of(world, decisions[52])
    assert (cause.root, cause.depth, cause.path) == (decisions[0].id, 52, ())
    assert QUOTE in (world.case(decisions[0].id).citations[0].cited_text or "")
