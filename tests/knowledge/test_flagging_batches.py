"""A document that more decisions cite than one statement may flag: marked by the activation, flagged in batches."""

import random
import time
from typing import Any

import pytest

from reaffirm import ids
from reaffirm.knowledge import Graph, activating, flagging, graph, statements
from reaffirm.knowledge.content import source_of
from reaffirm.store import GraphStore, StoreUnavailable
from tests.decisions.writes import at_once
from tests.knowledge.builders import change_decision, decision_of, depend, make_decision, project_of

KEY = "docs/policy.txt"
OLD, NEW = "Backups are kept for thirty days.", "Backups are kept for sixty days."
STATES = """
MATCH (d:Decision) WHERE d.status = 'active' AND d.choice_key STARTS WITH 'choice'
RETURN d.review_state AS state, count(d) AS n
"""
MARKS = "MATCH (doc:Document) WHERE doc.flagging_ms >= 0 RETURN collect(doc.document_key) AS keys"
CITERS = 12


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small numbers instead of 20,000 and 500: a test cannot write as many."""
    monkeypatch.setattr(statements, "MAX_CITERS", 5)
    monkeypatch.setattr(flagging, "BATCH", 3)
    monkeypatch.setattr(flagging, "LISTED", 6)
    monkeypatch.setattr(graph, "FLAGGED_AT_ONCE", 3)


@pytest.fixture
def documents(store: GraphStore) -> Graph:
    return Graph(store)


@pytest.fixture
def citers(store: GraphStore, documents: Graph) -> list[str]:
    """Decisions that cite the first version of a document."""
    documents.add(OLD, document_key=KEY)
    return [cite(store, f"choice-{number:02d}") for number in range(CITERS)]


def cite(store: GraphStore, choice: str, seq: int = 1, **more: Any) -> str:
    return make_decision(store, choice, document_key=KEY, content_hash=ids.text_digest(OLD), seq=seq, **more)


def states(store: GraphStore) -> dict[str, int]:
    return {row["state"]: row["n"] for row in store.read(STATES)}


def marks(store: GraphStore) -> list[str]:
    return list(store.read(MARKS)[0]["keys"])


def finish(documents: Graph, limit: int = 4) -> None:
    for _ in range(100):
        if not documents.continue_flagging(limit):
            return
    raise AssertionError("it does not end")


def test_an_update_marks_the_document_and_flags_up_to_a_bound(
    store: GraphStore, documents: Graph, citers: list[str]
) -> None:
    result = documents.update(KEY, NEW, author="user:ada")
    assert (result.decision, result.activation_seq, result.flagged, result.unfinished) == ("new_version", 2, 3, True)
    assert states(store) == {"needs_review": 3, "clear": 9}
    assert marks(store) == [KEY]
    assert documents.continue_flagging(4) == 4
    assert states(store) == {"needs_review": 7, "clear": 5}
    finish(documents)
    assert (states(store), marks(store)) == ({"needs_review": CITERS}, [])
    found = decision_of(store, citers[-1])
    assert (found["review_reason"], found["cause_kind"], found["cause_seq"]) == ("source_changed", "document", 2)
    assert (found["flagged_by"], found["cause_document_id"]) == ("user:ada", result.document_id)
    activation = documents.versions(KEY)[1].activation_id
    assert found["cause_activation_id"] == activation
    told = store.read("MATCH (a:DocumentActivation {id: $id}) RETURN a.decisions_flagged AS n", id=activation)
    assert told == [{"n": CITERS}]
    assert documents.continue_flagging() == 0


def test_as_many_as_one_statement_may_flag_leave_no_mark(store: GraphStore, documents: Graph) -> None:
    documents.add(OLD, document_key=KEY)
    for number in range(5):
        cite(store, f"choice-{number}")
    result = documents.update(KEY, NEW)
    assert (result.flagged, result.unfinished, marks(store)) == (5, False, [])


@pytest.mark.parametrize("end", ["remove", "purge"])
def test_a_removal_is_flagged_in_batches_too(store: GraphStore, documents: Graph, citers: list[str], end: str) -> None:
    result = getattr(documents, end)(KEY)
    assert (result.decision, result.flagged, result.unfinished) == ("removed", 3, True)
    assert documents.text(KEY) is None
    finish(documents)
    assert states(store) == {"needs_review": CITERS}
    assert {decision_of(store, each)["review_reason"] for each in citers} == {"source_removed"}


def test_a_key_that_many_cite_and_no_document_has(store: GraphStore, documents: Graph) -> None:
    for number in range(8):
        cite(store, f"choice-{number}", seq=7)
    assert documents.add(NEW, document_key=KEY).unfinished
    finish(documents)
    assert (states(store), marks(store)) == ({"needs_review": 8}, [])


def test_a_newer_version_begins_anew_and_one_mark_is_left(
    store: GraphStore, documents: Graph, citers: list[str]
) -> None:
    documents.update(KEY, NEW)
    documents.update(KEY, "Backups are kept for ever.")
    finish(documents)
    assert (states(store), marks(store)) == ({"needs_review": CITERS}, [])
    assert {decision_of(store, each)["cause_seq"] for each in citers} == {3}


def test_a_newer_version_with_few_citers_takes_the_mark_away(
    store: GraphStore, documents: Graph, citers: list[str]
) -> None:
    documents.update(KEY, NEW)
    for each in citers[:9]:
        change_decision(store, each, status="rejected")
    result = documents.update(KEY, "Backups are kept for ever.")
    assert (result.flagged, result.unfinished, marks(store)) == (3, False, [])


def test_batches_leave_alone_who_is_not_concerned(store: GraphStore, documents: Graph, citers: list[str]) -> None:
    documents.update(KEY, NEW)
    later = ids.now()
    alone = [
        cite(store, "a", status="superseded"),
        cite(store, "b", current=False),
        cite(store, "c", seq=2),
        cite(
            store,
            "d",
            review_state="needs_review",
            review_reason="source_changed_during_recording",
            created_at=later,
        ),
    ]
    finish(documents)
    assert [decision_of(store, each)["review_state"] for each in alone[:3]] == ["clear"] * 3
    assert decision_of(store, alone[3])["review_reason"] == "source_changed_during_recording"


def test_a_waiting_flag_keeps_its_age_and_parents_queue(store: GraphStore, documents: Graph, citers: list[str]) -> None:
    change_decision(store, citers[0], review_state="needs_review", flagged_ms=1_000, review_reason="dependency_review")
    child = make_decision(store, "child", document_key="x", content_hash="0" * 64, seq=1)
    depend(store, child, citers[1])
    documents.update(KEY, NEW)
    finish(documents)
    waiting = decision_of(store, citers[0])
    assert (waiting["flagged_ms"], waiting["review_reason"]) == (1_000, "source_changed")
    assert [decision_of(store, each).get("review_pending") for each in citers[:3]] == [None, True, None]
    project = project_of(store, "atlas")
    assert (project["review_incomplete"], project["review_epoch"]) == (True, 1)


def test_a_batch_that_comes_again_or_too_late_changes_nothing(
    store: GraphStore, documents: Graph, citers: list[str]
) -> None:
    documents.update(KEY, NEW)
    change = flagging.change_of(store.read(flagging.MARKED, limit=1)[0])
    finish(documents)
    before = [decision_of(store, each) for each in citers]
    assert not flagging.flag_citers(store, change, citers[:3])
    assert [decision_of(store, each) for each in citers] == before
    change_decision(store, citers[0], status="superseded", review_state="clear")
    assert not flagging.flag_citers(store, change, citers[:1])
    documents.add(OLD, document_key="other")
    documents.update(KEY, "Backups are kept for ever.")
    finish(documents)
    assert flagging.flag_citers(store, change, citers[1:3]) is None  # for a version before
    assert decision_of(store, citers[1])["cause_seq"] == 3


def test_an_attempt_whose_answer_was_lost_is_told_as_unfinished(
    store: GraphStore, documents: Graph, citers: list[str]
) -> None:
    job = activating.job_of(KEY, "update", None)
    source = source_of(NEW, None, None)
    first, again = activating.ingest(store, job, source), activating.ingest(store, job, source)
    assert first
    assert first == again
    assert (first.flagged, first.unfinished) == (0, True)


class Stopping:
    """A store whose client is killed at random: before a statement, or after it and before its answer."""

    def __init__(self, store: GraphStore, seed: int) -> None:
        self.store = store
        self.chance = random.Random(seed)

    def write(self, query: str, **params: object) -> Any:
        draw = self.chance.random()
        if draw < 0.2:
            raise StoreUnavailable("killed before")
        rows = self.store.write(query, **params)
        if draw < 0.4:
            raise StoreUnavailable("killed after")
        return rows

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)


def test_workers_that_are_killed_at_random_lose_no_flag(store: GraphStore, documents: Graph) -> None:
    """Four workers, each killed again and again, and two writers of new versions, one of them killed too."""
    documents.add(OLD, document_key=KEY)
    for number in range(40):
        cite(store, f"choice-{number:02d}")
    documents.update(KEY, NEW)
    until = time.monotonic() + 60

    def work(seed: int) -> int:
        killed = 0
        worker = Graph(Stopping(store, seed))  # type: ignore[arg-type]
        while time.monotonic() < until:
            try:
                if not worker.continue_flagging(5) and not marks(store):
                    return killed
            except StoreUnavailable:
                killed += 1
        raise AssertionError("it did not end")

    def change() -> int:
        return sum(documents.update(KEY, f"Version {number}.").recorded for number in range(3))

    killed = at_once([lambda n=n: work(n) for n in range(4)] + [change])  # type: ignore[misc, list-item]
    assert sum(killed[:4]) > 3
    finish(documents)
    assert (states(store), marks(store)) == ({"needs_review": 40}, [])
    newest = documents.versions(KEY)[-1].activation_seq
    assert newest == 5
