"""The page of a decision that agentic-graphrag recorded: causes, cited words, anchors."""

from dataclasses import astuple
from typing import Any

import pytest

from reaffirm.decisions import adopt_flags
from reaffirm.decisions.models import Citation
from reaffirm.knowledge.models import AnchorState, FetchStatus
from tests.interop.agrag import PROJECT
from tests.interop.worlds import (
    BACKUPS,
    EXPORTS,
    LAG,
    LOGS,
    POLICY,
    POLICY_1,
    POLICY_2,
    POLICY_3,
    PROMOTE,
    RUNBOOK,
    RUNBOOK_2,
    VAULT,
    Both,
    Written,
    write_graph,
)

STANDS = (AnchorState.EXACT, AnchorState.MOVED)


@pytest.fixture
def changed(both: Both) -> Written:
    """Both documents in their second version, the review spread, our facts added."""
    made = write_graph(both)
    both.theirs.documents.update(POLICY, POLICY_2)
    both.theirs.documents.update_sections(RUNBOOK, RUNBOOK_2)
    both.spread()
    adopt_flags(both.store, project_id=PROJECT)
    return made


def test_cited_words_and_causes_are_found(both: Both, changed: Written) -> None:
    backup, event = both.case(changed.backup).citations
    assert (_state(backup), backup.cited_text) == (AnchorState.EDITED, BACKUPS)
    assert backup.current_text == BACKUPS.replace("thirty", "sixty")
    assert event.event and event.event.payload == "How long do we keep backups?"

    (region,) = both.case(changed.region).citations
    assert _state(region) is AnchorState.MOVED
    assert region.cited_text == region.current_text == LOGS

    (exports,) = both.case(changed.exports).citations
    assert _state(exports) in STANDS
    assert exports.cited_text == exports.current_text == "Exports need a written approval"

    (vault,) = both.case(changed.vault).citations
    assert (_state(vault), vault.cited_text, vault.current_text) == (AnchorState.GONE, VAULT.replace("²", "2"), None)

    cause = both.case(changed.region).cause
    assert cause and cause.version
    assert (cause.kind, cause.document_key, cause.previous_seq) == ("document", POLICY, 1)
    assert (cause.version.activation_seq, cause.version.verb) == (2, "update")

    by_parent = both.case(changed.alert).cause
    assert by_parent and (by_parent.kind, by_parent.decision_id) == ("decision", changed.budget)
    (parent,) = both.case(changed.alert).citations
    assert parent.parent and parent.parent.choice_key == "backup.budget"
    assert [each.id for each in both.case(changed.budget).dependents] == [changed.alert]

    for decision_id in astuple(changed):
        case = both.case(decision_id)
        assert case.decision == both.ours_of(decision_id)
        assert [each.support for each in case.citations] == list(case.decision.supports)
        assert case.citations and all(each.seen for each in case.citations)

    # A heading stands in the chunk and not in its offsets, so agentic-graphrag names the chunk by its id.
    (order,) = both.case(changed.order).citations
    assert order.support.reference_kind == "chunk" and order.support.char_start is None
    assert _state(order) in STANDS
    assert order.cited_text == order.current_text == f"Failover\n\n{PROMOTE}"

    (lag,) = both.case(changed.next_step).citations
    assert _state(lag) is AnchorState.EDITED
    assert lag.cited_text == f"Checks\n\n{LAG}"
    assert lag.current_text and lag.current_text.endswith(LAG.replace("five", "two"))


def _state(citation: Citation) -> AnchorState:
    assert citation.anchor
    return citation.anchor.state


def _listed_cause(both: Both, decision_id: str) -> Any:
    adopt_flags(both.store, project_id=PROJECT)
    rows = both.ours.list_decisions_for_review(limit=50).rows
    (row,) = [each for each in rows if each.decision.id == decision_id]
    cause = both.case(decision_id).cause
    assert cause and row.cause == cause.model_copy(update={"path": ()})
    return row.cause


def test_a_flag_that_they_raise_again_tells_its_new_cause(both: Both, changed: Written) -> None:
    """They know nothing of our facts and leave those of the earlier flag behind."""
    first = both.ours_of(changed.region)
    both.theirs.documents.update(POLICY, POLICY_3)
    both.spread()
    assert _listed_cause(both, changed.region).version.activation_seq == 3

    logs = both.passage(POLICY, LOGS)
    reaffirmed = both.theirs.decisions.reaffirm_decision(
        changed.region, [{"evidence_id": logs}], fetched_evidence=both.fetched(logs)
    )
    assert reaffirmed["recorded"]
    assert both.ours_of(changed.region).flagged_at is None

    both.theirs.documents.update(POLICY, POLICY_1)
    both.spread()
    cause = _listed_cause(both, changed.region)
    assert (cause.version.activation_seq, cause.previous_seq) == (4, 3)
    again = both.ours_of(changed.region)
    assert first.flagged_at and again.flagged_at and again.flagged_at > first.flagged_at


def test_a_flag_that_gets_another_reason_tells_its_cause(both: Both) -> None:
    """They overwrite the reason, and raise a flag again after a verdict on another source."""
    made = write_graph(both)
    two_sources = both.record("audit", "two.sources", both.passage(POLICY, LOGS), both.passage(RUNBOOK, PROMOTE))
    both.theirs.documents.update(POLICY, POLICY_2)
    both.spread()
    assert _listed_cause(both, made.budget).kind == "decision"
    assert _listed_cause(both, two_sources).document_key == POLICY

    now = [both.passage(POLICY, LOGS), both.passage(RUNBOOK, PROMOTE)]
    evidence = [{"evidence_id": each} for each in now]
    assert both.theirs.decisions.reaffirm_decision(two_sources, evidence, fetched_evidence=both.fetched(*now))[
        "recorded"
    ]
    both.theirs.documents.delete(RUNBOOK)
    both.spread()

    for decision_id in (made.budget, two_sources):
        cause = _listed_cause(both, decision_id)
        assert (cause.kind, cause.document_key) == ("document", RUNBOOK)
        assert cause.version and cause.version.verb == "delete" and cause.version.content_hash is None
    assert adopt_flags(both.store) == 0

    # What was cited stays readable here, though its own fetch hides a removed document.
    (order,) = both.case(made.order).citations
    assert (_state(order), order.cited_text) == (AnchorState.GONE, f"Failover\n\n{PROMOTE}")
    refused = both.ours.reaffirm_where_it_stands(made.order, expected=both.case(made.order).seen)
    assert refused.error == "cannot_revalidate"


def test_their_documents_read_as_they_stored_them(both: Both) -> None:
    """NFKC folds the ² and leaves the rocket; offsets are code points for both."""
    write_graph(both)
    folded = POLICY_1.replace("²", "2")
    assert both.our_graph.text(POLICY) == folded
    assert both.our_graph.cite(POLICY, LOGS) == both.passage(POLICY, LOGS)
    assert both.our_graph.cite(POLICY, "Élan") == both.passage(POLICY, "Élan")

    ids = [each["id"] for key in (POLICY, RUNBOOK) for each in both.theirs.documents.evidence(key)]
    assert [each for key in (POLICY, RUNBOOK) for each in both.our_graph.passages(key)] == ids
    for theirs, ours in zip(both.fetched(*ids), both.our_graph.fetch(ids), strict=True):
        assert (ours.status, ours.text, ours.document_key) == ("ok", theirs["text"], theirs["document_key"])
        assert ours.content_hash == theirs["content_hash"]
        assert ours.observed_activation_seq == theirs["observed_activation_seq"]

    # No chunk of theirs holds the blank line between two paragraphs.
    across = both.our_graph.cite(POLICY, f"{LOGS}\n\n{EXPORTS}")
    (ours,) = both.our_graph.fetch([across])
    (theirs,) = both.theirs.documents.fetch([across], [POLICY])
    assert (ours.status, ours.text) == (FetchStatus.OK, f"{LOGS}\n\n{EXPORTS}")
    assert theirs["status"] == "partial"
