"""Faults of agentic-graphrag that are about both: what it did is survived here, and what it would do we do not."""

import time
from collections.abc import Iterator
from typing import Any

import pytest

from reaffirm.decisions.models import (
    DecisionSupportInput,
    DocumentSupportInput,
    EventSupportInput,
    ReviewReason,
    ReviewState,
)
from tests.decisions.writes import at_once
from tests.interop import invariants
from tests.interop.agrag import PROJECT, AgragRaised
from tests.interop.worlds import BACKUPS, LOGS, POLICY, POLICY_1, POLICY_2, Both

EVENT = ({"task_name": "storage", "seq": 1},)
CLAIMS = "MATCH (q:Request {project_id: $p, operation: 'record_decision'}) RETURN q.result_json IS NULL AS empty"
OURS = EventSupportInput(task_name="storage", seq=1)


@pytest.fixture
def task(both: Both) -> Iterator[str]:
    assert both.theirs.history.create_task("storage", "Choose a policy")["recorded"]
    assert both.theirs.history.record_event("storage", "note", payload="Thirty days.")["recorded"]
    both.record("storage", "first", supports=EVENT)  # makes what it makes at a first write
    yield "storage"
    both.theirs.crash.never()


def crash(both: Both, before: str, call: Any) -> None:
    """It ends in the middle of a call."""
    both.theirs.crash.before(before)
    with pytest.raises(AgragRaised, match="Ended"):
        call()


def test_fault_09_an_event_made_again_is_not_the_one_that_was_cited(both: Both, task: str) -> None:
    """Under its hands the decision is clear again on another text; here the digest tells, or the deletion."""
    assert both.theirs.history.create_task("notes", "Goal")["recorded"]
    assert both.theirs.history.record_event("notes", "note", payload="Thirty days.")["recorded"]
    cited = EventSupportInput(task_name="notes", seq=1)
    made = both.ours.record_decision(task, "keep", "Thirty", "So it says.", supports=[cited]).decision
    assert made
    assert both.theirs.retention.delete_task("notes")["recorded"]
    assert both.theirs.history.create_task("notes", "Goal")["recorded"]
    assert both.theirs.history.record_event("notes", "note", payload="Ninety days.")["recorded"]
    both.spread("ours")

    refused = both.ours.reaffirm_decision(made.id, [])
    assert (refused.recorded, refused.error) == (False, "cannot_revalidate"), refused
    assert both.ours_of(made.id).review_state is ReviewState.NEEDS_REVIEW
    (support,) = both.case(made.id).citations
    assert support.event is None or support.event.payload != "Thirty days."


def test_fault_17_a_crash_between_an_event_and_its_id(both: Both, task: str) -> None:
    """On FalkorDB it cannot read the log again. We can, and give the id after."""
    crash(both, "SET e.id", lambda: both.theirs.history.record_event(task, "note", payload="Cut off."))
    half = both.store.kind == "falkordb"
    if half:
        with pytest.raises(AgragRaised, match="ValidationError"):
            both.theirs.history.list_events(task)
    events = both.our_history.list_events(task).events
    assert [each.payload for each in events] == ["Thirty days."] + ["Cut off."] * half

    assert both.our_history.repair_events(task).ids_given == ((2,) if half else ())
    assert both.our_history.record_event(task, "note", payload="Next.").recorded
    invariants.gapless_events(both.store)
    assert [each["seq"] for each in both.theirs.history.list_events(task)["events"]] == list(range(1, 3 + half))


def test_fault_18_a_crash_inside_a_supersession(both: Both, task: str) -> None:
    """On FalkorDB two revisions of one choice stay active. Both can be judged, and a rejection leaves one."""
    old = both.record(task, "keep", supports=EVENT, conclusion="Thirty")
    child = both.record(task, "child", supports=({"decision_id": old},))
    crash(
        both,
        "SET old.status = 'superseded'",
        lambda: both.theirs.decisions.supersede_decision(
            old, "Sixty", "It changed.", explanation="New.", supports=list(EVENT), fetched_evidence=[]
        ),
    )
    revisions = [each for each in both.ours.list_decisions(task).decisions if each.choice_key == "keep"]
    half = both.store.kind == "falkordb"
    assert [str(each.status) for each in revisions] == ["active"] * (1 + half)
    assert [each.conclusion for each in revisions] == (["Sixty"] if half else []) + ["Thirty"]
    if not half:
        return

    again = both.ours.supersede_decision(old, "Ninety", "Why.", explanation="Again.", supports=[OURS])
    assert (again.recorded, again.error) == (False, "supersede_target_invalid")
    assert both.ours.reject_decision(old, "The supersession went half way.").recorded
    both.spread("ours")
    assert both.ours_of(child).review_reason is ReviewReason.DEPENDENCY_REVIEW
    invariants.one_active_revision(both.store)
    ours = both.ours.supersede_decision(revisions[0].id, "Ninety", "Why.", explanation="Again.", supports=[OURS])
    assert ours.recorded and ours.decision and ours.decision.revision == 3
    assert both.theirs_of(revisions[0].id)["status"] == "superseded"
    invariants.sound(both.store)


def test_fault_19_a_crash_between_claim_and_expansion(both: Both, task: str) -> None:
    """On FalkorDB its project is complete and the dependents were never flagged. The sweep finds them."""
    root = both.record(task, "root", supports=EVENT)
    child = both.record(task, "child", supports=({"decision_id": root},))
    leaf = both.record(task, "leaf", supports=({"decision_id": child},))
    assert both.theirs.decisions.reject_decision(root, "Wrong.")["recorded"]
    crash(both, "MATCH (child:", lambda: both.theirs.decisions.continue_decision_review())
    both.spread("theirs")
    lost = both.store.kind == "falkordb"
    assert both.their_flags() == ({} if lost else both.our_flags())

    assert both.ours.sweep_lost_flags() == int(lost)
    both.spread("ours")
    assert set(both.flags()) == {child, leaf}
    assert invariants.lost_flags(both.store) == {}


def test_fault_20_a_version_that_lands_while_it_records(both: Both, task: str) -> None:
    """It reads the document, we activate a version, it writes: clear, on the old version. Ours does both at once."""
    both.theirs.documents.update(POLICY, POLICY_1)
    logs = both.passage(POLICY, LOGS)
    fetched = both.fetched(logs)
    both.theirs.crash.wait_before("$decision", POLICY, 2)

    def theirs() -> Any:
        return both.theirs.decisions.record_decision(
            task, "late", "Frankfurt", "So it says.", supports=[{"evidence_id": logs}], fetched_evidence=fetched
        )

    def version() -> Any:
        time.sleep(1)
        return both.our_graph.update(POLICY, POLICY_2)

    late, changed = at_once([theirs, version])
    assert late["recorded"] and changed.flagged == 0
    assert late["decision"]["review_state"] == "clear"
    decision = late["decision"]["id"]
    assert both.our_graph.versions(POLICY)[-1].activation_seq == 2
    both.spread("theirs")
    assert both.ours_of(decision).review_state is ReviewState.NEEDS_REVIEW

    support = DocumentSupportInput(evidence_id=logs)
    ours = both.ours.record_decision(
        task, "ours", "Frankfurt", "So it says.", supports=[support], fetched_evidence=both.our_graph.fetch([logs])
    )
    assert ours.decision
    both.ours.sweep_lost_flags()
    both.spread("ours")
    assert {decision, ours.decision.id} <= set(both.flags())
    assert invariants.lost_flags(both.store) == {}


def test_fault_21_one_choice_by_both_at_once(both: Both, task: str) -> None:
    """One wins, whoever it is; the others are told so, and ours leave no claim behind."""

    def ours() -> Any:
        return both.ours.record_decision(task, "one", "Ours", "Why.", supports=[OURS]).error

    def theirs() -> Any:
        result = both.theirs.decisions.record_decision(
            task, "one", "Theirs", "Why.", supports=list(EVENT), fetched_evidence=[]
        )
        return result["error"]

    told = at_once([theirs, *[ours] * 8])
    assert sorted(str(each) for each in told) == ["None"] + ["choice_exists"] * 8
    (decision,) = [each for each in both.ours.list_decisions(task).decisions if each.choice_key == "one"]
    assert both.theirs_of(decision.id)["conclusion"] == decision.conclusion
    claims = both.store.read(CLAIMS, p=PROJECT)
    assert [row["empty"] for row in claims].count(True) <= (told[0] is not None)


def test_fault_22_one_more_fetch_does_not_spoil_a_retry(both: Both, task: str) -> None:
    """Its digest holds everything that was fetched; ours never does."""
    both.theirs.documents.update(POLICY, POLICY_1)
    logs, backups = both.passage(POLICY, LOGS), both.passage(POLICY, BACKUPS)

    def theirs(*fetched: str) -> Any:
        return both.theirs.decisions.record_decision(
            task, "theirs", "c", "r", supports=[{"evidence_id": logs}], fetched_evidence=both.fetched(*fetched),
            request_id="r-1",
        )  # fmt: skip

    def ours(*fetched: str) -> Any:
        return both.ours.record_decision(
            task, "ours", "c", "r", supports=[DocumentSupportInput(evidence_id=logs)],
            fetched_evidence=both.our_graph.fetch(fetched), request_id="r-2",
        )  # fmt: skip

    assert theirs(logs)["recorded"] and theirs(logs, backups)["error"] == "request_id_reused"
    first, again = ours(logs), ours(logs, backups)
    assert first.recorded and again.recorded and again.replayed
    assert again.decision == first.decision


def test_fault_23_forged_evidence_is_refused_here_and_found_where_it_was_recorded(both: Both, task: str) -> None:
    """It trusts what it is given. We compare with the graph, and find no such words."""
    both.theirs.documents.update(POLICY, POLICY_1)
    logs = both.passage(POLICY, LOGS)
    head, _, _ = logs.rpartition(":")
    far = f"{head}:90000-90010"
    (outcome,) = both.fetched(logs)
    place = {"char_start": 90_000, "char_end": 90_010}
    forged = {
        **outcome, "evidence_id": far, "text": "Never said", "reference": {**outcome["reference"], **place},
        "covered_range": [90_000, 90_010],
    }  # fmt: skip
    made = both.theirs.decisions.record_decision(
        task, "forged", "Never", "It was never said.", supports=[{"evidence_id": far}], fetched_evidence=[forged]
    )
    assert made["recorded"] and made["decision"]["review_state"] == "clear"

    (citation,) = both.case(made["decision"]["id"]).citations
    assert citation.cited_text is None or citation.cited_text != "Never said"
    assert citation.anchor is None or citation.anchor.state.value not in ("exact", "moved")
    refused = both.ours.reaffirm_decision(
        made["decision"]["id"], [DocumentSupportInput(evidence_id=logs)], fetched_evidence=both.our_graph.fetch([logs])
    )
    assert (refused.recorded, refused.error) == (False, "cannot_revalidate")
    (ours,) = both.our_graph.fetch([far])
    claimed = ours.model_copy(update={"status": "ok", "text": "Never said", "content_hash": outcome["content_hash"]})
    mine = both.ours.record_decision(
        task, "mine", "Never", "Why.", supports=[DocumentSupportInput(evidence_id=far)], fetched_evidence=[claimed]
    )
    assert (mine.recorded, mine.error) == (False, "support_not_fetched")
    assert both.ours.record_decision(
        task, "rests", "c", "r", supports=[DecisionSupportInput(decision_id=made["decision"]["id"])]
    ).recorded
