"""Full-text search of a project's decisions. Another project's hits never take the place of its own (ADR 11)."""

from typing import Literal

from reaffirm import ids
from reaffirm.decisions import cursors
from reaffirm.decisions.models import Decision, DecisionStatus, ReviewState
from reaffirm.decisions.recording import Scope
from reaffirm.decisions.several import in_order, read_several
from reaffirm.knowledge.searching import engine_words, plain_words
from reaffirm.models import Model
from reaffirm.store import Row
from reaffirm.store.values import text_problem

PAGE, MAX_HITS = 20, 100
# The index knows no project: hits are read with the project's filter behind them, few at first, then many.
FIRST_HITS, MOST_HITS = 2_000, 100_000
MOST_WALKED = 20_000  # active decisions of the project that are looked through when the hits were still too many

NO_WORDS = "There is no word to search for: give letters or digits."

_BEST = """
UNWIND (CASE WHEN size(own) = 0 THEN [null] ELSE own END) AS hit
WITH looked, hit ORDER BY hit.score DESC, hit.id LIMIT $found
RETURN looked, collect(hit.id) AS ids
"""

TAIL = (
    """
WITH node AS d, score
WITH count(d) AS looked, collect(CASE WHEN d.project_id = $project AND d.status = 'active'
  AND d._agrag_history_record = true AND ($task_id = '' OR d.task_id = $task_id)
  AND ($clear = false OR d.review_state = 'clear') THEN {id: d.id, score: score} END) AS own
"""
    + _BEST
)

WALK = (
    """
MATCH (d:Decision) WHERE d.project_id = $project AND d.status = 'active' AND d.choice_key IS NOT NULL
WITH d LIMIT $most
WITH d, toLower(d.conclusion + ' ' + d.rationale) AS text
WITH d, size([word IN $words WHERE text CONTAINS word]) AS score
WITH count(d) AS looked, collect(CASE WHEN score > 0 AND ($task_id = '' OR d.task_id = $task_id)
  AND ($clear = false OR d.review_state = 'clear') THEN {id: d.id, score: score} END) AS own
"""
    + _BEST
)


class DecisionHit(Model):
    """A decision that a search found: a precedent to read. Nothing says that it applies to the task at hand.

    Attributes:
        decision: With its task's name, status and review state.
        task_goal: The goal of the task that recorded it; empty when that task was deleted.
    """

    decision: Decision
    task_goal: str
    marker: Literal["precedent"] = "precedent"


class DecisionHits(list[DecisionHit]):
    """The hits of a search, best first: the list that agentic-graphrag gives, and how it came about.

    Attributes:
        status: ok, no_match or empty_query.
        truncated: More decisions match than are listed.
        hint: For a person, when there is nothing to list or more than is listed.
    """

    def __init__(self, hits: tuple[DecisionHit, ...] = (), *, truncated: bool = False, hint: str | None = None) -> None:
        super().__init__(hits)
        self.truncated = truncated
        self.hint = hint or ("More decisions match: add a word, or raise the limit." if truncated else None)
        self.status = "ok" if hits else "empty_query" if hint == NO_WORDS else "no_match"


def search(scope: Scope, query: str, *, task_name: str | None, limit: int, clear_only: bool) -> DecisionHits:
    """Active decisions of the project that hold some of the words; see DecisionTraces.search_decisions()."""
    limit = cursors.bounded(limit, 1, MAX_HITS, PAGE)
    words = plain_words(query) if isinstance(query, str) and not text_problem(query) else []
    if not words:
        return DecisionHits(hint=NO_WORDS)
    if task_name is not None and not isinstance(task_name, str):
        return DecisionHits()
    # A clear one may still turn out to be within reach of a review that spreads; some are read to spare.
    wanted = 2 * limit if clear_only else limit
    filters = {
        "project": scope.project_id,
        "task_id": ids.task_id(scope.project_id, task_name) if task_name is not None else "",
        "clear": clear_only,
    }
    found, more = _found(scope, query, words, wanted, filters)
    known = in_order(read_several(scope.store, scope.project_id, found), found)
    hits = tuple(
        DecisionHit(decision=each.decision, task_goal=each.goal)
        for each in known
        if each.decision.status is DecisionStatus.ACTIVE
        and (not clear_only or each.decision.review_state is ReviewState.CLEAR)
    )
    return DecisionHits(hits[:limit], truncated=more or len(hits) > limit)


def _found(
    scope: Scope, query: str, words: list[str], wanted: int, filters: dict[str, object]
) -> tuple[list[str], bool]:
    """The ids of the best hits, at most ``wanted``, and whether there are more."""
    row: Row = {"ids": [], "looked": 0}
    for most in (FIRST_HITS, MOST_HITS):
        row = scope.store.search(
            "decision", engine_words(scope.store.kind, query), limit=most, tail=TAIL, found=wanted + 1, **filters
        )[0]
        best_first = scope.store.kind == "neo4j"
        if row["looked"] < most or (best_first and len(row["ids"]) > wanted):
            return row["ids"][:wanted], len(row["ids"]) > wanted
    if len(row["ids"]) > wanted:
        return row["ids"][:wanted], True
    walked = scope.store.read(WALK, words=words, most=MOST_WALKED, found=wanted + 1, **filters)[0]
    found = list(dict.fromkeys([*row["ids"], *walked["ids"]]))
    return found[:wanted], len(found) > wanted or walked["looked"] == MOST_WALKED
