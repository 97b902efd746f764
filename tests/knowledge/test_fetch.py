"""Evidence ids lead to their words, in every version, and to nothing else."""

from typing import Any

import pytest

from reaffirm import ids
from reaffirm.knowledge import FetchStatus, Graph
from reaffirm.knowledge.evidence import span_id
from reaffirm.store import GraphStore

KEY = "docs/policy.txt"
DOCUMENT = ids.document_id(KEY)
LONG = "\n\n".join(f"Paragraph {number}. " + "It says a thing. " * 30 for number in range(10))


@pytest.fixture
def graph(store: GraphStore) -> Graph:
    return Graph(store)


def agrag_document(store: GraphStore, chunks: list[dict[str, Any]], *, key: str = KEY, closed: bool = False) -> str:
    """A version as agentic-graphrag stores it; returns its hash."""
    content_hash = ids.text_digest(repr(chunks))
    part = {"version_id": "v", "valid_at": "2026-01-01T00:00:00+00:00"}
    part |= {"invalid_at": "2026-02-01T00:00:00+00:00"} if closed else {}
    rows = [
        {
            "id": ids.joined("test", key, number),
            "document_id": ids.document_id(key),
            "content_hash": content_hash,
            "chunker_hash": "13b9cd54fe27a2d8",
            "index": number,
            **chunk,
        }
        for number, chunk in enumerate(chunks)
    ]
    store.write(
        "MERGE (d:Document {id: $id}) SET d:_Node, d.document_key = $key, d.current_content_hash = $hash, "
        "d.activation_seq = 1 FOREACH (row IN $rows | CREATE (d)-[p:HAS_PART]->(c:Chunk:_Node) SET c = row, p = $part) "
        "RETURN d.id AS id",
        id=ids.document_id(key),
        key=key,
        hash=content_hash,
        rows=rows,
        part=part,
    )
    return content_hash


def test_offsets_are_code_points(graph: Graph) -> None:
    """Cases 16 and 19."""
    text = "🤔🤔🤔🤔:thinking and שלום English 2002 مرحبا."
    added = graph.add(text, document_key=KEY)
    assert graph.cite(KEY, ":thinking") == span_id(DOCUMENT, str(added.content_hash), 4, 13)
    for words in (":thinking", "שלום", "20", "م English 2002 مرح"[1:]):
        (outcome,) = graph.fetch([graph.cite(KEY, words)])
        assert (outcome.status, outcome.text) == (FetchStatus.OK, words)
    assert graph.cite(KEY, "🤔", occurrence=3).endswith(":2-3")


def test_fault_28_windows_line_ends_are_stored_as_lf(graph: Graph) -> None:
    """Case 17."""
    graph.add("A\r\nB\r\nFour Seasons", document_key=KEY)
    assert graph.text(KEY) == "A\nB\nFour Seasons"
    assert graph.cite(KEY, "B\r\nFour").endswith(":2-8")


def test_fault_29_a_passage_across_chunks_is_ok(graph: Graph) -> None:
    """Fault 29 of agentic-graphrag."""
    added = graph.add(LONG, document_key=KEY)
    assert added.chunks > 3
    (outcome,) = graph.fetch([graph.cite(KEY, LONG[500:3_000])])
    assert (outcome.status, outcome.text, outcome.covered_range) == (FetchStatus.OK, LONG[500:3_000], (500, 3_000))
    assert "".join(outcome.text for outcome in graph.fetch(graph.passages(KEY))) == LONG


def test_fault_26_old_and_removed_versions_stay_readable(graph: Graph) -> None:
    """Fault 26 of agentic-graphrag hides the text of a removed document."""
    graph.add("Backups are kept for thirty days.", document_key=KEY, title="Policy", url="https://example.com/p")
    cited = graph.cite(KEY, "thirty days")
    (outcome,) = graph.fetch([cited])
    assert (outcome.status_of_version, outcome.observed_activation_seq) == ("current", 1)
    assert (outcome.document_key, outcome.title, outcome.uri) == (KEY, "Policy", "https://example.com/p")
    graph.update(KEY, "Backups are kept for sixty days.")
    (outcome,) = graph.fetch([cited])
    assert (outcome.text, outcome.status_of_version, outcome.observed_activation_seq) == (
        "thirty days",
        "superseded",
        2,
    )
    graph.remove(KEY)
    (outcome,) = graph.fetch([cited])
    assert (outcome.status, outcome.text, outcome.status_of_version) == (FetchStatus.OK, "thirty days", "superseded")
    assert "removed" in str(outcome.detail)


@pytest.mark.parametrize("tail", ["5-5", "9-5", "05-9", "0-1234567890123", "0-9\n", "٠-٩", "0-", "", "x", "0-9 "])
def test_a_malformed_id_is_told_so(graph: Graph, tail: str) -> None:
    """Case 20."""
    added = graph.add("Some words.", document_key=KEY)
    (outcome,) = graph.fetch([f"ev1:s:{DOCUMENT}:{str(added.content_hash)[:16]}:{tail}"])
    assert outcome.status == FetchStatus.MALFORMED
    (upper,) = graph.fetch([graph.cite(KEY, "Some").upper()])
    assert upper.status == FetchStatus.MALFORMED


def test_what_is_outside_the_text_is_not_available(graph: Graph) -> None:
    """Case 20: neither the whole document by accident, nor memory for a million million characters."""
    added = graph.add("Some words.", document_key=KEY)
    head = str(added.content_hash)
    asked = [
        span_id(DOCUMENT, head, 0, 999_999_999_999),
        span_id(DOCUMENT, head, 0, 12),
        span_id(DOCUMENT, head, 999_999_999_998, 999_999_999_999),
        span_id(DOCUMENT, "0" * 16, 0, 4),
        span_id(ids.document_id("docs/other.txt"), head, 0, 4),
        f"ev1:c:{DOCUMENT}:{head[:16]}:{DOCUMENT}",
    ]
    outcomes = graph.fetch(asked)
    assert [outcome.status for outcome in outcomes] == [FetchStatus.UNAVAILABLE] * 6
    assert all(outcome.detail and outcome.text == "" for outcome in outcomes)


def test_outcomes_come_in_the_order_of_the_ids_with_one_read(
    store: GraphStore, graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph.add(LONG, document_key=KEY)
    graph.add("Other words.", document_key="docs/other.txt")
    asked = [*graph.passages(KEY), "nonsense", graph.cite("docs/other.txt", "Other"), *graph.passages(KEY)]
    reads: list[str] = []
    real = store.read

    def read(query: str, **params: object) -> list[dict[str, Any]]:
        reads.append(query)
        return real(query, **params)

    monkeypatch.setattr(store, "read", read)
    outcomes = graph.fetch(asked)
    assert len(reads) == 1
    assert [outcome.evidence_id for outcome in outcomes] == asked
    assert graph.fetch([]) == ()
    assert graph.fetch(["nonsense"])[0].status == FetchStatus.MALFORMED
    assert len(reads) == 1


def test_a_long_passage_is_cut_on_request(graph: Graph) -> None:
    graph.add("Some words.", document_key=KEY)
    (outcome,) = graph.fetch([graph.cite(KEY, "words")], max_chars=3)
    assert (outcome.status, outcome.text, outcome.covered_range) == (FetchStatus.TRUNCATED, "wor", (5, 8))
    for wrong in (0, -1):
        with pytest.raises(ValueError, match="max_chars"):
            graph.fetch([], max_chars=wrong)
    with pytest.raises(ValueError, match="limit is 100"):
        graph.fetch(["x"] * 101)


def test_words_that_are_not_there_cannot_be_cited(graph: Graph) -> None:
    graph.add("Some words and some words.", document_key=KEY)
    assert graph.cite(KEY, "words", 2).endswith(":20-25")
    for quote, occurrence in (("words", 3), ("Words", 1), ("", 1), ("words", 0)):
        with pytest.raises(ValueError, match=r"words|occurrence"):
            graph.cite(KEY, quote, occurrence)
    with pytest.raises(ValueError, match=r"'docs/none\.txt' is unknown or removed"):
        graph.cite("docs/none.txt", "words")


def test_one_id_alone_is_not_read_letter_by_letter(graph: Graph) -> None:
    graph.add("Some words.", document_key=KEY)
    evidence = graph.cite(KEY, "words")
    assert graph.fetch(evidence) == graph.fetch([evidence])


def test_heading_chunks_of_agrag_are_read_chunk_by_chunk(store: GraphStore, graph: Graph) -> None:
    content_hash = agrag_document(
        store,
        [
            {"text": "Failover\n\nPromote the replica."},
            {"text": "Call the lead.", "char_start": 40, "char_end": 54},
            {"text": "Checks\n\nLook."},
        ],
    )
    assert graph.text(KEY) == "Failover\n\nPromote the replica.\n\nCall the lead.\n\nChecks\n\nLook."
    first, second, third = graph.passages(KEY)
    assert first.startswith("ev1:c:")
    assert second == span_id(DOCUMENT, content_hash, 40, 54)
    assert [outcome.text for outcome in graph.fetch([third, second])] == ["Checks\n\nLook.", "Call the lead."]
    (part,) = graph.fetch([span_id(DOCUMENT, content_hash, 45, 60)])
    assert (part.status, part.text, part.covered_range, part.partial) == (
        FetchStatus.PARTIAL,
        "the lead.",
        (45, 54),
        True,
    )
    with pytest.raises(ValueError, match="cite them apart"):
        graph.cite(KEY, "replica.\n\nCall")


def test_gaps_of_agrag_are_filled_so_that_offsets_stay_true(store: GraphStore, graph: Graph) -> None:
    content_hash = agrag_document(
        store,
        [{"text": "One.", "char_start": 0, "char_end": 4}, {"text": "Two.", "char_start": 6, "char_end": 10}],
    )
    assert graph.text(KEY) == "One.\n\nTwo."
    (outcome,) = graph.fetch([span_id(DOCUMENT, content_hash, 2, 8)])
    assert (outcome.status, outcome.text) == (FetchStatus.OK, "e.\n\nTw")


def test_an_open_cutting_wins_over_a_closed_one_of_the_same_text(store: GraphStore, graph: Graph) -> None:
    graph.add("One.\n\nTwo.", document_key=KEY)
    content_hash = ids.text_digest("One.\n\nTwo.")
    store.write(
        "MATCH (d:Document {id: $id}) "
        "CREATE (d)-[p:HAS_PART {version_id: 'v', invalid_at: '2026-01-01T00:00:00+00:00'}]->"
        "(c:Chunk:_Node {id: 'theirs', document_id: $id, content_hash: $hash, index: 0, text: 'One.', char_start: 0, "
        "char_end: 4, chunker_hash: 'theirs'}) RETURN c.id AS id",
        id=DOCUMENT,
        hash=content_hash,
    )
    assert graph.text(KEY) == "One.\n\nTwo."
    (outcome,) = graph.fetch([span_id(DOCUMENT, content_hash, 0, 10)])
    assert outcome.text == "One.\n\nTwo."


def test_two_versions_behind_one_prefix_are_not_guessed_between(store: GraphStore, graph: Graph) -> None:
    added = graph.add("Some words.", document_key=KEY)
    twin = str(added.content_hash)[:16] + "f" * 48
    store.write(
        "MATCH (d:Document {id: $id}) CREATE (d)-[p:HAS_PART {version_id: 'v'}]->(c:Chunk:_Node {id: 'twin', "
        "document_id: $id, content_hash: $hash, index: 0, text: 'Twin', char_start: 0, char_end: 4}) RETURN c.id AS id",
        id=DOCUMENT,
        hash=twin,
    )
    (outcome,) = graph.fetch([span_id(DOCUMENT, twin, 0, 4)])
    assert (outcome.status, outcome.text) == (FetchStatus.UNAVAILABLE, "")
