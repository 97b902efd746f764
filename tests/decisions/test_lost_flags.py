"""A decision whose flag was lost, or whose turn has not come, is told as flagged by every read."""

import pytest

from reaffirm.decisions.models import ReviewState
from reaffirm.store import GraphStore
from tests.decisions.factories import World
from tests.reviews.factories import QUOTE

# What another program leaves that ends between its new version and the flags.
MOVED_ON = "MATCH (doc:Document) WHERE doc.id = $id SET doc.activation_seq = 2 RETURN doc.id AS id"


@pytest.fixture
def world(store: GraphStore) -> World:
    world = World(store)
    world.document()
    return world


def test_looking_decisions_up_tells_a_lost_flag(world: World) -> None:
    """Fault 20."""
    lost = world.decision([("refund-policy", QUOTE)], task="one", conclusion="Yes.")
    event = world.event("So it is.")
    sound = world.decision(events=[event], task="two", conclusion="No.")
    document = lost.supports[0].document_node_id
    assert world.store.write(MOVED_ON, id=document) == [{"id": document}]
    traces = world.traces
    states = {lost.id: ReviewState.NEEDS_REVIEW, sound.id: ReviewState.CLEAR}
    assert {hit.decision.id: hit.decision.review_state for hit in traces.search_decisions("yes no")} == states
    assert [hit.decision.id for hit in traces.search_precedents("yes no")] == [sound.id]
    page = traces.precedents(lost.choice_key)
    assert {each.decision.id: each.decision.review_state for each in page.precedents} == states
    (group,) = traces.list_conflicts().groups
    assert {each.id: each.review_state for each in group.decisions} == states
    assert traces.decision_history(lost.id).revisions[0].decision == world.by_id(lost.id)
    assert [each.reason for each in traces.citable([lost.id, sound.id]).answers] == ["needs_review", None]
