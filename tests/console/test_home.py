"""The home of a project on a graph with flags."""

from collections.abc import Callable

from django.test import Client

from tests.console.pages import soup, words
from tests.reviews.counting import CountingStore
from tests.reviews.factories import ELSEWHERE, QUOTE, World


def test_it_shows_the_oldest_flags_with_reason_and_links(client_of: Callable[..., Client], world: World) -> None:
    flagged = world.flagged(question="Is the order inside the window?")
    page = soup(client_of("reviewer").get("/p/claims/"))

    rows = page.select("#oldest tbody tr")
    link = rows[0].select_one("th a")
    assert len(rows) == 1
    assert link and link["href"] == f"/p/claims/decisions/{flagged.id}/"
    assert link.get_text() == "Is the order inside the window?"
    assert link["dir"] == "auto"
    assert rows[0].select_one(".chip-flag")
    numbers = [stat.get_text() for stat in page.select("#numbers .stat b")]
    assert numbers == ["1", "now", "0", "0"]
    count = page.select_one("#queue-count")
    assert count and count.get_text(" ", strip=True) == "1 open"
    start = page.select_one("main a.btn-primary")
    assert start and start["href"] == "/p/claims/queue/next/"


def test_only_a_reviewer_is_asked_to_start(client_of: Callable[..., Client], world: World) -> None:
    world.flagged()

    assert not soup(client_of("viewer").get("/p/claims/")).select("main a.btn-primary")


def test_conflicts_are_counted(client_of: Callable[..., Client], world: World) -> None:
    world.document()
    for task, conclusion in (("a", "Yes."), ("b", "No.")):
        world.decision([("refund-policy", QUOTE)], task=task, conclusion=conclusion)

    assert "1 Conflict across tasks" in words(client_of("viewer").get("/p/claims/"))


def test_it_reads_the_graph_at_most_three_times_however_many_flags_there_are(
    client_of: Callable[..., Client], world: World, counted: CountingStore
) -> None:
    client = client_of("reviewer")
    few: list[int] = []
    for key in ("first", "second"):
        world.document(key)
        for number in range(2 if key == "first" else 12):
            world.decision([(key, QUOTE)], task=f"{key}-{number // 10}", choice=f"c{number}")
        world.change(key, ELSEWHERE)
        counted.reset()
        assert client.get("/p/claims/").status_code == 200
        few.append(counted.reads)

    assert few[0] == few[1] <= 3
    assert counted.writes == 0


def test_a_hostile_title_stays_text(client_of: Callable[..., Client], world: World) -> None:
    world.flagged(question="<script>alert(1)</script> & \u202eevil")
    response = client_of("reviewer").get("/p/claims/")

    assert "<script>alert" not in response.content.decode()
    assert "<script>alert(1)</script> & \u202eevil" in soup(response).get_text()
