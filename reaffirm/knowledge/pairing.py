"""Which paragraphs of two versions belong together: kept, changed, split, merged, moved, added or deleted."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from reaffirm.knowledge.alignment import Pair, best_pairs, lcs_length, words

ALIKE = 0.45  # least share of words that two paragraphs have in common to be one paragraph, changed
MOVED_ALIKE = 0.75  # the same for one that also changed its place
MOVED_WORDS = 8  # shorter paragraphs count as moved only unchanged …
MOVED_WHOLE_WORDS = 3  # … and those shorter than this (``Yes:``, a rule) not at all
TAKEN_IN = 0.6  # least share of a paragraph's words found again in the one it was split from or merged into
FEW_WORDS = 3
MOST_CELLS = 2_500  # pairs weighed in one gap; in a larger one each paragraph looks only a few ahead
LOOK_AHEAD = 8
MOST_MOVED = 60  # changed and moved paragraphs looked for among so many leftovers


@dataclass(frozen=True, slots=True)
class Group:
    """Paragraphs that are one row of the diff, or several when one was split or several were merged.

    Kinds: kept, change, add, del, moved (at its new place), moved_away (at its old place). Numbers count from 0.
    """

    kind: str
    old: tuple[int, ...] = ()
    new: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        return max(len(self.old), len(self.new))


def grouped(old: Sequence[str], new: Sequence[str]) -> list[Group]:
    """The paragraphs of both versions, given folded, as groups in reading order: each stands in one place of each."""
    kept = best_pairs(old, new)
    left_old = sorted(set(range(len(old))) - {i for i, _ in kept})
    left_new = sorted(set(range(len(new))) - {j for _, j in kept})
    moved = _moved_whole(old, new, left_old, left_new)
    joined: list[Group] = [Group("kept", (i,), (j,)) for i, j in kept]
    for low, high, new_low, new_high in _gaps(kept, len(old), len(new)):
        free = [i for i in range(low, high) if i not in moved]
        taken = set(moved.values())
        joined += _changed(old, new, free, [j for j in range(new_low, new_high) if j not in taken])
    used_old, used_new = {i for g in joined for i in g.old}, {j for g in joined for j in g.new}
    rest_old = [i for i in left_old if i not in used_old and i not in moved]
    rest_new = [j for j in left_new if j not in used_new and j not in set(moved.values())]
    moved |= _moved_and_changed(old, new, rest_old, rest_new)
    return _in_order(sorted(joined, key=lambda g: g.old), moved, len(old), len(new))


def _gaps(kept: Sequence[Pair], old: int, new: int) -> Iterable[tuple[int, int, int, int]]:
    low = new_low = 0
    for i, j in [*kept, (old, new)]:
        if low < i and new_low < j:
            yield low, i, new_low, j
        low, new_low = i + 1, j + 1


def _moved_whole(old: Sequence[str], new: Sequence[str], left_old: list[int], left_new: list[int]) -> dict[int, int]:
    """Paragraphs that stand unchanged at another place, once on each side."""
    in_old, in_new = Counter(old[i] for i in left_old), Counter(new[j] for j in left_new)
    at = {new[j]: j for j in left_new if in_new[new[j]] == 1 and len(words(new[j])) >= MOVED_WHOLE_WORDS}
    return {i: at[old[i]] for i in left_old if in_old[old[i]] == 1 and old[i] in at}


def _moved_and_changed(old: Sequence[str], new: Sequence[str], rest: list[int], rest_new: list[int]) -> dict[int, int]:
    if len(rest) > MOST_MOVED or len(rest_new) > MOST_MOVED:
        return {}
    told = {i: found for i in rest if len(found := words(old[i])) >= MOVED_WORDS}
    told_new = {j: found for j in rest_new if len(found := words(new[j])) >= MOVED_WORDS}
    ranked = sorted(((-_alike(a, b, MOVED_ALIKE), i, j) for i, a in told.items() for j, b in told_new.items()))
    moved: dict[int, int] = {}
    for likeness, i, j in ranked:
        if -likeness >= MOVED_ALIKE and i not in moved and j not in moved.values():
            moved[i] = j
    return moved


def _alike(a: list[str], b: list[str], least: float) -> float:
    """The share of words in common and in order, 0..1; 0.0 where it cannot reach ``least``, which is quick to see."""
    if max(len(a), len(b)) <= FEW_WORDS:  # one long token, a heading: letters tell more than words
        return fuzz.ratio(" ".join(a), " ".join(b)) / 100
    both = len(a) + len(b)
    if 2 * min(len(a), len(b)) < least * both:
        return 0.0
    in_a, in_b = set(a), set(b)
    if 2 * min(sum(map(in_b.__contains__, a)), sum(map(in_a.__contains__, b))) < least * both:
        return 0.0
    return 2 * lcs_length(a, b) / both


def _changed(old: Sequence[str], new: Sequence[str], olds: list[int], news: list[int]) -> list[Group]:
    """Changed, split and merged paragraphs of one gap."""
    told, told_new = {i: words(old[i]) for i in olds}, {j: words(new[j]) for j in news}
    cells = len(olds) * len(news)
    pairs = _best_chain(told, told_new) if cells <= MOST_CELLS else _looking_ahead(told, told_new)
    return _grown([Group("change", (i,), (j,)) for i, j in pairs], told, told_new)


def _best_chain(old: dict[int, list[str]], new: dict[int, list[str]]) -> list[Pair]:
    """The ordered pairing with the largest sum of likenesses."""
    olds, news = list(old), list(new)
    best = [[0.0] * (len(news) + 1) for _ in range(len(olds) + 1)]
    alike = [[_alike(old[i], new[j], ALIKE) for j in news] for i in olds]
    for a in range(len(olds) - 1, -1, -1):
        for b in range(len(news) - 1, -1, -1):
            paired = best[a + 1][b + 1] + alike[a][b] if alike[a][b] >= ALIKE else 0.0
            best[a][b] = max(best[a + 1][b], best[a][b + 1], paired)
    pairs: list[Pair] = []
    a = b = 0
    while a < len(olds) and b < len(news):
        if alike[a][b] >= ALIKE and best[a][b] == best[a + 1][b + 1] + alike[a][b]:
            pairs.append((olds[a], news[b]))
            a, b = a + 1, b + 1
        elif best[a][b] == best[a + 1][b]:
            a += 1
        else:
            b += 1
    return pairs


def _looking_ahead(old: dict[int, list[str]], new: dict[int, list[str]]) -> list[Pair]:
    """An ordered pairing at linear cost: each paragraph takes the likest of the next few."""
    news = list(new)
    pairs: list[Pair] = []
    at = 0
    for i, told in old.items():
        choices = [(_alike(told, new[news[b]], ALIKE), -b) for b in range(at, min(at + LOOK_AHEAD, len(news)))]
        likeness, b = max(choices, default=(0.0, 0))
        if likeness >= ALIKE:
            pairs.append((i, news[-b]))
            at = -b + 1
    return pairs


def _grown(groups: list[Group], old: dict[int, list[str]], new: dict[int, list[str]]) -> list[Group]:
    """Paragraphs left over beside a pair join it when their words come from it (split) or went into it (merged)."""
    used_old, used_new = {i for g in groups for i in g.old}, {j for g in groups for j in g.new}
    grown = []
    for group in groups:
        (i,), (j,) = group.old, group.new
        news = _taken_in(old[i], new, j, used_new)
        olds = (i,) if len(news) > 1 else _taken_in(new[j], old, i, used_old)
        used_old |= set(olds)
        used_new |= set(news)
        grown.append(Group("change", olds, news))
    return grown


def _taken_in(whole: list[str], parts: dict[int, list[str]], at: int, used: set[int]) -> tuple[int, ...]:
    run = [at]
    for step in (1, -1):
        while True:
            beside = run[-1] + 1 if step == 1 else run[0] - 1
            if beside not in parts or beside in used or not parts[beside]:
                break
            longer = [*run, beside] if step == 1 else [beside, *run]
            gain = lcs_length(whole, _joined(parts, longer)) - lcs_length(whole, _joined(parts, run))
            if gain < TAKEN_IN * len(parts[beside]):
                break
            run = longer
    return tuple(run)


def _joined(parts: dict[int, list[str]], run: list[int]) -> list[str]:
    return [word for n in run for word in parts[n]]


def _in_order(joined: list[Group], moved: dict[int, int], old: int, new: int) -> list[Group]:
    came_from = {j: i for i, j in moved.items()}
    groups: list[Group] = []
    at = new_at = 0
    for group in [*joined, Group("end", (old,), (new,))]:
        for i in range(at, group.old[0]):
            groups.append(Group("moved_away", (i,), (moved[i],)) if i in moved else Group("del", (i,)))
        for j in range(new_at, group.new[0]):
            groups.append(Group("moved", (came_from[j],), (j,)) if j in came_from else Group("add", (), (j,)))
        groups.append(group)
        at, new_at = group.old[-1] + 1, group.new[-1] + 1
    return groups[:-1]
