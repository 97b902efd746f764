"""Every argument of every method with nonsense: a refusal that names it, or nothing found; never an exception."""

import inspect
import math
from typing import Any
from uuid import uuid4

import pytest

from reaffirm import fields
from reaffirm.decisions import DecisionTraces
from reaffirm.decisions.models import (
    DecisionPage,
    DecisionResult,
    EventSupportInput,
    ReviewPage,
    Seen,
)
from reaffirm.store import GraphStore, ValueRefused
from tests.reviews.factories import World

BAD: dict[str, Any] = {
    "empty": "",
    "blank": "   ",
    "201 characters": "a" * 201,
    "4,097 bytes": "ä" * 2_049,
    "1 MB": "a" * 1_000_000,
    "NUL": "a\0b",
    "half a surrogate pair": "\ud83d",
    "leading blank": " a",
    "control": "a\x01",
    "None": None,
    "number": 5,
    "2**63": 2**63,
    "negative": -1,
    "NaN": math.nan,
    "infinity": math.inf,
    "bytes": b"abc",
    "list": ["a"],
    "nested": [[["a\0"]]],
    "map": {"a": {"b": 1}},
    "object": object(),
    "true": True,
    "garbage cursor": "WzEsICJcdTAwMDAiXQ",
}
# Arguments for which a value of the list is a good one.
GOOD = {
    ("conclusion", "201 characters"), ("conclusion", "4,097 bytes"), ("conclusion", "leading blank"),
    ("conclusion", "control"), ("conclusion", "garbage cursor"),
}  # fmt: skip


@pytest.fixture
def world(store: GraphStore) -> World:
    return World(store)


def count(store: GraphStore) -> Any:
    return store.read(
        "MATCH (n) OPTIONAL MATCH (n)-[r]->(m) RETURN count(DISTINCT n) AS nodes, count(r) AS relationships"
    )


WRITES = (
    "record_decision", "supersede_decision", "supersede_where_it_stands", "reject_decision", "reaffirm_decision",
    "reaffirm_where_it_stands",
)  # fmt: skip
READS = (
    "get_decision", "list_decisions", "task_decisions", "list_decisions_for_review", "review_case",
    "list_support_history", "find_request", "cites_document", "continue_decision_review",
)  # fmt: skip


def good(world: World, method: str) -> dict[str, Any]:
    """Arguments without a fault, of records that do not exist: so that nothing is ever written."""
    unknown = str(uuid4())
    seen = Seen(status="active", review_state="clear", support_ids=(), passages={})
    every: dict[str, Any] = {
        "task_name": "no-such-task",
        "choice_key": "choice",
        "conclusion": "Yes.",
        "rationale": "It says so.",
        "supports": [EventSupportInput(task_name="no-such-task", seq=1)],
        "evidence": [],
        "decision_id": unknown,
        "task_id": unknown,
        "document_id": unknown,
        "explanation": "Because.",
        "reason": "Because.",
        "expected": seen,
        "request_id": "a-request",
    }
    parameters = inspect.signature(getattr(DecisionTraces, method)).parameters
    return {name: every[name] for name in parameters if name in every and not (method in READS and name == "reason")}


MISSING = {"task_not_found", "decision_not_found", "supersede_target_invalid"}


@pytest.mark.parametrize("method", WRITES)
def test_a_write_refuses_nonsense_by_name_and_writes_nothing(world: World, method: str) -> None:
    """Cases 25, 31, 32, 58."""
    traces = world.traces
    before = count(world.store)
    call = getattr(traces, method)
    assert call(**good(world, method)).error in MISSING
    for argument in list(inspect.signature(call).parameters):
        for name, value in BAD.items():
            result = call(**{**good(world, method), argument: value})
            assert isinstance(result, DecisionResult)
            assert not result.recorded and result.error, (argument, name)
            if result.error in ("invalid_value", "invalid_request_id"):
                assert result.field and result.field.split("[")[0].split(".")[0] == argument, (argument, name, result)
                assert result.detail, (argument, name)
            else:
                assert result.error in {*MISSING, "support_required", "explanation_required"}, (argument, name, result)
    assert count(world.store) == before


@pytest.mark.parametrize("method", READS)
def test_a_read_of_nonsense_finds_nothing(world: World, method: str) -> None:
    traces = world.traces
    before = count(world.store)
    call = getattr(traces, method)
    for argument in list(inspect.signature(call).parameters):
        for name, value in BAD.items():
            found = call(**{**good(world, method), argument: value})
            nothing = (
                not found or getattr(found, "found", None) is False or isinstance(found, ReviewPage | DecisionPage)
            )
            assert nothing, (argument, name, found)
    assert count(world.store) == before


@pytest.mark.parametrize("name", ["", " ", " a", "a" * 201, "a\0", "\ud83d", None, 5, "a\n"])
def test_a_project_or_an_author_that_is_no_name_is_refused(falkordb_store: GraphStore, name: Any) -> None:
    for given in ({"project_id": name, "agent_id": "a"}, {"project_id": "p", "agent_id": name}):
        with pytest.raises(ValueRefused):
            DecisionTraces(falkordb_store, **given)


def test_an_unknown_filter_matches_nothing_and_a_wrong_cursor_is_the_beginning(world: World) -> None:
    world.flagged()
    traces = world.traces
    assert len(traces.list_decisions_for_review().rows) == 1
    for filters in (
        {"reason": "outdated"},
        {"task_name": "x"},
        {"choice_key": "x"},
        {"document_key": "x"},
        {"choice_key": "a\0"},
    ):
        page = traces.list_decisions_for_review(**filters)
        assert (page.rows, page.count, page.counts.flagged) == ((), 0, 1), filters
    for cursor in ("x", "W10", "WzEsICJcdTAwMDAiXQ", "WzEsIDJd", "é", 5, b"a", [], math.nan, "a" * 5_000):
        assert len(traces.list_decisions_for_review(cursor=cursor).rows) == 1, cursor  # type: ignore[arg-type]
        assert len(traces.list_decisions("refund-LM-20931", cursor=cursor).decisions) == 1, cursor  # type: ignore[arg-type]
    for limit in (0, -1, 10**9, 2**63, math.nan, "x", None, True):
        assert len(traces.list_decisions_for_review(limit=limit).rows) == 1, limit  # type: ignore[arg-type]
        assert len(traces.list_decisions("refund-LM-20931", limit=limit).decisions) == 1, limit  # type: ignore[arg-type]


def test_a_text_of_invisible_characters_is_empty() -> None:
    with pytest.raises(ValueRefused, match="is empty"):
        fields.text("reason", "\u200b \u2060\u00ad\n", fields.SHORT_TEXT)
