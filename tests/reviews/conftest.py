"""A console project on a real graph, people with roles, and stores that count what is asked of them."""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    # Only here: pytest may load this file before Django is set up.
    from django.test import Client

    from console.models import Project
    from tests.reviews.counting import CountingStore
    from tests.reviews.factories import World

PEOPLE = {"ana": "reviewer", "yusuf": "lead", "vera": "viewer"}


@pytest.fixture
def project(db: None) -> "Project":
    from tests.reviews.people import project_with_people

    return project_with_people(PEOPLE)


@pytest.fixture
def client_of(project: "Project") -> "Callable[..., Client]":
    """A browser in which the named person is signed in."""
    from tests.reviews.people import signed_in

    return signed_in


@pytest.fixture
def ana(client_of: "Callable[..., Client]") -> "Client":
    """A reviewer's browser."""
    return client_of("ana")


@pytest.fixture
def world(project: "Project", store: Any, monkeypatch: pytest.MonkeyPatch) -> "World":
    """The project's graph, empty, and the console on it; once on each store (see ``one_store``)."""
    from console import graph
    from tests.reviews.factories import World

    # The store of the test is the console's too: another one would ask for the schema again, a second on Neo4j.
    monkeypatch.setattr(graph, "graph_store", lambda: store)
    monkeypatch.setattr(import_module("reviews.views.queue"), "graph_store", lambda: store)
    return World(store)


@pytest.fixture
def counted(world: "World", monkeypatch: pytest.MonkeyPatch) -> "CountingStore":
    """The console's store, counting its reads and writes."""
    from console import graph
    from tests.reviews.counting import CountingStore

    counting = CountingStore(world.store)
    monkeypatch.setattr(graph, "graph_store", lambda: counting)
    monkeypatch.setattr(import_module("reviews.views.queue"), "graph_store", lambda: counting)
    return counting
