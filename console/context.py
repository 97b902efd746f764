"""What base.html needs on every page. Lazy, so that a page pays only for what it shows."""

from importlib.metadata import PackageNotFoundError, version
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from console.graph import graph_problems
from console.models import Preference, Project


def shell(request: HttpRequest) -> dict[str, Any]:
    return {
        "my_projects": SimpleLazyObject(lambda: _projects(request)),
        "preference": SimpleLazyObject(lambda: _preference(request)),
        "graph_problems": graph_problems(),
        "release": _release(),
        "time_zone": settings.TIME_ZONE,
        "debug_scripts": settings.DEBUG,
    }


def _projects(request: HttpRequest) -> list[Project]:
    if not request.user.is_authenticated:
        return []
    return list(Project.objects.filter(memberships__user=request.user).distinct().order_by("name", "slug"))


def _preference(request: HttpRequest) -> Preference:
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return Preference()
    return Preference.objects.filter(user=user).first() or Preference(user=user)


def _release() -> str:
    try:
        return version("reaffirm")
    except PackageNotFoundError:
        return ""
