"""Two projects of equal names in one graph: no read of one tells anything of the other, whatever it is asked."""

import copy
import inspect
from typing import Any
from uuid import uuid4

import pytest

from reaffirm import ids
from reaffirm.models import Model
from reaffirm.store import GraphStore
from tests.reads import FACADES, READS, TASK, WRITES, Filled, public
from tests.reviews.factories import QUOTE

# A document belongs to no project: of the graph's reads, these two can be asked about one project.
OF_A_PROJECT = [name for name in READS if not name.startswith("Graph.")] + [
    "Graph.source_changes",
    "Graph.source_change",
]
COUNT = "MATCH (n) OPTIONAL MATCH (n)-[r]->(m) RETURN count(DISTINCT n) AS nodes, count(r) AS relationships"
HOSTILE = (
    "x`}) DETACH DELETE n //", "a) OR true OR (n.b", "a`\nkey", "created_at DESC}", "-> //", "' OR 1=1 //",
    "$id OR true", '"}) MATCH (n) RETURN n //', "other\\", "x\u0000other", "**", "@project_id:(borealis)",
)  # fmt: skip


def told(answer: Any) -> str:
    """All that an answer holds, as text."""
    if isinstance(answer, list | tuple):
        return "\n".join(told(each) for each in answer)
    return answer.model_dump_json() if isinstance(answer, Model) else repr(answer)


def test_no_read_tells_of_another_project(store: GraphStore) -> None:
    """Case 67: equal task names, choice keys, words, request ids and keys of documents within a project."""
    ours = Filled(store, "atlas", "ours").grow(2)
    alone = {name: told(READS[name].call(ours)) for name in OF_A_PROJECT}
    theirs = Filled(store, "borealis", "theirs").grow(3)
    for name in OF_A_PROJECT:
        assert told(READS[name].call(ours)) == alone[name], name
        assert "theirs" not in alone[name] and theirs.world.project_id not in alone[name], name
        # What is written can be read by whom it belongs to.
        assert len(READS[name].rows(READS[name].call(theirs))) > 0, name


def test_an_id_of_another_project_answers_like_one_that_does_not_exist(store: GraphStore) -> None:
    """Case 67."""
    ours, theirs = Filled(store, "atlas", "ours").grow(1), Filled(store, "borealis", "theirs").grow(2)
    foreign, missing = copy.copy(ours), copy.copy(ours)
    unknown = str(uuid4())
    foreign.root, foreign.revised = theirs.root, theirs.revised
    missing.root = missing.revised = theirs.root.model_copy(update={"id": unknown})
    foreign.task_id, foreign.event_id, foreign.change = theirs.task_id, theirs.event_id, theirs.change
    missing.task_id = missing.event_id = missing.change = unknown
    for name in OF_A_PROJECT:
        answers = [told(READS[name].call(asked)) for asked in (foreign, missing)]
        assert "theirs" not in answers[0], name
        for each in (theirs.root.id, theirs.revised.id, theirs.task_id, theirs.event_id, theirs.change):
            answers[0] = answers[0].replace(each, unknown)
        assert answers[0] == answers[1], name
    assert ours.traces.cites_document(ids.document_id(theirs.policy)) is False


def asked_of(filled: Filled, method: Any) -> dict[str, Any]:
    """Arguments with which a read finds something."""
    every: dict[str, Any] = {
        "task_name": TASK, "name": TASK, "seq": 1, "task_id": filled.task_id, "event_id": filled.event_id,
        "decision_id": filled.root.id, "cause": filled.root.id, "choice_key": "shared", "query": "keep refund",
        "words": "refund", "verdict": "reject", "ids": [filled.root.id], "request_id": "root",
        "document_key": filled.policy, "document_id": ids.document_id(filled.policy), "quote": QUOTE,
        "activation_id": filled.change, "evidence_ids": [filled.graph.cite(filled.policy, QUOTE)],
    }  # fmt: skip
    wanted = inspect.signature(method).parameters
    return {name: every[name] for name, each in wanted.items() if each.default is inspect.Parameter.empty}


@pytest.mark.parametrize("kind", FACADES, ids=lambda kind: kind.__name__)
def test_no_argument_of_a_read_gets_into_a_statement(store: GraphStore, kind: type) -> None:
    """Case 34: filters, sorts, cursors, names and ids are parameters, or not sent at all."""
    ours = Filled(store, "atlas", "ours").grow(1)
    Filled(store, "borealis", "theirs").grow(1)
    before = store.read(COUNT)
    facade = next(each for each in (ours.history, ours.traces, ours.retention, ours.graph) if isinstance(each, kind))
    for name in sorted(public(kind) - WRITES[kind.__name__]):
        method = getattr(facade, name)
        usual = asked_of(ours, method)
        assert method(**usual), name
        for argument, parameter in inspect.signature(method).parameters.items():
            for value in HOSTILE:
                given: Any = [value] if "Sequence" in str(parameter.annotation) else value
                ours.listening.texts.clear()
                try:
                    answer = told(method(**{**usual, argument: given}))
                except ValueError:  # of the graph's reads, which say that they raise it
                    assert kind.__name__ == "Graph", (name, argument, value)
                    continue
                assert not [text for text in ours.listening.texts if value in text], (name, argument, value)
                assert kind.__name__ == "Graph" or "theirs" not in answer, (name, argument, value)
    assert ours.listening.writes == 0
    assert store.read(COUNT) == before
