"""The page of one decision: its citations then and now, its text, and the verdict form."""

from typing import Any
from uuid import UUID, uuid4

from django.http import Http404, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from console.access import MemberRequest, member_required
from console.graph import decisions_for
from console.jobs import worker_alive
from console.models import Project
from reaffirm.decisions import DecisionTraces
from reaffirm.decisions.models import ReviewCase, ReviewCounts
from reviews.filters import filters_of
from reviews.forms import PICK, SealedForm, VerdictForm
from reviews.fragments import is_fragment
from reviews.names import names_for
from reviews.notices import Notice
from reviews.presenters import DecisionPage
from reviews.seal import seal
from reviews.services import ROLES
from reviews.typed import typed_in

_TYPED = (("note", "Note"), ("explanation", "Why"), ("reason", "Reason"))


@require_safe
@member_required()
def decision(request: MemberRequest, project: Project, decision_id: UUID) -> HttpResponse:
    traces = decisions_for(project, request.user)
    case = case_or_404(traces, decision_id)
    return render_decision(request, project, case, traces.review_counts())


def case_or_404(traces: DecisionTraces, decision_id: UUID) -> ReviewCase:
    case = traces.review_case(str(decision_id))
    if case is None:
        raise Http404("no such decision in this project")
    return case


def render_decision(
    request: MemberRequest,
    project: Project,
    case: ReviewCase,
    counts: ReviewCounts | None,
    *,
    form: VerdictForm | None = None,
    notice: Notice | None = None,
    same_form: bool = False,
    status: int = 200,
) -> HttpResponse:
    """The page, or for htmx its panel ``#verdict``.

    Args:
        form: What the person had posted, to be shown again.
        same_form: The posted form goes on with its own number and seal: nothing was written and nothing reloaded.
            Otherwise it gets new ones, which hold only where the evidence is drawn anew: never in a lone panel.
    """
    page = DecisionPage(case)
    fragment = is_fragment(request)
    panel = _panel(page, request.roles, form, alone=fragment and not same_form and form is not None)
    keeps = form is not None and same_form
    typed = form.typed if form else {}
    context = {
        "project": project,
        "nav": "queue",
        "counts": counts,
        "roles": request.roles,
        "filters": filters_of(request),
        "page": page,
        "names": names_for(page.authors()),
        "panel": panel,
        "form": form or VerdictForm(),
        "picks": form.picks() if form else {},
        "chosen": typed.get("verdict") or page.first_choice,
        "first_fault": first_fault(form),
        "first_message": form.errors[first_fault(form)][0] if form and first_fault(form) else "",
        "nonce": typed.get("nonce", "") if keeps else uuid4().hex,
        "seen": typed.get("seen", "") if keeps else seal(case.seen, case.decision.id),
        "notice": notice,
        "said": f"{notice.heading}. {notice.said}" if notice else "",
        "oob": fragment,
        "worker_alive": worker_alive(),
        **(_kept(project, page, form) if panel == "kept" and form else {}),
    }
    template = "reviews/decision.html#verdict" if fragment else "reviews/decision.html"
    return TemplateResponse(request, template, context, status=status)


def _panel(page: DecisionPage, roles: frozenset[str], form: VerdictForm | None, *, alone: bool) -> str:
    if form is not None and (alone or not page.is_open):
        return "kept"
    if not page.is_open:
        return "standing"
    return "form" if ROLES & roles else "viewer"


def first_fault(form: SealedForm | None) -> str:
    """The first field with a fault, in the order of the page; focus goes there."""
    return next((name for name in form.fields if name in form.errors), "") if form and form.is_bound else ""


def _kept(project: Project, page: DecisionPage, form: VerdictForm) -> dict[str, Any]:
    """What the person typed, and the way on: the page afresh with the text, or the decision as it stands now."""
    choices = {"verdict", "how", "at"}
    carried = [(name, value) for name, value in form.typed.items() if name in choices or name.startswith(PICK)]
    return {
        "kept": typed_in(form.typed, _TYPED),
        "carried": carried,
        "fresh_url": reverse("reviews:verdict", args=[project.slug, page.decision.id]) if page.is_open else "",
        "decision_now": page.successor or page.decision,
    }
