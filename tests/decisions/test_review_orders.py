"""The three orders of the review list: each flag once, both ways, equal keys and missing ones included; and filters."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from reaffirm import ids
from reaffirm.decisions import DecisionTraces, adopt_flags, compare_flags, queue, queue_statements
from reaffirm.decisions.narrowing import ReviewSort
from reaffirm.decisions.records import UNSIZED
from reaffirm.store import GraphStore
from tests.decisions.factories import World
from tests.decisions.test_review_list import AT, FLAGS, walk
from tests.history.stores import Watched
from tests.reviews.factories import AGENT, BEFORE, EDITED, ELSEWHERE, PROJECT, QUOTE

SORTS = tuple(ReviewSort)
# What agentic-graphrag leaves on a decision that it flags, or clears and flags again: nothing of ours.
FORGET = """
MATCH (d:Decision) WHERE d.project_id = $project AND d.choice_key IN $choices
SET d += $facts
RETURN count(d) AS changed
"""


def forget(store: GraphStore, choices: list[str], *names: str) -> None:
    facts = dict.fromkeys(names)
    assert store.write(FORGET, project=PROJECT, choices=choices, facts=facts)[0]["changed"] >= len(choices)


def add(store: GraphStore, facts: list[dict[str, Any]], task: str = "many") -> list[dict[str, Any]]:
    """Flags with these facts, many at once."""
    task_id = ids.task_id(PROJECT, task)
    rows: list[dict[str, Any]] = [
        {
            "_agrag_history_record": True, "id": ids.decision_id(task_id, f"choice-{number}", 1), "task_id": task_id,
            "project_id": PROJECT, "choice_key": f"choice-{number}", "revision": 1, "conclusion": "Yes.",
            "rationale": "Why.", "assumptions": [], "open_questions": [], "author": "a", "status": "active",
            "review_state": "needs_review", "review_reason": "source_changed",
            "created_at": "2026-11-30T10:00:00+00:00", "flagged_ms": AT, "dependents": 0, "change_size": UNSIZED,
            **each,
        }
        for number, each in enumerate(facts)
    ]  # fmt: skip
    for start in range(0, len(rows), 500):
        store.write(FLAGS, project=PROJECT, task_id=task_id, rows=rows[start : start + 500])
    return rows


def expected(rows: list[dict[str, Any]], sort: ReviewSort) -> list[str]:
    keys: dict[ReviewSort, tuple[Callable[[dict[str, Any]], Any], bool]] = {
        ReviewSort.OLDEST: (lambda row: (row["flagged_ms"], row["id"]), False),
        ReviewSort.MOST_DEPENDENTS: (lambda row: (row["dependents"], row["id"]), True),
        ReviewSort.SMALLEST_CHANGE: (lambda row: (row["change_size"], row["id"]), False),
    }
    key, falling = keys[sort]
    return [row["id"] for row in sorted(rows, key=key, reverse=falling)]


@pytest.fixture
def traces(store: GraphStore) -> DecisionTraces:
    return DecisionTraces(store, project_id=PROJECT, agent_id=AGENT)


def mixed(number: int) -> list[dict[str, Any]]:
    """Keys of which many are equal, and some stand alone."""
    return [
        {
            "flagged_ms": AT + each % 7,
            "dependents": 0 if each % 3 else each % 11,
            "change_size": UNSIZED if each % 4 == 0 else each % 5,
        }
        for each in range(number)
    ]


@pytest.mark.parametrize("sort", SORTS)
def test_fault_14_every_flag_can_be_reached(store: GraphStore, traces: DecisionTraces, sort: ReviewSort) -> None:
    """45 flags, cases 08: the oldest as well, each once, both ways, in each order."""
    order = expected(add(store, mixed(45)), sort)
    for limit in (1, 7, 20, 44, 45, 200):
        forwards, backwards = walk(traces, limit, sort=sort)
        assert forwards == order, limit
        assert backwards == order[::-1], limit
        assert traces.list_decisions_for_review(limit=limit, sort=sort).count == 45
    assert {sort.value for sort in SORTS} == {"oldest", "most_dependents", "smallest_change"}
    assert traces.list_decisions_for_review(limit=1, sort=sort.value).decisions[0].id == order[0]


@pytest.mark.parametrize("sort", SORTS)
def test_a_flag_without_what_an_order_sorts_by_stands_last_and_is_not_lost(
    store: GraphStore, traces: DecisionTraces, sort: ReviewSort
) -> None:
    rows = add(store, mixed(45))
    bare = [f"choice-{number}" for number in range(0, 45, 6)]
    forget(store, bare, "dependents", "change_size", "cause_kind")
    for filters in ({}, {"task_name": "many"}, {"reason": "source_changed"}):
        forwards, backwards = walk(traces, 7, sort=sort, **filters)
        assert sorted(forwards) == sorted(row["id"] for row in rows)
        assert backwards == forwards[::-1]
        if sort is ReviewSort.MOST_DEPENDENTS:
            lacking = {row["id"] for row in rows if row["choice_key"] in bare}
            assert set(forwards[-len(bare) :]) == lacking


@pytest.mark.parametrize("sort", SORTS)
def test_flags_of_another_program_are_counted_at_once_and_listed_when_adopted(
    store: GraphStore, traces: DecisionTraces, sort: ReviewSort
) -> None:
    add(store, mixed(45))
    forget(store, [f"choice-{number}" for number in range(0, 45, 2)], "flagged_ms", "dependents", "change_size")
    page = traces.list_decisions_for_review(limit=5, sort=sort)
    assert (page.counts.flagged, page.counts.listed, page.count) == (45, 22, 22)
    assert len(walk(traces, 5, sort=sort)[0]) == 22
    while adopt_flags(store, project_id=PROJECT):
        pass
    forwards, backwards = walk(traces, 5, sort=sort)
    assert len(set(forwards)) == len(forwards) == 45
    assert backwards == forwards[::-1]
    counts = traces.review_counts()
    assert (counts.flagged, counts.listed) == (45, 45)
    lacking = "MATCH (d:Decision) WHERE d.dependents IS NULL OR d.change_size IS NULL RETURN count(d) AS n"
    assert store.read(lacking) == [{"n": 0}]


@pytest.mark.parametrize("sort", SORTS)
def test_a_long_queue_is_read_in_few_statements(falkordb_store: GraphStore, sort: ReviewSort) -> None:
    """More flags than FalkorDB sorts at once; most have no dependents and no known size."""
    number = queue.WINDOW + 300
    facts = [
        {
            "flagged_ms": AT + each * 1_000,
            "dependents": each % 50 if each % 10 == 0 else 0,
            "change_size": each % 90 if each % 3 else UNSIZED,
        }
        for each in range(number)
    ]
    order = expected(add(falkordb_store, facts), sort)
    watched = Watched(falkordb_store)
    traces = DecisionTraces(watched, project_id=PROJECT, agent_id=AGENT)  # type: ignore[arg-type]
    forwards, backwards = walk(traces, 190, sort=sort)
    assert forwards == order
    assert backwards == order[::-1]
    pages = 2 * -(-number // 190) - 1
    assert watched.reads <= 3 * pages


def test_a_cursor_of_another_order_is_the_beginning(store: GraphStore, traces: DecisionTraces) -> None:
    add(store, mixed(9))
    cursors = {sort: traces.list_decisions_for_review(limit=3, sort=sort).next_cursor for sort in SORTS}
    for sort in SORTS:
        first = traces.list_decisions_for_review(limit=3, sort=sort)
        for other in SORTS:
            page = traces.list_decisions_for_review(limit=3, sort=sort, cursor=cursors[other])
            assert (page.decisions == first.decisions) is (sort is not other)
    odd = traces.list_decisions_for_review(limit=3, sort="newest")
    assert odd.decisions == traces.list_decisions_for_review(limit=3).decisions


def test_on_neo4j_an_index_gives_the_order(neo4j_store: GraphStore) -> None:
    """The rows of a walk come from its own composite in its own order: nothing is sorted, and nothing scanned."""
    keys = {"AGE": "flagged_ms", "DEPENDENTS": "dependents", "CHANGE": "change_size"}
    params = {
        "project": PROJECT, "from": 0, "to": 2**62, "after": "", "limit": 51, "since": 0, "until": 2**62, "words": [],
        "reason": None, "task_id": None, "choice_key": None, "author": None, "source_change": None,
    }  # fmt: skip
    for name, key in keys.items():
        for direction in ("UP", "DOWN"):
            plan = neo4j_store.explain(getattr(queue_statements, f"BY_{name}_{direction}"), **params)
            assert f"d:Decision(project_id, status, review_state, {key}, id)" in plan, plan
            assert "Limit" in plan, plan
            assert "Sort" not in plan and "Top" not in plan, plan


# Filters


@pytest.fixture
def world(store: GraphStore) -> World:
    """Flags by two changes of one document and one of another, by two agents, in three tasks."""
    world = World(store)
    world.document()
    world.document("other", BEFORE)
    world.decision([("refund-policy", QUOTE)], choice="window", conclusion="Thirty DAYS of window.")
    world.decision([("refund-policy", QUOTE)], choice="postage", question="Who pays the Überführung?", task="post")
    world.change("refund-policy", ELSEWHERE)
    world.agent = "second@larkfield.example"
    world.decision([("refund-policy", QUOTE)], choice="late_claims", conclusion="50% of C++ (a/b) \"x\" AND 'y'.")
    world.decision([("other", QUOTE), ("refund-policy", QUOTE)], choice="both", task="post")
    world.change("other", ELSEWHERE)
    world.change("refund-policy", EDITED)
    return world


def keys(world: World, **filters: Any) -> set[str]:
    page = world.traces.list_decisions_for_review(**filters)
    assert page.count == len(page.rows)
    for sort in SORTS:
        forwards, backwards = walk(world.traces, 1, sort=sort, **filters)
        assert sorted(forwards) == sorted(backwards) == sorted(each.id for each in page.decisions), (sort, filters)
    return {each.choice_key for each in page.decisions}


def test_filters_combine(world: World) -> None:
    everything = {"window", "postage", "late_claims", "both"}
    assert keys(world) == everything
    second = world.traces.list_decisions_for_review(author=world.agent).rows[0].cause.version
    assert second and second.activation_id
    assert keys(world, author=AGENT) == {"window", "postage"}
    assert keys(world, author=world.agent, task_name="post") == {"both"}
    assert keys(world, source_change=second.activation_id) == everything
    assert keys(world, source_change=second.activation_id, document_key="other") == {"both"}
    assert keys(world, document_key="refund-policy", author=AGENT, text="DAYS") == {"window"}
    assert keys(world, choice_key="both", reason="source_changed") == {"both"}
    assert keys(world, choice_key="both", reason="source_removed") == set()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("days THIRTY", {"window"}),
        ("überführung", {"postage"}),
        ("late", {"late_claims"}),
        ("50% c++", {"late_claims"}),
        ("(a/b)", {"late_claims"}),
        ('"x" AND', {"late_claims"}),
        ("'y'.", {"late_claims"}),
        (".*", set()),
        ("*", set()),
        ("\\", set()),
        ("days nowhere", set()),
        ("x" * 501, set()),
        (" ".join(f"w{number}" for number in range(21)), set()),
        ("a\0", set()),
        (" \n", {"window", "postage", "late_claims", "both"}),
    ],
)
def test_text_is_plain_words(world: World, text: str, found: set[str]) -> None:
    page = world.traces.list_decisions_for_review(text=text)
    assert {each.choice_key for each in page.decisions} == found
    assert page.count == len(found)


def test_age_is_a_moment_on_either_side(store: GraphStore, traces: DecisionTraces) -> None:
    """Case 35: the same moment in any zone, and without one; a microsecond more is another."""
    add(store, [{"flagged_ms": AT + number} for number in range(10)])
    at = datetime.fromtimestamp(AT / 1000, UTC) + timedelta(milliseconds=4)

    def number(**filters: Any) -> int:
        counts = {traces.list_decisions_for_review(sort=sort, **filters).count for sort in SORTS}
        assert len(counts) == 1
        found = counts.pop()
        assert len(walk(traces, 3, **filters)[0]) == found
        return found

    assert number(flagged_before=at) == 4
    assert number(flagged_after=at) == 6
    assert number(flagged_after=at, flagged_before=at + timedelta(milliseconds=2)) == 2
    assert number(flagged_after=at - timedelta(microseconds=1)) == 6
    assert number(flagged_after=at + timedelta(microseconds=1)) == 5
    assert number(flagged_before=at + timedelta(microseconds=1)) == 5
    assert number(flagged_before=at.replace(tzinfo=None)) == 4
    assert number(flagged_before=at.isoformat()) == 4
    assert number(flagged_before=at.astimezone(timezone(timedelta(hours=5))).isoformat()) == 4
    assert number(flagged_before=datetime.max.replace(tzinfo=UTC)) == 10
    assert number(flagged_after=datetime.min.replace(tzinfo=UTC)) == 10
    for odd in ("yesterday", "", 5, b"a", [], "2026-13-45"):
        assert number(flagged_before=odd) == 0


# Who flagged it


def test_a_row_says_who_or_what_flagged_it_and_when(store: GraphStore) -> None:
    world = World(store)
    world.document()
    world.document("other", BEFORE)
    event = world.event("It says so.")
    parents = {name: world.decision(events=[event], choice=name) for name in ("superseded", "rejected")}
    parents["flagged"] = world.decision([("other", QUOTE)], choice="flagged")
    cited = world.decision([("refund-policy", QUOTE)], choice="cited")
    for name, parent in parents.items():
        world.decision(choice=f"on-{name}", parents=[parent])
    assert world.graph.update("refund-policy", ELSEWHERE, author="keeper").recorded
    world.change("other", ELSEWHERE)
    person = DecisionTraces(store, project_id=PROJECT, agent_id="user:ada")
    assert person.reject_decision(parents["rejected"].id, "Wrong.").recorded
    seen = world.seen(parents["superseded"].id)
    assert person.supersede_where_it_stands(parents["superseded"].id, explanation="New.", expected=seen).recorded
    while world.traces.continue_decision_review():
        pass
    compare_flags(store, PROJECT)
    rows = {row.decision.choice_key: row for row in world.traces.list_decisions_for_review(limit=50).rows}
    assert set(rows) == {"cited", "flagged", "on-superseded", "on-rejected", "on-flagged"}
    for name, kind, by in (
        ("cited", "document", "keeper"), ("flagged", "document", None), ("on-superseded", "decision", "user:ada"),
        ("on-rejected", "decision", "user:ada"), ("on-flagged", "decision", None),
    ):  # fmt: skip
        cause = rows[name].cause
        assert (cause.kind, cause.by) == (kind, by), name
        assert cause.at and rows[name].decision.flagged_at, name
    assert rows["cited"].cause.version and rows["cited"].cause.at == rows["cited"].cause.version.activated_at
    assert rows["on-flagged"].cause.at == rows["flagged"].decision.flagged_at
    case = world.traces.review_case(cited.id)
    assert case and case.cause == rows["cited"].cause
    assert rows["flagged"].dependents == 1

    # Text that another place of the document changed is the smallest change; what no text raised stands last.
    order = [row.decision.choice_key for row in world.traces.list_decisions_for_review(sort="smallest_change").rows]
    assert set(order[:2]) == {"cited", "flagged"}
    assert {row.words_added for name, row in rows.items() if name in order[:2]} == {0}


def test_what_another_program_superseded_or_rejected_names_its_agent(store: GraphStore) -> None:
    world = World(store)
    event = world.event("It says so.")
    for verb in ("superseded", "rejected"):
        parent = world.decision(events=[event], choice=verb)
        world.decision(choice=f"on-{verb}", parents=[parent])
        if verb == "superseded":
            seen = world.seen(parent.id)
            assert world.traces.supersede_where_it_stands(parent.id, explanation="New.", expected=seen).recorded
        else:
            assert world.traces.reject_decision(parent.id, "Wrong.").recorded
        forget(store, [verb], "verdict_kind", "verdict_by", "verdict_at")
    while world.traces.continue_decision_review():
        pass
    causes = {row.decision.choice_key: row.cause for row in world.traces.list_decisions_for_review().rows}
    assert {cause.by for cause in causes.values()} == {AGENT}
    assert causes["on-superseded"].at and causes["on-rejected"].at is None
