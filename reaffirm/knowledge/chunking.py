"""Cutting a text into chunks that touch: their spans cover it without a gap, and each is a slice of it. Pure."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field

from reaffirm.knowledge.sections import Section, lineage

SIZE = 1_200  # code points that a chunk aims at
MIN_SIZE = 300  # a shorter one goes on into the next section
CHUNKER = {"size": SIZE, "min_size": MIN_SIZE, "splitter": "reaffirm", "version": 1}

_SENTENCE_END = re.compile(r"[.!?…。！？]+[\"'”’»)\]]*\s+")
_LINE_END = re.compile(r"\n+")
_BLANK = re.compile(r"\s+")
_JOINER = "\u200d"


@dataclass(frozen=True)
class Piece:
    """What is never cut again: a block, or a part of one that is too long for a chunk."""

    start: int
    end: int
    section: int
    position: int
    heading: bool


@dataclass
class Cut:
    """One chunk.

    Attributes:
        sections: The numbers of the sections whose words it holds.
        parent: The lowest section that holds them all; None when only the document does.
        order: Its place among what hangs under the parent.
    """

    start: int
    end: int
    sections: list[int]
    parent: int | None
    order: int


@dataclass
class _Orders:
    """Hands out places under each parent, each once, in reading order."""

    _last: dict[int | None, int] = field(default_factory=dict)

    def take(self, parent: int | None, position: int) -> int:
        self._last[parent] = max(position, self._last.get(parent, -1) + 1)
        return self._last[parent]


def reading_positions(sections: tuple[Section, ...]) -> list[int]:
    """The place of each section's heading when headings and the units below them are counted in reading order."""
    positions, position = [], 0
    for section in sections:
        positions.append(position)
        position += 1 + len(section.units)
    return positions


def cuts(text: str, sections: tuple[Section, ...]) -> list[Cut]:
    """Cut a text at its paragraphs and headings. A paragraph is cut only when it is longer than a chunk."""
    orders = _Orders()
    return [_cut(group, sections, orders) for group in _packed(_pieces(text, sections))]


def _pieces(text: str, sections: tuple[Section, ...]) -> Iterator[Piece]:
    for number, (section, position) in enumerate(zip(sections, reading_positions(sections), strict=True)):
        unit = position
        for block in section.blocks:
            heading = block.kind == "heading"
            unit += not heading
            for start, end in split(text, block.start, block.end):
                yield Piece(start, end, number, position if heading else unit, heading)


def _packed(pieces: Iterator[Piece]) -> Iterator[list[Piece]]:
    """Fill chunks. A heading begins one when the last is long enough, and never ends one when words follow it."""
    group: list[Piece] = []
    for piece in pieces:
        length = group[-1].end - group[0].start if group else 0
        full = length + piece.end - piece.start > SIZE and not (group and group[-1].heading and length < MIN_SIZE)
        if group and (full or (piece.heading and length >= MIN_SIZE and not group[-1].heading)):
            yield group
            group = []
        group.append(piece)
    if group:
        yield group


def _cut(group: list[Piece], sections: tuple[Section, ...], orders: _Orders) -> Cut:
    covered = sorted({piece.section for piece in group if not piece.heading}) or sorted({p.section for p in group})
    parent = _common(sections, covered)
    order = orders.take(parent, group[0].position)
    return Cut(group[0].start, group[-1].end, covered, parent, order)


def _common(sections: tuple[Section, ...], numbers: list[int]) -> int | None:
    """The lowest section that holds all of these."""
    common: int | None = None
    for level in zip(*(lineage(sections, number) for number in numbers), strict=False):
        if len(set(level)) > 1:
            break
        common = level[0]
    return common


def split(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Split a range that is too long for a chunk: after a sentence, else at a line end, a blank, or anywhere."""
    while end - start > SIZE:
        at = _place(text, start)
        if at is None or at >= end:
            break
        yield start, at
        start = at
    if start < end:
        yield start, end


def _place(text: str, start: int) -> int | None:
    """The last good place for a cut in the second half of a chunk that begins at ``start``."""
    low, high = start + SIZE // 2, start + SIZE
    for boundary in (_SENTENCE_END, _LINE_END, _BLANK):
        places = [found.end() for found in boundary.finditer(text, low, high) if _separable(text, found.end())]
        if places:
            return places[-1]
    return next((at for at in range(high, low, -1) if _separable(text, at)), None) or next(
        (at for at in range(high + 1, len(text)) if _separable(text, at)), None
    )


def _separable(text: str, at: int) -> bool:
    """Whether a cut before ``text[at]`` leaves every character that people see whole."""
    if at >= len(text) or text[at - 1] == "\n":
        return True
    before, after = text[at - 1], text[at]
    if before == _JOINER or after == _JOINER or _extends(after):
        return False
    return not (_regional(before) and _regional(after))


def _extends(character: str) -> bool:
    """Combining marks, variation selectors, skin tones, and the later parts of a Hangul syllable."""
    code = ord(character)
    return (
        unicodedata.category(character) in ("Mn", "Mc", "Me")
        or 0x1F3FB <= code <= 0x1F3FF
        or 0x1160 <= code <= 0x11FF
        or 0xE0020 <= code <= 0xE007F
    )


def _regional(character: str) -> bool:
    """One of the letters that make a flag in pairs; a run of flags is not cut at all."""
    return 0x1F1E6 <= ord(character) <= 0x1F1FF
