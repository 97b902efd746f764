"""Where a cited passage stands in the current version of its document.

The order of the search: the same words at the aligned place; the same words elsewhere; similar words at the aligned
place; very similar words elsewhere. "Place" is decided by what stands around the passage, never by the offset. A
candidate that another passage of the old version explains as well or better is not taken: that is what keeps a
deleted sentence from being found again in the one beside it.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from functools import cached_property

from reaffirm.knowledge.alignment import Span, forced_pairs, words
from reaffirm.knowledge.folding import fold, fold_words
from reaffirm.knowledge.models import Anchor, AnchorState, Candidate
from reaffirm.knowledge.passages import (
    Text,
    cited_span,
    joined_at,
    keeps_names,
    keeps_subject,
    overlaps,
    read,
    spots_of,
    whole_words,
)
from reaffirm.knowledge.places import Held, Place, around, between, context_likeness, nearest
from reaffirm.knowledge.similar import Needle, Tokens, similarity

SAME_PLACE = 0.6  # least similarity of an edited passage at its aligned place
NAME_LOST = 0.8  # the same when its subject or a name in it was replaced
LONG_PASSAGE = 30  # words from which on a lost name does not make it another passage
TOO_SHORT = 3  # words and signs up to which a sentence (``6.``, ``Yes.``) is nobody's own
BETTER = 0.1  # a passage elsewhere that is so much liker than the one at the place makes it a question
SAME_SENTENCE = 0.4  # least similarity of the sentence around a few words that were cited out of it
ELSEWHERE = 0.9  # least similarity of an edited passage at another place or without the old text …
ELSEWHERE_WORDS = 10  # … which must also be this long: one word in fewer is too much to differ
AS_GOOD = 0.05  # two candidates nearer to each other than this are equally plausible
RIVAL = 0.02  # a passage of the old text this near explains a candidate as well as the cited one
FEW_OF_MANY = 0.3  # a paragraph with less of the cited words than this share of the fullest one is no part of them
MOST_CANDIDATES = 20
MOST_SPOTS = 50  # occurrences weighed against each other; more than this and a person picks


def occurrences(text: str, quote: str) -> list[Span]:
    """Every place where the quote stands as whole words, white space and Unicode form folded; original offsets."""
    folded = fold(text)
    return [folded.original_range(*spot) for spot in spots_of(folded.text, fold_words(quote))]


class Kept(dict[int, int]):
    """Numbers of the paragraphs that are the same, in the old text and the new one."""

    @cached_property
    def numbers(self) -> list[int]:
        """In the old text, rising: a passage is placed among them without walking all."""
        return sorted(self)


class Reading:
    """Texts as they were read, and how two of them align, kept while many passages of the same ones are looked for.

    For the length of one call: nothing may keep the words of a document longer than the graph does.
    """

    def __init__(self) -> None:
        self._texts: dict[str, Text] = {}
        self._pairs: dict[tuple[str, str], Kept] = {}

    def text(self, text: str) -> Text:
        if text not in self._texts:
            self._texts[text] = read(text)
        return self._texts[text]

    def pairs(self, old: Text, new: Text) -> Kept:
        key = (old.text, new.text)
        if key not in self._pairs:
            self._pairs[key] = Kept(forced_pairs(old.keys, new.keys))
        return self._pairs[key]


def anchor(
    *,
    cited_text: str,
    old_text: str | None,
    old_range: Span | None,
    new_text: str | None,
    reading: Reading | None = None,
) -> Anchor:
    """Find a cited passage in the current text.

    Args:
        cited_text: The passage as it was cited.
        old_text: The version it was cited from; None when it cannot be read or its offsets are unknown.
        old_range: The passage's place in ``old_text``, in code points, end exclusive.
        new_text: The current version; None when nothing of it can be read.
        reading: Shared by the calls for many passages.

    Returns:
        State, range in ``new_text`` (code points, whole words of the passage without blanks around), candidates.
    """
    if new_text is None:
        return Anchor(state=AnchorState.UNREACHABLE)
    quote = fold_words(cited_text)
    if not quote or not new_text.strip():
        return Anchor(state=AnchorState.GONE)
    reading = reading or Reading()
    new = reading.text(new_text)
    old = reading.text(old_text) if old_text and old_text.strip() else None
    cited = cited_span(old, old_range, quote) if old else None
    if old is None or cited is None:
        return _without_old(quote, new)
    return _Search(quote, old, cited, new, reading.pairs(old, new)).anchor()


def _without_old(quote: str, new: Text) -> Anchor:
    spots = list(spots_of(new.text, quote, most=MOST_CANDIDATES))
    if len(spots) == 1:
        return _at(AnchorState.EXACT, new, spots[0], context_changed=False)
    if spots:
        return _pick(new, [(spot, 1.0) for spot in spots])
    needle = Needle.of(quote, (0, len(quote)))
    if len(needle.tokens) < ELSEWHERE_WORDS:
        return Anchor(state=AnchorState.GONE)
    found = [(span, score) for span, score in needle.find(Tokens.of(new.text), new.sentences) if score >= ELSEWHERE]
    return _edited(new, [(span, score) for span, score in found if keeps_names(quote, new.text[slice(*span)])], False)


class _Search:
    """One search for one passage: the old text, the passage in it, the new text, and the stretch where it should be."""

    def __init__(self, quote: str, old: Text, cited: Span, new: Text, pairs: Kept) -> None:
        self.quote, self.old, self.cited, self.new = quote, old, cited, new
        self.joined = joined_at(old.text, cited)
        self.hull = old.sentences(cited)
        self.paragraph = old.within(cited)
        self.pairs = pairs

    def anchor(self) -> Anchor:
        kept = self._in_kept_paragraphs()
        if kept:
            return self._found(AnchorState.EXACT, kept)
        spots = list(spots_of(self.new.text, self.quote, joined=self.joined))
        place = self._at_place(spots)
        if place.certain:
            return self._found(AnchorState.EXACT, place.here[0])
        if place.here:
            return _pick(self.new, [(spot, 1.0) for spot in place.here])
        return self._changed(spots, self._unclaimed([spot for spot in spots if spot not in place.claimed]))

    def _changed(self, spots: list[Span], moved: list[Span]) -> Anchor:
        """The passage is not at its place word for word: moved, edited, gone, or undecided between the first two."""
        edited = [item for item in self._edited_here() if not overlaps(item[0], spots)]
        liker = self._liker_elsewhere(edited) if edited and not moved else []
        if edited and (moved or liker):  # nothing tells whether the passage went there or was edited here
            return _pick(self.new, [*((spot, 1.0) for spot in moved), *liker, *edited])
        if len(moved) == 1:
            return self._found(AnchorState.MOVED, moved[0])
        if moved:
            return _pick(self.new, [(spot, 1.0) for spot in moved])
        found = edited or [item for item in self._edited_elsewhere() if not overlaps(item[0], spots)]
        found.sort(key=lambda item: (-item[1], item[0]))
        return _edited(self.new, found, bool(found) and self._context_changed(found[0][0]))

    def _found(self, state: AnchorState, span: Span) -> Anchor:
        return _at(state, self.new, span, context_changed=self._context_changed(span))

    # -- the place -------------------------------------------------------------------------------------------------

    @cached_property
    def place(self) -> Place:
        """The stretch of the old text around the passage, and that of the new one, between kept paragraphs."""
        first, last = self.paragraph
        numbers = self.pairs.numbers
        below, above = bisect_left(numbers, first), bisect_right(numbers, last)
        low = numbers[below - 1] if below else -1
        high = numbers[above] if above < len(numbers) else len(self.old.spans)
        after, before = self.pairs.get(low, -1), self.pairs.get(high, len(self.new.spans))
        return Place(self.old, between(self.old, low, high), self.new, between(self.new, after, before))

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

    def _at_place(self, spots: list[Span]) -> Held:
        """Of the occurrences in the aligned stretch, those that an alignment of the two stretches puts there.

        An occurrence is in place when pairing it with the passage costs less than half of its own words elsewhere. It
        belongs to another occurrence of the old text when pairing it with that one costs less.
        """
        low, high = self.place.new_place
        inside = [spot for spot in spots if low <= spot[0] and spot[1] <= high]
        if not inside:
            return Held()
        low, high = self.place.old_place
        twins = [span for span in self._twins if low <= span[0] and span[1] <= high]
        near = nearest(inside, self.place.new_place, self.cited, self.place.old_place)
        scores = {spot: self.place.score(self.cited, spot) for spot in near}
        best = max(scores.values())
        held = Held()
        for spot in (spot for spot in near if scores[spot] == best):
            twin = max(
                (self.place.score(t, spot) for t in nearest(twins, self.place.old_place, spot, self.place.new_place)),
                default=-1,
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
        spots = spots_of(self.old.text, self.quote, joined=self.joined)
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
        mine = context_likeness(self.old.text, self.cited, self.new.text, spot)
        best = max((context_likeness(self.old.text, other, self.new.text, spot) for other in others), default=0.0)
        return best > mine

    # -- similar words ---------------------------------------------------------------------------------------------

    def _edited_here(self) -> list[tuple[Span, float]]:
        """Similar passages at the place, as an alignment of the two stretches confirms."""
        return self._narrowed(
            (span, score)
            for span, score in self._like(self.place.new_tokens, SAME_PLACE)
            if (score >= NAME_LOST or self._same_subject(span)) and self.place.likely(self.hull, span)
        )

    def _liker_elsewhere(self, here: list[tuple[Span, float]]) -> list[tuple[Span, float]]:
        """Passages at other places that are clearly more like the cited one than those at its place."""
        best = max(score for _, score in here)
        if best + BETTER > 1:
            return []
        found = self._narrowed(
            (span, score)
            for span, score in self._like(self._not_kept_of_new, best + BETTER)
            if self._same_subject(span)
        )
        return [(span, score) for span, score in found if not overlaps(span, [other for other, _ in here])]

    def _like(self, hay: Tokens, least: float) -> list[tuple[Span, float]]:
        """Passages like the cited sentences, less what other passages of the old text lay claim to."""
        found = []
        for span, score in self._needle.find(hay, self.new.sentences):
            own = self._unclaimed_part(span) if score >= least else None
            if own and own != span:
                score = similarity(self.old.text[slice(*self.hull)], self.new.text[slice(*own)])
            if own and score >= least and not self._has_rival(own, score):
                found.append((own, score))
        return found

    def _unclaimed_part(self, span: Span) -> Span | None:
        """The range without sentences at its ends that stood elsewhere in the old text already."""
        pieces = self.new.pieces(span)
        while pieces and self._stood_elsewhere(pieces[0]):
            del pieces[0]
        while pieces and self._stood_elsewhere(pieces[-1]):
            del pieces[-1]
        if not pieces:
            return None
        own = max(span[0], pieces[0][0]), min(span[1], pieces[-1][1])
        return own if own[0] < own[1] else None

    def _stood_elsewhere(self, piece: Span) -> bool:
        passage = self.new.text[slice(*piece)]
        start, end = self.hull
        if len(words(passage)) <= TOO_SHORT or passage in self.old.text[start:end]:
            return False
        return passage in self.old.text[:start] or passage in self.old.text[end:]

    def _same_subject(self, span: Span) -> bool:
        if len(self._needle.tokens) > LONG_PASSAGE:
            return True
        return keeps_subject(self._needle.passage, self.new.text[slice(*span)])

    def _edited_elsewhere(self) -> list[tuple[Span, float]]:
        """Long passages that are nearly the same, names and numbers too."""
        hull = self.old.text[slice(*self.hull)]
        if len(self._needle.tokens) < ELSEWHERE_WORDS:
            return []
        return self._narrowed(
            (span, score)
            for span, score in self._like(self._not_kept_of_new, ELSEWHERE)
            if keeps_names(hull, self.new.text[slice(*span)])
        )

    @cached_property
    def _not_kept_of_old(self) -> Tokens:
        """Only these can have become something else: a kept paragraph is where it is."""
        return Tokens.joined(self.old.text, (s for n, s in enumerate(self.old.spans) if n not in self.pairs))

    @cached_property
    def _not_kept_of_new(self) -> Tokens:
        kept = set(self.pairs.values())
        return Tokens.joined(self.new.text, (s for n, s in enumerate(self.new.spans) if n not in kept))

    @cached_property
    def _needle(self) -> Needle:
        """Passages are looked for by their whole sentences; a few words alone are like too much."""
        return Needle.of(self.old.text, self.hull)

    def _narrowed(self, found: Iterable[tuple[Span, float]]) -> list[tuple[Span, float]]:
        """What was cited of each sentence, and how like the cited words it is."""
        parts = (self._needle.narrowed(self.cited, self.new.text, span) for span, _ in found)
        whole = [self._rounded(whole_words(self.new.text, part, self.joined)) for part in parts if part is not None]
        return [(part, similarity(self.quote, self.new.text[slice(*part)])) for part in whole]

    def _rounded(self, part: Span) -> Span:
        """A found range as it would have been cited: whole sentences where the citation had whole ones, since words
        that were added at their ends belong to them, and no paragraph beyond those of a citation out of a single one.
        """
        start, end = self._own_paragraphs(part) if self.paragraph[0] == self.paragraph[1] else part
        low, high = self.new.sentences((start, end))
        if self.cited[0] == self.hull[0]:
            start = low
        if not re.search(r"\w", self.old.text[self.cited[1] : self.hull[1]]):
            end = high
            if self.cited[1] < self.hull[1]:  # cited without the full stop
                end = max(start + 1, start + len(self.new.text[start:high].rstrip(".!?…。！？")))
        return start, end

    def _own_paragraphs(self, part: Span) -> Span:
        """The range without paragraphs at its ends that hold little of the cited words: a heading, what follows."""
        quoted = set(words(self.quote))
        first, last = self.new.within(part)
        pieces = [
            (max(part[0], start), min(part[1], end), start, end) for start, end in self.new.spans[first : last + 1]
        ]
        told = [words(self.new.text[start:end]) for start, end, _, _ in pieces]
        kept = [sum(map(quoted.__contains__, each)) for each in told]
        most = max(range(len(pieces)), key=lambda n: kept[n])

        def belongs(n: int) -> bool:
            return kept[n] > FEW_OF_MANY * max(1, kept[most]) and 2 * kept[n] >= len(told[n])

        low = high = most
        while low > 0 and belongs(low - 1):
            low -= 1
        while high + 1 < len(pieces) and belongs(high + 1):
            high += 1
        return pieces[low][0], pieces[high][1]

    def _has_rival(self, span: Span, score: float) -> bool:
        """Another passage of the old text is as like this candidate, and was not itself kept word for word."""
        candidate = Needle.of(self.new.text, span)
        start, end = self.hull
        if candidate.passage in self.old.text[:start] or candidate.passage in self.old.text[end:]:
            return True
        rest = self._not_kept_of_old
        for hay in (rest.between(0, start), rest.between(end, len(self.old.text))):
            for other, likeness in candidate.find(hay, None):
                if likeness > score - RIVAL and self.old.text[slice(*other)] not in self.new.text:
                    return True
        return False

    # -- the words around ------------------------------------------------------------------------------------------

    def _context_changed(self, span: Span) -> bool:
        return around(self.old.text, self.cited) != around(self.new.text, span)


def _at(state: AnchorState, new: Text, span: Span, *, context_changed: bool) -> Anchor:
    start, end = new.folded.original_range(*span)
    return Anchor(state=state, start=start, end=end, similarity=1.0, context_changed=context_changed)


def _candidates(new: Text, found: list[tuple[Span, float]]) -> tuple[Candidate, ...]:
    ranges = ((new.folded.original_range(*span), score) for span, score in found[:MOST_CANDIDATES])
    return tuple(Candidate(start=start, end=end, similarity=score) for (start, end), score in ranges)


def _pick(new: Text, found: list[tuple[Span, float]]) -> Anchor:
    """Several places, or one that only a person can confirm."""
    candidates = _candidates(new, found)
    return Anchor(state=AnchorState.AMBIGUOUS, similarity=candidates[0].similarity, candidates=candidates)


def _edited(new: Text, found: list[tuple[Span, float]], context_changed: bool) -> Anchor:
    """Of passages that are alike, best first, the first; a person picks when another is as good; gone without any."""
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
