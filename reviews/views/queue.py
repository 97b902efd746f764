"""The queue of flags, and the way to the next one."""

import re
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from console.access import MemberRequest, member_required
from console.graph import decisions_for, graph_store
from console.jobs import worker_alive
from console.models import Project
from console.notices import PARAMETER
from reaffirm.decisions import DecisionTraces, place_flags
from reaffirm.decisions.models import ReviewPage
from reaffirm.decisions.narrowing import ReviewSort
from reaffirm.knowledge import Graph
from reaffirm.store import StoreError
from reviews.filters import Filters, filters_of, narrowed, narrowing
from reviews.forms import QueueFilter
from reviews.names import names_for
from reviews.order import Place, flag_beside
from reviews.words import ORDERS, REASONS

PAGE = 50
NAMED = {"reopened", "redaction", "deletion"}  # causes that are told with a name
PLACED_AT_ONCE = 1_000
ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
MILLISECONDS = re.compile(r"[0-9]{1,15}", re.ASCII)


@require_safe
@member_required()
def queue(request: MemberRequest, project: Project) -> HttpResponse:
    """The flags of a project in one of three orders, a page at a time."""
    form = QueueFilter(request.GET)
    filters, sort = form.chosen(), form.order()
    listed = Listed(decisions_for(project, request.user), filters, sort)
    page = _page(listed, request.GET.get("cursor"), "back" in request.GET)
    if _all_placed(project, page):
        # Once more with them, as a request of its own: the reads of a page stay few.
        return redirect(request.get_full_path())
    context = {
        "project": project,
        "nav": "queue",
        "counts": page.counts,
        "roles": request.roles,
        "page": page,
        "names": names_for(row.cause.by for row in page.rows if row.cause.kind in NAMED),
        "form": form,
        "filters": filters,
        "sort": "" if sort is ReviewSort.OLDEST else sort.value,
        "order": ORDERS[sort],
        "orders": [(each.value, name) for each, name in ORDERS.items()],
        "tabs": [(reason, label, page.counts.by_reason.get(reason, 0)) for reason, label in REASONS.items()],
        "offered": _offered(page),
        "unlisted": max(page.counts.flagged - page.counts.listed, 0),
        "worker_alive": worker_alive(),
    }
    return TemplateResponse(request, "reviews/queue.html", context)


def _offered(page: ReviewPage) -> list[tuple[str, list[tuple[str, str]]]]:
    """What the filters offer, by the id of its list: the exact keys in the rows shown, a document's with its title."""
    documents = {row.cause.document_key: row.cause.document_title or "" for row in page.rows if row.cause.document_key}
    tasks = {decision.task_name for decision in page.decisions}
    choices = {decision.choice_key for decision in page.decisions}
    authors = {decision.author for decision in page.decisions}
    return [
        ("f-documents", sorted((key, "" if title == key else title) for key, title in documents.items())),
        ("f-tasks", [(name, "") for name in sorted(tasks)]),
        ("f-choices", [(key, "") for key in sorted(choices)]),
        ("f-authors", [(name, "") for name in sorted(authors)]),
    ]


def _all_placed(project: Project, page: ReviewPage) -> bool:
    """Give flags their place in the order that another program raised, or that an activation left to batches.

    True when some lacked it and now none does.
    """
    unlisted = page.counts.flagged - page.counts.listed
    if unlisted <= 0:
        return False
    try:
        placed = place_flags(graph_store(), project.graph_id, limit=min(unlisted, PLACED_AT_ONCE))
        if placed < unlisted:
            Graph(graph_store()).continue_flagging(min(unlisted, PLACED_AT_ONCE))
        return placed == unlisted
    except StoreError:
        # The beat job does the same; until then the page says that some are still to be listed.
        return False


@dataclass(frozen=True)
class Listed:
    """A list as it is asked for."""

    traces: DecisionTraces
    filters: Filters
    sort: ReviewSort

    def page(self, cursor: str | None, backwards: bool) -> ReviewPage:
        return self.traces.list_decisions_for_review(
            sort=self.sort, limit=PAGE, cursor=cursor, backwards=backwards, **narrowing(self.filters)
        )


def _page(listed: Listed, cursor: str | None, backwards: bool) -> ReviewPage:
    """The page at ``cursor``; when the list shrank under the reader, its last page (cases.md 05)."""
    page = listed.page(cursor, backwards)
    if not page.rows and page.count and cursor:
        page = listed.page(cursor, not backwards)
        if not page.rows:
            page = listed.page(None, False)
    return page


@require_safe
@member_required()
def next_flag(request: MemberRequest, project: Project) -> HttpResponse:
    """To the flag after or before a decision in the filtered queue, else to its oldest; to the list when it is empty.

    At either end the person stays and is told so, except behind a flag that is ``cleared``.
    """
    before, filters = request.GET.get("before", ""), filters_of(request)
    place = _place(before or request.GET.get("after", ""), request.GET.get("at", ""))
    found = flag_beside(
        decisions_for(project, request.user),
        place,
        filters,
        backwards=bool(before),
        cleared="cleared" in request.GET,
    )
    if found and found == place.decision_id:
        messages.info(request, f"This is the {'first' if before else 'last'} flag{' of this filter' * bool(filters)}.")
    address = reverse("reviews:decision", args=[project.slug, found]) if found else _queue_of(project)
    # A message that waits for the end of the redirects goes on to it.
    return redirect(narrowed(address, filters, **{PARAMETER: request.GET.get(PARAMETER, "")}))


def _queue_of(project: Project) -> str:
    return reverse("reviews:queue", args=[project.slug])


def _place(decision_id: str, flagged_ms: str) -> Place:
    """From the address, where anything may stand: what is not a place leads to the oldest flag."""
    known = ID.fullmatch(decision_id) and MILLISECONDS.fullmatch(flagged_ms)
    return Place(decision_id, int(flagged_ms) if known else None)
