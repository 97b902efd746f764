"""Every public read of the library, called on a project that holds something of everything and can grow."""

import inspect
from collections.abc import Callable, Sized
from dataclasses import dataclass
from typing import Any

from reaffirm import ids
from reaffirm.decisions import DecisionTraces
from reaffirm.history import ConversationHistory
from reaffirm.knowledge import Graph, RuleExtractor
from reaffirm.retention import HistoryRetention
from reaffirm.store import GraphStore
from tests.reviews.factories import AGENT, BEFORE, PROJECT, QUOTE, World

TASK = "refund-LM-20931"
POLICY, LONG = "refund-policy", "handbook"
FACADES: tuple[type, ...] = (ConversationHistory, DecisionTraces, HistoryRetention, Graph)
WRITES = {
    "ConversationHistory": {
        "create_task", "close_task", "reopen_task", "resume_task", "record_event", "record_events", "repair_events",
        "set_step",
    },
    "DecisionTraces": {
        "record_decision", "supersede_decision", "supersede_where_it_stands", "reject_decision", "reaffirm_decision",
        "reaffirm_where_it_stands", "reaffirm_group", "reopen_decision", "continue_decision_review",
        "continue_review_propagation", "sweep_lost_flags",
    },
    "HistoryRetention": {
        "redact_event", "delete_task", "continue_deletion", "place_hold", "release_hold", "prune_requests",
    },
    "Graph": {"add", "update", "remove", "purge", "continue_flagging"},
}  # fmt: skip


class Listening:
    """A real store that keeps the texts of the statements which pass through it."""

    def __init__(self, store: GraphStore) -> None:
        self.store = store
        self.texts: list[str] = []
        self.writes = 0

    def read(self, query: str, **params: object) -> Any:
        self.texts.append(query)
        return self.store.read(query, **params)

    def write(self, query: str, **params: object) -> Any:
        self.texts.append(query)
        self.writes += 1
        return self.store.write(query, **params)

    def search(self, index: Any, words: list[str], *, tail: str, **more: Any) -> Any:
        self.texts.append(tail)
        return self.store.search(index, words, tail=tail, **more)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)


class Filled:
    """A project with ``size`` of everything: tasks, events, steps, flags, conflicts, versions, holds, erasures.

    Two of them in one store have equal names; ``word`` stands in every text of one of them.
    """

    def __init__(self, store: GraphStore, project: str = PROJECT, word: str = "ours") -> None:
        self.world = World(store, project_id=project)
        self.word, self.size = word, 0
        self.listening = Listening(store)
        told: dict[str, Any] = {"project_id": project, "agent_id": AGENT}
        self.history = ConversationHistory(self.listening, **told)
        self.traces = DecisionTraces(self.listening, **told)
        self.retention = HistoryRetention(self.listening, **told)
        self.graph = Graph(self.listening)
        self.policy, self.handbook = (f"{project}/{key}" for key in (POLICY, LONG))
        self.world.document(self.policy)
        self.event = self.world.event("It says so.")
        self.root = self.world.decision([(self.policy, QUOTE)], choice="root", request_id="root")
        self.revised = self.world.decision(events=[self.event], choice="revised")
        self.task_id = ids.task_id(project, TASK)
        self.event_id = ids.event_id(self.task_id, 1)
        self.change = ""  # the newest one of the policy

    def grow(self, size: int) -> "Filled":
        world = self.world
        for number in range(self.size, size):
            self._one_more(number)
        handbook = "\n\n".join(f"{self.word} {number}, § {number + 1}. {QUOTE * 5}" for number in range(size))
        assert Graph(world.store, extractor=RuleExtractor()).add(handbook, document_key=self.handbook).recorded
        while world.traces.continue_decision_review():
            pass
        self.change = world.graph.versions(self.policy)[-1].activation_id
        self.size = size
        return self

    def _one_more(self, number: int) -> None:
        world, name = self.world, f"task-{number:03d}"
        world.event(f"It says {self.word}.")
        world.document(f"{world.project_id}/document-{number:03d}", f"{BEFORE} {self.word}")
        told = world.event(f"Told {self.word} {number}.", name)
        world.event("A name.", name)
        assert world.history.set_step(
            TASK, f"step-{number:03d}", "completed", result_event_seq=1, result_basis="supported", supports=[self.event]
        ).recorded
        assert world.history.set_step(TASK, "trail", "in_progress" if number % 2 else "failed").recorded
        conclusion = f"Refund {self.word}."
        world.decision(
            [(self.policy, QUOTE)], choice=f"choice-{number:03d}", events=[self.event], conclusion=conclusion
        )
        world.decision(choice=f"choice-{number:03d}", task=name, events=[told], conclusion=f"Keep {self.word}.")
        world.decision(choice=f"child-{number:03d}", parents=[self.root], conclusion=conclusion)
        world.decision(choice="shared", task=name, events=[told], conclusion=f"Number {number}.")
        self._verdicts(number)
        held = HistoryRetention(world.store, project_id=world.project_id, agent_id=AGENT)
        assert held.place_hold(f"Case {self.word}.", task_name=name, request_id=f"hold-{number}").recorded
        assert held.release_hold(held.list_holds().holds[0].id, "Over.").recorded or number
        assert held.place_hold(f"Case {self.word} {number}.", task_name=TASK).recorded
        erased = ids.event_id(ids.task_id(world.project_id, name), 2)
        assert held.redact_event(erased, f"Asked for, {self.word}.").recorded

    def _verdicts(self, number: int) -> None:
        """The newest revision is replaced; the root is flagged by a new version, and reaffirmed before it."""
        world = self.world
        head = world.traces.decision_history(self.revised.id).active_id
        assert head
        assert world.traces.supersede_decision(
            head, f"Answer {number} {self.word}.", "Why.", explanation=f"Because {self.word}.", supports=[self.event]
        ).recorded
        if number:
            seen = world.traces.review_case(self.root.id)
            assert seen
            kept = world.traces.reaffirm_where_it_stands(self.root.id, expected=seen.seen)
            assert kept.recorded, kept
        world.change(self.policy, f"{BEFORE}\n\nNote {number}.")


@dataclass(frozen=True)
class Read:
    """How a read is called, what of its answer grows with the project, and how many statements it takes.

    Attributes:
        grows: False where the answer is about one record.
        large: The statements on the larger project, where they are not those on the smaller one.
    """

    call: Callable[[Filled], Any]
    statements: int
    rows: Callable[[Any], Sized] = lambda answer: answer
    grows: bool = True
    large: int | None = None


def _one(call: Callable[[Filled], Any], statements: int) -> Read:
    return Read(call, statements, lambda answer: [answer] if answer and getattr(answer, "found", True) else [], False)


def _page(call: Callable[[Filled], Any], statements: int, name: str) -> Read:
    return Read(call, statements, lambda answer: getattr(answer, name))


def _view(answer: Any) -> list[Any]:
    assert answer.view.steps_truncated is False
    return [step for steps in answer.view.steps.values() for step in steps]


def _every_id(filled: Filled) -> list[str]:
    keys = [f"{filled.world.project_id}/document-{number:03d}" for number in range(filled.size)]
    return [Graph(filled.world.store).cite(key, QUOTE) for key in keys]


READS: dict[str, Read] = {
    "ConversationHistory.get_task": Read(lambda f: f.history.get_task(TASK), 3, _view),
    "ConversationHistory.get_task_by_id": Read(lambda f: f.history.get_task_by_id(f.task_id), 3, _view),
    "ConversationHistory.list_tasks": _page(lambda f: f.history.list_tasks(limit=200), 2, "tasks"),
    "ConversationHistory.list_events": _page(lambda f: f.history.list_events(TASK, limit=200), 1, "events"),
    "ConversationHistory.list_events_by_id": _page(
        lambda f: f.history.list_events_by_id(f.task_id, text="says", limit=200), 1, "events"
    ),
    "ConversationHistory.verify_events": _one(lambda f: f.history.verify_events(TASK), 3),
    "ConversationHistory.verify_events_by_id": _one(lambda f: f.history.verify_events_by_id(f.task_id), 3),
    "ConversationHistory.fetch_event": _one(lambda f: f.history.fetch_event(TASK, 1), 1),
    "ConversationHistory.list_steps": _page(lambda f: f.history.list_steps(TASK, limit=200), 2, "steps"),
    "ConversationHistory.step_trail": _page(lambda f: f.history.step_trail(TASK, "trail"), 1, "changes"),
    "DecisionTraces.get_decision": _one(lambda f: f.traces.get_decision(f.root.id), 1),
    "DecisionTraces.list_decisions": _page(lambda f: f.traces.list_decisions(TASK, limit=100), 1, "decisions"),
    "DecisionTraces.task_decisions": Read(lambda f: f.traces.task_decisions(f.task_id, limit=100), 1),
    "DecisionTraces.list_support_history": _page(
        lambda f: f.traces.list_support_history(f.root.id, limit=100), 1, "supports"
    ),
    "DecisionTraces.search_decisions": Read(lambda f: f.traces.search_decisions("refund", limit=100), 2),
    "DecisionTraces.search_precedents": Read(lambda f: f.traces.search_precedents("keep", limit=100), 2),
    "DecisionTraces.precedents": _page(lambda f: f.traces.precedents("shared", limit=100), 2, "precedents"),
    "DecisionTraces.decision_history": _page(lambda f: f.traces.decision_history(f.revised.id), 1, "revisions"),
    "DecisionTraces.dependents": _page(lambda f: f.traces.dependents(f.root.id, limit=100), 2, "dependents"),
    "DecisionTraces.preview": _page(lambda f: f.traces.preview(f.root.id, "reject", limit=100), 2, "affected"),
    "DecisionTraces.citable": _page(lambda f: f.traces.citable(_every_id(f)), 1, "answers"),
    "DecisionTraces.list_conflicts": _page(lambda f: f.traces.list_conflicts(), 1, "groups"),
    "DecisionTraces.find_request": _one(lambda f: f.traces.find_request("root"), 1),
    "DecisionTraces.cites_document": _one(
        lambda f: f.traces.cites_document(ids.document_id(f.policy)), 1
    ),
    "DecisionTraces.list_decisions_for_review": _page(
        lambda f: f.traces.list_decisions_for_review(limit=200), 2, "rows"
    ),
    "DecisionTraces.list_review": _page(
        lambda f: f.traces.list_review(document_key=f.policy, text="refund", limit=200), 2, "rows"
    ),
    "DecisionTraces.review_facets": Read(
        lambda f: f.traces.review_facets(), 2, lambda answer: answer.choice_keys.values
    ),
    "DecisionTraces.review_counts": Read(
        lambda f: f.traces.review_counts(), 1, lambda answer: range(answer.flagged + answer.conflicts)
    ),
    "DecisionTraces.review_case": _page(lambda f: f.traces.review_case(f.root.id), 1, "dependents"),
    "DecisionTraces.group_of": _page(lambda f: f.traces.group_of(f.root.id, limit=200), 1, "members"),
    # It looks for quotes in every text of the project, up to a bound: a statement for each 200 events of each task.
    "HistoryRetention.preview_redaction": Read(
        lambda f: f.retention.preview_redaction(f.event_id), 10, lambda answer: answer.losses, large=50
    ),
    "HistoryRetention.preview_deletion": Read(
        lambda f: f.retention.preview_deletion(TASK), 3, lambda answer: range(answer.decisions)
    ),
    "HistoryRetention.list_holds": _page(lambda f: f.retention.list_holds(limit=200, released=True), 1, "holds"),
    "HistoryRetention.list_erasures": _page(lambda f: f.retention.list_erasures(limit=200), 1, "erasures"),
    "Graph.versions": Read(lambda f: f.graph.versions(f.policy), 1),
    "Graph.source_status": _one(lambda f: f.graph.source_status(f.policy), 1),
    "Graph.source_changes": _page(
        lambda f: f.graph.source_changes(project_id=f.world.project_id, limit=200), 2, "changes"
    ),
    "Graph.source_change": Read(
        lambda f: f.graph.source_change(f.change, project_id=f.world.project_id, limit=100), 4,
        lambda answer: [*answer.touched, *answer.untouched],
    ),
    "Graph.entities": _page(lambda f: f.graph.entities(f.handbook, limit=500), 1, "entities"),
    "Graph.fetch": Read(lambda f: f.graph.fetch(_every_id(f)), 1),
    "Graph.search": _page(lambda f: f.graph.search("refund damage", limit=100), 1, "hits"),
    "Graph.search_evidence": _page(lambda f: f.graph.search_evidence("refund damage", limit=100), 1, "hits"),
    "Graph.text": Read(lambda f: f.graph.text(f.handbook), 1),
    "Graph.passages": Read(lambda f: f.graph.passages(f.handbook), 1),
    "Graph.cite": _one(lambda f: f.graph.cite(f.handbook, QUOTE), 1),
}  # fmt: skip


def public(kind: type) -> set[str]:
    return {name for name, _ in inspect.getmembers(kind, callable) if not name.startswith("_")}
