"""Text folded for comparison, with a map back to the stored offsets.

Folding takes away what an editor or a file transfer changes without touching the words: every run of white space
(line ends too) becomes one blank, and the text is in NFC. Case, punctuation and look-alike letters stay.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

_BLANK = re.compile(r"\s")
_BLANKS = re.compile(r"\s\s+")
# An ASCII letter composes only with what follows it: clusters lie in non-ASCII runs and the letter before them.
_BLANKS_OR_MARKS = re.compile(r"\s\s+|[!-~]?[^\x00-\x7f\s]+")


@dataclass(frozen=True)
class Folded:
    """A folded text. ``spots`` are the places where it is not the original character for character.

    Each spot is (folded start, original start, folded length, original length), in order.
    """

    text: str
    spots: tuple[tuple[int, int, int, int], ...] = ()

    @cached_property
    def _folded_starts(self) -> list[int]:
        return [spot[0] for spot in self.spots]

    @cached_property
    def _original_starts(self) -> list[int]:
        return [spot[1] for spot in self.spots]

    def original_range(self, start: int, end: int) -> tuple[int, int]:
        """The original range of a folded one; it always covers whole clusters."""
        if end <= start:
            at = self._start(start)
            return at, at
        return self._start(start), self._end(end)

    def folded_at(self, offset: int) -> int:
        """The folded offset of an original one; inside a run of blanks, the run's end unless it is the run's start."""
        at = bisect_right(self._original_starts, offset) - 1
        if at < 0:
            return offset
        folded, original, folded_length, original_length = self.spots[at]
        if offset >= original + original_length:
            return folded + folded_length + offset - original - original_length
        return folded if offset == original else folded + folded_length

    def _spot(self, index: int) -> tuple[int, int, int, int]:
        at = bisect_right(self._folded_starts, index) - 1
        return self.spots[at] if at >= 0 else (0, 0, 0, 0)

    def _start(self, index: int) -> int:
        folded, original, folded_length, original_length = self._spot(index)
        past = index - folded - folded_length
        return original if past < 0 else original + original_length + past

    def _end(self, index: int) -> int:
        folded, original, folded_length, original_length = self._spot(index - 1)
        past = index - 1 - folded - folded_length
        return original + original_length + (0 if past < 0 else past + 1)


def fold(text: str) -> Folded:
    """Fold a text. Near linear; a text that is NFC already costs one pass."""
    parts: list[str] = []
    spots: list[tuple[int, int, int, int]] = []
    done = length = 0
    for start, end, folded in _changes(text):
        kept = _BLANK.sub(" ", text[done:start])
        parts += (kept, folded)
        length += len(kept)
        spots.append((length, start, len(folded), end - start))
        length += len(folded)
        done = end
    parts.append(_BLANK.sub(" ", text[done:]))
    return Folded("".join(parts), tuple(spots))


def fold_words(text: str) -> str:
    """The folded words alone, without blanks at the ends."""
    return fold(text).text.strip()


def _changes(text: str) -> Iterator[tuple[int, int, str]]:
    """The (start, end, folded text) of each place that is not folded one character for one."""
    pattern = _BLANKS if unicodedata.is_normalized("NFC", text) else _BLANKS_OR_MARKS
    for match in pattern.finditer(text):
        start, end = match.span()
        if text[start].isspace():
            yield start, end, " "
        else:
            yield from _composed(text, start, end)


def _composed(text: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    if unicodedata.is_normalized("NFC", text[start:end]):
        return
    cluster = start
    for at in range(start + 1, end + 1):
        if at < end and joins_before(text[at]):
            continue
        composed = unicodedata.normalize("NFC", text[cluster:at])
        if composed != text[cluster:at]:
            yield cluster, at, composed
        cluster = at


def joins_before(char: str) -> bool:
    """A mark, or a Hangul vowel or final: it may compose with the character before it."""
    return unicodedata.category(char)[0] == "M" or "\u1160" <= char <= "\u11ff"
