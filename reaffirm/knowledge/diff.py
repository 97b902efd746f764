"""A cited passage in its context, then and now: paragraphs aligned first, then words marked inside the changed ones."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from reaffirm.knowledge.alignment import Span, paragraphs
from reaffirm.knowledge.folding import fold_words
from reaffirm.knowledge.models import DiffRow, PassageDiff, Piece
from reaffirm.knowledge.pairing import Group, grouped
from reaffirm.knowledge.wording import Change, changes, count_words

MOST_ROWS = 2_000  # shown groups of one diff; what is beyond is folded and counted


def words_that_changed(old: str, new: str) -> tuple[int, int]:
    """How many words were added and removed."""
    marked = changes(old, new)
    added = sum(count_words(new[slice(*change.new)]) for change in marked if change.kind == "add" and change.new)
    removed = sum(count_words(old[slice(*change.old)]) for change in marked if change.kind == "del" and change.old)
    return added, removed


def passage_diff(
    *, old_text: str, old_range: Span | None, new_text: str, new_range: Span | None, context: int = 2
) -> PassageDiff:
    """Align two versions around a passage.

    Args:
        old_text, new_text: The version that was cited and the current one.
        old_range, new_range: The passage in each, in code points, end exclusive; None where it does not stand.
        context: How many paragraphs to show before and behind the passage, on either side. Without any range, the
            changed paragraphs are shown in their context.

    Returns:
        Rows in reading order. The ``same`` and ``del`` pieces of the rows that carry an old paragraph's number are
        its text, the ``same`` and ``add`` pieces of a new one's its text. White space alone is never marked: a piece
        that is the same but for white space or Unicode form has the new text. A paragraph that was split, or several
        that were merged, have one row for each part.
    """
    old, new = _Side(old_text, old_range), _Side(new_text, new_range)
    groups = _aligned(old_text, new_text)
    rows: list[DiffRow] = []
    hidden: list[Group] = []
    shown = _shown(groups, old, new, max(0, context))
    for n, group in enumerate(groups):
        if n not in shown:
            hidden.append(group)
            continue
        rows += _fold(hidden)
        rows += _drawn(group, old, new)
        hidden = []
    rows += _fold(hidden)
    added, removed = words_that_changed(old.passage, new.passage)
    space_only = sum(row.kind == "space" for row in rows)
    return PassageDiff(rows=tuple(rows), space_only=space_only, words_added=added, words_removed=removed)


# A page shows many passages of a few pairs of versions.
@lru_cache(maxsize=8)
def _aligned(old_text: str, new_text: str) -> tuple[Group, ...]:
    """The paragraphs of two versions, aligned."""
    return tuple(grouped(_keys(old_text), _keys(new_text)))


def _keys(text: str) -> list[str]:
    return [fold_words(text[start:end]) for start, end in _spans(text)]


@lru_cache(maxsize=16)
def _spans(text: str) -> tuple[Span, ...]:
    return tuple(paragraphs(text))


class _Side:
    """One version: its text, its paragraphs, and the passage in it."""

    def __init__(self, text: str, passage: Span | None) -> None:
        self.text = text
        self.spans = _spans(text)
        self.cited = passage if passage and passage[0] < passage[1] else None

    @property
    def passage(self) -> str:
        return self.text[slice(*self.cited)] if self.cited else ""

    def holds_passage(self, numbers: Sequence[int]) -> bool:
        """Whether one of these paragraphs has a part of the passage."""
        return any(_overlap(self.spans[n], self.cited) for n in numbers)

    def parts(self, numbers: Sequence[int], span: Span | None) -> list[tuple[int, Span]]:
        """What of a range lies in each of these paragraphs; what is between two of them belongs to none."""
        low, high = span or (0, 0)
        cut = [(n, (max(low, self.spans[n][0]), min(high, self.spans[n][1]))) for n in numbers]
        return [(n, part) for n, part in cut if part[0] < part[1]]


def _overlap(span: Span, other: Span | None) -> bool:
    return other is not None and span[0] < other[1] and other[0] < span[1]


def _fold(groups: Sequence[Group]) -> Iterator[DiffRow]:
    if groups:
        changed = sum(group.size for group in groups if group.kind != "kept")
        yield DiffRow(kind="fold", hidden=sum(group.size for group in groups), hidden_changed=changed)


def _shown(groups: Sequence[Group], old: _Side, new: _Side, context: int) -> set[int]:
    """The groups around the passage, and the other ends of those that moved."""
    centres = [n for n, group in enumerate(groups) if _holds_passage(group, old, new)]
    if not centres and old.cited is None and new.cited is None:
        centres = [n for n, group in enumerate(groups) if group.kind != "kept"]
    shown: set[int] = set()
    for centre in centres:
        reach = range(max(0, centre - context), min(len(groups), centre + context + 1))
        shown.update(reach if len(shown) < MOST_ROWS else ())
    if len(shown) > MOST_ROWS:
        shown = set(sorted(shown, key=lambda n: (abs(n - centres[0]), n))[:MOST_ROWS])
    ends = {(groups[n].old, groups[n].new) for n in shown if groups[n].kind.startswith("moved")}
    return shown | {n for n, g in enumerate(groups) if g.kind.startswith("moved") and (g.old, g.new) in ends}


def _holds_passage(group: Group, old: _Side, new: _Side) -> bool:
    in_old = group.kind != "moved" and old.holds_passage(group.old)
    return in_old or (group.kind != "moved_away" and new.holds_passage(group.new))


def _drawn(group: Group, old: _Side, new: _Side) -> list[DiffRow]:
    """A group as rows."""
    if not group.old or not group.new:
        return [_one_sided(group, old, new)]
    pieces = _pieces(group, old, new)
    if group.kind == "change":
        return [_row("change", pieces[key], *key) for key in pieces]
    (i,), (j,) = group.old, group.new
    own = pieces.get((i, j), [])
    if group.kind == "moved_away":
        return [_row(group.kind, [p for p in own if p.kind != "add"], i, None, other=j)]
    if group.kind == "moved":
        return [_row(group.kind, own, None, j, other=i)]
    same = old.text[slice(*old.spans[i])] == new.text[slice(*new.spans[j])]
    return [_row("same" if same else "space", own, i, j)]


def _one_sided(group: Group, old: _Side, new: _Side) -> DiffRow:
    side, numbers = (old, group.old) if group.old else (new, group.new)
    pieces = list(_marked(group.kind, side, side.spans[numbers[0]]))
    number = numbers[0]
    return _row(group.kind, pieces, number if group.old else None, number if group.new else None)


def _row(kind: str, pieces: Sequence[Piece], i: int | None, j: int | None, *, other: int | None = None) -> DiffRow:
    return DiffRow(
        kind=kind,
        pieces=tuple(_merged(pieces)),
        old_number=None if i is None else i + 1,
        new_number=None if j is None else j + 1,
        other_number=None if other is None else other + 1,
        cited_in=_cited_in({piece.kind for piece in pieces if piece.cited}),
    )


def _cited_in(kinds: set[str]) -> str:
    if "same" in kinds or kinds >= {"del", "add"}:
        return "both"
    return "old" if "del" in kinds else "new" if "add" in kinds else ""


def _merged(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """Neighbours of one kind as one piece."""
    held: Piece | None = None
    for piece in pieces:
        if held and held.kind == piece.kind and held.cited == piece.cited:
            held = Piece(kind=held.kind, text=held.text + piece.text, cited=held.cited)
            continue
        if held:
            yield held
        held = piece
    if held:
        yield held


def _pieces(group: Group, old: _Side, new: _Side) -> dict[tuple[int, int], list[Piece]]:
    """The pieces of a group by the old and the new paragraph they are in."""
    start, end = old.spans[group.old[0]][0], old.spans[group.old[-1]][1]
    new_start, new_end = new.spans[group.new[0]][0], new.spans[group.new[-1]][1]
    rows: dict[tuple[int, int], list[Piece]] = {}
    i, j = group.old[0], group.new[0]
    for change in changes(old.text[start:end], new.text[new_start:new_end]):
        moved = _shifted(change, start, new_start)
        parts, new_parts = old.parts(group.old, moved.old), new.parts(group.new, moved.new)
        if len(parts) == len(new_parts) == 1 and (parts[0][1], new_parts[0][1]) == (moved.old, moved.new):
            i, j = parts[0][0], new_parts[0][0]
            rows.setdefault((i, j), []).extend(_same(parts[0][1], new_parts[0][1], old, new))
            continue
        for i, part in parts:
            rows.setdefault((i, j), []).extend(_marked("del", old, part))
        for j, part in new_parts:
            rows.setdefault((i, j), []).extend(_marked("add", new, part))
    return rows


def _marked(kind: str, side: _Side, span: Span) -> Iterator[Piece]:
    return (Piece(kind=kind, text=side.text[a:b], cited=cited) for a, b, cited in _cut(*span, side.cited))


def _shifted(change: Change, start: int, new_start: int) -> Change:
    old = (change.old[0] + start, change.old[1] + start) if change.old else None
    new = (change.new[0] + new_start, change.new[1] + new_start) if change.new else None
    return Change(change.kind, old, new)


def _same(span: Span, new_span: Span, old: _Side, new: _Side) -> Iterator[Piece]:
    """A kept stretch: cited where it is in the passage on either side."""
    (start, end), (new_start, new_end) = span, new_span
    if old.text[start:end] != new.text[new_start:new_end]:
        cited = _inside(span, old.cited) or _inside(new_span, new.cited)
        yield Piece(kind="same", text=new.text[new_start:new_end], cited=cited)
        return
    shift = new_start - start
    for a, b, in_old in _cut(start, end, old.cited):
        for c, d, in_new in _cut(a + shift, b + shift, new.cited):
            yield Piece(kind="same", text=new.text[c:d], cited=in_old or in_new)


def _inside(span: Span, passage: Span | None) -> bool:
    return passage is not None and passage[0] <= span[0] and span[1] <= passage[1]


def _cut(start: int, end: int, passage: Span | None) -> Iterator[tuple[int, int, bool]]:
    """A range cut where the passage begins and ends, with whether each part is inside it."""
    edges = sorted({start, end, *(edge for edge in passage or () if start < edge < end)})
    for a, b in pairwise(edges):
        yield a, b, _inside((a, b), passage)
