"""The last words on a question: every decision on a choice key in the project, the newest verdict first."""

from reaffirm import fields, ids
from reaffirm.decisions import cursors
from reaffirm.decisions.chronicle import Word, words_on
from reaffirm.decisions.models import Decision
from reaffirm.decisions.recording import Scope
from reaffirm.decisions.several import Known, in_order, read_several
from reaffirm.models import Model
from reaffirm.store import ValueRefused

PAGE, MAX_PAGE = 20, 100

# The moment of the last word: recorded, reaffirmed (a program that stores no verdict leaves it on the supports),
# rejected, or replaced.
ON_CHOICE = """
MATCH (d:Decision) WHERE d.project_id = $project AND d.status IN ['active', 'rejected', 'superseded']
  AND d.choice_key = $choice_key
WITH d
OPTIONAL MATCH (d)-[h:HAS_SUPPORT]->(s:DecisionSupport)
WITH d, max(s.reviewed_at) AS reviewed
OPTIONAL MATCH (next:Decision)-[r:SUPERSEDES]->(d)
WITH d, reviewed, max(next.created_at) AS replaced
WITH d.id AS id, reduce(last = d.created_at, x IN [coalesce(d.verdict_at, ''), coalesce(reviewed, ''),
  coalesce(replaced, '')] | CASE WHEN x > last THEN x ELSE last END) AS moment
ORDER BY moment DESC, id DESC
WITH collect({id: id, moment: moment}) AS every
RETURN size(every) AS number, [x IN every WHERE $before = '' OR x.moment < $before
  OR (x.moment = $before AND x.id < $before_id)][0..$limit] AS page
"""


class Precedent(Model):
    """A decision on the question, and the last word on it."""

    decision: Decision
    task_goal: str
    last: Word


class PrecedentPage(Model):
    """A page, the newest last word first, id as tie-break. ``count`` is of all decisions on the choice key."""

    choice_key: str
    precedents: tuple[Precedent, ...] = ()
    count: int = 0
    next_cursor: str | None = None


def precedents(scope: Scope, choice_key: str, *, limit: int, cursor: str | None) -> PrecedentPage:
    """All decisions on a choice key, whatever became of them; see DecisionTraces.precedents()."""
    try:
        key = fields.name("choice_key", choice_key)
    except ValueRefused:
        return PrecedentPage(choice_key=choice_key if isinstance(choice_key, str) else "")
    limit = cursors.bounded(limit, 1, MAX_PAGE, PAGE)
    before, before_id = _place(cursor)
    (row,) = scope.store.read(
        ON_CHOICE, project=scope.project_id, choice_key=key, before=before, before_id=before_id, limit=limit + 1
    )
    page = row["page"][:limit]
    known = in_order(
        read_several(scope.store, scope.project_id, [each["id"] for each in page]), [each["id"] for each in page]
    )
    more = len(row["page"]) > limit
    return PrecedentPage(
        choice_key=key,
        precedents=tuple(_precedent(each) for each in known),
        count=row["number"],
        next_cursor=cursors.encode(page[-1]["moment"], page[-1]["id"]) if more else None,
    )


def _precedent(known: Known) -> Precedent:
    said = words_on(known.row, known.decision.supports, known.successor)
    return Precedent(decision=known.decision, task_goal=known.goal, last=said[-1])


def _place(cursor: str | None) -> tuple[str, str]:
    moment, decision_id = cursors.decode(cursor) or ("", "")
    try:
        ids.milliseconds(moment)
    except (ValueError, TypeError):
        return "", ""
    return moment, decision_id
