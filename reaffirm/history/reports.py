"""What a check of a task's log found, and what a repair did."""

from reaffirm.models import Model, Result


class Findings(Model):
    """Events of which something is wrong: how many, and the numbers of the first 100."""

    count: int = 0
    numbers: tuple[int, ...] = ()


class EventReport(Model):
    """Whether the log of a task is whole.

    Attributes:
        total: Task.event_seq, the last number given out.
        events: How many events there are.
        missing: How many numbers have no event; deleted events are among them. ``gaps`` are the first 100 runs of such
            numbers, first and last of each; ``gap_count`` counts all.
        doubled: Numbers that more than one event has.
        wrong_ids: Events without an id, or not with that of their number.
        wrong_digests: Events whose text is not what ``payload_sha256`` says. Of a text that was cut or redacted it
            cannot be told; ``unchecked`` counts those.
        behind, ahead: How far ``total`` is below or above the number of the last event.
    """

    found: bool
    task_id: str | None = None
    total: int = 0
    events: int = 0
    missing: int = 0
    gap_count: int = 0
    gaps: tuple[tuple[int, int], ...] = ()
    doubled: Findings = Findings()
    wrong_ids: Findings = Findings()
    wrong_digests: Findings = Findings()
    unchecked: int = 0
    behind: int = 0
    ahead: int = 0

    @property
    def whole(self) -> bool:
        """Whether nothing is wrong."""
        wrong = self.doubled.count or self.wrong_ids.count or self.wrong_digests.count
        return self.found and not (self.missing or wrong or self.behind or self.ahead)


class RepairResult(Result):
    """Of repairing a log.

    Attributes:
        ids_given: Numbers of the events that got their id, at most 500 a call; ``ids_left`` counts the others.
        raised_by: How far Task.event_seq was behind the last event.
    """

    ids_given: tuple[int, ...] = ()
    ids_left: int = 0
    raised_by: int = 0
