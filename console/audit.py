"""The audit log: append-only, one hash chain per project, its head kept outside the table."""

import hashlib
import json

from django.db import transaction
from django.utils import timezone

from console.models import AuditHead, AuditRow, Project

FIRST = "0" * 64


def audit_append(
    *,
    project: Project,
    actor: str,
    verb: str,
    target: str,
    outcome: str,
    request_id: str = "",
    detail: str = "",
) -> AuditRow:
    """Add one row in one short transaction. ``detail`` is a code or a digest, cut at 500, never a text of a source."""
    with transaction.atomic():
        # On SQLite the transaction is IMMEDIATE and waits its turn; elsewhere the row lock does it.
        AuditHead.objects.get_or_create(project=project)
        head = AuditHead.objects.select_for_update().get(project=project)
        row = AuditRow(
            project=project,
            number=head.number + 1,
            at=timezone.now(),
            actor=actor[:200],
            verb=verb[:50],
            target=target[:200],
            outcome=outcome[:20],
            request_id=request_id[:64],
            detail=detail[:500],
            previous_hash=head.hash or FIRST,
        )
        row.hash = row_hash(row)
        row.save()
        AuditHead.objects.filter(pk=head.pk).update(number=row.number, hash=row.hash)
    return row


def row_hash(row: AuditRow) -> str:
    """SHA-256 over the canonical JSON of all that the row says and the hash before it."""
    said = {
        "project": row.project_id,
        "number": row.number,
        "at": row.at.isoformat(),
        "actor": row.actor,
        "verb": row.verb,
        "target": row.target,
        "outcome": row.outcome,
        "request_id": row.request_id,
        "detail": row.detail,
        "previous_hash": row.previous_hash,
    }
    text = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def audit_verify(project: Project) -> list[str]:
    """Everything that is wrong with the project's chain, in words; empty when nothing is."""
    head = AuditHead.objects.filter(project=project).first()
    faults: list[str] = []
    number, previous = 0, FIRST
    for row in AuditRow.objects.filter(project=project).order_by("number").iterator():
        if row.number != number + 1:
            faults.append(_missing(number + 1, row.number - 1))
        elif row.previous_hash != previous:
            faults.append(f"Row {row.number} does not follow row {number}: one of them was changed.")
        if row.hash != row_hash(row):
            faults.append(f"Row {row.number} was changed.")
        number, previous = row.number, row.hash
    return faults + _end_faults(head, number, previous)


def _end_faults(head: AuditHead | None, number: int, last_hash: str) -> list[str]:
    if head is None or not head.number:
        return ["The head of the chain is missing."] if number else []
    if number < head.number:
        return [f"{_missing(number + 1, head.number)} The end was cut."]
    if number > head.number or last_hash != head.hash:
        return [f"The chain ends with row {number}, but its head names row {head.number} or another hash."]
    return []


def _missing(first: int, last: int) -> str:
    return f"Row {first} is missing." if first == last else f"Rows {first} to {last} are missing."
