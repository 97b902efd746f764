"""What retention returns: results of erasures, tombstones, legal holds and previews. No record holds an erased text."""

from enum import StrEnum

from reaffirm.models import Instant, Model, Result


class ErasureKind(StrEnum):
    EVENT = "event"
    TASK = "task"


class ErasureState(StrEnum):
    RUNNING = "running"
    DONE = "done"


class Erasure(Model):
    """A tombstone: who erased what, when and why; ids and counts, never the text.

    Attributes:
        include_decisions: For a task: whether its decisions were deleted with it.
        events, steps, decisions, supports, requests: How many records were erased; requests are the request records
            whose copy of the text was replaced.
        flagged: How many flags were raised on decisions that cited what is gone.
        finished_at: None while a deletion is unfinished.
    """

    id: str
    project_id: str
    kind: ErasureKind
    state: ErasureState
    task_id: str
    task_name: str
    event_id: str | None = None
    include_decisions: bool | None = None
    reason: str
    by: str
    at: Instant
    finished_at: Instant | None = None
    events: int = 0
    steps: int = 0
    decisions: int = 0
    supports: int = 0
    requests: int = 0
    flagged: int = 0


class ErasurePage(Model):
    """Tombstones, newest first. next_cursor is None at the end."""

    erasures: tuple[Erasure, ...] = ()
    next_cursor: str | None = None


class RetentionResult(Result):
    """redact_event and delete_task.

    Attributes:
        affected_decision_ids: Decisions that were flagged, in the order of their ids; of a deletion the first 1,000.
        erasure: The tombstone; unfinished for a deletion that another call has to go on with.
        refused_copies: Of ``also``: the events that were not redacted.
    """

    affected_decision_ids: tuple[str, ...] = ()
    erasure: Erasure | None = None
    refused_copies: tuple[str, ...] = ()


class Hold(Model):
    """A legal hold on a task, or on one event of it; it stands until released_at is set."""

    id: str
    project_id: str
    task_id: str
    task_name: str
    event_id: str | None = None
    reason: str
    by: str
    at: Instant
    released_at: Instant | None = None
    released_by: str | None = None
    release_reason: str | None = None


class HoldResult(Result):
    hold: Hold | None = None


class HoldPage(Model):
    """Holds, newest first. next_cursor is None at the end."""

    holds: tuple[Hold, ...] = ()
    next_cursor: str | None = None


class Loss(Model):
    """An active decision that loses support.

    Attributes:
        lost, left: How many of its current supports go, and how many stay. Without any left it rests on nothing.
    """

    decision_id: str
    task_name: str
    choice_key: str
    lost: int
    left: int


class Copy(Model):
    """A place outside the event that holds a part of its text. Only ids and a length; the words are not repeated.

    Attributes:
        kind: event, decision, support or task.
        record_id: The record's id; field: which of its texts.
        length: Of the longest common part, in code points.
    """

    kind: str
    record_id: str
    field: str
    task_name: str
    length: int


class RedactionPreview(Model):
    """What redact_event would do.

    Attributes:
        losses: Active decisions that cite the event, the first 100; loss_count is of all.
        requests: Request records that hold the body; they are rewritten.
        copies: Where others quote it, the first 200 found; empty for a text that is gone already. looked_at says how
            many records were compared; complete is False where the project has more than one preview compares.
        minimum: The shortest common part that counts, in code points.
        holds: Legal holds that refuse it.
    """

    found: bool
    event_id: str | None = None
    redacted_at: Instant | None = None
    losses: tuple[Loss, ...] = ()
    loss_count: int = 0
    requests: int = 0
    copies: tuple[Copy, ...] = ()
    minimum: int = 0
    looked_at: int = 0
    complete: bool = True
    holds: tuple[Hold, ...] = ()


class DeletionPreview(Model):
    """What delete_task would do. ``digest`` is what ``expected`` compares.

    Attributes:
        events, steps, decisions, supports: What is deleted; with decisions kept, decisions and supports are 0.
        kept_decisions: How many decisions stay.
        losses: Active decisions that stay and lose support, the first 100; loss_count is of all, unsupported of those
            without any support left.
        holds: Legal holds that refuse it, at most 20.
    """

    found: bool
    task_id: str | None = None
    include_decisions: bool = True
    events: int = 0
    steps: int = 0
    decisions: int = 0
    supports: int = 0
    kept_decisions: int = 0
    losses: tuple[Loss, ...] = ()
    loss_count: int = 0
    unsupported: int = 0
    holds: tuple[Hold, ...] = ()
    digest: str | None = None


class PruneResult(Result):
    """prune_requests: how many request records were removed, and how many of another program got a date."""

    removed: int = 0
    dated: int = 0
