"""Fragments and pages: sessions that end, history, messages, refusals."""

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.test import Client
from django.urls import path

from console.access import RoleMissing
from console.models import Project
from console.urls import handler400, handler403, handler404, handler500  # noqa: F401
from console.urls import urlpatterns as console_urls
from reaffirm.store import OutcomeUnknown, StoreUnavailable
from tests.console.pages import soup, words

HTMX = {"HX-Request": "true", "HX-Current-URL": "http://testserver/p/claims/queue/?page=2"}


def say(request: HttpRequest) -> HttpResponse:
    messages.success(request, "Reaffirmed.")
    where = request.POST.get("to")
    if where == "page":
        return render(request, "console/project_list.html", {"mine": []})
    if where == "fragment":
        return HttpResponse("<p>panel</p>")
    return redirect("/?tab=1")


def fail(request: HttpRequest, kind: str) -> HttpResponse:
    raise {
        "store": StoreUnavailable("down"),
        "unknown": OutcomeUnknown("lost"),
        "role": RoleMissing(("reviewer",), Project(slug="claims", name="Claims")),
        "missing": Http404("x"),
        "bug": RuntimeError("bug"),
    }[kind]


urlpatterns = [path("test/say/", say), path("test/fail/<kind>/", fail), *console_urls]
with_test_views = pytest.mark.urls(__name__)


# A session that ends (cases.md 40)


@pytest.mark.parametrize(("method", "address"), [("get", "/p/claims/?fragment=1"), ("post", "/settings/theme/")])
def test_a_fragment_without_a_session_sends_the_browser_to_sign_in_and_back(
    method: str, address: str, project: Project
) -> None:
    response = getattr(Client(), method)(address, headers=HTMX)

    assert response.status_code == 200
    assert response.content == b""
    target = urlsplit(response["HX-Redirect"])
    assert target.path == "/sign-in/"
    assert parse_qs(target.query) == {"next": ["/p/claims/queue/?page=2"]}


@pytest.mark.parametrize(
    "page", ["https://evil.example/p/claims/", "//evil.example", "", "http://testserver//evil.example/"]
)
def test_it_never_comes_back_to_another_site(page: str, project: Project) -> None:
    response = Client().get("/p/claims/", headers=HTMX | {"HX-Current-URL": page})

    assert response["HX-Redirect"] == "/sign-in/?next=%2F"


# History and caches (cases.md 41)


def test_a_restored_history_entry_gets_the_whole_page(client_of: Callable[..., Client]) -> None:
    client = client_of("stranger")
    restored = client.get("/", headers=HTMX | {"HX-History-Restore-Request": "true"})
    signed_out = Client().get("/p/claims/", headers=HTMX | {"HX-History-Restore-Request": "true"})

    assert soup(restored).select_one("html head link[rel=stylesheet]")
    assert signed_out.status_code == 302


def test_a_restored_page_that_fails_is_a_whole_page(client_of: Callable[..., Client]) -> None:
    response = client_of("stranger").get("/p/claims/", headers=HTMX | {"HX-History-Restore-Request": "true"})

    assert response.status_code == 404
    assert soup(response).select_one("html main h1")


@pytest.mark.parametrize("address", ["/", "/sign-in/", "/p/claims/", "/nowhere/"])
def test_answers_vary_by_the_headers_of_htmx_and_are_not_stored(address: str, client_of: Callable[..., Client]) -> None:
    response = client_of("stranger").get(address)

    assert {"HX-Request", "HX-History-Restore-Request"} <= {name.strip() for name in response["Vary"].split(",")}
    assert "no-store" in response["Cache-Control"]


def test_the_page_tells_htmx_what_to_swap(client_of: Callable[..., Client]) -> None:
    metas = soup(client_of("stranger").get("/")).select("meta[name=htmx-config]")

    assert len(metas) == 1
    config = json.loads(str(metas[0]["content"]))
    assert config["allowEval"] is config["includeIndicatorStyles"] is config["historyRestoreAsHxRequest"] is False
    assert (config["historyCacheSize"], config["refreshOnHistoryMiss"]) == (0, True)
    swapped = [rule["code"] for rule in config["responseHandling"] if rule["swap"]]
    assert swapped == ["[23]..", "409|422"]


# Refusals (cases.md 44)


@with_test_views
@pytest.mark.parametrize(
    ("kind", "status", "said"),
    [
        ("store", 503, "The graph cannot be reached; it may be restarting."),
        ("unknown", 503, "Whether this was written is not known yet."),
        ("role", 403, "it needs the role reviewer"),
        ("missing", 404, "There is nothing there for you"),
        ("bug", 500, "Something broke on our side"),
    ],
)
def test_a_refused_fragment_is_a_marked_message_and_never_a_page(
    kind: str, status: int, said: str, client_of: Callable[..., Client]
) -> None:
    response = client_of("viewer", raise_request_exception=False).post(f"/test/fail/{kind}/", headers=HTMX)
    fragment = soup(response)

    assert response.status_code == status
    assert response["X-Message"] == "1"
    assert said in words(response)
    assert fragment.select_one("[role=alert]")
    assert not fragment.select("html, head, body, header, main")
    assert len(response.content) < 2_000


@with_test_views
@pytest.mark.parametrize(("kind", "said"), [("store", "The graph cannot be reached"), ("unknown", "is not known yet")])
@pytest.mark.parametrize("method", ["get", "post"])
def test_a_store_that_is_down_is_a_page_with_a_retry(
    kind: str, said: str, method: str, client_of: Callable[..., Client]
) -> None:
    response = getattr(client_of("viewer"), method)(f"/test/fail/{kind}/?x=1")
    page = soup(response)

    assert response.status_code == 503
    assert response["Retry-After"] == "5"
    assert "X-Message" not in response
    assert said in words(response)
    retry = page.select_one("main a.btn-primary")
    assert bool(retry) == (method == "get")
    assert not retry or retry["href"] == f"/test/fail/{kind}/?x=1"


def test_pages_say_that_the_graph_is_down(client_of: Callable[..., Client], graph_down: None) -> None:
    client = client_of("viewer")
    for address in ("/p/claims/", "/p/claims/tasks/", "/p/claims/tasks/00000000-0000-4000-8000-000000000000/"):
        response = client.get(address)
        assert response.status_code == 503
        assert "The graph cannot be reached" in words(response)


def test_what_needs_no_graph_still_works(client_of: Callable[..., Client], graph_down: None) -> None:
    assert client_of("stranger").get("/").status_code == 200
    assert Client().get("/sign-in/").status_code == 200


# Messages (cases.md 47)


def shown(response: Any) -> list[str]:
    return [box.get_text(" ", strip=True) for box in soup(response).select("#messages .note")]


@with_test_views
def test_a_message_is_shown_once_on_the_page_that_answers(client_of: Callable[..., Client]) -> None:
    client = client_of("stranger")

    assert shown(client.post("/test/say/", {"to": "page"})) == ["Reaffirmed."]
    assert shown(client.get("/")) == []


@with_test_views
def test_a_message_follows_its_redirect_and_no_other_tab_takes_it(client_of: Callable[..., Client]) -> None:
    client = client_of("stranger")
    first = client.post("/test/say/")["Location"]
    second = client.post("/test/say/")["Location"]

    assert shown(client.get("/")) == []
    assert first != second
    assert shown(client.get(first)) == ["Reaffirmed."]
    assert shown(client.get(first)) == []
    assert shown(client.get(second)) == ["Reaffirmed."]
    assert parse_qs(urlsplit(first).query)["tab"] == ["1"]


@with_test_views
def test_a_fragment_carries_its_message_in_a_header(client_of: Callable[..., Client]) -> None:
    client = client_of("stranger")
    response = client.post("/test/say/", {"to": "fragment"}, headers=HTMX)

    assert json.loads(response["HX-Trigger"]) == {"reaffirm:notice": {"items": [{"level": 25, "text": "Reaffirmed."}]}}
    assert shown(client.get("/")) == []


@with_test_views
def test_redirects_that_nobody_follows_do_not_fill_the_session(client_of: Callable[..., Client]) -> None:
    client = client_of("stranger")
    for _ in range(15):
        client.post("/test/say/")

    assert len(client.session["notices"]) == 10
