"""Who may see and do what in a project. Anything outside a person's projects answers 404, like a random id."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec
from urllib.parse import urlencode, urlsplit, urlunsplit

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponseRedirect
from django.http.response import HttpResponseBase

from console.models import Membership, Project


class MemberRequest(HttpRequest):
    """A request that passed member_required: a signed-in person with the roles they have in the project."""

    user: User
    roles: frozenset[str]


P = ParamSpec("P")
View = Callable[..., HttpResponseBase]


class RoleMissing(PermissionDenied):
    """A member without the role that an action asks for; the 403 page names the roles."""

    def __init__(self, roles: tuple[str, ...], project: Project) -> None:
        super().__init__(f"This needs the role {' or '.join(roles)}.")
        self.roles = roles
        self.project = project


def member_required(
    *roles: str,
) -> Callable[[Callable[Concatenate[Any, Project, P], HttpResponseBase]], View]:
    """Let only members of the project in; with roles, only those who have one of them.

    The URL's ``slug`` becomes the view's ``project`` and ``request.roles`` holds the person's roles there. Signed out:
    a redirect to sign-in that comes back; a stranger: 404; a member without the role: 403.
    """

    def decorate(view: Callable[Concatenate[Any, Project, P], HttpResponseBase]) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, slug: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            if not request.user.is_authenticated:
                return sign_in_redirect(request)
            project, held = project_for(request.user, slug)
            request.roles = held  # type: ignore[attr-defined]
            if roles and held.isdisjoint(roles):
                raise RoleMissing(roles, project)
            return view(request, project, *args, **kwargs)

        return guarded

    return decorate


def project_for(user: User, slug: str) -> tuple[Project, frozenset[str]]:
    """The project and the person's roles in it, in one query; Http404 for a stranger."""
    rows = list(Membership.objects.filter(user=user, project__slug=slug).select_related("project"))
    if not rows:
        raise Http404("no such project for this person")
    return rows[0].project, frozenset(row.role for row in rows)


def sign_in_required(view: View) -> View:
    """For pages outside any project."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return sign_in_redirect(request)
        return view(request, *args, **kwargs)

    return guarded


def sign_in_redirect(request: HttpRequest) -> HttpResponseRedirect:
    return HttpResponseRedirect(sign_in_address(request))


def sign_in_address(request: HttpRequest) -> str:
    """Sign-in, and back to the page that the person was on: never to a fragment, nor to an address for POST only."""
    whole_page = request.method in {"GET", "HEAD"} and not request.htmx  # type: ignore[attr-defined]
    target = request.get_full_path() if whole_page else page_of(request)
    return f"{settings.LOGIN_URL}?{urlencode({'next': target or '/'})}"


def page_of(request: HttpRequest) -> str | None:
    """Path and query of the page that sent this request (htmx says it, else the referrer); None for another site."""
    address = request.headers.get("HX-Current-URL") or request.headers.get("Referer", "")
    try:
        parts = urlsplit(address)
        if parts.netloc != request.get_host() or not parts.path.startswith("/") or parts.path.startswith("//"):
            return None
    except ValueError:
        return None
    # The scheme is not compared: behind a proxy we see http where the browser sees https.
    return urlunsplit(("", "", parts.path, parts.query, ""))
