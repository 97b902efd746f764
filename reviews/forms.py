"""The forms of a review. Limits are the library's own, so that a person hears of them beside the field."""

import re
from collections.abc import Mapping
from typing import Any

from django import forms

from reaffirm.decisions.models import ReviewReason, VerdictKind
from reaffirm.decisions.narrowing import TEXT, ReviewSort

SHORT_TEXT = 4_000
LONG_TEXT = 8_000
LIST_ITEMS = 20
NAME = 200
DOCUMENT_KEY = 1_000

PICK = "pick-"
_RANGE = re.compile(r"([0-9]{1,10})-([0-9]{1,10})", re.ASCII)
_NONCE = r"^[0-9a-f]{32}\Z"


class TextField(forms.CharField):
    """Text as it is stored: browsers post CR LF for each line end, and the limit counts what is stored."""

    def to_python(self, value: Any) -> str:
        text = super().to_python(value)
        return text.replace("\r\n", "\n").replace("\r", "\n") if isinstance(text, str) else ""


def _text(limit: int, missing: str, *, required: bool = True) -> TextField:
    return TextField(
        required=required,
        max_length=limit,
        error_messages={
            "required": missing,
            "max_length": "At most %(limit_value)d characters; this has %(show_value)d.",
            "null_characters_not_allowed": "There is a character in it that cannot be stored (NUL). Take it out.",
        },
    )


class SealedForm(forms.Form):
    """What every writing form carries: the request's number and what the person saw."""

    nonce = forms.RegexField(regex=_NONCE)
    seen = forms.CharField(max_length=200_000)

    def picks(self) -> dict[str, tuple[int, int]]:
        """The places that a person chose for ambiguous citations, by support id."""
        return picks_of(self.typed)

    @property
    def typed(self) -> Mapping[str, Any]:
        """What a person had filled in, judged or not."""
        return self.data if self.is_bound else self.initial

    @property
    def is_unreadable(self) -> bool:
        """The hidden part was altered or cut: no field that a person could mend."""
        return bool({"nonce", "seen"} & set(self.errors))


class VerdictForm(SealedForm):
    verdict = forms.ChoiceField(
        choices=[(kind.value, kind.value) for kind in VerdictKind],
        error_messages={"required": "Choose a verdict.", "invalid_choice": "Choose one of the three verdicts."},
    )
    how = forms.ChoiceField(choices=[("same", "same"), ("edit", "edit")], required=False)
    note = _text(SHORT_TEXT, "", required=False)
    explanation = _text(SHORT_TEXT, "", required=False)
    reason = _text(SHORT_TEXT, "", required=False)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        kind = cleaned.get("verdict")
        if kind == VerdictKind.SUPERSEDE and not self.wants_editor and not cleaned.get("explanation"):
            self._complain("explanation", "Say why. Agents and colleagues read this as the reason.")
        if kind == VerdictKind.REJECT and not cleaned.get("reason"):
            self._complain("reason", "Say why it is rejected. Agents and colleagues read this.")
        return cleaned

    @property
    def wants_editor(self) -> bool:
        return self.data.get("verdict") == VerdictKind.SUPERSEDE and self.data.get("how") == "edit"

    def _complain(self, field: str, message: str) -> None:
        if field not in self.errors:
            self.add_error(field, message)


class SupersedeForm(SealedForm):
    """The editor: a new revision. Assumptions and open questions are one to a line."""

    conclusion = _text(SHORT_TEXT, "A revision needs a conclusion.")
    rationale = _text(LONG_TEXT, "Say what the conclusion rests on.")
    explanation = _text(SHORT_TEXT, "Say why. Agents and colleagues read this as the reason.")
    assumptions = _text(LIST_ITEMS * SHORT_TEXT, "", required=False)
    open_questions = _text(LIST_ITEMS * SHORT_TEXT, "", required=False)

    def clean_assumptions(self) -> tuple[str, ...]:
        return self._lines("assumptions")

    def clean_open_questions(self) -> tuple[str, ...]:
        return self._lines("open_questions")

    def _lines(self, field: str) -> tuple[str, ...]:
        lines = tuple(line.strip() for line in self.cleaned_data[field].splitlines() if line.strip())
        if len(lines) > LIST_ITEMS:
            raise forms.ValidationError(f"At most {LIST_ITEMS} lines; this has {len(lines)}.")
        return lines


class QueueFilter(forms.Form):
    """The filters of the queue, from its address. A field that is not valid does not filter, and says so."""

    reason = forms.ChoiceField(choices=[(reason.value, reason.value) for reason in ReviewReason], required=False)
    document = forms.CharField(required=False, max_length=DOCUMENT_KEY, strip=False)
    task = forms.CharField(required=False, max_length=NAME, strip=False)
    choice_key = forms.CharField(required=False, max_length=NAME, strip=False)
    author = forms.CharField(required=False, max_length=NAME, strip=False)
    text = forms.CharField(required=False, max_length=TEXT, label="Words")
    sort = forms.ChoiceField(choices=[(sort.value, sort.value) for sort in ReviewSort], required=False, label="Order")

    def chosen(self) -> dict[str, str]:
        """The valid filters that are set, by parameter."""
        self.is_valid()
        return {name: value for name, value in self.cleaned_data.items() if value and name != "sort"}

    def order(self) -> ReviewSort:
        """The order of the list; it filters nothing."""
        self.is_valid()
        return ReviewSort(self.cleaned_data.get("sort") or ReviewSort.OLDEST)


def picks_of(data: Mapping[str, Any]) -> dict[str, tuple[int, int]]:
    picks = {}
    for name, value in data.items():
        found = _RANGE.fullmatch(str(value)) if name.startswith(PICK) else None
        if found:
            picks[name.removeprefix(PICK)] = (int(found[1]), int(found[2]))
    return picks
