"""A new version, or a removal, flags who cites the document, in the same statement."""

import pytest

from reaffirm import ids
from reaffirm.knowledge import Graph, activating
from reaffirm.knowledge.content import source_of
from reaffirm.store import GraphStore
from tests.knowledge.builders import change_decision, decision_of, depend, make_decision, project_of

KEY = "docs/policy.txt"


@pytest.fixture
def graph(store: GraphStore) -> Graph:
    return Graph(store)


@pytest.fixture
def cited(graph: Graph) -> str:
    """The hash of the first version of a document."""
    added = graph.add("Backups are kept for thirty days.", document_key=KEY)
    return str(added.content_hash)


def cite(store: GraphStore, cited: str, choice: str, **more: object) -> str:
    return make_decision(store, choice, document_key=KEY, content_hash=cited, seq=1, **more)  # type: ignore[arg-type]


def test_a_new_version_flags_with_its_cause(store: GraphStore, graph: Graph, cited: str) -> None:
    decision = cite(store, cited, "backup.retention", anchor_states="exact:1", words_added=2)
    before = ids.milliseconds(ids.now())
    result = graph.update(KEY, "Backups are kept for sixty days.", author="user:ada")
    assert (result.decision, result.activation_seq, result.flagged) == ("new_version", 2, 1)
    found = decision_of(store, decision)
    assert found["review_state"] == "needs_review"
    assert found["review_reason"] == "source_changed"
    assert found["cause_kind"] == "document"
    assert found["cause_document_id"] == result.document_id
    assert found["cause_activation_id"] == graph.versions(KEY)[1].activation_id
    assert found["cause_seq"] == 2
    assert found["flagged_by"] == "user:ada"
    assert before <= found["flagged_ms"] <= ids.milliseconds(ids.now())
    assert not {"anchor_states", "words_added", "review_pending"} & set(found)


def test_a_removal_flags_as_removed_and_a_return_as_changed(store: GraphStore, graph: Graph, cited: str) -> None:
    decision = cite(store, cited, "backup.retention")
    assert graph.remove(KEY).flagged == 1
    assert decision_of(store, decision)["review_reason"] == "source_removed"
    again = graph.add("Backups are kept for thirty days.", document_key=KEY)
    assert (again.decision, again.activation_seq, again.flagged) == ("new_version", 3, 1)
    assert decision_of(store, decision)["review_reason"] == "source_changed"
    assert [version.verb for version in graph.versions(KEY)] == ["add", "delete", "add"]


def test_a_waiting_flag_keeps_its_age_and_gets_the_new_cause(store: GraphStore, graph: Graph, cited: str) -> None:
    decision = cite(store, cited, "backup.retention", review_state="needs_review", flagged_ms=1_000)
    graph.update(KEY, "Other words.")
    assert (decision_of(store, decision)["flagged_ms"], decision_of(store, decision)["cause_seq"]) == (1_000, 2)
    change_decision(store, decision, review_state="clear")
    graph.update(KEY, "Still other words.")
    assert decision_of(store, decision)["flagged_ms"] > 1_000


def test_who_is_not_active_or_cites_no_more_is_left_alone(store: GraphStore, graph: Graph, cited: str) -> None:
    alone = [
        cite(store, cited, "a", status="superseded"),
        cite(store, cited, "b", status="rejected"),
        cite(store, cited, "c", current=False),
        make_decision(store, "d", document_key="docs/other.txt", content_hash=cited, seq=1),
        make_decision(
            store, "e", document_key=KEY, content_hash=cited, seq=2
        ),  # recorded against the coming activation
    ]
    assert graph.update(KEY, "Other words.").flagged == 0
    assert {decision_of(store, decision)["review_state"] for decision in alone} == {"clear"}


def test_only_projects_with_dependents_begin_to_spread(store: GraphStore, graph: Graph, cited: str) -> None:
    parents = [cite(store, cited, "a"), cite(store, cited, "b")]
    leaf = cite(store, cited, "c")
    elsewhere = cite(store, cited, "d", project="borealis")
    for number, parent in enumerate(parents):
        child = make_decision(store, f"child {number}", document_key="x", content_hash=cited, seq=1)
        depend(store, child, parent)
    gone = make_decision(store, "gone", document_key="x", content_hash=cited, seq=1, status="superseded")
    depend(store, gone, leaf)
    assert graph.update(KEY, "Other words.").flagged == 4
    assert [decision_of(store, parent).get("review_pending") for parent in parents] == [True, True]
    assert "review_pending" not in decision_of(store, leaf)
    assert "review_pending" not in decision_of(store, elsewhere)
    atlas, borealis = project_of(store, "atlas"), project_of(store, "borealis")
    assert (atlas["review_incomplete"], atlas["review_epoch"]) == (True, 2)
    assert (borealis["review_incomplete"], borealis["review_epoch"]) == (False, 0)


def test_a_change_of_title_flags_nobody(store: GraphStore, graph: Graph, cited: str) -> None:
    decision = cite(store, cited, "a")
    assert graph.update(KEY, "Backups are kept for thirty days.", title="Policy").decision == "metadata_only"
    assert decision_of(store, decision)["review_state"] == "clear"


def test_two_supports_on_one_document_are_one_flag(store: GraphStore, graph: Graph, cited: str) -> None:
    decision = cite(store, cited, "a")
    store.write(
        "MATCH (d:Decision {_agrag_history_record: true, id: $id}) CREATE (d)-[h:HAS_SUPPORT]->(s:DecisionSupport) "
        "SET s = $s RETURN s.id AS id",
        id=decision,
        s={
            "_agrag_history_record": True,
            "id": ids.support_id(decision, 1),
            "kind": "document",
            "current": True,
            "document_node_id": ids.document_id(KEY),
            "recorded_activation_seq": 1,
        },
    )
    child = make_decision(store, "child", document_key="x", content_hash=cited, seq=1)
    depend(store, child, decision)
    assert graph.update(KEY, "Other words.").flagged == 1
    assert project_of(store, "atlas")["review_epoch"] == 1


def test_an_attempt_that_was_applied_is_found_again(store: GraphStore, graph: Graph, cited: str) -> None:
    cite(store, cited, "a")
    job = activating.job_of(KEY, "update", "user:ada")
    first = activating.ingest(store, job, source_of("Other words.", None, None))
    assert first
    assert activating.ingest(store, job, source_of("Other words.", None, None)) == first
    assert (first.decision, first.flagged) == ("new_version", 1)
    removal = activating.job_of(KEY, "delete", None)
    assert activating.remove(store, removal) == activating.remove(store, removal)
    assert len(graph.versions(KEY)) == 3
