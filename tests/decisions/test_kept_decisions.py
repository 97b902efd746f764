"""Decisions that were kept when their task was deleted are still found, by ours and by agentic-graphrag's deletion."""

import pytest

from reaffirm.retention import HistoryRetention
from reaffirm.store import GraphStore
from tests.decisions.factories import World
from tests.reviews.factories import AGENT, PROJECT

# agentic-graphrag deletes the task alone: nothing leads to its decisions any more.
ORPHANED = "MATCH (t:Task) WHERE t.id = $id DETACH DELETE t RETURN 1 AS done"


@pytest.mark.parametrize("deleted_by", ["ours", "theirs"])
def test_fault_03_kept_decisions_stay_findable(store: GraphStore, deleted_by: str) -> None:
    """Case 64, fault 3."""
    world = World(store)
    event = world.event("So it is.", task="other")
    kept = world.decision(events=[event], task="gone", conclusion="Keep thirty days.")
    rival = world.decision(events=[event], task="other", conclusion="Keep ninety days.")
    child = world.decision(parents=[kept], task="other", choice="child", conclusion="Buy tapes.")
    if deleted_by == "ours":
        retention = HistoryRetention(store, project_id=PROJECT, agent_id=AGENT)
        assert retention.delete_task("gone", include_decisions=False, reason="Asked for.").recorded
    else:
        assert store.write(ORPHANED, id=kept.task_id) == [{"done": 1}]
    traces = world.traces
    assert [hit.decision.id for hit in traces.search_decisions("thirty")] == [kept.id]
    assert {each.decision.id for each in traces.precedents(kept.choice_key).precedents} == {kept.id, rival.id}
    history = traces.decision_history(kept.id)
    assert (history.found, [each.decision.id for each in history.revisions]) == (True, [kept.id])
    assert [each.decision.id for each in traces.dependents(kept.id).dependents] == [child.id]
    (group,) = traces.list_conflicts().groups
    assert {each.id for each in group.decisions} == {kept.id, rival.id}
