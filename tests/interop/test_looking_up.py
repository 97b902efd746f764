"""Looking decisions up on a graph that agentic-graphrag wrote, without a fact of ours, beside its own reads."""

import pytest

from reaffirm.decisions import adopt_flags
from tests.interop.agrag import AGENT, PROJECT
from tests.interop.worlds import BACKUPS, LOGS, POLICY, POLICY_2, RUNBOOK, RUNBOOK_2, Both, Written, write_graph


@pytest.fixture
def made(both: Both) -> Written:
    return write_graph(both)


def test_both_searches_find_the_same(both: Both, made: Written) -> None:
    for query in ("thirty", "source days", "says", "nowhere"):
        theirs = both.theirs.decisions.search_decisions(query, limit=50)
        ours = both.ours.search_decisions(query, limit=50)
        assert {hit.decision.id: (hit.task_goal, hit.marker) for hit in ours} == {
            hit["decision"]["id"]: (hit["task_goal"], hit["marker"]) for hit in theirs
        }
    (hit,) = both.theirs.decisions.search_decisions("thirty", task_name="storage")
    (own,) = both.ours.search_decisions("thirty", task_name="storage")
    shown = own.model_dump(mode="json")
    assert shown.keys() == hit.keys()
    assert {key: shown["decision"][key] for key in hit["decision"] if key not in ("supports", "created_at")} == {
        key: value for key, value in hit["decision"].items() if key not in ("supports", "created_at")
    }


def test_its_verdicts_are_told_as_far_as_it_stores_them(both: Both, made: Written) -> None:
    (dropped,) = both.ours.precedents("tmp.choice").precedents
    assert (dropped.last.kind, dropped.last.by, dropped.last.at) == ("reject", AGENT, None)
    assert dropped.last.reason == "Two customers use it."
    newest, oldest = both.ours.decision_history(made.first_step).revisions
    assert (newest.decision.id, newest.replaces) == (made.next_step, (made.first_step,))
    assert [each.kind for each in oldest.said] == ["recorded", "supersede"]
    assert (oldest.said[-1].by, oldest.said[-1].at) == (AGENT, newest.decision.created_at)
    assert (oldest.said[-1].reason, oldest.held_until) == ("It was not clear.", newest.decision.created_at)


def test_its_reaffirmation_is_told(both: Both, made: Written) -> None:
    both.theirs.documents.update(POLICY, POLICY_2)
    both.spread()
    new = both.passage(POLICY, LOGS)
    result = both.theirs.decisions.reaffirm_decision(
        made.region, [{"evidence_id": new}], fetched_evidence=both.fetched(new), explanation="It only moved."
    )
    assert result["recorded"], result
    (revision,) = both.ours.decision_history(made.region).revisions
    assert [(each.kind, each.by, each.reason) for each in revision.said] == [
        ("recorded", AGENT, None), ("reaffirm", AGENT, "It only moved."),
    ]  # fmt: skip
    assert [each.current for each in revision.supports] == [False, True]
    assert both.ours.precedents("logs.region").precedents[0].last.kind == "reaffirm"


def test_a_preview_tells_what_its_propagation_then_flags(both: Both, made: Written) -> None:
    preview = both.ours.preview(made.backup, "reject")
    assert (preview.would_flag, preview.already_flagged) == (2, 0)
    assert [each.decision.id for each in preview.affected] == [made.budget, made.alert]
    assert both.ours.dependents(made.backup).by_depth == {1: 1, 2: 1}
    assert both.theirs.decisions.reject_decision(made.backup, "Wrong.")["recorded"]
    both.spread()
    assert set(both.their_flags()) == {made.budget, made.alert}


def test_its_passages_and_decisions_are_told_to_be_citable_or_not(both: Both, made: Written) -> None:
    logs, backups = both.passage(POLICY, LOGS), both.passage(POLICY, BACKUPS)
    asked = [logs, backups, made.budget, made.first_step, made.dropped]
    before = both.ours.citable(asked).answers
    assert [(each.reason, each.replaced_by) for each in before] == [
        (None, None), (None, None), (None, None), ("superseded", made.next_step), ("rejected", None),
    ]  # fmt: skip
    both.theirs.documents.update(POLICY, POLICY_2)
    after = both.ours.citable(asked).answers
    assert [(each.reason, each.replaced_by) for each in after[:3]] == [
        ("older_version", both.passage(POLICY, LOGS)), ("passage_edited", None), ("review_spreading", None),
    ]  # fmt: skip
    both.spread()
    assert both.ours.citable([made.budget]).answers[0].reason == "needs_review"
    both.theirs.documents.update_sections(RUNBOOK, RUNBOOK_2)
    both.theirs.documents.delete(POLICY)
    assert both.ours.citable([logs]).answers[0].reason == "document_removed"


def test_its_conflict_is_listed_with_what_each_side_rests_on(both: Both, made: Written) -> None:
    adopt_flags(both.store, project_id=PROJECT)
    (group,) = both.ours.list_conflicts().groups
    (theirs,) = both.theirs.decisions.list_conflicts()["groups"]
    assert {each.id for each in group.decisions} == {each["id"] for each in theirs["decisions"]}
    assert (group.count, group.difference) == (2, "words")
    assert [(each.kind, each.version) for each in group.evidence[made.backup]] == [
        ("document", "current"), ("event", None),
    ]  # fmt: skip
