"""The two review lists say the same of a graph that agentic-graphrag wrote: ids, states and reasons."""

from reaffirm.decisions import adopt_flags, compare_flags
from reaffirm.decisions.models import ReviewReason, ReviewState
from reaffirm.decisions.narrowing import ReviewSort
from tests.decisions.test_review_list import walk
from tests.interop.agrag import PROJECT
from tests.interop.worlds import LAG, LOGS, POLICY, POLICY_2, POLICY_3, RUNBOOK, RUNBOOK_2, Both, write_graph

FLAGGED = ReviewState.NEEDS_REVIEW
CHANGED, DEPENDENT = (FLAGGED, ReviewReason.SOURCE_CHANGED), (FLAGGED, ReviewReason.DEPENDENCY_REVIEW)
REMOVED = (FLAGGED, ReviewReason.SOURCE_REMOVED)
UNSIZED = "MATCH (d:Decision) WHERE d.review_state = 'needs_review' AND d.change_size IS NULL RETURN count(d) AS n"
RESTING = """
MATCH (c:Decision)-[r:DEPENDS_ON]->(d:Decision) WHERE c.status = 'active'
RETURN d.id AS id, count(DISTINCT c) AS n
"""


def test_they_agree_from_flag_to_flag(both: Both) -> None:
    """Flagged by a version, cleared by either, flagged by another version, by a removal and by a redaction.

    Reviews are spread by the two in turn.
    """
    made = write_graph(both)
    assert both.flags() == {}

    both.theirs.documents.update(POLICY, POLICY_2)
    both.spread("theirs")
    by_policy = {made.backup: CHANGED, made.region: CHANGED, made.exports: CHANGED, made.vault: CHANGED}
    flags = by_policy | {made.budget: DEPENDENT, made.alert: DEPENDENT}
    assert both.flags() == flags

    logs = both.passage(POLICY, LOGS)
    reaffirmed = both.theirs.decisions.reaffirm_decision(
        made.region, [{"evidence_id": logs}], fetched_evidence=both.fetched(logs)
    )
    assert reaffirmed["recorded"], reaffirmed
    assert both.flags() == _without(flags, made.region)

    assert both.ours.reaffirm_where_it_stands(made.exports, expected=both.case(made.exports).seen).recorded
    assert both.flags() == _without(flags, made.region, made.exports)

    both.theirs.documents.update(POLICY, POLICY_3)
    both.spread("ours")
    assert both.flags() == flags

    both.theirs.documents.update_sections(RUNBOOK, RUNBOOK_2)
    both.spread("theirs")
    by_runbook = {made.budget: CHANGED, made.order: CHANGED, made.next_step: CHANGED}
    assert both.flags() == flags | by_runbook

    both.theirs.documents.delete(RUNBOOK)
    both.spread("ours")
    gone = {made.budget: REMOVED, made.order: REMOVED, made.next_step: REMOVED}
    assert both.flags() == flags | gone

    secret = both.theirs.history.fetch_event("audit", 1)["event"]
    assert both.theirs.retention.redact_event(secret["id"])["recorded"]
    both.spread("theirs")
    assert both.flags() == flags | gone | {made.rival: REMOVED}


def _without(flags: dict[str, tuple[str, str]], *ids: str) -> dict[str, tuple[str, str]]:
    return {each: flag for each, flag in flags.items() if each not in ids}


def test_until_a_review_has_spread_only_what_it_may_reach_is_unknown_to_us(both: Both) -> None:
    """agentic-graphrag reads every clear decision of the project as unknown, and lists them all."""
    made = write_graph(both)
    both.theirs.documents.update(POLICY, POLICY_2)

    flagged = {made.backup, made.region, made.exports, made.vault}
    assert set(both.our_flags()) == flagged
    assert set(both.their_flags()) > flagged
    assert both.theirs_of(made.order)["review_state"] == "unknown"
    assert both.ours_of(made.order).review_state is ReviewState.CLEAR
    assert both.ours_of(made.alert).review_state is ReviewState.UNKNOWN
    assert both.ours.review_counts().spreading


def test_a_decision_recorded_on_an_old_version_is_flagged_for_both(both: Both) -> None:
    write_graph(both)
    lag = both.passage(RUNBOOK, LAG)
    old = both.fetched(lag)
    both.theirs.documents.update_sections(RUNBOOK, RUNBOOK_2)
    both.spread()

    late = both.theirs.decisions.record_decision(
        "audit", "late.choice", "c", "r", supports=[{"evidence_id": lag}], fetched_evidence=old
    )

    assert late["warnings"] == ["source_changed_during_recording"]
    assert both.flags()[late["decision"]["id"]] == (FLAGGED, ReviewReason.SOURCE_CHANGED_DURING_RECORDING)
    case = both.case(late["decision"]["id"])
    assert case.cause and case.cause.kind == "recording"


def test_their_flags_are_in_every_order_of_ours_once_adopted(both: Both) -> None:
    """They store neither a place, nor how many decisions rest on one, nor how much has changed."""
    made = write_graph(both)
    both.theirs.documents.update(POLICY, POLICY_2)
    both.spread("theirs")
    flags = set(both.their_flags())
    counts = both.ours.review_counts()
    assert (counts.flagged, counts.listed) == (len(flags), 0)
    for sort in ReviewSort:
        assert both.ours.list_decisions_for_review(sort=sort).rows == ()

    adopt_flags(both.store, project_id=PROJECT)
    compare_flags(both.store, PROJECT)
    for sort in ReviewSort:
        forwards, backwards = walk(both.ours, 2, sort=sort)
        assert sorted(forwards) == sorted(flags), sort
        assert backwards == forwards[::-1], sort
    rows = {row.decision.id: row for row in both.ours.list_decisions_for_review(sort="most_dependents").rows}
    resting = {row["id"]: row["n"] for row in both.store.read(RESTING)}
    assert {each: row.dependents for each, row in rows.items()} == {each: resting.get(each, 0) for each in flags}
    assert next(iter(rows.values())).dependents == max(resting.values())
    assert {rows[each].cause.kind for each in (made.backup, made.region)} == {"document"}
    assert all(row.cause.at for row in rows.values())
    sizes = both.store.read(
        "MATCH (d:Decision) WHERE d.change_size IS NULL AND d.review_state = 'needs_review' RETURN d.id AS id"
    )
    assert sizes == []
