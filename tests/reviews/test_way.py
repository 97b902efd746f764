"""Where a flag began, who asked for another look, and who accepted a text before, on the page of a decision."""

from datetime import UTC, datetime
from typing import Any

from django.test import Client

from reaffirm.decisions import DecisionTraces
from reaffirm.decisions.models import Decision, Seen
from tests.reviews.factories import AGENT, BEFORE, EDITED, ELSEWHERE, PROJECT, QUOTE, World
from tests.reviews.pages import address_of, one, one_store, soup, text_of

TODAY = f"{datetime.now(UTC):%-d %b %Y}"


def chain(world: World, length: int) -> list[Decision]:
    world.document()
    decisions = [world.decision([("refund-policy", QUOTE)], choice="root", question="How long is the window?")]
    for number in range(1, length):
        decisions.append(world.decision(choice=f"link-{number}", parents=[decisions[-1]]))
    world.change("refund-policy", ELSEWHERE)
    while world.traces.continue_decision_review():
        pass
    return decisions


def by(world: World, name: str) -> DecisionTraces:
    return DecisionTraces(world.store, project_id=PROJECT, agent_id=f"user:{name}")


def seen(world: World, decision_id: str) -> Seen:
    case = world.traces.review_case(decision_id)
    assert case
    return case.seen


def superseded(world: World, name: str, decision: Decision) -> Decision:
    result = by(world, name).supersede_where_it_stands(
        decision.id, explanation="The text is another now.", expected=seen(world, decision.id)
    )
    assert result.decision, result
    return result.decision


@one_store
def test_a_flag_from_far_names_where_it_began_and_every_step(ana: Client, world: World) -> None:
    decisions = chain(world, 5)

    page = ana.get(address_of(decisions[4].id))

    assert text_of(page, "#way").replace(" ,", ",").replace(" .", ".") == (
        "This flag began 4 citations away, at How long is the window? (needs review), "
        "and came by Link 1, Link 2, Link 3."
    )
    assert [link["href"] for link in one(page, "#way").select("a")] == [address_of(each.id) for each in decisions[:4]]


@one_store
def test_a_long_way_tells_the_first_steps_and_the_last(ana: Client, world: World) -> None:
    decisions = chain(world, 9)

    page = ana.get(address_of(decisions[8].id))

    shown = [decisions[number].id for number in (0, 1, 2, 3, 7)]
    assert [link["href"] for link in one(page, "#way").select("a")] == [address_of(each) for each in shown]
    assert "3 more" in text_of(page, "#way")


@one_store
def test_a_flag_by_a_cited_decision_that_is_the_root_needs_no_way(ana: Client, world: World) -> None:
    decisions = chain(world, 2)
    for decision in decisions:
        assert not soup(ana.get(address_of(decision.id))).select("#way")


@one_store
def test_a_reopened_decision_says_who_asks_and_why(ana: Client, world: World) -> None:
    world.document()
    decision = world.decision([("refund-policy", QUOTE)])
    reopened = by(world, "ana").reopen_decision(decision.id, "The auditor <b>asks</b>.")
    assert reopened.recorded

    page = ana.get(address_of(decision.id))
    queue = ana.get("/p/claims/queue/")

    for place in (text_of(page, "#cause"), text_of(queue, f"#flag-{decision.id} .qmeta")):
        assert "Reopened" in place and "The auditor <b>asks</b>." in place
    assert "Flagged By" in text_of(page, "#history")
    assert not soup(page).select("#cause b b")
    assert not one(page, "#verdict input[value=reaffirm]").has_attr("disabled")


def test_a_text_that_came_back_names_who_accepted_it_and_offers_that_verdict(ana: Client, world: World) -> None:
    """cases.md 88."""
    world.document()
    first = world.decision([("refund-policy", QUOTE)], conclusion="Refund it in full.")
    world.change("refund-policy", EDITED)
    second = superseded(world, "ana", first)
    world.change("refund-policy", BEFORE)

    page = ana.get(address_of(second.id))

    assert "This text was accepted before." in text_of(page, "#accepted")
    assert f"{AGENT} recorded a decision on it on {TODAY}, for revision 1" in text_of(page, "#accepted")
    link, again = soup(page).select("#accepted a")
    assert link["href"] == address_of(first.id)
    assert again["href"] == address_of(second.id, "supersede/?words_of=1")
    assert "Refund it in full." in text_of(page, "#accepted")
    assert "Of the text that stands now" not in text_of(page)  # the note has said it
    assert world.is_flagged(second.id)


@one_store
def test_the_editor_begins_with_the_words_of_the_revision_that_is_offered(
    ana: Client, world: World, client_of: Any
) -> None:
    world.document()
    first = world.decision([("refund-policy", QUOTE)], conclusion="Refund it in full.", rationale="In time.")
    world.change("refund-policy", EDITED)
    result = by(world, "ana").supersede_where_it_stands(
        first.id, "Refund a part.", "Too late.", explanation="New.", expected=seen(world, first.id)
    )
    assert result.decision
    world.change("refund-policy", BEFORE)
    address = address_of(result.decision.id, "supersede/")

    for tail, words in (
        ("?words_of=1", "Refund it in full."),
        ("", "Refund a part."),
        ("?words_of=9", "Refund a part."),
    ):
        assert one(ana.get(address + tail), "textarea[name=conclusion]").get_text().strip() == words
    vera = client_of("vera").get(address_of(result.decision.id))
    assert [link["href"] for link in soup(vera).select("#accepted a")] == [address_of(first.id)]


@one_store
def test_of_several_texts_each_says_who_accepted_it(ana: Client, world: World) -> None:
    world.document()
    world.document("other", title="Other Policy")
    first = world.decision([("refund-policy", QUOTE), ("other", QUOTE)])
    world.change("refund-policy", EDITED)
    second = superseded(world, "ana", first)
    world.change("other", EDITED)
    world.change("refund-policy", BEFORE)

    page = ana.get(address_of(second.id))

    assert f"Of the text that stands now: {AGENT} recorded a decision on it on {TODAY}" in text_of(page, "#cite-1")
    assert "Of the text that stands now" not in text_of(page, "#cite-2")
    assert not soup(page).select("#accepted")  # one of them is new


@one_store
def test_a_text_that_nobody_accepted_or_that_stayed_has_no_such_note(ana: Client, world: World) -> None:
    flag = world.flagged(ELSEWHERE).id
    assert not soup(ana.get(address_of(flag))).select("#accepted")
    world.change("refund-policy", EDITED)
    page = ana.get(address_of(flag))
    assert not soup(page).select("#accepted")
    assert "Of the text that stands now" not in text_of(page)


@one_store
def test_a_removed_document_names_the_key_under_which_its_text_stands(ana: Client, world: World) -> None:
    """cases.md 89."""
    flag = world.flagged(ELSEWHERE).id
    assert world.graph.remove("refund-policy").recorded
    assert world.graph.add(ELSEWHERE, document_key="policies/refunds", project_id=PROJECT).recorded

    page = text_of(ana.get(address_of(flag)), "#cite-1")

    assert "refund-policy" in page
    assert "The same text stands now under policies/refunds" in page


@one_store
def test_a_root_that_is_gone_is_told_and_not_linked(ana: Client, world: World) -> None:
    decisions = chain(world, 3)
    world.store.write(
        "MATCH (d:Decision) WHERE d.id = $id DETACH DELETE d RETURN 1 AS one",
        id=decisions[0].id,
    )

    page = ana.get(address_of(decisions[2].id))

    assert text_of(page, "#way") == "This flag began 2 citations away, at a decision that is no longer there."
    assert not soup(page).select("#way a")
