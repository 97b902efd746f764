"""Real records in a real store, written through the library as an agent would."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from reaffirm.decisions import DecisionTraces
from reaffirm.decisions.models import (
    Decision,
    DecisionSupportInput,
    DocumentSupportInput,
    EventSupportInput,
    ReviewState,
    SupportInput,
)
from reaffirm.history import ConversationHistory
from reaffirm.knowledge import Graph
from reaffirm.store import GraphStore

PROJECT = "claims-in-graph"
AGENT = "refund-agent@larkfield.example"

BEFORE = "\n\n".join(
    [
        "Scope. This section covers goods bought by consumers.",
        "Business purchases are excluded from it.",
        "A customer who reports damage within 14 days of delivery receives a refund in full.",
        "Perishable goods are not taken back, whatever their state.",
        "Every notice is sent by post.",
    ]
)
QUOTE = "A customer who reports damage within 14 days of delivery receives a refund in full."
EDITED = BEFORE.replace(
    "within 14 days of delivery receives a refund in full", "within 10 days of delivery receives a refund"
)
GONE = BEFORE.replace(QUOTE + "\n\n", "")
ELSEWHERE = BEFORE.replace("Every notice is sent by post.", "Every notice is sent by electronic mail to the customer.")
MOVED = "\n\n".join([GONE, QUOTE])


@dataclass
class World:
    """One project's graph, as its agents fill it."""

    store: GraphStore
    project_id: str = PROJECT
    agent: str = AGENT
    tasks: set[str] = field(default_factory=set)

    @property
    def graph(self) -> Graph:
        return Graph(self.store)

    @property
    def history(self) -> ConversationHistory:
        return ConversationHistory(self.store, project_id=self.project_id, agent_id=self.agent)

    @property
    def traces(self) -> DecisionTraces:
        return DecisionTraces(self.store, project_id=self.project_id, agent_id=self.agent)

    def task(self, name: str = "refund-LM-20931") -> str:
        if name not in self.tasks:
            assert self.history.create_task(name, "Settle the claim.").recorded
            self.tasks.add(name)
        return name

    def document(self, key: str = "refund-policy", text: str = BEFORE, title: str = "Refund Policy") -> str:
        assert self.graph.add(text, document_key=key, title=title).recorded
        return key

    def change(self, key: str, text: str) -> None:
        result = self.graph.update(key, text)
        assert result.recorded, result

    def event(self, payload: str, task: str = "refund-LM-20931") -> EventSupportInput:
        result = self.history.record_event(self.task(task), "message", payload=payload, role="user")
        assert result.event, result
        return EventSupportInput(task_name=task, seq=result.event.seq)

    def decision(
        self,
        quotes: Iterable[tuple[str, str]] = (),
        *,
        task: str = "refund-LM-20931",
        choice: str = "refund-window",
        conclusion: str = "Refund the order in full.",
        rationale: str = "The report came on day 12.",
        parents: Iterable[Decision] = (),
        events: Iterable[EventSupportInput] = (),
        **more: Any,
    ) -> Decision:
        ids = [self.graph.cite(key, quote) for key, quote in quotes]
        supports: list[SupportInput] = [DocumentSupportInput(evidence_id=each) for each in ids]
        supports += [DecisionSupportInput(decision_id=parent.id) for parent in parents]
        supports += list(events)
        result = self.traces.record_decision(
            self.task(task),
            choice,
            conclusion,
            rationale,
            supports=supports,
            fetched_evidence=self.graph.fetch(ids) if ids else (),
            **more,
        )
        assert result.decision, result
        return result.decision

    def flagged(self, text: str = EDITED, *, key: str = "refund-policy", quote: str = QUOTE, **more: Any) -> Decision:
        """A decision whose one source then became ``text``."""
        self.document(key)
        decision = self.decision([(key, quote)], **more)
        self.change(key, text)
        return self.again(decision)

    def many_flagged(self, count: int, *, key: str = "refund-policy") -> list[str]:
        """``count`` flags by one change, a task for each ten, in the queue's order."""
        self.document(key)
        for number in range(count):
            self.decision([(key, QUOTE)], task=f"task-{number // 10}", choice=f"choice-{number:03d}")
        self.change(key, ELSEWHERE)
        return [decision.id for decision in self.traces.list_decisions_for_review(limit=count).decisions]

    def again(self, decision: Decision) -> Decision:
        return self.by_id(decision.id)

    def by_id(self, decision_id: str) -> Decision:
        found = self.traces.get_decision(decision_id).decision
        assert found
        return found

    def is_flagged(self, decision_id: str) -> bool:
        found = self.traces.get_decision(decision_id).decision
        return bool(found and found.review_state is ReviewState.NEEDS_REVIEW)
