"""Words and small looks for the review templates."""

import re
from typing import Any
from urllib.parse import urlencode

from django import template
from django.urls import reverse
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from reaffirm.decisions.models import Acceptance, CauseStep, Citation, Decision, ReviewRow, VerdictKind
from reaffirm.knowledge.models import Candidate, DiffRow
from reviews import presenters, words
from reviews.filters import narrowed
from reviews.names import Names, is_person

register = template.Library()

_SIGNS = {"change": "±", "add": "+", "del": "−", "moved": "↷", "moved_away": "↶", "space": "·"}
_ROW_CLASSES = {"change": "is-change", "moved": "is-change", "add": "is-add", "del": "is-del", "moved_away": "is-del"}
# Marks and overrides of writing direction. In a title or an aria-label no element can isolate them.
_LONG_RUN = re.compile(r"\S{120,}")
# About sixty characters each: an escaped one (&amp;) stays whole, and so does a character with its combining marks.
_UNITS = re.compile(r"(?:(?:&[#\w]{1,8};|[\s\S])[\u0300-\u036f\u200d\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]*){1,60}")
_BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


@register.filter
def name_in(author: str | None, names: Names) -> str:
    return names.of(author) if author else ""


@register.filter
def is_agent(author: str) -> bool:
    return not is_person(author)


@register.filter
def breakable(text: str | None) -> SafeString:
    """Foreign text, escaped, with places to break in long runs without a blank.

    Chromium shapes such a run anew for each line when the font kerns: 32,000 characters took it half a minute.
    """
    return mark_safe(_LONG_RUN.sub(_with_breaks, escape(text or "")))  # noqa: S308 - escaped, and only <wbr> added


def _with_breaks(run: re.Match[str]) -> str:
    return "<wbr>".join(_UNITS.findall(run[0]))


@register.filter
def without_bidi(text: str) -> str:
    """For places that hold plain text only, as the title of the page."""
    return _BIDI.sub("", text)


def isolated(text: str) -> str:
    """A foreign text inside a plain sentence of ours: nothing in it can turn the rest around."""
    return f"\u2068{without_bidi(text)}\u2069"


@register.filter
def chip_of(citation: Citation) -> presenters.Chip:
    return presenters.citation_chip(citation)


@register.filter
def fate(citation: Citation) -> str:
    """What a new revision does with a citation."""
    if presenters.can_be_cited(citation):
        return "cites the current text" if citation.support.kind == "document" else "cited again"
    if presenters.is_ambiguous(citation):
        return "choose its place, or it falls away"
    return "cannot be cited"


@register.filter
def letter(number: int) -> str:
    """1 → A; past Z the number itself."""
    return chr(64 + number) if 1 <= number <= 26 else str(number)


@register.filter
def is_exact(citation: Citation) -> bool:
    return presenters.is_exact(citation)


@register.filter
def is_redacted(citation: Citation) -> bool:
    return presenters.is_redacted(citation)


@register.filter
def standing_of(decision: Decision) -> words.Label:
    return words.standing_label(decision.status, decision.review_state)


@register.filter
def step_standing(step: CauseStep) -> str:
    """How a decision on the way of a flag stands now, in words."""
    return words.standing_label(step.status, step.review_state).text


@register.filter
def accepting(acceptance: Acceptance) -> str:
    """What somebody did who accepted a text, in words."""
    return words.ACCEPTED[acceptance.kind]


@register.filter
def reason_of(row: ReviewRow) -> words.Label:
    return words.reason_label(row.decision.review_reason, row.states, row.cause)


@register.filter
def also_cited(row: ReviewRow) -> list[str]:
    """The cited documents besides the one that is named as the cause."""
    named = {row.cause.document_title, row.cause.document_key}
    return [title for title in row.document_titles if title not in named]


@register.filter
def state_chips(row: ReviewRow) -> list[tuple[words.Label, int]]:
    """Counted states of a queue row, worst first."""
    counted = ((state, row.states.get(state.value, 0)) for state in words.WORST_FIRST)
    return [(words.ANCHORS[state], count) for state, count in counted if count]


@register.filter
def verdict_label(kind: str) -> words.Label:
    return words.VERDICTS[VerdictKind(kind)]


@register.filter
def sign_of(row: DiffRow) -> str:
    return _SIGNS.get(row.kind, "")


@register.filter
def class_of(row: DiffRow) -> str:
    return _ROW_CLASSES.get(row.kind, "is-same")


@register.filter
def is_partly_cited(row: DiffRow) -> bool:
    return presenters.is_partly_cited(row)


@register.simple_tag
def checked_if_picked(picks: dict[str, tuple[int, int]] | None, support_id: str, place: Candidate) -> str:
    """`` checked`` when the person had chosen this place."""
    return " checked" if (picks or {}).get(support_id) == (place.start, place.end) else ""


@register.filter
def percent_alike(similarity: float) -> str:
    return f"{percent(similarity)} % alike"


@register.filter
def percent(similarity: float) -> int:
    return round(similarity * 100)


@register.filter
def around(citation: Citation, index: int) -> tuple[str, str] | None:
    """The words before and behind a candidate, where the library tells them."""
    contexts: tuple[tuple[str, str], ...] = getattr(citation, "candidate_contexts", ())
    return contexts[index] if index < len(contexts) else None


@register.filter
def pair(texts: tuple[str, ...], index: int) -> str:
    """The text at ``index``, or nothing."""
    return texts[index] if index < len(texts) else ""


@register.simple_tag
def query(filters: dict[str, str], **changes: str | None) -> str:
    """The filters as an address part, with changes; an empty value takes a filter away."""
    merged = {**filters, **changes}
    text = urlencode({name: value for name, value in merged.items() if value})
    return f"?{text}" if text else "?"


@register.simple_tag(takes_context=True)
def filtered(context: dict[str, Any], **more: object) -> str:
    """The end of an address that takes the filter of the queue along, and other parameters."""
    return narrowed("", context.get("filters") or {}, **{name: str(value) for name, value in more.items()})


@register.simple_tag(takes_context=True)
def beside(context: dict[str, Any], side: str) -> str:
    """The address of the flag ``after`` or ``before`` the one that the page shows, in the filtered queue."""
    page: presenters.DecisionPage = context["page"]
    place = {side: page.decision.id, "at": page.flagged_ms, "cleared": "" if page.is_open else "1"}
    return narrowed(reverse("reviews:next", args=[context["project"].slug]), context.get("filters") or {}, **place)
