"""A history on each store."""

import pytest

from reaffirm.history import ConversationHistory
from reaffirm.store import GraphStore


@pytest.fixture
def history(store: GraphStore) -> ConversationHistory:
    return ConversationHistory(store, project_id="atlas", agent_id="planner-1")


@pytest.fixture
def task(history: ConversationHistory) -> str:
    """The name of a task that exists."""
    assert history.create_task("storage", "Choose a backup policy").recorded
    return "storage"
