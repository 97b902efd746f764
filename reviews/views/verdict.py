"""POST of a verdict: the service decides, this view says what became of it."""

from collections.abc import Callable
from uuid import UUID

from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_POST

from console.access import MemberRequest, member_required
from console.graph import decisions_for
from console.models import Project
from reaffirm.decisions.models import VerdictKind
from reaffirm.store import StoreUnavailable
from reviews.forms import VerdictForm
from reviews.fragments import is_fragment
from reviews.notices import UNREADABLE, Notice, refusal_notice
from reviews.presenters import DecisionPage
from reviews.seal import Sealed, unseal
from reviews.services import Outcome, Verdict, decision_verdict
from reviews.views.answers import render_outage, sentence_of, to_next_flag
from reviews.views.decision import case_or_404, render_decision
from reviews.views.supersede import start_editor
from reviews.words import OUTAGES

_TEXT_OF = {VerdictKind.REAFFIRM: "note", VerdictKind.SUPERSEDE: "explanation", VerdictKind.REJECT: "reason"}
# Refusals that pass by themselves: the same form can be sent again.
_PASSING = frozenset({"document_busy"})


@require_POST
@member_required("reviewer", "lead")
def verdict(request: MemberRequest, project: Project, decision_id: UUID) -> HttpResponseBase:
    form = VerdictForm(request.POST)
    if "fresh" in request.POST:
        return _show(request, project, decision_id, VerdictForm(initial=request.POST.dict()))
    if form.wants_editor:
        return start_editor(request, project, decision_id)
    sealed = unseal(request.POST.get("seen", ""), decision_id)
    if sealed is None or not form.is_valid():
        return _invalid(request, project, decision_id, form, readable=sealed is not None)
    kind = VerdictKind(form.cleaned_data["verdict"])
    outcome = decision_verdict(
        project=project,
        user=request.user,
        roles=request.roles,
        decision_id=str(decision_id),
        nonce=form.cleaned_data["nonce"],
        seen=sealed.seen,
        verdict=Verdict(kind, form.cleaned_data[_TEXT_OF[kind]], form.picks()),
    )
    if outcome.recorded:
        return to_next_flag(request, project, decision_id, kind, outcome.result)
    return _refused(request, project, decision_id, form, kind, outcome, sealed)


def _show(request: MemberRequest, project: Project, decision_id: UUID, form: VerdictForm) -> HttpResponse:
    """The page as it is now, with what the person had typed. Writes nothing."""
    traces = decisions_for(project, request.user)
    return render_decision(request, project, case_or_404(traces, decision_id), traces.review_counts(), form=form)


def _invalid(
    request: MemberRequest, project: Project, decision_id: UUID, form: VerdictForm, *, readable: bool
) -> HttpResponse:
    if readable and not form.is_unreadable:
        return _again(request, project, decision_id, form, _no_notice, same_form=True, status=422)
    return _again(request, project, decision_id, form, lambda page: UNREADABLE, same_form=False, status=422)


def _refused(
    request: MemberRequest,
    project: Project,
    decision_id: UUID,
    form: VerdictForm,
    kind: VerdictKind,
    outcome: Outcome,
    sealed: Sealed,
) -> HttpResponse:
    if outcome.code in OUTAGES:
        return render_outage(request, project, decision_id, form, outcome.code)
    if outcome.code == "decision_not_found":
        raise Http404("no such decision in this project")
    if outcome.code == "invalid_value":
        form.add_error(_TEXT_OF[kind], sentence_of(outcome.result))
        return _again(request, project, decision_id, form, _no_notice, same_form=True, status=422)

    def notice(page: DecisionPage) -> Notice:
        return refusal_notice(outcome.code, outcome.result, page, sealed)

    return _again(request, project, decision_id, form, notice, same_form=outcome.code in _PASSING, status=409)


def _no_notice(page: DecisionPage) -> None:
    """The faults stand at their fields."""


def _again(
    request: MemberRequest,
    project: Project,
    decision_id: UUID,
    form: VerdictForm,
    notice: Callable[[DecisionPage], Notice | None],
    *,
    same_form: bool,
    status: int,
) -> HttpResponse:
    """The page or panel again, read afresh, with what was typed; when it cannot be read now, the outage panel."""
    try:
        traces = decisions_for(project, request.user)
        case = case_or_404(traces, decision_id)
        # A lone panel brings the counts along when they changed in the meantime, as in a race.
        counts = None if is_fragment(request) and status != 409 else traces.review_counts()
    except StoreUnavailable:
        return render_outage(request, project, decision_id, form, "store_unavailable")
    said = notice(DecisionPage(case))
    return render_decision(request, project, case, counts, form=form, notice=said, same_form=same_form, status=status)
