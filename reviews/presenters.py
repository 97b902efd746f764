"""What the templates of a decision need beyond the library's models, computed once per page."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from reaffirm.decisions.causes import LONGEST_WAY
from reaffirm.decisions.models import (
    Acceptance,
    CauseStep,
    Citation,
    Decision,
    DecisionStatus,
    ReviewCase,
    ReviewState,
    VerdictKind,
)
from reaffirm.history.models import REDACTED
from reaffirm.knowledge.diff import passage_diff
from reaffirm.knowledge.models import AnchorState, DiffRow, PassageDiff, Piece
from reviews.order import place_of
from reviews.words import ANCHORS, WAITING, WORST_FIRST, Label, reason_label, standing_label

STANDS = frozenset({AnchorState.EXACT, AnchorState.MOVED})
_FOLD_EXACT_FROM = 8
_OPEN_EXACT_TO = 3
_FAR = 2  # citations from the root; a nearer one is the decision that the cause names
_SHOWN_OF_A_WAY = 4
_REDACTED = Label("Redacted", "eraser", "chip-gone")
_AS_RECORDED = Label("As recorded", "equal", "chip-exact")
_MISSING = Label("Not there", "file-off", "chip-gone")


@dataclass(frozen=True)
class Chip:
    label: Label
    text: str


def citation_chip(citation: Citation) -> Chip:
    """The state of a citation as one chip: an anchor state, or how the cited event or decision stands."""
    label = _citation_label(citation)
    anchor = citation.anchor
    if anchor and anchor.state is AnchorState.EDITED:
        return Chip(label, f"Edited {round(anchor.similarity * 100)} %")
    if anchor and anchor.state is AnchorState.AMBIGUOUS and anchor.candidates:
        return Chip(label, f"{len(anchor.candidates)} candidates")
    return Chip(label, label.text)


def _citation_label(citation: Citation) -> Label:
    if citation.support.kind == "event":
        if citation.event is None:
            return _MISSING
        return _REDACTED if is_redacted(citation) else _AS_RECORDED
    if citation.support.kind == "decision":
        parent = citation.parent
        if parent is None:
            return _MISSING
        label = standing_label(parent.status, parent.review_state)
        return Label(label.text.capitalize(), label.icon, label.tone)
    return ANCHORS[citation.anchor.state if citation.anchor else AnchorState.UNREACHABLE]


def is_redacted(citation: Citation) -> bool:
    event = citation.event
    return event is not None and (event.redacted_at is not None or event.payload == REDACTED)


def still_stands(citation: Citation) -> bool:
    """Nothing for a person to look at: same words, event as recorded, parent clear."""
    if citation.support.kind == "event":
        return citation.event is not None and not is_redacted(citation)
    if citation.support.kind == "decision":
        parent = citation.parent
        return bool(parent and parent.status is DecisionStatus.ACTIVE and parent.review_state is ReviewState.CLEAR)
    return bool(citation.anchor and citation.anchor.state in STANDS)


def can_be_cited(citation: Citation) -> bool:
    """Whether a new revision can cite it: a parent that needs review too, and the one that superseded a parent."""
    if citation.support.kind == "decision":
        return bool(citation.successor or (citation.parent and citation.parent.status is DecisionStatus.ACTIVE))
    return still_stands(citation) or is_edited(citation)


def is_exact(citation: Citation) -> bool:
    if citation.support.kind == "document":
        return bool(citation.anchor and citation.anchor.state is AnchorState.EXACT)
    return still_stands(citation)


def is_edited(citation: Citation) -> bool:
    return bool(citation.anchor and citation.anchor.state is AnchorState.EDITED)


def is_ambiguous(citation: Citation) -> bool:
    return bool(citation.anchor and citation.anchor.state is AnchorState.AMBIGUOUS)


@dataclass(frozen=True)
class Blocker:
    """Why reaffirm is not possible, the citations it concerns, and the cited decisions that come first."""

    sentence: str
    numbers: tuple[int, ...]
    waits_for: tuple[Decision, ...] = ()


@dataclass(frozen=True)
class Way:
    """The decisions that a flag came by, the root first; of many the first ones and the last.

    Attributes:
        root: None when the way is too long to be told, or broken.
        root_id: None when the root is no longer there.
        hidden: How many are left out before the last one.
    """

    root: CauseStep | None
    root_id: str | None
    depth: int
    before: tuple[CauseStep, ...]
    hidden: int
    last: CauseStep | None


@dataclass(frozen=True)
class DecisionPage:
    """Answers about one ``ReviewCase`` that its page asks for."""

    case: ReviewCase

    @property
    def decision(self) -> Decision:
        return self.case.decision

    @property
    def is_open(self) -> bool:
        """A verdict can be given: active and flagged."""
        decision = self.decision
        return decision.status is DecisionStatus.ACTIVE and decision.review_state is ReviewState.NEEDS_REVIEW

    @property
    def flagged_ms(self) -> str:
        """Its place in the queue's order, for the way to the next flag."""
        place = place_of(self.decision)
        return "" if place.flagged_ms is None else str(place.flagged_ms)

    @property
    def standing(self) -> Label:
        return standing_label(self.decision.status, self.decision.review_state)

    @property
    def reason(self) -> Label:
        return reason_label(self.decision.review_reason, self.states, self.case.cause)

    @property
    def way(self) -> Way | None:
        """Where a flag came from that began further up than at the decision which it is named after."""
        cause = self.case.cause
        if cause is None or not cause.root or (cause.depth or 0) < _FAR:
            return None
        between = cause.path[1:-1]
        hidden = max(0, len(between) - _SHOWN_OF_A_WAY)
        return Way(
            root=cause.path[0] if cause.path else None,
            root_id=cause.root if cause.path or (cause.depth or 0) > LONGEST_WAY else None,
            depth=cause.depth or 0,
            before=between[: len(between) - hidden - 1] if hidden else between,
            hidden=hidden,
            last=between[-1] if hidden else None,
        )

    @property
    def accepted(self) -> Acceptance | None:
        """Who accepted the text that stands now before, where it is another one than is cited."""
        return self.case.accepted_before if self.is_open and not self.all_stand else None

    @property
    def accepted_is_all(self) -> bool:
        """That sentence says all that there is to say: one text is cited."""
        return self.accepted is not None and len(self.case.citations) == 1

    @property
    def accepted_revision(self) -> Decision | None:
        """The revision that the text was accepted for, when it is another one than this."""
        found = self.accepted
        revisions = (each for each in self.case.revisions if found and each.id == found.decision_id)
        revision = next(revisions, None)
        return revision if revision and revision.id != self.decision.id else None

    @property
    def states(self) -> dict[str, int]:
        """Anchor states of the document citations, counted, worst first."""
        found = Counter(citation.anchor.state for citation in self.case.citations if citation.anchor)
        return {state.value: found[state] for state in WORST_FIRST if found[state]}

    @property
    def all_stand(self) -> bool:
        return bool(self.case.citations) and all(still_stands(citation) for citation in self.case.citations)

    @property
    def exact_count(self) -> int:
        return sum(is_exact(citation) for citation in self.case.citations)

    @property
    def moved_count(self) -> int:
        return self.states.get(AnchorState.MOVED.value, 0)

    @property
    def folds_exact(self) -> bool:
        """A long list shows first what is not as cited."""
        return len(self.case.citations) >= _FOLD_EXACT_FROM and 0 < self.exact_count < len(self.case.citations)

    @property
    def listed(self) -> tuple[Citation, ...]:
        """The citations that the rail and the evidence show first."""
        if not self.folds_exact:
            return self.case.citations
        return tuple(citation for citation in self.case.citations if not is_exact(citation))

    @property
    def folded(self) -> tuple[Citation, ...]:
        return tuple(citation for citation in self.case.citations if is_exact(citation)) if self.folds_exact else ()

    @property
    def can_reaffirm(self) -> bool:
        return not self.case.blockers

    @property
    def citable(self) -> int:
        """How many citations a new revision can keep, before any pick."""
        return sum(map(can_be_cited, self.case.citations))

    @property
    def can_supersede(self) -> bool:
        """A new revision needs something to cite; an ambiguous citation counts once its place is chosen."""
        return bool(self.citable or self.ambiguous)

    @property
    def dropped(self) -> int:
        """How many citations a new revision loses because they cannot be found now."""
        return len(self.case.citations) - self.citable - len(self.ambiguous)

    @property
    def opens_exact(self) -> bool:
        """A short list shows the text at once; a long one shows first what changed."""
        return len(self.case.citations) <= _OPEN_EXACT_TO

    @property
    def blockers(self) -> list["Blocker"]:
        """Why reaffirm is not possible, one entry per sentence."""
        numbers: dict[str, list[int]] = {}
        for number, sentence in self.case.blockers:
            numbers.setdefault(sentence, []).append(number)
        return [self._blocker(sentence, tuple(of_it)) for sentence, of_it in numbers.items()]

    def _blocker(self, sentence: str, numbers: tuple[int, ...]) -> "Blocker":
        if sentence not in WAITING:
            return Blocker(sentence, numbers)
        parents = (citation.parent for citation in self.case.citations if citation.number in numbers)
        return Blocker(WAITING[sentence], numbers, tuple(parent for parent in parents if parent))

    @property
    def first_choice(self) -> str:
        """The verdict that stands chosen when the page opens; it writes nothing."""
        if self.can_reaffirm:
            return VerdictKind.REAFFIRM.value
        return VerdictKind.SUPERSEDE.value if self.can_supersede else VerdictKind.REJECT.value

    @property
    def ambiguous(self) -> tuple[Citation, ...]:
        return tuple(citation for citation in self.case.citations if is_ambiguous(citation))

    @property
    def next_revision(self) -> int:
        return max((revision.revision for revision in self.case.revisions), default=self.decision.revision) + 1

    @property
    def more_dependents(self) -> int:
        return self.case.dependent_count - len(self.case.dependents)

    @property
    def flags(self) -> str:
        """What supersede and reject flag, in words; of a long list only the first dependents are at hand."""
        count = self.case.dependent_count
        if self.more_dependents:
            return f"up to {count} decisions"
        already = sum(each.review_state is ReviewState.NEEDS_REVIEW for each in self.case.dependents)
        more = count - already
        flagged = f"{more} decision{'s' * (more != 1)}" if more else "nothing more"
        return f"{flagged}, {already} {'is' if already == 1 else 'are'} flagged already" if already else flagged

    @property
    def successor(self) -> Decision | None:
        """The active revision of the choice, when this one is not it."""
        found = (revision for revision in self.case.revisions if revision.status is DecisionStatus.ACTIVE)
        return next((revision for revision in found if revision.id != self.decision.id), None)

    @property
    def reason_given(self) -> str:
        """Why it was rejected, or what its successor says of it."""
        after = next((each for each in self.case.revisions if each.revision == self.decision.revision + 1), None)
        return self.decision.rejection_reason or (after and after.supersession_explanation) or ""

    def authors(self) -> Iterator[str | None]:
        """Everyone whose name the page shows."""
        yield self.case.cause.by if self.case.cause else None
        yield self.accepted.by if self.accepted else None
        for decision in (self.decision, *self.case.dependents, *self.case.revisions, *self.case.precedents):
            yield decision.author
            yield decision.rejected_by
            yield decision.verdict.by if decision.verdict else None
        for citation in self.case.citations:
            yield citation.support.reviewed_by
            yield from (acceptance.by for acceptance in citation.accepted[:1])
            yield citation.event.author if citation.event else None


def is_partly_cited(row: DiffRow) -> bool:
    """The passage is a part of the paragraph, so its words are marked in it."""
    kept = [piece for piece in row.pieces if piece.kind == "same" and any(map(str.isalnum, piece.text))]
    return row.cited and any(piece.cited for piece in kept) and not all(piece.cited for piece in kept)


def text_diff(old: str, new: str) -> PassageDiff:
    """Two wordings of a conclusion or a rationale, all paragraphs shown."""
    if old == new:
        return PassageDiff(rows=(DiffRow(kind="same", pieces=(Piece(kind="same", text=old),)),))
    paragraphs = old.count("\n") + new.count("\n") + 1
    return passage_diff(old_text=old, old_range=None, new_text=new, new_range=None, context=paragraphs)
