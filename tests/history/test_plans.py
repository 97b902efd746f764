"""Every query of the history starts at an index, on both stores."""

import re

import pytest

from reaffirm.history import closing, events, listing, log, resuming, steps, tasks, trails, validity, verifying, views
from reaffirm.store import GraphStore

QUERIES = sorted(
    (f"{module.__name__.rpartition('.')[2]}.{name}", query)
    for module in (tasks, closing, listing, log, resuming, trails, verifying, events, steps, validity, views)
    for name, query in vars(module).items()
    if name.isupper() and isinstance(query, str) and "MATCH (" in query
    if name not in {"BEHIND", "_FREE"}  # parts of others
)
LISTS = ("ids", "pairs", "documents", "states", "choice_keys", "words", "kinds", "names", "authors", "numbers", "rows")
MAPS = ("request", "task", "event", "step", "values")
NUMBERS = ("limit", "seq", "base", "until", "window", "found", "sign", "after", "low", "high", "last")


def parameters(query: str) -> dict[str, object]:
    """One value of the right kind for each parameter."""
    found: dict[str, object] = {}
    for name in re.findall(r"\$(\w+)", query):
        if name.endswith(LISTS):
            found[name] = []
        else:
            found[name] = {} if name in MAPS else 1 if name in NUMBERS else "x"
    return found


def test_all_queries_are_looked_at() -> None:
    assert len(QUERIES) >= 11


@pytest.mark.parametrize("query", [pytest.param(query, id=name) for name, query in QUERIES])
def test_no_query_scans_a_label(query: str, both: tuple[GraphStore, GraphStore]) -> None:
    for store in both:
        plan = store.explain(query, **parameters(query))
        assert "Scan" not in plan.replace("Node By Index Scan", ""), plan


@pytest.fixture
def both(falkordb_store: GraphStore, neo4j_store: GraphStore) -> tuple[GraphStore, GraphStore]:
    return falkordb_store, neo4j_store
