"""ConversationHistory: the tasks of one project, their events and their steps."""

from collections.abc import Sequence

from reaffirm import fields
from reaffirm.decisions.models import SupportInput
from reaffirm.history import closing, events, resuming, steps, tasks, verifying
from reaffirm.history.conversation_read import HistoryReads
from reaffirm.history.models import (
    ClosingResult,
    EventInput,
    EventKind,
    EventResult,
    EventsResult,
    ResultBasis,
    ResumeResult,
    StepKind,
    StepResult,
    StepState,
    TaskResult,
    TaskStatus,
)
from reaffirm.history.records import Scope
from reaffirm.history.reports import RepairResult
from reaffirm.knowledge.models import FetchOutcome
from reaffirm.operation import claim, refusing, settle, sure
from reaffirm.store import GraphStore


class ConversationHistory(HistoryReads):
    """Tasks, events and steps of one project, written by one agent or person.

    A write returns a result with ``recorded`` and ``error`` and never raises for what it is given; a repeated write
    with the same ``request_id`` and arguments returns the first result again. A read never raises for what it is given
    either: under a name that cannot exist nothing is found, a limit is taken as the nearest of 1 to 200.

    Raises:
        StoreUnavailable: The graph is out of reach; nothing was written.
        OutcomeUnknown: The connection broke and the graph stayed out of reach: try again with the same request id.
    """

    def __init__(self, store: GraphStore, *, project_id: str, agent_id: str) -> None:
        """Bind to a project and an author.

        Args:
            agent_id: Author of every write; ``user:<username>`` for a person.

        Raises:
            ValueRefused: One of the two is not a name (1 to 200 characters); here it is a fault of the program.
        """
        self._scope = Scope(store, fields.name("project_id", project_id), fields.name("agent_id", agent_id))

    @refusing(TaskResult)
    def create_task(self, name: str, goal: str, *, request_id: str | None = None) -> TaskResult:
        """Create a task, or return the one of this name where the goal is the same.

        Errors: task_exists (another goal), request_id_reused, invalid_request_id, invalid_value.
        """
        fields.request_id(request_id)
        name = fields.name("name", name)
        goal = fields.text("goal", goal, fields.SHORT_TEXT)
        claimed = claim(self._scope.project_id, request_id, "create_task", {"task_name": name, "goal": goal})
        keep = request_id is not None
        return settle(lambda: tasks.create(self._scope, name, goal, claimed, keep=keep))

    @refusing(ClosingResult)
    def close_task(self, name: str, *, reason: str | None = None, request_id: str | None = None) -> ClosingResult:
        """Set a task's status to ``done``, with who did it, when and why. Closing a closed task changes nothing.

        A closed task refuses nothing: agents that know nothing of closing still append events, write steps and record
        decisions in it, and only ``reopen_task`` opens it. Steps in progress do not hinder it: ``warnings`` holds
        ``steps_in_progress``.

        Args:
            reason: At most 4,000 characters.

        Errors: task_not_found, being_deleted, request_id_reused, invalid_request_id, invalid_value.
        """
        return self._set_status(TaskStatus.DONE, name, reason, request_id)

    @refusing(ClosingResult)
    def reopen_task(self, name: str, *, reason: str | None = None, request_id: str | None = None) -> ClosingResult:
        """Set a task's status to ``open`` again. Who closed it stays readable. Errors as of ``close_task``."""
        return self._set_status(TaskStatus.OPEN, name, reason, request_id)

    def _set_status(self, status: TaskStatus, name: str, reason: str | None, request_id: str | None) -> ClosingResult:
        fields.request_id(request_id)
        name = fields.name("name", name)
        reason = fields.optional_text("reason", reason, fields.SHORT_TEXT)
        operation = "close_task" if status is TaskStatus.DONE else "reopen_task"
        claimed = claim(self._scope.project_id, request_id, operation, {"task_name": name, "reason": reason})
        keep = request_id is not None
        return settle(lambda: closing.set_status(self._scope, name, status, reason, claimed, keep=keep))

    @refusing(ResumeResult)
    def resume_task(self, name: str, *, request_id: str | None = None) -> ResumeResult:
        """Begin to work on a task again: every step in progress becomes ``unknown``, in one statement.

        An earlier run ended before it told their outcome. The result names the steps to run again: each that is not
        completed, and each completed one whose result cannot be used again, with the reason. A repeated request marks
        nothing anew and tells what is left now. The status of the task stays as it is.

        Errors: task_not_found, being_deleted, request_id_reused, invalid_request_id, invalid_value.
        """
        fields.request_id(request_id)
        name = fields.name("name", name)
        claimed = claim(self._scope.project_id, request_id, "resume_task", {"task_name": name})
        keep = request_id is not None
        return settle(lambda: resuming.resume(self._scope, name, claimed, keep=keep))

    @refusing(EventResult)
    def record_event(
        self,
        task_name: str,
        kind: EventKind | str,
        *,
        payload: str,
        role: str | None = None,
        name: str | None = None,
        request_id: str | None = None,
    ) -> EventResult:
        """Append an event; the task numbers its events from 1 without gaps.

        Args:
            payload: At most 1,000,000 characters, may be empty. The first 32,000 are stored; the digest is of all.
            role: For a message, who spoke, at most 100 characters.
            name: The tool's or the note's name, at most 200 characters.

        Errors: task_not_found, being_deleted, erased (this text was redacted in the project, or deleted with a task of
        this name), request_id_reused, invalid_request_id, invalid_value; event_not_found when a repeated request names
        an event that was deleted since.
        """
        fields.request_id(request_id)
        task_name = fields.name("task_name", task_name)
        task_id = self._scope.task_id(task_name)
        properties = events.properties_of(self._scope, task_id, kind, role, name, payload)
        claimed = claim(self._scope.project_id, request_id, "record_event", events.arguments(task_name, properties))
        return settle(lambda: events.record(self._scope, task_id, properties, claimed))

    @refusing(EventsResult)
    def record_events(
        self, task_name: str, batch: Sequence[EventInput], *, request_id: str | None = None
    ) -> EventsResult:
        """Append 1 to 100 events in their order, all or none; their numbers follow one another without a gap.

        Errors: those of ``record_event``. ``field`` names the event, as in ``batch[3].payload``.
        """
        fields.request_id(request_id)
        task_name = fields.name("task_name", task_name)
        task_id = self._scope.task_id(task_name)
        appended = events.batch_of(self._scope, task_id, batch)
        arguments = {"events": [events.arguments(task_name, each) for each in appended]}
        claimed = claim(self._scope.project_id, request_id, "record_events", arguments)
        return settle(lambda: events.record_many(self._scope, task_id, appended, claimed))

    @refusing(RepairResult)
    def repair_events(self, task_name: str, *, request_id: str | None = None) -> RepairResult:
        """Give events without an id the one of their number, and raise a Task.event_seq that is behind the last event.

        A crash of agentic-graphrag on FalkorDB leaves such an event: it is listed, but nothing can cite it. At most 500
        a call; call again while ``ids_left`` is not 0. Ids that are there, and numbers that are doubled, are left.

        Errors: task_not_found, being_deleted, request_id_reused, invalid_request_id, invalid_value.
        """
        fields.request_id(request_id)
        task_name = fields.name("task_name", task_name)
        claimed = claim(self._scope.project_id, request_id, "repair_events", {"task_name": task_name})
        keep = request_id is not None
        return settle(lambda: verifying.repair(self._scope, self._scope.task_id(task_name), claimed, keep=keep))

    @refusing(StepResult)
    def set_step(
        self,
        task_name: str,
        name: str,
        state: StepState | str,
        *,
        kind: StepKind | str = StepKind.OTHER,
        result_event_seq: int | None = None,
        result_basis: ResultBasis | str = ResultBasis.UNKNOWN,
        supports: Sequence[SupportInput] = (),
        fetched_evidence: Sequence[FetchOutcome] = (),
        request_id: str | None = None,
    ) -> StepResult:
        """Write a step: a new one, or the one of this name as it is to be from now on.

        Args:
            result_event_seq: The event of the same task that holds the result.
            supports: What a completed result with the basis ``supported`` rests on, 1 to 20; not kept for any other.
            fetched_evidence: The fetch of each cited passage. It is compared with the graph, and is not part of what a
                repeated request must be equal in.

        Errors, in the order of the checks: invalid_request_id, invalid_value, request_id_reused, task_not_found,
        being_deleted, support_required, support_invalid (a support cannot be used, or its document has changed),
        event_not_found, support_invalid (the event with a completed result was redacted or cut).
        """
        fields.request_id(request_id)
        draft = steps.Draft(
            task_name=fields.name("task_name", task_name),
            name=fields.name("name", name),
            state=fields.choice("state", state, StepState),
            kind=fields.choice("kind", kind, StepKind),
            result_event_seq=None
            if result_event_seq is None
            else fields.whole("result_event_seq", result_event_seq, 1),
            basis=fields.choice("result_basis", result_basis, ResultBasis),
        )
        arguments = steps.arguments(draft, supports)
        draft = steps.with_supports(self._scope.project_id, draft, supports, fetched_evidence)
        claimed = claim(self._scope.project_id, request_id, "set_step", arguments)
        return settle(sure(self._scope.store, lambda: steps.write(self._scope, draft, claimed)))
