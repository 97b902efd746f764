"""The people, stores and graphs of the console's tests."""

from tests.console.conftest import (  # noqa: F401
    client_of,
    console_graph,
    counted,
    graph_url,
    project,
    world,
)
