"""Search: plain words in current versions, and nothing that breaks it."""

import pytest

from reaffirm.knowledge import Graph
from reaffirm.knowledge.searching import plain_words
from reaffirm.store import GraphStore

KEY = "docs/policy.txt"


@pytest.fixture
def graph(store: GraphStore) -> Graph:
    return Graph(store)


def test_it_finds_passages_of_current_versions_only(graph: Graph) -> None:
    graph.add("Backups are kept for thirty days.", document_key=KEY, title="Policy")
    graph.add("Backups are encrypted.", document_key="docs/other.txt")
    graph.update(KEY, "Backups are kept for sixty days.")
    found = graph.search("sixty BACKUPS")
    assert found.status == "ok"
    texts = {hit.document_key: hit.text for hit in found.hits}
    assert texts == {KEY: "Backups are kept for sixty days.", "docs/other.txt": "Backups are encrypted."}
    assert [hit.score for hit in found.hits] == sorted((hit.score for hit in found.hits), reverse=True)
    assert {hit.title for hit in found.hits} == {"Policy", "other.txt"}
    outcomes = graph.fetch([hit.evidence_id for hit in found.hits])
    assert [outcome.text for outcome in outcomes] == [hit.text for hit in found.hits]
    assert graph.search("thirty").status == "no_match"
    assert [hit.document_key for hit in graph.search("backups", document_keys=["docs/other.txt"]).hits] == [
        "docs/other.txt"
    ]
    assert graph.search("backups", document_keys=[]).status == "empty_scope"
    assert len(graph.search("backups", limit=1).hits) == 1
    graph.remove(KEY)
    assert [hit.document_key for hit in graph.search("backups days").hits] == ["docs/other.txt"]


@pytest.mark.parametrize(
    "words",
    [
        "/b testing",
        "tb-",
        "foo:bar",
        "C++",
        'an "unbalanced quote',
        "AND",
        "apple AND",
        "NOT OR",
        "is the",
        "the",
        "x" * 5_000,
        "word " * 5_000,
        "word\nbeside",
        "foo( a/b [x {y} ~z ^2 \\ | @_ft_text:(x)",
        "__init__",
        "50% $x user@x.com",
        "null\0byte",
        "half \ud83d",
        "ß İ ſ",
        "कि ต้น",
    ],
)
def test_no_words_break_it(graph: Graph, words: str) -> None:
    """Case 37."""
    graph.add("A feature-flags page about testing b, tb, foo:bar, __init__, 1,000 and C++.", document_key=KEY)
    assert graph.search(words).status in ("ok", "no_match")


@pytest.mark.parametrize("words", ["", " ", "*", "_", "🚀", "-", "\\", '"'])
def test_a_search_without_words_says_so(graph: Graph, words: str) -> None:
    assert graph.search(words).status == "empty_query"


@pytest.mark.parametrize(
    "words", ["feature-flags", "foo:bar", "C++", "/b testing", "tb-", "FEATURE", "__init__", "1,000"]
)
def test_words_with_signs_between_are_found(graph: Graph, words: str) -> None:
    graph.add("A feature-flags page about testing b, tb, foo:bar, __init__, 1,000 and C++.", document_key=KEY)
    assert graph.search(words).status == "ok"


def test_words_are_reduced_to_letters_and_digits() -> None:
    assert plain_words("The the __Feature__-flags\t50%") == ["the", "__feature__", "flags", "50"]


@pytest.mark.parametrize("limit", [0, -1, 101, 10**9])
def test_limits_are_bounded(graph: Graph, limit: int) -> None:
    with pytest.raises(ValueError, match="limit"):
        graph.search("words", limit=limit)


def test_hits_are_told_as_agrag_tells_them(graph: Graph) -> None:
    words = "Backups are kept for thirty days. " * 20 + "Tapes go to Frankfurt. " + "Logs are kept for a year. " * 20
    added = graph.add(words, document_key=KEY)
    graph.add("Tapes too.", document_key="docs/other.txt")
    found = graph.search_evidence("FRANKFURT", scope={KEY})
    (hit,) = found.hits
    assert (found.status, found.truncated, hit.legs, hit.content_hash) == (
        "ok",
        False,
        ("lexical",),
        added.content_hash,
    )
    assert "Tapes go to Frankfurt." in hit.snippet
    assert hit.snippet in hit.text
    assert len(hit.snippet) <= 240
    assert (hit.location.char_start, hit.location.char_end) == (0, len(hit.text))
    assert graph.search_evidence("tapes", scope=frozenset()).status == "empty_scope"
    assert graph.search_evidence("?", scope={KEY}).status == "empty_query"
    assert len(graph.search_evidence("tapes").hits) == 2
    assert graph.search_evidence("tapes", limit=1).truncated
