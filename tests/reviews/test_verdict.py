"""POST of a verdict: the fixed list for an action, over the three verdicts, on both stores."""

import re
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from console.audit import audit_verify
from console.models import AuditRow, Membership, Project
from tests.reviews.counting import CountingStore
from tests.reviews.factories import EDITED, ELSEWHERE, World
from tests.reviews.pages import FIELD, HTMX, TYPED, address_of, one, one_store, open_form, sealed, soup, text_of

VERDICTS = list(TYPED)
# Every pair, by htmx and without in turn.
RACES = [
    (winner, mine, (first + second) % 2 == 0)
    for first, winner in enumerate(VERDICTS)
    for second, mine in enumerate(VERDICTS)
]
DONE = {"reaffirm": "Reaffirmed", "supersede": "Superseded", "reject": "Rejected"}


@pytest.fixture
def flag(world: World) -> str:
    """A flag whose cited words are untouched, so that each verdict is possible."""
    return world.flagged(ELSEWHERE, question="Is the order inside the refund window?").id


def post(client: Client, flag: str, fields: dict[str, str], **more: Any) -> Any:
    return client.post(address_of(flag, "verdict/"), fields, **more)


@pytest.mark.parametrize("verdict", VERDICTS)
def test_it_records_the_verdict_and_goes_on(verdict: str, ana: Client, world: World, flag: str) -> None:
    response = post(ana, flag, open_form(ana, flag) | TYPED[verdict])

    assert response.status_code == 302
    assert not world.is_flagged(flag)
    standing = world.traces.get_decision(flag).decision
    assert standing and standing.verdict and standing.verdict.by == "user:ana"
    assert standing.verdict.kind == verdict
    assert [row.outcome for row in AuditRow.objects.order_by("number")] == ["intended", "done"]


@one_store
@pytest.mark.parametrize("verdict", VERDICTS)
def test_the_next_flag_opens_and_says_once_what_was_done(verdict: str, ana: Client, world: World) -> None:
    """cases.md 47."""
    first, second = world.many_flagged(2)
    form = open_form(ana, first)

    landed = ana.post(address_of(first, "verdict/"), form | TYPED[verdict], follow=True)
    other_tab = ana.get(address_of(second))
    reloaded = ana.get(landed.redirect_chain[-1][0])

    assert landed.request["PATH_INFO"] == address_of(second)
    assert text_of(landed, "#messages").startswith(f"{DONE[verdict]}: ")
    assert text_of(other_tab, "#messages") == text_of(reloaded, "#messages") == ""


@one_store
@pytest.mark.parametrize("verdict", VERDICTS)
def test_htmx_is_sent_on_without_a_body(verdict: str, ana: Client, world: World, flag: str) -> None:
    response = post(ana, flag, open_form(ana, flag) | TYPED[verdict], headers=HTMX)

    assert response.status_code == 200
    assert response["HX-Redirect"].startswith("/p/claims/queue/next/?after=")
    assert not response.content


@one_store
def test_it_rejects_a_get(ana: Client, world: World, flag: str) -> None:
    assert ana.get(address_of(flag, "verdict/")).status_code == 405


@one_store
@pytest.mark.parametrize("verdict", VERDICTS)
def test_it_needs_a_sign_in(verdict: str, ana: Client, world: World, flag: str) -> None:
    """cases.md 40: nothing is saved, and the browser comes back to the page."""
    form = open_form(ana, flag)
    headers = HTMX | {"HX-Current-URL": f"http://testserver{address_of(flag)}"}
    response = post(Client(), flag, form | TYPED[verdict], headers=headers)

    assert response["HX-Redirect"].startswith("/sign-in/?next=")
    assert flag in response["HX-Redirect"]
    assert world.is_flagged(flag)


@one_store
@pytest.mark.parametrize("verdict", VERDICTS)
def test_it_needs_the_role(
    verdict: str, ana: Client, client_of: Callable[..., Client], world: World, flag: str
) -> None:
    response = post(client_of("vera"), flag, open_form(ana, flag) | TYPED[verdict])

    assert response.status_code == 403
    assert world.is_flagged(flag)


@one_store
@pytest.mark.parametrize("verdict", VERDICTS)
def test_the_service_checks_the_role_itself(
    verdict: str, ana: Client, project: Project, world: World, flag: str
) -> None:
    form = open_form(ana, flag)
    Membership.objects.filter(user__username="ana").update(role="compliance")

    assert post(ana, flag, form | TYPED[verdict]).status_code == 403
    assert world.is_flagged(flag)


@one_store
@pytest.mark.parametrize("verdict", VERDICTS)
def test_a_stranger_gets_404(
    verdict: str, ana: Client, client_of: Callable[..., Client], world: World, flag: str
) -> None:
    form = open_form(ana, flag) | TYPED[verdict]

    assert post(client_of("stranger"), flag, form).status_code == 404
    assert client_of("stranger").post(f"/p/other/decisions/{flag}/verdict/", form).status_code == 404
    assert ana.post(address_of(str(uuid4()), "verdict/"), form).status_code == 404
    assert world.is_flagged(flag)


@one_store
@pytest.mark.parametrize("htmx", [True, False])
@pytest.mark.parametrize("verdict", ["supersede", "reject"])
def test_a_missing_reason_is_told_at_its_field(verdict: str, htmx: bool, ana: Client, world: World, flag: str) -> None:
    """cases.md 44."""
    fields = open_form(ana, flag) | TYPED[verdict] | {FIELD[verdict]: "  ", "note": "typed elsewhere"}
    response = post(ana, flag, fields, headers=HTMX if htmx else {})

    assert response.status_code == 422
    area = one(response, f"#{FIELD[verdict]}")
    assert area["aria-invalid"] == "true"
    assert area.has_attr("autofocus")
    assert "Say why" in one(response, f"#{area['aria-describedby']}").get_text()
    assert one(response, "#note").get_text().strip() == "typed elsewhere"
    assert one(response, f"input[name=verdict][value={verdict}]").has_attr("checked")
    assert sealed(response)["nonce"] == fields["nonce"]
    assert world.is_flagged(flag)
    assert not AuditRow.objects.exists()


@one_store
@pytest.mark.parametrize("verdict", VERDICTS)
def test_a_text_that_is_too_long_is_told_and_kept(verdict: str, ana: Client, world: World, flag: str) -> None:
    field = FIELD[verdict]
    response = post(ana, flag, open_form(ana, flag) | TYPED[verdict] | {field: "x" * 4001})

    assert response.status_code == 422
    assert "4000 characters" in one(response, f"#{field}-e").get_text().replace(",", "")
    assert len(one(response, f"#{field}").get_text().strip()) == 4001


def test_a_text_of_just_the_limit_is_stored_whole(ana: Client, world: World, flag: str) -> None:
    """A browser posts CR LF for a line end; the limit counts what is stored."""
    response = post(ana, flag, open_form(ana, flag) | TYPED["reject"] | {"reason": "x" * 3998 + "\r\ny"})

    assert response.status_code == 302
    standing = world.traces.get_decision(flag).decision
    assert standing and standing.rejection_reason == "x" * 3998 + "\ny"


@one_store
@pytest.mark.parametrize("bad", ["a\x00b", "lone \udcff".encode("utf-8", "surrogatepass")])
def test_text_that_no_store_takes_is_no_500(bad: Any, ana: Client, world: World, flag: str) -> None:
    response = post(ana, flag, open_form(ana, flag) | TYPED["reject"] | {"reason": bad})

    assert response.status_code in {302, 422}


@one_store
def test_no_verdict_chosen_is_told(ana: Client, world: World, flag: str) -> None:
    response = post(ana, flag, open_form(ana, flag))

    assert response.status_code == 422
    assert "Choose a verdict" in one(response, "#verdict-e").get_text()


@one_store
@pytest.mark.parametrize("part", ["seen", "nonce"])
@pytest.mark.parametrize("value", ["", "forged", "0" * 31])
def test_a_form_that_was_tampered_with_is_refused(part: str, value: str, ana: Client, world: World, flag: str) -> None:
    response = post(ana, flag, open_form(ana, flag) | TYPED["reject"] | {part: value})

    assert response.status_code == 422
    assert "open the page again" in text_of(response, "#unreadable")
    assert one(response, "#reason, #kept-reason").get_text().strip() == TYPED["reject"]["reason"]
    assert world.is_flagged(flag)


@one_store
def test_what_was_seen_of_one_decision_does_not_serve_for_another(ana: Client, world: World) -> None:
    first, second = world.many_flagged(2)

    response = post(ana, second, open_form(ana, first) | TYPED["reaffirm"])

    assert response.status_code == 422
    assert world.is_flagged(first)
    assert world.is_flagged(second)


@pytest.mark.parametrize(("winner", "verdict", "htmx"), RACES)
def test_it_refuses_a_stale_verdict(
    winner: str, verdict: str, htmx: bool, ana: Client, client_of: Callable[..., Client], world: World, flag: str
) -> None:
    """cases.md 68: one wins, the other learns who, what and when, and keeps the text."""
    yusuf = client_of("yusuf")
    mine, theirs = open_form(ana, flag), open_form(yusuf, flag)
    assert post(yusuf, flag, theirs | TYPED[winner]).status_code == 302

    response = post(ana, flag, mine | TYPED[verdict], headers=HTMX if htmx else {})

    assert response.status_code == 409
    said = text_of(response, "#stale")
    assert f"{DONE[winner]} by Yusuf Al-Haddad at" in said
    assert re.search(r"at \d\d:\d\d", said)
    kept = one(response, f"#kept-{FIELD[verdict]}")
    assert kept.get_text().strip() == TYPED[verdict][FIELD[verdict]]
    assert not soup(response).select("#commit")
    standing = world.traces.get_decision(flag).decision
    assert standing and standing.verdict and standing.verdict.by == "user:yusuf"
    outcomes = [(row.actor, row.outcome) for row in AuditRow.objects.order_by("number")]
    assert outcomes == [
        ("user:yusuf", "intended"),
        ("user:yusuf", "done"),
        ("user:ana", "intended"),
        ("user:ana", "stale"),
    ]
    assert not audit_verify(Project.objects.get(slug="claims"))


@one_store
def test_a_lost_race_brings_the_counts_of_the_page_up_to_date(ana: Client, world: World) -> None:
    first, _ = world.many_flagged(2)
    form = open_form(ana, first)
    assert world.traces.reject_decision(first, "Faster.").recorded

    response = post(ana, first, form | TYPED["reject"], headers=HTMX)

    assert text_of(response, "#queue-count[hx-swap-oob]") == "1 open"
    assert text_of(response, "#open-count[hx-swap-oob]") == "1 open"
    assert text_of(ana.get(address_of(first)), "#open-count") == "1 open"


@pytest.mark.parametrize(
    ("verdict", "htmx"), [("reaffirm", True), ("supersede", False), ("reject", True), ("reject", False)]
)
def test_it_refuses_when_the_cited_words_changed_since_the_page(
    verdict: str, htmx: bool, ana: Client, world: World, flag: str
) -> None:
    form = open_form(ana, flag)
    world.change("refund-policy", EDITED)

    response = post(ana, flag, form | TYPED[verdict], headers=HTMX if htmx else {})

    assert response.status_code == 409
    assert "out of date" in text_of(response, "#stale")
    assert TYPED[verdict][FIELD[verdict]] in one(response, f"#{'kept-' if htmx else ''}{FIELD[verdict]}").get_text()
    assert world.is_flagged(flag)


def test_the_page_afresh_brings_the_text_along_and_can_be_committed(ana: Client, world: World, flag: str) -> None:
    form = open_form(ana, flag)
    world.change("refund-policy", EDITED)
    panel = post(ana, flag, form | TYPED["reject"], headers=HTMX)
    keep = one(panel, "#keepform")
    fields = {str(field["name"]): str(field.get("value", "")) for field in keep.select("input")} | TYPED["reject"]

    afresh = ana.post(str(keep["action"]), fields)

    assert afresh.status_code == 200
    assert one(afresh, "#reason").get_text().strip() == TYPED["reject"]["reason"]
    assert world.is_flagged(flag)
    assert post(ana, flag, sealed(afresh) | TYPED["reject"]).status_code == 302
    assert not world.is_flagged(flag)


@pytest.mark.parametrize("verdict", VERDICTS)
def test_a_version_that_changed_elsewhere_is_no_conflict(verdict: str, ana: Client, world: World, flag: str) -> None:
    """cases.md 85: the verdict lands on the newest version."""
    form = open_form(ana, flag)
    for number in range(3):
        world.change("refund-policy", ELSEWHERE + f"\n\nA new closing line, number {number}.")

    assert post(ana, flag, form | TYPED[verdict]).status_code == 302
    assert not world.is_flagged(flag)


@pytest.mark.parametrize(("verdict", "htmx"), [("reaffirm", True), ("supersede", False), ("reject", True)])
def test_a_double_click_is_one(verdict: str, htmx: bool, ana: Client, world: World, flag: str) -> None:
    """cases.md 43: the second request returns the first result."""
    form = open_form(ana, flag) | TYPED[verdict]
    headers = HTMX if htmx else {}
    first = post(ana, flag, form, headers=headers)
    second = post(ana, flag, form, headers=headers)

    assert first.status_code == second.status_code == (200 if htmx else 302)
    decision = world.traces.get_decision(flag).decision
    assert decision
    revisions = world.traces.list_decisions(decision.task_name).decisions
    assert len(revisions) == (2 if verdict == "supersede" else 1)
    assert [row.outcome for row in AuditRow.objects.order_by("number")] == ["intended", "done"] * 2


def test_the_same_number_for_something_else_is_refused(ana: Client, world: World, flag: str) -> None:
    form = open_form(ana, flag)
    assert post(ana, flag, form | TYPED["reject"]).status_code == 302

    response = post(ana, flag, form | TYPED["reject"] | {"reason": "Another reason."})

    assert response.status_code == 409
    assert one(response, "#kept-reason").get_text().strip() == "Another reason."
    standing = world.traces.get_decision(flag).decision
    assert standing and standing.rejection_reason == TYPED["reject"]["reason"]


@one_store
@pytest.mark.parametrize("verdict", VERDICTS)
def test_the_number_of_somebody_else_gives_nobody_their_verdict(
    verdict: str, ana: Client, client_of: Callable[..., Client], world: World, flag: str
) -> None:
    yusuf = client_of("yusuf")
    mine, theirs = open_form(ana, flag), open_form(yusuf, flag)
    assert post(yusuf, flag, theirs | TYPED[verdict]).status_code == 302

    response = post(ana, flag, mine | TYPED[verdict] | {"nonce": theirs["nonce"]})

    assert response.status_code == 409
    assert f"{DONE[verdict]} by Yusuf Al-Haddad at" in text_of(response, "#stale")
    assert [row.outcome for row in AuditRow.objects.order_by("number")] == ["intended", "done", "intended", "refused"]


@one_store
@pytest.mark.parametrize("verdict", ["supersede", "reject"])
def test_htmx_gets_only_the_panel(verdict: str, ana: Client, world: World, flag: str) -> None:
    response = post(ana, flag, open_form(ana, flag) | {"verdict": verdict, FIELD[verdict]: ""}, headers=HTMX)

    page = soup(response)
    assert not page.select("html, head, main, #topbar, #citations")
    assert one(page, "#verdict")
    assert {str(tag["id"]) for tag in page.select("[hx-swap-oob]")} <= {"notice", "judge-foot"}


@one_store
@pytest.mark.parametrize("htmx", [True, False])
@pytest.mark.parametrize("verdict", VERDICTS)
def test_a_store_that_is_away_costs_no_text(
    verdict: str, htmx: bool, ana: Client, world: World, counted: CountingStore, flag: str
) -> None:
    form = open_form(ana, flag) | TYPED[verdict]
    counted.lose = "all"
    response = post(ana, flag, form, headers=HTMX if htmx else {})

    assert response.status_code == 503
    assert "Nothing was written" in text_of(response, "#outage")
    assert one(response, f"#{FIELD[verdict]}").get_text().strip() == TYPED[verdict][FIELD[verdict]]
    assert bool(soup(response).select("#topbar")) is not htmx
    counted.lose = ""
    again = sealed(response) | TYPED[verdict]
    assert again["nonce"] == form["nonce"]
    assert post(ana, flag, again).status_code == 302
    assert not world.is_flagged(flag)
    assert [row.outcome for row in AuditRow.objects.order_by("number")] == ["intended", "not_done", "intended", "done"]


@pytest.mark.parametrize("verdict", VERDICTS)
def test_a_lost_answer_is_looked_up_by_its_number(
    verdict: str, ana: Client, world: World, counted: CountingStore, flag: str
) -> None:
    form = open_form(ana, flag)
    counted.lose = "after"

    assert post(ana, flag, form | TYPED[verdict]).status_code == 302
    assert not world.is_flagged(flag)


@pytest.mark.parametrize("verdict", VERDICTS)
def test_an_outcome_that_cannot_be_known_says_so_and_is_settled_by_asking_again(
    verdict: str, ana: Client, world: World, counted: CountingStore, flag: str
) -> None:
    form = open_form(ana, flag)
    counted.lose = "after-and-reads"
    response = post(ana, flag, form | TYPED[verdict])

    assert response.status_code == 503
    assert "not known" in text_of(response, "#outage")
    assert one(response, f"#{FIELD[verdict]}").has_attr("readonly")
    counted.lose = ""
    assert post(ana, flag, sealed(response) | TYPED[verdict]).status_code == 302
    decision = world.traces.get_decision(flag).decision
    assert decision
    assert len(world.traces.list_decisions(decision.task_name).decisions) == (2 if verdict == "supersede" else 1)


@pytest.mark.parametrize("verdict", VERDICTS)
def test_a_verdict_is_one_write_and_at_most_one_read_before_it(
    verdict: str, ana: Client, world: World, counted: CountingStore, flag: str
) -> None:
    form = open_form(ana, flag)
    counted.reset()

    assert post(ana, flag, form | TYPED[verdict]).status_code == 302
    assert counted.writes == 1
    assert counted.reads <= 1
