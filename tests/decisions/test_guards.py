"""The four writes of decisions: each guard alone keeps a whole statement from writing, and of many threads one wins."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import pytest

from reaffirm.decisions import DecisionTraces
from reaffirm.decisions.models import Decision, DecisionSupportInput, DocumentSupportInput, SupportInput
from reaffirm.history import ConversationHistory
from reaffirm.knowledge import Graph
from reaffirm.store import GraphStore, UniqueViolation
from tests.decisions.factories import World
from tests.decisions.writes import THREADS, Catching, Caught, at_once, caught, changed, dump
from tests.reviews.factories import AGENT, ELSEWHERE, PROJECT, QUOTE

Guard = Callable[["Scene"], Any]


class Scene:
    """A flagged decision that cites a document, an event and a decision; and a task with room for another."""

    def __init__(self, store: GraphStore) -> None:
        self.store = store
        self.world = World(store)
        self.event = self.world.event("Reported on day 12.")
        self.parent = self.world.decision(events=[self.event], choice="parent")
        self.world.document()
        self.flagged: Decision = self.world.decision(
            [("refund-policy", QUOTE)], events=[self.event], parents=[self.parent]
        )
        self.world.change("refund-policy", ELSEWHERE)
        self.task = self.flagged.task_id
        supports = {support.kind: support for support in self.flagged.supports}
        self.document_id = supports["document"].document_node_id or ""
        self.event_id = supports["event"].event_id or ""
        self.support_id = supports["event"].id

    def write_of(self, verb: str) -> Caught:
        """The statement of a verb, caught before it reaches the store."""
        traces = DecisionTraces(Catching(self.store), project_id=PROJECT, agent_id=AGENT)
        graph = Graph(self.store)
        cited = graph.cite("refund-policy", QUOTE)
        fetched = graph.fetch([cited])
        supports: list[SupportInput] = [
            DocumentSupportInput(evidence_id=cited),
            self.event,
            DecisionSupportInput(decision_id=self.parent.id),
        ]
        seen = self.world.seen(self.flagged.id)
        calls: dict[str, Callable[[], object]] = {
            "record": lambda: traces.record_decision(
                "refund-LM-20931", "another", "Yes.", "Why.", supports=supports, fetched_evidence=fetched
            ),
            "supersede": lambda: traces.supersede_decision(
                self.flagged.id, "No.", "Why.", explanation="New.", supports=supports, fetched_evidence=fetched
            ),
            "reject": lambda: traces.reject_decision(self.flagged.id, "Wrong.", expected=seen),
            "reaffirm": lambda: traces.reaffirm_decision(
                self.flagged.id, [DocumentSupportInput(evidence_id=cited)], fetched_evidence=fetched
            ),
        }
        return caught(calls[verb])


def node(which: str, **values: Any) -> Guard:
    """A node of the scene that is no longer as it was read."""
    return lambda scene: changed(scene.store, getattr(scene, which), **values)


def gone(which: str) -> Guard:
    return lambda scene: changed(scene.store, getattr(scene, which), id="00000000-0000-0000-0000-000000000000")


def parent(**values: Any) -> Guard:
    return lambda scene: changed(scene.store, scene.parent.id, **values)


def itself(**values: Any) -> Guard:
    return lambda scene: changed(scene.store, scene.flagged.id, **values)


def parameter(**values: Any) -> Guard:
    """The same world, and a statement that was made for another one."""

    @contextmanager
    def other(scene: Scene) -> Iterator[dict[str, Any]]:
        yield values

    return other


@contextmanager
def claimed(scene: Scene) -> Iterator[dict[str, Any]]:
    """The request id was used meanwhile."""
    found = scene.store.read("MATCH (q:Request) RETURN q.id AS id LIMIT 1")
    yield {"request_node_id": found[0]["id"]}


def later_revision(scene: Scene) -> Any:
    """Another decision is the newest of the choice now."""
    return changed(scene.store, scene.parent.id, choice_key="refund-window", revision=2)


DOCUMENT: dict[str, Guard] = {
    "document has a new version": node("document_id", activation_seq=99),
    "document has another text": node("document_id", current_content_hash="0" * 64),
    "document was removed": node("document_id", current_content_hash=None),
    "document is gone": gone("document_id"),
}
PARENT: dict[str, Guard] = {
    "parent was rejected": parent(status="rejected"),
    "parent was superseded": parent(status="superseded"),
    "parent was flagged": parent(review_state="needs_review"),
    "parent is gone": parent(id="00000000-0000-0000-0000-000000000000"),
}
EVENT: dict[str, Guard] = {
    "event was redacted": node("event_id", redacted_at="2026-11-30T10:00:00+00:00"),
    "event is gone": gone("event_id"),
    "event was replaced": node("event_id", payload_sha256="0" * 64),
}
TARGET: dict[str, Guard] = {
    "decision was rejected": itself(status="rejected"),
    "decision was superseded": itself(status="superseded"),
    "decision was cleared": itself(review_state="clear"),
    "a support was replaced": node("support_id", current=False),
    "a support was added": lambda scene: changed(scene.store, scene.support_id, id="another"),
}
REQUEST: dict[str, Guard] = {"request id was used": claimed}
PROJECT_GONE: dict[str, Guard] = {"project is gone": parameter(project="another")}
DELETING: dict[str, Guard] = {"task is being deleted": node("task", deletion_id="x")}

GUARDS: dict[str, dict[str, Guard]] = {
    "record": {
        **DOCUMENT, **PARENT, **EVENT, **REQUEST, **PROJECT_GONE, **DELETING,
        "task is gone": gone("task"),
        "choice was decided": parameter(choice_key="refund-window"),
        "a revision was rejected meanwhile": parameter(revisions=1),
    },
    "supersede": {
        **DOCUMENT, **PARENT, **EVENT, **REQUEST, **PROJECT_GONE, **TARGET, **DELETING,
        "newer revision": later_revision,
    },
    "reject": {**TARGET, **REQUEST, **PROJECT_GONE, **DELETING, "parent is gone": PARENT["parent is gone"]},
    "reaffirm": {
        **DOCUMENT, **PARENT, **EVENT, **REQUEST, **TARGET, **DELETING,
        "the log is shorter": parameter(base=99),
        "the log is far longer": parameter(base=-99),
    },
}  # fmt: skip


@pytest.mark.parametrize("verb", GUARDS)
def test_each_guard_alone_keeps_a_write_from_writing_anything(store: GraphStore, verb: str) -> None:
    scene = Scene(store)
    write = scene.write_of(verb)
    start = dump(store)
    for name, guard in GUARDS[verb].items():
        with guard(scene) as other:
            before = dump(store)
            rows = store.write(write.query, **{**write.params, **(other or {})})
            assert rows == [], f"{verb} wrote although {name}"
            assert dump(store) == before, name
    assert dump(store) == start
    with nullcontext():
        assert len(store.write(write.query, **write.params)) == 1
    after = dump(store)
    assert after != start
    try:
        again = store.write(write.query, **write.params)
    except UniqueViolation:
        again = []
    assert again == [] and dump(store) == after


@pytest.mark.parametrize("verb", GUARDS)
def test_of_16_threads_with_one_statement_one_writes(store: GraphStore, verb: str) -> None:
    scene = Scene(store)
    write = scene.write_of(verb)

    def run(number: int) -> int:
        claim = {**write.params["claim"], "id": f"claim-{number}", "request_id": f"claim-{number}"}
        params = {**write.params, "claim": claim, "request_node_id": f"claim-{number}"}
        try:
            return len(store.write(write.query, **params))
        except UniqueViolation:
            return 0

    won = at_once([lambda number=number: run(number) for number in range(THREADS)])  # type: ignore[misc]
    assert sum(won) == 1
    assert store.read("MATCH (q:Request) WHERE q.id STARTS WITH 'claim-' RETURN count(q) AS n") == [{"n": 1}]


def test_of_16_verdicts_at_once_one_stands_and_the_log_has_no_gap(store: GraphStore) -> None:
    """Each kind of verdict against each other, through the library."""
    scene = Scene(store)
    task = scene.flagged.task_name
    events = ConversationHistory(store, project_id=PROJECT, agent_id="a")
    for _ in range(3):
        case = scene.world.traces.review_case(scene.flagged.id)
        assert case
        seen = scene.world.seen(scene.flagged.id)
        decision_id = scene.flagged.id

        def verdict(number: int, decision_id: str = decision_id, seen: Any = seen) -> Any:
            traces = DecisionTraces(store, project_id=PROJECT, agent_id=f"user:{number}")
            if number % 3 == 0:
                return traces.reaffirm_where_it_stands(decision_id, expected=seen)
            if number % 3 == 1:
                return traces.supersede_where_it_stands(decision_id, explanation="New.", expected=seen)
            return traces.reject_decision(decision_id, "Wrong.", expected=seen)

        results = at_once([lambda number=number: verdict(number) for number in range(THREADS)])  # type: ignore[misc]
        winners = [(number, result) for number, result in enumerate(results) if result.recorded]
        assert len(winners) == 1
        losers = [result for result in results if not result.recorded]
        assert {result.error for result in losers} == {"decision_changed"}
        assert {result.standing.by for result in losers} == {f"user:{winners[0][0]}"}
        scene.world.change("refund-policy", ELSEWHERE + f"\n\nOne more notice. {len(winners)}{decision_id}")
        standing = scene.world.traces.list_decisions(task, include_history=False).decisions
        current = [each for each in standing if each.choice_key == "refund-window"]
        assert len(current) <= 1
        if not current or not scene.world.is_flagged(current[0].id):
            break
        scene.flagged = current[0]
    page = events.list_events(task, limit=200)
    assert [event.seq for event in page.events] == list(range(1, len(page.events) + 1))
