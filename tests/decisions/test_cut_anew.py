"""A text that is cut into other chunks says the same: what cited a chunk of the older cut still stands (case 98)."""

import pytest

from reaffirm.decisions import DecisionTraces
from reaffirm.decisions.models import DocumentSupportInput
from reaffirm.history import ConversationHistory
from reaffirm.knowledge import Graph
from reaffirm.knowledge.models import AnchorState
from reaffirm.store import GraphStore

TEXT = "# Cold store\n\nEvaporators are defrosted one at a time.\n\n# Doors\n\nThe door opens from inside.\n"
OTHER = "# Cold store\n\nNothing is said here any more.\n"


@pytest.fixture
def cited_chunk(store: GraphStore) -> str:
    """The id of a decision that cites a whole chunk by its id."""
    graph = Graph(store)
    graph.add(TEXT, document_key="docs/cold.txt")
    row = store.read("MATCH (c:Chunk) WHERE c.content_hash >= '' RETURN c{.id, .document_id, .content_hash} AS chunk")[
        0
    ]
    chunk = row["chunk"]
    evidence = f"ev1:c:{chunk['document_id']}:{chunk['content_hash'][:16]}:{chunk['id']}"
    ConversationHistory(store, project_id="atlas", agent_id="planner").create_task("storage", "Keep it cold")
    recorded = DecisionTraces(store, project_id="atlas", agent_id="planner").record_decision(
        "storage",
        "defrosting",
        "One after the other",
        "The handbook says so.",
        supports=[DocumentSupportInput(evidence_id=evidence)],
        fetched_evidence=graph.fetch([evidence]),
    )
    assert recorded.decision, recorded.detail
    return recorded.decision.id


def test_the_same_text_in_other_chunks_is_exact(store: GraphStore, cited_chunk: str) -> None:
    graph = Graph(store)
    graph.update("docs/cold.txt", OTHER)
    graph.update("docs/cold.txt", TEXT, media_type="text/markdown")
    case = DecisionTraces(store, project_id="atlas", agent_id="planner").review_case(cited_chunk)
    assert case and case.citations[0].anchor
    assert case.citations[0].anchor.state is AnchorState.EXACT
    assert (case.citations[0].current_text or "").strip() == (case.citations[0].cited_text or "").strip()


def test_an_erased_text_is_unreachable_and_blocks_reaffirming(store: GraphStore, cited_chunk: str) -> None:
    Graph(store).purge("docs/cold.txt")
    case = DecisionTraces(store, project_id="atlas", agent_id="planner").review_case(cited_chunk)
    assert case and case.citations[0].anchor
    assert case.citations[0].anchor.state is AnchorState.UNREACHABLE
    assert case.decision.review_reason == "source_removed"
    assert case.blockers
