"""What holds for every request: its number, its headers, htmx, and stores that are down."""

import logging
import secrets
from collections.abc import Callable

from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_cache_control, patch_vary_headers
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails

from console.access import sign_in_address
from console.errors import outcome_unknown, sql_down, store_down
from reaffirm.store import OutcomeUnknown, StoreError

log = logging.getLogger(__name__)
GetResponse = Callable[[HttpRequest], HttpResponse]
VARY = ("HX-Request", "HX-History-Restore-Request", "HX-Boosted")


class PageHtmx(HtmxDetails):
    """True only when a fragment is wanted: a restored history entry or a boosted link gets a page (cases.md 41)."""

    def __bool__(self) -> bool:
        return super().__bool__() and not self.history_restore_request and not self.boosted


def request_number(get_response: GetResponse) -> GetResponse:
    """Give each request a short number, which its error page and its log line share."""

    def middleware(request: HttpRequest) -> HttpResponse:
        request.number = secrets.token_hex(4).upper()  # type: ignore[attr-defined]
        response = get_response(request)
        response["X-Request-Number"] = request.number  # type: ignore[attr-defined]
        return response

    return middleware


def bodiless_head(get_response: GetResponse) -> GetResponse:
    """Answer HEAD with the headers of the page alone; a server that is handed a body for it complains in its log."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if request.method == "HEAD" and not response.streaming:
            length = len(response.content)
            response.content = b""
            response["Content-Length"] = str(length)
        return response

    return middleware


def cache_headers(get_response: GetResponse) -> GetResponse:
    """Pages of people are never stored, and a fragment never answers for a page."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        patch_vary_headers(response, VARY)
        if not response.has_header("Cache-Control"):
            patch_cache_control(response, no_store=True, private=True)
        return response

    return middleware


def htmx_details(get_response: GetResponse) -> GetResponse:
    def middleware(request: HttpRequest) -> HttpResponse:
        request.htmx = PageHtmx(request)  # type: ignore[attr-defined]
        return get_response(request)

    return middleware


def htmx_sign_in(get_response: GetResponse) -> GetResponse:
    """A redirect to sign-in becomes one of the browser, and comes back to the page (cases.md 40)."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if request.htmx and _leads_to_sign_in(response):  # type: ignore[attr-defined]
            return HttpResponseClientRedirect(sign_in_address(request))
        return response

    return middleware


def _leads_to_sign_in(response: HttpResponse) -> bool:
    return response.status_code in {302, 303} and response["Location"].startswith(str(settings.LOGIN_URL))


class StoreDownMiddleware:
    """A database that cannot be reached is a page that says so, with a retry: never a 500, never a claim of success."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if isinstance(error, OutcomeUnknown):
            answer = outcome_unknown
        elif isinstance(error, StoreError):
            answer = store_down
        elif isinstance(error, OperationalError | InterfaceError):
            answer = sql_down
        else:
            return None
        log.warning("%s %s: %s: %s", request.method, request.path, type(error).__name__, error)
        return answer(request)
