"""One request id in the hands of both products."""

from typing import Any

import pytest

from reaffirm.decisions.models import DocumentSupportInput
from tests.interop.worlds import BACKUPS, LOGS, POLICY, POLICY_1, POLICY_2, Both

FIRST = pytest.mark.parametrize("first", ["theirs", "ours"])


@pytest.fixture
def task(both: Both) -> str:
    assert both.theirs.history.create_task("storage", "Choose")["recorded"]
    return "storage"


def plain(result: Any) -> dict[str, Any]:
    return dict(result) if isinstance(result, dict) else result.model_dump(mode="json")


def in_turn(both: Both, first: str, call: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Results of a call made by one product, then by the other; ``call`` takes its history and its decisions."""
    products = [(both.theirs.history, both.theirs.decisions), (both.our_history, both.ours)]
    if first == "ours":
        products.reverse()
    one, two = (plain(call(history, decisions)) for history, decisions in products)
    return one, two


@FIRST
def test_a_task_replays(both: Both, first: str) -> None:
    one, two = in_turn(both, first, lambda history, _: history.create_task("new", "A goal", request_id="r-task"))
    assert one["recorded"] and two["recorded"]
    assert (one["task"]["id"], one["task"]["created_at"]) == (two["task"]["id"], two["task"]["created_at"])

    _, other = in_turn(both, first, lambda history, _: history.create_task("other", "A goal", request_id="r-task"))
    assert (other["recorded"], other["error"]) == (False, "request_id_reused")


@FIRST
def test_an_event_replays(both: Both, task: str, first: str) -> None:
    """With characters that one product might write otherwise than the other."""

    def call(history: Any, _: Any, payload: str = "Zürich 🚀 \u2028 “x”") -> Any:
        return history.record_event(task, "message", role="user", payload=payload, request_id="r-event")

    one, two = in_turn(both, first, call)
    assert one["recorded"] and two["recorded"], (one, two)
    assert {key: one["event"][key] for key in ("id", "seq", "at", "payload", "author")} == {
        key: two["event"][key] for key in ("id", "seq", "at", "payload", "author")
    }
    assert len(both.our_history.list_events(task).events) == 1

    _, other = in_turn(both, first, lambda history, _: call(history, None, "another"))
    assert (other["recorded"], other["error"]) == (False, "request_id_reused")


@FIRST
def test_a_replay_of_an_event_never_gives_back_what_was_redacted(both: Both, task: str, first: str) -> None:
    def call(history: Any, _: Any) -> Any:
        return history.record_event(task, "message", role="user", payload="A secret.", request_id="r-event")

    writer = both.theirs.history if first == "theirs" else both.our_history
    event = plain(call(writer, None))["event"]
    assert both.theirs.retention.redact_event(event["id"])["recorded"]

    for result in in_turn(both, first, call):
        assert result["event"]["payload"] == "[REDACTED]"


@FIRST
def test_a_rejection_replays(both: Both, task: str, first: str) -> None:
    assert both.theirs.history.record_event(task, "note", payload="Thirty days.")["recorded"]
    decision_id = both.record(task, "backup.retention", supports=({"task_name": task, "seq": 1},))

    one, two = in_turn(
        both, first, lambda _, decisions: decisions.reject_decision(decision_id, "Nö.", request_id="r-reject")
    )
    assert one["recorded"] and two["recorded"], (one, two)
    assert (one["decision"]["status"], one["decision"]["id"]) == ("rejected", decision_id)
    assert (two["decision"]["status"], two["decision"]["id"]) == ("rejected", decision_id)
    assert two["decision"]["rejected_by"] == one["decision"]["rejected_by"]

    _, other = in_turn(
        both, first, lambda _, decisions: decisions.reject_decision(decision_id, "Yes.", request_id="r-reject")
    )
    assert (other["recorded"], other["error"]) == (False, "request_id_reused")


def test_other_writes_do_not_replay_at_the_other_product(both: Both, task: str) -> None:
    """Its digests hold what was fetched. Nothing is written a second time, and the refusal says why."""
    both.theirs.documents.update(POLICY, POLICY_1)
    backups, logs = both.passage(POLICY, BACKUPS), both.passage(POLICY, LOGS)
    fetched, ours = both.fetched(backups), both.our_graph.fetch([backups])
    support = DocumentSupportInput(evidence_id=backups)

    def theirs_record(request_id: str) -> dict[str, Any]:
        return dict(
            both.theirs.decisions.record_decision(
                task,
                "a",
                "c",
                "r",
                supports=[{"evidence_id": backups}],
                fetched_evidence=fetched,
                request_id=request_id,
            )
        )

    def ours_record(request_id: str) -> dict[str, Any]:
        return plain(
            both.ours.record_decision(
                task, "a", "c", "r", supports=[support], fetched_evidence=ours, request_id=request_id
            )
        )

    first = theirs_record("r-1")
    assert first["recorded"] and theirs_record("r-1") == first
    assert ours_record("r-1")["error"] == "request_id_reused"

    both.theirs.documents.update(POLICY, POLICY_2)
    both.spread()
    region = both.record(task, "logs.region", both.passage(POLICY, LOGS))
    seen = both.case(region).seen
    assert both.ours.reaffirm_where_it_stands(region, expected=seen, request_id="r-2").recorded
    now = both.passage(POLICY, LOGS)
    reused = both.theirs.decisions.reaffirm_decision(
        region, [{"evidence_id": now}], fetched_evidence=both.fetched(now), request_id="r-2"
    )
    assert reused["error"] == "request_id_reused"
    assert logs != now
    step: dict[str, Any] = {"kind": "read", "request_id": "r-3"}
    assert both.our_history.set_step(task, "read", "in_progress", **step).recorded
    assert both.theirs.history.set_step(task, "read", "in_progress", **step)["error"] == "request_id_reused"


def test_a_claim_that_a_refusal_left_behind_is_told(both: Both, task: str) -> None:
    """On FalkorDB a refused write of theirs leaves its request id claimed; on Neo4j nothing."""
    refused = both.theirs.history.create_task(task, "Another goal", request_id="r-4")
    assert refused["error"] == "task_exists"
    ours = both.our_history.create_task(task, "Another goal", request_id="r-4")
    assert ours.error in ("request_id_reused", "task_exists")
    assert both.our_history.create_task(task, "Choose", request_id="r-5").recorded
