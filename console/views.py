"""The console's own pages: my projects, the home of one, sign-in and -out, the look, health."""

from typing import Any, cast

from django.contrib.auth import logout
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.models import User
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from console import jobs, throttle
from console.access import MemberRequest, member_required, sign_in_required
from console.errors import too_many_tries
from console.forms import SingleKeysForm, ThemeForm
from console.graph import decisions_for
from console.health import health_report
from console.home import decided_by, roles_by_project
from console.models import Preference, Project

HOME_ROWS = 8


@require_safe
@sign_in_required
def home(request: HttpRequest) -> HttpResponse:
    """My projects; with exactly one, straight to it."""
    mine = roles_by_project(cast(User, request.user))
    if len(mine) == 1:
        return redirect("console:project", mine[0].project.slug)
    return render(request, "console/project_list.html", {"mine": mine})


@require_safe
@member_required()
def project(request: MemberRequest, project: Project) -> HttpResponse:
    page = decisions_for(project, request.user).list_decisions_for_review(limit=HOME_ROWS)
    context = {
        "project": project,
        "roles": request.roles,
        "nav": "home",
        "counts": page.counts,
        "not_listed": max(0, page.counts.flagged - page.counts.listed),
        "rows": page.rows,
        "oldest": page.rows[0].decision.flagged_at if page.rows else None,
        "decided": decided_by(project, request.user),
        "worker_alive": jobs.worker_alive(),
    }
    return render(request, "console/project.html", context)


class SignIn(LoginView):
    """Django's sign-in, with a pause after too many refusals."""

    template_name = "console/sign_in.html"
    redirect_authenticated_user = True
    http_method_names = ("get", "post", "head", "options")

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        seconds = throttle.seconds_to_wait(request, request.POST.get("username", ""))
        if seconds:
            return too_many_tries(request, seconds)
        return super().post(request, *args, **kwargs)

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        throttle.forget_failures(self.request, form.cleaned_data["username"])
        return super().form_valid(form)

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        left = throttle.note_failure(self.request, form.data.get("username", ""))
        return self.render_to_response(self.get_context_data(form=form, tries_left=left), status=422)


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    logout(request)
    return redirect("console:sign_in")


@require_POST
@sign_in_required
def theme(request: HttpRequest) -> HttpResponse:
    return _preference(request, ThemeForm(request.POST), lambda chosen: {"theme": chosen["theme"]})


@require_POST
@sign_in_required
def single_keys(request: HttpRequest) -> HttpResponse:
    return _preference(
        request, SingleKeysForm(request.POST), lambda chosen: {"single_keys": chosen["single_keys"] == "on"}
    )


def _preference(request: HttpRequest, form: Any, values: Any) -> HttpResponse:
    if not form.is_valid():
        return HttpResponse("No such choice.", status=422, content_type="text/plain; charset=utf-8")
    Preference.objects.update_or_create(user=cast(User, request.user), defaults=values(form.cleaned_data))
    return HttpResponseRedirect(_local(request, request.POST.get("next", "")))


def _local(request: HttpRequest, address: str) -> str:
    """An address of this console, else its front page."""
    safe = url_has_allowed_host_and_scheme(address, {request.get_host()}, require_https=request.is_secure())
    return address if safe and address.startswith("/") else "/"


@never_cache
@require_safe
def health(request: HttpRequest) -> JsonResponse:
    report = health_report()
    return JsonResponse(report, status=503 if report["down"] else 200)
