"""Faults of agentic-graphrag 0.0.7 around tasks, events and steps that this product does not share, by number."""

from reaffirm.decisions.models import EventSupportInput
from reaffirm.history import ConversationHistory, ResultValidity
from reaffirm.store import GraphStore
from tests.reviews.counting import CountingStore


def test_fault_13_a_task_is_read_with_a_constant_number_of_statements(store: GraphStore) -> None:
    """There it is one for each support: 607 for 30 steps of 20 supports."""
    counting = CountingStore(store)
    history = ConversationHistory(counting, project_id="atlas", agent_id="planner")
    history.create_task("storage", "Choose.")
    for number in range(20):
        history.record_event("storage", "note", payload=f"Fact {number}.")
    reads = []
    for number in range(30):
        supports = [EventSupportInput(task_name="storage", seq=seq) for seq in range(1, 21)]
        done = history.set_step(
            "storage", f"step {number}", "completed", result_event_seq=1, result_basis="supported", supports=supports
        )
        assert done.recorded, done
        if number in (0, 29):
            counting.reset()
            page = history.list_steps("storage")
            assert {step.result_validity for step in page.steps} == {ResultValidity.REUSABLE}
            listed = counting.reads
            view = history.get_task("storage").view
            assert view
            reads.append((listed, counting.reads - listed))
    assert reads[0] == reads[1]
    assert max(reads[1]) <= 3


def test_fault_32_a_page_of_long_events_is_a_page(store: GraphStore) -> None:
    """There, over MCP, it is an error."""
    history = ConversationHistory(store, project_id="atlas", agent_id="planner")
    history.create_task("storage", "Choose.")
    for number in range(5):
        history.record_event("storage", "note", payload=f"{number}" + "x" * 40_000)
    page = history.list_events("storage")
    assert [len(event.payload) for event in page.events] == [32_000] * 5
    assert all(event.truncated for event in page.events)


def test_fault_33_tasks_are_listed(store: GraphStore) -> None:
    """There one has to know the names of tasks."""
    history = ConversationHistory(store, project_id="atlas", agent_id="planner")
    for name in ("storage", "backups"):
        assert history.create_task(name, f"Choose {name}.").recorded
    assert history.close_task("backups").recorded
    page = history.list_tasks()
    assert ({task.name: task.status for task in page.tasks}, page.count) == ({"storage": "open", "backups": "done"}, 2)
