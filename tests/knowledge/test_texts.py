"""The text of a version, rebuilt from chunks, and the ids of its passages."""

from hypothesis import given
from hypothesis import strategies as st

from reaffirm.knowledge.evidence import decode, span_id
from reaffirm.knowledge.models import EvidenceReference, ReferenceKind
from reaffirm.knowledge.texts import Chunk, DocumentText, rebuild

DOCUMENT = "e6632da9-a3cb-54d0-9d13-b9f8c426b5fc"
HASH = "e63b5ee4b7a5b607614c1d5cafe997da8a7abb1b440d10fd12f3d1d38059c1ac"


def chunk_id(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012}"


def chunk(number: int, text: str, start: int | None = None) -> Chunk:
    return Chunk(chunk_id(number), number, text, start, None if start is None else start + len(text))


def span(start: int, end: int) -> EvidenceReference:
    found = decode(span_id(DOCUMENT, HASH, start, end))
    assert found
    return found


def whole(number: int) -> EvidenceReference:
    return EvidenceReference(
        kind=ReferenceKind.CHUNK, document_node_id=DOCUMENT, content_hash_prefix=HASH[:16], chunk_id=chunk_id(number)
    )


def named(text: DocumentText, start: int, end: int) -> str | None:
    return text.evidence_id(DOCUMENT, HASH, start, end)


def test_gaps_are_padded_so_that_offsets_stay_true() -> None:
    text = rebuild([chunk(1, "Second.", 10), chunk(0, "First.", 2)])
    assert text.exact
    assert text.text == "\n\nFirst.\n\nSecond."
    assert text.range_of(span(10, 17)) == (10, 17)
    assert text.range_of(whole(1)) == (10, 17)
    assert named(text, 10, 17) == span_id(DOCUMENT, HASH, 10, 17)


def test_a_range_across_chunks_has_an_id_when_offsets_are_known() -> None:
    text = rebuild([chunk(0, "One. ", 0), chunk(1, "Two. ", 5), chunk(2, "Three.", 12)])
    assert text.range_of(span(2, 18)) == (2, 18)
    assert named(text, 2, 18) == span_id(DOCUMENT, HASH, 2, 18)


def test_padding_alone_is_no_passage() -> None:
    text = rebuild([chunk(0, "One.", 0), chunk(1, "Two.", 10)])
    assert text.range_of(span(5, 9)) is None
    assert named(text, 5, 9) is None


def test_what_lies_outside_has_no_place() -> None:
    text = rebuild([chunk(0, "One.", 0)])
    assert text.range_of(span(0, 5)) is None
    assert text.range_of(span(999_999_999_998, 999_999_999_999)) is None
    assert text.range_of(whole(7)) is None
    assert named(text, 0, 5) is None
    assert named(text, 3, 3) is None
    assert named(text, -1, 2) is None


def test_heading_chunks_are_listed_and_named_by_chunk() -> None:
    text = rebuild([chunk(0, "Failover\n\nCall the lead."), chunk(1, "Checks\n\nLook twice.")])
    assert not text.exact
    assert text.text == "Failover\n\nCall the lead.\n\nChecks\n\nLook twice."
    assert text.range_of(whole(1)) == (26, 45)
    assert text.range_of(span(0, 4)) is None
    assert named(text, 34, 45) == f"ev1:c:{DOCUMENT}:{HASH[:16]}:{chunk_id(1)}"
    assert named(text, 10, 30) is None  # across two chunks
    assert named(text, 20, 25) is None  # into the separator


def test_known_and_unknown_offsets_in_one_version() -> None:
    text = rebuild([chunk(0, "Title\n\nOne."), chunk(1, "Two.", 20), chunk(2, "Three.", 26), chunk(3, "Four.", 34)])
    assert not text.exact
    at = text.text.index("Two.")
    assert text.range_of(span(20, 24)) == (at, at + 4)
    assert named(text, at, at + 4) == span_id(DOCUMENT, HASH, 20, 24)
    assert text.text[slice(*(text.range_of(span(21, 39)) or (0, 0)))] == "wo.\n\nThree.\n\nFour."
    assert text.range_of(span(24, 30)) is None  # begins where no chunk is


def test_a_length_that_contradicts_the_offsets_is_not_trusted() -> None:
    assert not rebuild([Chunk(chunk_id(0), 0, "Heading\n\nBody", 9, 13)]).exact
    assert not rebuild([chunk(0, "One. Two.", 0), chunk(1, "Two.", 5)]).exact


def test_absurd_offsets_do_not_fill_the_memory() -> None:
    text = rebuild([chunk(0, "One.", 0), chunk(1, "Two.", 999_999_000_000)])
    assert not text.exact
    assert text.text == "One.\n\nTwo."
    assert text.range_of(span(999_999_000_000, 999_999_000_004)) == (6, 10)


def test_no_chunks_make_an_empty_text() -> None:
    assert rebuild([]).text == ""
    assert rebuild([]).range_of(span(0, 1)) is None


@given(st.lists(st.tuples(st.text(max_size=8), st.booleans(), st.integers(0, 3)), max_size=8), st.data())
def test_an_id_leads_back_to_its_words(parts: list[tuple[str, bool, int]], data: st.DataObject) -> None:
    chunks, at = [], 0
    for number, (words, known, gap) in enumerate(parts):
        at += gap
        chunks.append(chunk(number, words, at if known else None))
        at += len(words)
    text = rebuild(chunks)
    start = data.draw(st.integers(0, max(0, len(text.text) - 1)))
    end = data.draw(st.integers(start, len(text.text)))
    evidence_id = named(text, start, end)
    if evidence_id is None:
        return
    reference = decode(evidence_id)
    assert reference
    found = text.range_of(reference)
    assert found
    if reference.kind is ReferenceKind.SPAN:
        assert found == (start, end)
    else:
        assert found[0] <= start
        assert end <= found[1]
