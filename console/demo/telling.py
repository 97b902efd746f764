"""Telling the story to a graph, through the library only.

Every write carries a request id of its place in the story: what was interrupted is taken up where it ended.
"""

import hashlib
from collections.abc import Sequence

from console.audit import audit_append
from console.demo.sources import Sources
from console.demo.story import Cited, Decided, Story, Verdict, Work, accept
from console.models import AuditOutcome, Project
from reaffirm.decisions import DecisionTraces, adopt_flags, compare_flags
from reaffirm.decisions.models import (
    DecisionResult,
    DecisionSupportInput,
    DocumentSupportInput,
    EventSupportInput,
    ReviewCase,
    SupportInput,
)
from reaffirm.history import ConversationHistory
from reaffirm.history.models import EventKind, ResultBasis, StepKind, StepState
from reaffirm.knowledge.models import FetchOutcome
from reaffirm.store import GraphStore


class Teller:
    """Tells one story to one project."""

    def __init__(self, store: GraphStore, project: Project, story: Story) -> None:
        self._store, self._project, self._story = store, project, story
        self._works = story.works()
        self._sources = Sources(store, project.graph_id, story)
        self._decisions: dict[str, str] = {}  # task/choice → the id of its newest revision
        self._read: dict[str, list[FetchOutcome]] = {}  # what was read in an earlier chapter, by task/choice

    def told(self) -> bool:
        """Whether the graph holds the story to its end."""
        last = len(self._story.verdicts) - 1
        return self._traces("demo").find_request(_request("verdict", str(last))) is not None

    def tell(self) -> None:
        """Write all of it that is not there yet.

        Raises:
            StoryRefused: The library refused a part, which it names.
        """
        for number in range(1, len(self._story.chapters) + 1):
            self._sources.bring(number)
            for task, work in self._works.items():
                self._act(task, work, number)
            self._read_ahead(number)
        self._spread()
        for number, verdict in enumerate(self._story.verdicts):
            self._judge(number, verdict)
        self._spread()

    # Agents

    def _act(self, task: str, work: Work, chapter: int) -> None:
        if chapter == 1:
            self._begin(task, work)
        for decided in work.decisions:
            self._decide(task, work, decided, chapter)
        history = self._history(work.agent)
        for step in work.steps:
            if step.chapter == chapter:
                done = history.set_step(
                    task,
                    step.name,
                    StepState(step.state),
                    kind=StepKind(step.kind),
                    result_event_seq=step.result,
                    result_basis=ResultBasis(step.basis),
                    supports=self._supports(task, step.supports, chapter),
                    fetched_evidence=self._sources.fetch(step.supports, chapter),
                    request_id=_request("step", task, step.name),
                )
                accept(done, f"{task}: {step.name}")

    def _begin(self, task: str, work: Work) -> None:
        history = self._history(work.agent)
        accept(history.create_task(task, work.goal), task)
        # The log has no holes and no doubles, so what it holds tells how far a broken telling came.
        told = history.list_events(task, limit=1).total
        entries = [(each, n) for each in work.events for n in range(1, each.times + 1)]
        for seq, (event, n) in enumerate(entries[told:], told + 1):
            done = history.record_event(
                task,
                EventKind(event.kind),
                payload=event.payload.replace("{n}", str(n)),
                role=event.role,
                name=event.name,
                request_id=_request("event", task, str(seq)),
            )
            accept(done, f"{task}: event {seq}")

    def _decide(self, task: str, work: Work, decided: Decided, chapter: int) -> None:
        traces, name = self._traces(work.agent), f"{task}/{decided.choice}"
        if decided.chapter == chapter:
            request = _request("decision", name)
            done = traces.find_request(request) or traces.record_decision(
                task,
                decided.choice,
                decided.conclusion,
                decided.rationale.strip(),
                supports=self._supports(task, decided.supports, decided.read_in or chapter),
                fetched_evidence=self._read.get(name)
                or self._sources.fetch(decided.supports, decided.read_in or chapter),
                assumptions=decided.assumptions,
                open_questions=decided.open_questions,
                question=decided.question,
                request_id=request,
            )
            self._remember(name, done)
        for number, revision in enumerate(decided.revisions, 2):
            if revision.chapter != chapter:
                continue
            request = _request("revision", name, str(number))
            done = traces.find_request(request) or traces.supersede_decision(
                self._decisions[name],
                revision.conclusion,
                revision.rationale.strip(),
                explanation=revision.explanation,
                supports=self._supports(task, revision.supports, chapter),
                fetched_evidence=self._sources.fetch(revision.supports, chapter),
                assumptions=revision.assumptions,
                open_questions=revision.open_questions,
                request_id=request,
            )
            self._remember(name, done)

    def _supports(self, task: str, cited: Sequence[Cited], chapter: int) -> list[SupportInput]:
        supports: list[SupportInput] = []
        for each in cited:
            if each.document:
                supports.append(DocumentSupportInput(evidence_id=self._sources.evidence_id(each, chapter)))
            elif each.event:
                supports.append(EventSupportInput(task_name=task, seq=each.event))
            elif each.decision:
                supports.append(DecisionSupportInput(decision_id=self._decisions[each.decision]))
        return supports

    def _read_ahead(self, chapter: int) -> None:
        """Read now what an agent will only use after the sources have changed."""
        for task, work in self._works.items():
            for decided in work.decisions:
                if decided.read_in == chapter:
                    self._read[f"{task}/{decided.choice}"] = self._sources.fetch(decided.supports, chapter)

    def _remember(self, name: str, done: DecisionResult) -> None:
        accept(done, name)
        assert done.decision
        self._decisions[name] = done.decision.id

    # People

    def _judge(self, number: int, verdict: Verdict) -> None:
        actor = f"user:{verdict.by}"
        traces, request = self._traces(actor), _request("verdict", str(number))
        decision = self._decisions[verdict.decision]
        if traces.find_request(request):
            return
        self._audit(verdict, decision, request, AuditOutcome.INTENDED)
        case = traces.review_case(decision)
        assert case
        accept(self._commit(traces, case, verdict, request), verdict.decision)
        self._audit(verdict, decision, request, AuditOutcome.DONE)

    def _commit(self, traces: DecisionTraces, case: ReviewCase, verdict: Verdict, request: str) -> DecisionResult:
        decision, seen = case.decision.id, case.seen
        if verdict.verdict == "reject":
            return traces.reject_decision(decision, verdict.words, request_id=request, expected=seen)
        if verdict.verdict == "reaffirm":
            return traces.reaffirm_where_it_stands(
                decision, expected=seen, explanation=verdict.words, request_id=request
            )
        return traces.supersede_where_it_stands(
            decision, verdict.conclusion, explanation=verdict.words, expected=seen, request_id=request
        )

    def _audit(self, verdict: Verdict, decision: str, request: str, outcome: AuditOutcome) -> None:
        audit_append(
            project=self._project,
            actor=f"user:{verdict.by}",
            verb=f"verdict.{verdict.verdict}",
            target=decision,
            outcome=outcome,
            request_id=request,
        )

    # Reviews

    def _spread(self) -> None:
        """Flag all that rests on what changed, and compare the passages, as the jobs do."""
        while self._traces("job:reviews").continue_decision_review():
            pass
        while adopt_flags(self._store, project_id=self._project.graph_id):
            pass
        while compare_flags(self._store, self._project.graph_id):
            pass

    def _traces(self, agent: str) -> DecisionTraces:
        return DecisionTraces(self._store, project_id=self._project.graph_id, agent_id=agent)

    def _history(self, agent: str) -> ConversationHistory:
        return ConversationHistory(self._store, project_id=self._project.graph_id, agent_id=agent)


def _request(*place: str) -> str:
    return f"demo-{hashlib.sha256('/'.join(place).encode()).hexdigest()[:32]}"
