"""Faults of agentic-graphrag 0.0.7 around documents that this product does not share, each by its number."""

from reaffirm import ids
from reaffirm.knowledge import AnchorState, Graph
from reaffirm.store import GraphStore
from tests.decisions.factories import World
from tests.reviews.factories import BEFORE, EDITED, ELSEWHERE, QUOTE

KEY = "refund-policy"


def test_fault_05_a_flag_tells_what_raised_it_and_whether_the_words_changed(store: GraphStore) -> None:
    """There it stores neither document nor time nor person, and an unchanged passage looks like any other."""
    world = World(store)
    world.document()
    decision = world.decision([(KEY, QUOTE)])
    same = world.graph.update(KEY, BEFORE, author="user:ada")
    assert (same.decision, same.flagged) == ("no_op", 0)
    before = ids.milliseconds(ids.now())
    for text, state, blocked in ((ELSEWHERE, AnchorState.EXACT, False), (EDITED, AnchorState.EDITED, True)):
        assert world.graph.update(KEY, text, author="user:ada").flagged == 1
        case = world.case(decision.id)
        assert case.cause
        assert (case.cause.kind, case.cause.document_key, case.cause.by) == ("document", KEY, "user:ada")
        assert case.cause.at and ids.milliseconds(ids.stamp(case.cause.at)) >= before
        assert [citation.anchor and citation.anchor.state for citation in case.citations] == [state]
        assert bool(case.blockers) is blocked


def test_fault_26_a_text_that_comes_back_is_told_to_be_the_cited_one(store: GraphStore) -> None:
    """There nobody can read what a removed document said, and its return looks like a change."""
    world = World(store)
    world.document()
    decision = world.decision([(KEY, QUOTE)])
    assert world.graph.remove(KEY).flagged == 1
    (citation,) = world.case(decision.id).citations
    assert (citation.cited_text, citation.current_text) == (QUOTE, None)
    assert world.graph.add(BEFORE, document_key=KEY).recorded
    (citation,) = world.case(decision.id).citations
    assert citation.anchor and citation.anchor.state is AnchorState.EXACT
    assert world.traces.reaffirm_where_it_stands(decision.id, expected=world.seen(decision.id)).recorded


def test_fault_28_evidence_is_the_source_text(store: GraphStore) -> None:
    """There ``½`` becomes ``1⁄2`` and ``m²`` becomes ``m2``, and a line end is fetched back as a blank line."""
    graph = Graph(store)
    text = "A vault of 30 m² holds ½ of it.\r\nThe ﬁrst line\u2028ends here, e\u0301 stays so.\r\n\r\nAnother."
    assert graph.add(text, document_key=KEY).recorded
    stored = text.replace("\r\n", "\n")
    assert graph.text(KEY) == stored
    assert graph.versions(KEY)[0].content_hash == ids.text_digest(stored)
    whole = graph.fetch([graph.cite(KEY, stored)])[0]
    assert (whole.status, whole.text, whole.covered_range) == ("ok", stored, (0, len(stored)))


def test_fault_32_a_key_may_hold_a_comma(store: GraphStore) -> None:
    """There, over MCP, no such document can be in reach."""
    graph = Graph(store)
    for key in ("policies/a,b.txt", "policies/a"):
        assert graph.add(f"Backups, of {key}.", document_key=key).recorded
    found = graph.search("backups", document_keys=["policies/a,b.txt"])
    assert [hit.document_key for hit in found.hits] == ["policies/a,b.txt"]
