"""The editor of a new revision. A page of its own; its diff is drawn by the server."""

from typing import Any
from uuid import UUID, uuid4

from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods
from django_htmx.http import HttpResponseClientRedirect

from console.access import MemberRequest, member_required
from console.graph import decisions_for
from console.jobs import worker_alive
from console.models import Project
from reaffirm.decisions.models import ReviewCase, ReviewCounts, VerdictKind
from reaffirm.store import StoreUnavailable
from reviews.filters import filters_of, narrowed
from reviews.forms import SupersedeForm
from reviews.fragments import is_fragment
from reviews.names import names_for
from reviews.notices import UNREADABLE, Notice, refusal_notice
from reviews.presenters import DecisionPage, text_diff
from reviews.seal import seal, unseal
from reviews.services import Revision, Verdict, decision_verdict
from reviews.views.answers import render_outage, sentence_of, to_next_flag
from reviews.views.decision import case_or_404, first_fault
from reviews.words import OUTAGES

_FIELDS = frozenset({"conclusion", "rationale", "explanation", "assumptions", "open_questions"})


@require_http_methods(["GET", "HEAD", "POST"])
@member_required("reviewer", "lead")
def supersede(request: MemberRequest, project: Project, decision_id: UUID) -> HttpResponseBase:
    if request.method != "POST":
        return start_editor(request, project, decision_id)
    if "preview" in request.POST:
        return _preview(request, project, decision_id)
    form = SupersedeForm(request.POST)
    sealed = unseal(request.POST.get("seen", ""), decision_id)
    if sealed is None or not form.is_valid():
        readable = sealed is not None and not form.is_unreadable
        return _again(request, project, decision_id, form, None if readable else UNREADABLE, keeps=readable, status=422)
    outcome = decision_verdict(
        project=project,
        user=request.user,
        roles=request.roles,
        decision_id=str(decision_id),
        nonce=form.cleaned_data["nonce"],
        seen=sealed.seen,
        verdict=Verdict(VerdictKind.SUPERSEDE, form.cleaned_data["explanation"], form.picks(), _revision(form)),
    )
    if outcome.recorded:
        return to_next_flag(request, project, decision_id, VerdictKind.SUPERSEDE, outcome.result)
    if outcome.code in OUTAGES:
        return render_outage(request, project, decision_id, form, outcome.code)
    if outcome.code == "decision_not_found":
        raise Http404("no such decision in this project")
    if outcome.code == "invalid_value":
        field = (outcome.result.field if outcome.result else None) or ""
        form.add_error(_field_of(field), sentence_of(outcome.result))
        return _again(request, project, decision_id, form, None, keeps=True, status=422)
    try:
        case, counts = _read(request, project, decision_id)
    except StoreUnavailable:
        return render_outage(request, project, decision_id, form, "store_unavailable")
    notice = refusal_notice(outcome.code, outcome.result, DecisionPage(case), sealed)
    return _render(request, project, case, counts, form=form, notice=notice, status=409)


def start_editor(request: MemberRequest, project: Project, decision_id: UUID) -> HttpResponseBase:
    """The editor with a copy of the revision; from the verdict form, with what was typed and seen there.

    ``words_of`` in the address is the number of another revision of the choice whose words it begins with.
    """
    case, counts = _read(request, project, decision_id)
    page = DecisionPage(case)
    filters = filters_of(request)
    if not page.is_open:
        return redirect(narrowed(reverse("reviews:decision", args=[project.slug, decision_id]), filters))
    if is_fragment(request):
        editor = reverse("reviews:supersede", args=[project.slug, decision_id])
        return HttpResponseClientRedirect(narrowed(editor, filters))
    words_of = request.GET.get("words_of")
    source = next((each for each in case.revisions if str(each.revision) == words_of), case.decision)
    copied = {
        "conclusion": source.conclusion,
        "rationale": source.rationale,
        "assumptions": "\n".join(source.assumptions),
        "open_questions": "\n".join(source.open_questions),
    }
    typed = {name: value for name, value in request.POST.items() if name not in copied}
    sealed = unseal(request.POST.get("seen", ""), decision_id)
    return _render(request, project, case, counts, form=SupersedeForm(initial=typed | copied), keeps=sealed is not None)


def _preview(request: MemberRequest, project: Project, decision_id: UUID) -> HttpResponse:
    case, counts = _read(request, project, decision_id)
    keeps = unseal(request.POST.get("seen", ""), decision_id) is not None
    return _render(request, project, case, counts, form=SupersedeForm(initial=request.POST.dict()), keeps=keeps)


def _again(
    request: MemberRequest,
    project: Project,
    decision_id: UUID,
    form: SupersedeForm,
    notice: Notice | None,
    *,
    keeps: bool,
    status: int,
) -> HttpResponse:
    try:
        case, counts = _read(request, project, decision_id)
    except StoreUnavailable:
        return render_outage(request, project, decision_id, form, "store_unavailable")
    return _render(request, project, case, counts, form=form, notice=notice, keeps=keeps, status=status)


def _read(request: MemberRequest, project: Project, decision_id: UUID) -> tuple[ReviewCase, ReviewCounts]:
    traces = decisions_for(project, request.user)
    return case_or_404(traces, decision_id), traces.review_counts()


def _render(
    request: MemberRequest,
    project: Project,
    case: ReviewCase,
    counts: ReviewCounts,
    *,
    form: SupersedeForm,
    notice: Notice | None = None,
    keeps: bool = False,
    status: int = 200,
) -> HttpResponse:
    """The whole editor, or for htmx its diff alone. ``keeps``: the form's own number and seal still hold."""
    page, typed = DecisionPage(case), form.typed
    context: dict[str, Any] = {
        "project": project,
        "nav": "queue",
        "counts": counts,
        "roles": request.roles,
        "filters": filters_of(request),
        "page": page,
        "names": names_for(page.authors()),
        "form": form,
        "form_id": "editor",
        "picks": form.picks(),
        "first_fault": first_fault(form),
        "nonce": typed.get("nonce") if keeps and typed.get("nonce") else uuid4().hex,
        "seen": typed.get("seen") if keeps else seal(case.seen, case.decision.id),
        "notice": notice,
        "editing": True,
        "worker_alive": worker_alive(),
        "diffs": [
            ("Conclusion", text_diff(case.decision.conclusion, str(typed.get("conclusion", "")))),
            ("Rationale", text_diff(case.decision.rationale, str(typed.get("rationale", "")))),
        ],
    }
    template = "reviews/supersede.html#livediff" if is_fragment(request) else "reviews/supersede.html"
    return TemplateResponse(request, template, context, status=status)


def _revision(form: SupersedeForm) -> Revision:
    data = form.cleaned_data
    return Revision(data["conclusion"], data["rationale"], data["assumptions"], data["open_questions"])


def _field_of(field: str) -> str | None:
    """The form's field for a refused argument: the library names list items as ``assumptions[2]``."""
    name = field.partition("[")[0]
    return name if name in _FIELDS else "explanation"
