"""The filter of the queue as it travels with a person: from the list to a flag, on to the next one, and back."""

from typing import TypedDict
from urllib.parse import urlencode

from django.http import HttpRequest

from reaffirm.decisions.models import ReviewReason
from reviews.forms import QueueFilter

Filters = dict[str, str]


class Narrowing(TypedDict):
    """The filter as arguments of ``list_decisions_for_review``."""

    task_name: str | None
    reason: ReviewReason | None
    document_key: str | None
    choice_key: str | None
    author: str | None
    text: str | None


def filters_of(request: HttpRequest) -> Filters:
    """The valid filters in the address of a request, whatever else stands there."""
    return QueueFilter(request.GET).chosen()


def narrowing(filters: Filters) -> Narrowing:
    return Narrowing(
        task_name=filters.get("task"),
        reason=ReviewReason(filters["reason"]) if "reason" in filters else None,
        document_key=filters.get("document"),
        choice_key=filters.get("choice_key"),
        author=filters.get("author"),
        text=filters.get("text"),
    )


def narrowed(address: str, filters: Filters, **more: str) -> str:
    """An address with other parameters before the filters; without a question mark when there is nothing to ask."""
    query = urlencode({name: value for name, value in {**more, **filters}.items() if value})
    return f"{address}?{query}" if query else address
