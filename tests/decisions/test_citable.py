"""May it still be cited: decisions and passages, mixed, in one read."""

from typing import Any

import pytest

from reaffirm import ids
from reaffirm.decisions import DecisionTraces
from reaffirm.store import GraphStore
from tests.decisions.factories import World
from tests.history.stores import Watched
from tests.reviews.factories import AGENT, BEFORE, EDITED, ELSEWHERE, GONE, MOVED, PROJECT, QUOTE

Told = tuple[bool, str | None, str | None]


def told(world: World, *asked: Any) -> list[Told]:
    found = world.traces.citable(asked)
    assert [each.id for each in found.answers] == [str(each) for each in asked]
    return [(each.citable, each.reason, each.replaced_by) for each in found.answers]


@pytest.fixture
def world(store: GraphStore) -> World:
    world = World(store)
    world.document()
    return world


def test_decisions(world: World) -> None:
    event = world.event("So it is.")
    clear = world.decision(events=[event], choice="clear")
    rejected = world.decision(events=[event], choice="rejected")
    again = world.decision(events=[event], choice="again")
    old = world.decision(events=[event], choice="old")
    flagged = world.decision([("refund-policy", QUOTE)], choice="flagged")
    reached = world.decision(parents=[flagged], choice="reached")
    for each in (rejected, again):
        assert world.traces.reject_decision(each.id, "Wrong.").recorded
    recorded_again = world.decision(events=[event], choice="again")
    middle = world.traces.supersede_decision(old.id, "No.", "r", explanation="New.", supports=[event]).decision
    assert middle
    newest = world.traces.supersede_decision(middle.id, "Yes.", "r", explanation="New.", supports=[event]).decision
    assert newest
    world.change("refund-policy", EDITED)
    foreign = World(world.store, project_id="other")
    theirs = foreign.decision(events=[foreign.event("So.")], choice="clear")
    assert told(world, clear.id, rejected.id, again.id, old.id, middle.id, newest.id) == [
        (True, None, None),
        (False, "rejected", None),
        (False, "rejected", recorded_again.id),
        (False, "superseded", newest.id),
        (False, "superseded", newest.id),
        (True, None, None),
    ]
    assert told(world, flagged.id, reached.id, theirs.id, ids.decision_id("t", "c", 1)) == [
        (False, "needs_review", None),
        (False, "review_spreading", None),
        (False, "not_found", None),
        (False, "not_found", None),
    ]
    while world.traces.continue_decision_review():
        pass
    assert told(world, reached.id) == [(False, "needs_review", None)]


def test_what_may_be_cited_can_be_recorded_and_is_clear(world: World) -> None:
    """And the replacement of what may not, too."""
    old = world.graph.cite("refund-policy", QUOTE)
    world.change("refund-policy", MOVED)
    ((_, _, new),) = told(world, old)
    assert new == world.graph.cite("refund-policy", QUOTE)
    assert told(world, new) == [(True, None, None)]
    made = world.decision([("refund-policy", QUOTE)])
    assert made.supports[0].evidence_id == new and made.review_state == "clear"


@pytest.mark.parametrize(
    ("text", "reason", "replaced"),
    [
        (ELSEWHERE, "older_version", True),
        (MOVED, "older_version", True),
        (EDITED, "passage_edited", False),
        (GONE, "passage_gone", False),
        (f"{GONE}\n\n{QUOTE}\n\nIn another place.\n\n{QUOTE}", "passage_ambiguous", False),
    ],
    ids=["elsewhere", "moved", "edited", "gone", "ambiguous"],
)
def test_passages_of_an_older_version(world: World, text: str, reason: str, replaced: bool) -> None:
    old = world.graph.cite("refund-policy", QUOTE)
    assert told(world, old) == [(True, None, None)]
    world.change("refund-policy", text)
    new = world.graph.cite("refund-policy", QUOTE) if replaced else None
    assert told(world, old) == [(False, reason, new)]
    world.change("refund-policy", BEFORE)
    assert told(world, old) == [(True, None, None)]


def test_documents_that_are_gone(world: World) -> None:
    old = world.graph.cite("refund-policy", QUOTE)
    world.change("refund-policy", ELSEWHERE)
    new = world.graph.cite("refund-policy", QUOTE)
    assert world.graph.remove("refund-policy").recorded
    assert told(world, old, new) == [(False, "document_removed", None)] * 2
    world.document()
    assert told(world, old, new) == [(True, None, None), (False, "older_version", old)]
    assert world.graph.purge("refund-policy").recorded
    assert told(world, old) == [(False, "not_found", None)]


def test_what_is_no_id_and_what_names_nothing(world: World) -> None:
    """Cases 20, 67."""
    cited = world.graph.cite("refund-policy", QUOTE)
    head, _, _ = cited.rpartition(":")
    for nothing in (
        f"{head}:0-999999999999",
        cited.replace(":s:", ":c:"),
        cited[:-1] + "x",
        cited.upper(),
        cited + "\n",
    ):
        ((may, reason, replaced),) = told(world, nothing)
        assert not may
        assert reason in ("malformed", "not_found")
        assert replaced is None
    elsewhere = cited.replace(cited.split(":")[2], ids.document_id("nowhere"))
    assert told(world, elsewhere, "", "x", "\0", 7) == [(False, "not_found", None), *[(False, "malformed", None)] * 4]
    for odd in (None, 7, "abc", {"a": 1}, ()):
        assert world.traces.citable(odd).answers == ()  # type: ignore[arg-type]


def test_200_at_once_in_one_read(world: World) -> None:
    event = world.event("So.")
    world.document("other", f"{BEFORE}\n\nAnother document.", "Other")
    decisions = [world.decision(events=[event], choice=f"c{number}").id for number in range(20)]
    evidence = [world.graph.cite("refund-policy", QUOTE[: 10 + number]) for number in range(60)]
    evidence += [world.graph.cite("other", QUOTE[: 10 + number]) for number in range(60)]
    world.change("refund-policy", ELSEWHERE)
    watched = Watched(world.store)
    traces = DecisionTraces(watched, project_id=PROJECT, agent_id=AGENT)  # type: ignore[arg-type]
    asked = [*evidence, *decisions, *decisions, *decisions, *decisions, "late", "later"]
    found = traces.citable(asked)
    assert (watched.reads, len(found.answers), found.left_out) == (1, 200, 2)
    reasons = [each.reason for each in found.answers]
    assert reasons == ["older_version"] * 60 + [None] * 140
    assert all(each.replaced_by for each in found.answers[:60])
    watched.reads = 0
    assert traces.citable(["nothing", "at all"]).left_out == 0
    assert watched.reads == 0
