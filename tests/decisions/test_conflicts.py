"""Conflicts: one read, pages by choice key, in what the sides differ, and what each rests on."""

from typing import Any

import pytest

from reaffirm import ids
from reaffirm.decisions import DecisionTraces
from reaffirm.decisions.conflicts import SIDES
from reaffirm.decisions.sides import Difference, difference_of
from reaffirm.store import GraphStore
from tests.decisions.factories import World
from tests.history.stores import Watched
from tests.reviews.factories import AGENT, ELSEWHERE, PROJECT, QUOTE

CONTESTED = """
MERGE (t:Task {_agrag_history_record: true, id: $task_id})
ON CREATE SET t.project_id = $project, t.name = $task_id, t.goal = 'g', t.status = 'open', t.event_seq = 0,
  t.author = 'a', t.created_at = '2026-11-30T10:00:00+00:00'
WITH t
UNWIND $rows AS row
CREATE (t)-[m:MADE]->(d:Decision) SET d = row
RETURN count(d) AS made
"""


def add_side(store: GraphStore, task: str, answers: dict[str, str], project: str = PROJECT) -> None:
    """One task's contested decisions, by choice key, as the library leaves them."""
    task_id = ids.task_id(project, task)
    rows = [
        {
            "_agrag_history_record": True, "id": ids.decision_id(task_id, key, 1), "task_id": task_id,
            "project_id": project, "choice_key": key, "revision": 1, "conclusion": answer, "rationale": "r",
            "assumptions": [], "open_questions": [], "author": "a", "status": "active", "review_state": "clear",
            "created_at": "2026-11-30T10:00:00+00:00", "contested_in": project,
        }
        for key, answer in answers.items()
    ]  # fmt: skip
    made = store.write(CONTESTED, project=project, task_id=task_id, rows=rows)
    assert made == [{"made": len(rows)}]


def keys_of(traces: DecisionTraces, limit: int) -> list[str]:
    found: list[str] = []
    page = traces.list_conflicts(limit=limit)
    while True:
        assert len(page.groups) <= limit
        found += [group.choice_key for group in page.groups]
        assert page.truncated is (page.next_cursor is not None)
        if page.next_cursor is None:
            return found
        page = traces.list_conflicts(limit=limit, cursor=page.next_cursor)


def test_fault_12_every_conflict_is_listed_once_a_page_in_one_read(store: GraphStore) -> None:
    names = [f"key-{number:03d}" for number in range(118)] + ["🙂" * 200, "é/ü \\ 'x'"]
    add_side(store, "one", dict.fromkeys(names, "Yes."))
    add_side(store, "two", dict.fromkeys(names, "No."))
    add_side(store, "one", dict.fromkeys(names, "Yes."), project="other")
    add_side(store, "two", {"key-000": "Never."}, project="other")
    watched = Watched(store)
    traces = DecisionTraces(watched, project_id=PROJECT, agent_id=AGENT)  # type: ignore[arg-type]
    for limit in (7, 50):
        found = keys_of(traces, limit)
        assert len(found) == len(set(found))
        assert sorted(found) == sorted(names)
    watched.reads = 0
    page = traces.list_conflicts()
    assert (watched.reads, len(page.groups), page.truncated) == (1, 50, True)
    for nonsense in ("", "x", "é", "\0", "A" * 5_000, 7, "gICA"):
        assert traces.list_conflicts(cursor=nonsense, limit=1).groups == page.groups[:1]  # type: ignore[arg-type]
    assert len(traces.list_conflicts(limit=0).groups) == 1
    assert len(traces.list_conflicts(limit=10**9).groups) == 50


def test_fault_15_sides_that_are_left_out_are_counted(store: GraphStore) -> None:
    for number in range(SIDES + 10):
        add_side(store, f"task-{number}", {"many": "Yes." if number else "No.", "few": f"{number % 2}"})
    for group in World(store).traces.list_conflicts().groups:
        assert (len(group.decisions), group.truncated, group.count) == (SIDES, True, SIDES + 10)
        assert group.difference is Difference.WORDS
    add_side(store, "a", {"two": "Yes."})
    add_side(store, "b", {"two": "No."})
    group = World(store).traces.list_conflicts().groups[-1]
    assert (group.choice_key, len(group.decisions), group.truncated, group.count) == ("two", 2, False, 2)


@pytest.mark.parametrize(
    ("conclusions", "difference"),
    [
        (["Keep 30 days", "Keep  30\ndays "], "white_space"),
        (["Keep 30 days", "keep 30 Days"], "case"),
        (["Keep 30 days", "keep 30 days "], "case"),
        (["Café", "Cafe\u0301"], "unicode"),
        (["３０ days", "30 days"], "unicode"),
        (["ﬁve days", "five  days"], "unicode"),
        (["STRASSE", "Straße"], "case"),
        (["Keep 30 days", "Keep 30 days", "Keep 30 Days", "Keep 90 days"], "words"),
        (["Keep 30 days", "Keep 30 days."], "words"),
        (["Keep 30days", "Keep 30 days"], "words"),
    ],
)
def test_a_difference_that_is_only_one_of_form_is_named_as_such(conclusions: list[str], difference: str) -> None:
    assert difference_of(conclusions) == difference
    assert difference_of(reversed(conclusions)) == difference


def test_each_side_tells_what_it_rests_on(store: GraphStore) -> None:
    world = World(store)
    world.document()
    old = world.decision([("refund-policy", QUOTE)], task="a", conclusion="Keep 30 days")
    world.change("refund-policy", ELSEWHERE)
    parent = world.decision([("refund-policy", QUOTE)], task="p", choice="parent")
    event = world.event("So it is.", task="b")
    new = world.decision(
        [("refund-policy", QUOTE)], task="b", conclusion="keep 30 days ", parents=[parent], events=[event]
    )
    (group,) = world.traces.list_conflicts().groups
    assert (group.choice_key, group.difference, group.count) == ("refund-window", "case", 2)
    assert {each.id for each in group.decisions} == {old.id, new.id} == set(group.evidence)
    (first,) = group.evidence[old.id]
    assert (first.title, first.version, first.recorded_activation_seq, first.activation_seq) == (
        "Refund Policy", "older", 1, 2,
    )  # fmt: skip
    by_kind = {each.kind: each for each in group.evidence[new.id]}
    assert by_kind["document"].version == "current"
    assert by_kind["document"].evidence_id == new.supports[0].evidence_id
    assert (by_kind["event"].title, by_kind["event"].event_id) == ("Event 1 in b", new.supports[2].event_id)
    assert (by_kind["decision"].title, by_kind["decision"].decision_id, by_kind["decision"].status) == (
        "parent", parent.id, "active",
    )  # fmt: skip
    assert world.graph.remove("refund-policy").recorded
    (group,) = world.traces.list_conflicts().groups
    assert group.evidence[old.id][0].version == "removed"


def test_a_side_within_reach_of_a_review_that_spreads_reads_as_unknown(store: GraphStore) -> None:
    """Fault 10: and only that one."""
    world = World(store)
    world.document()
    parent = world.decision([("refund-policy", QUOTE)], choice="parent")
    reached = world.decision(parents=[parent], task="a", conclusion="Yes.")
    apart = world.decision(events=[world.event("So.", task="b")], task="b", conclusion="No.")
    world.change("refund-policy", ELSEWHERE)
    (group,) = world.traces.list_conflicts().groups
    assert {each.id: each.review_state for each in group.decisions} == {reached.id: "unknown", apart.id: "clear"}


def test_what_no_longer_conflicts_is_not_listed(store: GraphStore) -> None:
    """Case 67 too: another project's decisions on the same key are no side."""
    world, other = World(store), World(store, project_id="other")
    event = world.event("So.")
    sides: list[Any] = [
        world.decision(events=[event], task=f"t{number}", conclusion=f"{number}") for number in range(3)
    ]
    other.decision(events=[other.event("So.")], task="t0", conclusion="Something else.")
    (group,) = world.traces.list_conflicts().groups
    assert {each.id for each in group.decisions} == {each.id for each in sides}
    assert other.traces.list_conflicts().groups == ()
    world.traces.reject_decision(sides[0].id, "Wrong.")
    assert len(world.traces.list_conflicts().groups[0].decisions) == 2
    world.traces.reject_decision(sides[1].id, "Wrong.")
    assert world.traces.list_conflicts().groups == ()
