"""Answers that the verdict form and the editor share: on to the next flag, and the store that is away."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django_htmx.http import HttpResponseClientRedirect

from console.access import MemberRequest
from console.models import Project
from reaffirm.decisions.models import DecisionResult, VerdictKind
from reviews.filters import filters_of, narrowed
from reviews.forms import PICK, SealedForm
from reviews.fragments import is_fragment
from reviews.notices import Notice, said_of
from reviews.templatetags.review import isolated
from reviews.typed import typed_in
from reviews.words import OUTAGES, VERDICTS

_TYPED = (
    ("conclusion", "Conclusion"),
    ("rationale", "Rationale"),
    ("note", "Note"),
    ("explanation", "Why"),
    ("reason", "Reason"),
    ("assumptions", "Assumptions"),
    ("open_questions", "Open questions"),
)


def to_next_flag(
    request: MemberRequest, project: Project, decision_id: UUID, kind: VerdictKind, result: DecisionResult | None
) -> HttpResponse:
    title = result.decision.title if result and result.decision else "the decision"
    messages.success(request, f"{VERDICTS[kind].text}: {isolated(title)}")
    place = {"after": str(decision_id), "at": request.POST.get("at", ""), "cleared": "1"}
    address = narrowed(reverse("reviews:next", args=[project.slug]), filters_of(request), **place)
    return HttpResponseClientRedirect(address) if is_fragment(request) else redirect(address)


def render_outage(
    request: MemberRequest, project: Project, decision_id: UUID, form: SealedForm, code: str
) -> HttpResponse:
    """503, made without the graph: what is known, the typed text, and a button that sends the same form again."""
    heading, text, button = OUTAGES[code]
    # Other words under the same number would be refused, so what may be stored already cannot be changed.
    fixed = code == "outcome_unknown"
    shown = {name for name, _ in _TYPED}
    hidden = [
        (name, value)
        for name, value in form.data.items()
        if name not in shown | {"csrfmiddlewaretoken"} and not (is_fragment(request) and name.startswith(PICK))
    ]
    context = {
        "project": project,
        "nav": "queue",
        "roles": request.roles,
        "decision_id": str(decision_id),
        "notice": Notice(heading, text, tone="warn" if fixed else "bad", id="outage", icon="server-off"),
        "kept": typed_in(form.data, _TYPED),
        "hidden": hidden,
        "fixed": fixed,
        "button": button,
        "action": request.path,
        "filters": filters_of(request),
        "oob": is_fragment(request),
    }
    template = "reviews/outage.html#verdict" if is_fragment(request) else "reviews/outage.html"
    response = TemplateResponse(request, template, context, status=503)
    response["X-Panel"] = "verdict"
    response["Retry-After"] = "5"
    return response


def sentence_of(result: DecisionResult | None) -> str:
    return said_of(result) or "The graph cannot store this text."
