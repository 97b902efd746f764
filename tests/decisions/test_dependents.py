"""What rests on a decision: each once, at its smallest depth, bounded; and what a verdict would flag."""

from typing import Any

import pytest

from reaffirm import ids
from reaffirm.decisions import DecisionTraces, spreading
from reaffirm.decisions.models import VerdictKind
from reaffirm.store import GraphStore
from tests.decisions.factories import World
from tests.history.stores import Watched
from tests.reviews.factories import AGENT, PROJECT

NODES = """
MERGE (p:Project {_agrag_history_record: true, project_id: $project})
MERGE (t:Task {_agrag_history_record: true, id: $task_id})
ON CREATE SET t.project_id = $project, t.name = $task, t.goal = 'g', t.status = 'open', t.event_seq = 0,
  t.author = 'a', t.created_at = '2026-11-30T10:00:00+00:00'
WITH t
UNWIND $rows AS row
CREATE (t)-[m:MADE]->(d:Decision) SET d = row
RETURN count(d) AS made
"""
EDGES = """
UNWIND $rows AS row
MATCH (a:Decision {_agrag_history_record: true, id: row.child})
WITH row, a
MATCH (b:Decision {_agrag_history_record: true, id: row.parent})
CREATE (a)-[r:DEPENDS_ON]->(b)
RETURN count(r) AS made
"""
FLAGGED = """
MATCH (d:Decision) WHERE d.project_id = $project AND d.status = 'active' AND d.review_state = 'needs_review'
RETURN collect(d.id) AS ids
"""
Edges = list[tuple[str, str]]


class Net:
    """Decisions that rest on each other, by short names. ``(x)`` is rejected, ``x!`` is flagged."""

    def __init__(self, store: GraphStore, edges: Edges, project: str = PROJECT) -> None:
        self.store, self.project = store, project
        self.watched = Watched(store)
        self.traces = DecisionTraces(self.watched, project_id=project, agent_id=AGENT)  # type: ignore[arg-type]
        task_id = ids.task_id(project, "net")
        names = sorted({name for edge in edges for name in edge})
        self.ids = {name: ids.decision_id(task_id, name.strip("()!"), 1) for name in names}
        self.names = {each: name for name, each in self.ids.items()}
        rows = [
            {
                "_agrag_history_record": True, "id": self.ids[name], "task_id": task_id, "project_id": project,
                "choice_key": name.strip("()!"), "revision": 1, "conclusion": "Yes.", "rationale": "r",
                "assumptions": [], "open_questions": [], "author": "a", "created_at": "2026-11-30T10:00:00+00:00",
                "status": "rejected" if name.startswith("(") else "active",
                "review_state": "needs_review" if name.endswith("!") else "clear",
            }
            for name in names
        ]  # fmt: skip
        pairs = [{"child": self.ids[child], "parent": self.ids[parent]} for child, parent in edges]
        for at in range(0, len(rows), 2_000):
            store.write(NODES, project=project, task="net", task_id=task_id, rows=rows[at : at + 2_000])
        for at in range(0, len(pairs), 2_000):
            store.write(EDGES, rows=pairs[at : at + 2_000])

    def depths(self, name: str, **more: Any) -> dict[str, int]:
        """All pages of dependents; each must come once, in order."""
        found: list[tuple[int, str]] = []
        cursor = None
        while True:
            page = self.traces.dependents(self.ids[name], cursor=cursor, **{"limit": 3, **more})
            found += [(each.depth, each.decision.id) for each in page.dependents]
            cursor = page.next_cursor
            if cursor is None:
                break
        assert found == sorted(set(found))
        assert page.count == len(found)
        assert sum(page.by_depth.values()) == page.count
        return {self.names[each]: depth for depth, each in found}

    def flagged(self) -> set[str]:
        return {self.names[each] for each in self.store.read(FLAGGED, project=self.project)[0]["ids"]}

    def spread(self) -> None:
        while self.traces.continue_decision_review():
            pass


def ladder(rungs: int) -> Edges:
    """Diamonds, one on the other: two to the power of ``rungs`` paths."""
    edges: Edges = []
    for number in range(rungs):
        below = "j0" if number == 0 else f"j{number}"
        edges += [(f"a{number}", below), (f"b{number}", below)]
        edges += [(f"j{number + 1}", f"a{number}"), (f"j{number + 1}", f"b{number}")]
    return edges


TREE = [("b", "a"), ("c", "a"), ("d", "b"), ("d", "c"), ("e", "d"), ("e", "a"), ("(f)", "a"), ("g", "(f)"), ("h!", "e")]
RING = [("b", "a"), ("c", "b"), ("a", "c"), ("d", "c"), ("d", "d"), ("e!", "d"), ("f", "e!"), ("b", "f")]


def test_each_once_at_its_smallest_depth(store: GraphStore) -> None:
    net = Net(store, TREE)
    assert net.depths("a") == {"b": 1, "c": 1, "e": 1, "d": 2, "h!": 2}
    assert net.depths("a", max_depth=1) == {"b": 1, "c": 1, "e": 1}
    page = net.traces.dependents(net.ids["a"], limit=2)
    assert (page.count, page.by_depth, page.complete) == (5, {1: 3, 2: 2}, True)
    assert net.traces.dependents(net.ids["a"], max_depth=1).complete is False
    assert net.traces.dependents(net.ids["a"], max_depth=2).complete is True
    assert net.depths("h!") == {}
    assert net.depths("(f)") == {"g": 1}


def test_cycles_end(store: GraphStore) -> None:
    net = Net(store, RING)
    assert net.depths("a") == {"b": 1, "c": 2, "d": 3, "e!": 4, "f": 5}
    assert net.depths("d") == {"e!": 1, "f": 2, "b": 3, "c": 4, "a": 5}


def test_a_ladder_of_diamonds_costs_no_more_than_its_rungs(store: GraphStore) -> None:
    net = Net(store, ladder(30))
    page = net.traces.dependents(net.ids["j0"])
    assert (page.count, page.complete, max(page.by_depth)) == (90, True, 60)
    assert net.watched.reads == spreading.ROUNDS + 1


def test_a_long_chain_is_cut_and_says_so(store: GraphStore) -> None:
    net = Net(store, [(f"n{number + 1:03d}", f"n{number:03d}") for number in range(80)])
    page = net.traces.dependents(net.ids["n000"])
    assert (page.count, page.complete) == (spreading.MAX_DEPTH, False)
    page = net.traces.dependents(net.ids["n017"])
    assert (page.count, page.complete) == (63, True)
    assert net.traces.dependents(net.ids["n064"]).count == 16
    for asked, count in ((0, 1), (-1, 1), (16, 16), (10**9, 63)):
        assert net.traces.dependents(net.ids["n000"], max_depth=asked).count == count


def test_more_than_are_followed_are_told(store: GraphStore, monkeypatch: pytest.MonkeyPatch) -> None:
    net = Net(store, [(f"c{number:03d}", "a") for number in range(50)] + [("g", "c000")])
    assert net.traces.dependents(net.ids["a"]).by_depth == {1: 50, 2: 1}
    for most, count in ((51, 51), (50, 50), (49, 49), (10, 10)):
        monkeypatch.setattr(spreading, "MOST", most)
        page = net.traces.dependents(net.ids["a"], limit=100)
        assert (page.count, len(page.dependents), page.complete) == (count, count, most == 51)
        preview = net.traces.preview(net.ids["a"], "reject")
        assert (preview.would_flag, preview.complete) == (count, most == 51)


def test_the_number_of_reads_does_not_grow(store: GraphStore) -> None:
    net = Net(store, TREE + [(f"c{number:03d}", "b") for number in range(200)])
    for name in ("d", "a"):
        for call in (net.traces.dependents, lambda each: net.traces.preview(each, "reject")):
            net.watched.reads = 0
            call(net.ids[name])
            assert net.watched.reads == 2


def test_the_number_of_reads_follows_the_depth_up_to_five(store: GraphStore) -> None:
    deepest = 80
    net = Net(store, [(f"n{number:03d}", f"n{number - 1:03d}") for number in range(1, deepest + 1)])
    for depth, reads in ((1, 2), (15, 2), (16, 3), (31, 3), (32, 4), (47, 4), (48, 5), (63, 5), (80, 5)):
        for call in (net.traces.dependents, lambda each: net.traces.preview(each, "reject")):
            net.watched.reads = 0
            call(net.ids[f"n{deepest - depth:03d}"])
            assert net.watched.reads == reads, depth


@pytest.mark.parametrize("verdict", ["reject", "supersede"])
@pytest.mark.parametrize("edges", [TREE, RING, ladder(6)], ids=["diamonds and a rejected one", "rings", "ladder"])
def test_a_preview_tells_what_the_verdict_then_flags(store: GraphStore, edges: Edges, verdict: str) -> None:
    net = Net(store, edges)
    name = "a" if "a" in net.ids else "j0"
    before = net.flagged()
    affected = []
    cursor = None
    while True:
        page = net.traces.preview(net.ids[name], verdict, limit=2, cursor=cursor)
        affected += list(page.affected)
        cursor = page.next_cursor
        if cursor is None:
            break
    would = {net.names[each.decision.id] for each in affected if not each.already_flagged}
    already = {net.names[each.decision.id] for each in affected if each.already_flagged}
    assert (page.would_flag, page.already_flagged, page.complete) == (len(would), len(already), True)
    assert would
    assert already <= before
    world = World(store)
    if verdict == "reject":
        assert net.traces.reject_decision(net.ids[name], "Wrong.").recorded
    else:
        event = world.event("New.")
        assert net.traces.supersede_decision(net.ids[name], "No.", "r", explanation="New.", supports=[event]).recorded
    net.spread()
    assert net.flagged() == before | would
    assert net.traces.preview(net.ids[name], verdict).possible is False
    assert net.traces.preview(net.ids[name], verdict).would_flag == 0


def test_a_reaffirmation_flags_nothing(store: GraphStore) -> None:
    net = Net(store, TREE)
    preview = net.traces.preview(net.ids["a"], VerdictKind.REAFFIRM)
    assert (preview.possible, preview.would_flag, preview.affected) == (True, 0, ())


def test_nothing_of_another_project_is_followed(store: GraphStore) -> None:
    """Case 67: equal names in two projects, and an edge between them that an import left."""
    net, other = Net(store, TREE), Net(store, TREE, project="other")
    store.write(EDGES, rows=[{"child": other.ids["b"], "parent": net.ids["a"]}])
    assert net.depths("a") == {"b": 1, "c": 1, "e": 1, "d": 2, "h!": 2}
    assert net.traces.dependents(other.ids["a"]).model_dump(exclude_defaults=True) == {"found": False}
    assert net.traces.preview(other.ids["a"], "reject").would_flag == 0


@pytest.mark.parametrize("asked", ["", "x", None, 7, ids.decision_id("t", "c", 1)])
def test_odd_questions_find_nothing(store: GraphStore, asked: Any) -> None:
    net = Net(store, TREE)
    assert net.traces.dependents(asked).found is False
    assert net.traces.preview(asked, "reject").found is False
    assert "reject" in str(net.traces.preview(net.ids["a"], asked).hint)
    page = net.traces.dependents(net.ids["a"], limit=asked, max_depth=asked, cursor=asked)
    assert page.count == len(page.dependents) == 5
