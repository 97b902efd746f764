"""No public read raises for what it is asked; it finds nothing, or takes the nearest that there is."""

import base64
import inspect
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from reaffirm import ids
from reaffirm.store import GraphStore
from tests.reads import FACADES, READS, TASK, Filled

NOBODY = "00000000-0000-0000-0000-000000000000"


class Wordless:
    def __str__(self) -> str:
        raise RuntimeError("not a text")


def cursor(place: object) -> str:
    return base64.urlsafe_b64encode(json.dumps([place, NOBODY]).encode()).decode().rstrip("=")


ODD: list[Any] = [
    None, "", " x", "a\0b", "\ud800", "\u200b", "z" * 100_000, True, 2**63, -(2**63) - 1, 10**5_000, float("nan"),
    b"\xff", [], ["\ud800", "a\0", None, Wordless(), 10**5_000, []], {"a": 1}, {1, 2}, Wordless(), NOBODY,
    cursor("\0"), cursor("\ud800"), cursor(2**70), cursor(True), cursor([1, 2, 3]), cursor("9999-99-99"),
]  # fmt: skip
# What these say that they raise.
DOCUMENTED = {
    ("Graph", "cite"),
    ("Graph.fetch", "max_chars"),
    ("Graph.search", "limit"),
    ("Graph.search_evidence", "limit"),
}


def asked(filled: Filled) -> dict[str, Any]:
    """An argument of each name that finds something."""
    return {
        "name": TASK, "task_name": TASK, "task_id": filled.task_id, "seq": 1, "decision_id": filled.root.id,
        "query": "refund", "words": "refund", "choice_key": "shared", "verdict": "reject", "ids": [filled.root.id],
        "request_id": "root", "document_id": ids.document_id(filled.policy), "cause": filled.root.id,
        "event_id": filled.event_id, "document_key": filled.policy, "activation_id": filled.change,
        "evidence_ids": [], "quote": "refund",
    }  # fmt: skip


def calls(filled: Filled) -> Iterator[tuple[str, Callable[[], object]]]:
    facades = dict(zip(FACADES, (filled.history, filled.traces, filled.retention, filled.graph), strict=True))
    known = asked(filled)
    for kind, facade in facades.items():
        for read in sorted(name.partition(".")[2] for name in READS if name.startswith(f"{kind.__name__}.")):
            method = getattr(facade, read)
            parameters = inspect.signature(method).parameters.values()
            plain = {each.name: known[each.name] for each in parameters if each.default is each.empty}
            if read == "step_trail":
                plain["name"] = "trail"
            for each in parameters:
                if {(kind.__name__, read), (f"{kind.__name__}.{read}", each.name)} & DOCUMENTED:
                    continue
                for number, value in enumerate(ODD):
                    arguments = {**plain, each.name: value}
                    if read == "fetch" and isinstance(value, str) and len(value) > 100:
                        continue  # more than 100 ids
                    yield f"{read}({each.name}=ODD[{number}])", lambda m=method, a=arguments: m(**a)  # type: ignore[misc]


def test_no_read_raises_for_what_it_is_asked(store: GraphStore) -> None:
    filled = Filled(store).grow(1)
    raised = []
    for name, call in calls(filled):
        try:
            call()
        except Exception as error:  # noqa: BLE001 - any is one too many
            raised.append(f"{name}: {type(error).__name__} {str(error)[:80]}")
    assert raised == []


@pytest.mark.parametrize("value", [None, 5, "some words", Wordless()])
def test_what_names_no_documents_is_an_empty_scope(store: GraphStore, value: Any) -> None:
    filled = Filled(store).grow(1)
    status = filled.graph.search("refund", document_keys=value).status
    assert status == ("ok" if value is None else "empty_scope")
    assert filled.graph.search_evidence("refund", scope={filled.policy, "a\0b"}).status == "ok"
