"""Which flag comes next for a person who stands on one."""

from dataclasses import dataclass

from reaffirm.decisions import DecisionTraces, review_cursor
from reaffirm.decisions.models import Decision
from reviews.filters import Filters, narrowing


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


def flag_beside(
    traces: DecisionTraces, place: Place, filters: Filters, *, backwards: bool = False, cleared: bool = False
) -> str | None:
    """The flag of the filtered queue after a place, or before it; at either end the flag itself. None: no flag.

    Args:
        cleared: The flag has left the queue, so after the last one comes the oldest.
    """
    if place.cursor is not None:
        page = traces.list_decisions_for_review(limit=1, cursor=place.cursor, backwards=backwards, **narrowing(filters))
        if page.rows:
            return page.rows[0].decision.id
        if not cleared:
            return place.decision_id
    oldest = traces.list_decisions_for_review(limit=2, **narrowing(filters))
    return next((found.id for found in oldest.decisions if found.id != place.decision_id), None)
