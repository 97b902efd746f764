"""What the templates make of foreign text."""

import html
import re

from hypothesis import given
from hypothesis import strategies as st

from reviews.templatetags.review import breakable, isolated, letter

ANYTHING = st.text(st.characters(exclude_categories=["Cs"]), max_size=400)


@given(
    ANYTHING | ANYTHING.map(lambda text: text.replace(" ", "") * 3) | st.just("<&>\"'" * 99) | st.just("e\u0301" * 300)
)
def test_breakable_text_says_the_same(text: str) -> None:
    marked = str(breakable(text))

    assert html.unescape(marked.replace("<wbr>", "")) == text
    assert not re.search(r"<(?!wbr>)", marked)
    assert not re.search("<wbr>[\u0300-\u036f\u200d]", marked)


def test_a_long_run_gets_places_to_break_and_a_short_one_none() -> None:
    assert str(breakable("x" * 121)).count("<wbr>") == 2
    assert "<wbr>" not in breakable("x" * 100 + " " + "y" * 100)
    assert breakable(None) == ""


def test_a_foreign_title_cannot_turn_our_sentence_around() -> None:
    assert isolated("a\u202eb\u2069c") == "\u2068abc\u2069"


def test_sides_have_letters() -> None:
    assert [letter(number) for number in (1, 26, 27)] == ["A", "Z", "27"]
