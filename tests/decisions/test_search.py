"""Full-text search of decisions: own hits only, words only, and it says when there are more."""

from typing import Any

import pytest

from reaffirm import ids
from reaffirm.decisions import DecisionTraces, searches
from reaffirm.decisions.models import ReviewState
from reaffirm.decisions.searches import DecisionHits
from reaffirm.store import GraphStore
from tests.decisions.factories import World
from tests.history.stores import Watched
from tests.reviews.factories import AGENT, EDITED, PROJECT, QUOTE

MANY = """
MERGE (t:Task {_agrag_history_record: true, id: $task_id})
ON CREATE SET t.project_id = $project, t.name = $task, t.goal = 'Copy everything.', t.status = 'open', t.event_seq = 0,
  t.author = 'a', t.created_at = '2026-11-30T10:00:00+00:00'
WITH t
UNWIND $rows AS row
CREATE (t)-[m:MADE]->(d:Decision) SET d = row
RETURN count(d) AS made
"""


def add_many(store: GraphStore, project: str, number: int, words: str, task: str = "many") -> None:
    """Decisions as the library leaves them, many at once."""
    task_id = ids.task_id(project, task)
    copies = {"_ft_conclusion": words, "_ft_rationale": words} if store.kind == "falkordb" else {}
    rows = [
        {
            "_agrag_history_record": True, "id": ids.decision_id(task_id, f"c-{each}", 1), "task_id": task_id,
            "project_id": project, "choice_key": f"c-{each}", "revision": 1, "conclusion": words, "rationale": words,
            "assumptions": [], "open_questions": [], "author": "a", "status": "active", "review_state": "clear",
            "created_at": "2026-11-30T10:00:00+00:00", **copies,
        }
        for each in range(number)
    ]  # fmt: skip
    made = store.write(MANY, project=project, task=task, task_id=task_id, rows=rows)
    assert made == [{"made": number}]


def found(hits: DecisionHits) -> list[str]:
    return [hit.decision.id for hit in hits]


@pytest.fixture
def world(store: GraphStore) -> World:
    world = World(store)
    world.document()
    return world


def test_a_hit_is_a_precedent_with_its_task(world: World) -> None:
    made = world.decision([("refund-policy", QUOTE)], conclusion="Give the money back.", rationale="Fourteen days.")
    world.decision([("refund-policy", QUOTE)], choice="other", conclusion="Send a letter.", rationale="By post.")
    (hit,) = world.traces.search_decisions("MONEY")
    assert (hit.decision, hit.task_goal, hit.marker) == (made, "Settle the claim.", "precedent")
    assert found(world.traces.search_decisions("fourteen")) == [made.id]
    assert set(hit.model_dump()) == {"decision", "task_goal", "marker"}
    hits = world.traces.search_decisions("money letter")
    assert (len(hits), hits.status, hits.truncated, hits.hint) == (2, "ok", False, None)


def test_one_task_only(world: World) -> None:
    one = world.decision([("refund-policy", QUOTE)], task="one")
    world.decision([("refund-policy", QUOTE)], task="two")
    assert found(world.traces.search_decisions("refund", task_name="one")) == [one.id]
    for nobody in ("three", "", "\0", "x" * 5_000, 7):
        assert world.traces.search_decisions("refund", task_name=nobody) == []  # type: ignore[arg-type]


def test_only_active_ones_and_clear_ones_where_asked(world: World) -> None:
    flagged = world.decision([("refund-policy", QUOTE)], choice="flagged")
    rejected = world.decision([("refund-policy", QUOTE)], choice="rejected")
    world.traces.reject_decision(rejected.id, "Wrong.")
    world.change("refund-policy", EDITED)
    event = world.event("It says so.")
    clear = world.decision(events=[event], choice="clear")
    assert set(found(world.traces.search_decisions("refund"))) == {flagged.id, clear.id}
    assert found(world.traces.search_precedents("refund")) == [clear.id]


def test_a_precedent_is_out_of_reach_of_a_review_that_spreads(world: World) -> None:
    parent = world.decision([("refund-policy", QUOTE)], choice="parent")
    child = world.decision(parents=[parent], choice="child")
    apart = world.decision(events=[world.event("It says so.")], choice="apart")
    world.change("refund-policy", EDITED)
    states = {hit.decision.id: hit.decision.review_state for hit in world.traces.search_decisions("refund")}
    assert states == {
        parent.id: ReviewState.NEEDS_REVIEW, child.id: ReviewState.UNKNOWN, apart.id: ReviewState.CLEAR,
    }  # fmt: skip
    assert found(world.traces.search_precedents("refund")) == [apart.id]


def test_it_says_when_there_are_more(store: GraphStore) -> None:
    add_many(store, PROJECT, 25, "Keep thirty days")
    traces = World(store).traces
    for search in (traces.search_decisions, traces.search_precedents):
        assert (len(search("thirty")), search("thirty").truncated) == (20, True)
        assert (len(search("thirty", limit=25)), search("thirty", limit=25).truncated) == (25, False)
        assert len(search("thirty", limit=0)) == 1
        assert len(search("thirty", limit=10**9)) == 25
        assert "More decisions match" in str(search("thirty", limit=24).hint)


@pytest.mark.parametrize(("first", "most"), [(2_000, 100_000), (100, 100_000), (100, 200)])
def test_fault_30_a_big_neighbour_does_not_hide_own_hits(
    store: GraphStore, monkeypatch: pytest.MonkeyPatch, first: int, most: int
) -> None:
    """1,200 better hits of a neighbour; also when they are more than are read at first, or at most."""
    monkeypatch.setattr(searches, "FIRST_HITS", first)
    monkeypatch.setattr(searches, "MOST_HITS", most)
    add_many(store, "neighbour", 1_200, "retention retention retention")
    add_many(store, PROJECT, 3, "how long it takes and, among other words, the retention")
    watched = Watched(store)
    traces = DecisionTraces(watched, project_id=PROJECT, agent_id=AGENT)  # type: ignore[arg-type]
    hits = traces.search_decisions("retention")
    assert {hit.decision.project_id for hit in hits} == {PROJECT}
    assert (len(hits), hits.truncated) == (3, False)
    assert len(traces.search_precedents("retention", task_name="many")) == 3
    assert watched.reads <= 8


def test_the_number_of_statements_does_not_grow(store: GraphStore) -> None:
    searched: list[int] = []

    class Counted(Watched):
        def search(self, *args: Any, **params: Any) -> Any:
            searched.append(1)
            return self.store.search(*args, **params)

    watched = Counted(store)
    traces = DecisionTraces(watched, project_id=PROJECT, agent_id=AGENT)  # type: ignore[arg-type]
    for number in (1, 150):
        add_many(store, PROJECT, number, "retention", task=f"t{number}")
        watched.reads = 0
        searched.clear()
        traces.search_decisions("retention", limit=100)
        assert (len(searched), watched.reads) == (1, 1)


TEXT = "Is the /b testing of tb-lymphoma foo:bar C++ and feature-flags, 1,000 times\nbeside the café don't"


@pytest.mark.parametrize(
    "query",
    [
        "/b testing", "tb-", "foo:bar", "C++", "AND", "is the", "1,000", "times", "beside", "feature-flags", "don't",
        '"unbalanced testing', "testing (", "[testing", "testing AND", "NOT testing", "testing~", "-testing", "café",
        "testing\nbeside", "@_ft_conclusion:(testing)", "project_id:testing", "testing " * 625, "t*sting testing",
        "{testing}", "testing \\", "%testing%", "$testing", "'testing' OR 1=1", "x" * 4_990 + " testing",
    ],
)  # fmt: skip
def test_fault_30_signs_are_plain_characters(store: GraphStore, query: str) -> None:
    """Case 37. The project's id is a UUID with hyphens."""
    project = "7d9f2c1a-0b1c-4d2e-8f3a-9b8c7d6e5f4a"
    world = World(store, project_id=project)
    made = world.decision(events=[world.event("So.")], conclusion=TEXT, rationale="None.")
    elsewhere = World(store, project_id="7d9f2c1a")
    elsewhere.decision(events=[elsewhere.event("So.")], conclusion=TEXT, rationale="None.")
    assert found(world.traces.search_decisions(query)) == [made.id]


@pytest.mark.parametrize("query", ["", "  ", "*", "_", "🙂", "(", '"', "- -", "\0", "\ud800", None, 7])
def test_a_query_without_words_gives_a_hint(store: GraphStore, query: Any) -> None:
    """Case 37."""
    world = World(store)
    world.decision(events=[world.event("So.")], conclusion="* _ 🙂 ( -", rationale="None.")
    hits = world.traces.search_decisions(query)
    assert (hits, hits.status, hits.truncated) == ([], "empty_query", False)
    assert hits.hint and "letters or digits" in hits.hint
    nothing = world.traces.search_decisions("nowhere")
    assert (nothing, nothing.status, nothing.hint) == ([], "no_match", None)


def test_nothing_of_another_project_is_found(store: GraphStore) -> None:
    """Case 67: equal names and words in two projects."""
    worlds = [World(store, project_id=name) for name in ("one", "two")]
    made = [world.decision(events=[world.event("So.")], conclusion="Equal words.") for world in worlds]
    for world, own in zip(worlds, made, strict=True):
        assert found(world.traces.search_decisions("equal")) == [own.id]
        assert found(world.traces.search_precedents("equal", task_name="refund-LM-20931")) == [own.id]
