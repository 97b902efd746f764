"""What is recorded and what is refused: the rules of the seeds, code by code, and known faults."""

from typing import Any
from uuid import uuid4

import pytest

from reaffirm import ids
from reaffirm.decisions import DecisionTraces
from reaffirm.decisions.models import (
    DecisionSupportInput,
    DocumentSupportInput,
    EventSupportInput,
    ReviewReason,
    ReviewState,
    Seen,
)
from reaffirm.store import GraphStore
from tests.decisions.factories import World
from tests.decisions.writes import dump
from tests.reviews.factories import BEFORE, EDITED, ELSEWHERE, GONE, MOVED, PROJECT, QUOTE

TASK = "refund-LM-20931"
REDACT = "MATCH (e:Event) WHERE e.id = $id SET e.redacted_at = '2026-11-30T10:00:00+00:00' RETURN 1 AS one"
SET_BACK = "MATCH (d:Decision) WHERE d.revision = 3 SET d.created_at = '2001-01-01T00:00:00+00:00' RETURN 1 AS one"
REPLACE = "MATCH (e:Event) WHERE e.id = $id SET e.payload = 'Other', e.payload_sha256 = $hash RETURN 1 AS one"


@pytest.fixture
def world(store: GraphStore) -> World:
    return World(store)


def record(world: World, supports: Any, choice: str = "choice", **more: Any) -> Any:
    more = {"fetched_evidence": (), **more}
    world.task()
    return world.traces.record_decision(TASK, choice, "Yes.", "Why.", supports=supports, **more)


def test_recording_refuses_in_the_documented_order_and_writes_nothing(world: World) -> None:
    event = world.event("It says so.")
    world.document()
    cited = world.graph.cite("refund-policy", QUOTE)
    (fetched,) = world.graph.fetch([cited])
    document = DocumentSupportInput(evidence_id=cited)
    used = record(world, [event], "used", request_id="used").decision
    rejected = world.decision(events=[event], choice="rejected")
    world.traces.reject_decision(rejected.id, "Wrong.")
    other = World(world.store, project_id="other-project")
    foreign = other.decision(events=[other.event("It says so.")])
    malformed = DocumentSupportInput(evidence_id=cited.upper())
    unknown_document = DocumentSupportInput(evidence_id=f"ev1:s:{uuid4()}:{'0' * 16}:0-5")
    before = dump(world.store)
    traces = world.traces

    def refused(task: str, choice: str, supports: list[Any], **more: Any) -> tuple[Any, Any]:
        more = {"fetched_evidence": [fetched], **more}
        result = traces.record_decision(task, choice, "Yes.", "Why.", supports=supports, **more)
        assert not result.recorded and result.decision is None
        return result.error, result.field

    wrong = [malformed, EventSupportInput(task_name=TASK, seq=99)]
    assert refused("nowhere", "used", []) == ("support_required", "supports")
    assert refused("nowhere", "used", wrong, request_id="x" * 65) == ("invalid_request_id", "request_id")
    assert refused("nowhere", "used", wrong, request_id="used") == ("request_id_reused", "request_id")
    assert refused("nowhere", "used", wrong) == ("task_not_found", "task_name")
    assert refused(TASK, "used", wrong) == ("choice_exists", "choice_key")
    assert refused(TASK, "new", [document] * 21) == ("support_required", "supports")
    assert refused(TASK, "new", [malformed, EventSupportInput(task_name=TASK, seq=99)])[0] == "support_malformed"
    assert refused(TASK, "new", [document], fetched_evidence=[]) == ("support_not_fetched", "supports[0]")
    assert refused(TASK, "new", [unknown_document])[0] == "support_not_fetched"
    assert refused(TASK, "new", [EventSupportInput(task_name=TASK, seq=99)])[0] == "support_event_not_found"
    assert refused(TASK, "new", [EventSupportInput(task_name="nowhere", seq=1)])[0] == "support_event_not_found"
    for gone in (str(uuid4()), "no-uuid", foreign.id):
        assert refused(TASK, "new", [DecisionSupportInput(decision_id=gone)])[0] == "support_decision_not_found"
    not_active = [event, DecisionSupportInput(decision_id=rejected.id)]
    assert refused(TASK, "new", not_active) == ("support_decision_not_active", "supports[1]")
    assert dump(world.store) == before
    assert used is not None
    redacted = world.event("A secret.")
    event_id = ids.event_id(ids.task_id(PROJECT, TASK), redacted.seq)
    world.store.write(REDACT, id=event_id)
    assert refused(TASK, "new", [redacted]) == ("cannot_revalidate", "supports[0]")


def test_20_supports_are_kept_in_order(world: World) -> None:
    """Case 100: recorded is true only when all of them are there."""
    supports = [world.event(f"Line {number}.") for number in range(20)]
    result = record(world, supports)
    assert result.recorded
    stored = world.again(result.decision).supports
    assert [(support.ordinal, support.seq) for support in stored] == [(n, each.seq) for n, each in enumerate(supports)]


def test_fault_22_what_was_fetched_is_no_part_of_a_request(world: World) -> None:
    """Case 62; fault 22: what was fetched is no part of the request."""
    world.document()
    cited = world.graph.cite("refund-policy", QUOTE)
    support = [DocumentSupportInput(evidence_id=cited)]
    first = record(world, support, fetched_evidence=world.graph.fetch([cited]), request_id="once")
    more = world.graph.fetch([cited, *world.graph.passages("refund-policy")])
    before = dump(world.store)
    again = record(world, support, fetched_evidence=more, request_id="once")
    assert again.replayed and again.decision == first.decision
    assert (
        record(world, support, fetched_evidence=more, request_id="once", assumptions=["x"]).error == "request_id_reused"
    )
    assert record(world, support, "another", fetched_evidence=more, request_id="once").error == "request_id_reused"
    assert world.traces.reject_decision(first.decision.id, "Wrong.", request_id="once").error == "request_id_reused"
    assert dump(world.store) == before
    assert record(world, support, "another", fetched_evidence=more, request_id="Once").recorded
    other = World(world.store, project_id="other-project")
    event = other.event("It says so.")
    result = other.traces.record_decision(TASK, "choice", "Yes.", "Why.", supports=[event], request_id="once")
    assert result.recorded and not result.replayed


def test_fault_23_a_forged_fetch_is_refused(world: World) -> None:
    """Fault 23."""
    world.document()
    world.document("other", "Another text altogether, and long enough to be cited.")
    cited = world.graph.cite("refund-policy", QUOTE)
    (true,) = world.graph.fetch([cited])
    (foreign,) = world.graph.fetch([world.graph.cite("other", "Another text")])
    reference = true.reference
    assert reference
    past = f"ev1:s:{reference.document_node_id}:{reference.content_hash_prefix}:5-99999"
    past_reference = reference.model_copy(update={"char_start": 5, "char_end": 99999})
    wrong = f"ev1:s:{reference.document_node_id}:{'0' * 16}:{reference.char_start}-{reference.char_end}"
    wrong_reference = reference.model_copy(update={"content_hash_prefix": "0" * 16})
    forged: dict[str, tuple[str, dict[str, Any]]] = {
        "other words": (cited, {"text": "Refund everything."}),
        "more words": (cited, {"text": (true.text or "") + " And more."}),
        "past the end": (past, {"evidence_id": past, "reference": past_reference}),
        "wrong hash": (wrong, {"evidence_id": wrong, "reference": wrong_reference}),
        "invented hash": (cited, {"content_hash": "0" * 64}),
        "no hash": (cited, {"content_hash": None}),
        "a surrogate as hash": (cited, {"content_hash": "\ud83d"}),
        "other document": (cited, {"document_key": "other"}),
        "other reference": (cited, {"reference": foreign.reference}),
        "a version to come": (cited, {"observed_activation_seq": 2}),
        "no version": (cited, {"observed_activation_seq": None}),
        "not ok": (cited, {"status": "truncated"}),
    }
    world.task()
    before = dump(world.store)
    for name, (evidence_id, changes) in forged.items():
        outcome = (
            type(true).model_validate({**true.model_dump(), **changes})
            if name != "a surrogate as hash"
            else (true.model_copy(update=changes))
        )
        result = record(world, [DocumentSupportInput(evidence_id=evidence_id)], fetched_evidence=[outcome])
        assert result.error in {"support_not_fetched", "support_document_not_found"}, (name, result)
    assert dump(world.store) == before


def test_a_source_that_changes_while_a_decision_is_made_flags_it(world: World) -> None:
    world.document()
    cited = world.graph.cite("refund-policy", QUOTE)
    fetched = world.graph.fetch([cited])
    world.change("refund-policy", ELSEWHERE)
    result = record(world, [DocumentSupportInput(evidence_id=cited)], fetched_evidence=fetched)
    assert result.recorded and result.warnings == ("source_changed_during_recording",)
    assert result.decision.review_reason is ReviewReason.SOURCE_CHANGED_DURING_RECORDING
    assert world.traces.list_decisions_for_review().count == 1


def test_what_rests_on_a_flagged_decision_is_flagged(world: World) -> None:
    parent = world.flagged()
    child = world.decision(choice="child", parents=[parent])
    assert (child.review_state, child.review_reason) == (ReviewState.NEEDS_REVIEW, ReviewReason.DEPENDENCY_REVIEW)


def test_fault_04_a_choice_recorded_again_is_a_new_revision(world: World) -> None:
    """Case 94, fault 4."""
    event = world.event("It says so.")
    first = record(world, [event]).decision
    assert world.traces.reject_decision(first.id, "Wrong.").recorded
    dead = world.again(first)
    second = record(world, [event]).decision
    assert (second.revision, second.conclusion) == (2, first.conclusion)
    assert world.again(first) == dead
    third = world.traces.supersede_decision(second.id, "Yes.", "Why.", explanation="Same.", supports=[event]).decision
    assert third and third.revision == 3
    assert record(world, [event]).error == "choice_exists"


def test_fault_08_a_successor_cannot_rest_on_what_it_replaces(world: World) -> None:
    """Cases 91 and 92: there such a successor is flagged for ever. Only the head of a choice is replaced."""
    event = world.event("It says so.")
    first = record(world, [event]).decision
    itself = [event, DecisionSupportInput(decision_id=first.id)]
    traces = world.traces
    result = traces.supersede_decision(first.id, "No.", "Why.", explanation="New.", supports=itself)
    assert result.error == "support_decision_not_active"
    assert (
        traces.supersede_decision(first.id, "No.", "Why.", explanation=" ", supports=[event]).error
        == "explanation_required"
    )
    for number in range(2):
        head = traces.list_decisions(TASK, include_history=False).decisions[0]
        result = traces.supersede_decision(head.id, f"{number}", "Why.", explanation="New.", supports=[event])
        assert result.decision and result.decision.supersession_explanation == "New."
    assert traces.supersede_decision(first.id, "No.", "Why.", explanation="New.", supports=[event]).error == (
        "supersede_target_invalid"
    )
    assert traces.reject_decision(first.id, "Wrong.").error == "decision_not_active"
    assert traces.reaffirm_decision(first.id, []).error == "decision_not_active"
    world.store.write(
        "MATCH (d:Decision) WHERE d.revision = 3 SET d.created_at = '2001-01-01T00:00:00.000000+00:00' RETURN 1 AS one"
    )
    assert [each.revision for each in world.case(first.id).revisions] == [3, 2, 1]


def refetched(world: World, quote: str, key: str = "refund-policy") -> dict[str, Any]:
    cited = world.graph.cite(key, quote)
    return {"evidence": [DocumentSupportInput(evidence_id=cited)], "fetched_evidence": world.graph.fetch([cited])}


@pytest.mark.parametrize("text", [ELSEWHERE, MOVED], ids=["exact", "moved"])
def test_it_is_reaffirmed_where_the_words_are_the_same(world: World, text: str) -> None:
    decision = world.flagged(text)
    result = world.traces.reaffirm_decision(decision.id, **refetched(world, QUOTE), explanation="Read again.")
    assert result.recorded, result
    again = world.again(decision)
    assert again.review_state is ReviewState.CLEAR and again.verdict and again.verdict.kind == "reaffirm"
    history = world.traces.list_support_history(decision.id).supports
    assert [(each.ordinal, each.current, each.review_explanation) for each in history] == [
        (0, False, "Read again."), (1, True, "Read again."),
    ]  # fmt: skip
    assert history[1].recorded_activation_seq == 2


def test_it_is_not_reaffirmed_on_other_words(world: World) -> None:
    decision = world.flagged(EDITED)
    traces = world.traces
    before = dump(world.store)
    for given in (
        refetched(world, "Every notice is sent by post."),
        {"evidence": [], "fetched_evidence": ()},
        {**refetched(world, "Every notice is sent by post."), "fetched_evidence": ()},
    ):
        assert traces.reaffirm_decision(decision.id, **given).error == "cannot_revalidate"
    old = decision.supports[0].evidence_id or ""
    given = {"evidence": [DocumentSupportInput(evidence_id=old)], "fetched_evidence": world.graph.fetch([old])}
    assert traces.reaffirm_decision(decision.id, **given).error == "cannot_revalidate"
    fetched = refetched(world, "Every notice is sent by post.")["fetched_evidence"]
    malformed = [DocumentSupportInput(evidence_id="x")]
    assert traces.reaffirm_decision(decision.id, malformed, fetched_evidence=fetched).error == "support_malformed"
    assert traces.reaffirm_decision(decision.id, malformed).error == "cannot_revalidate"
    assert traces.reaffirm_where_it_stands(decision.id, expected=world.seen(decision.id)).error == "cannot_revalidate"
    assert dump(world.store) == before
    world.document("other", BEFORE)
    assert traces.reaffirm_decision(decision.id, **refetched(world, QUOTE, "other")).error == "cannot_revalidate"
    world.change("refund-policy", GONE)
    assert traces.reaffirm_where_it_stands(decision.id, expected=world.seen(decision.id)).error == "cannot_revalidate"
    assert world.graph.remove("refund-policy").recorded
    assert world.again(decision).review_reason is ReviewReason.SOURCE_REMOVED
    assert traces.reaffirm_where_it_stands(decision.id, expected=world.seen(decision.id)).error == "cannot_revalidate"
    result = traces.supersede_where_it_stands(decision.id, explanation="New.", expected=world.seen(decision.id))
    assert result.error == "support_required"


def test_fault_09_an_event_that_was_replaced_keeps_its_decision_flagged(world: World) -> None:
    """Fault 9."""
    event = world.event("It says so.")
    decision = world.decision(events=[event])
    event_id = decision.supports[0].event_id or ""
    assert world.traces.reaffirm_decision(decision.id, []).recorded
    world.store.write(REPLACE, id=event_id, hash="0" * 64)
    result = world.traces.reaffirm_decision(decision.id, [])
    assert (result.error, result.detail) == ("cannot_revalidate", "another event stands under this number now")
    world.store.write(REDACT, id=event_id)
    assert world.traces.reaffirm_decision(decision.id, []).detail == "the event was redacted"


def test_ambiguous_words_need_a_pick(world: World) -> None:
    twice = BEFORE.replace(QUOTE + "\n\n", "") + f"\n\nOne.\n\n{QUOTE}\n\nTwo.\n\n{QUOTE}"
    decision = world.flagged(twice)
    case = world.case(decision.id)
    (citation,) = case.citations
    traces, seen = world.traces, world.seen(decision.id)
    assert citation.anchor and citation.anchor.state == "ambiguous"
    assert traces.reaffirm_where_it_stands(decision.id, expected=seen).error == "cannot_revalidate"
    support = citation.support.id
    assert (
        traces.reaffirm_where_it_stands(decision.id, expected=seen, picks={support: (0, 5)}).error
        == "cannot_revalidate"
    )
    place = citation.anchor.candidates[1]
    picked = traces.reaffirm_where_it_stands(decision.id, expected=seen, picks={support: (place.start, place.end)})
    assert picked.recorded and picked.decision
    (kept,) = world.again(decision).supports
    assert (kept.char_start, kept.char_end) == (place.start, place.end)


def test_superseding_where_it_stands_cites_again_what_can_be_found(world: World) -> None:
    world.document()
    world.document("other", BEFORE)
    event = world.event("It says so.")
    decision = world.decision([("refund-policy", QUOTE), ("other", QUOTE)], events=[event], question="How long?")
    world.change("refund-policy", EDITED)
    world.change("other", GONE)
    traces = world.traces
    result = traces.supersede_where_it_stands(decision.id, explanation="New.", expected=world.seen(decision.id))
    assert result.recorded and result.decision
    assert [(each.kind, each.document_key) for each in result.decision.supports] == [
        ("document", "refund-policy"), ("event", None),
    ]  # fmt: skip
    new = world.again(result.decision)
    assert (new.conclusion, new.question, new.revision) == (decision.conclusion, "How long?", 2)
    assert new.review_state is ReviewState.CLEAR
    (outcome,) = world.graph.fetch([new.supports[0].evidence_id or ""])
    assert "10 days" in (outcome.text or "")


def test_the_loser_hears_which_verdict_stands(world: World) -> None:
    decision = world.flagged(ELSEWHERE)
    seen: Seen = world.seen(decision.id)
    ada = DecisionTraces(world.store, project_id=PROJECT, agent_id="user:ada")
    assert ada.reaffirm_where_it_stands(decision.id, expected=seen).recorded
    late = world.traces.reject_decision(decision.id, "Wrong.", expected=seen)
    assert late.error == "decision_changed"
    assert late.standing and (late.standing.kind, late.standing.by) == ("reaffirm", "user:ada")
    assert world.traces.reject_decision(str(uuid4()), "Wrong.").error == "decision_not_found"
    other = World(world.store, project_id="other-project").traces
    assert other.reject_decision(decision.id, "Wrong.").error == "decision_not_found"
    assert other.get_decision(decision.id).found is False
    assert other.review_case(decision.id) is None


def test_a_text_that_comes_back_is_a_new_question(world: World) -> None:
    """Case 88: A, B, A again; no verdict clears the third by itself."""
    decision = world.flagged(EDITED)
    assert world.traces.supersede_where_it_stands(
        decision.id, explanation="Shorter now.", expected=world.seen(decision.id)
    ).recorded
    head = world.traces.list_decisions(TASK, include_history=False).decisions[0]
    world.change("refund-policy", BEFORE)
    assert world.is_flagged(head.id)
    assert [version.activation_seq for version in world.graph.versions("refund-policy")] == [1, 2, 3]
