"""Cases 25, 31, 32 and 58: a value that a store would crash on, alter or refuse is refused before it gets there."""

import math
from typing import Any, cast

import pytest

from reaffirm.decisions.models import DecisionSupportInput, DocumentSupportInput, EventSupportInput
from reaffirm.history import ConversationHistory
from reaffirm.store import GraphStore
from tests.history.records import nodes

TEXTS = {
    "NUL": "a\0b",
    "lone surrogate": "a\ud83d",
    "number": 5,
    "bytes": b"a",
    "list": ["a"],
}
NAMES = {
    **TEXTS,
    "empty": "",
    "blank": "  ",
    "leading blank": " a",
    "trailing blank": "a ",
    "no-break space": "a\u00a0",
    "control": "a\x01b",
    "201 characters": "a" * 201,
    "4,097 bytes": "a" * 4_097,
    "8,165 bytes": "a" * 8_165,
    "4,100 letters of two bytes": "é" * 4_100,
    "none": None,
}
GOALS = {**TEXTS, "empty": "", "blank": " \n", "none": None, "4,001 characters": "a" * 4_001}
REASONS = {**TEXTS, "4,001 characters": "a" * 4_001}
PAYLOADS = {**TEXTS, "none": None, "1,000,001 characters": "a" * 1_000_001}
ROLES = {**TEXTS, "101 characters": "a" * 101}
TITLES = {**TEXTS, "201 characters": "a" * 201}
WORDS: dict[str, object] = {
    "other word": "other words",
    "empty": "",
    "none": None,
    "number": 5,
    "list": [],
    "NUL": "note\0",
}
NUMBERS = {"zero": 0, "negative": -1, "2^63": 2**63, "NaN": math.nan, "text": "1", "float": 1.0, "bool": True}
SUPPORTS = {"text": "ev1:s:x", "none": None, "number": 5, "map": {"evidence_id": "x"}, "of texts": ["ev1:s:x"]}

TASK: dict[str, Any] = {"name": "storage", "goal": "Goal"}
EVENT: dict[str, Any] = {"task_name": "storage", "kind": "note", "payload": "x"}
STEP: dict[str, Any] = {"task_name": "storage", "name": "read", "state": "completed", "result_basis": "supported"}

CASES = [
    pytest.param(method, arguments, field, value, id=f"{method}-{field}-{title}")
    for method, arguments, field, values in (
        ("create_task", TASK, "name", NAMES),
        ("create_task", TASK, "goal", GOALS),
        ("close_task", {}, "name", NAMES),
        ("close_task", {"name": "storage"}, "reason", REASONS),
        ("reopen_task", {}, "name", NAMES),
        ("resume_task", {}, "name", NAMES),
        ("repair_events", {}, "task_name", NAMES),
        ("record_event", EVENT, "task_name", NAMES),
        ("record_event", EVENT, "kind", WORDS),
        ("record_event", EVENT, "payload", PAYLOADS),
        ("record_event", EVENT, "role", ROLES),
        ("record_event", EVENT, "name", TITLES),
        ("set_step", STEP, "task_name", NAMES),
        ("set_step", STEP, "name", NAMES),
        ("set_step", STEP, "state", WORDS),
        ("set_step", STEP, "kind", WORDS),
        ("set_step", STEP, "result_basis", WORDS),
        ("set_step", STEP, "result_event_seq", NUMBERS),
        ("set_step", STEP, "supports", SUPPORTS),
    )
    for title, value in values.items()
]


@pytest.mark.parametrize("kind", ["falkordb", "neo4j"])
def test_a_bad_value_is_refused_by_name_and_nothing_is_written(kind: str, request: pytest.FixtureRequest) -> None:
    store: GraphStore = request.getfixturevalue(f"{kind}_store")
    history = ConversationHistory(store, project_id="atlas", agent_id="planner-1")
    assert history.create_task("storage", "Goal").recorded
    before = nodes(store)
    for case in CASES:
        method, arguments, field, value = cast("tuple[str, dict[str, Any], str, Any]", case.values)
        result = getattr(history, method)(**{**arguments, field: value})
        assert (result.recorded, result.error) == (False, "invalid_value"), case.id
        assert str(result.field).partition("[")[0] == field, case.id
        assert str(result.detail).startswith(field), case.id
    assert nodes(store) == before
    assert history.record_event("storage", "note", payload="the next request works").recorded


@pytest.mark.parametrize(
    ("support", "field"),
    [
        (EventSupportInput(task_name="", seq=1), "supports[0].task_name"),
        (EventSupportInput(task_name="a" * 8_165, seq=1), "supports[0].task_name"),
        (EventSupportInput(task_name="storage", seq=2**63), "supports[0].seq"),
        (EventSupportInput(task_name="storage", seq=0), "supports[0].seq"),
    ],
)
def test_a_bad_value_in_a_support_is_refused(
    history: ConversationHistory, task: str, support: EventSupportInput, field: str
) -> None:
    result = history.set_step(**STEP, supports=[support])
    assert (result.error, result.field) == ("invalid_value", field)


@pytest.mark.parametrize(
    "support", [DocumentSupportInput(evidence_id="a\ud83d"), DecisionSupportInput(decision_id="a\0")]
)
def test_an_id_that_cannot_be_one_is_a_support_that_cannot_be_used(
    history: ConversationHistory, task: str, support: DocumentSupportInput | DecisionSupportInput
) -> None:
    assert history.set_step(**STEP, supports=[support]).error == "support_invalid"


def test_names_that_just_fit_are_stored(history: ConversationHistory) -> None:
    for name in ("a" * 200, "🚀" * 200, "a/b: c", "'\"\\`$//", "é"):
        assert history.create_task(name, "Goal").recorded
        assert history.set_step(name, name, "in_progress").recorded
        assert history.get_task(name).found
        assert [step.name for step in history.list_steps(name).steps] == [name]
