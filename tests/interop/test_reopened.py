"""Reopening, groups and remembered text beside agentic-graphrag: it reads ours, and ours reads what it did."""

from reaffirm.decisions import adopt_flags
from reaffirm.decisions.models import ReviewState
from tests.interop.agrag import PROJECT
from tests.interop.worlds import BACKUPS, LOGS, PERSON, POLICY, POLICY_1, POLICY_2, Both, write_graph

DEPENDENCY = ("needs_review", "dependency_review")


def test_it_reads_a_reopened_decision_and_clears_it(both: Both) -> None:
    made = write_graph(both)
    assert both.ours.reopen_decision(made.rival, "The auditor asks again.").recorded
    assert both.flags() == {made.rival: DEPENDENCY}
    cause = both.case(made.rival).cause
    assert cause and (cause.kind, cause.by, cause.reason) == ("reopened", PERSON, "The auditor asks again.")
    assert not both.incomplete()
    note = both.theirs.history.list_events("audit")["events"][-1]
    assert (note["kind"], note["author"]) == ("note", PERSON)
    assert both.theirs.decisions.reaffirm_decision(made.rival, [])["recorded"]
    assert both.flags() == {}
    assert both.ours_of(made.rival).review_state is ReviewState.CLEAR and both.case(made.rival).cause is None


def test_a_group_follows_a_root_that_it_reaffirmed(both: Both) -> None:
    made = write_graph(both)
    assert both.ours.reopen_decision(made.backup, "Look again.").recorded
    both.spread()
    flagged = {made.backup: DEPENDENCY, made.budget: DEPENDENCY, made.alert: DEPENDENCY}
    assert both.flags() == flagged
    cause = both.case(made.alert).cause
    assert cause and (cause.root, cause.depth) == (made.backup, 2)
    assert [step.decision_id for step in cause.path] == [made.backup, made.budget, made.alert]
    assert both.ours.group_of(cause).reason == "the root needs review itself"
    backups = both.passage(POLICY, BACKUPS)
    evidence = [{"evidence_id": backups}]
    done = both.theirs.decisions.reaffirm_decision(made.backup, evidence, fetched_evidence=both.fetched(backups))
    assert done["recorded"], done
    group = both.ours.group_of(cause)
    assert [member.decision.id for member in group.eligible] == [made.budget, made.alert]
    expected = {member.decision.id: member.seen for member in group.eligible}
    assert both.ours.reaffirm_group(cause, decision_ids=list(expected), expected=expected).recorded
    assert both.flags() == {}
    for each in expected:
        assert both.theirs_of(each)["review_state"] == "clear"
    events = both.theirs.history.list_events("storage")["events"]
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))


def test_a_text_that_comes_back_names_who_accepted_it_there(both: Both) -> None:
    """Case 88, every verdict by agentic-graphrag."""
    made = write_graph(both)
    agent = both.ours_of(made.region).author
    both.theirs.documents.update(POLICY, POLICY_2)
    both.spread()
    logs = both.passage(POLICY, LOGS)
    evidence = [{"evidence_id": logs}]
    assert both.theirs.decisions.reaffirm_decision(made.region, evidence, fetched_evidence=both.fetched(logs))[
        "recorded"
    ]
    sixty = both.passage(POLICY, BACKUPS.replace("thirty", "sixty"))
    superseded = both.theirs.decisions.supersede_decision(
        made.backup, "Keep sixty days", "The policy.", explanation="It changed.",
        supports=[{"evidence_id": sixty}], fetched_evidence=both.fetched(sixty),
    )  # fmt: skip
    assert superseded["recorded"]
    head = str(superseded["decision"]["id"])
    both.theirs.documents.update(POLICY, POLICY_1)
    both.spread()
    adopt_flags(both.store, project_id=PROJECT)
    stayed = both.case(made.region).citations[0]
    assert [(each.kind, each.by) for each in stayed.accepted] == [("reaffirm", agent), ("record", agent)]
    case = both.case(head)
    back = case.citations[0]
    assert back.anchor and back.anchor.state == "edited"
    assert [(each.kind, each.by, each.revision) for each in back.accepted] == [("record", agent, 1)]
    assert (back.accepted[0].decision_id, back.accepted[0].text) == (made.backup, BACKUPS)
    assert case.accepted_before == back.accepted[0]
    result = both.ours.reaffirm_where_it_stands(head, expected=case.seen)
    assert result.error == "cannot_revalidate"
