"""The text of one version, rebuilt from its chunks, and the way between its places and evidence ids. Pure.

Graphs hold no text of a document, only its chunks. Where every chunk tells its offsets, each is put in its place and
the gaps that no chunk holds (agentic-graphrag leaves out the blank lines between paragraphs) are filled with line ends:
an offset in the rebuilt text is then the offset in the stored one. Where a chunk does not (agentic-graphrag puts a
heading into it), the text is the chunks one after the other, and each place is known by the chunk that holds it.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from reaffirm.knowledge.evidence import encode, span_id
from reaffirm.knowledge.models import EvidenceReference, ReferenceKind

SEPARATOR = "\n\n"
# All gaps together. Real gaps are blank lines; offsets that ask for more are wrong, and must not fill the memory.
MAX_PADDING = 1_000_000


@dataclass(frozen=True)
class Pages:
    """The pages of a PDF that a chunk is on: the first, and the offsets at which each further one begins."""

    first: int
    breaks: tuple[int, ...]

    def numbers(self, start: int, end: int) -> range:
        """The pages that hold a range of offsets."""
        return range(self.first + bisect_right(self.breaks, start), self.first + bisect_right(self.breaks, end - 1) + 1)


@dataclass(frozen=True)
class Chunk:
    """A chunk as stored. Offsets are code points of the document's text, end exclusive; None when not known."""

    id: str
    index: int
    text: str
    char_start: int | None
    char_end: int | None
    pages: Pages | None = None

    @property
    def placed(self) -> bool:
        """Whether its offsets are offsets of its words: as many code points as it has."""
        return (
            self.char_start is not None
            and self.char_end is not None
            and self.char_start >= 0
            and self.char_end - self.char_start == len(self.text)
        )


@dataclass(frozen=True)
class Piece:
    """A chunk at its place in the rebuilt text; ``start`` and ``end`` are places there.

    Attributes:
        offset: What to add to a place to get the offset in the stored text; None when that is not known.
    """

    chunk_id: str
    start: int
    end: int
    offset: int | None
    pages: Pages | None = None


@dataclass(frozen=True)
class DocumentText:
    """The text of one version.

    Attributes:
        exact: Every place in ``text`` is an offset of the stored text.
        pieces: The chunks in the order of their places, without empty ones.
    """

    text: str
    exact: bool
    pieces: tuple[Piece, ...] = ()

    def range_of(self, reference: EvidenceReference) -> tuple[int, int] | None:
        """The place in ``text`` of what an evidence id names, or None when this text does not hold all of it."""
        if reference.kind is ReferenceKind.CHUNK:
            piece = self._by_id.get(reference.chunk_id or "")
            return (piece.start, piece.end) if piece else None
        start, end = reference.char_start, reference.char_end
        if start is None or end is None or not 0 <= start < end:
            return None
        if self.exact:
            return (start, end) if self._touched(start, end) else None
        first, last = self._holding(start), self._holding(end - 1)
        if first is None or last is None or not self._joined(first, last):
            return None
        return start - _offset(self.pieces[first]), end - _offset(self.pieces[last])

    def part_of(self, reference: EvidenceReference) -> tuple[int, int] | None:
        """Where a range begins to be held, up to the first chunk whose offsets are not known.

        For a text that does not hold all of it. None when it holds nothing of it, or when every offset is known: then a
        range that reaches past the end names no passage.
        """
        start, end = reference.char_start, reference.char_end
        if self.exact or start is None or end is None:
            return None
        touching = [number for low, high, number in self._stored if low < end and start < high]
        if not touching:
            return None
        last = touching[0]
        for number in touching[1:]:
            if number != last + 1 or not self._joined(last, number):
                break
            last = number
        head, tail = self.pieces[touching[0]], self.pieces[last]
        return max(head.start, start - _offset(head)), min(tail.end, end - _offset(tail))

    def stored_range(self, start: int, end: int) -> tuple[int, int] | None:
        """The offsets of ``text[start:end]`` in the stored text; None when they are not known."""
        if self.exact:
            return start, end
        touched = self._touched(start, end)
        if not touched or not self._joined(touched[0], touched[-1]) or self.pieces[touched[0]].offset is None:
            return None
        return start + _offset(self.pieces[touched[0]]), end + _offset(self.pieces[touched[-1]])

    def evidence_id(self, document_id: str, content_hash: str, start: int, end: int) -> str | None:
        """The id that names ``text[start:end]``: of its offsets, or else of the one chunk that holds it.

        None when no id names it: it lies across chunks whose offsets are not known, or holds no chunk's words.
        """
        touched = self._touched(start, end)
        if not touched:
            return None
        if self.exact:
            return span_id(document_id, content_hash, start, end)
        first, last = touched[0], touched[-1]
        head, tail = self.pieces[first], self.pieces[last]
        if start < head.start or end > tail.end or not self._joined(first, last):
            return None
        if head.offset is None:
            return encode(
                EvidenceReference(
                    kind=ReferenceKind.CHUNK,
                    document_node_id=document_id,
                    content_hash_prefix=content_hash[:16],
                    chunk_id=head.chunk_id,
                )
            )
        return span_id(document_id, content_hash, start + _offset(head), end + _offset(tail))

    def page_numbers(self, start: int, end: int) -> tuple[int, ...]:
        """The pages of a PDF that ``text[start:end]`` is on; none for other documents."""
        found: set[int] = set()
        for piece in (self.pieces[number] for number in self._touched(start, end)):
            if piece.pages and piece.offset is not None:
                low, high = max(start, piece.start), min(end, piece.end)
                found.update(piece.pages.numbers(low + piece.offset, high + piece.offset))
        return tuple(sorted(found))

    @cached_property
    def _by_id(self) -> dict[str, Piece]:
        return {piece.chunk_id: piece for piece in self.pieces}

    @cached_property
    def _ends(self) -> list[int]:
        return [piece.end for piece in self.pieces]

    @cached_property
    def _starts(self) -> list[int]:
        return [piece.start for piece in self.pieces]

    @cached_property
    def _stored(self) -> list[tuple[int, int, int]]:
        """Stored offsets and the number of each piece that knows its own, in their order."""
        return sorted(
            (piece.start + piece.offset, piece.end + piece.offset, number)
            for number, piece in enumerate(self.pieces)
            if piece.offset is not None
        )

    def _touched(self, start: int, end: int) -> range:
        """The numbers of the pieces that share words with a range inside the text."""
        if not 0 <= start < end <= len(self.text):
            return range(0)
        return range(bisect_right(self._ends, start), bisect_left(self._starts, end))

    def _holding(self, offset: int) -> int | None:
        """The number of the piece that holds a stored offset."""
        found = bisect_right(self._stored, (offset, offset + 1_000_000_000_000, 0)) - 1
        if found < 0 or offset >= self._stored[found][1]:
            return None
        return self._stored[found][2]

    def _joined(self, first: int, last: int) -> bool:
        """Whether the pieces are one run of the stored text: a single one, or neighbours with rising offsets."""
        if first == last:
            return True
        run = self.pieces[first : last + 1]
        return len(run) > 1 and all(
            one.offset is not None and two.offset is not None and one.end + one.offset <= two.start + two.offset
            for one, two in pairwise(run)
        )


def rebuild(chunks: Iterable[Chunk]) -> DocumentText:
    """The text of one version from all its chunks, in any order."""
    ordered = sorted((chunk for chunk in chunks if chunk.text), key=lambda chunk: chunk.index)
    return _placed(ordered) or _listed(ordered)


def _placed(chunks: list[Chunk]) -> DocumentText | None:
    """Every chunk at its offset; None when one does not know it, or when they overlap."""
    if not chunks or not all(chunk.placed for chunk in chunks):
        return None
    parts: list[str] = []
    pieces: list[Piece] = []
    at = padding = 0
    for chunk in sorted(chunks, key=lambda chunk: chunk.char_start or 0):
        gap = (chunk.char_start or 0) - at
        padding += gap
        if gap < 0 or padding > MAX_PADDING:
            return None
        parts += ["\n" * gap, chunk.text]
        at += gap + len(chunk.text)
        pieces.append(Piece(chunk.id, at - len(chunk.text), at, 0, chunk.pages))
    return DocumentText("".join(parts), exact=True, pieces=tuple(pieces))


def _listed(chunks: list[Chunk]) -> DocumentText:
    """One chunk after the other, a blank line between."""
    pieces: list[Piece] = []
    at = 0
    for chunk in chunks:
        offset = (chunk.char_start or 0) - at if chunk.placed else None
        pieces.append(Piece(chunk.id, at, at + len(chunk.text), offset, chunk.pages))
        at += len(chunk.text) + len(SEPARATOR)
    return DocumentText(SEPARATOR.join(chunk.text for chunk in chunks), exact=False, pieces=tuple(pieces))


def _offset(piece: Piece) -> int:
    assert piece.offset is not None  # only asked of pieces that know it
    return piece.offset
