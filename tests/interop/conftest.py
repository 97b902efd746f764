"""agentic-graphrag itself, on the stores of the tests."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import _blank_neo4j, _emptied
from tests.interop.agrag import Agrag, Theirs
from tests.interop.environment import NotInstalled, agrag_python
from tests.interop.worlds import Both


@pytest.fixture(scope="session")
def agrag() -> Iterator[Agrag]:
    """The package in its own process, in an environment that is made on first use."""
    try:
        python = agrag_python()
    except NotInstalled as error:
        pytest.exit(str(error), returncode=3)
    process = Agrag(python)
    yield process
    process.close()


# It leaves indexes and constraints of its own, which the plans of other tests must not meet.


@pytest.fixture
def falkordb_url(falkordb_folder: Path) -> str:
    """A graph of these tests alone, emptied."""
    return _emptied(f"embedded:{falkordb_folder}?graph=interop")


@pytest.fixture(scope="session")
def _blank_behind(neo4j_base_url: str) -> Iterator[None]:
    yield
    _blank_neo4j(neo4j_base_url)


@pytest.fixture
def neo4j_url(neo4j_base_url: str, _blank_behind: None) -> str:
    """The Neo4j database, emptied; blanked behind the last of these tests."""
    return _emptied(neo4j_base_url)


@pytest.fixture
def theirs(agrag: Agrag, store_url: str) -> Theirs:
    """Its classes on an empty graph that has both schemas."""
    agrag.use(store_url)
    return Theirs(agrag)


@pytest.fixture
def both(store: Any, theirs: Theirs) -> Both:
    """Both products on one empty graph."""
    return Both(store, theirs)
