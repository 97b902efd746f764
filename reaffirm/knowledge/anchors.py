"""Where a cited passage stands in the current version of its document.

The order of the search: the same words at the aligned place; the same words elsewhere; similar words at the aligned
place; very similar words elsewhere. "Place" is decided by what stands around the passage, never by the offset. A
candidate that another passage of the old version explains as well or better is not taken: that is what keeps a
deleted sentence from being found again in the one beside it.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from reaffirm.knowledge.alignment import UNSPACED, Span, forced_pairs, lcs_length, paragraphs, words
from reaffirm.knowledge.folding import Folded, fold, fold_words, joins_before
from reaffirm.knowledge.models import Anchor, AnchorState, Candidate
from reaffirm.knowledge.similar import Needle, Tokens, similarity

SAME_PLACE = 0.6  # least similarity of an edited passage at its aligned place
SAME_SENTENCE = 0.4  # least similarity of the sentence around a few words that were cited out of it
ELSEWHERE = 0.9  # least similarity of an edited passage at another place or without the old text …
ELSEWHERE_WORDS = 10  # … which must also be this long: one word in fewer is too much to differ
AS_GOOD = 0.05  # two candidates nearer to each other than this are equally plausible
RIVAL = 0.02  # a passage of the old text this near explains a candidate as well as the cited one
MOST_CANDIDATES = 20
MOST_SPOTS = 200  # occurrences weighed against each other; more than this and a person picks
CONTEXT_WORDS = 40
LCS_WORDS = 400_000_000  # product of lengths up to which places are compared by words, beyond it by paragraphs

_SPACED = rf"[^\W{UNSPACED}]"
_JOINED_BEFORE = re.compile(rf"(?:{_SPACED}|{_SPACED}[-‐‑'’]|\d[.,]|(?:^|\s)[-−])\Z")
_JOINED_AFTER = re.compile(rf"(?:{_SPACED}|[-‐‑'’]{_SPACED}|[.,]\d)")
_SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’)\]]*(?:\s|$)|(?<=[。！？])")


@dataclass(frozen=True)
class _Text:
    """A folded text with its paragraphs, both in folded offsets."""

    folded: Folded
    spans: tuple[Span, ...]

    @property
    def text(self) -> str:
        return self.folded.text

    @cached_property
    def keys(self) -> list[str]:
        return [self.text[start:end] for start, end in self.spans]

    @cached_property
    def tokens(self) -> Tokens:
        return Tokens.of(self.text)

    def within(self, span: Span) -> tuple[int, int]:
        """The first and last paragraph that a range touches."""
        first = bisect_right(self.spans, span[0], key=lambda paragraph: paragraph[1])
        last = bisect_left(self.spans, span[1], key=lambda paragraph: paragraph[0]) - 1
        return first, max(first, last)

    def sentences(self, span: Span) -> Span:
        """The range widened to whole sentences, not past its paragraphs and not by more than 400 characters."""
        first, last = self.within(span)
        low, high = max(self.spans[first][0], span[0] - 400), min(self.spans[last][1], span[1] + 400)
        starts = [low, *(m.end() for m in _SENTENCE_END.finditer(self.text, low, span[0]) if m.end() <= span[0])]
        end = next((m.end() for m in _SENTENCE_END.finditer(self.text, max(low, span[1] - 1), high)), high)
        return _trimmed(self.text, (starts[-1], max(end, span[1])))


def _read(text: str) -> _Text:
    folded = fold(text)
    spans = ((folded.folded_at(start), folded.folded_at(end)) for start, end in paragraphs(text))
    return _Text(folded, tuple(_trimmed(folded.text, span) for span in spans))


def _trimmed(text: str, span: Span) -> Span:
    start, end = span
    while start < end and text[start] == " ":
        start += 1
    while end > start and text[end - 1] == " ":
        end -= 1
    return start, end


def occurrences(text: str, quote: str) -> list[Span]:
    """Every place where the quote stands as whole words, white space and Unicode form folded; original offsets."""
    folded = fold(text)
    return [folded.original_range(*spot) for spot in _spots(folded.text, fold_words(quote))]


def anchor(*, cited_text: str, old_text: str | None, old_range: Span | None, new_text: str | None) -> Anchor:
    """Find a cited passage in the current text.

    Args:
        cited_text: The passage as it was cited.
        old_text: The version it was cited from; None when it cannot be read or its offsets are unknown.
        old_range: The passage's place in ``old_text``, in code points, end exclusive.
        new_text: The current version; None when nothing of it can be read.

    Returns:
        State, range in ``new_text`` (code points, whole words of the passage without blanks around), candidates.
    """
    if new_text is None:
        return Anchor(state=AnchorState.UNREACHABLE)
    quote = fold_words(cited_text)
    if not quote or not new_text.strip():
        return Anchor(state=AnchorState.GONE)
    new = _read(new_text)
    old = _read(old_text) if old_text and old_text.strip() else None
    cited = _cited_span(old, old_range, quote) if old else None
    if old is None or cited is None:
        return _without_old(quote, new)
    return _Search(quote, old, cited, new).anchor()


def _cited_span(old: _Text, old_range: Span | None, quote: str) -> Span | None:
    """The passage in the old text: where the range says, or else where it stands only once."""
    if old_range is not None and 0 <= old_range[0] < old_range[1]:
        start, end = old.folded.folded_at(old_range[0]), old.folded.folded_at(old_range[1])
        span = _trimmed(old.text, (start, min(end, len(old.text))))
        if old.text[slice(*span)] == quote:
            return span
    spots = list(_spots(old.text, quote, most=2))
    return spots[0] if len(spots) == 1 else None


def _without_old(quote: str, new: _Text) -> Anchor:
    spots = list(_spots(new.text, quote, most=MOST_CANDIDATES))
    if len(spots) == 1:
        return _at(AnchorState.EXACT, new, spots[0], context_changed=False)
    if spots:
        return _pick(new, [(spot, 1.0) for spot in spots])
    needle = Needle.of(quote, (0, len(quote)))
    if len(needle.tokens) < ELSEWHERE_WORDS:
        return Anchor(state=AnchorState.GONE)
    found = [(span, score) for span, score in needle.find(Tokens.of(new.text), new.sentences) if score >= ELSEWHERE]
    return _edited(new, [(span, score) for span, score in found if _keeps_names(quote, new.text[slice(*span)])], False)


def _spots(text: str, quote: str, *, joined: tuple[bool, bool] = (False, False), most: int = -1) -> Iterator[Span]:
    """Where a folded quote stands; ``joined`` allows it to begin or end inside a word, as the cited one did."""
    start = text.find(quote) if quote else -1
    while start >= 0 and most:
        span = (start, start + len(quote))
        before, after = _joined(text, span)
        if before <= joined[0] and after <= joined[1] and not _splits_cluster(text, span):
            most -= 1
            yield span
            start = text.find(quote, span[1])
        else:
            start = text.find(quote, start + 1)


def _joined(text: str, span: Span) -> tuple[bool, bool]:
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


def _overlaps(span: Span, spots: Iterable[Span]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in spots)


def _whole_words(text: str, span: Span, joined: tuple[bool, bool]) -> Span:
    """The range without cut words at its ends (``30`` of ``30.5``), unless it was cited so."""
    start, end = span
    before, after = _joined(text, span)
    if before and not joined[0] and (head := re.search(r"[\w.,'’‐‑−-]+\Z", text[max(0, start - 60) : start])):
        start -= len(head[0])
    if after and not joined[1] and (tail := re.compile(r"(?:[.,'’‐‑-]?\w)+").match(text, end)):
        end = tail.end()
    return start, end


def _keeps_names(old: str, new: str) -> bool:
    """No number and no capitalised word was lost: what tells look-alike sentences apart."""
    kept = set(re.findall(r"\w+", new))
    return all(word in kept for word in re.findall(r"\w*\d\w*|\b[^\W\d_a-z]\w*", old))


class _Search:
    """One search for one passage: the old text, the passage in it, the new text, and the stretch where it should be."""

    def __init__(self, quote: str, old: _Text, cited: Span, new: _Text) -> None:
        self.quote, self.old, self.cited, self.new = quote, old, cited, new
        self.joined = _joined(old.text, cited)
        self.hull = old.sentences(cited)
        self.paragraph = old.within(cited)
        self.pairs = dict(forced_pairs(old.keys, new.keys))
        self.old_place, self.new_place = self._places()
        self.place = _Place(old, self.old_place, new, self.new_place)

    def anchor(self) -> Anchor:
        kept = self._in_kept_paragraphs()
        if kept:
            return self._found(AnchorState.EXACT, kept)
        spots = list(_spots(self.new.text, self.quote, joined=self.joined))
        place = self._at_place(spots)
        if place.certain:
            return self._found(AnchorState.EXACT, place.here[0])
        if place.here:
            return _pick(self.new, [(spot, 1.0) for spot in place.here])
        return self._changed(spots, self._unclaimed([spot for spot in spots if spot not in place.claimed]))

    def _changed(self, spots: list[Span], moved: list[Span]) -> Anchor:
        """The passage is not at its place word for word: moved, edited, gone, or undecided between the first two."""
        edited = [item for item in self._edited_here() if not _overlaps(item[0], spots)]
        if moved and edited:  # the same words elsewhere and similar ones in their place: nothing tells which is meant
            return _pick(self.new, [*((spot, 1.0) for spot in moved), *edited])
        if len(moved) == 1:
            return self._found(AnchorState.MOVED, moved[0])
        if moved:
            return _pick(self.new, [(spot, 1.0) for spot in moved])
        found = edited or [item for item in self._edited_elsewhere() if not _overlaps(item[0], spots)]
        return _edited(self.new, found, bool(found) and self._context_changed(found[0][0]))

    def _found(self, state: AnchorState, span: Span) -> Anchor:
        return _at(state, self.new, span, context_changed=self._context_changed(span))

    # -- the place -------------------------------------------------------------------------------------------------

    def _places(self) -> tuple[Span, Span]:
        """The stretch of the old text around the passage, and that of the new one, between kept paragraphs."""
        first, last = self.paragraph
        low = max((i for i in self.pairs if i < first), default=-1)
        high = min((i for i in self.pairs if i > last), default=len(self.old.spans))
        after, before = self.pairs.get(low, -1), self.pairs.get(high, len(self.new.spans))
        return _between(self.old, low, high), _between(self.new, after, before)

    def _in_kept_paragraphs(self) -> Span | None:
        """The passage's paragraphs are all kept and still follow each other: nothing needs to be searched."""
        first, last = self.paragraph
        to = [self.pairs.get(n) for n in range(first, last + 1)]
        if to[0] is None or to[-1] is None or any(j != to[0] + n for n, j in enumerate(to)):
            return None
        shift = self.new.spans[to[0]][0] - self.old.spans[first][0]
        span = (self.cited[0] + shift, self.cited[1] + shift)
        return span if self.new.text[slice(*span)] == self.quote else None

    # -- the same words --------------------------------------------------------------------------------------------

    def _at_place(self, spots: list[Span]) -> "_Held":
        """Of the occurrences in the aligned stretch, those that an alignment of the two stretches puts there.

        An occurrence is in place when pairing it with the passage costs less than half of its own words elsewhere. It
        belongs to another occurrence of the old text when pairing it with that one costs less.
        """
        low, high = self.new_place
        inside = [spot for spot in spots if low <= spot[0] and spot[1] <= high]
        if not inside:
            return _Held()
        low, high = self.old_place
        twins = [span for span in self._twins if low <= span[0] and span[1] <= high]
        near = _nearest(inside, self.new_place, self.cited, self.old_place)
        scores = {spot: self.place.score(self.cited, spot) for spot in near}
        best = max(scores.values())
        held = _Held()
        for spot in (spot for spot in near if scores[spot] == best):
            twin = max(
                (self.place.score(t, spot) for t in _nearest(twins, self.old_place, spot, self.new_place)), default=-1
            )
            if twin > best:
                held.claimed.add(spot)
            elif self.place.holds(self.cited, spot, best) and self._sentence_fits(spot, SAME_SENTENCE):
                held.here.append(spot)
                held.tied |= twin == best
        return held

    @cached_property
    def _twins(self) -> list[Span]:
        """The other occurrences of the same words in the old text."""
        spots = _spots(self.old.text, self.quote, joined=self.joined)
        return [span for span in spots if span[0] != self.cited[0]]

    def _sentence_fits(self, spot: Span, least: float) -> bool:
        """A few words cited out of a sentence are found again only in a sentence like it."""
        if self.hull == self.cited:
            return True
        return similarity(self.old.text[slice(*self.hull)], self.new.text[slice(*self.new.sentences(spot))]) >= least

    def _unclaimed(self, spots: list[Span]) -> list[Span]:
        """Occurrences elsewhere that are not simply another occurrence of the old text, still at its place."""
        others = self._twins
        if self.hull != self.cited:
            spots = [spot for spot in spots[:MOST_SPOTS] if self._sentence_fits(spot, ELSEWHERE)]
        if not others or not spots:
            return spots
        kept = self._kept_spots(others)
        spots = [spot for spot in spots if spot not in kept]
        if len(spots) > MOST_SPOTS or len(others) > MOST_SPOTS:
            return spots
        return [spot for spot in spots if not self._claimed(spot, [o for o in others if o not in kept.values()])]

    def _kept_spots(self, others: list[Span]) -> dict[Span, Span]:
        """Where other occurrences of the old text stand now, as far as their paragraph was kept: new → old."""
        kept: dict[Span, Span] = {}
        at = 0
        for span in others:
            while self.old.spans[at][1] < span[1]:
                at += 1
            start = self.old.spans[at][0]
            if at in self.pairs and start <= span[0]:
                shift = self.new.spans[self.pairs[at]][0] - start
                kept[(span[0] + shift, span[1] + shift)] = span
        return kept

    def _claimed(self, spot: Span, others: list[Span]) -> bool:
        mine = _context_likeness(self.old.text, self.cited, self.new.text, spot)
        best = max((_context_likeness(self.old.text, other, self.new.text, spot) for other in others), default=0.0)
        return best > mine

    # -- similar words ---------------------------------------------------------------------------------------------

    def _edited_here(self) -> list[tuple[Span, float]]:
        """Similar passages at the place, as an alignment of the two stretches confirms."""
        found = self._needle.find(self.new.tokens.between(*self.new_place), self.new.sentences)
        return self._narrowed(
            (span, score)
            for span, score in found
            if score >= SAME_PLACE and self.place.likely(self.hull, span) and not self._has_rival(span, score)
        )

    def _edited_elsewhere(self) -> list[tuple[Span, float]]:
        """Long passages that are nearly the same, names and numbers too."""
        hull = self.old.text[slice(*self.hull)]
        if len(self._needle.tokens) < ELSEWHERE_WORDS:
            return []
        return self._narrowed(
            (span, score)
            for span, score in self._needle.find(self.new.tokens, self.new.sentences)
            if score >= ELSEWHERE
            and _keeps_names(hull, self.new.text[slice(*span)])
            and not self._has_rival(span, score)
        )

    @cached_property
    def _needle(self) -> Needle:
        """Passages are looked for by their whole sentences; a few words alone are like too much."""
        return Needle.of(self.old.text, self.hull)

    def _narrowed(self, found: Iterable[tuple[Span, float]]) -> list[tuple[Span, float]]:
        """What was cited of each sentence, and how like the cited words it is."""
        parts = (self._needle.narrowed(self.cited, self.new.text, span) for span, _ in found)
        whole = [_whole_words(self.new.text, part, self.joined) for part in parts if part is not None]
        return [(part, similarity(self.quote, self.new.text[slice(*part)])) for part in whole]

    def _has_rival(self, span: Span, score: float) -> bool:
        """Another passage of the old text is as like this candidate, and was not itself kept word for word."""
        candidate = Needle.of(self.new.text, span)
        start, end = self.hull
        if candidate.passage in self.old.text[:start] or candidate.passage in self.old.text[end:]:
            return True
        for low, high in ((0, start), (end, len(self.old.text))):
            for other, likeness in candidate.find(self.old.tokens.between(low, high), None):
                if likeness > score - RIVAL and self.old.text[slice(*other)] not in self.new.text:
                    return True
        return False

    # -- the words around ------------------------------------------------------------------------------------------

    def _context_changed(self, span: Span) -> bool:
        return _around(self.old.text, self.cited) != _around(self.new.text, span)


@dataclass(slots=True)
class _Held:
    """Occurrences at the passage's place, those there that belong to another passage, and whether it may be a tie."""

    here: list[Span] = field(default_factory=list)
    claimed: set[Span] = field(default_factory=set)
    tied: bool = False

    @property
    def certain(self) -> bool:
        return len(self.here) == 1 and not self.tied


class _Place:
    """Two stretches that correspond, to weigh where in the second a passage of the first belongs.

    Weighed by words; by paragraphs when the stretches are too long for that.
    """

    def __init__(self, old: _Text, old_place: Span, new: _Text, new_place: Span) -> None:
        self.old, self.old_place, self.new, self.new_place = old, old_place, new, new_place
        sizes = [len(text.tokens.between(*place).words) for text, place in ((old, old_place), (new, new_place))]
        self.by_words = sizes[0] * sizes[1] <= LCS_WORDS

    def score(self, cited: Span, spot: Span) -> int:
        """How many units correspond when the passage is paired with the occurrence."""
        left, right = self._split(self.old, self.old_place, cited)
        new_left, new_right = self._split(self.new, self.new_place, spot)
        return lcs_length(left, new_left) + lcs_length(right, new_right) + self._own(cited, spot)

    def holds(self, cited: Span, spot: Span, score: int) -> bool:
        """Pairing them costs less than half of the passage's own words elsewhere."""
        left, right = self._split(self.old, self.old_place, cited)
        new_left, new_right = self._split(self.new, self.new_place, spot)
        without = lcs_length(left + right, new_left + new_right)
        return score - without > self._own(cited, spot) / 2

    def likely(self, passage: Span, candidate: Span) -> bool:
        return self.holds(passage, candidate, self.score(passage, candidate))

    def _own(self, cited: Span, spot: Span) -> int:
        if not self.by_words:
            return 1
        return lcs_length(words(self.old.text[slice(*cited)]), words(self.new.text[slice(*spot)]))

    def _split(self, text: _Text, place: Span, span: Span) -> tuple[list[str], list[str]]:
        if self.by_words:
            return text.tokens.between(place[0], span[0]).words, text.tokens.between(span[1], place[1]).words
        before = [text.text[s:e] for s, e in text.spans if place[0] <= s and e <= span[0]]
        return before, [text.text[s:e] for s, e in text.spans if span[1] <= s and e <= place[1]]


def _between(text: _Text, before: int, after: int) -> Span:
    """The stretch between two paragraphs; -1 and the number of paragraphs stand for the ends."""
    low = text.spans[before][1] if before >= 0 else 0
    return low, max(low, text.spans[after][0] if after < len(text.spans) else len(text.text))


def _nearest(spots: list[Span], place: Span, like: Span, like_place: Span, most: int = 8) -> list[Span]:
    """The occurrences nearest to the same distance from the stretch's start, and from its end."""
    if len(spots) <= most:
        return spots
    from_start = place[0] + like[0] - like_place[0]
    from_end = place[1] + like[1] - like_place[1]
    near = sorted(spots, key=lambda spot: abs(spot[0] - from_start))[: most // 2]
    far = sorted(spots, key=lambda spot: abs(spot[1] - from_end))[: most // 2]
    return sorted({*near, *far})


def _around(text: str, span: Span) -> tuple[list[str], list[str]]:
    """The forty words before and behind a range."""
    before = text[max(0, span[0] - 60 * CONTEXT_WORDS) : span[0]].split()
    return before[-CONTEXT_WORDS:], text[span[1] : span[1] + 60 * CONTEXT_WORDS].split()[:CONTEXT_WORDS]


def _context_likeness(old: str, cited: Span, new: str, spot: Span) -> float:
    """How many of the words around correspond, 0..1, those nearest to the passage counting as much as the rest."""
    likeness = 0.0
    for reach in (60, 240):
        for before, after in zip(_sides_of(old, cited, reach), _sides_of(new, spot, reach), strict=True):
            likeness += lcs_length(before, after) / max(len(before), len(after), 1)
    return likeness / 4


def _sides_of(text: str, span: Span, reach: int) -> tuple[list[str], list[str]]:
    return words(text[max(0, span[0] - reach) : span[0]]), words(text[span[1] : span[1] + reach])


def _at(state: AnchorState, new: _Text, span: Span, *, context_changed: bool) -> Anchor:
    start, end = new.folded.original_range(*span)
    return Anchor(state=state, start=start, end=end, similarity=1.0, context_changed=context_changed)


def _candidates(new: _Text, found: list[tuple[Span, float]]) -> tuple[Candidate, ...]:
    ranges = ((new.folded.original_range(*span), score) for span, score in found[:MOST_CANDIDATES])
    return tuple(Candidate(start=start, end=end, similarity=score) for (start, end), score in ranges)


def _pick(new: _Text, found: list[tuple[Span, float]]) -> Anchor:
    """Several places, or one that only a person can confirm."""
    candidates = _candidates(new, found)
    return Anchor(state=AnchorState.AMBIGUOUS, similarity=candidates[0].similarity, candidates=candidates)


def _edited(new: _Text, found: list[tuple[Span, float]], context_changed: bool) -> Anchor:
    found = sorted(found, key=lambda item: (-item[1], item[0]))
    if not found:
        return Anchor(state=AnchorState.GONE)
    if len(found) > 1 and found[0][1] - found[1][1] < AS_GOOD:
        return _pick(new, [item for item in found if found[0][1] - item[1] < AS_GOOD])
    candidates = _candidates(new, found)
    first = candidates[0]
    return Anchor(
        state=AnchorState.EDITED,
        start=first.start,
        end=first.end,
        similarity=first.similarity,
        candidates=candidates,
        context_changed=context_changed,
    )
