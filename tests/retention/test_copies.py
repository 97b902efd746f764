"""preview_redaction: who loses support, which copies go, and where people quote the text."""

import json
import random

import pytest

from reaffirm import ids
from reaffirm.retention import HistoryRetention
from reaffirm.retention.copies import MINIMUM, Quotes
from reaffirm.store import GraphStore
from tests.decisions.factories import World
from tests.decisions.writes import dump
from tests.history.stores import Watched
from tests.retention.conftest import OFFICER
from tests.retention.test_redaction import MARKER, REASON, TASK, event_id, record
from tests.reviews.factories import PROJECT, QUOTE

SENTENCE = "The customer moved to 12 Harbour Lane in March."
BODY = f"{MARKER}\n{SENTENCE}"


def test_reasons_and_explanations_that_quote_are_listed(
    store: GraphStore, world: World, retention: HistoryRetention
) -> None:
    """cases 82: a free-text reason quoted what was redacted later, and kept it alive."""
    event = record(world, BODY)
    cited = world.event_input(TASK)
    world.document()
    said = world.decision(events=[cited], choice="said", rationale=f"It says: '{SENTENCE}'", task="other")
    rejected = world.decision(events=[cited], choice="rejected")
    assert world.traces.reject_decision(rejected.id, f"Wrong: {SENTENCE[4:]}").recorded
    replaced = world.decision(events=[cited], choice="replaced")
    newer = world.traces.supersede_decision(
        replaced.id, "No.", "Why.", explanation=MARKER, supports=[cited], fetched_evidence=[]
    ).decision
    reviewed = world.decision([("refund-policy", QUOTE)], choice="reviewed", assumptions=[f"- {SENTENCE}"])
    cite = world.graph.cite("refund-policy", QUOTE)
    kept = world.traces.reaffirm_decision(
        reviewed.id, [world.citing(cite)], fetched_evidence=world.graph.fetch([cite]), explanation=f"See {MARKER}"
    )
    assert newer and kept.recorded
    noted = world.event(f"As noted, {SENTENCE.lower()} {SENTENCE}", "other")
    world.event("A customer moved.", "other")
    assert world.history.close_task("other", reason=f"Done: {SENTENCE}").recorded
    preview = retention.preview_redaction(event)
    found = {(copy.kind, copy.field, copy.record_id) for copy in preview.copies}
    assert found >= {
        ("decision", "said", reviewed.id),
        ("task", "close_reason", ids.task_id(PROJECT, "other")),
        ("decision", "rationale", said.id),
        ("decision", "rejection_reason", rejected.id),
        ("decision", "supersession_explanation", newer.id),
        ("decision", "assumptions", reviewed.id),
        ("event", "payload", event_id(noted.seq, "other")),
    }
    assert {copy.field for copy in preview.copies if copy.kind == "support"} == {"review_explanation"}
    assert not [each for each in found if each[2] == event_id(2, "other")]
    assert {loss.decision_id for loss in preview.losses} == {said.id, newer.id}
    assert (preview.requests, preview.complete, preview.minimum) == (1, True, MINIMUM)
    assert SENTENCE not in preview.model_dump_json()


def test_listed_copies_in_other_events_go_too(store: GraphStore, world: World, retention: HistoryRetention) -> None:
    event = record(world, BODY)
    copy = record(world, f"step result: {SENTENCE}", "r2", "other")
    preview = retention.preview_redaction(event)
    assert [each.record_id for each in preview.copies] == [copy]
    held = retention.place_hold("Case 1.", event_id=copy)
    first = retention.redact_event(event, REASON, also=[copy], request_id="x")
    assert first.recorded and first.refused_copies == (copy,)
    assert held.hold and retention.release_hold(held.hold.id, "Closed.").recorded
    again = retention.redact_event(event, REASON, also=[copy], request_id="x")
    assert again.replayed and again.refused_copies == ()
    assert not [line for line in dump(store) if "Harbour" in line or "NWBK" in line]


def test_it_reads_no_more_for_more_citers(store: GraphStore, world: World) -> None:
    event = record(world)
    reads = set()
    for number in range(2):
        for each in range(5):
            world.decision(events=[world.event_input(TASK)], choice=f"{number}-{each}")
        watched = Watched(store)
        retention = HistoryRetention(watched, project_id=PROJECT, agent_id=OFFICER)
        assert retention.preview_redaction(event).loss_count == 5 * (number + 1)
        reads.add((watched.reads, watched.writes))
    assert reads == {(6, 0)}


def test_nothing_is_found_under_what_is_no_event(world: World, retention: HistoryRetention) -> None:
    record(world)
    assert not retention.preview_redaction("nonsense").found
    assert not retention.preview_redaction(event_id(9)).found


# Quotes


@pytest.mark.parametrize(
    ("text", "other", "length"),
    [
        (BODY, f"x{SENTENCE}y", len(SENTENCE)),
        (BODY, SENTENCE[3:27], 24),
        (BODY, SENTENCE[3:26], 0),
        (BODY, BODY, len(BODY)),
        ("4821", "the code is 4821", 0),
        ("code 48213", "the code 48213 it is", 10),
        ("code 48213", "the code 48214 it is", 0),
        (json.dumps({"content": f"He said:\n{SENTENCE}\n\"so\""}), f"He said:\n{SENTENCE}\n\"so\"", 61),
        ("🚀 " * 30, "🚀 " * 12, 24),
    ],
)  # fmt: skip
def test_a_quote_is_a_common_part_of_some_length(text: str, other: str, length: int) -> None:
    assert Quotes(text).longest(other) == length


def test_every_quote_of_24_is_found_wherever_it_begins() -> None:
    chance = random.Random(3)
    text = "".join(chance.choice("abcdefgh ") for _ in range(600))
    quotes = Quotes(text)
    for start in range(len(text) - MINIMUM):
        assert quotes.longest(f"##{text[start : start + MINIMUM]}##") >= MINIMUM
