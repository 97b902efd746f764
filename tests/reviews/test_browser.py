"""The main path in Chromium: by keyboard with htmx, and without JavaScript."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.reviews.factories import EDITED, ELSEWHERE, QUOTE, World
from tests.reviews.pages import TYPED, address_of, one_store
from tests.reviews.people import signed_in

pytestmark = [pytest.mark.django_db(transaction=True), one_store]


@pytest.fixture
def sign_in(world: World, live_server: Any) -> Callable[..., Any]:
    """Give a page the session of a person, and open an address."""

    def sign(page: Any, address: str, username: str = "ana") -> Any:
        cookie = signed_in(username).cookies["sessionid"].value
        page.context.add_cookies([{"name": "sessionid", "value": cookie, "url": live_server.url}])
        page.goto(live_server.url + address)
        return page

    return sign


def said(page: Any, words: str) -> None:
    """Wait until the live region says it, without a function: the page allows no eval, which those are polled with."""
    page.locator("#live", has_text=words).wait_for(state="attached")


def test_five_flags_by_keyboard_alone(world: World, browser_page: Any, sign_in: Callable[..., Any]) -> None:
    """cases.md 46: focus is where the work goes on, the result is said once."""
    flags = world.many_flagged(3)
    page = sign_in(browser_page, "/p/claims/queue/")

    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    page.keyboard.press("o")
    page.wait_for_url("**/decisions/**")
    page.keyboard.press("j")
    page.wait_for_url(lambda url: flags[1] in url)
    page.keyboard.press("k")
    page.wait_for_url(lambda url: flags[0] in url)
    page.keyboard.press("3")
    assert page.is_checked("input[value=reject]")
    assert page.inner_text("#commit-label") == "Commit: reject"
    assert world.is_flagged(flags[0])

    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#reason[aria-invalid=true]")
    page.wait_for_selector("#reason:focus")
    said(page, "Say why")
    page.keyboard.type("It was wrong, u and j and 1 are only letters here.")
    page.keyboard.press("Control+Enter")
    page.wait_for_url(lambda url: flags[1] in url)
    assert "Rejected" in page.inner_text("#messages")
    assert not world.is_flagged(flags[0])
    assert "notice=" not in page.url

    page.keyboard.press("1")
    page.keyboard.press("Control+Enter")
    page.wait_for_url(lambda url: flags[2] in url)
    page.keyboard.press("u")
    page.wait_for_url("**/queue/")
    assert page.inner_text("#queue-count").startswith("1")


def test_the_sheet_lists_the_keys_of_the_page(world: World, browser_page: Any, sign_in: Callable[..., Any]) -> None:
    page = sign_in(browser_page, address_of(world.flagged().id))

    page.keyboard.press("?")

    sheet = page.inner_text("#keys")
    for words in (
        "Next / previous flag",
        "Back to the queue",
        "Reaffirm, supersede, reject",
        "Commit the chosen verdict",
    ):
        assert words in sheet


def test_a_lost_race_swaps_the_panel_and_keeps_the_text(
    world: World, new_browser_page: Any, sign_in: Callable[..., Any]
) -> None:
    flag = world.flagged(ELSEWHERE).id
    page = new_browser_page()
    page.on("console", lambda message: None)
    sign_in(page, address_of(flag))
    page.keyboard.press("3")
    page.fill("#reason", "My reason, which took a while.")
    assert world.traces.reject_decision(flag, "Faster.").recorded

    page.click("#commit")

    page.wait_for_selector("#stale")
    page.wait_for_selector("#stale:focus")
    assert page.input_value("#kept-reason") == "My reason, which took a while."
    assert not page.query_selector("#commit")
    assert page.inner_text("#queue-count").startswith("0")
    assert page.inner_text("#open-count").startswith("0")
    assert "refund-agent" in page.inner_text("#stale")
    said(page, "Your text is kept")


def test_a_double_click_sends_one(world: World, browser_page: Any, sign_in: Callable[..., Any]) -> None:
    """cases.md 43."""
    flag = world.flagged(ELSEWHERE).id
    page = sign_in(browser_page, address_of(flag))
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)

    page.dblclick("#commit")

    page.wait_for_url("**/queue/**")
    assert len(sent) == 1
    assert not world.is_flagged(flag)


def test_the_editor_gets_what_was_typed_and_draws_the_difference(
    world: World, browser_page: Any, sign_in: Callable[..., Any]
) -> None:
    flag = world.flagged(EDITED).id
    page = sign_in(browser_page, address_of(flag))
    page.check("input[name=how][value=edit]")
    assert page.inner_text("#commit-label") == "Go on in the editor"
    page.fill("#explanation", "The window is shorter.")

    page.click("#commit")

    page.wait_for_selector("#editor")
    assert page.input_value("#explanation") == "The window is shorter."
    page.fill("#conclusion", "Refund the order in part.")
    page.click("text=Show the difference")
    page.wait_for_selector("#livediff ins")
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/queue/**")
    assert world.by_id(flag).status == "superseded"


@pytest.mark.parametrize("verdict", list(TYPED))
def test_each_verdict_works_without_javascript(
    verdict: str, world: World, new_browser_page: Any, sign_in: Callable[..., Any]
) -> None:
    first, second = world.many_flagged(2)
    page = sign_in(new_browser_page(java_script_enabled=False), "/p/claims/queue/")
    page.click(f"#flag-{first} .qtitle")
    page.check(f"input[name=verdict][value={verdict}]")
    if verdict != "reaffirm":
        page.click("#commit")
        assert "Say why" in page.inner_text("#verdict")
    field = {"reaffirm": "note", "supersede": "explanation", "reject": "reason"}[verdict]
    page.fill(f"#{field}", TYPED[verdict][field])

    page.click("#commit")

    assert second in page.url
    assert not world.is_flagged(first)
    assert page.inner_text("#queue-count").startswith("1")


def test_no_page_scrolls_sideways(world: World, new_browser_page: Any, sign_in: Callable[..., Any]) -> None:
    """Long words wrap: 32,000 characters without a blank too."""
    world.document(title="T" * 300)
    event = world.event("x" * 32_000)
    texts: dict[str, Any] = {"question": "Q" * 200, "conclusion": "c" * 4000, "choice": "k" * 200, "task": "t" * 200}
    flag = world.decision([("refund-policy", QUOTE)], events=[event], **texts).id
    world.change("refund-policy", EDITED)
    page = new_browser_page()

    for address in ("/p/claims/queue/", address_of(flag), address_of(flag, "supersede/"), "/p/claims/conflicts/"):
        sign_in(page, address)
        for width in (320, 390, 1000, 1440):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (address, width)


def test_the_commit_button_is_always_in_view_on_a_wide_screen(
    world: World, new_browser_page: Any, sign_in: Callable[..., Any]
) -> None:
    world.many_flagged(2)
    page = sign_in(new_browser_page(viewport={"width": 1440, "height": 760}), "/p/claims/queue/next/")

    assert page.evaluate("document.getElementById('commit').getBoundingClientRect().bottom") <= 760
    page.click("#commit")
    page.wait_for_selector("#messages .note")
    assert page.evaluate("document.getElementById('commit').getBoundingClientRect().bottom") <= 760
    assert page.evaluate("document.documentElement.scrollHeight") <= 760


def test_the_ends_of_the_queue_are_said(world: World, browser_page: Any, sign_in: Callable[..., Any]) -> None:
    flags = world.many_flagged(2)
    page = sign_in(browser_page, "/p/claims/queue/")
    for key, words in (("jjj", "This is the last flag."), ("kk", "This is the first flag.")):
        for each in key:
            page.keyboard.press(each)
        said(page, words)

    page.goto(page.url.replace("/queue/", f"/decisions/{flags[1]}/"))
    page.keyboard.press("j")
    said(page, "This is the last flag.")
    assert flags[1] in page.url
