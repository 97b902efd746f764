"""Passages that are like a given one: found by the words they share, in one pass over the text."""

import heapq
import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from rapidfuzz import fuzz
from rapidfuzz.distance import Indel

from reaffirm.knowledge.alignment import LCS_CELLS, Span, lcs_pairs, numbered, token_spans, words

MOST_FOUND = 6  # passages looked at closely for one search
LEAST_SHARED = 0.35  # of the weight of the needle's words, before a passage is looked at closely
LONG_TEXT = 20_000  # characters from which on only words are compared
LOSS = 0.08  # similarity that a passage may lose by taking in the rest of a sentence
STRAY = 0.5  # what an unmatched word costs against a matched one when a passage is trimmed

Widen = Callable[[Span], Span]


def similarity(old: str, new: str) -> float:
    """0..1: the mean of what corresponds word by word and character by character."""
    a, b = numbered(words(old), words(new))
    by_words = float(Indel.normalized_similarity(a, b))
    if max(len(old), len(new)) > LONG_TEXT:
        return by_words
    return (by_words + fuzz.ratio(old, new) / 100) / 2


@dataclass(frozen=True, slots=True)
class Tokens:
    """The words, numbers and signs of a stretch of a text, case folded, with their ranges in the whole text."""

    text: str
    words: list[str]
    spans: list[Span]

    @classmethod
    def of(cls, text: str, start: int = 0, end: int | None = None) -> "Tokens":
        spans = token_spans(text, start, len(text) if end is None else end)
        return cls(text, [text[a:b].casefold() for a, b in spans], spans)

    @classmethod
    def joined(cls, text: str, spans: Iterable[Span]) -> "Tokens":
        """The tokens of several stretches, one after the other."""
        parts = [cls.of(text, *span) for span in spans]
        return cls(text, [w for part in parts for w in part.words], [s for part in parts for s in part.spans])

    def is_sign(self, at: int) -> bool:
        return not self.words[at][0].isalnum()

    def between(self, start: int, end: int) -> "Tokens":
        """The tokens that lie wholly in a range."""
        first = bisect_left(self.spans, start, key=lambda span: span[0])
        last = bisect_right(self.spans, end, key=lambda span: span[1])
        return Tokens(self.text, self.words[first:last], self.spans[first:last])


@dataclass(frozen=True, slots=True)
class Needle:
    """A passage to look for."""

    text: str
    span: Span
    tokens: list[str]

    @classmethod
    def of(cls, text: str, span: Span) -> "Needle":
        return cls(text, span, words(text[slice(*span)]))

    @property
    def passage(self) -> str:
        return self.text[slice(*self.span)]

    def find(self, hay: Tokens, widen: Widen | None) -> list[tuple[Span, float]]:
        """Passages of the text that are like this one, and how like, best first; they do not overlap.

        ``widen`` gives a range's whole sentences; a passage that is more like the needle with them takes them.
        """
        found: list[tuple[Span, float]] = []
        for start in self._windows(hay):
            first, last = self._trimmed(hay, start)
            span = (hay.spans[first][0], hay.spans[last][1])
            score = similarity(self.passage, hay.text[slice(*span)])
            if widen:
                span, score = self._widened(hay, span, score, widen(span))
            found.append((span, score))
        found.sort(key=lambda item: (-item[1], item[0]))
        apart: list[tuple[Span, float]] = []
        for span, score in found:
            if all(span[1] <= other[0] or other[1] <= span[0] for other, _ in apart):
                apart.append((span, score))
        return apart

    def _widened(self, hay: Tokens, span: Span, score: float, whole: Span) -> tuple[Span, float]:
        """The range with the rest of its first and last sentence where it stays (nearly) as like; signs must gain."""
        start, end = max(whole[0], hay.spans[0][0]), min(whole[1], hay.spans[-1][1])
        for low, high in ((start, 0), (len(hay.text), end)):
            wider = (min(span[0], low), max(span[1], high))
            rest = hay.text[wider[0] : span[0]] + hay.text[span[1] : wider[1]]
            likeness = similarity(self.passage, hay.text[slice(*wider)])
            if rest and likeness >= score - (LOSS if any(map(str.isalnum, rest)) else 0):
                span, score = wider, likeness
        return span, score

    def narrowed(self, part: Span, text: str, span: Span) -> Span | None:
        """What of a found passage corresponds to a part of this one; None when nothing of the part is left."""
        if part == self.span:
            return span
        mine = Tokens.of(self.text, *self.span)
        theirs = Tokens.of(text, *span)
        inside = [n for n, (start, end) in enumerate(mine.spans) if start < part[1] and part[0] < end]
        pairs = lcs_pairs(mine.words, theirs.words)
        held = [j for i, j in pairs if inside and inside[0] <= i <= inside[-1]]
        if not inside or not held:
            return None
        low = max((j + 1 for i, j in pairs if i < inside[0]), default=0)
        high = min((j - 1 for i, j in pairs if i > inside[-1]), default=len(theirs.words) - 1)
        first = held[0] if (inside[0], held[0]) in pairs and inside[0] > 0 else low
        last = held[-1] if (inside[-1], held[-1]) in pairs and inside[-1] < len(mine.words) - 1 else high
        return theirs.spans[first][0], theirs.spans[last][1]

    def _windows(self, hay: Tokens) -> list[int]:
        """Where stretches as long as the needle begin that share the most of its words; rare words weigh more."""
        size = len(self.tokens)
        need = Counter(self.tokens)
        if not size or not hay.words:
            return []
        seen = Counter(word for word in hay.words if word in need)
        weight = {word: 1 + math.log(1 + len(hay.words) / (1 + seen[word])) for word in need}
        total = sum(weight[word] * count for word, count in need.items())
        scores = _sliding(hay.words, size, need, weight)
        near = [(-score, n) for n, score in enumerate(scores) if score >= LEAST_SHARED * total]
        starts: list[int] = []
        for _, at in heapq.nsmallest(40 * MOST_FOUND, near):
            if len(starts) < MOST_FOUND and all(abs(at - other) > size / 2 for other in starts):
                starts.append(at)
        return starts

    def _trimmed(self, hay: Tokens, start: int) -> tuple[int, int]:
        """The tokens around a window that correspond to the needle without stray ones: first and last."""
        size = len(self.tokens)
        low, high = max(0, start - size // 2 - 2), min(len(hay.words), start + size + size // 2 + 2)
        if size * (high - low) > LCS_CELLS:
            return start, min(len(hay.words), start + size) - 1
        pairs = lcs_pairs(self.tokens, hay.words[low:high])
        matched = {j for _, j in pairs}
        first, last = _best_run([1.0 if n in matched else -STRAY for n in range(high - low)])
        mine = [i for i, j in pairs if first <= j <= last]
        if mine:  # words replaced at the ends belong to it; a lost full stop was not replaced by a word
            first -= sum(word[0].isalnum() for word in self.tokens[: mine[0]])
            last += sum(word[0].isalnum() for word in self.tokens[mine[-1] + 1 :])
        return self._with_signs(hay, max(0, first + low), min(len(hay.words) - 1, last + low))

    def _with_signs(self, hay: Tokens, first: int, last: int) -> tuple[int, int]:
        """Brackets, quotation marks and stops that touch the range belong to it where the needle has some there."""
        if not self.tokens[0][0].isalnum():
            while first > 0 and hay.spans[first - 1][1] == hay.spans[first][0] and hay.is_sign(first - 1):
                first -= 1
        if not self.tokens[-1][0].isalnum():
            while last + 1 < len(hay.words) and hay.spans[last + 1][0] == hay.spans[last][1] and hay.is_sign(last + 1):
                last += 1
        return first, last


def _sliding(hay: list[str], size: int, need: Counter[str], weight: dict[str, float]) -> list[float]:
    """For each start, the weight of the needle's words in the window that begins there."""
    have: Counter[str] = Counter()
    score = 0.0
    scores: list[float] = []
    for at, word in enumerate(hay):
        if word in need:
            have[word] += 1
            score += weight[word] if have[word] <= need[word] else 0.0
        if at >= size - 1 or at == len(hay) - 1:
            scores.append(score)
        gone = hay[at - size + 1] if at >= size - 1 else ""
        if gone in need:
            score -= weight[gone] if have[gone] <= need[gone] else 0.0
            have[gone] -= 1
    return scores


def _best_run(values: list[float]) -> tuple[int, int]:
    """First and last of the run with the largest sum."""
    best, best_run = -math.inf, (0, 0)
    total, start = 0.0, 0
    for n, value in enumerate(values):
        if total <= 0:
            total, start = 0.0, n
        total += value
        if total > best:
            best, best_run = total, (start, n)
    return best_run
