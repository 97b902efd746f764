"""Weighing by what stands around it where a passage belongs in another version."""

from dataclasses import dataclass, field
from functools import cached_property

from reaffirm.knowledge.alignment import Span, lcs_length, words
from reaffirm.knowledge.passages import Text
from reaffirm.knowledge.similar import Tokens

CONTEXT_WORDS = 40
LCS_WORDS = 400_000_000  # product of lengths up to which places are compared by words, beyond it by paragraphs


@dataclass(slots=True)
class Held:
    """Occurrences at the passage's place, those there that belong to another passage, and whether it may be a tie."""

    here: list[Span] = field(default_factory=list)
    claimed: set[Span] = field(default_factory=set)
    tied: bool = False

    @property
    def certain(self) -> bool:
        return len(self.here) == 1 and not self.tied


class Place:
    """Two stretches that correspond, to weigh where in the second a passage of the first belongs.

    Weighed by words; by paragraphs when the stretches are too long for that.
    """

    def __init__(self, old: Text, old_place: Span, new: Text, new_place: Span) -> None:
        self.old, self.old_place, self.new, self.new_place = old, old_place, new, new_place

    @cached_property
    def old_tokens(self) -> Tokens:
        return Tokens.of(self.old.text, *self.old_place)

    @cached_property
    def new_tokens(self) -> Tokens:
        return Tokens.of(self.new.text, *self.new_place)

    @cached_property
    def by_words(self) -> bool:
        return len(self.old_tokens.words) * len(self.new_tokens.words) <= LCS_WORDS

    def score(self, cited: Span, spot: Span) -> int:
        """How many units correspond when the passage is paired with the occurrence."""
        left, right, new_left, new_right = self._sides(cited, spot)
        return lcs_length(left, new_left) + lcs_length(right, new_right) + self._own(cited, spot)

    def holds(self, cited: Span, spot: Span, score: int) -> bool:
        """Pairing them costs less than half of the passage's own words elsewhere."""
        left, right, new_left, new_right = self._sides(cited, spot)
        without = lcs_length(left + right, new_left + new_right)
        return score - without > self._own(cited, spot) / 2

    def likely(self, passage: Span, candidate: Span) -> bool:
        return self.holds(passage, candidate, self.score(passage, candidate))

    def _own(self, cited: Span, spot: Span) -> int:
        if not self.by_words:
            return 1
        return lcs_length(words(self.old.text[slice(*cited)]), words(self.new.text[slice(*spot)]))

    def _sides(self, cited: Span, spot: Span) -> tuple[list[str], list[str], list[str], list[str]]:
        """What stands before and behind the passage, and before and behind the occurrence."""
        (low, high), (new_low, new_high) = self.old_place, self.new_place
        old, new = (self.old_tokens, self.new_tokens) if self.by_words else (self._old_paragraphs, self._new_paragraphs)
        return (
            old.between(low, cited[0]).words,
            old.between(cited[1], high).words,
            new.between(new_low, spot[0]).words,
            new.between(spot[1], new_high).words,
        )

    @cached_property
    def _old_paragraphs(self) -> Tokens:
        return Tokens(self.old.text, self.old.keys, list(self.old.spans))

    @cached_property
    def _new_paragraphs(self) -> Tokens:
        return Tokens(self.new.text, self.new.keys, list(self.new.spans))


def between(text: Text, before: int, after: int) -> Span:
    """The stretch between two paragraphs; -1 and the number of paragraphs stand for the ends."""
    low = text.spans[before][1] if before >= 0 else 0
    return low, max(low, text.spans[after][0] if after < len(text.spans) else len(text.text))


def nearest(spots: list[Span], place: Span, like: Span, like_place: Span, most: int = 8) -> list[Span]:
    """The occurrences nearest to the same distance from the stretch's start, and from its end."""
    if len(spots) <= most:
        return spots
    from_start = place[0] + like[0] - like_place[0]
    from_end = place[1] + like[1] - like_place[1]
    near = sorted(spots, key=lambda spot: abs(spot[0] - from_start))[: most // 2]
    far = sorted(spots, key=lambda spot: abs(spot[1] - from_end))[: most // 2]
    return sorted({*near, *far})


def around(text: str, span: Span) -> tuple[list[str], list[str]]:
    """The forty words before and behind a range."""
    before = text[max(0, span[0] - 60 * CONTEXT_WORDS) : span[0]].split()
    return before[-CONTEXT_WORDS:], text[span[1] : span[1] + 60 * CONTEXT_WORDS].split()[:CONTEXT_WORDS]


def context_likeness(old: str, cited: Span, new: str, spot: Span) -> float:
    """How many of the words around correspond, 0..1, those nearest to the passage counting as much as the rest."""
    likeness = 0.0
    for reach in (60, 240):
        for before, after in zip(_sides_of(old, cited, reach), _sides_of(new, spot, reach), strict=True):
            likeness += lcs_length(before, after) / max(len(before), len(after), 1)
    return likeness / 4


def _sides_of(text: str, span: Span, reach: int) -> tuple[list[str], list[str]]:
    return words(text[max(0, span[0] - reach) : span[0]]), words(text[span[1] : span[1] + reach])
