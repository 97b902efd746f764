"""The reads of ConversationHistory."""

from reaffirm import ids
from reaffirm.decisions.models import TaskLookup
from reaffirm.history import events, listing, log, steps, trails, verifying, views
from reaffirm.history.models import (
    EventKind,
    EventLookup,
    EventPage,
    StepPage,
    StepState,
    StepTrail,
    TaskPage,
    TaskStatus,
)
from reaffirm.history.records import LIMIT, Scope, name_or_none
from reaffirm.history.reports import EventReport


class HistoryReads:
    """Lists and look-ups. None raises for what it is asked."""

    _scope: Scope

    def list_events(
        self,
        task_name: str,
        *,
        after_seq: int = 0,
        limit: int = LIMIT,
        before_seq: int | None = None,
        newest_first: bool = False,
        kind: EventKind | str | None = None,
        name: str | None = None,
        author: str | None = None,
        text: str | None = None,
        cited: bool = False,
    ) -> EventPage:
        """A page of events: upwards after ``after_seq``, or newest first below ``before_seq``.

        Without a filter a page is the next ``limit`` numbers; with one, what matches among the next 1,000 numbers, at
        most ``limit``. Deleted events and a filter leave a page shorter: go on until ``next_after_seq``, or
        ``next_before_seq``, is None. ``total`` is the last number given out, whatever the filter.

        Args:
            before_seq: Only numbers below it, newest first; with ``after_seq`` also down to there.
            newest_first: From the end of the log, where ``before_seq`` is not given.
            kind, name, author: Exactly these.
            text: Plain words, in any case; each must occur in the name or the stored payload. The first 200 characters
                count. Redacted events hold no words.
            cited: Only events that a current support of a decision of the project names, whatever became of the
                decision.
        """
        checked = name_or_none(task_name)
        task_id = self._scope.task_id(checked) if checked else ""
        return self.list_events_by_id(
            task_id,
            after_seq=after_seq,
            limit=limit,
            before_seq=before_seq,
            newest_first=newest_first,
            kind=kind,
            name=name,
            author=author,
            text=text,
            cited=cited,
        )

    def list_events_by_id(
        self,
        task_id: str,
        *,
        after_seq: int = 0,
        limit: int = LIMIT,
        before_seq: int | None = None,
        newest_first: bool = False,
        kind: EventKind | str | None = None,
        name: str | None = None,
        author: str | None = None,
        text: str | None = None,
        cited: bool = False,
    ) -> EventPage:
        """The same, by the id of the task."""
        if not ids.is_uuid(task_id):
            return EventPage(found=False)
        page = log.LogPage(after_seq, before_seq, newest_first, limit)
        return log.list_events(self._scope, task_id, page, log.EventFilter(kind, name, author, text, cited))

    def verify_events(self, task_name: str) -> EventReport:
        """Whether the log of a task is whole: numbers, ids and digests.

        Reads the whole log, 200 events a statement: 100,000 events take 500. Events appended meanwhile are left out.
        """
        name = name_or_none(task_name)
        return self.verify_events_by_id(self._scope.task_id(name)) if name else EventReport(found=False)

    def verify_events_by_id(self, task_id: str) -> EventReport:
        """The same, by the id of the task."""
        return verifying.verify(self._scope, task_id) if ids.is_uuid(task_id) else EventReport(found=False)

    def fetch_event(self, task_name: str, seq: int) -> EventLookup:
        """One event by its number."""
        name = name_or_none(task_name)
        return events.fetch(self._scope, self._scope.task_id(name), seq) if name else EventLookup(found=False)

    def list_steps(
        self, task_name: str, state: StepState | str | None = None, *, after_name: str | None = None, limit: int = LIMIT
    ) -> StepPage:
        """A page of steps by name, each with the validity of its result now; ``state`` leaves those of one state."""
        name = name_or_none(task_name)
        if name is None:
            return StepPage(found=False)
        return steps.list_steps(self._scope, self._scope.task_id(name), state, after_name, limit)

    def step_trail(self, task_name: str, name: str) -> StepTrail:
        """A step and its last ten writes through this library, each with who, when and what it was from then on.

        agentic-graphrag keeps no history of a step and leaves ours alone: where it wrote the step last,
        ``other_writer`` is true.
        """
        checked, step = name_or_none(task_name), name_or_none(name)
        if checked is None or step is None:
            return StepTrail(found=False)
        return trails.trail_of(self._scope, self._scope.task_id(checked), step)

    def get_task(self, task_name: str) -> TaskLookup:
        """The task and a bounded view of it: steps by state, active decisions, flags, conflicts; never event bodies.

        At most 50 steps (work that is left first), 20 decisions, 20 flagged ones, 10 conflicts of 10 sides; the view
        says where there are more.
        """
        name = name_or_none(task_name)
        return self.get_task_by_id(self._scope.task_id(name)) if name else TaskLookup(found=False)

    def get_task_by_id(self, task_id: str) -> TaskLookup:
        """The same, by the id of the task."""
        return views.get_task(self._scope, task_id) if ids.is_uuid(task_id) else TaskLookup(found=False)

    def list_tasks(
        self,
        *,
        status: TaskStatus | str | None = None,
        text: str | None = None,
        author: str | None = None,
        limit: int = LIMIT,
        cursor: str | None = None,
    ) -> TaskPage:
        """A page of the project's tasks, newest first. A cursor that is not one of ours means the first page.

        With ``text`` or ``author`` a page looks at 2,000 tasks at most, so it may be short, or empty, before the end:
        go on until ``next_cursor`` is None.

        Args:
            text: Plain words, in any case; each must occur in the name or the goal. The first 200 characters count.
            author: Exactly who created the task.

        ``counts`` and ``count`` are exact. The counts by status are one pass over an index; ``count`` is one of them,
        or for ``text`` and ``author`` a pass over the tasks, and None where the project has more than 10,000.
        """
        return listing.list_tasks(self._scope, status, text, author, limit, cursor)
