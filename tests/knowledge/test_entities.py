"""Entities of documents: written with the version, read by page, gone with the last text that mentions them."""

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from reaffirm import ids
from reaffirm.knowledge import (
    CitationExtractor,
    ExtractedEntity,
    ExtractedRelation,
    Extraction,
    Graph,
    RuleExtractor,
    statements,
)
from reaffirm.knowledge.entities import storing
from reaffirm.knowledge.entities.vocabulary import RESERVED_LABELS, vocabulary_of
from reaffirm.store import GraphStore, ValueRefused, schema
from tests.knowledge import builders
from tests.knowledge.extractors import NamesExtractor
from tests.reviews.counting import CountingStore
from tests.store.test_plans import PARAMETER, SCANS, example

KEY, OTHER = "docs/people.md", "docs/more.md"
TEXT = "Ada Byron joined Globex.\n\nGLOBEX keeps the tapes. Ada Byron left."


class Saying:
    """Returns what it was made with, for the first chunk."""

    relations: Sequence[tuple[str, str, str]] = (("NEAR", "Thing", "Thing"),)
    labels: Sequence[str] = ("Thing",)

    def __init__(self, *entities: Any, relations: Sequence[Any] = (), fingerprint: str = "saying") -> None:
        self.said, self.fingerprint = Extraction(entities, relations), fingerprint

    def extract(self, texts: Sequence[str]) -> Sequence[Extraction]:
        return [self.said, *(Extraction() for _ in texts[1:])]


class Failing(Saying):
    def __init__(self, results: Any) -> None:
        super().__init__()
        self.results = results

    def extract(self, texts: Sequence[str]) -> Any:
        if isinstance(self.results, Exception):
            raise self.results
        return self.results


@pytest.fixture
def graph(store: GraphStore) -> Graph:
    return Graph(store, extractor=NamesExtractor())


def names(graph: Graph, key: str = KEY) -> list[tuple[str, str, int]]:
    return [(each.type, each.name, each.mentions) for each in graph.entities(key).entities]


def left(store: GraphStore) -> list[str]:
    """The keys of all entities, and of all names that lead to one."""
    rows = store.read("MATCH (n) WHERE n.merge_key IS NOT NULL RETURN n.merge_key AS key ORDER BY key")
    return [row["key"] for row in rows]


def evidence_of(store: GraphStore, kind: str = "WORKS_FOR") -> list[int]:
    """How many chunks each relation rests on."""
    rows = store.read(f"MATCH (a)-[r:{kind}]->(b) RETURN size(r.source_chunk_ids) AS n ORDER BY n")
    return [row["n"] for row in rows]


def test_a_version_names_what_it_mentions_by_places_to_be_cited(graph: Graph) -> None:
    result = graph.add(TEXT, document_key=KEY)
    assert (result.entities, result.left_out, result.decision) == (2, 0, "new_version")
    company, person = graph.entities(KEY).entities
    assert (company.type, company.name, company.mentions, company.properties) == ("Company", "Globex", 2, {})
    assert (person.type, person.name, person.mentions, person.properties) == (
        "Person",
        "Ada Byron",
        2,
        {"role": "officer"},
    )
    outcomes = graph.fetch([*company.evidence_ids, *person.evidence_ids])
    assert [outcome.text for outcome in outcomes] == ["Globex", "GLOBEX", "Ada Byron", "Ada Byron"]
    assert graph.cite(KEY, "GLOBEX") == company.evidence_ids[1]


def test_places_are_of_the_document_in_every_chunk(graph: Graph) -> None:
    text = "🚀 Globex.\n\n" + "Words that fill. " * 400 + "\n\nAda Byron 🚀 of Globex.\n\n" + "More of it. " * 400
    assert graph.add(text, document_key=KEY).chunks > 2
    for entity in graph.entities(KEY).entities:
        assert {outcome.text for outcome in graph.fetch(entity.evidence_ids)} == {entity.name}


def test_each_version_has_its_own_and_a_return_brings_them_back(store: GraphStore, graph: Graph) -> None:
    graph.add(TEXT, document_key=KEY)
    assert graph.update(KEY, "Only Globex is left.").entities == 1
    assert names(graph) == [("Company", "Globex", 1)]
    graph.update(KEY, TEXT)
    assert names(graph) == [("Company", "Globex", 2), ("Person", "Ada Byron", 2)]
    assert evidence_of(store) == [1]
    graph.remove(KEY)
    assert names(graph) == []


def test_a_graph_without_an_extractor_leaves_them_as_they_are(store: GraphStore, graph: Graph) -> None:
    graph.add(TEXT, document_key=KEY)
    plain = Graph(store)
    assert plain.add(TEXT, document_key=KEY).decision == "no_op"
    assert len(names(plain)) == 2
    assert plain.update(KEY, "Globex alone.").recorded and names(plain) == []
    assert plain.update(KEY, TEXT).recorded and len(names(plain)) == 2


def test_the_same_text_is_read_anew_by_another_extractor_and_flags_nothing(store: GraphStore) -> None:
    assert Graph(store).add(TEXT, document_key=KEY).entities == 0
    content_hash = Graph(store).source_status(KEY).content_hash
    decision = builders.make_decision(store, "tapes", document_key=KEY, content_hash=content_hash or "", seq=1)
    first = Graph(store, extractor=NamesExtractor())
    read = first.add(TEXT, document_key=KEY, title="People", project_id="atlas")
    assert (read.decision, read.entities, read.activation_seq, read.flagged) == ("in_place", 2, 1, 0)
    assert first.add(TEXT, document_key=KEY).decision == "no_op"
    assert builders.decision_of(store, decision)["review_state"] == "clear"
    assert [version.activation_seq for version in first.versions(KEY)] == [1]

    fewer = NamesExtractor({"Ada Byron": "Person"}, "names 2")
    assert Graph(store, extractor=fewer).add(TEXT, document_key=KEY).decision == "in_place"
    assert names(first) == [("Person", "Ada Byron", 2)]
    assert left(store) == ["Person:ada byron"] * 2, "nothing mentions Globex any more"
    assert evidence_of(store) == []


def test_an_older_version_that_returns_forgets_what_only_the_older_run_found(store: GraphStore, graph: Graph) -> None:
    graph.add(TEXT, document_key=KEY)
    graph.update(KEY, "Globex alone.")
    newer = Graph(store, extractor=NamesExtractor({"Ada Byron": "Person"}, "names 2"))
    assert newer.update(KEY, TEXT).decision == "new_version"
    assert names(graph) == [("Person", "Ada Byron", 2)]
    assert left(store) == ["Company:globex"] * 2 + ["Person:ada byron"] * 2, "the version between mentions Globex"
    assert evidence_of(store) == []


def test_a_purge_leaves_no_word_that_only_its_document_said(store: GraphStore, graph: Graph) -> None:
    graph.add(TEXT, document_key=KEY)
    graph.update(KEY, TEXT + " More.")
    Graph(store, extractor=NamesExtractor({"Ada Byron": "Person"}, role="")).add("Ada Byron.", document_key=OTHER)
    assert graph.entities(OTHER).entities[0].properties == {"role": "officer"}, "told by the first document"
    assert graph.purge(KEY).recorded
    assert left(store) == ["Person:ada byron"] * 2
    (kept,) = graph.entities(OTHER).entities
    assert (kept.name, kept.properties) == ("Ada Byron", {}), "what the purged document told of it is gone"
    assert graph.purge(OTHER).recorded
    assert left(store) == []
    assert store.read("MATCH (n) WHERE n.document_id IS NOT NULL RETURN count(n) AS n") == [{"n": 0}]


def test_a_relation_lives_as_long_as_one_text_says_so(store: GraphStore, graph: Graph) -> None:
    graph.add(TEXT, document_key=KEY)
    graph.add("Ada Byron works for Globex.", document_key=OTHER)
    assert evidence_of(store) == [2]
    graph.purge(KEY)
    assert evidence_of(store) == [1]
    graph.purge(OTHER)
    assert evidence_of(store) == []


def test_a_purge_takes_clusters_that_agrag_made_of_what_goes(store: GraphStore, graph: Graph) -> None:
    """They copy names and properties of their members."""
    graph.add(TEXT, document_key=KEY)
    store.write(
        "MATCH (e:Person {merge_key: 'Person:ada byron'}) "
        "CREATE (e)-[r:RESOLVED_AS]->(n:ResolvedEntity:_Node) SET n.id = 'cluster', n.name = 'Ada Byron' "
        "CREATE (a:_MergeAlias) SET a.merge_key = 'Person:a. byron', a.entity_id = e.id RETURN e.id AS id"
    )
    graph.purge(KEY)
    assert left(store) == []
    assert store.read("MATCH (n:ResolvedEntity) RETURN count(n) AS n") == [{"n": 0}]


def test_another_name_of_an_entity_leads_to_it(store: GraphStore, graph: Graph) -> None:
    """agentic-graphrag may have learnt that two names are one entity."""
    graph.add("Globex.", document_key=KEY)
    globex = graph.entities(KEY).entities[0].id
    store.write(
        "CREATE (a:_MergeAlias) SET a.merge_key = 'Company:globex inc', a.entity_id = $id RETURN a.entity_id AS id",
        id=globex,
    )
    both = NamesExtractor({"Globex": "Company", "Globex Inc": "Company"}, "names 3")
    assert Graph(store, extractor=both).add("Globex Inc is Globex.", document_key=OTHER).recorded
    assert [(each.id, each.name) for each in graph.entities(OTHER).entities] == [(globex, "Globex")]


def test_what_an_unfinished_job_of_agrag_began_becomes_ours(store: GraphStore, graph: Graph) -> None:
    """So that it stays when the job is rolled back."""
    key = "Company:globex"
    store.write(
        "CREATE (e:_Node:Company) SET e.id = $id, e.name = 'Globex', e.merge_key = $key, e._pending_job_id = 'job' "
        "CREATE (a:_MergeAlias) SET a.merge_key = $key, a.entity_id = $id, a._pending_job_id = 'job' RETURN e.id AS id",
        id=ids.single("theirs"),
        key=key,
    )
    graph.add("Globex.", document_key=KEY)
    assert [each.id for each in graph.entities(KEY).entities] == [ids.single("theirs")]
    assert store.read("MATCH (n) WHERE n._pending_job_id IS NOT NULL RETURN count(n) AS n") == [{"n": 0}]


# Statements


def test_it_is_one_statement_and_one_more_read(store: GraphStore) -> None:
    counting: Any = CountingStore(store)
    graph = Graph(counting, extractor=NamesExtractor())
    for text in (TEXT, TEXT + " Ada Byron."):
        counting.reset()
        graph.add(text, document_key=KEY)
        assert (counting.reads, counting.writes) == (2, 1)
    plain = Graph(counting)
    counting.reset()
    plain.update(KEY, "Globex.")
    assert (counting.reads, counting.writes) == (1, 1)
    counting.reset()
    assert graph.add("Globex.", document_key=KEY).decision == "in_place"
    assert (counting.reads, counting.writes) == (3, 1)
    counting.reset()
    graph.entities(KEY)
    assert (counting.reads, counting.writes) == (1, 0)


def test_the_extractor_is_asked_once_though_the_write_is_tried_again(store: GraphStore) -> None:
    extractor = NamesExtractor()
    counting: Any = CountingStore(store)
    graph = Graph(counting, extractor=extractor)
    graph.add(TEXT, document_key=KEY)
    counting.lose = "after"
    result = graph.update(KEY, TEXT + " More.")
    assert result.recorded and result.activation_seq == 2 and extractor.calls == 2
    assert len(names(graph)) == 2


def test_no_statement_with_entities_scans(store: GraphStore) -> None:
    vocabulary = vocabulary_of(NamesExtractor())
    store.ensure_entities(vocabulary.schema)
    parts = storing.parts_for(vocabulary)
    for text in (
        statements.creating(parts, later=False),
        statements.creating(parts, later=True),
        statements.activating(parts, later=False),
        statements.activating(parts, later=True),
        statements.describing(parts),
    ):
        params = {key: example(key, bool(entry)) for key, entry in PARAMETER.findall(text)}
        # FalkorDB plans on values.
        record = {"id": "x", "props": {"id": "x"}, "keys": ["x"], "chunks": ["x"], "mentions": [], "count": 1}
        listed = {name: ["x"] for name in ("chunk_ids", "entity_ids", "mention_ids", "relation_ids")}
        params["entities"] = {"fingerprint": "x", "listed": 1, "entities": [record], **listed}
        params["related"] = {"of_WORKS_FOR": [{"id": "x", "source": "x", "target": "x", "chunks": ["x"]}]}
        plan = store.explain(text, **params)
        assert not SCANS.search(plan), plan


def test_many_writers_share_entities_and_none_is_doubled(store: GraphStore) -> None:
    barrier = threading.Barrier(8)

    def add(number: int) -> Any:
        barrier.wait()
        return Graph(store, extractor=NamesExtractor()).add(f"{TEXT} {number}", document_key=f"docs/{number}")

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(add, range(8)))
    assert all(result.recorded and result.entities == 2 for result in results), results
    assert left(store) == ["Company:globex"] * 2 + ["Person:ada byron"] * 2
    rows = store.read("MATCH (e) WHERE e.name IS NOT NULL AND e.merge_count IS NOT NULL RETURN e.merge_count AS n")
    assert [row["n"] for row in rows] == [16, 16]
    assert evidence_of(store) == [8]


def test_a_purge_does_not_take_what_is_just_mentioned_elsewhere(store: GraphStore, graph: Graph) -> None:
    """The purge counts mentions behind the lock of the entity, so that none is lost with it."""
    for number in range(12):
        graph.add(TEXT, document_key=KEY)
        barrier, other = threading.Barrier(2), f"docs/{number}"

        def together(act: Any, barrier: threading.Barrier = barrier) -> Any:
            barrier.wait()
            return act()

        with ThreadPoolExecutor(2) as pool:
            purged = pool.submit(together, lambda: graph.purge(KEY))
            added = pool.submit(together, lambda key=other: graph.add("Ada Byron.", document_key=key))
        assert purged.result().recorded and added.result().recorded, (purged.result(), added.result())
        assert [(each.type, each.name) for each in graph.entities(other).entities] == [("Person", "Ada Byron")]
        graph.purge(other)


def test_reading_anew_writes_only_into_the_chunks_that_it_read(store: GraphStore, graph: Graph) -> None:
    """The guards of the statement, each failing: another version, another cut, a part that was closed meanwhile."""
    Graph(store).add(TEXT, document_key=KEY)
    counting: Any = CountingStore(store)
    kept: list[tuple[str, dict[str, Any]]] = []

    def keep(query: str, **params: Any) -> Any:
        kept.append((query, params))
        return []

    counting.write = keep
    assert Graph(counting, extractor=NamesExtractor()).add(TEXT, document_key=KEY).error == "store_conflict"
    query, params = kept[0]
    for wrong in (
        {"seen_seq": 2},
        {"seen_hash": "0" * 64},
        {"seen_parts": 2},
        {"version_id": "another"},
        {"chunker_hash": "another"},
        {"entities": params["entities"] | {"chunk_ids": ["one", "two"]}},
    ):
        assert store.write(query, **{**params, **wrong}) == []
    assert left(store) == [] and names(graph) == []
    assert len(store.write(query, **params)) == 1
    assert len(names(graph)) == 2


def test_a_document_that_another_program_cut_is_left_to_it(store: GraphStore, graph: Graph) -> None:
    Graph(store).add(TEXT, document_key=KEY)
    store.write(
        "MATCH (c:Chunk) WHERE c.document_id = $id SET c.id = 'theirs' RETURN c.id AS id", id=ids.document_id(KEY)
    )
    assert graph.add(TEXT, document_key=KEY).decision == "no_op"
    assert left(store) == []


# What an extractor must not do


FAILURES: list[tuple[Any, str]] = [
    (ValueError("no \0 model"), "Failing raised ValueError: no \\0 model"),
    ([], "did not return one Extraction for each of 1 texts"),
    (None, "raised TypeError"),
    ([["Ada"]], "did not return one Extraction"),
    ([Extraction(None)], "did not return one Extraction"),  # type: ignore[arg-type]
    ([Extraction(5)], "did not return one Extraction"),  # type: ignore[arg-type]
]


def test_an_extractor_that_fails_refuses_the_write_and_nothing_is_written(store: GraphStore) -> None:
    for results, said in FAILURES:
        result = Graph(store, extractor=Failing(results)).add(TEXT, document_key=KEY)
        assert (result.recorded, result.error, result.document_key) == (False, "extraction_failed", KEY)
        assert said in (result.detail or "")
    assert store.read("MATCH (n) WHERE n.id IS NOT NULL RETURN count(n) AS n") == [{"n": 0}]


BAD = [
    ExtractedEntity("Thing", 0, 3, text="\0"),
    ExtractedEntity("Thing", 0, 3, text="\ud800"),
    ExtractedEntity("Thing", 0, 3, text="x" * 10_000_000),
    ExtractedEntity("Thing", 0, 3, text="x" * 201),
    ExtractedEntity("Thing", 0, 3, text="€" * 199 + "🚀" * 200),
    ExtractedEntity("Thing", 0, 3, text=" \n "),
    ExtractedEntity("Thing", 0, 3, text="bell \x07"),
    ExtractedEntity("Thing", 0, 3, text=7),  # type: ignore[arg-type]
    ExtractedEntity("Thing", -1, 3),
    ExtractedEntity("Thing", 3, 3),
    ExtractedEntity("Thing", 0, 10_000),
    ExtractedEntity("Thing", True, 3),
    ExtractedEntity("Other", 0, 3),
    ExtractedEntity("Thing) DETACH DELETE n //", 0, 3),
    ExtractedEntity(None, 0, 3),  # type: ignore[arg-type]
    "Ada",
    None,
]


def test_what_the_graph_cannot_hold_is_left_out_and_counted(store: GraphStore) -> None:
    relations = [
        ExtractedRelation("NEAR", 0, 1),
        ExtractedRelation("FAR", 0, len(BAD) + 1),
        ExtractedRelation("NEAR", 0, 99),
        ExtractedRelation("NEAR", -1, 0),
        ExtractedRelation("NEAR", 0, 0),
        "Ada",
    ]
    fine = ExtractedEntity("Thing", 0, 3)
    graph = Graph(store, extractor=Saying(fine, *BAD, ExtractedEntity("Thing", 4, 9), relations=relations))
    result = graph.add(TEXT, document_key=KEY)
    assert (result.recorded, result.entities, result.left_out) == (True, 2, len(BAD) + len(relations))
    assert names(graph) == [("Thing", "Ada", 1), ("Thing", "Byron", 1)]


HOSTILE = [
    "x' MATCH (n) DETACH DELETE n //",
    '"})-[:X]->() //',
    "$id `Thing` {a: 1}",
    "ΐ" * 200,  # three times as long when it is folded
    "İstanbul ẞ",
    "a\u200bb",
    "𝔘𝔫𝔦 🚀",
]


def test_names_are_only_names(store: GraphStore) -> None:
    said = [ExtractedEntity("Thing", 0, 3, text=f"  {name}\n") for name in HOSTILE]
    graph = Graph(store, extractor=Saying(*said))
    assert graph.add(TEXT, document_key=KEY).left_out == 0
    assert {each.name for each in graph.entities(KEY).entities} == set(HOSTILE)
    assert graph.purge(KEY).recorded and left(store) == []


def test_labels_may_be_words_of_the_query_language(store: GraphStore) -> None:
    extractor = Saying(
        ExtractedEntity("Match", 0, 3), ExtractedEntity("Order", 4, 9), relations=[ExtractedRelation("CONTAINS", 0, 1)]
    )
    extractor.labels, extractor.relations = ["Match", "Order", "Where", "null"], [("CONTAINS", "Match", "Order")]
    graph = Graph(store, extractor=extractor)
    assert graph.add(TEXT, document_key=KEY).left_out == 0
    assert names(graph) == [("Match", "Ada", 1), ("Order", "Byron", 1)]
    assert evidence_of(store, "CONTAINS") == [1]


def test_properties_are_kept_where_the_graph_can_hold_them(store: GraphStore) -> None:
    told = {"role": "officer", "since": 1843, "sure": True, "share": 0.5}
    bad = {
        "id": "mine",
        "merge_key": "mine",
        "_pending_job_id": "mine",
        "a b": 1,
        "x": "\0",
        "y": "z" * 1_001,
        "big": 2**63,
        "nan": float("nan"),
        "third": 1 / 3,
        "list": [1],
        "none": None,
        5: 5,
    }
    mention = ExtractedEntity("Thing", 0, 3, properties=told | bad)  # type: ignore[arg-type]
    graph = Graph(store, extractor=Saying(mention))
    assert graph.add(TEXT, document_key=KEY).entities == 1
    assert graph.entities(KEY).entities[0].properties == told


def test_too_many_are_left_out_and_counted(store: GraphStore) -> None:
    mentions = [ExtractedEntity("Thing", 0, 3, text=f"n{number}") for number in range(250)]
    graph = Graph(store, extractor=Saying(*mentions))
    result = graph.add(TEXT, document_key=KEY)
    assert (result.entities, result.left_out) == (200, 50)

    page = graph.entities(KEY, limit=150)
    rest = graph.entities(KEY, limit=150, cursor=page.next_cursor)
    assert (len(page.entities), len(rest.entities), rest.next_cursor) == (150, 50, None)
    assert len({each.id for each in (*page.entities, *rest.entities)}) == 200


def test_a_page_is_asked_for_in_any_way(graph: Graph) -> None:
    graph.add(TEXT, document_key=KEY)
    for odd in ("", "?", "x" * 10_000, "////", 5):
        assert len(graph.entities(KEY, cursor=odd).entities) == 2  # type: ignore[arg-type]
    assert len(graph.entities(KEY, limit=0).entities) == 1
    assert len(graph.entities(KEY, limit="many").entities) == 2  # type: ignore[arg-type]
    assert graph.entities("no such").entities == graph.entities("\0").entities == ()


@pytest.mark.parametrize(
    ("labels", "relations", "fingerprint"),
    [
        ((), (), "1"),
        (("Thing`) DETACH DELETE n //",), (), "1"),
        (("a b",), (), "1"),
        (("x" * 61,), (), "1"),
        (("",), (), "1"),
        ((5,), (), "1"),
        ("Thing", (), "1"),
        (tuple(f"T{n}" for n in range(51)), (), "1"),
        (("Thing",), (("NEAR", "Thing", "Other"),), "1"),
        (("Thing",), (("HAS_PART", "Thing", "Thing"),), "1"),
        (("Thing",), ("NEAR",), "1"),
        (("Thing",), (("NEAR", "Thing"),), "1"),
        (("Thing",), (), ""),
        (("Thing",), (), None),
        *(((label,), (), "1") for label in ("Document", "Decision", "Project", "_Node", "Candidate", "Erasure")),
    ],
)
def test_an_extractor_of_other_labels_is_refused(labels: Any, relations: Any, fingerprint: Any) -> None:
    extractor = Saying(fingerprint=fingerprint)
    extractor.labels, extractor.relations = labels, relations
    with pytest.raises(ValueRefused):
        vocabulary_of(extractor)


def test_every_label_of_the_graph_is_reserved() -> None:
    labels = {label for label, _ in (*schema.definitions().unique, *schema.definitions().lookups)}
    assert labels - {"_MergeAlias"} <= RESERVED_LABELS
    assert not RESERVED_LABELS & {*RuleExtractor().labels, *CitationExtractor().labels}
