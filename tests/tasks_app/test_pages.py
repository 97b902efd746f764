"""The list of tasks and the timeline of one, on both stores."""

import re
from collections.abc import Callable
from typing import Any
from uuid import uuid4

from django.test import Client

from console.models import Membership, Project
from tests.console.pages import soup, words
from tests.reviews.counting import CountingStore
from tests.reviews.factories import World

TASK = "refund-LM-20931"


def task_id(world: World, name: str = TASK) -> str:
    found = world.history.get_task(name).task
    assert found
    return found.id


def record(world: World, payload: str, kind: str = "message", **more: Any) -> int:
    result = world.history.record_event(world.task(), kind, payload=payload, **more)
    assert result.event, result
    return result.event.seq


def test_tasks_are_listed_newest_first_and_page_by_page(client_of: Callable[..., Client], world: World) -> None:
    for number in range(53):
        assert world.history.create_task(f"task/{number:02} a", f"Goal {number}").recorded
    client = client_of("viewer")
    first = soup(client.get("/p/claims/tasks/"))
    older = first.select_one("#pager a[rel=next]")
    assert older
    second = soup(client.get(f"/p/claims/tasks/{older['href']}"))

    names = [link.get_text() for page in (first, second) for link in page.select("#rows th a")]
    assert names == [f"task/{number:02} a" for number in reversed(range(53))]
    assert [len(page.select("#rows tbody tr")) for page in (first, second)] == [50, 3]
    assert not second.select("#pager a[rel=next]")
    assert all(re.fullmatch(r"/p/claims/tasks/[0-9a-f-]{36}/", str(a["href"])) for a in first.select("#rows th a"))


def test_a_cursor_that_is_none_of_ours_is_no_error(client_of: Callable[..., Client], world: World) -> None:
    world.task()
    for cursor in ("abc", "-1", "%00", "%F0%9F%98%80", "x" * 3000):
        assert client_of("viewer").get(f"/p/claims/tasks/?cursor={cursor}").status_code in {200, 404}


def test_a_project_without_tasks_says_so(client_of: Callable[..., Client], world: World) -> None:
    assert "No task yet" in words(client_of("viewer").get("/p/claims/tasks/"))


def test_a_timeline_shows_goal_events_steps_and_decisions(client_of: Callable[..., Client], world: World) -> None:
    record(world, "started", role="agent", name="refund-agent")
    seq = record(world, '{"found": true}', "tool_result", name="fetch_passage")
    assert world.history.set_step(
        TASK, "Read the policy", "completed", result_event_seq=seq, result_basis="independent"
    ).recorded
    assert world.history.set_step(TASK, "Ask for proof", "in_progress").recorded
    flagged = world.flagged()
    page = soup(client_of("viewer").get(f"/p/claims/tasks/{task_id(world)}/"))

    lead = page.select_one(".lead")
    assert lead and lead.get_text() == "Settle the claim."
    assert [event["id"] for event in page.select("#timeline .ev[id^=e]")] == ["e1", "e2"]
    mark = page.select_one("#e2 .stepmark")
    assert mark and "Read the policy" in mark.get_text()
    steps = [re.sub(r"\s+", " ", step.get_text(" ")).strip() for step in page.select("#steps li")]
    assert steps[0] == "Ask for proof in progress"
    assert steps[1].startswith("Read the policy completed")
    link = page.select_one(f"#d-{flagged.id} a")
    assert link and link["href"] == f"/p/claims/decisions/{flagged.id}/"
    assert "needs review" in link.get_text()
    assert [a["href"] for a in page.select("#decisions a")] == [f"/p/claims/decisions/{flagged.id}/"]


def test_long_logs_are_read_a_hundred_at_a_time(client_of: Callable[..., Client], world: World) -> None:
    for number in range(1, 206):
        record(world, f"event {number}")
    client, address = client_of("viewer"), f"/p/claims/tasks/{task_id(world)}/"

    seen, after = [], ""
    while True:
        page = soup(client.get(address + after))
        seen += [event["id"] for event in page.select("#timeline .ev")]
        further = page.select_one("nav.pager a[rel=next]")
        if further is None:
            break
        after = str(further["href"]).partition("#")[0]

    assert seen == [f"e{number}" for number in range(1, 206)]
    middle = soup(client.get(f"{address}?after=100"))
    said = middle.select_one("#range")
    assert said and "Events 101 to 200 of 205." in said.get_text()
    back = middle.select_one("nav.pager a[rel=prev]")
    assert back and back["href"] == "?after=0#main"


def test_odd_places_in_the_log_are_no_error(client_of: Callable[..., Client], world: World) -> None:
    record(world, "one")
    for after in ("-1", "abc", "1e9", "99999999999999999999", "9" * 400, "%00", "٣", ""):
        response = client_of("viewer").get(f"/p/claims/tasks/{task_id(world)}/?after={after}&full={after}")
        assert response.status_code == 200


def test_a_redacted_event_is_a_tombstone(client_of: Callable[..., Client], world: World) -> None:
    seq = record(world, "My passport number is 123.")
    world.store.write(
        "MATCH (e:Event {seq: $seq}) SET e.payload = '[REDACTED]', e.redacted_at = $at RETURN e.seq AS seq",
        seq=seq,
        at="2026-11-28T10:00:00+00:00",
    )
    page = soup(client_of("viewer").get(f"/p/claims/tasks/{task_id(world)}/"))

    tomb = page.select_one(f"#e{seq}.is-tomb .tomb")
    assert tomb and "Content redacted" in tomb.get_text()
    assert "[REDACTED]" not in page.get_text()


def test_missing_numbers_are_shown(client_of: Callable[..., Client], world: World) -> None:
    for number in range(1, 5):
        record(world, f"event {number}")
    world.store.write("MATCH (e:Event) WHERE e.seq IN $gone DETACH DELETE e RETURN count(*) AS n", gone=[2, 3])
    page = soup(client_of("viewer").get(f"/p/claims/tasks/{task_id(world)}/"))

    assert [gap.get_text(strip=True) for gap in page.select(".gap")] == ["Numbers 2 to 3 are missing."]


def test_a_cut_payload_says_so_and_a_long_one_opens(client_of: Callable[..., Client], world: World) -> None:
    record(world, "x" * 40_000)
    client, address = client_of("viewer"), f"/p/claims/tasks/{task_id(world)}/"
    page = soup(client.get(address))
    more = page.select_one("#e1 a.small")

    assert "cut when recorded" in page.get_text()
    assert more and more.get_text() == "Show 28,000 more characters"
    assert "x" * 32_000 in client.get(address + str(more["href"])).content.decode()


def test_texts_of_agents_are_isolated_and_stay_text(client_of: Callable[..., Client], world: World) -> None:
    record(world, "<img src=x onerror=alert(1)> \u202eevil", role="<b>", name="<i>")
    page = soup(client_of("viewer").get(f"/p/claims/tasks/{task_id(world)}/"))

    assert not page.select("#timeline img, #timeline i")
    text = page.select_one("#e1 p[dir=auto]")
    assert text and "<img src=x onerror=alert(1)> \u202eevil" in text.get_text()
    assert page.select_one("#e1 bdi")


def test_a_task_of_nobody_and_of_another_project_are_one_404(client_of: Callable[..., Client], world: World) -> None:
    other = Project.objects.create(slug="other", name="Other", graph_id="other")
    Membership.objects.create(project=other, user_id=client_of("viewer").session["_auth_user_id"], role="viewer")
    world.task()
    client = client_of("viewer")

    for address in (f"/p/other/tasks/{task_id(world)}/", f"/p/claims/tasks/{uuid4()}/", "/p/claims/tasks/7/"):
        assert client.get(address).status_code == 404


def test_reads_stay_constant_as_the_task_grows(
    client_of: Callable[..., Client], world: World, counted: CountingStore
) -> None:
    client, counts = client_of("viewer"), []
    world.document()
    for _ in range(2):
        for _ in range(60):
            record(world, "event")
        world.decision(events=[world.event("why")], choice=f"choice-{len(counts)}")
        counted.reset()
        assert client.get(f"/p/claims/tasks/{task_id(world)}/").status_code == 200
        timeline = counted.reads
        counted.reset()
        assert client.get("/p/claims/tasks/").status_code == 200
        counts.append((timeline, counted.reads))

    assert counts[0] == counts[1] == (6, 3)
    assert counted.writes == 0
