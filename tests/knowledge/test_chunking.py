"""Cutting texts: nothing is lost, nothing is cut where it hurts."""

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reaffirm.knowledge.chunking import SIZE, Cut, cuts
from reaffirm.knowledge.sections import MARKDOWN, PLAIN, TEXT_TYPES, normalised, sections_of

PARAGRAPH = "A sentence that says a thing. " * 10


def cut(text: str, media_type: str = PLAIN) -> list[Cut]:
    return cuts(text, sections_of(text, media_type))


def slices(text: str, media_type: str = PLAIN) -> list[str]:
    return [text[one.start : one.end] for one in cut(text, media_type)]


def headings(text: str) -> list[tuple[str, int, int | None]]:
    return [(section.heading, section.depth, section.parent) for section in sections_of(text, MARKDOWN)]


MARKUP = st.lists(
    st.one_of(
        st.sampled_from(
            ["# Head\n", "### Deep\n", "Title\n===\n", "```\n# no\n```\n", "~~~", "<!--\n", "-->", "---\n"]
        ),
        st.sampled_from(["\n", "\n\n", " ", "\t", "- item\n", "e\u0301", "👩\u200d👩\u200d👧", "🇩🇪", "한"]),
        st.text(max_size=30),
        st.builds(lambda words, times: words * times, st.text(min_size=1, max_size=9), st.integers(1, 400)),
    ),
    max_size=12,
).map("".join)


@pytest.mark.parametrize("media_type", TEXT_TYPES)
@given(text=MARKUP)
@settings(max_examples=150, deadline=None)
def test_chunks_touch_and_cover_the_text(media_type: str, text: str) -> None:
    text = normalised(text)
    if not text.strip():
        return
    found = cut(text, media_type)
    assert found[0].start == 0
    assert found[-1].end == len(text)
    assert all(one.end == two.start for one, two in pairwise(found))
    assert all(one.start < one.end for one in found)
    orders = [(one.parent, one.order) for one in found]
    assert len(set(orders)) == len(orders)


@given(text=MARKUP)
@settings(max_examples=150, deadline=None)
def test_no_chunk_begins_with_a_mark_that_belongs_to_the_letter_before(text: str) -> None:
    text = normalised(text)
    if not text.strip():
        return
    for one in cut(text)[1:]:
        before, after = text[one.start - 1], text[one.start]
        assert before == "\n" or not unicodedata.combining(after)
        assert before != "\u200d"


def test_a_paragraph_stays_whole() -> None:
    text = "\n\n".join(f"{number} {PARAGRAPH}".strip() for number in range(20))
    pieces = slices(text)
    assert all(piece.strip().endswith("thing.") and piece[0].isdigit() for piece in pieces)
    assert all(SIZE // 2 < len(piece) <= SIZE for piece in pieces[:-1])


def test_a_long_paragraph_is_cut_after_a_sentence() -> None:
    pieces = slices("This is a sentence of forty characters.. " * 200)
    assert all(piece.endswith(".. ") and len(piece) <= SIZE for piece in pieces)


def test_words_without_any_place_to_cut_are_cut_between_characters() -> None:
    pieces = slices("x" * 5_000)
    assert [len(piece) for piece in pieces] == [SIZE] * 4 + [200]
    pieces = slices("e\u0301" * 3_000)
    assert all(piece.startswith("e") and len(piece) <= SIZE for piece in pieces)


def test_one_endless_cluster_is_not_cut() -> None:
    assert len(slices("e" + "\u0301" * 5_000)) == 1
    assert len(slices("🇩🇪" * 2_000)) == 1


def test_plain_text_has_one_section_without_a_heading() -> None:
    (section,) = sections_of("One.\n\nTwo\nlines.\n \nThree.\n", PLAIN)
    assert (section.heading, section.depth, section.parent) == ("", 0, None)
    assert [(unit.body_start, unit.body_end) for unit in section.units] == [(0, 4), (6, 16), (19, 25)]


def test_markdown_has_a_section_for_each_heading() -> None:
    text = "Before.\n\n# Title #\n\nBody.\n\nUnder\n-----\nMore.\n\n#### Deep\n\n## Next\n# Last #1\n#hashtag"
    assert headings(text) == [
        ("", 0, None),
        ("Title", 1, None),
        ("Under", 2, 1),
        ("Deep", 4, 2),
        ("Next", 2, 1),
        ("Last #1", 1, None),
    ]


def test_what_only_looks_like_a_heading_is_none() -> None:
    text = "---\ntitle: x\n---\n# Real\n```sh\n# comment\n```\n~~~~\n```\n# no\n~~~\n~~~~\n"
    text += "<!--\n# hidden\n-->\n    # code\n- item\n---\n"
    assert headings(text) == [("", 0, None), ("Real", 1, None)]


def test_a_heading_stays_with_what_it_heads() -> None:
    text = f"# One\n\n{PARAGRAPH}\n\n# Two\n\n## Inner\n\n{PARAGRAPH * 2}\n\n# Three\n\n{PARAGRAPH * 3}\n"
    assert [piece.split("\n")[0] for piece in slices(text, MARKDOWN)] == ["# One", "# Two", "# Three"]
    one, two, three = cut(text, MARKDOWN)
    assert (one.parent, two.parent, three.parent) == (0, 2, 3)


def test_short_sections_share_a_chunk_under_what_holds_them_all() -> None:
    (only,) = cut("# A\n\n## B\n\nb.\n\n## C\n\nc.\n", MARKDOWN)
    assert (only.sections, only.parent) == ([1, 2], 0)
    (only,) = cut("# A\n\na.\n\n# B\n\nb.\n", MARKDOWN)
    assert (only.sections, only.parent) == ([0, 1], None)


@pytest.mark.parametrize(
    "text",
    ["x\n" * 100_000, "# h\n" * 20_000, " " * 300_000 + "x", "#" * 100_000, "`" * 100_000 + "\nx", "---\n" * 20_000],
)
def test_odd_texts_cost_no_more_than_others(text: str) -> None:
    assert "".join(slices(text, MARKDOWN)) == text
    assert "".join(slices(text, PLAIN)) == text


def test_line_ends_and_the_byte_order_mark_are_normalised_and_nothing_else() -> None:
    assert normalised("\ufeffA\r\nB\rC\u2028½ m²\u00a0\ufeff") == "A\nB\nC\u2028½ m²\u00a0\ufeff"
