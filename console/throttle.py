"""A pause after too many refused sign-ins, per user name and address, counted in SQL so that every process sees it."""

import hashlib
from datetime import timedelta

from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone

from console.models import SignInFailure

TRIES = 10
WINDOW = timedelta(minutes=5)


def seconds_to_wait(request: HttpRequest, username: str) -> int:
    """0 when this person may try now."""
    since = timezone.now() - WINDOW
    recent = list(
        SignInFailure.objects.filter(key=_key(request, username), at__gt=since)
        .order_by("-at")
        .values_list("at", flat=True)[:TRIES]
    )
    if len(recent) < TRIES:
        return 0
    return max(1, int((recent[-1] + WINDOW - timezone.now()).total_seconds()))


def note_failure(request: HttpRequest, username: str) -> int:
    """Count a refused sign-in; how many tries are left before the pause."""
    now = timezone.now()
    SignInFailure.objects.filter(at__lt=now - WINDOW).delete()
    key = _key(request, username)
    SignInFailure.objects.create(key=key, at=now)
    return max(0, TRIES - SignInFailure.objects.filter(key=key, at__gt=now - WINDOW).count())


def forget_failures(request: HttpRequest, username: str) -> None:
    SignInFailure.objects.filter(key=_key(request, username)).delete()


def _key(request: HttpRequest, username: str) -> str:
    address = request.META.get("REMOTE_ADDR", "")
    if settings.TRUST_PROXY:
        # The last entry is the one that our own proxy added; the ones before it are the client's word.
        address = request.META.get("HTTP_X_FORWARDED_FOR", address).rpartition(",")[2].strip()
    said = f"{settings.SECRET_KEY}\n{username.strip().casefold()}\n{address}"
    return hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()
