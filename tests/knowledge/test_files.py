"""Files as documents: their text is stored, cited and compared like any other."""

from typing import Any

import pytest

from reaffirm import ids
from reaffirm.formats.extract import DOCX, HTML, PDF
from reaffirm.knowledge import Graph
from reaffirm.store import GraphStore
from tests.knowledge.files import docx, pdf, word

KEY = "docs/policy"
LONG = "Backups are kept for thirty days in Frankfurt. " * 20

SECTIONS = """MATCH (s:Section) WHERE s.document_id = $id
RETURN s.heading AS heading, s.depth AS depth ORDER BY s.index"""


@pytest.fixture
def graph(store: GraphStore) -> Graph:
    return Graph(store)


def described(store: GraphStore) -> dict[str, Any]:
    rows = store.read("MATCH (d:Document) WHERE d.id = $id RETURN properties(d) AS d", id=ids.document_id(KEY))
    return dict(rows[0]["d"])


def test_a_page_becomes_sections(store: GraphStore, graph: Graph) -> None:
    page = f"<!DOCTYPE html><h1>Policy</h1><p>{LONG}</p><h2>Checks</h2><p>30 m² a year.</p><script>alert('x')</script>"
    added = graph.add(data=page.encode(), document_key=KEY, url="https://example.com/p", published_at="2026-04-30")
    assert (added.recorded, added.decision, added.chunks) == (True, "new_version", 2)
    assert graph.text(KEY) == f"Policy\n\n{LONG.strip()}\n\nChecks\n\n30 m² a year."
    assert store.read(SECTIONS, id=ids.document_id(KEY)) == [
        {"heading": "Policy", "depth": 1},
        {"heading": "Checks", "depth": 2},
    ]
    assert described(store)["media_type"] == HTML
    (outcome,) = graph.fetch([graph.cite(KEY, "30 m²")])
    assert (outcome.status, outcome.text, outcome.uri) == ("ok", "30 m²", "https://example.com/p")
    assert outcome.location is not None
    assert outcome.location.page_numbers == ()
    # Other markup of the same words is the same text, given as text or as bytes.
    assert graph.update(KEY, page.replace("<p>", "<p class=x>")).decision == "no_op"
    assert graph.update(KEY, data=page.replace("Checks", "Tests").encode()).decision == "new_version"
    assert (graph.text(KEY) or "").count("Tests") == 1
    # Named as plain, markup is words.
    assert graph.update(KEY, "<p>x</p>", media_type="text/plain").recorded
    assert graph.text(KEY) == "<p>x</p>"


def test_a_pdf_tells_the_pages_of_a_passage(store: GraphStore, graph: Graph) -> None:
    pages = [f"Page {number}.\n" + "\n".join(["Words and words."] * 20) for number in range(1, 8)]
    added = graph.add(data=pdf(pages, bookmarks={"Page 3.": 3}), document_key=KEY)
    assert added.recorded
    assert described(store)["media_type"] == PDF
    text = graph.text(KEY) or ""
    for number in (1, 3, 7):
        (outcome,) = graph.fetch([graph.cite(KEY, f"Page {number}.")])
        assert outcome.location is not None
        assert outcome.location.page_numbers == (number,)
    start = text.index("Page 2.") + 10
    (outcome,) = graph.fetch([graph.cite(KEY, text[start : text.index("Page 5.") + 4])])
    assert outcome.location is not None
    assert (outcome.status, outcome.location.page_numbers) == ("ok", (2, 3, 4, 5))
    assert {"heading": "Page 3.", "depth": 1} in store.read(SECTIONS, id=ids.document_id(KEY))


def test_one_document_may_come_in_other_formats(store: GraphStore, graph: Graph) -> None:
    """The same words raise no flag, whatever file holds them."""
    assert graph.add(data=docx(word("Backups are kept.")), document_key=KEY).recorded
    assert described(store)["media_type"] == DOCX
    assert graph.update(KEY, data=pdf(["Backups are kept."])).decision == "no_op"
    assert graph.update(KEY, "Backups are kept.\r\n").decision == "new_version"
    assert graph.text(KEY) == "Backups are kept.\n"
    assert graph.update(KEY, data="\ufeffBackups\r\nare kept.".encode()).decision == "new_version"
    assert graph.text(KEY) == "Backups\nare kept."
    assert graph.update(KEY, data="Bäckups".encode("utf-16")).decision == "new_version"
    assert graph.text(KEY) == "Bäckups"


@pytest.mark.parametrize(
    ("given", "field", "says"),
    [
        ({}, "text", "give text or data"),
        ({"text": "a", "data": b"a"}, "data", "give text or data"),
        ({"data": "a"}, "data", "the type str"),
        ({"data": b""}, "data", "is empty"),
        ({"data": bytes(50_000_001)}, "data", "50,000,001 bytes; the limit is 50,000,000"),
        ({"data": b"caf\xe9"}, "data", "not valid UTF-8 at byte 3"),
        ({"data": b"a\0b"}, "data", "NUL"),
        ({"data": pdf(["x"])[:200]}, "data", "damaged"),
        ({"data": b"<html><script>1</script>"}, "data", "no text"),
        ({"data": docx(word("x" * 31_000_000))}, "data", "the limit is 30,000,000"),
        ({"text": "a", "media_type": PDF}, "text", "as data"),
        ({"data": b"a", "media_type": "image/png"}, "media_type", "not one of"),
        ({"data": b"plain", "media_type": DOCX}, "data", "not a whole DOCX"),
    ],
)
def test_what_cannot_be_read_is_refused_and_changes_nothing(
    store: GraphStore, graph: Graph, given: dict[str, Any], field: str, says: str
) -> None:
    graph.add("As it was.", document_key=KEY)
    for refused in (graph.add(document_key=KEY, **given), graph.update(KEY, **given)):
        assert (refused.recorded, refused.error, refused.field) == (False, "invalid_value", field)
        assert says in str(refused.detail)
    assert graph.text(KEY) == "As it was."
    assert len(graph.versions(KEY)) == 1
