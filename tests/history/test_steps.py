"""set_step and list_steps."""

import json
from typing import Any

import pytest

from reaffirm import ids
from reaffirm.decisions.models import DecisionSupportInput, DocumentSupportInput, EventSupportInput, SupportInput
from reaffirm.history import ConversationHistory, ResultBasis, ResultValidity, StepKind, StepState
from reaffirm.knowledge.models import FetchOutcome
from reaffirm.operation import LOOKS
from reaffirm.store import GraphStore
from tests.history.records import (
    add_decision,
    add_version,
    change,
    citing,
    delete_event,
    depend,
    nodes,
    redact,
    remove,
    task_id,
)
from tests.history.stores import Watched

STEP = "MATCH (t:Task)-[h:HAS_STEP]->(s:Step) RETURN s{.*} AS step, count(h) AS links"
DONE: dict[str, Any] = {"state": "completed", "result_event_seq": 1, "result_basis": "supported"}


@pytest.fixture
def result(history: ConversationHistory, task: str) -> str:
    """A task with an event that holds a result."""
    assert history.record_event(task, "note", payload="the result", name="step:read").recorded
    return task


def validity(history: ConversationHistory, task: str) -> ResultValidity:
    """Of the only step; the list and the view must agree."""
    listed = history.list_steps(task).steps[0].result_validity
    view = history.get_task(task).view
    assert view is not None
    (viewed,) = [step for steps in view.steps.values() for step in steps]
    assert viewed.result_validity is listed
    return listed


def test_it_writes_a_step_once_and_changes_it_freely(
    store: GraphStore, history: ConversationHistory, result: str
) -> None:
    first = history.set_step(result, "read", "in_progress", kind="read", result_event_seq=1).step
    assert first is not None
    assert (first.id, first.kind, first.updated_seq) == (ids.step_id(task_id(result), "read"), StepKind.READ, 1)
    history.record_event(result, "note", payload="more")
    second = history.set_step(result, "read", StepState.NOT_STARTED).step
    assert second is not None
    assert (second.kind, second.state, second.updated_seq) == (StepKind.OTHER, StepState.NOT_STARTED, 2)
    rows = store.read(STEP)
    assert [row["links"] for row in rows] == [1]
    assert "result_event_seq" not in rows[0]["step"]
    assert rows[0]["step"]["result_supports"] == "[]"


def test_the_task_must_exist(store: GraphStore, history: ConversationHistory) -> None:
    assert history.set_step("storage", "read", "in_progress").error == "task_not_found"
    # checked before the supports
    assert history.set_step("storage", "read", **DONE).error == "task_not_found"
    assert nodes(store) == 0


def test_the_result_event_must_exist(store: GraphStore, history: ConversationHistory, result: str) -> None:
    before = nodes(store)
    refused = history.set_step(result, "read", "in_progress", result_event_seq=2, request_id="s1")
    assert (refused.error, refused.field) == ("event_not_found", "result_event_seq")
    assert nodes(store) == before
    assert history.set_step(result, "read", "in_progress", result_event_seq=1, request_id="s1").recorded


def test_a_completed_result_must_be_readable(store: GraphStore, history: ConversationHistory, result: str) -> None:
    assert history.record_event(result, "note", payload="a" * 32_001).recorded
    redact(store, result, 1)
    for seq in (1, 2):
        refused = history.set_step(result, "read", "completed", result_event_seq=seq, result_basis="independent")
        assert (refused.error, refused.field) == ("support_invalid", "result_event_seq")
        assert history.set_step(result, "read", "failed", result_event_seq=seq).recorded


def test_a_supported_result_needs_supports(history: ConversationHistory, result: str) -> None:
    assert history.set_step(result, "read", **DONE).error == "support_required"
    many = [EventSupportInput(task_name=result, seq=1)] * 21
    refused = history.set_step(result, "read", **DONE, supports=many)
    assert (refused.error, "20" in (refused.detail or "")) == ("support_invalid", True)
    assert history.set_step(result, "read", **DONE, supports=many[:20]).recorded


@pytest.mark.parametrize(("state", "basis"), [("failed", "supported"), ("completed", "independent")])
def test_other_results_keep_no_supports(history: ConversationHistory, result: str, state: str, basis: str) -> None:
    unusable = [EventSupportInput(task_name="nowhere", seq=9)]
    written = history.set_step(result, "read", state, result_event_seq=1, result_basis=basis, supports=unusable)
    assert written.step is not None
    assert written.step.result_supports == ()


def test_it_keeps_all_three_kinds_of_supports(store: GraphStore, history: ConversationHistory, result: str) -> None:
    passage = add_version(store, "policy.txt", "Backups are kept for thirty days.")
    decision = add_decision(store, result, "backup")
    supports: list[SupportInput] = [
        citing(passage),
        EventSupportInput(task_name=result, seq=1),
        DecisionSupportInput(decision_id=decision),
    ]
    written = history.set_step(result, "read", **DONE, supports=supports, fetched_evidence=[passage])
    assert written.step is not None
    assert [each["kind"] for each in written.step.result_supports] == ["document", "event", "decision"]
    stored = store.read(STEP)[0]["step"]["result_supports"]
    rows = json.loads(stored)
    assert stored == json.dumps(rows, sort_keys=True, separators=(",", ":"))
    assert [row["ordinal"] for row in rows] == [0, 1, 2]
    assert rows[0] == {
        "kind": "document",
        "evidence_id": passage.evidence_id,
        "document_key": "policy.txt",
        "document_node_id": ids.document_id("policy.txt"),
        "content_hash_prefix": (passage.content_hash or "")[:16],
        "content_hash": passage.content_hash,
        "reference_kind": "span",
        "char_start": 0,
        "char_end": 33,
        "chunk_id": None,
        "recorded_activation_seq": 1,
        "current": True,
        "reviewed_by": None,
        "reviewed_at": None,
        "review_explanation": None,
        "ordinal": 0,
    }
    assert rows[2]["decision_id"] == decision
    assert validity(history, result) is ResultValidity.REUSABLE


def forged(passage: FetchOutcome, **changes: object) -> FetchOutcome:
    return passage.model_copy(update=changes)


def test_a_document_support_must_stand_in_the_graph(
    store: GraphStore, history: ConversationHistory, result: str
) -> None:
    """Fault 23 of agentic-graphrag: what a caller says it fetched is checked."""
    passage = add_version(store, "policy.txt", "Backups are kept for thirty days.")
    before = nodes(store)
    far = DocumentSupportInput(evidence_id=passage.evidence_id.replace(":0-33", ":0-999"))
    for support, fetched in (
        (citing(passage), []),
        (citing(passage), [forged(passage, status="partial")]),
        (citing(passage), [forged(passage, text="Backups are kept for ninety days.")]),
        (citing(passage), [forged(passage, content_hash="0" * 64)]),
        (citing(passage), [forged(passage, document_key="other.txt")]),
        (citing(passage), [forged(passage, observed_activation_seq=2)]),
        (far, [forged(passage, evidence_id=far.evidence_id)]),
        (DocumentSupportInput(evidence_id="ev1:s:nothing"), [passage]),
    ):
        refused = history.set_step(result, "read", **DONE, supports=[support], fetched_evidence=fetched)
        assert (refused.recorded, refused.error) == (False, "support_invalid")
    assert nodes(store) == before


def test_events_and_decisions_must_be_there_and_stand(
    store: GraphStore, history: ConversationHistory, result: str
) -> None:
    history.record_event(result, "note", payload="secret")
    redact(store, result, 2)
    other = ConversationHistory(store, project_id="borealis", agent_id="a")
    assert other.create_task(result, "Goal").recorded
    foreign = add_decision(store, result, "backup", project_id="borealis")
    retired = add_decision(store, result, "old", status="rejected")
    for support in (
        EventSupportInput(task_name=result, seq=3),
        EventSupportInput(task_name="nowhere", seq=1),
        EventSupportInput(task_name=result, seq=2),
        DecisionSupportInput(decision_id=foreign),
        DecisionSupportInput(decision_id=retired),
        DecisionSupportInput(decision_id=ids.single("nothing")),
    ):
        assert history.set_step(result, "read", **DONE, supports=[support]).error == "support_invalid"


def test_a_changed_document_is_refused(store: GraphStore, history: ConversationHistory, result: str) -> None:
    passage = add_version(store, "policy.txt", "Thirty days.")
    add_version(store, "policy.txt", "Ninety days.", seq=2)
    refused = history.set_step(result, "read", **DONE, supports=[citing(passage)], fetched_evidence=[passage])
    assert (refused.error, refused.field) == ("support_invalid", "fetched_evidence")


@pytest.mark.parametrize("what", ["document", "decision", "event", "result"])
def test_what_changes_between_the_read_and_the_write_is_seen(
    store: GraphStore, history: ConversationHistory, result: str, what: str
) -> None:
    history.record_event(result, "note", payload="cited")
    passage = add_version(store, "policy.txt", "Thirty days.")
    decision = add_decision(store, result, "backup")

    def disturb() -> None:
        watched.after_read = lambda: None
        if what == "document":
            add_version(store, "policy.txt", "Ninety days.", seq=2)
        elif what == "decision":
            change(store, decision, status="superseded")
        else:
            redact(store, result, 2 if what == "event" else 1)

    watched = Watched(store, disturb)
    refused = ConversationHistory(watched, project_id="atlas", agent_id="a").set_step(
        result,
        "read",
        **DONE,
        supports=[
            citing(passage),
            EventSupportInput(task_name=result, seq=2),
            DecisionSupportInput(decision_id=decision),
        ],
        fetched_evidence=[passage],
    )
    assert (refused.recorded, refused.error) == (False, "support_invalid")
    # A read of Neo4j is not one moment, so there a refusal of this kind counts when it is met so often.
    assert (watched.reads, watched.writes) == (1 + (1 if store.kind == "falkordb" else LOOKS), 1)
    assert history.list_steps(result).steps == ()


def test_a_repeated_request_returns_the_first_result(
    store: GraphStore, history: ConversationHistory, result: str
) -> None:
    """What was fetched is no part of it: a retry may fetch again."""
    passage = add_version(store, "policy.txt", "Thirty days.")
    name = 'read ,"updated_seq":0, 9223372036854775807'
    cited = {"supports": [citing(passage)], **DONE}
    first = history.set_step(result, name, **cited, fetched_evidence=[passage], request_id="s1")
    assert first.recorded
    history.set_step(result, name, "failed")
    again = history.set_step(result, name, **cited, fetched_evidence=[], request_id="s1")
    assert again.replayed and again.step == first.step
    other = history.set_step(result, name, "failed", request_id="s1")
    assert (other.recorded, other.error) == (False, "request_id_reused")
    assert history.list_steps(result).steps[0].state is StepState.FAILED


# Validity on read


@pytest.mark.parametrize(
    ("state", "seq", "basis", "expected"),
    [
        ("in_progress", 1, "independent", "unknown"),
        ("completed", 1, "independent", "reusable"),
        ("completed", 1, "unknown", "unknown"),
        ("completed", None, "independent", "unavailable"),
    ],
)
def test_validity_without_supports(
    history: ConversationHistory, result: str, state: str, seq: int | None, basis: str, expected: str
) -> None:
    assert history.set_step(result, "read", state, result_event_seq=seq, result_basis=basis).recorded
    assert validity(history, result) == expected


def test_a_result_whose_event_went_away_is_unavailable(
    store: GraphStore, history: ConversationHistory, result: str
) -> None:
    done = {"state": "completed", "result_event_seq": 1, "result_basis": ResultBasis.INDEPENDENT}
    assert history.set_step(result, "read", **done).recorded  # type: ignore[arg-type]
    redact(store, result, 1)
    assert validity(history, result) is ResultValidity.UNAVAILABLE
    delete_event(store, result, 1)
    assert validity(history, result) is ResultValidity.UNAVAILABLE


def test_a_result_follows_its_document(store: GraphStore, history: ConversationHistory, result: str) -> None:
    passage = add_version(store, "policy.txt", "Thirty days.")
    assert history.set_step(result, "read", **DONE, supports=[citing(passage)], fetched_evidence=[passage]).recorded
    assert validity(history, result) is ResultValidity.REUSABLE
    add_version(store, "policy.txt", "Ninety days.", seq=2)
    assert validity(history, result) is ResultValidity.NEEDS_REVIEW
    remove(store, "policy.txt", 3)
    assert validity(history, result) is ResultValidity.UNAVAILABLE


def test_a_result_follows_its_event(store: GraphStore, history: ConversationHistory, result: str) -> None:
    history.record_event(result, "note", payload="cited")
    assert history.set_step(result, "read", **DONE, supports=[EventSupportInput(task_name=result, seq=2)]).recorded
    assert validity(history, result) is ResultValidity.REUSABLE
    # another event under the same id, as after a task was deleted and made again
    store.write("MATCH (e:Event) WHERE e.seq = 2 SET e.payload_sha256 = 'other' RETURN 1 AS one")
    assert validity(history, result) is ResultValidity.UNAVAILABLE


def test_a_result_follows_its_decision(store: GraphStore, history: ConversationHistory, result: str) -> None:
    root, parent, decision = (add_decision(store, result, key) for key in ("root", "parent", "backup"))
    depend(store, parent, root)
    depend(store, decision, parent)
    assert history.set_step(result, "read", **DONE, supports=[DecisionSupportInput(decision_id=decision)]).recorded
    assert validity(history, result) is ResultValidity.REUSABLE
    change(store, root, review_state="needs_review", review_pending=True)
    assert validity(history, result) is ResultValidity.NEEDS_REVIEW  # a review that still spreads may reach it
    change(store, root, review_pending=None)
    assert validity(history, result) is ResultValidity.REUSABLE
    change(store, decision, status="rejected")
    assert validity(history, result) is ResultValidity.NEEDS_REVIEW
    store.write("MATCH (d:Decision) DETACH DELETE d RETURN count(d) AS gone")
    assert validity(history, result) is ResultValidity.UNAVAILABLE


# The list


def test_steps_are_listed_by_name_page_by_page(history: ConversationHistory, task: str) -> None:
    names = [f"step {number}" for number in range(5)]
    for name in reversed(names):
        state = "failed" if name == "step 3" else "completed"
        assert history.set_step(task, name, state).recorded
    for limit in (1, 2, 5, 50):
        seen: list[str] = []
        after = None
        while True:
            page = history.list_steps(task, after_name=after, limit=limit)
            seen += [step.name for step in page.steps]
            after = page.next_after_name
            if after is None:
                break
        assert seen == names
    assert [step.name for step in history.list_steps(task, state="failed").steps] == ["step 3"]
    assert history.list_steps(task, state="bogus").steps == ()
    assert history.list_steps(task, state=StepState.UNKNOWN).found
