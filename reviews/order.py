"""Which flag comes next for a person who stands on one."""

from dataclasses import dataclass

from reaffirm.decisions import DecisionTraces, review_cursor
from reaffirm.decisions.models import Decision


@dataclass(frozen=True)
class Place:
    """Where a flag stands in the queue's order, also after a verdict took it out."""

    decision_id: str
    flagged_ms: int | None

    @property
    def cursor(self) -> str | None:
        return None if self.flagged_ms is None else review_cursor(self.flagged_ms, self.decision_id)


def place_of(decision: Decision) -> Place:
    flagged = decision.flagged_at
    return Place(decision.id, None if flagged is None else round(flagged.timestamp() * 1000))


def flag_beside(traces: DecisionTraces, place: Place, *, backwards: bool = False) -> str | None:
    """The flag after a place, at the end the oldest; or the one before it, at the start itself. None: no other."""
    if place.cursor is not None:
        page = traces.list_decisions_for_review(limit=1, cursor=place.cursor, backwards=backwards)
        if page.rows:
            return page.rows[0].decision.id
        if backwards:
            return place.decision_id
    oldest = traces.list_decisions_for_review(limit=2)
    return next((found.id for found in oldest.decisions if found.id != place.decision_id), None)
