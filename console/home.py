"""What the home pages tell a person about themselves, from SQL."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.contrib.auth.models import User

from console.graph import agent_id_of
from console.models import AuditOutcome, AuditRow, Membership, Project

# The verbs of the audit log that are verdicts.
VERDICTS = {"verdict.reaffirm": "Reaffirmed", "verdict.supersede": "Superseded", "verdict.reject": "Rejected"}


@dataclass(frozen=True)
class Mine:
    project: Project
    roles: tuple[str, ...]


@dataclass(frozen=True)
class Decided:
    """A verdict of the person: what, which decision, when."""

    verb: str
    kind: str
    decision_id: str
    at: datetime


def roles_by_project(user: User) -> list[Mine]:
    rows = (
        Membership.objects.filter(user=user)
        .select_related("project")
        .order_by("project__name", "project__slug", "role")
    )
    roles: dict[Project, list[str]] = {}
    for row in rows:
        roles.setdefault(row.project, []).append(row.role)
    return [Mine(project, tuple(held)) for project, held in roles.items()]


def decided_by(project: Project, user: User, limit: int = 8) -> list[Decided]:
    """The person's newest verdicts that the graph holds."""
    rows = AuditRow.objects.filter(
        project=project, actor=agent_id_of(user), outcome=AuditOutcome.DONE, verb__in=VERDICTS
    ).order_by("-number")[:limit]
    return [
        Decided(VERDICTS[row.verb], row.verb.removeprefix("verdict."), row.target, row.at)
        for row in rows
        if _is_id(row.target)
    ]


def _is_id(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True
