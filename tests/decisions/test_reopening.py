"""A clear decision is flagged again by a person's will, and carries the verdicts that it had."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from reaffirm.decisions import DecisionTraces, adopt_flags
from reaffirm.decisions.models import Decision, ReviewReason, ReviewState
from reaffirm.store import GraphStore
from tests.decisions.factories import World
from tests.decisions.test_propagation import PENDING, chain, finish, flagged
from tests.decisions.writes import THREADS, Catching, Caught, at_once, caught, changed, dump
from tests.reviews.factories import AGENT, EDITED, ELSEWHERE, PROJECT, QUOTE

LEAD = "user:lead"
WHY = "The auditor asks for it."


@pytest.fixture
def world(store: GraphStore) -> World:
    return World(store)


def lead(world: World) -> DecisionTraces:
    return DecisionTraces(world.store, project_id=PROJECT, agent_id=LEAD)


def reaffirmed(world: World) -> Decision:
    decision = world.flagged(ELSEWHERE)
    ada = DecisionTraces(world.store, project_id=PROJECT, agent_id="user:ada")
    assert ada.reaffirm_where_it_stands(decision.id, expected=world.seen(decision.id)).recorded
    return world.again(decision)


def test_a_reopened_decision_says_who_and_why_and_keeps_its_verdict(world: World) -> None:
    decision = reaffirmed(world)
    result = lead(world).reopen_decision(decision.id, WHY, request_id="once", expected=world.seen(decision.id))
    assert result.recorded and result.decision, result
    again = world.again(decision)
    assert result.decision == again
    assert (again.review_state, again.review_reason) == (ReviewState.NEEDS_REVIEW, ReviewReason.DEPENDENCY_REVIEW)
    assert again.verdict == decision.verdict and again.verdict and again.verdict.by == "user:ada"
    cause = world.case(decision.id).cause
    assert cause and (cause.kind, cause.by, cause.reason) == ("reopened", LEAD, WHY)
    (row,) = world.traces.list_decisions_for_review().rows
    assert (row.decision.id, row.cause.kind, row.cause.by) == (decision.id, "reopened", LEAD)
    last = world.history.list_events(decision.task_name, limit=200).events[-1]
    assert (last.kind, last.author, last.payload) == ("note", LEAD, f"Decision {decision.id} reopened: {WHY}")
    repeated = lead(world).reopen_decision(decision.id, WHY, request_id="once")
    assert repeated.replayed and repeated.decision == result.decision
    assert adopt_flags(world.store, project_id=PROJECT) == 0
    assert world.store.read(PENDING) == [{"n": 0}]  # nothing rests on it
    assert world.traces.reaffirm_where_it_stands(decision.id, expected=world.seen(decision.id)).recorded
    assert world.again(decision).review_state is ReviewState.CLEAR and world.case(decision.id).cause is None


def test_what_rests_on_it_is_flagged_with_it_as_the_root(world: World) -> None:
    decisions = chain(world, 3)
    assert lead(world).reopen_decision(decisions[0].id, WHY).recorded
    assert world.again(decisions[2]).review_state is ReviewState.UNKNOWN
    finish(world)
    assert flagged(world) == {"root", "link-1", "link-2"}
    cause = world.case(decisions[2].id).cause
    assert cause and (cause.root, cause.depth) == (decisions[0].id, 2)


def test_a_source_that_changes_later_is_the_cause_and_the_reopening_stays_readable(world: World) -> None:
    world.document()
    decision = world.decision([("refund-policy", QUOTE)])
    assert lead(world).reopen_decision(decision.id, WHY).recorded
    world.change("refund-policy", EDITED)
    cause = world.case(decision.id).cause
    assert cause and (cause.kind, cause.by, cause.reason) == ("document", LEAD, WHY)


def test_only_a_clear_active_decision_is_reopened(world: World) -> None:
    world.document()
    event = world.event("It says so.")
    clear = world.decision([("refund-policy", QUOTE)])
    seen = world.seen(clear.id)
    rejected = world.decision(events=[event], choice="rejected")
    world.traces.reject_decision(rejected.id, "Wrong.", request_id="used")
    old = world.decision(events=[event], choice="superseded")
    world.traces.supersede_decision(old.id, "No.", "Why.", explanation="New.", supports=[event])
    flag = world.decision(events=[event], choice="flagged")
    assert lead(world).reopen_decision(flag.id, WHY).recorded
    before = dump(world.store)
    traces = lead(world)
    foreign = World(world.store, project_id="other-project").traces

    def refused(decision_id: Any, reason: Any = WHY, by: DecisionTraces = traces, **more: Any) -> Any:
        result = by.reopen_decision(decision_id, reason, **more)
        assert not result.recorded and result.detail
        return result.error

    assert refused(clear.id, "", request_id="x" * 65) == "invalid_value"
    assert refused(clear.id, request_id="x" * 65) == "invalid_request_id"
    assert refused(str(uuid4())) == refused("no id") == refused(clear.id, by=foreign) == "decision_not_found"
    assert refused(rejected.id, request_id="used") == "request_id_reused"
    assert refused(rejected.id) == refused(old.id) == "decision_not_active"
    assert refused(flag.id) == "already_flagged"
    assert refused(flag.id, expected=seen) == refused(rejected.id, expected=seen) == "decision_changed"
    for nothing in (None, 7, " \n", "x" * 4_001, "a\x00b"):
        assert refused(clear.id, nothing) == "invalid_value"
    assert refused(clear.id, expected="seen") == "invalid_value"
    assert dump(world.store) == before


def caught_reopening(world: World) -> tuple[Caught, Decision]:
    world.document()
    decision = world.decision([("refund-policy", QUOTE)])
    traces = DecisionTraces(Catching(world.store), project_id=PROJECT, agent_id=AGENT)
    seen = world.seen(decision.id)
    return caught(lambda: traces.reopen_decision(decision.id, WHY, expected=seen)), decision


def test_each_guard_alone_keeps_it_from_writing_anything(world: World) -> None:
    write, decision = caught_reopening(world)
    store, support = world.store, decision.supports[0].id
    used = store.read("MATCH (q:Request) RETURN q.id AS id LIMIT 1")[0]["id"]
    nodes: dict[str, Callable[[], Any]] = {
        "rejected": lambda: changed(store, decision.id, status="rejected"),
        "flagged": lambda: changed(store, decision.id, review_state="needs_review"),
        "of another project": lambda: changed(store, decision.id, project_id="another"),
        "support replaced": lambda: changed(store, support, current=False),
        "support of another id": lambda: changed(store, support, id="another"),
    }
    for name, guard in nodes.items():
        with guard():
            before = dump(store)
            assert store.write(write.query, **write.params) == [], name
            assert dump(store) == before
    for other in ({"request_node_id": used}, {"base": 99}, {"base": -99}, {"project": "another"}):
        before = dump(store)
        assert store.write(write.query, **{**write.params, **other}) == [], other
        assert dump(store) == before
    assert len(store.write(write.query, **write.params)) == 1
    assert store.write(write.query, **write.params) == []


def test_of_16_threads_one_reopens_and_the_log_has_no_gap(world: World) -> None:
    write, decision = caught_reopening(world)

    def run(number: int) -> int:
        claim = {**write.params["claim"], "id": f"claim-{number}", "request_id": f"claim-{number}"}
        return len(world.store.write(write.query, **{**write.params, "claim": claim, "request_node_id": claim["id"]}))

    assert sum(at_once([lambda number=number: run(number) for number in range(THREADS)])) == 1  # type: ignore[misc]
    results = at_once([lambda: world.traces.reopen_decision(decision.id, WHY)] * 4)
    assert {result.error for result in results} == {"already_flagged"}
    events = world.history.list_events(decision.task_name, limit=200).events
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
