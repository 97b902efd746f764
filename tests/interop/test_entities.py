"""Entities that one product wrote, as the other finds and keeps them."""

from typing import Any

import pytest

from reaffirm.knowledge import Graph
from reaffirm.store import GraphStore
from tests.interop.worlds import Both
from tests.knowledge.extractors import NamesExtractor

OURS, THEIRS = "docs/ours.md", "docs/theirs.md"
TEXT = "Ada Byron joined Globex.\n\nGLOBEX keeps the tapes. Ada Byron left."
LABELS = ["Company", "Person"]
EXTRA = {"described_by", "char_starts", "char_ends", "extraction_fingerprint"}  # properties of ours


@pytest.fixture
def graph(both: Both) -> Graph:
    """Ours, with the extractor that finds what theirs finds. Its schema is made on the graph first."""
    both.theirs.entities.open()
    return Graph(both.store, extractor=NamesExtractor())


def shape(store: GraphStore, key: str) -> dict[str, Any]:
    """What stands for the entities of a document, without ids and times, and what each property is named."""
    rows = store.read(
        "MATCH (d:Document) WHERE d.document_key = $key WITH d "
        "MATCH (d)-[:HAS_PART]->(c:Chunk)-[m:MENTIONED_IN]->(e) WITH c, m, e "
        "OPTIONAL MATCH (a:_MergeAlias) WHERE a.entity_id = e.id WITH c, m, e, a "
        "OPTIONAL MATCH (e)-[r]->(t) "
        "RETURN labels(e) AS labels, properties(e) AS e, properties(m) AS m, properties(a) AS a, type(r) AS kind, "
        "properties(r) AS r, t.name AS t, c.id AS chunk",
        key=key,
    )
    return {
        row["e"]["merge_key"]: {
            "labels": sorted(row["labels"]),
            "values": {k: row["e"].get(k) for k in ("name", "merge_count", "role", "_ft_name")},
            "names": sorted(set(row["e"]) - EXTRA - {"embedding"}),
            "chunks": row["e"]["source_chunk_ids"] == [row["chunk"]],
            "mention": sorted(set(row["m"]) - EXTRA) + row["m"]["source_chunk_ids"],
            "alias": (row["a"]["merge_key"], row["a"]["entity_id"] == row["e"]["id"], sorted(row["a"])),
            "relation": (row["kind"], row["t"], sorted(row["r"] or {})),
            "evidence": (row["r"] or {}).get("source_chunk_ids") in (None, [row["chunk"]]),
        }
        for row in rows
    }


def support(found: dict[str, Any]) -> dict[str, set[str]]:
    """Names, and the documents in which its search found them."""
    return {hit["name"]: {each["document_key"] for each in hit["support"]} for hit in found["hits"]}


def test_what_we_write_has_the_shape_of_what_it_writes(both: Both, graph: Graph) -> None:
    assert graph.add(TEXT, document_key=OURS).entities == 2
    ours = shape(both.store, OURS)
    assert graph.purge(OURS).recorded
    both.theirs.entities.update(THEIRS, TEXT)
    assert ours == shape(both.store, THEIRS)
    assert set(ours) == {"Person:ada byron", "Company:globex"}


def test_its_search_finds_our_entities_and_explores_their_relations(both: Both, graph: Graph) -> None:
    graph.add(TEXT, document_key=OURS)
    found = both.theirs.entities.entity_search("globex", [OURS], LABELS)
    assert found["status"] == "ok" and support(found) == {"Globex": {OURS}}
    (hit,) = found["hits"]
    assert (hit["label"], hit["kind"]) == ("Company", "supported")
    explored = both.theirs.entities.explore(hit["entity_id"], [OURS])
    assert [(node["name"], node["label"]) for node in explored["nodes"]] == [("Ada Byron", "Person")]
    (edge,) = explored["edges"]
    assert (edge["relation_type"], edge["kind"]) == ("WORKS_FOR", "assertion")
    (evidence,) = edge["evidence"]
    assert graph.fetch([evidence["evidence_id"]])[0].text == TEXT

    graph.remove(OURS)
    (hidden,) = both.theirs.entities.entity_search("globex", [OURS], LABELS)["hits"]
    assert (hidden["kind"], hidden["support"]) == ("unsupported", [])


def test_we_show_the_entities_of_its_documents(both: Both, graph: Graph) -> None:
    both.theirs.entities.update(THEIRS, TEXT)
    page = graph.entities(THEIRS)
    assert [(each.type, each.name, each.mentions, each.properties) for each in page.entities] == [
        ("Company", "Globex", 1, {}),
        ("Person", "Ada Byron", 1, {"role": "officer"}),
    ]
    assert [graph.fetch(each.evidence_ids)[0].text for each in page.entities] == [TEXT, TEXT]
    both.theirs.entities.delete(THEIRS)
    assert graph.entities(THEIRS).entities == ()


@pytest.mark.parametrize("first", ["ours", "theirs"])
def test_one_entity_for_both_whoever_comes_first(both: Both, graph: Graph, first: str) -> None:
    if first == "ours":
        graph.add(TEXT, document_key=OURS)
        both.theirs.entities.update(THEIRS, TEXT)
    else:
        both.theirs.entities.update(THEIRS, TEXT)
        graph.add(TEXT, document_key=OURS)
    both_keys = [OURS, THEIRS]
    assert support(both.theirs.entities.entity_search("byron", both_keys, LABELS)) == {"Ada Byron": set(both_keys)}
    assert [each.id for each in graph.entities(OURS).entities] == [each.id for each in graph.entities(THEIRS).entities]

    # Each removal leaves what the other still mentions, and the last one nothing.
    both.theirs.entities.purge(THEIRS)
    assert len(graph.entities(OURS).entities) == 2
    assert support(both.theirs.entities.entity_search("byron", both_keys, LABELS)) == {"Ada Byron": {OURS}}
    graph.purge(OURS)
    assert both.store.read("MATCH (n) WHERE n.merge_key IS NOT NULL RETURN count(n) AS n") == [{"n": 0}]


def test_it_updates_and_prunes_a_document_of_ours(both: Both, graph: Graph) -> None:
    """Its update of our document deletes entities that no text in force mentions any more."""
    graph.add(TEXT, document_key=OURS)
    both.theirs.entities.update(OURS, "Only Globex is left.")
    assert [each.name for each in graph.entities(OURS).entities] == ["Globex"]
    assert both.store.read("MATCH (p:Person) RETURN count(p) AS n") == [{"n": 0}]
    assert graph.update(OURS, TEXT).entities == 2
    assert [each.name for each in graph.entities(OURS).entities] == ["Globex", "Ada Byron"]


def test_it_opens_the_graph_again_with_our_labels_in_it(both: Both) -> None:
    graph = Graph(both.store, extractor=NamesExtractor())
    graph.add(TEXT, document_key=OURS)
    both.theirs.entities.open()
    assert support(both.theirs.entities.entity_search("byron", [OURS], LABELS)) == {"Ada Byron": {OURS}}
