"""The page of one decision: what was cited, what stands there now, and what can be done."""

from collections.abc import Callable
from urllib.parse import urlencode
from uuid import uuid4

import pytest
from django.test import Client

from tests.reviews.counting import CountingStore
from tests.reviews.factories import EDITED, ELSEWHERE, GONE, MOVED, QUOTE, World
from tests.reviews.pages import TYPED, address_of, one, one_store, open_form, sealed, soup, text_of

ALPHA = "The delivery counts as made when the parcel was photographed at the door."
ONCE = "\n\n".join(
    [
        "Alpha parcels.",
        ALPHA,
        "Beta parcels are bulky and come by van.",
        "The delivery counts as made when the van has left.",
    ]
)
TWICE = "\n\n".join(
    [
        "Beta parcels are bulky and come by van.",
        ALPHA,
        "The delivery counts as made when the van has left.",
        "Gamma parcels.",
        ALPHA,
    ]
)


@pytest.mark.parametrize(
    ("text", "state", "says", "verdicts"),
    [
        (ELSEWHERE, "Exact", "Same text as cited", {"reaffirm", "supersede", "reject"}),
        (MOVED, "Moved", "Moved here", {"reaffirm", "supersede", "reject"}),
        (EDITED, "Edited", "% alike", {"supersede", "reject"}),
        (GONE, "Gone", "no longer in the current version", {"reject"}),
    ],
)
def test_each_anchor_state_is_shown_with_what_is_possible(
    text: str, state: str, says: str, verdicts: set[str], ana: Client, world: World
) -> None:
    flag = world.flagged(text).id

    response = ana.get(address_of(flag))

    assert text_of(response, "#cite-row-1 .chip").startswith(state)
    assert says in text_of(response, "#cite-1")
    options = soup(response).select("#verdict input[name=verdict]")
    assert {str(radio["value"]) for radio in options if not radio.has_attr("disabled")} == verdicts
    for radio in options:
        if radio.has_attr("disabled"):
            assert "not possible" in text_of(response, f"#{radio['aria-describedby']}")


def test_the_diff_marks_words_with_text_for_screen_readers(ana: Client, world: World) -> None:
    flag = world.flagged(EDITED).id

    cited = one(ana.get(address_of(flag)), "#cite-1 .para.is-cited")

    assert "removed: 14" in cited.get_text()
    assert "added: 10" in cited.get_text()


def test_a_deleted_passage_stays_readable_and_is_never_another_one(ana: Client, world: World) -> None:
    """cases.md 22: a look-alike is no match; when the passage comes back at the end, it is offered, not applied."""
    both = "\n\n".join(
        [
            "Scope of the rule.",
            QUOTE.replace("A customer", "A customer of Alpha"),
            "In between.",
            QUOTE.replace("A customer", "A customer of Beta"),
            "Last words.",
        ]
    )
    alpha = QUOTE.replace("A customer", "A customer of Alpha")
    world.document(text=both)
    flag = world.decision([("refund-policy", alpha)]).id
    world.change("refund-policy", both.replace(alpha + "\n\n", ""))

    gone = ana.get(address_of(flag))
    assert text_of(gone, "#cite-row-1 .chip") == "Gone"
    assert alpha in soup(gone).select("#cite-1 del")[0].get_text()
    assert "no longer in the current version" in text_of(gone, "#cite-1")

    world.change("refund-policy", both.replace(alpha + "\n\n", "") + "\n\n" + alpha)
    back = ana.get(address_of(flag))
    assert text_of(back, "#cite-row-1 .chip") == "Moved"
    assert world.is_flagged(flag)


def test_an_ambiguous_passage_asks_for_a_place_and_takes_the_pick(ana: Client, world: World) -> None:
    world.document("handbook", ONCE, "Carrier Handbook")
    flag = world.decision([("handbook", ALPHA)]).id
    world.change("handbook", TWICE)
    response = ana.get(address_of(flag))
    assert text_of(response, "#cite-row-1 .chip") == "2 candidates"
    radios = soup(response).select("#cite-1 input[type=radio]")
    assert len(radios) == 2
    assert not [radio for radio in radios if radio.has_attr("checked")]
    assert all(radio["form"] == "verdict" for radio in radios)

    refused = ana.post(address_of(flag, "verdict/"), sealed(response) | TYPED["reaffirm"])
    assert refused.status_code == 409
    assert world.is_flagged(flag)

    pick = {str(radios[1]["name"]): str(radios[1]["value"])}
    done = ana.post(address_of(flag, "verdict/"), open_form(ana, flag) | TYPED["reaffirm"] | pick)
    assert done.status_code == 302
    assert not world.is_flagged(flag)
    support = world.by_id(flag).supports[0]
    assert f"{support.char_start}-{support.char_end}" == radios[1]["value"]


def test_a_removed_document_leaves_the_text_as_cited(ana: Client, world: World) -> None:
    world.document()
    flag = world.decision([("refund-policy", QUOTE)]).id
    assert world.graph.remove("refund-policy").recorded

    response = ana.get(address_of(flag))

    assert "Source removed" in text_of(response, "#cause")
    assert QUOTE in text_of(response, "#cite-1")
    assert "removed" in text_of(response, "#cite-1")
    assert one(response, "#verdict input[value=reaffirm]").has_attr("disabled")


def test_events_and_decisions_that_are_cited_are_shown(ana: Client, world: World) -> None:
    world.document()
    event = world.event("The cupboard arrived broken. <b>42</b> 📷")
    parent = world.decision([("refund-policy", QUOTE)], choice="parent", conclusion="The window is open.")
    child = world.decision([("refund-policy", QUOTE)], choice="child", parents=[parent], events=[event]).id
    world.change("refund-policy", ELSEWHERE)

    response = ana.get(address_of(child))
    page = text_of(response, "#evidence")

    assert "The cupboard arrived broken. <b>42</b> 📷" in page
    assert "The window is open." in page
    assert soup(response).select(f"#evidence a[href='{address_of(parent.id)}']")
    assert "Child" in text_of(ana.get(address_of(parent.id)), "#dependents")


def test_a_parent_that_needs_review_itself_can_still_be_cited_again(ana: Client, world: World) -> None:
    world.document()
    parent = world.decision([("refund-policy", QUOTE)], choice="parent")
    child = world.decision(choice="child", parents=[parent]).id
    world.change("refund-policy", EDITED)
    world.store.write(
        "MATCH (d:Decision {id: $id}) SET d.review_state = 'needs_review', d.review_reason = 'dependency_review', "
        "d.flagged_ms = 1 RETURN d.id AS id",
        id=child,
    )

    form = open_form(ana, child)
    page = soup(ana.get(address_of(child)))

    assert page.select_one("input[value=reaffirm]").has_attr("disabled")  # type: ignore[union-attr]
    assert ana.post(address_of(child, "verdict/"), form | TYPED["supersede"]).status_code == 302


@one_store
def test_a_cited_decision_that_needs_a_look_first_is_named_and_linked(ana: Client, world: World) -> None:
    world.document()
    parent = world.decision([("refund-policy", QUOTE)], choice="parent", question="Is the window open?")
    child = world.decision([("refund-policy", QUOTE)], choice="child", parents=[parent]).id
    world.change("refund-policy", ELSEWHERE)

    why = one(ana.get(address_of(child)), "#no-reaffirm")

    assert "the cited decision needs a look first" in why.get_text()
    assert one(why, f"a[href='{address_of(parent.id)}']").get_text() == "Is the window open?"


@one_store
def test_what_is_flagged_already_is_not_counted_as_flagged_anew(ana: Client, world: World) -> None:
    world.document()
    event = world.event("The cupboard arrived broken.")
    parent = world.decision([("refund-policy", QUOTE)], choice="parent")
    world.decision([("refund-policy", QUOTE)], choice="flagged", parents=[parent])
    clear = world.decision(choice="clear", parents=[parent], events=[event])
    world.change("refund-policy", ELSEWHERE)

    response = ana.get(address_of(parent.id))

    for place in (".more-supersede", ".more-reject", "[data-will=supersede]", "[data-will=reject]"):
        assert "lags 1 decision, 1 is flagged already" in text_of(response, place)
    assert "it flags 1 decision, 1 is flagged already" in text_of(
        ana.get(address_of(parent.id, "supersede/")), "#cascade"
    )
    assert world.traces.reject_decision(clear.id, "Wrong.").recorded
    assert "Flags nothing more, 1 is flagged already" in text_of(ana.get(address_of(parent.id)), ".more-reject")


def test_a_cleared_decision_has_no_form_and_says_how_it_stands(ana: Client, world: World) -> None:
    flag = world.flagged(ELSEWHERE).id
    ana.post(address_of(flag, "verdict/"), open_form(ana, flag) | TYPED["reaffirm"])

    response = ana.get(address_of(flag))

    assert not soup(response).select("#verdict, #commit, #cause")
    assert "Reaffirmed by Ana Petrović" in text_of(response, "#standing")
    assert "clear" in text_of(response, "#decision-head")


def test_a_superseded_decision_leads_to_the_one_that_stands(ana: Client, world: World) -> None:
    flag = world.flagged(EDITED).id
    ana.post(address_of(flag, "verdict/"), open_form(ana, flag) | TYPED["supersede"])

    response = ana.get(address_of(flag))
    newer = str(one(response, "#standing a")["href"])

    assert "Superseded by Ana Petrović" in text_of(response, "#standing")
    history = text_of(ana.get(newer), "#history")
    assert "Revision 2" in history
    assert "Revision 1 superseded" in history


def test_precedents_of_other_tasks_are_listed(ana: Client, world: World) -> None:
    flag = world.flagged(ELSEWHERE).id
    world.decision([("refund-policy", QUOTE)], task="refund-LM-19807", conclusion="Refund LM-19807 in full.")

    assert "Refund LM-19807 in full." in text_of(ana.get(address_of(flag)), "#precedents")


def test_offsets_are_code_points(ana: Client, world: World) -> None:
    """cases.md 16: emoji before a passage shift nothing."""
    text = "🤔🤔🤔🤔:thinking is what follows four faces.\n\nAnother paragraph."
    world.document("faces", text, "Faces")
    decision = world.decision([("faces", ":thinking")])
    world.change("faces", text + "\n\nOne more.")

    response = ana.get(address_of(decision.id))

    assert decision.supports[0].char_start == 4
    assert decision.supports[0].char_end == 13
    cited = one(response, "#cite-1 .para.is-cited b")
    assert ":thinking" in cited.get_text()
    assert "🤔" not in cited.get_text()


RTL = "הלקוח קיבל English ב־2002 وهذا نص عربي للتجربة."


@one_store
@pytest.mark.parametrize("quote", ["הלקוח", "20", "English ב", "2002 وهذا"])
def test_the_marked_words_of_mixed_directions_are_the_slice(quote: str, ana: Client, world: World) -> None:
    """cases.md 19."""
    world.document("mixed", RTL + "\n\nTail.", "Mixed")
    flag = world.decision([("mixed", quote)]).id
    world.change("mixed", RTL + "\n\nAnother tail.")

    response = ana.get(address_of(flag))

    marked = one(response, "#cite-1 .para.is-cited b")
    for hidden in marked.select(".sr"):
        hidden.extract()
    assert marked.get_text() == quote
    holder = marked.find_parent(dir=True)
    assert holder is not None and holder["dir"] == "auto" and holder["lang"] == ""


@one_store
def test_twenty_citations_and_texts_of_the_largest_size_are_a_page(ana: Client, world: World) -> None:
    paragraphs = [
        f"Paragraph number {number} says something of its own about case {number * 7}." for number in range(20)
    ]
    world.document("long", "\n\n".join(paragraphs), "Long")
    flag = world.decision(
        [("long", paragraph) for paragraph in paragraphs],
        conclusion="c" * 4000,
        rationale="r" * 8000,
    ).id
    moved = "\n\n".join([*paragraphs[1:], paragraphs[0]])
    world.change("long", moved.replace("Paragraph number 5 says something", "Paragraph number 5 says nothing at all"))

    response = ana.get(address_of(flag))

    page = soup(response)
    assert len(page.select(".cite")) == len(page.select("#evidence .block[id^=cite-]")) == 20
    assert page.select("#cites-same")
    assert len({str(tag["id"]) for tag in page.select("[id]")}) == len(page.select("[id]"))


@one_store
def test_an_event_of_32000_characters_is_shown_whole(ana: Client, world: World) -> None:
    event = world.event("x" * 32_000)
    world.document()
    flag = world.decision([("refund-policy", QUOTE)], events=[event]).id
    world.change("refund-policy", EDITED)

    body = one(ana.get(address_of(flag)), "#cite-2 .doc")
    assert body.get_text() == "x" * 32_000
    assert len(body.select("wbr")) > 500


@pytest.mark.parametrize("citations", [1, 8])
def test_the_page_is_few_reads_however_much_it_shows(
    citations: int, ana: Client, world: World, counted: CountingStore
) -> None:
    paragraphs = [f"Sentence {number} of the policy stands for itself." for number in range(citations)]
    world.document(text="\n\n".join([*paragraphs, "Tail."]))
    parent = world.decision([("refund-policy", each) for each in paragraphs])
    for number in range(citations):
        world.decision(parents=[parent], choice=f"child-{number}")
    world.change("refund-policy", "\n\n".join([*paragraphs, "Another tail."]))

    assert ana.get(address_of(parent.id)).status_code == 200
    assert counted.reads <= 4
    assert counted.writes == 0


@one_store
def test_a_viewer_reads_and_is_told_why_there_is_no_form(client_of: Callable[..., Client], world: World) -> None:
    flag = world.flagged().id

    response = client_of("vera").get(address_of(flag))

    assert response.status_code == 200
    assert "needs the role reviewer or lead" in text_of(response, "#verdict")
    assert not soup(response).select("#commit")


@one_store
def test_a_random_id_another_project_and_a_stranger_look_the_same(
    ana: Client, client_of: Callable[..., Client], world: World
) -> None:
    flag = world.flagged().id

    assert ana.get(address_of(str(uuid4()))).status_code == 404
    assert ana.get("/p/claims/decisions/not-an-id/").status_code == 404
    assert client_of("stranger").get(address_of(flag)).status_code == 404
    assert client_of("stranger").get(f"/p/other/decisions/{flag}/").status_code == 404
    assert ana.post(address_of(flag)).status_code == 405
    assert Client().get(address_of(flag))["Location"] == f"/sign-in/?{urlencode({'next': address_of(flag)})}"


@one_store
def test_markup_and_overrides_in_texts_stay_texts(ana: Client, world: World) -> None:
    """cases.md 19: neither the page's title nor its buttons are reversed by an override without its end."""
    bad = "\u202e<img src=x onerror=alert(1)>"
    world.document(title=f"{bad} title")
    flag = world.decision([("refund-policy", QUOTE)], question=bad, conclusion=bad, rationale=bad, assumptions=[bad]).id
    world.change("refund-policy", EDITED)

    response = ana.get(address_of(flag))

    page = soup(response)
    assert not page.select("img")
    assert page.title and "\u202e" not in page.title.get_text()
    for text in page.find_all(string=lambda found: "\u202e" in found and found.parent.name != "title"):
        assert text.find_parent(["bdi", "a", "p", "h1", "div", "li"], attrs={"dir": "auto"}) or text.find_parent("bdi")


@one_store
@pytest.mark.parametrize("text", [ELSEWHERE, MOVED, EDITED, GONE])
def test_what_is_shown_is_only_what_works(text: str, ana: Client, world: World) -> None:
    """No button without a function: no claims, ticks, comments or side-by-side yet."""
    page = soup(ana.get(address_of(world.flagged(text).id)))

    for name in ("looked", "comments", "gate", "evidence-bar", "draft"):
        assert not page.select(f"#{name}")
    for element in page.select("main a"):
        href = str(element["href"])
        assert not href.startswith("#") or page.select(href)
    assert all(button.get("type") == "submit" for button in page.select("main button"))


def test_what_superseded_a_parent_is_shown_and_can_be_cited(ana: Client, world: World) -> None:
    event = world.event("How long?")
    parent = world.decision(choice="retention", conclusion="30 days", events=[event])
    child = world.decision(choice="budget", conclusion="For 30 days", parents=[parent])
    after = world.traces.supersede_decision(parent.id, "60 days", "New.", explanation="Law.", supports=[event]).decision
    world.traces.continue_decision_review()
    assert after

    response = ana.get(address_of(child.id))

    assert "Superseded by revision 2" in text_of(response, "#cite-1")
    assert "60 days" in text_of(response, "#cite-1")
    form = open_form(ana, child.id) | TYPED["supersede"]
    assert ana.post(address_of(child.id, "verdict/"), form).status_code == 302
    budgets = [each for each in world.traces.list_decisions(child.task_name).decisions if each.choice_key == "budget"]
    newest = max(budgets, key=lambda each: each.revision)
    assert [support.decision_id for support in newest.supports] == [after.id]
