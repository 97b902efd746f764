"""A text to find passages in: its folded form, its paragraphs and sentences, and where a quote stands in it."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from reaffirm.knowledge.alignment import UNSPACED, Span, paragraphs
from reaffirm.knowledge.folding import Folded, fold, joins_before

_SPACED = rf"[^\W{UNSPACED}]"
_JOINED_BEFORE = re.compile(rf"(?:{_SPACED}|{_SPACED}[-‐‑'’]|\d[.,]|(?:^|\s)[-−])\Z")
_JOINED_AFTER = re.compile(rf"(?:{_SPACED}|[-‐‑'’]{_SPACED}|[.,]\d)")
_SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’)\]]*(?:\s|$)|(?<=[。！？])")
# Words that begin a sentence without being what it is about.
_NO_SUBJECT = frozenset(
    "a all an and any as at both but by each either every few for from if in it its many most neither no not of on one"
    " or other our some such that the their there these they this those to two we when where while with you".split()
)


@dataclass(frozen=True)
class Text:
    """A folded text with its paragraphs, both in folded offsets."""

    folded: Folded
    spans: tuple[Span, ...]

    @property
    def text(self) -> str:
        return self.folded.text

    @cached_property
    def keys(self) -> list[str]:
        return [self.text[start:end] for start, end in self.spans]

    def within(self, span: Span) -> tuple[int, int]:
        """The first and last paragraph that a range touches."""
        first = bisect_right(self.spans, span[0], key=lambda paragraph: paragraph[1])
        last = bisect_left(self.spans, span[1], key=lambda paragraph: paragraph[0]) - 1
        return first, max(first, last)

    def pieces(self, span: Span) -> list[Span]:
        """The whole sentences that a range touches."""
        start, end = self.sentences(span)
        first, last = self.within((start, end))
        edges = {start, end, *(e for p in self.spans[first : last + 1] for e in p if start < e < end)}
        edges |= {match.end() for match in _SENTENCE_END.finditer(self.text, start, end)}
        ordered = sorted(edges)
        cut = (trimmed(self.text, piece) for piece in pairwise(ordered))
        return [piece for piece in cut if piece[0] < piece[1]]

    def sentences(self, span: Span) -> Span:
        """The range widened to whole sentences, not past its paragraphs and not by more than 400 characters."""
        first, last = self.within(span)
        low, high = max(self.spans[first][0], span[0] - 400), min(self.spans[last][1], span[1] + 400)
        starts = [low, *(m.end() for m in _SENTENCE_END.finditer(self.text, low, span[0]) if m.end() <= span[0])]
        end = next((m.end() for m in _SENTENCE_END.finditer(self.text, max(low, span[1] - 1), high)), high)
        return trimmed(self.text, (starts[-1], max(end, span[1])))


def read(text: str) -> Text:
    folded = fold(text)
    spans = ((folded.folded_at(start), folded.folded_at(end)) for start, end in paragraphs(text))
    return Text(folded, tuple(trimmed(folded.text, span) for span in spans))


def trimmed(text: str, span: Span) -> Span:
    start, end = span
    while start < end and text[start] == " ":
        start += 1
    while end > start and text[end - 1] == " ":
        end -= 1
    return start, end


def cited_span(old: Text, old_range: Span | None, quote: str) -> Span | None:
    """The passage in the old text: where the range says, or else where it stands only once."""
    if old_range is not None and 0 <= old_range[0] < old_range[1]:
        start, end = old.folded.folded_at(old_range[0]), old.folded.folded_at(old_range[1])
        span = trimmed(old.text, (start, min(end, len(old.text))))
        if old.text[slice(*span)] == quote:
            return span
    spots = list(spots_of(old.text, quote, most=2))
    return spots[0] if len(spots) == 1 else None


def spots_of(text: str, quote: str, *, joined: tuple[bool, bool] = (False, False), most: int = -1) -> Iterator[Span]:
    """Where a folded quote stands; ``joined`` allows it to begin or end inside a word, as the cited one did."""
    start = text.find(quote) if quote else -1
    while start >= 0 and most:
        span = (start, start + len(quote))
        before, after = joined_at(text, span)
        if before <= joined[0] and after <= joined[1] and not _splits_cluster(text, span):
            most -= 1
            yield span
            start = text.find(quote, span[1])
        else:
            start = text.find(quote, start + 1)


def joined_at(text: str, span: Span) -> tuple[bool, bool]:
    """Whether a range begins and ends inside a word or number (``non-``, ``can't``, ``1.30`` count as one)."""
    start, end = span
    first, last = _is_spaced(text[start]), _is_spaced(text[end - 1])
    before = first and _JOINED_BEFORE.search(text[max(0, start - 2) : start]) is not None
    after = last and _JOINED_AFTER.match(text, end) is not None
    return before, after


def _is_spaced(char: str) -> bool:
    return re.match(_SPACED, char) is not None


def _splits_cluster(text: str, span: Span) -> bool:
    return span[1] < len(text) and joins_before(text[span[1]])


def overlaps(span: Span, spots: Iterable[Span]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in spots)


def whole_words(text: str, span: Span, joined: tuple[bool, bool]) -> Span:
    """The range without cut words at its ends (``30`` of ``30.5``), unless it was cited so."""
    start, end = span
    before, after = joined_at(text, span)
    if before and not joined[0] and (head := re.search(r"[\w.,'’‐‑−-]+\Z", text[max(0, start - 60) : start])):
        start -= len(head[0])
    if after and not joined[1] and (tail := re.compile(r"(?:[.,'’‐‑-]?\w)+").match(text, end)):
        end = tail.end()
    return start, end


def keeps_names(old: str, new: str) -> bool:
    """No number and no capitalised word was lost: what tells look-alike sentences apart."""
    kept = set(re.findall(r"\w+", new))
    return all(word in kept for word in re.findall(r"\w*\d\w*|\b[^\W\d_a-z]\w*", old))


def keeps_subject(old: str, new: str) -> bool:
    """The subject (the first word, if it can be one) and the names are still there; numbers may differ."""
    kept = {word.casefold() for word in re.findall(r"\w+", new)}
    told = re.findall(r"\w+", old)
    names = {word for word in told[1:] if word[0].isupper()} | {word for word in told[:1] if len(word) > 1}
    return all(word.casefold() in kept for word in names if word.casefold() not in _NO_SUBJECT)
