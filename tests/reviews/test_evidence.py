"""One cited passage by its evidence id, and every id that names none (cases.md 20)."""

from collections.abc import Callable
from urllib.parse import quote
from uuid import uuid4

import pytest
from django.test import Client

from tests.reviews.factories import BEFORE, EDITED, QUOTE, World
from tests.reviews.pages import one, one_store, soup, text_of


def address(evidence_id: str) -> str:
    return f"/p/claims/evidence/{quote(evidence_id, safe='')}/"


@pytest.fixture
def cited(world: World) -> str:
    world.document()
    return world.decision([("refund-policy", QUOTE)]).supports[0].evidence_id or ""


def test_the_passage_is_shown_as_cited_also_after_the_source_changed(ana: Client, world: World, cited: str) -> None:
    world.change("refund-policy", EDITED)

    response = ana.get(address(cited))

    assert response.status_code == 200
    assert one(response, ".doc").get_text() == QUOTE
    assert "Refund Policy" in text_of(response, "h1")
    assert "refund-policy" in text_of(response, "main")


def test_the_version_is_that_of_the_passage_and_not_the_latest(ana: Client, world: World, cited: str) -> None:
    world.change("refund-policy", EDITED)
    newer = world.graph.passages("refund-policy")[0]

    assert "Version v1 of" in text_of(ana.get(address(cited)), "main")
    world.decision([("refund-policy", EDITED[:20])], choice="other")
    assert "Version v2 of" in text_of(ana.get(address(newer)), "main")
    world.change("refund-policy", BEFORE)
    assert "Version v3 of" in text_of(ana.get(address(cited)), "main")
    assert "Version v2 of" in text_of(ana.get(address(newer)), "main")


def parts(evidence_id: str) -> tuple[str, str]:
    head, _, span = evidence_id.rpartition(":")
    return head, span


MALFORMED: dict[str, Callable[[str], str]] = {
    "empty span": lambda good: f"{parts(good)[0]}:5-5",
    "backwards": lambda good: f"{parts(good)[0]}:9-4",
    "leading zero": lambda good: f"{parts(good)[0]}:07-9",
    "upper case": lambda good: good.upper(),
    "trailing newline": lambda good: good + "\n",
    "other digits": lambda good: f"{parts(good)[0]}:٤-٩",
    "nonsense": lambda good: "nonsense",
    "a path": lambda good: "../../etc/passwd",
    "very long": lambda good: "ev1:s:" + "a" * 3000,
    "markup": lambda good: "<script>x</script>",
    "nul": lambda good: good + "\x00",
}


@one_store
@pytest.mark.parametrize("kind", MALFORMED)
def test_a_malformed_id_is_a_404_that_says_so(kind: str, ana: Client, world: World, cited: str) -> None:
    response = ana.get(address(MALFORMED[kind](cited)))

    assert response.status_code == 404
    assert "malformed" in text_of(response, "main")
    assert QUOTE not in text_of(response)
    assert not soup(response).select("main script")


UNAVAILABLE: dict[str, Callable[[str], str]] = {
    "far outside": lambda good: f"{parts(good)[0]}:0-999999999999",
    "just outside": lambda good: f"{parts(good)[0]}:0-99999",
    "other version": lambda good: good.replace(good.split(":")[3], "0" * len(good.split(":")[3])),
    "other document": lambda good: good.replace(good.split(":")[2], str(uuid4())),
}


@pytest.mark.parametrize("kind", UNAVAILABLE)
def test_a_place_that_is_not_there_is_not_available(kind: str, ana: Client, world: World, cited: str) -> None:
    response = ana.get(address(UNAVAILABLE[kind](cited)))

    assert response.status_code == 404
    assert "not available in this version" in text_of(response, "main")
    assert QUOTE not in text_of(response)


@one_store
def test_a_document_of_another_project_is_not_shown(client_of: Callable[..., Client], world: World, cited: str) -> None:
    response = client_of("stranger").get(address(cited).replace("claims", "other"))

    assert response.status_code == 404
    assert QUOTE not in response.content.decode()
    assert client_of("stranger").get(address(cited)).status_code == 404
    assert client_of("vera").get(address(cited)).status_code == 200
    assert Client().get(address(cited)).status_code == 302
