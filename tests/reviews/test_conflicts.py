"""Conflicts as a plain list."""

from collections.abc import Callable

from django.test import Client

from tests.reviews.counting import CountingStore
from tests.reviews.factories import EDITED, QUOTE, World
from tests.reviews.pages import address_of, one_store, soup, text_of

CONFLICTS = "/p/claims/conflicts/"


def test_each_side_is_named_with_its_state(ana: Client, world: World, counted: CountingStore) -> None:
    world.document()
    first = world.decision([("refund-policy", QUOTE)], task="kitchen-leak", choice="limit", conclusion="2,500 euros")
    world.change("refund-policy", EDITED)
    event = world.event("estimate", task="flat-roof")
    second = world.decision(events=[event], task="flat-roof", choice="limit", conclusion="4,000 euros")
    counted.reset()

    response = ana.get(CONFLICTS)

    page = text_of(response, "main")
    for text in ("limit", "kitchen-leak", "2,500 euros", "needs review", "flat-roof", "4,000 euros", "clear"):
        assert text in page
    links = {str(a["href"]) for a in soup(response).select("main a")}
    assert {address_of(first.id), address_of(second.id)} <= links
    assert "Conflicts 1" in text_of(response, "#topbar")
    assert counted.reads <= 3


@one_store
def test_tasks_that_agree_are_no_conflict(ana: Client, world: World) -> None:
    for task in ("a", "b"):
        world.decision(events=[world.event("x", task=task)], task=task, choice="limit", conclusion="Same.")

    assert "No conflicts" in text_of(ana.get(CONFLICTS), "main")


@one_store
def test_who_may_see_it(ana: Client, client_of: Callable[..., Client], world: World) -> None:
    assert client_of("vera").get(CONFLICTS).status_code == 200
    assert client_of("stranger").get(CONFLICTS).status_code == 404
    assert Client().get(CONFLICTS).status_code == 302
    assert ana.post(CONFLICTS).status_code == 405
