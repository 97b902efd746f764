"""The editor of a new revision."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from console.models import AuditRow
from tests.reviews.counting import CountingStore
from tests.reviews.factories import EDITED, ELSEWHERE, GONE, World
from tests.reviews.pages import HTMX, TYPED, address_of, one, one_store, open_form, sealed, soup, text_of

WORDS = {
    "conclusion": "Refund the order without delivery.",
    "rationale": "The terms of the order date still hold.",
    "explanation": "The window is shorter now.",
    "assumptions": "The scan is right.\r\n\r\n  The customer is a consumer.  ",
    "open_questions": "",
}


@pytest.fixture
def flag(world: World) -> str:
    return world.flagged(EDITED, assumptions=["The scan is right."]).id


def editor(client: Client, flag: str) -> dict[str, str]:
    response = client.get(address_of(flag, "supersede/"))
    assert response.status_code == 200
    return sealed(response)


def post(client: Client, flag: str, fields: dict[str, str], **more: Any) -> Any:
    return client.post(address_of(flag, "supersede/"), fields, **more)


def test_it_starts_from_a_copy(ana: Client, world: World, flag: str) -> None:
    response = ana.get(address_of(flag, "supersede/"))

    assert one(response, "#conclusion").get_text().strip() == "Refund the order in full."
    assert one(response, "#assumptions").get_text().strip() == "The scan is right."
    assert one(response, "#explanation").get_text().strip() == ""
    assert "cites the current text" in text_of(response, "#editor fieldset")


def test_it_records_a_new_revision_that_cites_the_current_text(ana: Client, world: World, flag: str) -> None:
    assert post(ana, flag, editor(ana, flag) | WORDS).status_code == 302

    old = world.by_id(flag)
    newer = next(d for d in world.traces.list_decisions(old.task_name).decisions if d.id != flag)
    assert old.status == "superseded"
    assert newer.supersession_explanation == WORDS["explanation"]
    assert newer.conclusion == WORDS["conclusion"]
    assert newer.assumptions == ("The scan is right.", "The customer is a consumer.")
    assert newer.open_questions == ()
    assert newer.author == "user:ana"
    assert world.graph.fetch([newer.supports[0].evidence_id or ""])[0].text in EDITED
    assert [row.outcome for row in AuditRow.objects.order_by("number")] == ["intended", "done"]


@one_store
def test_the_verdict_form_leads_here_with_what_was_typed_and_seen(ana: Client, world: World, flag: str) -> None:
    form = open_form(ana, flag)
    fields = form | {"verdict": "supersede", "how": "edit", "explanation": "Typed before."}

    response = ana.post(address_of(flag, "verdict/"), fields)

    assert response.status_code == 200
    assert one(response, "#editor #explanation").get_text().strip() == "Typed before."
    assert sealed(response)["seen"] == form["seen"]
    assert world.is_flagged(flag)


@one_store
@pytest.mark.parametrize("htmx", [True, False])
def test_the_difference_is_drawn_and_writes_nothing(htmx: bool, ana: Client, world: World, flag: str) -> None:
    fields = editor(ana, flag) | WORDS | {"preview": "1", "explanation": ""}

    response = post(ana, flag, fields, headers=HTMX if htmx else {})

    assert response.status_code == 200
    assert "added:" in text_of(response, "#livediff")
    assert bool(soup(response).select("#topbar")) is not htmx
    if not htmx:
        assert one(response, "#conclusion").get_text().strip() == WORDS["conclusion"]
    assert world.is_flagged(flag)


@one_store
@pytest.mark.parametrize("field", ["conclusion", "rationale", "explanation"])
def test_an_empty_field_is_told_and_the_rest_is_kept(field: str, ana: Client, world: World, flag: str) -> None:
    response = post(ana, flag, editor(ana, flag) | WORDS | {field: " "})

    assert response.status_code == 422
    area = one(response, f"#{field}")
    assert area["aria-invalid"] == "true" and area.has_attr("autofocus")
    other = "rationale" if field == "conclusion" else "conclusion"
    assert one(response, f"#{other}").get_text().strip() == WORDS[other]
    assert world.is_flagged(flag)


@one_store
@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("conclusion", "x" * 4001, "4000"),
        ("rationale", "x" * 8001, "8000"),
        ("explanation", "x" * 4001, "4000"),
        ("assumptions", "\n".join("abcdefghijklmnopqrstu"), "20 lines"),
    ],
)
def test_limits_are_told_at_the_field(field: str, value: str, says: str, ana: Client, world: World, flag: str) -> None:
    response = post(ana, flag, editor(ana, flag) | WORDS | {field: value})

    assert response.status_code == 422
    assert says in text_of(response, f"#{field}-e").replace(",", "")


def test_it_refuses_when_the_cited_words_changed(ana: Client, world: World, flag: str) -> None:
    form = editor(ana, flag)
    world.change("refund-policy", GONE)

    response = post(ana, flag, form | WORDS)

    assert response.status_code == 409
    assert "out of date" in text_of(response, "#stale")
    assert one(response, "#conclusion").get_text().strip() == WORDS["conclusion"]
    assert world.is_flagged(flag)


@one_store
def test_it_names_the_winner_and_keeps_the_text(
    ana: Client, client_of: Callable[..., Client], world: World, flag: str
) -> None:
    form = editor(ana, flag)
    yusuf = client_of("yusuf")
    yusuf.post(address_of(flag, "verdict/"), open_form(yusuf, flag) | TYPED["reject"])

    response = post(ana, flag, form | WORDS)

    assert response.status_code == 409
    assert "Rejected by Yusuf Al-Haddad" in text_of(response, "#stale")
    assert one(response, "#conclusion").get_text().strip() == WORDS["conclusion"]


@one_store
def test_a_double_click_is_one_revision(ana: Client, world: World, flag: str) -> None:
    form = editor(ana, flag) | WORDS

    assert post(ana, flag, form).status_code == post(ana, flag, form).status_code == 302
    assert len(world.traces.list_decisions(world.by_id(flag).task_name).decisions) == 2


@one_store
def test_a_store_that_is_away_costs_no_text(ana: Client, world: World, counted: CountingStore, flag: str) -> None:
    form = editor(ana, flag) | WORDS
    counted.lose = "all"
    response = post(ana, flag, form)

    assert response.status_code == 503
    for field in ("conclusion", "rationale", "explanation", "assumptions"):
        assert one(response, f"#{field}").get_text().split() == WORDS[field].split()
    counted.lose = ""
    assert post(ana, flag, sealed_of_outage(response) | WORDS).status_code == 302


def sealed_of_outage(response: Any) -> dict[str, str]:
    assert str(one(response, "#verdict")["action"]).endswith("/supersede/")
    return sealed(response)


@one_store
def test_who_may_open_it(ana: Client, client_of: Callable[..., Client], world: World, flag: str) -> None:
    address = address_of(flag, "supersede/")

    assert client_of("vera").get(address).status_code == 403
    assert client_of("vera").post(address, WORDS).status_code == 403
    assert client_of("stranger").get(address).status_code == 404
    assert Client().get(address).status_code == 302
    assert ana.get(address.replace(flag[:8], "00000000")).status_code == 404
    assert ana.put(address).status_code == 405


@one_store
def test_a_cleared_decision_has_no_editor(ana: Client, world: World) -> None:
    flag = world.flagged(ELSEWHERE).id
    ana.post(address_of(flag, "verdict/"), open_form(ana, flag) | TYPED["reject"])

    assert ana.get(address_of(flag, "supersede/"))["Location"] == address_of(flag)


@one_store
def test_a_form_that_was_tampered_with_is_refused(ana: Client, world: World, flag: str) -> None:
    response = post(ana, flag, editor(ana, flag) | WORDS | {"seen": "forged"})

    assert response.status_code == 422
    assert "open the page again" in text_of(response, "#unreadable")
    assert one(response, "#conclusion").get_text().strip() == WORDS["conclusion"]
    assert world.is_flagged(flag)
