"""Case 88: a text that comes back is a new question, and says who accepted it before, when, and by what."""

from datetime import datetime

import pytest

from reaffirm.decisions import DecisionTraces
from reaffirm.decisions.models import Acceptance, Citation, Decision, ReviewState
from reaffirm.store import GraphStore
from tests.decisions.factories import World
from tests.history.stores import Watched
from tests.reviews.factories import AGENT, BEFORE, EDITED, ELSEWHERE, GONE, MOVED, PROJECT, QUOTE

TASK = "refund-LM-20931"
INTERVALS = """
MATCH (doc:Document {id: $id})-[part:HAS_PART]->(c:Chunk) WHERE c.content_hash = $hash
RETURN part.past_intervals AS past, part.valid_at AS valid_at, part.invalid_at AS invalid_at
"""
# What agentic-graphrag stores of a support.
FORGET = "MATCH (s:DecisionSupport) WHERE s.project_id = $project SET s.text_digest = null RETURN count(s) AS n"
WRAPPED = BEFORE.replace("within 14 days of delivery", "within 14 days\nof  delivery")


@pytest.fixture
def world(store: GraphStore) -> World:
    return World(store)


def by(world: World, name: str) -> DecisionTraces:
    return DecisionTraces(world.store, project_id=PROJECT, agent_id=f"user:{name}")


def reaffirm(world: World, name: str, decision_id: str) -> None:
    result = by(world, name).reaffirm_where_it_stands(decision_id, expected=world.seen(decision_id))
    assert result.recorded, result


def supersede(world: World, name: str, decision_id: str) -> Decision:
    result = by(world, name).supersede_where_it_stands(
        decision_id, explanation="The text is another now.", expected=world.seen(decision_id)
    )
    assert result.decision, result
    return world.again(result.decision)


def cited(world: World, decision_id: str) -> Citation:
    (citation,) = world.case(decision_id).citations
    return citation


def told(accepted: tuple[Acceptance, ...]) -> list[tuple[str, str, int]]:
    return [(each.kind, each.by, each.revision) for each in accepted]


def there_and_back(world: World) -> tuple[Decision, Decision]:
    """A, recorded and reaffirmed; B, superseded and reaffirmed; A again. The two revisions."""
    world.document()
    first = world.decision([("refund-policy", QUOTE)])
    world.change("refund-policy", ELSEWHERE)
    reaffirm(world, "ada", first.id)
    world.change("refund-policy", EDITED)
    second = supersede(world, "ben", first.id)
    world.change("refund-policy", EDITED + "\n\nOne more notice.")
    reaffirm(world, "cleo", second.id)
    assert world.again(second).review_state is ReviewState.CLEAR
    world.change("refund-policy", BEFORE)
    return first, world.again(second)


@pytest.mark.parametrize("forgotten", [False, True], ids=["ours", "agentic-graphrag's"])
def test_the_third_version_names_who_accepted_its_text_and_when(world: World, forgotten: bool) -> None:
    first, second = there_and_back(world)
    assert second.review_state is ReviewState.NEEDS_REVIEW
    if forgotten:
        world.store.write(FORGET, project=PROJECT)
    case = world.case(second.id)
    citation = case.citations[0]
    assert citation.anchor and citation.anchor.state == "edited"
    assert told(citation.accepted) == [("reaffirm", "user:ada", 1), ("record", AGENT, 1)]
    assert [each.text for each in citation.accepted] == [QUOTE, QUOTE]
    assert citation.accepted[0].decision_id == first.id
    history = world.traces.list_support_history(first.id).supports
    assert citation.accepted[0].at == history[0].reviewed_at
    assert citation.accepted[1].at == first.created_at
    assert case.accepted_before == citation.accepted[0]


def test_nothing_is_cleared_without_a_person_and_the_old_verdict_can_be_given_again(world: World) -> None:
    _, second = there_and_back(world)
    refused = by(world, "dan").reaffirm_where_it_stands(second.id, expected=world.seen(second.id))
    assert refused.error == "cannot_revalidate"
    third = supersede(world, "dan", second.id)
    assert third.review_state is ReviewState.CLEAR and third.revision == 3
    world.change("refund-policy", EDITED)
    accepted = cited(world, third.id).accepted
    assert told(accepted) == [("reaffirm", "user:cleo", 2), ("supersede", "user:ben", 2)]
    world.change("refund-policy", BEFORE)
    again = cited(world, third.id).accepted
    assert told(again) == [("supersede", "user:dan", 3), ("reaffirm", "user:ada", 1), ("record", AGENT, 1)]
    assert world.is_flagged(third.id)


def test_both_intervals_of_the_text_are_kept(world: World) -> None:
    there_and_back(world)
    document = world.graph.versions("refund-policy")
    hashes = [version.content_hash for version in document]
    assert hashes[0] == hashes[-1]
    node = world.traces.list_decisions(TASK).decisions[0].supports[0].document_node_id
    (part, *_) = world.store.read(INTERVALS, id=node, hash=hashes[0])
    assert len(part["past"]) == 1 and part["invalid_at"] is None
    start, end = part["past"][0].split("/")
    assert datetime.fromisoformat(start) < datetime.fromisoformat(end) < datetime.fromisoformat(part["valid_at"])


@pytest.mark.parametrize("text", [ELSEWHERE, MOVED, WRAPPED], ids=["elsewhere", "moved", "wrapped"])
def test_words_that_stayed_name_who_pinned_them(world: World, text: str) -> None:
    decision = world.flagged(text)
    assert told(cited(world, decision.id).accepted) == [("record", AGENT, 1)]
    reaffirm(world, "ada", decision.id)
    world.change("refund-policy", BEFORE + "\n\nA last line.")
    assert told(cited(world, decision.id).accepted) == [("reaffirm", "user:ada", 1), ("record", AGENT, 1)]


def test_words_that_nobody_accepted_name_nobody(world: World) -> None:
    decision = world.flagged(EDITED)
    assert cited(world, decision.id).accepted == () and world.case(decision.id).accepted_before is None
    world.change("refund-policy", GONE)
    assert cited(world, decision.id).accepted == ()
    assert world.graph.remove("refund-policy").recorded
    assert cited(world, decision.id).accepted == ()


def test_where_no_words_stand_for_a_passage_the_version_itself_may_have_been_accepted(world: World) -> None:
    """The words of B are nowhere in A, but A was pinned by the revision before."""
    other = "Whoever buys perishable goods has no claim at all."
    world.document()
    first = world.decision([("refund-policy", QUOTE)])
    world.change("refund-policy", GONE + "\n\n" + other)
    evidence = world.graph.cite("refund-policy", other)
    second = by(world, "ben").supersede_decision(
        first.id, "No.", "Why.", explanation="New.", supports=[world.citing(evidence)],
        fetched_evidence=world.graph.fetch([evidence]),
    ).decision  # fmt: skip
    assert second
    world.change("refund-policy", BEFORE)
    citation = cited(world, second.id)
    assert citation.anchor and citation.anchor.state == "gone"
    assert told(citation.accepted) == [("record", AGENT, 1)]
    assert citation.accepted[0].text == QUOTE


def test_an_acceptance_of_another_choice_or_document_does_not_count(world: World) -> None:
    world.document("other", EDITED)
    world.decision([("other", "A customer who reports damage within 10 days")], choice="another")
    decision = world.flagged(EDITED)
    assert cited(world, decision.id).accepted == ()


def test_it_costs_no_read_with_digests_and_one_without(store: GraphStore) -> None:
    world = World(store)
    _, second = there_and_back(world)
    watched = Watched(store)
    traces = DecisionTraces(watched, project_id=PROJECT, agent_id=AGENT)  # type: ignore[arg-type]
    traces.review_case(second.id)
    assert (watched.reads, watched.writes) == (1, 0)
    store.write(FORGET, project=PROJECT)
    traces.review_case(second.id)
    assert (watched.reads, watched.writes) == (3, 0)
