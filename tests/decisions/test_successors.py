"""A decision that cites a superseded one can go on with the revision that took its place."""

import pytest

from reaffirm.decisions import DecisionTraces
from reaffirm.decisions.models import (
    Decision,
    DecisionStatus,
    DecisionSupportInput,
    EventSupportInput,
    ReviewCase,
    Seen,
)
from reaffirm.history import ConversationHistory
from reaffirm.store import GraphStore

EVENT = [EventSupportInput(task_name="storage", seq=1)]


@pytest.fixture
def traces(store: GraphStore) -> DecisionTraces:
    history = ConversationHistory(store, project_id="atlas", agent_id="planner")
    history.create_task("storage", "Choose a backup policy")
    history.record_event("storage", "message", payload="How long?")
    return DecisionTraces(store, project_id="atlas", agent_id="planner")


@pytest.fixture
def parent(traces: DecisionTraces) -> Decision:
    return _made(traces.record_decision("storage", "retention", "30 days", "As asked.", supports=EVENT).decision)


@pytest.fixture
def child(traces: DecisionTraces, parent: Decision) -> Decision:
    cited = [DecisionSupportInput(decision_id=parent.id)]
    return _made(traces.record_decision("storage", "budget", "For 30 days", "It follows.", supports=cited).decision)


def _made(decision: Decision | None) -> Decision:
    assert decision
    return decision


def _shown(traces: DecisionTraces, decision: Decision) -> tuple[ReviewCase, Seen]:
    case = traces.review_case(decision.id)
    assert case
    return case, case.seen


def test_superseding_cites_the_revision_that_took_the_parents_place(
    traces: DecisionTraces, parent: Decision, child: Decision
) -> None:
    after = _made(traces.supersede_decision(parent.id, "60 days", "New.", explanation="Law.", supports=EVENT).decision)
    traces.continue_decision_review()
    case, seen = _shown(traces, child)
    assert case.citations[0].parent and case.citations[0].parent.status is DecisionStatus.SUPERSEDED
    assert case.citations[0].successor and case.citations[0].successor.id == after.id
    assert case.blockers
    result = traces.supersede_where_it_stands(child.id, "For 60 days", expected=seen, explanation="The parent changed.")
    assert result.decision, result.detail
    assert [support.decision_id for support in result.decision.supports] == [after.id]
    assert result.decision.review_state == "clear"


def test_a_successor_that_changed_since_it_was_shown_refuses_the_verdict(
    traces: DecisionTraces, parent: Decision, child: Decision
) -> None:
    after = _made(traces.supersede_decision(parent.id, "60 days", "New.", explanation="Law.", supports=EVENT).decision)
    traces.continue_decision_review()
    _, seen = _shown(traces, child)
    traces.supersede_decision(after.id, "90 days", "Newer.", explanation="Law again.", supports=EVENT)
    result = traces.supersede_where_it_stands(child.id, expected=seen, explanation="The parent changed.")
    assert result.error == "decision_changed"


def test_a_rejected_parent_has_no_successor(traces: DecisionTraces, parent: Decision, child: Decision) -> None:
    traces.reject_decision(parent.id, "Nobody asked.")
    traces.continue_decision_review()
    case, seen = _shown(traces, child)
    assert case.citations[0].successor is None
    result = traces.supersede_where_it_stands(child.id, expected=seen, explanation="The parent changed.")
    assert result.error == "support_required"
