"""Signing in and out, and the pause after too many refusals."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from console.models import Project, SignInFailure
from tests.console.pages import soup, words

RIGHT = {"username": "reviewer", "password": "long enough 1"}
WRONG = {"username": "reviewer", "password": "guess"}


def test_the_form_says_what_it_is(db: None) -> None:
    page = soup(Client().get("/sign-in/"))

    form = page.select_one("form.signin-box")
    assert form and form["method"] == "post"
    assert form.select_one("input[name=csrfmiddlewaretoken]")
    assert [field["autocomplete"] for field in form.select("input[autocomplete]")] == ["username", "current-password"]


def test_the_right_password_leads_to_where_the_person_was(project: Project) -> None:
    wanted = {"next": "/p/claims/tasks/?cursor=x"}
    response = Client().post("/sign-in/?next=/p/claims/tasks/%3Fcursor%3Dx", RIGHT | wanted)

    assert response.status_code == 302
    assert response["Location"] == "/p/claims/tasks/?cursor=x"


@pytest.mark.parametrize(
    "target", ["//evil.example/", "https://evil.example/", "javascript:alert(1)", "/\\evil.example"]
)
def test_it_never_leads_elsewhere(target: str, project: Project) -> None:
    """cases.md 40"""
    assert Client().post("/sign-in/", RIGHT | {"next": target})["Location"] == "/"


def test_a_wrong_password_is_told_and_the_name_is_kept(project: Project) -> None:
    response = Client().post("/sign-in/", WRONG)
    page = soup(response)

    assert response.status_code == 422
    error = page.select_one("#signin-error[role=alert]")
    assert error and "Name or password is not right." in error.get_text()
    name, password = page.select_one("#u"), page.select_one("#p")
    assert name and name["value"] == "reviewer"
    assert password and password["aria-describedby"] == "signin-error"
    assert not password.get("value")


def test_ten_refusals_make_a_pause_for_that_name_only(project: Project) -> None:
    client = Client()
    for _ in range(10):
        assert client.post("/sign-in/", WRONG).status_code == 422

    paused = client.post("/sign-in/", RIGHT)
    assert paused.status_code == 429
    assert 0 < int(paused["Retry-After"]) <= 300
    assert "You can try again in 5 minutes" in words(paused)
    assert client.post("/sign-in/", {"username": " REVIEWER", "password": "x"}).status_code == 429
    assert client.post("/sign-in/", RIGHT | {"username": "lead"}).status_code == 302


def test_the_last_tries_are_counted_out(project: Project) -> None:
    client = Client()
    said = [words(client.post("/sign-in/", WRONG)) for _ in range(9)]

    assert "more" not in said[0]
    assert "2 more tries before a pause of 5 minutes" in said[7]
    assert "1 more try before" in said[8]


def test_the_pause_ends_after_five_minutes(project: Project) -> None:
    client = Client()
    for _ in range(10):
        client.post("/sign-in/", WRONG)
    SignInFailure.objects.update(at=timezone.now() - timedelta(minutes=5, seconds=1))

    assert client.post("/sign-in/", RIGHT).status_code == 302


def test_another_address_is_not_paused(project: Project) -> None:
    for _ in range(10):
        Client(REMOTE_ADDR="10.0.0.1").post("/sign-in/", WRONG)

    assert Client(REMOTE_ADDR="10.0.0.2").post("/sign-in/", RIGHT).status_code == 302


def test_signing_in_forgets_the_refusals(project: Project) -> None:
    client = Client()
    for _ in range(9):
        client.post("/sign-in/", WRONG)
    client.post("/sign-in/", RIGHT)

    assert SignInFailure.objects.count() == 0


@pytest.mark.parametrize("username", ["", "a\x00b", "x" * 5000, "\ud800".encode("utf-8", "surrogatepass")])
def test_odd_names_are_refused_like_others(username: str | bytes, project: Project) -> None:
    assert Client().post("/sign-in/", {"username": username, "password": "x"}).status_code in {400, 422}


def test_signing_out_is_a_post_and_ends_the_session(client_of: Callable[..., Client]) -> None:
    client = client_of("reviewer")

    assert client.post("/sign-out/")["Location"] == "/sign-in/"
    assert client.get("/").status_code == 302


def test_a_signed_in_person_does_not_sign_in_again(client_of: Callable[..., Client]) -> None:
    assert client_of("reviewer").get("/sign-in/?next=/p/claims/")["Location"] == "/p/claims/"


def test_signing_in_needs_the_form_of_ours(project: Project) -> None:
    response = Client(enforce_csrf_checks=True).post("/sign-in/", RIGHT)

    assert response.status_code == 403
    assert "This form is too old" in words(response)
