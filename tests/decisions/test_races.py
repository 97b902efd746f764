"""Many writers at once on real stores: one chain, no lost flag, no lost mark, no deadlock that reaches a caller."""

import random
import threading
import time
from typing import Any

import pytest

from reaffirm import ids
from reaffirm.decisions import DecisionTraces
from reaffirm.decisions.models import DecisionResult, DecisionSupportInput, ReviewState
from reaffirm.knowledge import Graph
from reaffirm.store import GraphStore
from tests.decisions.factories import World
from tests.decisions.writes import THREADS, at_once
from tests.reviews.factories import BEFORE, PROJECT, QUOTE

# Flags that an update missed: active and clear, on another version than the one in force.
LOST = """
MATCH (d:Decision)-[h:HAS_SUPPORT]->(s:DecisionSupport) WHERE s.current = true AND s.kind = 'document'
  AND d.status = 'active' AND d.review_state = 'clear'
WITH d, s
MATCH (doc:Document {id: s.document_node_id}) WHERE doc.activation_seq <> s.recorded_activation_seq
RETURN d.id AS id
"""
SUCCESSORS = "MATCH (n:Decision)-[r:SUPERSEDES]->(o:Decision) WITH o, count(r) AS n RETURN max(n) AS most"
CHAINS = """
MATCH (d:Decision) WHERE d.choice_key STARTS WITH $prefix
RETURN d.choice_key AS choice, collect([d.revision, d.status]) AS revisions
"""
# Deletes an event behind the task's lock, and notes how many decisions there were before the first one went.
DELETE = """
MATCH (t:Task) WHERE t._agrag_history_record = true AND t.id = $task_id
WITH t
//@lock t
WITH t
OPTIONAL MATCH (d:Decision) WHERE d._agrag_history_record = true AND d.task_id = $task_id AND d.choice_key >= 'many-'
WITH t, count(d) AS made
MATCH (e:Event) WHERE e._agrag_history_record = true AND e.id = $event_id
WITH t, e, coalesce(t.made_before, made) AS made
SET t.made_before = made
DETACH DELETE e
RETURN made
"""
MANY = """
MATCH (d:Decision) WHERE d.task_id = $task_id AND d.choice_key STARTS WITH 'many-'
OPTIONAL MATCH (d)-[h:HAS_SUPPORT]->(s:DecisionSupport)
RETURN d.choice_key AS choice, count(h) AS supports
"""


@pytest.fixture
def world(store: GraphStore) -> World:
    return World(store)


def rounds(store: GraphStore) -> int:
    return 100 if store.kind == "falkordb" else 30


def traces_of(world: World, name: str) -> DecisionTraces:
    return DecisionTraces(world.store, project_id=PROJECT, agent_id=name)


def test_two_that_supersede_or_reject_at_once_leave_one_line(world: World) -> None:
    """Cases 68 and 92."""
    event = world.event("It says so.")
    codes = set()
    current = world.decision(events=[event], choice="fork")
    for number in range(rounds(world.store)):
        if current is None:
            current = world.decision(events=[event], choice=f"fork-{number}")
        decision_id = current.id

        def supersede(who: str, decision_id: str = decision_id) -> DecisionResult:
            return traces_of(world, who).supersede_decision(
                decision_id, f"Answer of {who}.", "Why.", explanation="New.", supports=[event]
            )

        def reject(decision_id: str = decision_id) -> DecisionResult:
            return traces_of(world, "r").reject_decision(decision_id, "Wrong.")

        second = reject if number % 3 == 2 else lambda: supersede("b")
        results = at_once([lambda: supersede("a"), second])
        assert sorted(result.recorded for result in results) == [False, True]
        codes.add(next(result.error for result in results if not result.recorded))
        winner = next(result.decision for result in results if result.recorded)
        current = winner if winner and winner.status == "active" else None
    assert codes <= {"supersede_target_invalid", "decision_not_active"}
    for row in world.store.read(CHAINS, prefix="fork"):
        revisions = sorted(row["revisions"])
        assert [each[0] for each in revisions] == list(range(1, len(revisions) + 1))
        assert [each[1] for each in revisions[:-1]] == ["superseded"] * (len(revisions) - 1)
    heads = world.store.read(
        "MATCH (n:Decision)-[r:SUPERSEDES]->(o:Decision) WITH o, count(r) AS n RETURN max(n) AS most"
    )
    assert heads[0]["most"] == 1


def test_fault_21_16_that_record_one_choice_make_one_decision(world: World) -> None:
    event = world.event("It says so.")

    def record(number: int) -> DecisionResult:
        return traces_of(world, f"a{number}").record_decision(
            "refund-LM-20931", "race", f"Answer {number}.", "Why.", supports=[event]
        )

    results = at_once([lambda number=number: record(number) for number in range(THREADS)])  # type: ignore[misc]
    assert [result.recorded for result in results].count(True) == 1
    assert {result.error for result in results if not result.recorded} == {"choice_exists"}
    assert world.store.read("MATCH (q:Request {operation: 'record_decision'}) RETURN count(q) AS n") == [{"n": 1}]


def test_16_with_one_request_id_get_one_result(world: World) -> None:
    event = world.event("It says so.")

    def record() -> DecisionResult:
        return world.traces.record_decision(
            "refund-LM-20931", "once", "Yes.", "Why.", supports=[event], request_id="the-same"
        )

    results = at_once([record] * THREADS)
    assert all(result.recorded for result in results)
    assert len({result.model_dump_json(exclude={"replayed"}) for result in results}) == 1
    assert [result.replayed for result in results].count(False) == 1


def test_no_mark_of_a_conflict_is_lost_between_tasks(world: World) -> None:
    for number in range(THREADS):
        world.event("It says so.", task=f"task-{number}")

    def record(number: int) -> DecisionResult:
        return traces_of(world, f"a{number}").record_decision(
            f"task-{number}",
            "shared",
            f"Answer {number % 2}.",
            "Why.",
            supports=[world.event_input(f"task-{number}")],
        )

    results = at_once([lambda number=number: record(number) for number in range(THREADS)])  # type: ignore[misc]
    assert all(result.recorded for result in results)
    (group,) = world.traces.list_conflicts().groups
    assert len(group.decisions) == THREADS
    assert world.traces.review_counts().conflicts == 1
    marks = world.store.read("MATCH (d:Decision) WHERE d.contested_in = $p RETURN count(d) AS n", p=PROJECT)
    assert marks == [{"n": THREADS}]


def test_fault_20_no_flag_is_lost_when_verdicts_and_new_versions_meet(world: World) -> None:
    """Faults 20 and 21: 14 threads reaffirm and record, 2 change their sources, and no error reaches any of them."""
    documents = ("policy-a", "policy-b")
    for key in documents:
        world.document(key)
    decisions = [
        world.decision([(documents[n % 2], QUOTE)], choice=f"c{n}", task=f"task-{n % 4}").id for n in range(14)
    ]
    stop = threading.Event()
    landed: list[str] = []
    failed: list[Any] = []

    def judge(number: int) -> None:
        traces = traces_of(world, f"user:{number}")
        graph = Graph(world.store)
        tries = 0
        while not stop.is_set():
            tries += 1
            if number % 7 == 6:
                cited = graph.cite(documents[number % 2], QUOTE)
                result = traces.record_decision(
                    f"task-{number % 4}", f"new-{number}-{tries}", "Yes.", "Why.",
                    supports=[world.citing(cited)], fetched_evidence=graph.fetch([cited]),
                )  # fmt: skip
                allowed = {None}
            else:
                result = traces.reaffirm_where_it_stands(decisions[number], expected=world.seen(decisions[number]))
                allowed = {None, "decision_changed"}
            if result.error not in allowed:
                failed.append(result)
            elif result.recorded:
                landed.append(str(number))

    def change(number: int) -> None:
        graph = Graph(world.store)
        for step in range(10):
            result = graph.update(documents[number], f"{BEFORE}\n\nA note of no weight, number {step}.")
            if not result.recorded:
                failed.append(result)
            time.sleep(random.random() * 0.05)
        stop.set()

    calls = [lambda n=n: judge(n) for n in range(14)] + [lambda n=n: change(n) for n in range(2)]  # type: ignore[misc]
    at_once(calls)
    assert not failed
    assert len(landed) > 14
    assert world.store.read(LOST) == []


def test_a_person_can_give_a_verdict_while_a_source_changes_elsewhere(world: World) -> None:
    """Case 85: refused only when the cited words changed since the page was shown."""
    decision = world.flagged(BEFORE + "\n\nA first note.")
    stop = threading.Event()

    def change() -> int:
        number = 0
        while not stop.wait(0.05):
            number += 1
            assert Graph(world.store).update("refund-policy", f"{BEFORE}\n\nNote {number}.").recorded
        return number

    changes: list[int] = []
    thread = threading.Thread(target=lambda: changes.append(change()))
    thread.start()
    try:
        seen = world.seen(decision.id)
        time.sleep(0.5)
        result = world.traces.reaffirm_where_it_stands(decision.id, expected=seen)
    finally:
        stop.set()
        thread.join()
    assert result.recorded, result
    assert changes[0] > 1
    assert world.again(decision).review_state in (ReviewState.CLEAR, ReviewState.NEEDS_REVIEW)
    assert world.store.read(LOST) == []


def test_a_verdict_on_other_words_than_were_shown_is_refused(world: World) -> None:
    decision = world.flagged(BEFORE + "\n\nA first note.")
    seen = world.seen(decision.id)
    world.change("refund-policy", BEFORE.replace("14 days", "15 days"))
    for result in (
        world.traces.reaffirm_where_it_stands(decision.id, expected=seen),
        world.traces.supersede_where_it_stands(decision.id, explanation="New.", expected=seen),
        world.traces.reject_decision(decision.id, "Wrong.", expected=seen),
    ):
        assert (result.recorded, result.error) == (False, "decision_changed")


def test_a_decision_is_recorded_only_when_all_it_cites_is_there(world: World) -> None:
    """Case 100: 20 supports, recorded again and again, while the cited events are deleted one by one."""
    task = world.task()
    events = [world.event(f"Line {number}.") for number in range(20)]
    task_id = ids.task_id(PROJECT, task)
    results: dict[str, DecisionResult] = {}
    done = threading.Event()

    def record(number: int) -> None:
        step = 0
        while not done.is_set() or step == 0:
            key = f"many-{number}-{step}"
            results[key] = traces_of(world, f"a{number}").record_decision(task, key, "Yes.", "Why.", supports=events)
            step += 1

    def delete() -> None:
        until = time.monotonic() + 60
        while len(results) < 8 and time.monotonic() < until:
            time.sleep(0.01)
        for event in events[:5]:
            world.store.write(DELETE, task_id=task_id, event_id=ids.event_id(task_id, event.seq))
            time.sleep(0.02)
        done.set()

    at_once([lambda n=n: record(n) for n in range(6)] + [delete])  # type: ignore[misc, list-item]
    recorded = {key for key, result in results.items() if result.recorded}
    assert {result.error for result in results.values()} == {None, "support_event_not_found"}
    stored = {row["choice"]: row["supports"] for row in world.store.read(MANY, task_id=task_id)}
    assert set(stored) == recorded and set(stored.values()) == {20}
    (made,) = world.store.read("MATCH (t:Task {id: $id}) RETURN t.made_before AS n", id=task_id)
    assert made["n"] == len(recorded), "a decision was recorded on events that were gone"


def test_a_decision_is_recorded_only_on_parents_and_documents_that_stand(world: World) -> None:
    """Case 100: what is cited is rejected and erased meanwhile; a recorded decision is flagged by it, or was before."""
    event = world.event("It says so.")
    documents = [world.document(f"policy-{number}") for number in range(4)]
    parents = [world.decision(events=[event], choice=f"parent-{number}") for number in range(16)]
    graph = Graph(world.store)
    cited = [graph.cite(key, QUOTE) for key in documents]
    fetched = graph.fetch(cited)
    supports = [world.citing(each) for each in cited]
    on = [DecisionSupportInput(decision_id=each.id) for each in parents]
    results: list[DecisionResult] = []
    done = threading.Event()

    def record(number: int) -> None:
        step = 0
        while not done.is_set() or step == 0:
            results.append(
                traces_of(world, f"a{number}").record_decision(
                    "refund-LM-20931", f"many-{number}-{step}", "Yes.", "Why.",
                    supports=[*supports, *on], fetched_evidence=fetched,
                )
            )  # fmt: skip
            step += 1

    def retire() -> None:
        until = time.monotonic() + 60
        while len(results) < 8 and time.monotonic() < until:
            time.sleep(0.01)
        assert graph.purge(documents[0]).recorded
        for parent in parents[:3]:
            assert world.traces.reject_decision(parent.id, "Wrong.").recorded
        done.set()

    at_once([lambda n=n: record(n) for n in range(4)] + [retire])  # type: ignore[misc, list-item]
    assert {result.error for result in results} <= {None, "support_not_fetched", "support_decision_not_active"}
    while world.traces.continue_decision_review():
        pass
    recorded = [result.decision for result in results if result.decision]
    assert recorded
    for decision in recorded:
        again = world.again(decision)
        assert len(again.supports) == 20 and again.review_state is ReviewState.NEEDS_REVIEW
