"""What rests on a decision, in pages; and what a verdict on it would flag."""

from collections.abc import Sequence

from reaffirm import ids
from reaffirm.decisions import cursors
from reaffirm.decisions.models import Decision, DecisionStatus, VerdictKind
from reaffirm.decisions.recording import Scope
from reaffirm.decisions.several import read_several
from reaffirm.decisions.spreading import MAX_DEPTH, Below, read_below
from reaffirm.models import Model

PAGE, MAX_PAGE = 20, 100
NO_VERDICT = "a verdict is reaffirm, supersede or reject"


class Dependent(Model):
    """An active decision that rests on another, at its smallest depth (1: it cites it itself)."""

    decision: Decision
    depth: int


class DependentPage(Model):
    """A page of dependents by depth, then id.

    Attributes:
        count, by_depth: All of them that were followed.
        complete: False when there are more: deeper than max_depth, or beyond 10,000; the counts are lower bounds then.
    """

    found: bool
    dependents: tuple[Dependent, ...] = ()
    count: int = 0
    by_depth: dict[int, int] = {}
    complete: bool = True
    next_cursor: str | None = None


class Affected(Dependent):
    """A decision that a verdict would flag, or one on its way that is flagged already and stays so."""

    already_flagged: bool


class Preview(Model):
    """What a verdict on a decision would do to the decisions that there are now.

    Attributes:
        verdict: As asked; None when it is not one.
        possible: The decision is active. A reaffirmation may still be refused for what it cites.
        affected: A page, by depth, then id.
        would_flag, already_flagged: Exact counts while ``complete``, else lower bounds (more than 10,000 decisions, or
            deeper than 63). One whose own source changed, and whose flag was not raised yet, is among would_flag.
        hint: Why nothing is told.
    """

    found: bool
    verdict: VerdictKind | None = None
    possible: bool = False
    affected: tuple[Affected, ...] = ()
    would_flag: int = 0
    already_flagged: int = 0
    complete: bool = True
    next_cursor: str | None = None
    hint: str | None = None


def dependents(scope: Scope, decision_id: str, *, max_depth: int, limit: int, cursor: str | None) -> DependentPage:
    """What rests on a decision; see DecisionTraces.dependents()."""
    depth = cursors.bounded(max_depth, 1, MAX_DEPTH, MAX_DEPTH)
    below = read_below(scope.store, scope.project_id, decision_id, depth) if ids.is_uuid(decision_id) else None
    if below is None:
        return DependentPage(found=False)
    page, next_cursor = _page(below, limit, cursor)
    return DependentPage(
        found=True,
        dependents=tuple(
            Dependent(decision=decision, depth=below.depths[decision.id]) for decision in _decisions(scope, page)
        ),
        count=len(below.depths),
        by_depth=below.by_depth(),
        complete=below.complete,
        next_cursor=next_cursor,
    )


def preview(scope: Scope, decision_id: str, verdict: str, *, limit: int, cursor: str | None) -> Preview:
    """What a verdict would flag; see DecisionTraces.preview()."""
    try:
        kind = VerdictKind(verdict)
    except ValueError:
        return Preview(found=False, hint=NO_VERDICT)
    below = read_below(scope.store, scope.project_id, decision_id) if ids.is_uuid(decision_id) else None
    if below is None:
        return Preview(found=False, verdict=kind, hint="the project has no such decision")
    possible = below.status == DecisionStatus.ACTIVE
    if not possible or kind is VerdictKind.REAFFIRM:
        hint = None if possible else f"the decision was {below.status}"
        return Preview(found=True, verdict=kind, possible=possible, hint=hint)
    page, next_cursor = _page(below, limit, cursor)
    return Preview(
        found=True,
        verdict=kind,
        possible=True,
        affected=tuple(
            Affected(decision=each, depth=below.depths[each.id], already_flagged=each.id in below.flagged)
            for each in _decisions(scope, page)
        ),
        would_flag=len(below.depths) - len(below.flagged),
        already_flagged=len(below.flagged),
        complete=below.complete,
        next_cursor=next_cursor,
    )


def _page(below: Below, limit: int, cursor: str | None) -> tuple[list[str], str | None]:
    """The ids of a page and the cursor of the next one."""
    limit = cursors.bounded(limit, 1, MAX_PAGE, PAGE)
    depth, after = cursors.decode(cursor) or (0, "")
    place = (depth, after) if type(depth) is int else (0, "")
    rest = [each for each in below.in_order() if each > place]
    page = rest[:limit]
    return [each for _, each in page], cursors.encode(*page[-1]) if len(rest) > limit else None


def _decisions(scope: Scope, page: Sequence[str]) -> list[Decision]:
    known = read_several(scope.store, scope.project_id, page)
    return [known[each].decision for each in page if each in known]
