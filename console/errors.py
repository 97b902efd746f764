"""Error pages. An htmx request gets a small message instead, marked so that the script shows it (cases.md 44)."""

import re
import sys

from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils import timezone

from console.access import RoleMissing, project_for
from console.models import Project

PROJECT_ADDRESS = re.compile(r"/p/([\w-]+)/")
RETRY_SECONDS = 5


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _answer(request, 400)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    needed = exception.roles if isinstance(exception, RoleMissing) else ()
    return _answer(request, 403, roles_needed=" or ".join(needed))


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return _answer(request, 403, template="403_csrf.html")


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _answer(request, 404)


def too_many_tries(request: HttpRequest, seconds: int) -> HttpResponse:
    response = _answer(request, 429, minutes=-(-seconds // 60))
    response["Retry-After"] = str(seconds)
    return response


def server_error(request: HttpRequest) -> HttpResponse:
    """Uses no database, no context processor and no session: any of them may be what broke."""
    if isinstance(sys.exc_info()[1], OperationalError | InterfaceError):
        # As when the session is saved: outside the view, where StoreDownMiddleware does not see it.
        return sql_down(request)
    context = {"number": getattr(request, "number", ""), "status": 500}
    if getattr(request, "htmx", False):
        return _message(render_to_string("500_message.html", context), 500)
    return HttpResponse(render_to_string("500.html", context), status=500)


def store_down(request: HttpRequest) -> HttpResponse:
    return _unavailable(request, "graph")


def outcome_unknown(request: HttpRequest) -> HttpResponse:
    return _unavailable(request, "unknown")


def sql_down(request: HttpRequest) -> HttpResponse:
    return _unavailable(request, "sql")


def _unavailable(request: HttpRequest, what: str) -> HttpResponse:
    """Rendered without context processors: they may need what is down."""
    context = {
        "what": what,
        "status": 503,
        "number": getattr(request, "number", ""),
        "retry": request.get_full_path() if request.method in {"GET", "HEAD"} else "",
        "wrote": request.method not in {"GET", "HEAD"},
        "now": timezone.now(),
    }
    if getattr(request, "htmx", False):
        response = _message(render_to_string("503_message.html", context), 503)
    else:
        response = HttpResponse(render_to_string("503.html", context), status=503)
    response["Retry-After"] = str(RETRY_SECONDS)
    return response


def _answer(request: HttpRequest, status: int, template: str = "", **context: object) -> HttpResponse:
    project, roles = _where(request)
    context |= {
        "status": status,
        "number": getattr(request, "number", ""),
        "now": timezone.now(),
        "project": project,
        "roles": roles,
    }
    page = template or f"{status}.html"
    if getattr(request, "htmx", False):
        return _message(render_to_string(page.replace(".html", "_message.html"), context), status)
    return render(request, page, context, status=status)


def _where(request: HttpRequest) -> tuple[Project | None, frozenset[str]]:
    """The project of the address, when the person is a member of it: its error pages keep its top bar."""
    slug = PROJECT_ADDRESS.match(request.path)
    user = getattr(request, "user", None)
    if not slug or user is None or not user.is_authenticated:
        return None, frozenset()
    try:
        return project_for(user, slug[1])
    except Http404:
        return None, frozenset()


def _message(html: str, status: int) -> HttpResponse:
    response = HttpResponse(html, status=status)
    # Only an answer with this mark is put into the page: a proxy's error page never is.
    response["X-Message"] = "1"
    return response
