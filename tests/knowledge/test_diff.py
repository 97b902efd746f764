"""A cited passage in its context, then and now."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reaffirm.knowledge.alignment import paragraphs
from reaffirm.knowledge.diff import passage_diff, words_that_changed
from reaffirm.knowledge.folding import fold_words
from reaffirm.knowledge.models import DiffRow, PassageDiff

EVERYTHING = 10_000
TEXT = [f"Paragraph number {n} speaks of matter {n * n} and of nothing else at all." for n in range(30)]


def diffed(old: str, new: str, quote: str = "", now: str = "", context: int = 2) -> PassageDiff:
    at, at_now = (old.index(quote), new.index(now))
    return passage_diff(
        old_text=old,
        old_range=(at, at + len(quote)) if quote else None,
        new_text=new,
        new_range=(at_now, at_now + len(now)) if now else None,
        context=context,
    )


def side(rows: tuple[DiffRow, ...], kinds: set[str], number: str) -> dict[int, str]:
    """The text of each paragraph of one side, put together from the pieces."""
    found: dict[int, str] = {}
    for row in rows:
        n = getattr(row, number)
        if n is not None:
            found[n] = found.get(n, "") + "".join(piece.text for piece in row.pieces if piece.kind in kinds)
    return found


def assert_whole(old: str, new: str, diff: PassageDiff, *, exact: bool) -> None:
    for text, kinds, number, own in (
        (old, {"same", "del"}, "old_number", exact),
        (new, {"same", "add"}, "new_number", True),
    ):
        expected = {n + 1: text[start:end] for n, (start, end) in enumerate(paragraphs(text))}
        found = side(diff.rows, kinds, number)
        if own:
            assert found == expected
        else:
            assert {n: fold_words(t) for n, t in found.items()} == {n: fold_words(t) for n, t in expected.items()}


def marked(row: DiffRow) -> str:
    signs = {"same": ("", ""), "del": ("[-", "-]"), "add": ("[+", "+]")}
    return "".join(signs[piece.kind][0] + piece.text + signs[piece.kind][1] for piece in row.pieces)


def cited(diff: PassageDiff) -> str:
    return "".join(piece.text for row in diff.rows for piece in row.pieces if piece.cited)


def kinds(diff: PassageDiff) -> list[str]:
    return [row.kind for row in diff.rows]


def test_it_marks_the_changed_word_and_the_passage_inside_the_paragraph() -> None:
    old = "Intro.\n\nFirst of all. Logs are kept for 30 days. And so on."
    new = old.replace("30", "60")
    diff = diffed(old, new, "Logs are kept for 30 days.", "Logs are kept for 60 days.")
    assert kinds(diff) == ["same", "change"]
    assert marked(diff.rows[1]) == "First of all. Logs are kept for [-30-][+60+] days. And so on."
    assert cited(diff) == "Logs are kept for 3060 days."
    assert [row.cited for row in diff.rows] == [False, True]
    assert (diff.words_added, diff.words_removed) == (1, 1)


def test_only_words_of_the_passage_are_counted() -> None:
    old = "Before it stands this. Logs are kept. Behind it stands that."
    new = "Before it stood these. Logs are kept. Behind it stood those."
    diff = diffed(old, new, "Logs are kept.", "Logs are kept.")
    assert (diff.words_added, diff.words_removed) == (0, 0)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("kept for 30 days", "kept for 60 days", (1, 1)),
        ("one two", "one  two\n", (0, 0)),
        ("", "one two", (2, 0)),
        ("one, two", "", (0, 2)),
        ("cafe\u0301", "caf\u00e9", (0, 0)),
        ("You can.", "You can't.", (1, 1)),
    ],
)
def test_words_that_changed(old: str, new: str, expected: tuple[int, int]) -> None:
    assert words_that_changed(old, new) == expected


def test_what_is_far_from_the_passage_is_folded_and_counted() -> None:
    old = "\n\n".join(TEXT)
    diff = diffed(old, old.replace("matter 0 ", "thing 0 "), TEXT[15], TEXT[15])
    assert kinds(diff) == ["fold", "same", "same", "same", "same", "same", "fold"]
    assert [(row.hidden, row.hidden_changed) for row in diff.rows if row.kind == "fold"] == [(13, 1), (12, 0)]
    assert [row.old_number for row in diff.rows if row.cited] == [16]


def test_a_moved_paragraph_is_shown_at_both_ends() -> None:
    quote = TEXT[3]
    edited = quote.replace("else", "more")
    new = [*TEXT[:3], *TEXT[4:25], edited, *TEXT[25:]]
    diff = diffed("\n\n".join(TEXT), "\n\n".join(new), quote, edited, context=0)
    assert kinds(diff) == ["fold", "moved_away", "fold", "moved", "fold"]
    away, here = diff.rows[1], diff.rows[3]
    assert (away.old_number, away.other_number, here.new_number, here.other_number) == (4, 25, 25, 4)
    assert marked(here) == quote.replace("else", "[-else-][+more+]")


def test_the_other_end_is_shown_when_only_the_old_place_is_near() -> None:
    new = [*TEXT[:3], *TEXT[4:25], TEXT[3], *TEXT[25:]]
    diff = diffed("\n\n".join(TEXT), "\n\n".join(new), TEXT[4], TEXT[4], context=1)
    assert [row.kind for row in diff.rows if row.kind != "fold"] == ["moved_away", "same", "same", "moved"]


def test_a_split_paragraph_is_one_row_for_each_part() -> None:
    one = "The first sentence tells what is kept and why. The second one tells how long it is."
    old, new = f"Top.\n\n{one}\n\nEnd.", f"Top.\n\n{one.replace('. The', '.' + chr(10) * 2 + 'The')}\n\nEnd."
    diff = diffed(old, new, "why. The second", "why.\n\nThe second", context=EVERYTHING)
    assert [(row.old_number, row.new_number) for row in diff.rows] == [(1, 1), (2, 2), (2, 3), (3, 4)]
    assert cited(diff) == "why. The second"
    assert (diff.words_added, diff.words_removed) == (0, 0)
    assert_whole(old, new, diff, exact=True)


def test_merged_paragraphs_are_one_row_for_each_part() -> None:
    one, two = "The first part tells what is kept here.", "The second part tells how long it stays."
    old, new = f"Top.\n\n{one}\n\n{two}\n\nEnd.", f"Top.\n\n{one} {two}\n\nEnd."
    diff = diffed(old, new, one, one, context=EVERYTHING)
    assert [(row.old_number, row.new_number) for row in diff.rows] == [(1, 1), (2, 2), (3, 2), (4, 3)]
    assert_whole(old, new, diff, exact=True)


def test_white_space_alone_is_not_marked_but_counted() -> None:
    old = "Logs are kept\nfor 30 days in the vault.\n\nBackups  are kept.\n\nEnd."
    new = "Logs are kept for 30\ndays in the vault.\r\n\r\nBackups are kept.\r\n\r\nEnd."
    diff = diffed(old, new, "Logs", "Logs", context=EVERYTHING)
    assert kinds(diff) == ["space", "space", "same"]
    assert diff.space_only == 2
    assert {piece.kind for row in diff.rows for piece in row.pieces} == {"same"}


def test_a_wrapped_paragraph_with_one_changed_word_marks_only_the_word() -> None:
    diff = diffed("Logs are kept\nfor 30 days here.", "Logs are kept for\n60 days here.")
    assert marked(diff.rows[0]) == "Logs are kept for\n[-30-][+60+] days here."


def test_lines_of_a_list_are_paragraphs() -> None:
    old = "Kept:\n- logs for 30 days\n- backups for 90 days\n- keys for a year"
    diff = diffed(old, old.replace("90", "120"), "- logs for 30 days", "- logs for 30 days", context=EVERYTHING)
    assert kinds(diff) == ["same", "same", "change", "same"]


def test_without_a_passage_the_changes_are_shown_in_context() -> None:
    old = "\n\n".join(TEXT)
    diff = diffed(old, old.replace("matter 100 ", "thing 100 "), context=1)
    assert kinds(diff) == ["fold", "same", "change", "same", "fold"]


def test_marks_never_cut_an_emoji_or_a_letter_from_its_accents() -> None:
    diff = diffed("We say 👩‍👩‍👧 and xe\u0302 here now.", "We say 👩‍👩‍👦 and xe\u0301 here now.")
    assert marked(diff.rows[0]) == "We say [-👩‍👩‍👧-][+👩‍👩‍👦+] and [-xe\u0302-][+xe\u0301+] here now."


@pytest.mark.parametrize(("old", "new"), [("", ""), ("", "One."), ("One.", ""), ("\n\n", "  ")])
def test_empty_texts(old: str, new: str) -> None:
    assert_whole(old, new, passage_diff(old_text=old, old_range=None, new_text=new, new_range=None), exact=True)


def test_one_line_of_32_000_characters() -> None:
    old, new = "x" * 32_000, "x" * 15_000 + "y" + "x" * 17_000
    diff = diffed(old, new, old, new)
    assert [(piece.kind, len(piece.text)) for piece in diff.rows[0].pieces] == [
        ("same", 15_000),
        ("add", 1),
        ("same", 17_000),
    ]


@pytest.mark.parametrize("change", ["all", "one gone"])
def test_twenty_thousand_lines_give_few_rows(change: str) -> None:
    lines = [f"Host {n:05} keeps its logs for 30 days." for n in range(20_000)]
    new = [line.replace("30", "31") for line in lines] if change == "all" else lines[:10_000] + lines[10_001:]
    diff = diffed("\n".join(lines), "\n".join(new), lines[10_000])
    assert len(diff.rows) == 7
    assert [row.kind for row in diff.rows if row.cited] == ["change" if change == "all" else "del"]


def test_a_passage_as_long_as_a_huge_document_has_bounded_rows() -> None:
    old = "\n\n".join(f"Number {n}." for n in range(10_000))
    assert len(diffed(old, old, old, old).rows) <= 2_002


WORDS = st.sampled_from(
    ["logs", "are", "kept", "30", "days.", "not", "caf\u00e9", "🤔", "x\u0302", "it's", "The", "日本"]
)
LINES = st.lists(WORDS, min_size=1, max_size=8).map(" ".join)
TEXTS = st.lists(LINES, max_size=12).flatmap(
    lambda lines: st.lists(st.sampled_from(["\n\n", "\n", " \n\n  "]), min_size=len(lines), max_size=len(lines)).map(
        lambda ends: "".join(line + end for line, end in zip(lines, ends, strict=True))
    )
)


@settings(max_examples=300, deadline=None)
@given(TEXTS, TEXTS, st.data())
def test_the_pieces_are_the_whole_of_both_texts(old: str, new: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(old)))
    end = data.draw(st.integers(start, len(old)))
    given_range = (start, end) if start < end else None
    diff = passage_diff(old_text=old, old_range=given_range, new_text=new, new_range=None, context=EVERYTHING)
    if given_range is None or any(row.kind == "fold" for row in diff.rows):
        return
    assert_whole(old, new, diff, exact=False)
    quoted = "".join(p.text for row in diff.rows if row.kind != "moved" for p in row.pieces if p.cited)
    assert "".join(quoted.split()) == "".join(old[start:end].split())
    again = passage_diff(old_text=old, old_range=given_range, new_text=new, new_range=None, context=EVERYTHING)
    assert again == diff


@settings(max_examples=100, deadline=None)
@given(TEXTS)
def test_equal_texts_have_no_marks(text: str) -> None:
    diff = passage_diff(old_text=text, old_range=(0, len(text)), new_text=text, new_range=(0, len(text)))
    assert {piece.kind for row in diff.rows for piece in row.pieces} <= {"same"}
    assert (diff.space_only, diff.words_added, diff.words_removed) == (0, 0, 0)


def test_a_sentence_that_moved_is_shown_where_it_stood_and_where_it_stands() -> None:
    """PEP 8: a sentence at the end of one paragraph became a paragraph of its own further on."""
    sentence = "Make sure to indent the continued line."
    old = ["Wrap long lines. " + sentence, *TEXT[:12]]
    new = ["Wrap long lines.", *TEXT[:12], sentence, TEXT[12]]
    diff = diffed("\n\n".join(old), "\n\n".join(new), sentence, sentence)
    assert [(row.old_number, row.new_number, row.cited_in) for row in diff.rows if row.cited] == [
        (1, 1, "old"),
        (None, 14, "new"),
    ]
