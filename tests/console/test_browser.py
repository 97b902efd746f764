"""The page script in Chromium: keys, focus, messages, buttons in flight, kept text."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.template import engines
from django.urls import path

from console.models import Project
from console.urls import handler400, handler403, handler404, handler500  # noqa: F401
from console.urls import urlpatterns as console_urls
from reaffirm.store import StoreUnavailable

pytestmark = pytest.mark.urls(__name__)

PAGE = """{% extends "base.html" %}
{% block main %}<h1>Test</h1>
<a href="/test/other/" data-key="j" data-key-label="Next">Next</a>
<a href="/test/other/?back" data-key="k" data-key-label="Next">Previous</a>
<label><input type="radio" name="verdict" value="1" form="f" data-key="1" data-key-label="Choose one">One</label>
<form id="f" method="post" action="/test/answer/" hx-post="/test/answer/" hx-target="#panel">{% csrf_token %}
<input type="hidden" name="how" id="how" value="ok"><textarea name="why" id="why"></textarea>
<button data-key="Mod+Enter" data-key-label="Commit" id="commit">Commit</button></form>
<div id="panel"><p>before</p></div>{% endblock %}"""
posts: list[str] = []
go_on = threading.Event()


def page(request: HttpRequest) -> HttpResponse:
    return HttpResponse(engines["django"].from_string(PAGE).render({}, request))


def other(request: HttpRequest) -> HttpResponse:
    return page(request)


def answer(request: HttpRequest) -> HttpResponse:
    how = request.POST["how"]
    posts.append(how)
    if how == "slow":
        go_on.wait(10)
    if how == "store":
        raise StoreUnavailable("down")
    if how == "proxy":
        return HttpResponse("<html><body><h1>Bad gateway</h1></body></html>", status=503)
    if how == "invalid":
        return HttpResponse("<p role=alert data-announce='Give a reason.'>Give a reason.</p>", status=422)
    messages.success(request, "Reaffirmed.")
    return HttpResponse("<h2 data-focus-after-swap data-announce='Done.'>after</h2>")


urlpatterns = [path("test/", page), path("test/other/", other), path("test/answer/", answer), *console_urls]


@pytest.fixture
def at(live_server: Any, project: Project, browser_page: Any) -> Any:
    """The test page, opened by the reviewer."""
    posts.clear()
    go_on.clear()
    sign_in(browser_page, live_server.url, "/test/")
    return browser_page


def sign_in(page: Any, base: str, target: str) -> None:
    page.goto(f"{base}/sign-in/?next={target}")
    page.fill("#u", "reviewer")
    page.fill("#p", "long enough 1")
    page.click("button[type=submit]")
    page.wait_for_url(f"**{target}")


def send(page: Any, how: str) -> None:
    page.evaluate("how => { document.querySelector('#how').value = how }", how)
    page.click("#commit")


def test_keys_follow_links_and_leave_fields_alone(at: Any) -> None:
    at.fill("#why", "")
    at.focus("#why")
    at.keyboard.type("j1?")
    assert at.input_value("#why") == "j1?"
    assert at.url.endswith("/test/")

    at.keyboard.press("Escape")
    at.keyboard.press("Control+j")
    at.keyboard.press("1")
    assert at.is_checked("input[type=radio]")
    at.keyboard.press("j")
    at.wait_for_url("**/test/other/")


def test_one_registry_feeds_badges_and_the_sheet(at: Any) -> None:
    assert at.locator("a[data-key=j] > kbd").inner_text() == "j"
    assert at.locator("#commit > kbd").inner_text() in {"Ctrl ↵", "⌘ ↵"}

    at.keyboard.press("?")
    assert at.locator("#keys").is_visible()
    lines = at.locator("#keys-list > div").all_inner_texts()
    assert lines[0].split() == ["Next", "j", "k"]
    assert any("Commit" in line for line in lines)
    at.keyboard.press("j")
    assert at.url.endswith("/test/")
    at.keyboard.press("Escape")
    assert not at.locator("#keys").is_visible()


def test_single_keys_can_be_switched_off_and_commit_stays(at: Any) -> None:
    at.keyboard.press("?")
    at.click("text=Switch single keys off")
    at.wait_for_url("**/test/")
    assert at.locator("a[data-key=j] > kbd").count() == 0

    at.keyboard.press("j")
    at.keyboard.press("Control+Enter")
    at.wait_for_selector("#panel h2")
    assert at.url.endswith("/test/")


def test_a_swap_moves_focus_and_speaks_once(at: Any) -> None:
    """cases.md 46"""
    send(at, "ok")
    at.wait_for_selector("#panel h2")

    assert at.evaluate("document.activeElement.textContent") == "after"
    at.locator("#live", has_text="Done.").wait_for(state="attached")
    assert at.locator("#messages .note").all_inner_texts() == ["Reaffirmed."]


def test_a_refused_form_is_swapped_and_can_be_sent_again(
    new_browser_page: Any, live_server: Any, project: Project
) -> None:
    page = new_browser_page()
    sign_in(page, live_server.url, "/test/")
    page.on("console", lambda message: None)
    page.fill("#why", "my words")
    with page.expect_response("**/test/answer/") as told:
        send(page, "invalid")
    assert told.value.status == 422
    page.wait_for_selector("#panel [role=alert]")

    assert page.input_value("#why") == "my words"
    assert page.is_enabled("#commit")


@pytest.mark.parametrize(
    ("how", "said"), [("store", "The graph cannot be reached"), ("proxy", "The server answered 503")]
)
def test_a_failure_is_told_near_the_top_and_keeps_the_text(how: str, said: str, at: Any) -> None:
    """cases.md 44"""
    at.fill("#why", "my words")
    send(at, how)
    message = at.wait_for_selector("#messages [role=alert]")

    assert said in message.inner_text()
    assert at.locator("#panel").inner_text() == "before"
    assert at.locator("h1").count() == 1
    assert at.input_value("#why") == "my words"
    assert at.is_enabled("#commit")


def test_a_double_click_sends_one_request(at: Any) -> None:
    """cases.md 43"""
    at.evaluate("document.querySelector('#how').value = 'slow'")
    at.click("#commit", click_count=2, no_wait_after=True)
    at.keyboard.press("Control+Enter")
    assert at.is_disabled("#commit")
    go_on.set()
    at.wait_for_selector("#panel h2")

    assert posts == ["slow"]
    assert at.is_enabled("#commit")


def test_text_survives_a_session_that_ended(at: Any, live_server: Any) -> None:
    """cases.md 40"""
    at.fill("#why", "my words\nof two lines")
    at.context.clear_cookies(name="sessionid")
    at.evaluate("document.querySelector('#f').setAttribute('hx-post', '/settings/theme/'); htmx.process(document.body)")
    at.click("#commit")
    at.wait_for_url("**/sign-in/?next=%2Ftest%2F")
    at.fill("#u", "reviewer")
    at.fill("#p", "long enough 1")
    at.click("button[type=submit]")
    at.wait_for_url("**/test/")

    assert at.input_value("#why") == "my words\nof two lines"
    assert "What you typed is here again" in at.locator("#messages").inner_text()
    at.reload()
    assert at.input_value("#why") == ""


def test_menus_open_without_script_and_sign_out(
    new_browser_page: Callable[..., Any], live_server: Any, project: Project
) -> None:
    page = new_browser_page(java_script_enabled=False)
    sign_in(page, live_server.url, "/test/")
    assert page.locator("#keys-button").is_hidden()

    page.click("summary:has(.face)")
    page.click("text=Sign out")
    page.wait_for_url("**/sign-in/")
