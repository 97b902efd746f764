"""Records of groups: flags that began at one decision."""

from reaffirm.decisions.models import Decision, DecisionResult
from reaffirm.models import Model, Result


class GroupMember(Model):
    """A flagged decision whose flag began at the root.

    Attributes:
        depth: How many citations lie between the root and it.
        reason: Why it cannot be reaffirmed with the group, in words; None when it can, after those that it cites.
        seen: What ``reaffirm_group`` wants back as ``expected``.
    """

    decision: Decision
    depth: int | None = None
    reason: str | None = None
    seen: str


class CauseGroup(Model):
    """The flags that began at one decision, nearest first.

    Attributes:
        reason: Why nothing can follow the root, such as that it was rejected; None when it was reaffirmed.
        count: How many there are; members holds at most the limit.
        spreading: A review still spreads in the project, so there may come more.
    """

    found: bool
    root: Decision | None = None
    reason: str | None = None
    members: tuple[GroupMember, ...] = ()
    count: int = 0
    spreading: bool = False

    @property
    def eligible(self) -> tuple[GroupMember, ...]:
        """Members that can be reaffirmed together."""
        return tuple(member for member in self.members if member.reason is None)


class GroupOutcome(Model):
    decision_id: str
    result: DecisionResult


class GroupResult(Result):
    """What became of each decision of a group. ``recorded`` is true when all of them are reaffirmed.

    Attributes:
        group_id: The request id of the group; sent again, it goes on where it stopped.
    """

    group_id: str | None = None
    results: tuple[GroupOutcome, ...] = ()
