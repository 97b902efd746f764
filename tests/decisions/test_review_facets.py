"""Counts of the flags by what they are about: exact, bounded, in a fixed number of reads."""

from typing import Any

import pytest

from reaffirm.decisions import DecisionTraces
from reaffirm.decisions.facets import MOST, Facet, ReviewFacets
from reaffirm.store import GraphStore
from tests.decisions.factories import World
from tests.decisions.test_review_orders import add
from tests.history.stores import Watched
from tests.reviews.factories import AGENT, BEFORE, ELSEWHERE, PROJECT, QUOTE


def counts(facet: Facet) -> dict[str, int]:
    return {each.value: each.count for each in facet.values}


@pytest.fixture
def world(store: GraphStore) -> World:
    world = World(store)
    world.document()
    world.document("other", BEFORE, title="Other Terms")
    world.decision([("refund-policy", QUOTE)], choice="one")
    world.decision([("refund-policy", QUOTE), ("other", QUOTE)], choice="two")
    world.agent = "second@larkfield.example"
    parent = world.decision([("other", QUOTE)], choice="one", task="another")
    world.decision(choice="three", task="another", parents=[parent])
    world.change("refund-policy", ELSEWHERE)
    assert world.graph.update("other", ELSEWHERE, author="keeper").recorded
    while world.traces.continue_decision_review():
        pass
    return world


def test_each_facet_counts_what_the_list_shows(world: World) -> None:
    facets = world.traces.review_facets()
    assert counts(facets.reasons) == {"source_changed": 3, "dependency_review": 1}
    assert counts(facets.tasks) == {"another": 2, "refund-LM-20931": 2}
    assert counts(facets.documents) == {"other": 2, "refund-policy": 2}
    assert counts(facets.choice_keys) == {"one": 2, "two": 1, "three": 1}
    assert counts(facets.authors) == {AGENT: 2, "second@larkfield.example": 2}
    newest, older = facets.source_changes.values
    assert (newest.count, newest.document_key, newest.title, newest.by) == (2, "other", "Other Terms", "keeper")
    assert (older.count, older.document_key, older.activation_seq, older.by) == (1, "refund-policy", 2, None)
    assert newest.at and [each.title for each in facets.documents.values] == ["Other Terms", "Refund Policy"]
    arguments = {
        "reasons": "reason", "tasks": "task_name", "documents": "document_key", "source_changes": "source_change",
        "choice_keys": "choice_key", "authors": "author",
    }  # fmt: skip
    for name, argument in arguments.items():
        for value in getattr(facets, name).values:
            page = world.traces.list_decisions_for_review(**{argument: value.value})
            assert page.count == value.count, (name, value)


def test_facets_are_narrowed_by_the_filters_of_the_list(world: World) -> None:
    facets = world.traces.review_facets(document_key="other")
    assert counts(facets.documents) == {"other": 2, "refund-policy": 1}
    assert counts(facets.choice_keys) == {"one": 1, "two": 1}
    facets = world.traces.review_facets(author=AGENT, text="two")
    assert counts(facets.tasks) == {"refund-LM-20931": 1}
    odd: list[dict[str, Any]] = [{"reason": "outdated"}, {"task_name": "x"}, {"text": "a\0"}, {"source_change": 5}]
    for filters in odd:
        assert world.traces.review_facets(**filters) == ReviewFacets()


def test_the_most_frequent_are_listed_and_the_others_counted(store: GraphStore) -> None:
    watched = Watched(store)
    traces = DecisionTraces(watched, project_id=PROJECT, agent_id=AGENT)  # type: ignore[arg-type]
    assert traces.review_facets() == ReviewFacets()
    for size in (1, MOST + 13):
        add(store, [{"author": f"agent-{number:03d}"} for number in range(size)], task=f"task-{size}")
        watched.reads = 0
        facets = traces.review_facets()
        assert watched.reads == 2
    assert (len(facets.choice_keys.values), facets.choice_keys.more) == (MOST, 13)
    assert (len(facets.authors.values), facets.authors.more) == (MOST, 13)
    first = facets.authors.values[0]
    assert (first.value, first.count) == ("agent-000", 2)
    assert sorted(counts(facets.tasks).values()) == [1, 63]
