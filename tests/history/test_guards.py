"""Each guard of each write, alone: what it looks at has changed since the read, so nothing is written."""

from collections.abc import Callable
from typing import Any

import pytest

from reaffirm import ids
from reaffirm.decisions.models import DecisionSupportInput, EventSupportInput
from reaffirm.history import ConversationHistory
from reaffirm.store import GraphStore, StoreUnavailable
from tests.history.records import add_decision, add_version, change, citing, delete_event, redact, remove
from tests.history.stores import Row

ALL = "MATCH (n) RETURN labels(n) AS labels, n{.*} AS properties"
LINKS = "MATCH (a)-[r]->(b) RETURN type(r) AS type, count(r) AS links ORDER BY type"

Write = Callable[[ConversationHistory, GraphStore], object]
Disturb = Callable[[ConversationHistory, GraphStore], object]


class Holding:
    """A store that keeps the first statement instead of running it."""

    def __init__(self, store: GraphStore) -> None:
        self.store = store
        self.held: tuple[str, dict[str, object]] = ("", {})

    def write(self, query: str, **params: object) -> list[Row]:
        self.held = (query, params)
        raise StoreUnavailable("held")

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)


def snapshot(store: GraphStore) -> tuple[list[str], list[Row]]:
    return sorted(repr(sorted(row.items(), key=str)) for row in store.read(ALL)), store.read(LINKS)


def create(history: ConversationHistory, _: GraphStore) -> object:
    return history.create_task("new", "Goal", request_id="r1")


def confirm(history: ConversationHistory, _: GraphStore) -> object:
    return history.create_task("storage", "Choose a backup policy", request_id="r1")


def record(history: ConversationHistory, _: GraphStore) -> object:
    return history.record_event("storage", "note", payload="x", request_id="r1")


def step(history: ConversationHistory, _: GraphStore) -> object:
    return history.set_step("storage", "read", "in_progress", request_id="r1")


def step_with_result(history: ConversationHistory, _: GraphStore) -> object:
    return history.set_step("storage", "read", "completed", result_event_seq=1, request_id="r1")


def step_on_document(history: ConversationHistory, store: GraphStore) -> object:
    passage = add_version(store, "policy.txt", "Thirty days.")
    supports = [citing(passage)]
    return history.set_step(
        "storage", "read", "completed", result_basis="supported", supports=supports, fetched_evidence=[passage]
    )


def step_on_event(history: ConversationHistory, _: GraphStore) -> object:
    supports = [EventSupportInput(task_name="storage", seq=1)]
    return history.set_step("storage", "read", "completed", result_basis="supported", supports=supports)


def step_on_decision(history: ConversationHistory, store: GraphStore) -> object:
    supports = [DecisionSupportInput(decision_id=add_decision(store, "storage", "backup"))]
    return history.set_step("storage", "read", "completed", result_basis="supported", supports=supports)


def close(history: ConversationHistory, _: GraphStore) -> object:
    return history.close_task("storage", request_id="r1")


def resume(history: ConversationHistory, store: GraphStore) -> object:
    other = ConversationHistory(store, project_id="atlas", agent_id="b")
    assert other.set_step("storage", "read", "in_progress").recorded
    return history.resume_task("storage", request_id="r1")


def repair(history: ConversationHistory, store: GraphStore) -> object:
    store.write("MATCH (e:Event) WHERE e.seq = 1 SET e.id = null RETURN 1 AS n")
    return history.repair_events("storage", request_id="r1")


def take_request(history: ConversationHistory, _: GraphStore) -> object:
    return history.create_task("another", "Goal", request_id="r1")


def delete_task(_: ConversationHistory, store: GraphStore) -> object:
    return store.write("MATCH (t:Task) DETACH DELETE t RETURN count(t) AS gone")


def being_deleted(_: ConversationHistory, store: GraphStore) -> object:
    return store.write("MATCH (t:Task) SET t.deletion_id = 'x' RETURN 1 AS n")


def goal_gone(_: ConversationHistory, store: GraphStore) -> object:
    return store.write("MATCH (t:Task) SET t.goal = '[DELETED]' RETURN 1 AS n")


def retire(_: ConversationHistory, store: GraphStore) -> None:
    change(store, ids.decision_id(ids.task_id("atlas", "storage"), "backup", 1), status="rejected")


GUARDS: dict[str, tuple[Write, Disturb]] = {
    "create: request taken": (create, take_request),
    "create: task made": (create, lambda history, _: history.create_task("new", "Goal")),
    "confirm: request taken": (confirm, take_request),
    "confirm: task deleted": (confirm, delete_task),
    "record: request taken": (record, take_request),
    "record: task deleted": (record, delete_task),
    "record: task being deleted": (record, being_deleted),
    "record: out of ready ids": (
        record,
        lambda _, store: store.write("MATCH (t:Task) SET t.event_seq = 33 RETURN 1 AS n"),
    ),
    "record: numbers went back": (
        record,
        lambda _, store: store.write("MATCH (t:Task) SET t.event_seq = 0 RETURN 1 AS n"),
    ),
    "close: request taken": (close, take_request),
    "close: task deleted": (close, delete_task),
    "close: task being deleted": (close, being_deleted),
    "close: deleted but for its decisions": (close, goal_gone),
    "close: closed meanwhile": (close, lambda history, _: history.close_task("storage")),
    "resume: request taken": (resume, take_request),
    "resume: task deleted": (resume, delete_task),
    "resume: task being deleted": (resume, being_deleted),
    "resume: another step begun": (resume, lambda history, _: history.set_step("storage", "write", "in_progress")),
    "resume: the step completed": (resume, lambda history, _: history.set_step("storage", "read", "completed")),
    "repair: request taken": (repair, take_request),
    "repair: task deleted": (repair, delete_task),
    "repair: task being deleted": (repair, being_deleted),
    "repair: repaired meanwhile": (repair, lambda history, _: history.repair_events("storage")),
    "step: request taken": (step, take_request),
    "step: task deleted": (step, delete_task),
    "step: task being deleted": (step, being_deleted),
    "step: result redacted": (step_with_result, lambda _, store: redact(store, "storage", 1)),
    "step: result deleted": (step_with_result, lambda _, store: delete_event(store, "storage", 1)),
    "step: document changed": (step_on_document, lambda _, store: add_version(store, "policy.txt", "Ninety.", seq=2)),
    "step: document removed": (step_on_document, lambda _, store: remove(store, "policy.txt", 2)),
    "step: event redacted": (step_on_event, lambda _, store: redact(store, "storage", 1)),
    "step: event deleted": (step_on_event, lambda _, store: delete_event(store, "storage", 1)),
    "step: decision retired": (step_on_decision, retire),
}


@pytest.mark.parametrize(("write", "disturb"), [pytest.param(*pair, id=name) for name, pair in GUARDS.items()])
def test_a_guard_alone_stops_the_write(
    store: GraphStore, history: ConversationHistory, task: str, write: Write, disturb: Disturb
) -> None:
    assert history.record_event(task, "note", payload="first").recorded
    holding = Holding(store)
    with pytest.raises(StoreUnavailable):
        write(ConversationHistory(holding, project_id="atlas", agent_id="a"), store)
    query, params = holding.held
    disturb(history, store)
    before = snapshot(store)
    assert store.write(query, **params) == []
    assert snapshot(store) == before
