"""A project on each store, with what erases in it."""

import pytest

from reaffirm.retention import HistoryRetention
from reaffirm.store import GraphStore
from tests.decisions.factories import World
from tests.reviews.factories import PROJECT

OFFICER = "user:compliance"


@pytest.fixture
def world(store: GraphStore) -> World:
    return World(store)


@pytest.fixture
def retention(store: GraphStore) -> HistoryRetention:
    return HistoryRetention(store, project_id=PROJECT, agent_id=OFFICER)
