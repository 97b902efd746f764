"""The queue: what it lists, its filters, its pages, and what it says when there is nothing to do."""

import json
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest
from django.test import Client

from reaffirm.decisions import compare_flags
from reaffirm.knowledge import flagging, statements
from tests.reviews.counting import CountingStore
from tests.reviews.factories import EDITED, ELSEWHERE, QUOTE, World
from tests.reviews.pages import HTMX, TYPED, address_of, one, one_store, open_form, sealed, soup, text_of

QUEUE = "/p/claims/queue/"
RLO = "\u202e"


@pytest.fixture
def pages_of_ten(monkeypatch: pytest.MonkeyPatch) -> None:
    # By its name: the package holds a view of the same name.
    monkeypatch.setattr(import_module("reviews.views.queue"), "PAGE", 10)


def ids_on(response: Any) -> list[str]:
    return [str(row["id"]).removeprefix("flag-") for row in soup(response).select(".qrow")]


def link(response: Any, text: str) -> str | None:
    found = [a for a in soup(response).select("#pager a") if a.get_text(strip=True) == text]
    return QUEUE + str(found[0]["href"]) if found else None


def test_a_row_tells_why_and_what_rests_on_it(ana: Client, world: World) -> None:
    world.document()
    parent = world.decision([("refund-policy", QUOTE)], question="Is the order inside the refund window?")
    world.decision(parents=[parent], choice="credit-note", task="credit")
    world.change("refund-policy", EDITED)

    response = ana.get(QUEUE)

    row = text_of(response, f"#flag-{parent.id}")
    assert "Is the order inside the refund window?" in row
    assert "Refund Policy v1 → v2" in row
    assert "refund-window" in row
    assert "refund-LM-20931" in row
    assert "Rest on it 1" in row
    assert text_of(response, "#pager").startswith("1 of 1 shown")
    assert text_of(response, "#queue-count").startswith("1")


def test_each_flag_stands_once_on_its_page_and_next_ends(ana: Client, world: World, pages_of_ten: None) -> None:
    """cases.md 08: numbers 21 to 25 can be reached too, each once, in a stable order; the badge equals the rows."""
    flags = world.many_flagged(25)
    seen: list[str] = []
    address: str | None = QUEUE
    while address:
        response = ana.get(address)
        seen += ids_on(response)
        address = link(response, "Next")

    assert sorted(seen) == sorted(flags)
    assert len(seen) == len(set(seen))
    assert text_of(response, "#queue-count").startswith("25")
    back = link(response, "Previous")
    assert back
    assert ids_on(ana.get(back)) == seen[10:20]


@one_store
def test_a_list_that_shrank_shows_a_page_that_exists(
    ana: Client, client_of: Callable[..., Client], world: World, pages_of_ten: None
) -> None:
    """cases.md 05: on the last page, while another person clears what is before and on it."""
    world.many_flagged(21)
    pages = [ana.get(QUEUE)]
    while following := link(pages[-1], "Next"):
        pages.append(ana.get(following))
        last = following
    yusuf = client_of("yusuf")
    for flag in ids_on(pages[2]) + ids_on(pages[1])[5:]:
        yusuf.post(address_of(flag, "verdict/"), open_form(yusuf, flag) | TYPED["reject"])

    response = ana.get(last)

    assert response.status_code == 200
    assert ids_on(response)
    assert set(ids_on(response)) <= set(ids_on(pages[0]) + ids_on(pages[1]))
    assert not soup(response).select(".empty")


BAD_CURSORS = ["garbage", "0", "-1", "999", "1e9", "", "%00", "e30=", "a" * 5000, "[]", "bnVsbA==", "🙂"]


@one_store
@pytest.mark.parametrize("cursor", BAD_CURSORS)
@pytest.mark.parametrize("back", ["", "&back=1"])
def test_a_bad_cursor_is_the_first_page(cursor: str, back: str, ana: Client, world: World) -> None:
    """cases.md 05."""
    flag = world.flagged().id

    response = ana.get(f"{QUEUE}?cursor={cursor}{back}")

    assert response.status_code == 200
    assert ids_on(response) == [flag]


@pytest.mark.parametrize(
    ("filters", "count"),
    [
        ("document=refund-policy", 3),
        ("document=other-policy", 1),
        ("document=unknown", 0),
        ("task=task-a", 2),
        ("choice_key=c-1", 1),
        ("reason=source_changed", 3),
        ("reason=source_removed", 1),
        ("reason=source_changed&task=task-b&choice_key=c-2", 1),
        ("reason=nonsense", 4),
        ("task=" + "x" * 201, 4),
        ("task=%00", 4),
        ("author=refund-agent%40larkfield.example", 4),
        ("author=somebody", 0),
        ("text=C-2x", 1),
        ("text=REFUND+order", 4),
        ("text=.*", 0),
        ("text=" + "x" * 501, 4),
        ("sort=smallest_change&text=c-2", 2),
        ("sort=nonsense", 4),
    ],
)
@one_store
def test_a_filter_counts_exactly_what_it_lists(filters: str, count: int, ana: Client, world: World) -> None:
    world.document()
    world.document("other-policy", title="Other")
    for task, choice in (("task-a", "c-1"), ("task-a", "c-2x"), ("task-b", "c-2")):
        world.decision([("refund-policy", QUOTE)], task=task, choice=choice)
    world.decision([("other-policy", QUOTE)], task="task-c", choice="c-3")
    world.change("refund-policy", ELSEWHERE)
    assert world.graph.remove("other-policy").recorded

    response = ana.get(f"{QUEUE}?{filters}")

    assert response.status_code == 200
    assert len(ids_on(response)) == count
    if count:
        assert text_of(response, "#pager").startswith(f"{count} of {count} shown")
    else:
        assert "No flag matches the filter" in text_of(response, "#rows")
        assert "Caught up" not in text_of(response)


@one_store
def test_a_filter_stays_in_the_links_of_the_pages(ana: Client, world: World, pages_of_ten: None) -> None:
    world.many_flagged(12)

    response = ana.get(f"{QUEUE}?document=refund-policy")
    following = link(response, "Next")

    assert following and "document=refund-policy" in following
    assert len(ids_on(ana.get(following))) == 2


@pytest.mark.parametrize("sort", ["oldest", "most_dependents", "smallest_change"])
@one_store
def test_each_order_shows_every_flag_once_and_stays_in_the_links(
    sort: str, ana: Client, world: World, pages_of_ten: None
) -> None:
    flags = world.many_flagged(12)
    child = world.decision(choice="child", parents=[world.by_id(flags[7])])
    while world.traces.continue_decision_review():
        pass

    first = ana.get(f"{QUEUE}?sort={sort}")
    following = link(first, "Next")
    assert following and ("sort=" + sort in following or sort == "oldest")
    second = ana.get(following)

    assert sorted(ids_on(first) + ids_on(second)) == sorted([*flags, child.id])
    assert ids_on(ana.get(link(second, "Previous") or "")) == ids_on(first)
    assert (ids_on(first)[0] == flags[7]) is (sort == "most_dependents")
    assert one(first, "#f-sort [selected]")["value"] == sort
    assert f"shown, {one(first, '#f-sort [selected]').get_text().lower()}" in text_of(first, "#pager")


@one_store
def test_a_tab_counts_what_it_leads_to_and_a_filter_what_matches(
    ana: Client, world: World, two_reasons: dict[str, list[str]]
) -> None:
    response = ana.get(f"{QUEUE}?task=task+%26+0")

    assert text_of(response, "#matching").startswith("2 of 4 match")
    assert not soup(response).select("#tabs [aria-current]")
    for tab in soup(response).select("#tabs a"):
        target = ana.get(QUEUE + str(tab["href"]).removeprefix(QUEUE))
        assert len(ids_on(target)) == int(one(tab, ".count").get_text())
        assert one(target, "#tabs [aria-current]")["href"] == tab["href"]
    both = ana.get(f"{QUEUE}?task=task+%26+0&reason=source_removed")
    assert text_of(both, "#matching").startswith("1 of 4 match : Source removed")
    assert not soup(ana.get(QUEUE)).select("#matching")


@one_store
def test_the_filters_offer_the_exact_keys_of_the_rows(ana: Client, world: World, counted: CountingStore) -> None:
    """A row shows the title of a document; its filter takes the key."""
    flag = world.flagged(key="carrier-handbook-2026", task="refund-7").id
    counted.reset()

    response = ana.get(QUEUE)

    def offered(field: str) -> list[tuple[str, str]]:
        options = soup(response).select(f"datalist#{one(response, field)['list']} option")
        return [(str(option["value"]), str(option.get("label", ""))) for option in options]

    assert offered("#f-document") == [("carrier-handbook-2026", "Refund Policy")]
    assert offered("#f-task") == [("refund-7", "")]
    assert offered("#f-choice") == [("refund-window", "")]
    assert one(response, f"#flag-{flag} [title^='Document key']")["title"] == "Document key: carrier-handbook-2026"
    assert counted.reads <= 3


@one_store
def test_caught_up_only_when_nothing_is_flagged(ana: Client, world: World) -> None:
    """cases.md 05: and no decision form on an empty list."""
    response = ana.get(QUEUE)

    assert "Caught up" in text_of(response, "#rows")
    assert not soup(response).select("#verdict, .qrow, #pager")


UNPLACE = "MATCH (d:Decision {id: $id}) REMOVE d.flagged_ms RETURN d.id AS id"


def test_what_another_program_flagged_gets_its_place_when_it_is_looked_for(
    ana: Client, world: World, counted: CountingStore
) -> None:
    flag = world.flagged().id
    world.store.write(UNPLACE, id=flag)

    first = ana.get(QUEUE)
    reads = counted.reads

    assert first["Location"] == QUEUE
    assert ids_on(ana.get(QUEUE)) == [flag]
    assert reads <= 3
    assert counted.reads - reads <= 3


@one_store
def test_what_has_no_place_yet_is_counted_and_said_to_be_coming(
    ana: Client, world: World, counted: CountingStore
) -> None:
    flag = world.flagged().id
    world.store.write(UNPLACE, id=flag)
    counted.lose = "before"

    response = ana.get(QUEUE)

    assert "1 more is being listed" in text_of(response, "#listing")
    assert "Caught up" not in text_of(response)
    assert text_of(response, "#queue-count").startswith("1")


@one_store
def test_flags_that_an_activation_left_are_said_to_be_coming_and_come(
    ana: Client, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(statements, "MAX_CITERS", 0)
    with monkeypatch.context() as patched:
        patched.setattr(flagging, "continue_flagging", lambda *_: 0)
        flag = world.flagged().id

    assert "1 more is being listed" in text_of(ana.get(QUEUE), "#listing")
    assert ids_on(ana.get(QUEUE)) == [flag]


def test_a_spreading_review_is_told_apart_from_flags(ana: Client, world: World) -> None:
    """cases.md 08: the badge counts the flags, not what is being checked; without a worker the page says so."""
    world.document()
    for number in range(12):
        world.decision([("refund-policy", QUOTE)], choice=f"clear-{number}")
    parent = world.decision([("refund-policy", QUOTE)], choice="parent")
    world.decision(parents=[parent], choice="child", task="child")
    assert world.traces.reject_decision(parent.id, "Wrong.").recorded

    response = ana.get(QUEUE)

    assert "No worker runs, so flagging of dependents waits" in text_of(response, "#spreading")
    assert text_of(response, "#queue-count").startswith("0")
    assert not ids_on(response)
    assert "Caught up" not in text_of(response)
    while world.traces.continue_decision_review():
        pass
    response = ana.get(QUEUE)
    assert not soup(response).select("#spreading")
    assert text_of(response, "#queue-count").startswith("1")
    assert "Cited decision changed" in text_of(response, "#rows")


@pytest.mark.parametrize("rows", [3, 40])
def test_the_page_is_few_reads_however_many_rows(rows: int, ana: Client, world: World, counted: CountingStore) -> None:
    world.many_flagged(rows)

    assert len(ids_on(ana.get(QUEUE))) == rows
    assert counted.reads <= 3
    assert counted.writes == 0


@one_store
def test_fifty_rows_are_less_than_100_kilobytes(ana: Client, world: World) -> None:
    world.document()
    for number in range(50):
        world.decision(
            [("refund-policy", QUOTE)],
            choice=f"refund-window-for-damaged-household-goods-{number:02d}",
            task=f"refund-LM-{20900 + number}",
            question="Which of the seventeen storm-damage claims from the coast may be settled without a site visit?",
        )
    world.change("refund-policy", EDITED)

    response = ana.get(QUEUE)

    assert len(ids_on(response)) == 50
    assert len(response.content) < 100_000


@one_store
def test_names_of_any_script_are_isolated(ana: Client, world: World) -> None:
    """cases.md 19: an override without its end does not reverse the rest of the row."""
    world.document(title="מדיניות החזרים")
    flag = world.decision([("refund-policy", QUOTE)], question=f"{RLO}Reversed? 🙂", task="הזמנה 2002 English")
    world.change("refund-policy", EDITED)

    row = one(ana.get(QUEUE), f"#flag-{flag.id}")

    for text in (f"{RLO}Reversed? 🙂", "הזמנה 2002 English", "מדיניות החזרים"):
        holder = next(tag for tag in row.find_all("bdi") if text in tag.get_text())
        assert holder.name == "bdi"


@one_store
def test_a_name_is_text_and_never_markup(ana: Client, world: World) -> None:
    world.flagged(question='<script>alert(1)</script> {{ 7 }} " onload=x')

    response = ana.get(QUEUE)

    assert "<script>alert(1)</script> {{ 7 }}" in text_of(response, "#rows")
    assert not soup(response).select("main script")


@one_store
def test_a_store_that_is_away_is_an_error_with_a_retry(ana: Client, world: World, counted: CountingStore) -> None:
    """cases.md 07: never reported as finished."""
    counted.lose = "all"

    for address in (QUEUE, QUEUE + "next/"):
        response = ana.get(address)
        assert response.status_code == 503
        assert "Caught up" not in text_of(response)


@one_store
@pytest.mark.parametrize(("events", "says"), [(1, "Citations 2 none a document"), (0, "Citations 1 not a document")])
def test_a_row_that_cites_no_document_says_so(events: int, says: str, ana: Client, world: World) -> None:
    world.document()
    parent = world.decision([("refund-policy", QUOTE)], choice="parent")
    cited = [world.event("The cupboard arrived broken.") for _ in range(events)]
    child = world.decision(choice="child", parents=[parent], events=cited)
    assert world.traces.reject_decision(parent.id, "Wrong.").recorded
    while world.traces.continue_decision_review():
        pass
    compare_flags(world.store, world.project_id)

    assert says in text_of(ana.get(QUEUE), f"#flag-{child.id}")


# The next flag


def test_next_opens_the_oldest_and_then_walks_the_queue(ana: Client, world: World) -> None:
    world.many_flagged(3)
    first, second, third = ids_on(ana.get(QUEUE))

    def follow(selector: str, flag: str) -> str:
        href = str(one(ana.get(address_of(flag)), selector)["href"])
        return str(ana.get(href)["Location"])

    assert ana.get(QUEUE + "next/")["Location"] == address_of(first)
    assert follow("[data-key=j]", first) == address_of(second)
    assert follow("[data-key=k]", third) == address_of(second)


@one_store
@pytest.mark.parametrize(("key", "at", "says"), [("j", -1, "the last flag."), ("k", 0, "the first flag.")])
def test_at_the_ends_of_the_queue_a_person_stays_and_is_told(
    key: str, at: int, says: str, ana: Client, world: World
) -> None:
    flag = world.many_flagged(3)[at]

    landed = ana.get(str(one(ana.get(address_of(flag)), f"[data-key={key}]")["href"]), follow=True)

    assert landed.request["PATH_INFO"] == address_of(flag)
    assert text_of(landed, "#messages") == f"This is {says}"


@one_store
def test_behind_the_last_flag_that_a_verdict_clears_comes_the_oldest(ana: Client, world: World) -> None:
    first, _second, third = world.many_flagged(3)

    landed = ana.post(address_of(third, "verdict/"), open_form(ana, third) | TYPED["reject"], follow=True)

    assert landed.request["PATH_INFO"] == address_of(first)
    assert "last flag" not in text_of(landed, "#messages")
    closed = str(one(ana.get(address_of(third)), "[data-key=j]")["href"])
    assert str(ana.get(closed)["Location"]) == address_of(first)


# The filter on its way


@pytest.fixture
def two_reasons(world: World) -> dict[str, list[str]]:
    """Four flags, in the order of the queue: two sources changed, two removed, one of each kind in turn."""
    flags: dict[str, list[str]] = {"source_changed": [], "source_removed": []}
    for number in range(4):
        key = world.document(f"policy-{number}")
        flag = world.decision([(key, QUOTE)], task=f"task & {number // 2}", choice=f"choice-{number}").id
        if number % 2:
            assert world.graph.remove(key).recorded
        else:
            world.change(key, ELSEWHERE)
        flags["source_removed" if number % 2 else "source_changed"].append(flag)
    return flags


def test_the_filter_stays_on_the_way_through_the_flags(
    ana: Client, world: World, two_reasons: dict[str, list[str]]
) -> None:
    first, second = two_reasons["source_removed"]
    narrow = "?reason=source_removed"
    listed = ana.get(QUEUE + narrow)

    opened = str(one(listed, f"#flag-{first} .qtitle")["href"])
    page = ana.get(opened)

    assert opened == address_of(first) + narrow
    assert str(ana.get(QUEUE + "next/" + narrow)["Location"]) == address_of(first) + narrow
    assert str(ana.get(str(one(page, "[data-key=j]")["href"]))["Location"]) == address_of(second) + narrow
    assert str(one(page, "[data-key=u]")["href"]) == QUEUE + narrow
    last = ana.get(str(one(ana.get(address_of(second) + narrow), "[data-key=j]")["href"]), follow=True)
    assert last.request["PATH_INFO"] == address_of(second)
    assert text_of(last, "#messages") == "This is the last flag of this filter."


@one_store
@pytest.mark.parametrize("htmx", [True, False])
def test_the_filter_stays_over_a_verdict(
    htmx: bool, ana: Client, world: World, two_reasons: dict[str, list[str]]
) -> None:
    first, second = two_reasons["source_removed"]
    for flag, following in ((first, address_of(second)), (second, QUEUE)):
        page = ana.get(f"{address_of(flag)}?reason=source_removed")
        action = str(one(page, "#verdict")["action"])
        response = ana.post(action, sealed(page) | TYPED["reject"], headers=HTMX if htmx else {})
        landed = ana.get(response["HX-Redirect" if htmx else "Location"], follow=True)

        assert landed.request["PATH_INFO"] == following
        assert "reason=source_removed" in landed.request["QUERY_STRING"]
        assert "Rejected" in text_of(landed, "#messages")


@one_store
def test_the_filter_stays_over_the_editor_and_a_refusal(
    ana: Client, world: World, counted: CountingStore, two_reasons: dict[str, list[str]]
) -> None:
    first, second = two_reasons["source_changed"]
    narrow = "?reason=source_changed"
    page = ana.get(address_of(first) + narrow)
    action = str(one(page, "#verdict")["action"])

    editor = ana.post(action, sealed(page) | {"verdict": "supersede", "how": "edit"})
    by_htmx = ana.post(action, sealed(page) | {"verdict": "supersede", "how": "edit"}, headers=HTMX)
    counted.lose = "all"
    away = ana.post(action, sealed(page) | TYPED["reject"])
    counted.lose = ""
    world.change("policy-0", EDITED)
    stale = ana.post(action, sealed(page) | TYPED["reject"], headers=HTMX)

    assert str(one(editor, "#editor")["action"]) == address_of(first, "supersede/") + narrow
    assert str(by_htmx["HX-Redirect"]) == address_of(first, "supersede/") + narrow
    assert str(one(away, "#verdict")["action"]) == action
    assert str(one(stale, "#keepform")["action"]) == action
    words = {"conclusion": "Other.", "rationale": "Read again.", "explanation": "Why not."}
    fresh = ana.get(address_of(first, "supersede/") + narrow)
    done = ana.post(str(one(fresh, "#editor")["action"]), sealed(fresh) | words, follow=True)
    assert done.request["PATH_INFO"] == address_of(second)


@one_store
@pytest.mark.parametrize(
    "bad", ["reason=nonsense", "task=%00", "task=" + "x" * 201, "document=%ED%B3%BF", "reason=source_removed%0A"]
)
def test_a_filter_that_is_none_is_dropped_on_the_way(bad: str, ana: Client, world: World) -> None:
    flag = world.flagged(ELSEWHERE).id
    page = ana.get(f"{address_of(flag)}?{bad}")

    assert page.status_code == 200
    assert ana.get(f"{QUEUE}next/?{bad}").status_code == 302
    response = ana.post(f"{address_of(flag, 'verdict/')}?{bad}", sealed(page) | TYPED["reject"], follow=True)
    assert response.status_code == 200


@one_store
def test_a_verdict_in_the_middle_goes_on_behind_it(ana: Client, world: World) -> None:
    """What a person left for later does not come back at once."""
    world.many_flagged(3)
    _, second, third = ids_on(ana.get(QUEUE))

    response = ana.post(address_of(second, "verdict/"), open_form(ana, second) | TYPED["reaffirm"], follow=True)

    assert response.request["PATH_INFO"] == address_of(third)


@one_store
def test_the_last_verdict_ends_on_a_queue_that_is_caught_up(ana: Client, world: World) -> None:
    flag = world.flagged(ELSEWHERE).id

    response = ana.post(address_of(flag, "verdict/"), open_form(ana, flag) | TYPED["reaffirm"], follow=True)

    assert response.request["PATH_INFO"] == QUEUE
    assert "Caught up" in text_of(response, "#rows")
    assert "Reaffirmed" in text_of(response, "#messages")


@one_store
@pytest.mark.parametrize(
    "place", ["after=x&at=y", "before=%00", "after=" + "f" * 900, "at=99999999999999999999", "after=&at=-1"]
)
def test_a_place_that_is_none_leads_to_the_oldest(place: str, ana: Client, world: World) -> None:
    flag = world.flagged().id

    assert ana.get(f"{QUEUE}next/?{place}")["Location"] == address_of(flag)


@one_store
def test_it_takes_no_post_and_no_stranger(ana: Client, client_of: Callable[..., Client], world: World) -> None:
    for address in (QUEUE, QUEUE + "next/"):
        assert ana.post(address).status_code == 405
        assert client_of("stranger").get(address).status_code == 404
        assert Client().get(address).status_code == 302
        assert client_of("vera").get(address).status_code in {200, 302}


@one_store
def test_flags_of_another_project_are_not_here(ana: Client, world: World) -> None:
    other = World(world.store, project_id="other-in-graph")
    flag = other.flagged().id

    assert ids_on(ana.get(QUEUE)) == []
    assert ana.get(address_of(flag)).status_code == 404
    assert json.dumps(flag) not in ana.get(QUEUE).content.decode()
