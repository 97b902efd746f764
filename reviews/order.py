"""Which flag comes next for a person who stands on one."""

from reaffirm.decisions import DecisionTraces

_PAGE = 100


def flag_beside(traces: DecisionTraces, decision_id: str, *, backwards: bool = False) -> str | None:
    """The id of the flag after (or before) a decision in the queue's order; past the end, the oldest; None = no other flag."""
    page = traces.list_decisions_for_review(limit=_PAGE)
    ids = [decision.id for decision in page.decisions if decision.id]
    if decision_id in ids:
        place = ids.index(decision_id)
        beside = ids[place - 1 : place] if backwards and place else ids[place + 1 : place + 2] if not backwards else []
        if beside:
            return beside[0]
    return next((found for found in ids if found != decision_id), None)
