"""Faults of agentic-graphrag 0.0.7 around decisions that this product does not share, each by its number."""

import pytest

from reaffirm.decisions import DecisionTraces
from reaffirm.decisions.models import DocumentSupportInput, EventSupportInput, ReviewState
from reaffirm.store import GraphStore
from tests.decisions.factories import World
from tests.decisions.writes import dump
from tests.reviews.counting import CountingStore
from tests.reviews.factories import ELSEWHERE, PROJECT, QUOTE

HELD = "MATCH (q:Request) WHERE q.request_id = $id RETURN count(q) AS n"


@pytest.fixture
def world(store: GraphStore) -> World:
    return World(store)


def test_fault_08_what_lost_a_support_can_be_decided_again(world: World) -> None:
    """There a decision whose parent was replaced is flagged for ever, and so is a successor of it."""
    world.document()
    parent = world.decision([("refund-policy", QUOTE)], choice="parent")
    child = world.decision([], choice="child", parents=[parent])
    evidence = world.graph.cite("refund-policy", QUOTE)
    replaced = world.traces.supersede_decision(
        parent.id,
        "Refund half.",
        "Day 12.",
        explanation="Half is enough.",
        supports=[DocumentSupportInput(evidence_id=evidence)],
        fetched_evidence=world.graph.fetch([evidence]),
    )
    assert replaced.decision
    world.traces.continue_decision_review()
    assert world.is_flagged(child.id)
    refused = world.traces.reaffirm_decision(child.id, [])
    assert (refused.recorded, refused.error) == (False, "cannot_revalidate")
    done = world.traces.supersede_where_it_stands(child.id, explanation="Same.", expected=world.seen(child.id))
    assert done.decision, done
    assert [support.decision_id for support in done.decision.supports] == [replaced.decision.id]
    assert done.decision.review_state is ReviewState.CLEAR


def test_fault_10_a_queue_leaves_unrelated_decisions_alone(world: World, store: GraphStore) -> None:
    """There one queued decision makes the whole project unknown, and nothing in it can be reaffirmed."""
    world.document()
    root = world.decision([("refund-policy", QUOTE)], choice="root")
    near = world.decision([], choice="near", parents=[root])
    world.document("other")
    far = world.decision([("other", QUOTE)], choice="far")
    world.change("other", ELSEWHERE)
    assert world.traces.reject_decision(root.id, "Wrong.").recorded
    assert world.by_id(near.id).review_state is ReviewState.UNKNOWN
    done = world.traces.reaffirm_where_it_stands(far.id, expected=world.seen(far.id))
    assert done.recorded, done
    assert world.by_id(far.id).review_state is ReviewState.CLEAR
    page = world.traces.list_decisions_for_review()
    assert (page.count, page.counts.queued) == (0, 1)


def test_fault_10_a_verdict_without_dependents_queues_nothing(world: World) -> None:
    world.document()
    alone = world.decision([("refund-policy", QUOTE)])
    assert world.traces.reject_decision(alone.id, "Wrong.").recorded
    assert world.traces.review_counts().queued == 0


def test_fault_11_a_new_decision_on_a_clear_parent_is_clear(world: World) -> None:
    """There it is flagged for good when anything else in the project is queued meanwhile."""
    world.document()
    root = world.decision([("refund-policy", QUOTE)], choice="root")
    world.decision([], choice="near", parents=[root])
    clear = world.decision([("refund-policy", QUOTE)], choice="clear")
    assert world.traces.reject_decision(root.id, "Wrong.").recorded
    assert world.traces.review_counts().queued == 1
    assert world.decision([], choice="child", parents=[clear]).review_state is ReviewState.CLEAR


def test_fault_16_a_refusal_leaves_the_request_id_free(world: World, store: GraphStore) -> None:
    """There, on FalkorDB, a corrected call with the same id is refused as another one."""
    world.task()
    before = dump(store)
    wrong = world.traces.record_decision(
        "refund-LM-20931",
        "choice",
        "c",
        "r",
        supports=[EventSupportInput(task_name="refund-LM-20931", seq=9)],
        request_id="again",
    )
    assert wrong.error == "support_event_not_found"
    assert dump(store) == before
    event = world.event("Day 12.")
    right = world.traces.record_decision("refund-LM-20931", "choice", "c", "r", supports=[event], request_id="again")
    assert right.recorded
    assert not right.replayed
    assert store.read(HELD, id="again") == [{"n": 1}]


def test_fault_24_why_a_decision_was_replaced_or_confirmed_is_read(world: World) -> None:
    """There both are written and no read returns them; without documents the reviewer's words are not even stored."""
    event = world.event("Day 12.")
    first = world.decision([], events=[event])
    world.traces.reopen_decision(first.id, "Ask again.")
    confirmed = world.traces.reaffirm_decision(first.id, [], explanation="The log says day 12.")
    assert confirmed.recorded, confirmed
    second = world.traces.supersede_decision(first.id, "Refund half.", "Day 12.", explanation="Half.", supports=[event])
    assert second.decision
    assert world.by_id(second.decision.id).supersession_explanation == "Half."
    history = world.traces.decision_history(second.decision.id)
    assert [revision.decision.revision for revision in history.revisions] == [2, 1]
    words = [(word.kind, word.reason) for word in history.revisions[1].said]
    assert words == [
        ("recorded", None),
        ("reopen", "Ask again."),
        ("reaffirm", "The log says day 12."),
        ("supersede", "Half."),
    ]


def test_fault_14_reads_do_not_grow(world: World, store: GraphStore) -> None:
    world.many_flagged(30)
    counting = CountingStore(store)
    traces = DecisionTraces(counting, project_id=PROJECT, agent_id="reader")
    numbers = []
    for limit in (1, 30):
        counting.reset()
        assert len(traces.list_decisions_for_review(limit=limit).rows) == limit
        numbers.append(counting.reads)
    assert numbers[0] == numbers[1] <= 3
