"""What a person saw, sealed into their form so that a browser cannot make it up."""

from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from django.core import signing
from django.utils import timezone
from pydantic import ValidationError

from reaffirm.decisions.models import Seen

_SALT = "reviews.seen"


@dataclass(frozen=True)
class Sealed:
    """What a person saw, and when the page was made."""

    seen: Seen
    at: datetime


def seal(seen: Seen, decision_id: str) -> str:
    """Sign ``seen`` for one decision. A form may stay open for days, so the seal does not expire."""
    body = {"d": decision_id, "s": seen.model_dump(mode="json"), "t": timezone.now().timestamp()}
    return signing.dumps(body, salt=_SALT, compress=True)


def unseal(value: str, decision_id: UUID) -> Sealed | None:
    """What ``seal`` was given, or None when it was altered or made for another decision."""
    try:
        data = signing.loads(value, salt=_SALT)
        if data["d"] != str(decision_id):
            return None
        return Sealed(Seen.model_validate(data["s"]), datetime.fromtimestamp(data["t"], UTC))
    except (signing.BadSignature, ValidationError, KeyError, TypeError, ValueError):
        return None
