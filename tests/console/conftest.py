"""A project with a person for each role, and one who belongs to nothing."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    # Only here: pytest may load this file before Django is set up.
    from django.test import Client

    from console.models import Project
    from tests.reviews.counting import CountingStore
    from tests.reviews.factories import World


@pytest.fixture
def project(db: None) -> "Project":
    from django.contrib.auth.models import User

    from console.models import Membership, Project, Role

    claims = Project.objects.create(slug="claims", name="Claims and refunds", graph_id="claims-in-graph")
    for role in Role.values:
        Membership.objects.create(
            project=claims, user=User.objects.create_user(role, password="long enough 1"), role=role
        )
    User.objects.create_user("stranger", password="long enough 1")
    return claims


@pytest.fixture
def client_of(project: "Project") -> "Callable[..., Client]":
    """A browser in which the named person is signed in."""
    from django.contrib.auth.models import User
    from django.test import Client

    def make(username: str, **defaults: Any) -> Client:
        client = Client(**defaults)
        client.force_login(User.objects.get(username=username))
        return client

    return make


@pytest.fixture
def graph_url(settings: Any) -> Iterator[Callable[[str], None]]:
    """Point the console at another graph, and back at the end."""
    from console import graph

    def use(url: str) -> None:
        graph.graph_close()
        settings.GRAPH_URL = url

    yield use
    graph.graph_close()


@pytest.fixture
def console_graph(store_url: str, graph_url: Callable[[str], None]) -> str:
    """The console on an empty graph, once on each store."""
    graph_url(store_url)
    return store_url


@pytest.fixture
def graph_down(graph_url: Callable[[str], None]) -> None:
    """Nothing listens there."""
    graph_url("falkor://127.0.0.1:1/agrag")


@pytest.fixture
def console_on_falkordb(falkordb_url: str, graph_url: Callable[[str], None]) -> str:
    graph_url(falkordb_url)
    return falkordb_url


@pytest.fixture
def world(project: "Project", console_graph: str, store: Any) -> "World":
    """The project's graph, as its agents fill it; the console reads the same."""
    from tests.reviews.factories import World

    return World(store, project_id=project.graph_id)


@pytest.fixture
def counted(world: "World", monkeypatch: pytest.MonkeyPatch) -> "CountingStore":
    """The console's store, counting what is asked of it."""
    from console import graph
    from tests.reviews.counting import CountingStore

    counting = CountingStore(graph.graph_store())
    monkeypatch.setattr(graph, "graph_store", lambda: counting)
    return counting
