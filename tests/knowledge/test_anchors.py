"""Where a cited passage stands now (cases.md, anchor truth table, and cases 16, 17, 19, 22, 23)."""

import random
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reaffirm.knowledge.anchors import Reading, anchor, occurrences
from reaffirm.knowledge.folding import fold, fold_words
from reaffirm.knowledge.models import Anchor, AnchorState

LOGS = "Logs are kept for 30 days."
BACKUPS = "Backups are kept for 90 days."
POLICY = f"# Retention\n\n{LOGS}\n{BACKUPS}\n\nAsk the archivist.\n"
CAFE = "Le café garde les reçus trente jours."


def anchored(old: str, new: str | None, quote: str = LOGS, nth: int = 0) -> Anchor:
    start = -1
    for _ in range(nth + 1):
        start = old.index(quote, start + 1)
    return anchor(cited_text=quote, old_text=old, old_range=(start, start + len(quote)), new_text=new)


def words_at(found: Anchor, text: str) -> str:
    assert found.start is not None
    assert found.end is not None
    return text[found.start : found.end]


@pytest.mark.parametrize(
    ("old", "quote", "nth", "new", "state", "words", "around"),
    [
        pytest.param(
            POLICY, LOGS, 0, POLICY.replace("for 30", "for\n30"), "exact", "Logs are kept for\n30 days.", False,
            id="truth table: wrapped over two lines",
        ),
        pytest.param(
            POLICY, LOGS, 0, POLICY.replace("Logs are", "Logs  are"), "exact", "Logs  are kept for 30 days.", False,
            id="truth table: two blanks",
        ),
        pytest.param(
            POLICY, LOGS, 0, POLICY.replace("\n", "\r\n"), "exact", LOGS, False,
            id="truth table: CR LF",
        ),
        pytest.param(
            f"{CAFE}\n\nFin.", CAFE, 0, unicodedata.normalize("NFD", f"{CAFE}\n\nFin."),
            "exact", unicodedata.normalize("NFD", CAFE), False,
            id="truth table: decomposed accents",
        ),
        pytest.param(
            POLICY, LOGS, 0, POLICY.replace("Retention", "How long").replace("30", "60"),
            "edited", "Logs are kept for 60 days.", True,
            id="truth table: heading renamed and 30 to 60",
        ),
        pytest.param(
            POLICY, LOGS, 0, POLICY.replace("90", "120"), "exact", LOGS, True,
            id="truth table: line beside it edited",
        ),
        pytest.param(
            POLICY, LOGS, 0, POLICY.replace("Retention", "How long"), "exact", LOGS, True,
            id="truth table: heading beside it edited",
        ),
        pytest.param(
            POLICY, LOGS, 0, POLICY.replace(LOGS, f"It is false that {LOGS}"), "exact", LOGS, True,
            id="truth table: It is false that",
        ),
    ],
)  # fmt: skip
def test_it_finds_the_passage(old: str, quote: str, nth: int, new: str, state: str, words: str, around: bool) -> None:
    found = anchored(old, new, quote, nth)
    assert (found.state, words_at(found, new), found.context_changed) == (state, words, around)


@pytest.mark.parametrize("nth", [0, 1])
@pytest.mark.parametrize("between", ["\n\n# Elsewhere\n\n", "\n", " "])
def test_truth_table_a_quote_that_stands_twice_in_the_cited_version_keeps_its_place(nth: int, between: str) -> None:
    old = f"# One\n\n{LOGS}{between}{LOGS}\n\nThe end."
    new = old.replace("# One", "# First\n\nA word before.").replace("The end", "An end")
    found = anchored(old, new, nth=nth)
    assert found.state == AnchorState.EXACT
    assert (found.start, found.end) == occurrences(new, LOGS)[nth]


@pytest.mark.parametrize("backups", [BACKUPS, "Backups are kept for 120 days."])
@pytest.mark.parametrize("between", ["\n", "\n\n", " "])
def test_truth_table_a_deleted_sentence_is_not_found_in_the_one_beside_it(backups: str, between: str) -> None:
    old, new = f"# Retention\n\n{LOGS}{between}{BACKUPS}\n", f"# Retention\n\n{backups}\n"
    found = anchored(old, new)
    assert (found.state, found.start, found.candidates) == (AnchorState.GONE, None, ())


def test_truth_table_an_edited_passage_comes_with_its_similarity_and_as_first_candidate() -> None:
    new = POLICY.replace("Retention", "How long").replace("30", "60")
    found = anchored(POLICY, new)
    assert 0.8 < found.similarity < 1
    first = found.candidates[0]
    assert (first.start, first.end, first.similarity) == (found.start, found.end, found.similarity)


@pytest.mark.parametrize("change", ["none", "edited", "deleted", "moved", "every line", "one above"])
def test_truth_table_twenty_thousand_similar_lines(change: str) -> None:
    """Quadratic work on these would take minutes."""
    lines = [f"Host {n:05} keeps its logs for 30 days." for n in range(20_000)]
    new = list(lines)
    if change == "edited":
        new[10_000] = new[10_000].replace("30", "60")
    elif change in {"deleted", "moved"}:
        new.append(new.pop(10_000))
        new = new[: -1 if change == "deleted" else None]
    elif change == "every line":
        new = [line.replace("30", "31") for line in lines]
    elif change == "one above":
        new.insert(0, "A new first line.")
    found = anchored("\n".join(lines), "\n".join(new), lines[10_000])
    expected = {"none": "exact", "one above": "exact", "deleted": "gone", "moved": "moved"}
    assert found.state == expected.get(change, "edited")
    if found.start is not None:
        assert words_at(found, "\n".join(new)).startswith("Host 10000 ")


def test_twenty_thousand_lines_that_are_all_the_same() -> None:
    old = "\n".join([LOGS] * 20_000)
    at = 10_000 * (len(LOGS) + 1)
    found = anchor(cited_text=LOGS, old_text=old, old_range=(at, at + len(LOGS)), new_text="One above.\n" + old)
    assert (found.state, found.start) == (AnchorState.EXACT, at + len("One above.\n"))


@pytest.mark.parametrize("between", ["\n\n", "\n", " ", "\n\n# Next\n\n"])
def test_case_22_never_beta_for_alpha(between: str) -> None:
    alpha, beta = (f"Service {name} keeps its logs for 30 days." for name in ("Alpha", "Beta"))
    old = f"About them.{between}{alpha}{between}{beta}\n"
    without = f"About them.{between}{beta}\n"
    deleted = anchored(old, without, alpha)
    assert (deleted.state, deleted.candidates) == (AnchorState.GONE, ())
    moved = anchored(old, without + f"\n{alpha}\n", alpha)
    assert (moved.state, words_at(moved, without + f"\n{alpha}\n")) == (AnchorState.MOVED, alpha)
    gamma = anchored(old, without + f"\n{alpha.replace('Alpha', 'Gamma')}\n", alpha)
    assert gamma.state == AnchorState.GONE


@pytest.mark.parametrize(
    ("quote", "new", "expected"),
    [
        ("30 days", "Logs are kept for 130 days.", "130 days"),
        ("kept for 30", "Logs are kept for 30.5 days.", "kept for 30.5"),
        ("Logs are", "Catalogs are kept for 30 days.", "Catalogs are"),
        ("30 days", "Logs are kept for 60 days.", "60 days"),
        (LOGS, "Logs are not kept for 30 days.", "Logs are not kept for 30 days."),
        (LOGS, "All logs are kept for 30 days.", "All logs are kept for 30 days."),
    ],
)
def test_a_word_number_or_negation_changed_is_edited(quote: str, new: str, expected: str) -> None:
    text = POLICY.replace(LOGS, new)
    found = anchored(POLICY, text, quote)
    assert (found.state, words_at(found, text)) == (AnchorState.EDITED, expected)
    assert found.similarity < 1


@pytest.mark.parametrize(
    "new",
    [
        pytest.param(
            "Tapes of the region last 90 days. Keys stay on paper for 90 days.", id="end of one, start of the next"
        ),
        pytest.param("Invoices stay on paper for 60 weeks, or longer.", id="another subject in the same place"),
    ],
)
def test_sentences_that_are_only_alike_are_not_the_passage(new: str) -> None:
    quote = "Tickets of the region stay on paper for 30 days."
    before, after = "Tapes of the region last 90 days.", "Keys stay on paper for 90 days."
    found = anchored(f"Top.\n\n{before} {quote} {after}\n\nEnd.", f"Top.\n\n{new}\n\nEnd.", quote)
    assert (found.state, found.candidates) == (AnchorState.GONE, ())


def test_a_liker_passage_elsewhere_makes_the_one_in_place_a_question() -> None:
    quote = "Scans are kept for 10 months on paper."
    old = f"# A\n\nTickets come first here.\n\n{quote}\n\nMails come last here."
    moved, there = quote.replace("for", "only for"), "Scans are kept for 60 months unless a court orders it."
    new = f"# A\n\n{moved}\n\nTickets come first here.\n\n{there}\n\nMails come last here."
    found = anchored(old, new, quote)
    assert found.state == AnchorState.AMBIGUOUS
    assert [new[c.start : c.end] for c in found.candidates] == [moved, there]


def test_can_is_not_found_in_cant() -> None:
    old, new = "You can share the keys here.\n\nEnd.", "You can't share the keys here.\n\nEnd."
    assert anchored(old, new, "You can").state == AnchorState.EDITED


def test_a_part_of_a_sentence_stays_exact_when_the_other_sentences_change() -> None:
    old = "Intro text is here. Logs are kept for 30 days in the vault. Nobody reads them.\n\nEnd."
    new = "The intro is other. Logs are kept for 30 days in the vault. Some read them.\n\nEnd."
    found = anchored(old, new, "kept for 30 days")
    assert (found.state, words_at(found, new), found.context_changed) == ("exact", "kept for 30 days", True)


@pytest.mark.parametrize("new", [BACKUPS, f"{BACKUPS} Keys rotate every 30 days."])
def test_a_few_words_are_not_found_in_another_sentence(new: str) -> None:
    assert anchored(POLICY, f"# Retention\n\n{new}\n", "30 days").state == AnchorState.GONE


def test_text_far_above_does_not_move_it_nor_change_its_context() -> None:
    far = "\n\n".join(f"Paragraph {n} of a long foreword, which nobody cites anywhere." for n in range(40))
    old = f"Title\n\n{far}\n\n{POLICY}"
    found = anchored(old, old.replace("Title", "Title\n\nAn abstract was put here."))
    assert (found.state, found.context_changed) == (AnchorState.EXACT, False)


@pytest.mark.parametrize("change", ["wrapped", "split", "merged"])
def test_paragraphs_wrapped_split_or_merged_leave_it_exact(change: str) -> None:
    one = "The first sentence tells what is kept and why. The second one tells how long."
    two = "A third sentence stands in its own paragraph and tells who may look."
    old = f"# T\n\n{one}\n\n{two}\n\nEnd."
    quote = f"{one}\n\n{two}"
    new = {
        "wrapped": old.replace(" tells", "\ntells"),
        "split": old.replace(". The", ".\n\nThe"),
        "merged": old.replace(f"{one}\n\n", f"{one} "),
    }[change]
    found = anchored(old, new, quote)
    assert found.state == AnchorState.EXACT
    assert fold_words(words_at(found, new)) == fold_words(quote)


def test_the_same_words_elsewhere_and_edited_words_in_their_place_are_for_a_person() -> None:
    new = POLICY.replace("30", "60") + f"\n# Changes\n\nFormerly: {LOGS}\n"
    found = anchored(POLICY, new)
    assert (found.state, found.start) == (AnchorState.AMBIGUOUS, None)
    assert [new[c.start : c.end] for c in found.candidates] == [LOGS, "Logs are kept for 60 days."]


def test_one_of_two_equal_paragraphs_deleted_is_for_a_person_when_nothing_tells_which() -> None:
    found = anchored(f"A\n\n{LOGS}\n\nB\n\n{LOGS}\n\nC", f"A\n\n{LOGS}\n\nC")
    assert found.state == AnchorState.AMBIGUOUS
    assert len(found.candidates) == 1


@pytest.mark.parametrize(
    ("new", "state"),
    [
        (POLICY, "exact"),
        (f"{POLICY}\n{LOGS}\n", "ambiguous"),
        (POLICY.replace("30", "60"), "gone"),
        (BACKUPS, "gone"),
    ],
)
def test_without_the_old_text_only_the_words_count(new: str, state: str) -> None:
    assert anchor(cited_text=LOGS, old_text=None, old_range=None, new_text=new).state == state


def test_a_range_that_does_not_hold_the_quote_is_not_trusted() -> None:
    found = anchor(cited_text=LOGS, old_text=POLICY, old_range=(0, 5), new_text=POLICY)
    assert (found.state, words_at(found, POLICY)) == (AnchorState.EXACT, LOGS)


@pytest.mark.parametrize(("new", "state"), [(None, "unreachable"), ("", "gone"), (" \n\n ", "gone")])
def test_nothing_to_search(new: str | None, state: str) -> None:
    assert anchored(POLICY, new).state == state


@pytest.mark.parametrize(
    ("text", "quote", "span"),
    [
        pytest.param("🤔🤔🤔🤔:thinking", ":thinking", (4, 13), id="case 16: emoji are one code point each"),
        pytest.param("A\r\nB\r\nFour Seasons", "Four Seasons", (6, 18), id="case 17: mixed line ends"),
        pytest.param("שלום English 2002 مرحبا", "שלום", (0, 4), id="case 19: a Hebrew word"),
        pytest.param("שלום English 2002 مرحبا", "2002 مرحبا", (13, 23), id="case 19: across the language change"),
    ],
)
def test_offsets_are_code_points_of_the_stored_text(text: str, quote: str, span: tuple[int, int]) -> None:
    found = anchor(cited_text=quote, old_text=text, old_range=span, new_text=f"Above.\n\n{text}\n")
    assert (found.state, found.start, found.end) == ("exact", span[0] + 8, span[1] + 8)


def test_case_19_a_part_of_a_number_that_was_cited_so() -> None:
    text = "שלום English 2002 مرحبا"
    found = anchor(cited_text="20", old_text=text, old_range=(13, 15), new_text=f"{text}!")
    assert (found.state, found.start, found.end) == ("exact", 13, 15)


def test_case_23_random_spans_of_one_document_are_each_found_where_they_are() -> None:
    rng = random.Random(23)
    text = "".join(rng.choice("abcde  .\n") for _ in range(2_000))
    spans = [(0, 10), (5, 15), (0, 10), (10, 12), (3, 4), (0, 2_000)]
    spans += [(a, a + rng.randrange(1, 60)) for a in (rng.randrange(1_940) for _ in range(300))]
    for start, end in spans:
        quote = text[start:end]
        found = anchor(cited_text=quote, old_text=text, old_range=(start, end), new_text=text)
        if not quote.strip():
            assert found.state == AnchorState.GONE
            continue
        lead, tail = len(quote) - len(quote.lstrip()), len(quote) - len(quote.rstrip())
        assert (found.state, found.start, found.end) == (AnchorState.EXACT, start + lead, end - tail)


def test_six_megabytes() -> None:
    body = "\n\n".join(f"Paragraph {n} says that item {n * 7} is held in store {n % 97}." for n in range(100_000))
    old = f"{body}\n\n{POLICY}"
    found = anchored(old, old.replace("item 7 ", "thing 7 ").replace("30 days", "60 days"))
    assert found.state == AnchorState.EDITED


CHARS = "ab \n\r\té\u0301e\u0302\u200d🤔ש가\u1100\u1161."
WORDS = st.sampled_from(
    ["logs", "are", "kept", "30", "90", "days.", "not", "caf\u00e9", "cafe\u0301", "\n\n", "\n", "🤔"]
)
TEXTS = st.lists(WORDS, max_size=40).map(" ".join)


@given(st.text(CHARS, max_size=40))
def test_folding_keeps_a_map_back(text: str) -> None:
    folded = fold(text)
    assert unicodedata.is_normalized("NFC", folded.text)
    for at, char in enumerate(folded.text):
        start, end = folded.original_range(at, at + 1)
        assert 0 <= start < end <= len(text)
        assert char in fold(text[start:end]).text


@settings(max_examples=300, deadline=None)
@given(TEXTS, TEXTS, st.data())
def test_any_answer_is_in_bounds_repeatable_and_true_to_its_state(old: str, new: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(old)))
    end = data.draw(st.integers(start, min(len(old), start + 60)))
    known = data.draw(st.booleans())
    cited = {"cited_text": old[start:end], "old_text": old if known else None, "old_range": (start, end)}
    found = anchor(**cited, new_text=new)  # type: ignore[arg-type]
    assert found == anchor(**cited, new_text=new)  # type: ignore[arg-type]
    for candidate in found.candidates:
        assert 0 <= candidate.start < candidate.end <= len(new)
    assert (found.start is None) == (found.state in {"ambiguous", "gone", "unreachable"})
    if found.start is not None:
        words = words_at(found, new)
        assert words == words.strip()
        assert words
        same = fold_words(words) == fold_words(old[start:end])
        assert same or found.state == AnchorState.EDITED


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.data())
def test_an_unchanged_text_or_one_with_more_above_leaves_every_passage_exact(old: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(old)))
    end = data.draw(st.integers(start, len(old)))
    quote = old[start:end]
    if not quote.strip() or "\u0301" in old[end : end + 1] + quote[:1]:
        return
    lead, tail = len(quote) - len(quote.lstrip()), len(quote) - len(quote.rstrip())
    for above in ("", "Something unheard of.\n\n"):
        found = anchor(cited_text=quote, old_text=old, old_range=(start, end), new_text=above + old)
        assert found.state == AnchorState.EXACT
        assert (found.start, found.end) == (len(above) + start + lead, len(above) + end - tail)


@pytest.mark.parametrize(
    ("new", "found"),
    [
        pytest.param(
            "Charges go back with the last refund, if the whole order is returned.",
            "Charges go back with the last refund, if the whole order is returned.",
            id="words added at the end",
        ),
        pytest.param(
            "From May on, charges go back with the last refund.",
            "From May on, charges go back with the last refund.",
            id="words added before",
        ),
        pytest.param(
            "## 6 Delivery charges\n\nCharges go back with the last refund.",
            "Charges go back with the last refund.",
            id="a heading that was numbered anew",
        ),
    ],
)
def test_an_edited_sentence_is_found_whole_and_nothing_beside_it(new: str, found: str) -> None:
    cited = "Charges go back with the first refund."
    frame = "# Refunds\n\nWe answer within two days.\n\n{}\n\nComplaints go to the office."
    old_text = frame.format("## 5 Delivery charges\n\n" + cited if "##" in new else cited)
    new_text = frame.format(new)
    at = old_text.index(cited)
    place = anchor(cited_text=cited, old_text=old_text, old_range=(at, at + len(cited)), new_text=new_text)
    assert place.state is AnchorState.EDITED
    assert new_text[place.start : place.end] == found


def test_many_passages_of_the_same_texts_share_what_was_read() -> None:
    """The same answers as one by one; and each text is read once."""
    old = "\n\n".join(
        f"Rule {number}: it is kept for {number % 7} days in region {number % 3}." for number in range(40)
    )
    new = old.replace("Rule 3:", "Rule 03:").replace("Rule 9: it is kept", "Rule 9: all of it is kept") + "\n\nThe end."
    reading = Reading()
    for number in range(40):
        start = old.index(f"Rule {number}:")
        span = (start, old.index(".", start) + 1)
        asked = {"cited_text": old[slice(*span)], "old_text": old, "old_range": span, "new_text": new}
        assert anchor(**asked, reading=reading) == anchor(**asked)  # type: ignore[arg-type]
    assert reading.text(old) is reading.text(old)
    assert reading.pairs(reading.text(old), reading.text(new)) is reading.pairs(reading.text(old), reading.text(new))
