"""Constraints and indexes of both on one graph, whoever comes first."""

from collections.abc import Iterator

import pytest

from reaffirm.store import GraphStore, open_store
from tests.interop.agrag import Agrag, Theirs
from tests.interop.worlds import POLICY, POLICY_2, Both, write_graph


@pytest.fixture
def blank(blank_store_url: str, agrag: Agrag) -> Iterator[tuple[str, GraphStore]]:
    """A graph with nothing in it, and both products' connections to it new."""
    store = open_store(blank_store_url)
    yield blank_store_url, store
    store.close()
    if not blank_store_url.startswith("embedded:"):
        agrag.use(blank_store_url, anew=True)  # what it remembers of the schema is gone with it


def ensure(store: GraphStore) -> None:
    report = store.ensure_schema()
    assert not report.problems and not store.read_only


def they_open(agrag: Agrag, url: str) -> Theirs:
    agrag.use(url, anew=True)
    theirs = Theirs(agrag)
    theirs.documents.open()
    return theirs


def test_both_open_after_each_other(blank: tuple[str, GraphStore], agrag: Agrag) -> None:
    """Ours first. Then all of it again, on a graph full of records of both."""
    url, store = blank
    ensure(store)
    _work(Both(store, they_open(agrag, url)))

    ensure(store)
    both = Both(store, they_open(agrag, url))
    ensure(store)

    assert both.flags()
    assert both.theirs.decisions.search_decisions("thirty")
    assert store.explain("MATCH (d:Decision) WHERE d.project_id = $p AND d.review_pending = true RETURN d", p="atlas")


def test_ours_opens_after_theirs(blank: tuple[str, GraphStore], agrag: Agrag) -> None:
    """With records in it that it wrote before we were there."""
    url, store = blank
    both = Both(store, they_open(agrag, url))
    made = write_graph(both)
    both.theirs.documents.update(POLICY, POLICY_2)
    both.spread()

    ensure(store)

    assert made.region in both.flags()
    assert both.ours.reaffirm_where_it_stands(made.region, expected=both.case(made.region).seen).recorded
    both = Both(store, they_open(agrag, url))
    assert made.region not in both.flags()
    assert both.theirs.decisions.search_decisions("thirty")
    assert store.search("decision", ["thirty"], limit=5, tail="RETURN node.id AS id, score")


def _work(both: Both) -> None:
    """Records of every kind by both."""
    made = write_graph(both)
    assert both.our_graph.add("A rule.\n\nAnother rule.", document_key="docs/ours.md", project_id="atlas").recorded
    both.theirs.documents.update(POLICY, POLICY_2)
    both.spread()
    both.flags()
    assert both.ours.reaffirm_where_it_stands(made.region, expected=both.case(made.region).seen).recorded
    assert both.ours.reject_decision(made.vault, "Gone.").recorded
