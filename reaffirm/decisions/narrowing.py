"""What the review list can be narrowed to and sorted by: checked, and as the statements take it."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

from reaffirm import fields, ids
from reaffirm.decisions.models import ReviewReason
from reaffirm.store import ValueRefused

LATEST = 2**62  # after every flag
TEXT, WORDS = 500, 20
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECOND = timedelta(milliseconds=1)


class ReviewSort(StrEnum):
    """The orders of the review list. Equal flags are ordered by id, so that each has one place."""

    OLDEST = "oldest"
    MOST_DEPENDENTS = "most_dependents"
    SMALLEST_CHANGE = "smallest_change"


@dataclass(frozen=True)
class Filters:
    """What a page is narrowed to; None = not.

    Attributes:
        source_change: The activation that raised the flag.
        since, until: When it was raised, in epoch milliseconds: from ``since`` on, before ``until``.
        words: Each stands in the conclusion, the question or the choice key; in lower case.
    """

    task_id: str | None = None
    reason: ReviewReason | None = None
    choice_key: str | None = None
    document_id: str | None = None
    source_change: str | None = None
    author: str | None = None
    since: int = 0
    until: int = LATEST
    words: tuple[str, ...] = ()

    def params(self) -> dict[str, Any]:
        """What MATCHES asks for. The document is not among it: its flags are found from its supports."""
        return {
            "reason": self.reason,
            "task_id": self.task_id,
            "choice_key": self.choice_key,
            "source_change": self.source_change,
            "author": self.author,
            "since": self.since,
            "until": self.until,
            "words": list(self.words),
        }


def filters_of(
    project_id: str,
    *,
    task_name: object = None,
    reason: object = None,
    document_key: object = None,
    source_change: object = None,
    choice_key: object = None,
    author: object = None,
    flagged_before: object = None,
    flagged_after: object = None,
    text: object = None,
) -> Filters:
    """Check the filters of a call.

    Raises:
        ValueRefused: A value that no record can have, so that nothing matches it.
    """
    task = None if task_name is None else fields.name("task_name", task_name)
    document = None if document_key is None else fields.document_key("document_key", document_key)
    return Filters(
        task_id=task and ids.task_id(project_id, task),
        reason=None if reason is None else fields.choice("reason", reason, ReviewReason),
        choice_key=None if choice_key is None else fields.name("choice_key", choice_key),
        document_id=document and ids.document_id(document),
        source_change=None if source_change is None else _uuid("source_change", source_change),
        author=None if author is None else fields.name("author", author),
        since=0 if flagged_after is None else _milliseconds("flagged_after", flagged_after),
        until=LATEST if flagged_before is None else _milliseconds("flagged_before", flagged_before),
        words=() if text is None else _words(text),
    )


def sort_of(value: object) -> ReviewSort:
    """An order; what is none is the first of them."""
    try:
        return ReviewSort(value)  # type: ignore[arg-type]
    except (ValueError, TypeError):
        return ReviewSort.OLDEST


def _uuid(field: str, value: object) -> str:
    if not isinstance(value, str) or not ids.is_uuid(value):
        raise ValueRefused(field, "is not the id of an activation")
    return value


def _milliseconds(field: str, value: object) -> int:
    """The first whole millisecond at or after a moment. One without a zone is taken as UTC."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            raise ValueRefused(field, "is not a time in ISO 8601") from None
    if not isinstance(value, datetime):
        raise ValueRefused(field, "is not a time")
    moment = value if value.tzinfo else value.replace(tzinfo=UTC)
    return -((EPOCH - moment) // MILLISECOND)


def _words(value: object) -> tuple[str, ...]:
    checked = fields.text("text", value, TEXT, required=False)
    found = dict.fromkeys(checked.lower().split())
    if len(found) > WORDS:
        raise ValueRefused("text", f"has {len(found)} words; the limit is {WORDS}")
    return tuple(found)
