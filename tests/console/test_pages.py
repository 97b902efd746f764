"""What every page has, and the pages of the console itself."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from console.audit import audit_append
from console.middleware import bodiless_head
from console.models import Membership, Preference, Project
from tests.console.pages import soup, words

STRICT = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self'",
    "font-src": "'self'",
    "connect-src": "'self'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
    "base-uri": "'none'",
}


@pytest.mark.parametrize("path", ["/", "/sign-in/", "/nowhere/", "/health/"])
def test_headers_keep_the_browser_strict(path: str, db: None, graph_down: None) -> None:
    response = Client().get(path)

    policy = dict(part.strip().split(" ", 1) for part in response["Content-Security-Policy"].split(";"))
    assert policy == STRICT
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Referrer-Policy"] == "same-origin"
    assert response["X-Frame-Options"] == "DENY"


def test_a_page_has_its_landmarks_and_one_heading(client_of: Callable[..., Client]) -> None:
    page = soup(client_of("stranger").get("/"))

    assert page.html and page.html["lang"] == "en"
    assert len(page.select("h1")) == len(page.select("main#main")) == len(page.select("#live[role=status]")) == 1
    skip = page.select_one("a.skip")
    assert skip and skip["href"] == "#main"


def test_it_loads_htmx_2_and_nothing_from_elsewhere(client_of: Callable[..., Client]) -> None:
    page = soup(client_of("stranger").get("/"))
    addresses = [str(tag.get("src") or tag.get("href")) for tag in page.select("script, link")]

    assert any("htmx-2.min" in address for address in addresses)
    assert not any("htmx-4" in address or "htmax" in address for address in addresses)
    assert all(address.startswith("/static/") for address in addresses)
    assert all(not script.string for script in page.select("script"))


# My projects


def test_one_project_is_opened_at_once(client_of: Callable[..., Client]) -> None:
    assert client_of("reviewer").get("/")["Location"] == "/p/claims/"


def test_several_projects_are_listed_with_the_roles(client_of: Callable[..., Client]) -> None:
    other = Project.objects.create(slug="law", name="مراجعة العقود", graph_id="law")
    for role in ("reviewer", "lead"):
        Membership.objects.create(project=other, user=User.objects.get(username="viewer"), role=role)
    page = soup(client_of("viewer").get("/"))

    rows = [re.sub(r"\s+", " ", row.get_text(" ")).strip() for row in page.select("main tbody tr")]
    assert rows == ["Claims and refunds viewer", "مراجعة العقود lead, reviewer"]
    assert [link["href"] for link in page.select("main tbody a")] == ["/p/claims/", "/p/law/"]
    assert len(page.select("main tbody a > bdi")) == 2


def test_somebody_without_a_project_is_told_what_to_do(client_of: Callable[..., Client]) -> None:
    assert "You are a member of no project yet" in words(client_of("stranger").get("/"))


# The home of a project


@pytest.fixture
def on_graph(console_graph: str) -> str:
    return console_graph


def test_an_empty_project_says_so(client_of: Callable[..., Client], on_graph: str) -> None:
    page = soup(client_of("reviewer").get("/p/claims/"))

    numbers = [stat.get_text() for stat in page.select("#numbers .stat b")]
    assert numbers == ["0", "–", "0", "0"]
    assert "Nothing needs a look" in page.get_text()
    assert "No verdict of yours yet" in page.get_text()
    assert page.select_one("#queue-count") is not None


def test_the_top_bar_shows_only_pages_that_exist(client_of: Callable[..., Client], on_graph: str) -> None:
    page = soup(client_of("reviewer").get("/p/claims/"))

    links = [str(link["href"]) for link in page.select(".mainnav a")]
    assert links == ["/p/claims/", "/p/claims/queue/", "/p/claims/conflicts/", "/p/claims/tasks/"]
    current = page.select(".mainnav [aria-current=page]")
    assert [link.get_text(strip=True) for link in current] == ["Home"]


def test_my_newest_verdicts_are_listed(client_of: Callable[..., Client], project: Project, on_graph: str) -> None:
    mine, other = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"
    for actor, target, outcome in (
        ("user:reviewer", mine, "intended"),
        ("user:reviewer", mine, "done"),
        ("user:reviewer", other, "stale"),
        ("user:lead", other, "done"),
        ("user:reviewer", "not-an-id", "done"),
    ):
        audit_append(project=project, actor=actor, verb="verdict.reject", target=target, outcome=outcome)
    page = soup(client_of("reviewer").get("/p/claims/"))

    assert [link["href"] for link in page.select("#decided a")] == [f"/p/claims/decisions/{mine}/"]
    assert [link.get_text() for link in page.select("#decided a")] == ["Rejected"]


def test_it_says_when_no_worker_runs(client_of: Callable[..., Client], on_graph: str) -> None:
    from console.jobs import settle_audit

    client = client_of("reviewer")
    assert "No worker is running." in words(client.get("/p/claims/"))

    settle_audit()
    assert "No worker is running." not in words(client.get("/p/claims/"))


def test_broken_data_makes_every_page_say_read_only(
    client_of: Callable[..., Client], on_graph: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from console import graph

    graph.graph_store()
    monkeypatch.setattr(graph._mine(), "problems", tuple(f"Two tasks are named t{n}." for n in range(7)))
    banner = soup(client_of("reviewer").get("/p/claims/")).select_one("#read-only")

    assert banner
    assert "Read only until the graph is repaired" in banner.get_text()
    assert [item.get_text() for item in banner.select("li")][-1] == "2 more"


# The look


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_chosen_theme_is_written_into_every_page(theme: str, client_of: Callable[..., Client]) -> None:
    client = client_of("stranger")
    response = client.post("/settings/theme/", {"theme": theme, "next": "/?x=1"})

    assert response["Location"] == "/?x=1"
    html = soup(client.get("/")).html
    assert html and html["data-bs-theme"] == theme

    client.post("/settings/theme/", {"theme": "auto"})
    html = soup(client.get("/")).html
    assert html and not html.has_attr("data-bs-theme")


@pytest.mark.parametrize(
    ("address", "data"),
    [("/settings/theme/", {"theme": "pink"}), ("/settings/theme/", {}), ("/settings/keys/", {"single_keys": "x"})],
)
def test_an_unknown_choice_is_refused(address: str, data: dict[str, Any], client_of: Callable[..., Client]) -> None:
    assert client_of("stranger").post(address, data).status_code == 422
    assert not Preference.objects.exists()


def test_a_choice_never_leads_to_another_site(client_of: Callable[..., Client]) -> None:
    response = client_of("stranger").post("/settings/theme/", {"theme": "dark", "next": "//evil.example/"})

    assert response["Location"] == "/"


def test_single_keys_can_be_switched_off(client_of: Callable[..., Client]) -> None:
    client = client_of("stranger")
    client.post("/settings/keys/", {"single_keys": "off"})

    html = soup(client.get("/")).html
    assert html and html["data-single-keys"] == "off"


# Errors and health


def test_a_wrong_address_is_a_page_of_ours(client_of: Callable[..., Client]) -> None:
    response = client_of("stranger").get("/nowhere/")

    assert response.status_code == 404
    assert "There is nothing here for you" in words(response)
    assert f"request {response['X-Request-Number']}" in words(response)


@pytest.mark.parametrize(("path", "status"), [("/p/nowhere/", 404), ("/p/claims/queue/", 400)])
def test_an_address_with_too_many_fields_is_a_page_of_ours(
    path: str, status: int, client_of: Callable[..., Client], on_graph: str
) -> None:
    response = client_of("reviewer").get(path + "?" + "a=1&" * 500)

    assert response.status_code == status
    assert soup(response).h1


def test_a_bug_is_a_page_that_needs_no_database(monkeypatch: pytest.MonkeyPatch, db: None) -> None:
    from console import views

    monkeypatch.setattr(views, "health_report", lambda: 1 / 0)
    client = Client(raise_request_exception=False)
    response = client.get("/health/")

    assert response.status_code == 500
    assert "Something broke on our side" in words(response)
    assert "Traceback" not in response.content.decode()


def test_health_names_what_is_down(db: None, graph_down: None) -> None:
    response = Client().get("/health/")

    assert response.status_code == 503
    assert response.json() | {"worker": ""} == {
        "status": "down", "down": ["graph"], "graph": "down", "sql": "ok", "worker": "", "read_only": False,
    }  # fmt: skip


def test_health_is_ok_without_a_worker(db: None, on_graph: str) -> None:
    response = Client().get("/health/")

    assert response.status_code == 200
    assert response.json() == {
        "status": "ok", "down": [], "graph": "ok", "sql": "ok", "worker": "not seen for 30 s", "read_only": False,
    }  # fmt: skip


def test_health_says_when_sql_is_down(on_graph: str) -> None:
    # Without the db fixture every query is refused, as by a database that is away.
    from unittest.mock import patch

    from django.db import OperationalError, connection

    with patch.object(connection, "cursor", side_effect=OperationalError("gone")):
        response = Client().get("/health/")

    assert response.status_code == 503
    assert response.json()["down"] == ["sql"]


def test_a_database_that_locks_while_the_session_is_saved_is_a_503(
    client_of: Callable[..., Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    from django.contrib.sessions.backends.db import SessionStore
    from django.db import OperationalError

    client = client_of("stranger", raise_request_exception=False)
    session = client.session
    session["notices"] = {"key": [[25, "Reaffirmed."]]}
    session.save()

    def away(self: SessionStore, must_create: bool = False) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr(SessionStore, "save", away)
    response = client.get("/?notice=key")

    assert response.status_code == 503
    assert "The console’s database cannot be reached" in words(response)


def test_head_has_the_headers_of_the_page_and_no_body(rf: RequestFactory) -> None:
    def page(_: HttpRequest) -> HttpResponse:
        return HttpResponse("a page")

    head = bodiless_head(page)(rf.head("/"))
    assert (head.content, head["Content-Length"]) == (b"", "6")
    assert bodiless_head(page)(rf.get("/")).content == b"a page"
