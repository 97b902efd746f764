"""The review list: every flag once, in one order, both ways; exact counts; a number of reads that does not grow."""

from typing import Any

import pytest

from reaffirm import ids
from reaffirm.decisions import DecisionTraces, adopt_flags, queue
from reaffirm.decisions.models import ReviewReason
from reaffirm.store import GraphStore
from tests.decisions.factories import World
from tests.history.stores import Watched
from tests.reviews.factories import AGENT, BEFORE, ELSEWHERE, PROJECT, QUOTE

AT = 1_780_000_000_000
# Flags as the library leaves them, many at once.
FLAGS = """
MERGE (p:Project {_agrag_history_record: true, project_id: $project})
MERGE (t:Task {_agrag_history_record: true, id: $task_id})
ON CREATE SET t.project_id = $project, t.name = $task_id, t.goal = 'g', t.status = 'open', t.event_seq = 0,
  t.author = 'a', t.created_at = '2026-11-30T10:00:00+00:00'
WITH t
UNWIND $rows AS row
CREATE (t)-[m:MADE]->(d:Decision) SET d = row
RETURN count(d) AS made
"""
# What agentic-graphrag does when a document gets a new version.
RAW_VERSION = """
MATCH (doc:Document {id: $id})
SET doc.activation_seq = 2, doc.current_content_hash = $hash
CREATE (doc)-[ha:HAS_ACTIVATION]->(a:DocumentActivation)
SET a.id = $activation, a.document_key = $key, a.verb = 'update', a.content_hash = $hash, a.activation_seq = 2,
  a.activated_at = '2026-11-30T12:00:00+00:00', a.job_id = 'job'
RETURN 1 AS one
"""
RAW_FLAG = """
MATCH (d:Decision)-[h:HAS_SUPPORT]->(s:DecisionSupport) WHERE s.document_node_id = $id AND s.current = true
SET d.review_state = 'needs_review', d.review_reason = 'source_changed', d.review_pending = true
RETURN count(d) AS flagged
"""


def add_flags(store: GraphStore, places: list[int], task: str = "many", reason: str = "source_changed") -> list[str]:
    """Flags at the given milliseconds; their ids in the order of the list."""
    task_id = ids.task_id(PROJECT, task)
    rows = [
        {
            "_agrag_history_record": True, "id": ids.decision_id(task_id, f"{reason}-{number}", 1), "task_id": task_id,
            "project_id": PROJECT, "choice_key": f"{reason}-{number}", "revision": 1, "conclusion": "Yes.",
            "rationale": "Why.", "assumptions": [], "open_questions": [], "author": "a", "status": "active",
            "review_state": "needs_review", "review_reason": reason, "created_at": "2026-11-30T10:00:00+00:00",
            "flagged_ms": place,
        }
        for number, place in enumerate(places)
    ]  # fmt: skip
    assert store.write(FLAGS, project=PROJECT, task_id=task_id, rows=rows) == [{"made": len(rows)}]
    return [row["id"] for row in sorted(rows, key=lambda row: (row["flagged_ms"], row["id"]))]  # type: ignore[misc]


def walk(traces: DecisionTraces, limit: int, **filters: Any) -> tuple[list[str], list[str]]:
    """All ids forwards, then all ids backwards from the last page."""
    forwards: list[str] = []
    page = traces.list_decisions_for_review(limit=limit, **filters)
    assert page.previous_cursor is None
    while True:
        forwards += [each.id for each in page.decisions]
        if page.next_cursor is None:
            break
        page = traces.list_decisions_for_review(limit=limit, cursor=page.next_cursor, **filters)
    backwards = [each.id for each in reversed(page.decisions)]
    while page.previous_cursor:
        page = traces.list_decisions_for_review(limit=limit, cursor=page.previous_cursor, backwards=True, **filters)
        backwards += [each.id for each in reversed(page.decisions)]
    return forwards, backwards


@pytest.fixture
def traces(store: GraphStore) -> DecisionTraces:
    return DecisionTraces(store, project_id=PROJECT, agent_id=AGENT)


@pytest.mark.parametrize("spread", [0, 1], ids=["at one moment", "apart"])
def test_250_flags_are_each_listed_once_forwards_and_backwards(
    store: GraphStore, traces: DecisionTraces, spread: int
) -> None:
    """Case 08, fault 14."""
    order = add_flags(store, [AT + number * spread for number in range(250)])
    for limit in (20, 50, 200):
        forwards, backwards = walk(traces, limit)
        assert forwards == order
        assert backwards == order[::-1]
    page = traces.list_decisions_for_review(limit=20)
    assert (page.count, page.counts.flagged, page.counts.listed) == (250, 250, 250)


@pytest.mark.parametrize("bunched", [False, True], ids=["even", "bunched"])
def test_a_long_queue_is_read_through_windows(falkordb_store: GraphStore, bunched: bool) -> None:
    """More flags than FalkorDB sorts at once, evenly in time, or nearly all at two moments far apart."""
    number = queue.WINDOW + 400
    places = [AT + each * 1_000 for each in range(number)]
    if bunched:  # a page that begins behind the first bunch finds less than it needs in a window
        places = [AT] * 1_200 + [AT + 1] * 10 + [AT + 10**9] * (number - 1_210)
    order = add_flags(falkordb_store, places)
    watched = Watched(falkordb_store)
    traces = DecisionTraces(watched, project_id=PROJECT, agent_id=AGENT)  # type: ignore[arg-type]
    forwards, backwards = walk(traces, 150)
    assert forwards == order
    assert backwards == order[::-1]
    watched.reads = 0
    traces.list_decisions_for_review(limit=50)
    assert watched.reads <= 3


def test_filters_narrow_the_list_and_its_count(store: GraphStore, traces: DecisionTraces) -> None:
    world = World(store)
    world.document("other", BEFORE)
    cited = [world.decision([("other", QUOTE)], choice=f"c{number}", task=f"t{number % 2}") for number in range(5)]
    world.change("other", ELSEWHERE)
    add_flags(store, [AT + number for number in range(30)], reason="source_removed")
    add_flags(store, [AT + number for number in range(7)], task="few", reason="dependency_review")
    every: dict[str, tuple[dict[str, Any], int]] = {
        "none": ({}, 42),
        "reason": ({"reason": "source_removed"}, 30),
        "task": ({"task_name": "few"}, 7),
        "task of another": ({"task_name": "t0"}, 3),
        "document": ({"document_key": "other"}, 5),
        "document and task": ({"document_key": "other", "task_name": "t1"}, 2),
        "choice": ({"choice_key": "c3"}, 1),
        "reason and task": ({"reason": ReviewReason.SOURCE_REMOVED, "task_name": "few"}, 0),
    }
    for name, (filters, number) in every.items():
        forwards, backwards = walk(traces, 4, **filters)
        assert len(forwards) == len(set(forwards)) == number, name
        assert backwards == forwards[::-1], name
        page = traces.list_decisions_for_review(limit=4, **filters)
        assert (page.count, page.counts.flagged) == (number, 42), name
    assert traces.review_counts().by_reason == {
        ReviewReason.SOURCE_CHANGED: 5, ReviewReason.SOURCE_REMOVED: 30, ReviewReason.DEPENDENCY_REVIEW: 7,
    }  # fmt: skip
    row = traces.list_decisions_for_review(document_key="other").rows[0]
    assert row.decision.id in {each.id for each in cited}
    assert row.cause.document_key == "other" and row.cause.version and row.cause.version.activation_seq == 2


def test_the_number_of_reads_does_not_grow(store: GraphStore) -> None:
    world = World(store)
    watched = Watched(store)
    traces = DecisionTraces(watched, project_id=PROJECT, agent_id=AGENT)  # type: ignore[arg-type]
    world.document()
    event = world.event("It says so.")
    for number in range(6):
        world.decision([("refund-policy", QUOTE)], events=[event], choice=f"c{number}")
        world.decision([("refund-policy", QUOTE)], task="another", choice=f"c{number}", conclusion=f"Answer {number}.")
    world.change("refund-policy", ELSEWHERE)

    def reads(call: Any) -> tuple[int, int]:
        watched.reads = watched.writes = 0
        call()
        return watched.reads, watched.writes

    decision = traces.list_decisions_for_review().decisions[0]
    seen = world.seen(decision.id)
    assert reads(lambda: traces.list_decisions_for_review(limit=50))[0] <= 3
    assert reads(traces.review_counts) == (1, 0)
    assert reads(lambda: traces.review_case(decision.id)) == (1, 0)
    assert reads(traces.list_conflicts) == (1, 0)
    assert len(traces.list_conflicts().groups) == 6
    assert reads(lambda: traces.list_decisions("another")) == (1, 0)
    assert reads(lambda: traces.reaffirm_where_it_stands(decision.id, expected=seen)) == (1, 1)
    after = world.seen(decision.id)
    assert reads(lambda: traces.supersede_where_it_stands(decision.id, explanation="New.", expected=after)) == (1, 1)
    last = traces.list_decisions_for_review().decisions[-1]
    assert reads(lambda: traces.reject_decision(last.id, "Wrong.")) == (1, 1)


def test_flags_that_agentic_graphrag_raised_get_a_place_and_a_cause(store: GraphStore) -> None:
    world = World(store)
    world.document()
    made = [world.decision([("refund-policy", QUOTE)], choice=f"c{number}") for number in range(3)]
    child = world.decision(choice="child", parents=[made[0]])
    document = made[0].supports[0].document_node_id
    world.store.write(RAW_VERSION, id=document, hash="0" * 64, key="refund-policy", activation=ids.activation_id("raw"))
    assert world.store.write(RAW_FLAG, id=document) == [{"flagged": 3}]
    counts = world.traces.review_counts()
    assert (counts.flagged, counts.listed) == (3, 0)
    assert adopt_flags(store, project_id=PROJECT) >= 3
    counts = world.traces.review_counts()
    assert (counts.flagged, counts.listed) == (3, 3)
    rows = world.traces.list_decisions_for_review().rows
    assert [row.decision.id for row in rows] == sorted(decision.id for decision in made)
    assert {row.cause.version.activation_seq for row in rows if row.cause.version} == {2}
    before = store.read("MATCH (d:Decision) RETURN d{.*} AS d ORDER BY d.id")
    assert adopt_flags(store) == 0
    assert store.read("MATCH (d:Decision) RETURN d{.*} AS d ORDER BY d.id") == before
    while world.traces.continue_decision_review():
        pass
    assert world.is_flagged(child.id)
