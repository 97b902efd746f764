"""Source changes: which there were, what each flagged, and what became of the passages that decisions cite."""

from typing import Any

import pytest

from reaffirm import ids
from reaffirm.decisions import DecisionTraces
from reaffirm.decisions.models import DocumentSupportInput
from reaffirm.history import ConversationHistory
from reaffirm.knowledge import AnchorState, Graph, changes
from reaffirm.store import GraphStore

KEY, OTHER = "docs/policy.txt", "docs/other.txt"
OLD = "Backups are kept for thirty days.\n\nLogs are kept for one year.\n\nNobody reads this."
NEW = "Backups are kept for sixty days.\n\nLogs are kept for one year.\n\nNobody reads this."


@pytest.fixture
def graph(store: GraphStore) -> Graph:
    return Graph(store)


@pytest.fixture
def reads(store: GraphStore, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statements that were run."""
    asked: list[str] = []
    real = store.read

    def read(query: str, **params: object) -> list[dict[str, Any]]:
        asked.append(query)
        return real(query, **params)

    monkeypatch.setattr(store, "read", read)
    return asked


def decide(store: GraphStore, graph: Graph, choice: str, *cited: tuple[str, str], project: str = "atlas") -> str:
    """A decision that cites words of documents; returns its id."""
    ConversationHistory(store, project_id=project, agent_id="planner").create_task("storage", "Choose")
    outcomes = graph.fetch([graph.cite(key, words) for key, words in cited])
    recorded = DecisionTraces(store, project_id=project, agent_id="planner").record_decision(
        "storage",
        choice,
        f"Conclusion of {choice}.",
        "The policy says so.",
        supports=[DocumentSupportInput(evidence_id=outcome.evidence_id) for outcome in outcomes],
        fetched_evidence=outcomes,
    )
    assert recorded.decision is not None, recorded
    return recorded.decision.id


def test_changes_are_listed_newest_first(store: GraphStore, graph: Graph, reads: list[str]) -> None:
    graph.add(OLD, document_key=KEY, title="Policy", author="user:ada", project_id="atlas")
    graph.add("Other words.", document_key=OTHER)
    decide(store, graph, "backups", (KEY, "thirty days"))
    graph.update(KEY, NEW, author="user:ben")
    graph.remove(OTHER)
    reads.clear()
    page = graph.source_changes()
    assert len(reads) == 2
    assert [(each.document_key, each.verb, each.activation_seq, each.latest) for each in page.changes] == [
        (OTHER, "delete", 2, True),
        (KEY, "update", 2, True),
        (OTHER, "add", 1, False),
        (KEY, "add", 1, False),
    ]
    assert page.next_cursor is None
    removed, updated, _, added = page.changes
    assert (updated.title, updated.author, updated.flagged, updated.waiting) == ("Policy", "user:ben", 1, 1)
    assert (updated.previous_content_hash, updated.content_hash) == (ids.text_digest(OLD), ids.text_digest(NEW))
    assert (added.previous_content_hash, added.content_hash) == (None, ids.text_digest(OLD))
    assert (removed.previous_content_hash, removed.content_hash) == (ids.text_digest("Other words."), None)
    assert [each.activation_seq for each in graph.source_changes(document_key=KEY).changes] == [2, 1]
    # A verdict leaves what it flagged, and takes it from what waits.
    DecisionTraces(store, project_id="atlas", agent_id="a").reject_decision(
        ids.decision_id(ids.task_id("atlas", "storage"), "backups", 1), "No longer so."
    )
    (updated, _) = graph.source_changes(document_key=KEY).changes
    assert (updated.flagged, updated.waiting) == (1, 0)


def test_counting_stops_somewhere(store: GraphStore, graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    graph.add(OLD, document_key=KEY)
    for number in range(3):
        decide(store, graph, f"choice {number}", (KEY, "thirty days"))
    graph.update(KEY, NEW)
    for bound, told in ((2, (2, True)), (3, (3, False))):
        monkeypatch.setattr(changes, "COUNTED", bound)
        change = graph.source_changes(document_key=KEY).changes[0]
        assert (change.waiting, change.more_waiting) == told


def test_a_page_of_a_project_looks_at_so_many(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    """What other projects do must not make a page long; it may then be empty, and goes on."""
    monkeypatch.setattr(changes, "LOOKED_AT", 3)
    graph.add("Mine.", document_key=KEY, project_id="atlas")
    for number in range(7):
        graph.add(f"Version {number}.", document_key=OTHER)
    found, cursor, pages = [], None, 0
    while pages == 0 or cursor:
        page = graph.source_changes(project_id="atlas", cursor=cursor)
        found += page.changes
        cursor, pages = page.next_cursor, pages + 1
    assert ([each.document_key for each in found], pages) == ([KEY], 3)


@pytest.mark.parametrize("arguments", [{}, {"document_key": KEY}, {"project_id": "atlas"}])
def test_pages_join_without_a_gap(graph: Graph, reads: list[str], arguments: dict[str, Any]) -> None:
    for number in range(7):
        graph.add(f"Version {number}.", document_key=KEY, project_id="atlas")
    whole = graph.source_changes(**arguments).changes
    assert [each.activation_seq for each in whole] == [7, 6, 5, 4, 3, 2, 1]
    found, cursor = [], None
    reads.clear()
    while True:
        page = graph.source_changes(limit=3, cursor=cursor, **arguments)
        found += page.changes
        cursor = page.next_cursor
        if cursor is None:
            break
    assert found == list(whole)
    assert len(reads) == 6
    for wrong in ("", "x", "é", "W10", 5, "Wy0x"):
        assert graph.source_changes(limit=3, cursor=wrong, **arguments).changes == whole[:3]  # type: ignore[arg-type]
    for limit, shown in ((0, 1), (-5, 1), (2**70, 7), (None, 7)):
        assert len(graph.source_changes(limit=limit, **arguments).changes) == shown  # type: ignore[arg-type]


def test_a_project_sees_what_it_added_or_cites(store: GraphStore, graph: Graph) -> None:
    graph.add(OLD, document_key=KEY, project_id="atlas")
    graph.add("Other words.", document_key=OTHER)
    graph.add("Nobody's words.", document_key="docs/nobody.txt")
    decide(store, graph, "other", (OTHER, "Other"), project="boreas")
    decide(store, graph, "backups", (KEY, "thirty days"), project="boreas")
    graph.update(KEY, NEW)

    def seen(project: str) -> list[tuple[str, int, int]]:
        found = graph.source_changes(project_id=project).changes
        return [(each.document_key, each.activation_seq, each.waiting) for each in found]

    assert seen("atlas") == [(KEY, 2, 0), (KEY, 1, 0)]
    assert seen("boreas") == [(KEY, 2, 1), (OTHER, 1, 0), (KEY, 1, 0)]
    assert seen("cirrus") == seen("") == seen("a\nb") == []
    assert graph.source_changes(project_id="atlas", document_key=OTHER).changes == ()
    assert graph.source_changes(document_key="").changes == ()
    (change, _) = graph.source_changes(document_key=KEY).changes
    assert graph.source_change(change.activation_id, project_id="cirrus") is None
    mine = graph.source_change(change.activation_id, project_id="atlas")
    assert mine is not None
    assert mine.touched == mine.untouched == ()
    theirs = graph.source_change(change.activation_id, project_id="boreas")
    assert theirs is not None
    assert [each.choice_key for each in theirs.touched] == ["backups"]


def test_one_change_tells_what_it_touched(store: GraphStore, graph: Graph, reads: list[str]) -> None:
    graph.add(OLD, document_key=KEY)
    touched = decide(store, graph, "backups", (KEY, "thirty days"), (KEY, "Logs are kept for one year."))
    untouched = decide(store, graph, "logs", (KEY, "one year"))
    graph.update(KEY, NEW)
    (change, first) = graph.source_changes(document_key=KEY).changes
    reads.clear()
    view = graph.source_change(change.activation_id)
    assert view is not None
    assert len(reads) == 3
    assert view.change == change
    assert [each.decision_id for each in view.touched] == [touched]
    assert [each.decision_id for each in view.untouched] == [untouched]
    assert [(each.text, each.state) for each in view.touched[0].passages] == [
        ("thirty days", AnchorState.EDITED),
        ("Logs are kept for one year.", AnchorState.EXACT),
    ]
    assert view.touched[0].flagged_by_it
    assert view.untouched[0].passages[0].start == NEW.index("one year")
    assert view.diff is not None
    assert next(row.kind for row in view.diff.rows) == "change"
    assert {(piece.kind, piece.text) for piece in view.diff.rows[0].pieces} >= {("del", "thirty"), ("add", "sixty")}
    # The first version has nothing before it, and nobody cites what was before.
    whole = graph.source_change(first.activation_id)
    assert whole is not None
    assert whole.touched == whole.untouched == ()
    assert whole.diff is not None
    assert {row.kind for row in whole.diff.rows} == {"add"}


def test_a_removal_touches_every_passage(store: GraphStore, graph: Graph) -> None:
    graph.add(OLD, document_key=KEY)
    decide(store, graph, "backups", (KEY, "thirty days"))
    graph.remove(KEY)
    view = graph.source_change(graph.source_changes().changes[0].activation_id)
    assert view is not None
    assert [each.passages[0].state for each in view.touched] == [AnchorState.GONE]
    assert view.diff is not None
    assert {row.kind for row in view.diff.rows} == {"del"}
    graph.purge(KEY)
    view = graph.source_change(graph.source_changes().changes[0].activation_id)
    assert view is not None
    assert [each.passages[0].state for each in view.touched] == [AnchorState.UNREACHABLE]


def test_decisions_of_a_change_come_in_pages(store: GraphStore, graph: Graph) -> None:
    graph.add(OLD, document_key=KEY)
    made = {decide(store, graph, f"choice {number}", (KEY, "thirty days")) for number in range(5)}
    graph.update(KEY, NEW)
    change = graph.source_changes().changes[0]
    found: list[str] = []
    cursor = None
    while True:
        view = graph.source_change(change.activation_id, limit=2, cursor=cursor)
        assert view is not None
        found += [each.decision_id for each in view.touched]
        cursor = view.next_cursor
        if cursor is None:
            break
    assert (len(found), set(found)) == (5, made)


@pytest.mark.parametrize("wrong", ["", "x", None, 5, "00000000-0000-0000-0000-000000000000"])
def test_an_unknown_change_is_not_found(graph: Graph, wrong: Any) -> None:
    assert graph.source_change(wrong) is None


def test_a_returning_text_keeps_its_intervals(graph: Graph) -> None:
    """Fault 27 of agentic-graphrag loses the first one."""
    graph.add("A.", document_key=KEY)
    graph.update(KEY, "B.")
    graph.update(KEY, "A.")
    graph.remove(KEY)
    one, two, three, four = graph.versions(KEY)
    assert (
        one.intervals
        == three.intervals
        == ((one.activated_at, two.activated_at), (three.activated_at, four.activated_at))
    )
    assert two.intervals == ((two.activated_at, three.activated_at),)
    assert graph.versions("docs/unknown.txt") == ()
    assert (one.ended_at, four.ended_at, four.intervals) == (two.activated_at, None, ())


def test_a_source_tells_how_it_stands(store: GraphStore, graph: Graph, reads: list[str]) -> None:
    assert graph.source_status(KEY).state == "unknown"
    assert graph.source_status("").state == "unknown"
    added = graph.add(OLD, document_key=KEY)
    reads.clear()
    status = graph.source_status(KEY)
    assert len(reads) == 1
    assert (status.state, status.content_hash, status.activation_seq) == ("current", added.content_hash, 1)
    assert status.version_id
    make_job = "CREATE (j:CutoverJob) SET j = $job RETURN j.id AS id"
    job = {"id": "j", "document_key": KEY, "status": "pending", "lease_expires_at": 2**50}
    store.write(make_job, job=job)
    assert (graph.source_status(KEY).state, graph.source_status(KEY).job_id) == ("pending", "j")
    store.write("MATCH (j:CutoverJob) WHERE j.status = 'pending' SET j.lease_expires_at = 1 RETURN j.id AS id")
    assert graph.source_status(KEY).state == "failed"
    store.write("MATCH (j:CutoverJob) WHERE j.status = 'pending' SET j.status = 'done' RETURN j.id AS id")
    for end in (graph.remove, graph.purge):
        end(KEY)
        status = graph.source_status(KEY)
        assert (status.state, status.content_hash, status.activation_seq is None) == ("deleted", None, False)
