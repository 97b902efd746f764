"""step_trail, and what a step tells of supports that cannot be used."""

import pytest

from reaffirm.decisions.models import DecisionSupportInput, DocumentSupportInput, EventSupportInput, SupportInput
from reaffirm.errors import CODES
from reaffirm.history import ConversationHistory
from reaffirm.store import GraphStore
from tests.history.records import add_decision, add_version, citing, redact
from tests.history.stores import Watched

OVERWRITE = "MATCH (s:Step) WHERE s.name = 'read' SET s.state = 'failed', s.updated_seq = 0 RETURN count(s) AS n"


def test_fault_33_a_step_keeps_its_last_writes(store: GraphStore, history: ConversationHistory, task: str) -> None:
    ana = ConversationHistory(store, project_id="atlas", agent_id="user:ana")
    history.record_event(task, "note", payload="x")
    assert history.set_step(task, "read", "in_progress", kind="read").recorded
    assert ana.set_step(task, "read", "completed", result_event_seq=1, result_basis="independent").recorded
    trail = history.step_trail(task, "read")
    assert trail.found and trail.step is not None and not trail.other_writer
    assert [(each.state, each.by, each.kind, each.result_event_seq, each.result_basis) for each in trail.changes] == [
        ("in_progress", "planner-1", "read", None, "unknown"),
        ("completed", "user:ana", "other", 1, "independent"),
    ]
    assert trail.changes[0].at <= trail.changes[1].at
    store.write(OVERWRITE)  # as another program does
    trail = history.step_trail(task, "read")
    assert trail.other_writer and trail.step is not None and trail.step.state == "failed"
    assert history.set_step(task, "read", "in_progress").recorded
    assert history.resume_task(task).marked == ("read",)
    trail = history.step_trail(task, "read")
    assert [str(each.state) for each in trail.changes] == ["in_progress", "completed", "in_progress", "unknown"]
    assert not trail.other_writer


def test_a_trail_holds_ten_writes_and_is_read_in_one_statement(
    store: GraphStore, history: ConversationHistory, task: str
) -> None:
    states = ["failed", "not_started"] * 6 + ["in_progress"]
    for state in states:
        assert history.set_step(task, "read", state).recorded
    watched = Watched(store)
    trail = ConversationHistory(watched, project_id="atlas", agent_id="a").step_trail(task, "read")
    assert [str(each.state) for each in trail.changes] == states[-10:]
    assert (watched.reads, watched.writes) == (1, 0)


def test_a_step_without_a_trail_was_written_by_another_program(
    store: GraphStore, history: ConversationHistory, task: str
) -> None:
    assert history.set_step(task, "read", "failed").recorded
    store.write("MATCH (s:Step) SET s.changes = null RETURN 1 AS one")
    trail = history.step_trail(task, "read")
    assert (trail.found, trail.changes, trail.other_writer) == (True, (), True)


@pytest.mark.parametrize("name", ["other", "", " a", "a\0", None, 5])
def test_a_step_that_is_not_there_has_no_trail(history: ConversationHistory, task: str, name: str) -> None:
    assert history.set_step(task, "read", "failed").recorded
    assert not history.step_trail(task, name).found
    assert not history.step_trail(name, "read").found


def test_a_step_of_another_project_has_no_trail(store: GraphStore, history: ConversationHistory, task: str) -> None:
    assert history.set_step(task, "read", "failed").recorded
    other = ConversationHistory(store, project_id="borealis", agent_id="a")
    assert not other.step_trail(task, "read").found


def test_fault_31_each_support_error_keeps_its_own_detail(
    store: GraphStore, history: ConversationHistory, task: str
) -> None:
    history.record_event(task, "note", payload="x")
    history.record_event(task, "note", payload="secret")
    redact(store, task, 2)
    passage = add_version(store, "policy.txt", "Thirty days.")
    retired = add_decision(store, task, "old", status="rejected")
    known = EventSupportInput(task_name=task, seq=1)
    expected: list[tuple[str, list[SupportInput]]] = [
        ("support_not_fetched", [known, citing(passage)]),
        ("support_malformed", [known, DocumentSupportInput(evidence_id="ev1:s:nothing")]),
        ("support_event_not_found", [known, EventSupportInput(task_name=task, seq=3)]),
        ("cannot_revalidate", [known, EventSupportInput(task_name=task, seq=2)]),
        ("support_decision_not_active", [known, DecisionSupportInput(decision_id=retired)]),
        ("support_decision_not_found", [known, DecisionSupportInput(decision_id="nothing")]),
    ]
    for code, supports in expected:
        refused = history.set_step(
            task, "read", "completed", result_event_seq=1, result_basis="supported", supports=supports
        )
        assert (refused.error, refused.field) == (
            "support_invalid",
            "supports[1]" if code != "support_malformed" else refused.field,
        )
        assert refused.detail is not None
        named, _, words = refused.detail.partition(": ")
        assert (named, named in CODES, bool(words)) == (code, True, True)
