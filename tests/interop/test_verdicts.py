"""Our verdicts on decisions that agentic-graphrag recorded, as it reads them."""

from typing import Any

import pytest

from reaffirm.decisions import adopt_flags
from reaffirm.decisions.models import VerdictKind
from tests.interop.agrag import PROJECT
from tests.interop.worlds import (
    BACKUPS,
    LOGS,
    PERSON,
    POLICY,
    POLICY_1,
    POLICY_2,
    PROMOTE,
    RUNBOOK,
    RUNBOOK_2,
    Both,
    Written,
    write_graph,
)


@pytest.fixture
def flagged(both: Both) -> Written:
    """Both documents in their second version, the review spread."""
    made = write_graph(both)
    both.theirs.documents.update(POLICY, POLICY_2)
    both.theirs.documents.update_sections(RUNBOOK, RUNBOOK_2)
    both.spread()
    adopt_flags(both.store, project_id=PROJECT)
    return made


def reaffirm(both: Both, decision_id: str, **more: Any) -> None:
    seen = both.case(decision_id).seen
    result = both.ours.reaffirm_where_it_stands(decision_id, expected=seen, **more)
    assert result.recorded, result


def test_it_reads_a_reaffirmation(both: Both, flagged: Written) -> None:
    reaffirm(both, flagged.region, explanation="The sentence only moved.")

    read = both.theirs_of(flagged.region)
    assert (read["status"], read["review_state"], read["review_reason"]) == ("active", "clear", None)
    (support,) = read["supports"]
    assert support["evidence_id"] == both.passage(POLICY, LOGS)
    assert support["recorded_activation_seq"] == 2
    assert (support["reviewed_by"], support["review_explanation"]) == (PERSON, "The sentence only moved.")
    assert both.fetched(support["evidence_id"])[0]["text"] == LOGS
    history = both.theirs.decisions.list_support_history(flagged.region)
    assert [each["current"] for each in history["supports"]] == [False, True]
    assert {each["reviewed_by"] for each in history["supports"]} == {PERSON}
    assert flagged.region not in both.flags()

    # A passage in a chunk without offsets is pinned anew by the chunk.
    reaffirm(both, flagged.order)
    (support,) = both.theirs_of(flagged.order)["supports"]
    assert support["evidence_id"] == both.passage(RUNBOOK, PROMOTE)
    assert support["reference_kind"] == "chunk" and support["chunk_id"]

    # Each left a note in the log of the task, which goes on without a gap.
    assert both.theirs.history.record_event("audit", "note", payload="Go on.")["event"]["seq"] == 4
    events = both.theirs.history.list_events("audit")["events"]
    assert [each["seq"] for each in events] == [1, 2, 3, 4]
    assert events[1]["payload"] == f"Decision {flagged.region} reaffirmed."
    assert (events[1]["kind"], events[1]["author"]) == ("note", PERSON)
    fetched = both.theirs.history.fetch_event("audit", 2)
    assert fetched["found"] and fetched["event"] == events[1]


def test_it_reads_a_supersession(both: Both, flagged: Written) -> None:
    result = both.ours.supersede_where_it_stands(
        flagged.backup,
        "Keep sixty days",
        "The policy says sixty now.",
        explanation="The policy changed.",
        expected=both.case(flagged.backup).seen,
    )
    assert result.decision, result
    assert both.theirs_of(result.decision.id)["review_state"] == "unknown"  # until its dependents are flagged
    both.spread()

    new = both.theirs_of(result.decision.id)
    assert (new["revision"], new["status"], new["review_state"]) == (2, "active", "clear")
    assert (new["conclusion"], new["author"]) == ("Keep sixty days", PERSON)
    assert [each["kind"] for each in new["supports"]] == ["document", "event"]
    assert new["supports"][0]["evidence_id"] == both.passage(POLICY, BACKUPS.replace("thirty", "sixty"))
    old = both.theirs_of(flagged.backup)
    assert (old["status"], old["review_state"]) == ("superseded", "clear")
    listed = both.theirs.decisions.list_decisions("storage")
    assert [each["revision"] for each in listed["page"]["decisions"] if each["choice_key"] == "backup.retention"] == [
        2,
        1,
    ]
    (group,) = both.theirs.decisions.list_conflicts()["groups"]
    assert {each["id"] for each in group["decisions"]} == {result.decision.id, flagged.rival}
    assert flagged.backup not in both.flags()


def test_it_reads_a_rejection_and_the_end_of_a_conflict(both: Both, flagged: Written) -> None:
    (theirs,) = both.theirs.decisions.list_conflicts()["groups"]
    (ours,) = both.ours.list_conflicts().groups
    assert {each.id for each in ours.decisions} == {each["id"] for each in theirs["decisions"]}

    assert both.ours.reject_decision(flagged.rival, "The auditor agreed.").recorded

    read = both.theirs_of(flagged.rival)
    assert (read["status"], read["review_state"], read["review_reason"]) == ("rejected", "clear", None)
    assert (read["rejection_reason"], read["rejected_by"]) == ("The auditor agreed.", PERSON)
    active = both.theirs.decisions.list_decisions("audit", include_history=False)["page"]["decisions"]
    assert flagged.rival not in {each["id"] for each in active}
    assert both.theirs.decisions.list_conflicts()["groups"] == []
    assert both.ours.list_conflicts().groups == ()


def test_verdicts_without_dependents_leave_the_project_known(both: Both, flagged: Written) -> None:
    """A rejection of its own without dependents makes it read every clear decision as unknown; and own facts on
    decisions, supports, events and requests do not disturb its models."""
    reaffirm(both, flagged.region)
    assert not both.incomplete()
    seen = both.case(flagged.exports).seen
    superseded = both.ours.supersede_where_it_stands(flagged.exports, explanation="Pinned anew.", expected=seen)
    assert superseded.decision and not both.incomplete()
    seen = both.case(flagged.vault).seen
    assert both.ours.reject_decision(flagged.vault, "The rule is gone.", expected=seen).recorded
    assert not both.incomplete()
    assert both.theirs_of(flagged.rival)["review_state"] == "clear"

    view = both.theirs.history.get_task("audit")["view"]
    active = {flagged.region, flagged.order, flagged.rival, flagged.next_step, superseded.decision.id}
    assert {each["id"] for each in view["decisions"]} == active
    assert {each["id"] for each in view["review_decisions"]} == {flagged.order, flagged.next_step}
    ours = both.our_history.get_task("audit").view
    assert ours and {each.id for each in ours.decisions} == active
    assert {each.id for each in ours.review_decisions} == {flagged.order, flagged.next_step}
    listed = both.theirs.decisions.list_decisions("audit")["page"]["decisions"]
    assert {each["status"] for each in listed} == {"active", "superseded", "rejected"}
    assert {flagged.order, flagged.next_step} < set(both.flags())


@pytest.mark.parametrize("spreader", ["theirs", "ours"])
def test_a_verdict_flags_those_that_rest_on_it(both: Both, spreader: str) -> None:
    """Whoever spreads the review, it reaches all of them and ends."""
    assert both.theirs.history.create_task("storage", "Choose a backup policy")["recorded"]
    assert both.theirs.history.record_event("storage", "note", payload="Thirty days.")["recorded"]
    root = both.record("storage", "root", supports=({"task_name": "storage", "seq": 1},))
    child = both.record("storage", "child", supports=({"decision_id": root},))
    leaf = both.record("storage", "leaf", supports=({"decision_id": child},))
    assert both.ours.reject_decision(root, "Wrong.").recorded
    assert both.incomplete()
    both.spread(spreader)
    dependent = ("needs_review", "dependency_review")
    assert both.flags() == {child: dependent, leaf: dependent}
    assert both.theirs.decisions.continue_decision_review() == both.ours.continue_decision_review() == 0


def test_a_verdict_of_theirs_stands_against_a_stale_page(both: Both, flagged: Written) -> None:
    reaffirm(both, flagged.region)
    both.theirs.documents.update(POLICY, POLICY_1)
    both.spread()
    shown = both.case(flagged.region)
    agent = both.theirs.another("auditor-2")
    logs = both.passage(POLICY, LOGS)
    assert agent.decisions.reaffirm_decision(
        flagged.region, [{"evidence_id": logs}], fetched_evidence=both.fetched(logs)
    )["recorded"]

    lost = both.ours.reject_decision(flagged.region, "Too late.", expected=shown.seen)

    assert lost.error == "decision_changed"
    assert lost.standing and (lost.standing.kind, lost.standing.by) == (VerdictKind.REAFFIRM, "auditor-2")
    assert agent.decisions.reject_decision(flagged.region, "Enough.")["recorded"]
    rejected = both.ours_of(flagged.region)
    assert rejected.verdict is None  # nobody stored when
    assert (rejected.rejection_reason, rejected.rejected_by) == ("Enough.", "auditor-2")
