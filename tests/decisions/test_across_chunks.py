"""Passages that lie across chunks, and several of one document on one decision (cases 98 and 101)."""

import pytest

from reaffirm.decisions import DecisionTraces
from reaffirm.decisions.models import DocumentSupportInput, Support
from reaffirm.history import ConversationHistory
from reaffirm.knowledge import AnchorState, FetchOutcome, Graph, activating, chunking, ingestion
from reaffirm.store import GraphStore

KEY = "docs/handbook.txt"
PARAGRAPHS = [f"Paragraph {number} says something. " + "It goes on for a while. " * 30 for number in range(8)]
TEXT = "\n\n".join(PARAGRAPHS)
LONG = TEXT[TEXT.index("Paragraph 2") : TEXT.index("Paragraph 5") + 30]
SHORT = "Paragraph 6 says something."


@pytest.fixture
def decisions(store: GraphStore) -> DecisionTraces:
    ConversationHistory(store, project_id="atlas", agent_id="planner").create_task("storage", "Choose")
    return DecisionTraces(store, project_id="atlas", agent_id="planner")


@pytest.fixture
def graph(store: GraphStore) -> Graph:
    graph = Graph(store)
    assert graph.add(TEXT, document_key=KEY).chunks > 5
    return graph


def fetched(graph: Graph, *quotes: str) -> tuple[FetchOutcome, ...]:
    return graph.fetch([graph.cite(KEY, quote) for quote in quotes])


def inputs(outcomes: tuple[FetchOutcome, ...]) -> list[DocumentSupportInput]:
    return [DocumentSupportInput(evidence_id=outcome.evidence_id) for outcome in outcomes]


def decide(graph: Graph, decisions: DecisionTraces, *quotes: str) -> str:
    outcomes = fetched(graph, *quotes)
    recorded = decisions.record_decision(
        "storage", "limit", "So", "It says so.", supports=inputs(outcomes), fetched_evidence=outcomes
    )
    assert recorded.decision, recorded
    return recorded.decision.id


def supports_of(decisions: DecisionTraces, decision: str) -> tuple[Support, ...]:
    found = decisions.get_decision(decision).decision
    assert found
    return found.supports


def cut_anew(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """From now on chunks have another size, as in a later release."""
    monkeypatch.setattr(chunking, "SIZE", size)
    for module in (ingestion, activating):
        monkeypatch.setattr(module, "CHUNKER_HASH", f"{size:016x}")


def states(decisions: DecisionTraces, decision: str) -> list[tuple[AnchorState, str]]:
    case = decisions.review_case(decision)
    assert case
    return [(each.anchor.state, each.current_text or "") for each in case.citations if each.anchor]


def test_both_passages_are_shown_whole_and_reaffirming_needs_both(
    graph: Graph, decisions: DecisionTraces, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Case 101: one passage lies over three chunks, another stands in the same document, which is then cut anew."""
    decision = decide(graph, decisions, LONG, SHORT)
    before = [support.evidence_id for support in supports_of(decisions, decision)]
    cut_anew(monkeypatch, 500)
    graph.update(KEY, TEXT + "\n\nOne more paragraph.")
    assert states(decisions, decision) == [(AnchorState.EXACT, LONG), (AnchorState.EXACT, SHORT)]
    assert [outcome.text for outcome in graph.fetch(before)] == [LONG, SHORT]

    both = fetched(graph, LONG, SHORT)
    assert [(each.status, each.text) for each in both] == [("ok", LONG), ("ok", SHORT)]
    for one in both:
        refused = decisions.reaffirm_decision(decision, inputs((one,)), fetched_evidence=both)
        assert (refused.recorded, refused.error) == (False, "cannot_revalidate")
    done = decisions.reaffirm_decision(decision, inputs(both), fetched_evidence=both)
    assert done.recorded, done
    assert done.decision and len(done.decision.supports) == 2


@pytest.mark.parametrize("size", [300, 5_000])
def test_every_support_resolves_however_the_text_is_cut(
    graph: Graph, decisions: DecisionTraces, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    """Case 98: one of the chunks changes, the size of chunks changes, and the same text comes again."""
    decision = decide(graph, decisions, LONG, SHORT)
    ids = [support.evidence_id for support in supports_of(decisions, decision)]
    cut_anew(monkeypatch, size)
    # The same text, however it would be cut, is no version and raises no flag.
    again = graph.add(TEXT, document_key=KEY)
    assert (again.decision, again.flagged) == ("no_op", 0)
    for text in (TEXT.replace("Paragraph 7", "Chapter 7"), TEXT, TEXT.replace("Paragraph 0", "Chapter 0"), TEXT):
        assert graph.update(KEY, text).decision == "new_version"
        assert [(each.status, each.text) for each in graph.fetch(ids)] == [("ok", LONG), ("ok", SHORT)]
        assert graph.text(KEY) == text
        assert [state for state, _ in states(decisions, decision)] == [AnchorState.EXACT] * 2
