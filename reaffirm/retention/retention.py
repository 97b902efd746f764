"""HistoryRetention: take recorded history away again, and show before what that means."""

from collections.abc import Callable, Sequence
from datetime import timedelta

from reaffirm import fields, ids
from reaffirm.decisions import cursors
from reaffirm.history.records import LIMIT, Scope, name_or_none
from reaffirm.operation import claim, refusing, settle
from reaffirm.retention import deletion, erasures, holds, previews, redaction, requests
from reaffirm.retention.erased import KeyMissing
from reaffirm.retention.models import (
    DeletionPreview,
    ErasurePage,
    ErasureState,
    HoldPage,
    HoldResult,
    PruneResult,
    RedactionPreview,
    RetentionResult,
)
from reaffirm.store import GraphStore, ValueRefused

NO_END = 1_000_000_000
ALSO = 200  # copies that one call redacts


class HistoryRetention:
    """Redaction and deletion in one project, by one agent or person.

    A write returns a result with ``recorded`` and ``error`` and never raises for what it is given. Each leaves a
    tombstone: who, when, why, which ids and how many, never the text.

    Raises:
        StoreUnavailable: The graph is out of reach; nothing was written.
        OutcomeUnknown: The connection broke and the graph stayed out of reach: try again with the same request id.
    """

    def __init__(self, store: GraphStore, *, project_id: str, agent_id: str) -> None:
        """Bind to a project and to who erases.

        Raises:
            ValueRefused: One of the two is not a name (1 to 200 characters); here it is a fault of the program.
        """
        self._scope = Scope(store, fields.name("project_id", project_id), fields.name("agent_id", agent_id))

    @refusing(RetentionResult)
    def redact_event(
        self, event_id: str, reason: str, *, also: Sequence[str] = (), request_id: str | None = None
    ) -> RetentionResult:
        """Replace an event's body, and every copy of it in request records, by ``[REDACTED]``.

        The event keeps its identity and digest. Active decisions that cite it are flagged with the reason
        ``source_removed``, and those that rest on them are queued. The same text is not recorded again in the project.

        Args:
            reason: Why, at most 4,000 characters. It stays, so it must not repeat the text.
            also: Ids of other events, from a preview's copies, to be redacted for the same reason, at most 200. Each is
                a write of its own; a repeated call goes on with those that are left.

        Errors: event_not_found, on_hold, being_deleted, too_many_citers, erasure_key_missing, request_id_reused,
        invalid_request_id, invalid_value.
        """
        fields.request_id(request_id)
        event_id = _id("event_id", event_id)
        reason = fields.text("reason", reason, fields.SHORT_TEXT)
        others = _ids("also", also)
        arguments: dict[str, object] = {"event_id": event_id, "reason": reason}
        if others:
            arguments["also"] = others
        claimed = claim(self._scope.project_id, request_id, "redact_event", arguments)
        result = _keyed(lambda: settle(lambda: redaction.redact(self._scope, event_id, reason, claimed)))
        if not result.recorded or not others:
            return result
        refused = [
            each
            for each in others
            if not self.redact_event(each, reason, request_id=ids.joined(claimed.request_id, each)).recorded
        ]
        return result.model_copy(update={"refused_copies": tuple(refused)})

    @refusing(RetentionResult)
    def delete_task(
        self,
        name: str,
        include_decisions: bool = True,
        *,
        reason: str,
        expected: str | None = None,
        batches: int | None = None,
        request_id: str | None = None,
    ) -> RetentionResult:
        """Delete a task with its events and steps, and with its decisions unless those are to be kept.

        From the first statement on the task reads as closed with the goal ``[DELETED]``; then it goes in batches.
        Active decisions elsewhere that cite what is deleted are flagged with the reason ``source_removed``. With
        ``include_decisions=False`` the task stays as that empty shell, so that its decisions are still listed, searched
        and judged; those that cite its events are flagged, and a second call with True deletes them too.

        A repeated call with the same request id goes on where the first one stopped; so does continue_deletion().

        Args:
            expected: The digest of the preview that was approved.
            batches: Do at most so many and return, 0 only starts; None: until it is done.

        Errors: task_not_found, on_hold, being_deleted (by another call), preview_changed, erasure_key_missing,
        request_id_reused, invalid_request_id, invalid_value.
        """
        fields.request_id(request_id)
        name = fields.name("name", name)
        reason = fields.text("reason", reason, fields.SHORT_TEXT)
        keep = not _flag("include_decisions", include_decisions)
        most = NO_END if batches is None else fields.whole("batches", batches, 0)
        arguments: dict[str, object] = {"name": name, "include_decisions": not keep, "reason": reason}
        claimed = claim(self._scope.project_id, request_id, "delete_task", arguments)
        result = _keyed(lambda: settle(lambda: deletion.start(self._scope, name, keep, reason, expected, claimed)))
        if not result.recorded or result.erasure is None or result.erasure.state is ErasureState.DONE:
            return result
        deletion.run(self._scope, result.erasure.id, most)
        return deletion.result_of(self._scope, result.erasure.id).model_copy(update={"replayed": result.replayed})

    def continue_deletion(self, limit: int = 100) -> int:
        """Go on with the project's unfinished deletions: at most ``limit`` batches; 0 when there is nothing to do.

        Safe to run from many workers at once, and to kill at any point.
        """
        return deletion.go_on(self._scope, cursors.bounded(limit, 1, NO_END, 100))

    def preview_redaction(self, event_id: str) -> RedactionPreview:
        """What redact_event would do now, and where others quote the text.

        A quote is a common part of at least 24 code points (or all of a text of 8 to 23): other events, the words of
        decisions, their verdicts and reviews, goals of tasks. It compares at most 20,000 texts of the project, read in
        steps: one for each 200 events of a task, two for each 20 tasks. The redaction itself leaves quotes alone, but
        for events that are named in ``also``.
        """
        known = isinstance(event_id, str) and ids.is_uuid(event_id)
        return previews.preview_redaction(self._scope, event_id) if known else RedactionPreview(found=False)

    def preview_deletion(self, name: str, include_decisions: bool = True) -> DeletionPreview:
        """What delete_task would do now, and the digest to approve it by."""
        known = name_or_none(name)
        if known is None:
            return DeletionPreview(found=False)
        return previews.preview_deletion(self._scope, self._scope.task_id(known), bool(include_decisions))

    @refusing(HoldResult)
    def place_hold(
        self,
        reason: str,
        *,
        task_name: str | None = None,
        event_id: str | None = None,
        request_id: str | None = None,
    ) -> HoldResult:
        """Put a task, or one event, under a legal hold: it is neither redacted nor deleted until that is released.

        Errors: task_not_found, event_not_found, being_deleted, request_id_reused, invalid_request_id, invalid_value.
        """
        fields.request_id(request_id)
        reason = fields.text("reason", reason, fields.SHORT_TEXT)
        if (task_name is None) == (event_id is None):
            raise ValueRefused("task_name", "or event_id must be given, and not both")
        if event_id is not None:
            event_id = _id("event_id", event_id)
            task_id = None
            arguments: dict[str, object] = {"event_id": event_id, "reason": reason}
        else:
            task_name = fields.name("task_name", task_name)
            task_id = self._scope.task_id(task_name)
            arguments = {"task_name": task_name, "reason": reason}
        claimed = claim(self._scope.project_id, request_id, "place_hold", arguments)
        return settle(lambda: holds.place_hold(self._scope, task_id, event_id, reason, claimed))

    @refusing(HoldResult)
    def release_hold(self, hold_id: str, reason: str, *, request_id: str | None = None) -> HoldResult:
        """Release a hold. It stays listed, with who released it, when and why.

        Errors: hold_not_found, request_id_reused, invalid_request_id, invalid_value.
        """
        fields.request_id(request_id)
        hold_id = _id("hold_id", hold_id)
        reason = fields.text("reason", reason, fields.SHORT_TEXT)
        claimed = claim(self._scope.project_id, request_id, "release_hold", {"hold_id": hold_id, "reason": reason})
        return settle(lambda: holds.release_hold(self._scope, hold_id, reason, claimed))

    @refusing(PruneResult)
    def prune_requests(self, older_than: timedelta, limit: int = 10_000) -> PruneResult:
        """Remove the project's request records that are older than that, at most ``limit``; the oldest may stay.

        A later call with the request id of a removed one is a new write: an event is recorded a second time, a decision
        is refused with ``choice_exists``. Records of erased things stay, so that no retry brings one back.

        Args:
            older_than: At least 7 days. A record that another program wrote without a time counts from when it is first
                seen here, unless its result tells.

        Errors: invalid_value.
        """
        limit = fields.whole("limit", limit, 1, 1_000_000)
        if not isinstance(older_than, timedelta) or older_than < requests.YOUNGEST:
            raise ValueRefused("older_than", f"is not a time of at least {requests.YOUNGEST.days} days")
        return requests.prune(self._scope, older_than, limit)

    def list_holds(self, *, released: bool = False, limit: int = LIMIT, cursor: str | None = None) -> HoldPage:
        """A page of the holds that stand, newest first; with ``released`` also of the others."""
        return holds.list_holds(self._scope, released, limit, cursor)

    def list_erasures(self, *, limit: int = LIMIT, cursor: str | None = None) -> ErasurePage:
        """A page of the project's tombstones, newest first, unfinished deletions among them."""
        return erasures.list_erasures(self._scope, limit, cursor)


def _id(field: str, value: object) -> str:
    if not isinstance(value, str) or not ids.is_uuid(value):
        raise ValueRefused(field, "is not an id")
    return value


def _flag(field: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueRefused(field, "is not true or false")
    return value


def _ids(field: str, values: object) -> list[str]:
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise ValueRefused(field, "is not a list of ids")
    if len(values) > ALSO:
        raise ValueRefused(field, f"has {len(values)} entries; the limit is {ALSO}")
    return sorted({_id(f"{field}[{number}]", value) for number, value in enumerate(values)})


def _keyed(write: Callable[[], RetentionResult]) -> RetentionResult:
    try:
        return write()
    except KeyMissing:
        return RetentionResult(recorded=False, error="erasure_key_missing")
