"""What changed between two texts, word by word. White space alone is never a change while words stand around it."""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from reaffirm.knowledge.alignment import LCS_CELLS, TOKEN, Pair, Span, best_pairs, lcs_pairs, token_spans
from reaffirm.knowledge.folding import joins_before

LONG_TOKEN = 40  # characters from which on a changed word without a blank in it is marked only where it differs
ISLAND = 8  # changed words around a lone kept one that make it a chance meeting


@dataclass(frozen=True, slots=True)
class Change:
    """A stretch that is kept (``same``, on both sides), deleted (old side only) or added (new side only)."""

    kind: str
    old: Span | None
    new: Span | None


def count_words(text: str) -> int:
    """Words and numbers; signs do not count."""
    return sum(any(char.isalnum() for char in match[0]) for match in TOKEN.finditer(text))


def changes(old: str, new: str) -> list[Change]:
    """Every character of both texts, in order, as kept, deleted and added stretches."""
    if old == new:
        return [Change("same", (0, len(old)), (0, len(new)))] if old else []
    spans, new_spans = token_spans(old, 0, len(old)), token_spans(new, 0, len(new))
    marked: list[Change] = []
    at = new_at = 0
    for i, j in _kept(_texts(old, spans), _texts(new, new_spans)):
        marked += _between(old, (at, spans[i][0]), new, (new_at, new_spans[j][0]))
        marked.append(Change("same", spans[i], new_spans[j]))
        at, new_at = spans[i][1], new_spans[j][1]
    return marked + list(_between(old, (at, len(old)), new, (new_at, len(new))))


def _texts(text: str, spans: list[Span]) -> list[str]:
    tokens = [text[start:end] for start, end in spans]
    return tokens if text.isascii() else [unicodedata.normalize("NFC", token) for token in tokens]


def _kept(old: list[str], new: list[str]) -> list[Pair]:
    """The words that correspond, without those that meet only by chance inside a rewritten stretch."""
    pairs = lcs_pairs(old, new) if len(old) * len(new) <= LCS_CELLS else best_pairs(old, new)
    runs: list[list[Pair]] = []
    for i, j in pairs:
        if runs and runs[-1][-1] == (i - 1, j - 1):
            runs[-1].append((i, j))
        else:
            runs.append([(i, j)])
    ends = [(-1, -1), *((run[-1]) for run in runs)]
    starts = [*((run[0]) for run in runs), (len(old), len(new))]
    gaps = [max(b[0] - a[0], b[1] - a[1]) - 1 for a, b in zip(ends, starts, strict=True)]
    kept = (run for n, run in enumerate(runs) if not _by_chance([old[i] for i, _ in run], gaps[n], gaps[n + 1]))
    return [pair for run in kept for pair in run]


def _by_chance(run: list[str], before: int, after: int) -> bool:
    kept = sum(token[0].isalnum() for token in run)
    if not before or not after:
        return False
    return kept == 0 or (kept == 1 and before + after >= ISLAND)


def _between(old: str, span: Span, new: str, new_span: Span) -> Iterator[Change]:
    """What stands between two kept words: deleted and added words, and the blanks around them."""
    (start, end), (new_start, new_end) = span, new_span
    lead, new_lead = _blanks(old, start, end), _blanks(new, new_start, new_end)
    if lead > start and new_lead > new_start:
        yield Change("same", (start, lead), (new_start, new_lead))
        start, new_start = lead, new_lead
    tail, new_tail = _blanks_before(old, start, end), _blanks_before(new, new_start, new_end)
    both = tail < end and new_tail < new_end
    stop, new_stop = (tail, new_tail) if both else (end, new_end)
    yield from _replaced(old, (start, stop), new, (new_start, new_stop))
    if both:
        yield Change("same", (tail, end), (new_tail, new_end))


def _blanks(text: str, start: int, end: int) -> int:
    while start < end and text[start].isspace():
        start += 1
    return start


def _blanks_before(text: str, start: int, end: int) -> int:
    while end > start and text[end - 1].isspace():
        end -= 1
    return end


def _replaced(old: str, span: Span, new: str, new_span: Span) -> Iterator[Change]:
    before, after = _common(old[slice(*span)], new[slice(*new_span)])
    (start, end), (new_start, new_end) = span, new_span
    if before:
        yield Change("same", (start, start + before), (new_start, new_start + before))
    if start + before < end - after:
        yield Change("del", (start + before, end - after), None)
    if new_start + before < new_end - after:
        yield Change("add", None, (new_start + before, new_end - after))
    if after:
        yield Change("same", (end - after, end), (new_end - after, new_end))


def _common(old: str, new: str) -> Span:
    """How much two long words share at their beginnings and ends; nothing for ordinary words."""
    shorter = min(len(old), len(new))
    if shorter < LONG_TOKEN or len(old.split(None, 1)) != 1 or len(new.split(None, 1)) != 1:
        return 0, 0
    before = next((n for n in range(shorter) if old[n] != new[n]), shorter)
    rest = shorter - before
    after = next((n for n in range(rest) if old[-1 - n] != new[-1 - n]), rest)
    while before and any(joins_before(text[before]) for text in (old, new) if before < len(text)):
        before -= 1
    while after and joins_before(old[len(old) - after]):
        after -= 1
    return before, after
