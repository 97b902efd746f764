"""The reads of DecisionTraces: decisions, their supports, and how they stand to each other."""

from collections.abc import Sequence

from reaffirm import ids
from reaffirm.decisions import citable, dependents, listing, precedents, revisions, searches
from reaffirm.decisions.citable import CitableAnswers
from reaffirm.decisions.conflicts import list_conflicts
from reaffirm.decisions.dependents import DependentPage, Preview
from reaffirm.decisions.models import (
    ConflictList,
    Decision,
    DecisionLookup,
    DecisionPage,
    DecisionResult,
    SupportHistoryPage,
)
from reaffirm.decisions.precedents import PrecedentPage
from reaffirm.decisions.recording import Scope
from reaffirm.decisions.revisions import DecisionHistory
from reaffirm.decisions.searches import DecisionHits
from reaffirm.decisions.spreading import MAX_DEPTH


class DecisionReads:
    """Look up and list decisions."""

    _scope: Scope

    def get_decision(self, decision_id: str) -> DecisionLookup:
        """One decision of this project, with its current supports."""
        return listing.get_decision(self._scope, decision_id)

    def list_decisions(
        self, task_name: str, *, include_history: bool = True, limit: int = 20, cursor: str | None = None
    ) -> DecisionPage:
        """Decisions of a task, newest first, in pages of at most 100; with superseded and rejected ones by default."""
        task = ids.task_id(self._scope.project_id, task_name) if isinstance(task_name, str) else ""
        return listing.list_decisions(self._scope, task, include_history=include_history, limit=limit, cursor=cursor)

    def task_decisions(self, task_id: str, *, limit: int = 100) -> tuple[Decision, ...]:
        """The newest decisions of a task, by its id."""
        return listing.list_decisions(self._scope, task_id, include_history=True, limit=limit, cursor=None).decisions

    def list_support_history(self, decision_id: str, *, after_ordinal: int = -1, limit: int = 20) -> SupportHistoryPage:
        """Every support that a decision has or had, in the order of adding, with who reviewed it and when."""
        return listing.support_history(self._scope, decision_id, after_ordinal=after_ordinal, limit=limit)

    def search_decisions(self, query: str, *, task_name: str | None = None, limit: int = 20) -> DecisionHits:
        """Active decisions of the project whose conclusion or rationale holds some of the words, best first.

        Flagged ones are among them: look at ``decision.review_state`` before citing one. Every sign in the query is a
        plain character. At most 100 hits; ``truncated`` says that more decisions match, and a query without a word
        gives none and a ``hint``.

        Args:
            task_name: Only decisions of this task.
        """
        return searches.search(self._scope, query, task_name=task_name, limit=limit, clear_only=False)

    def search_precedents(self, query: str, *, task_name: str | None = None, limit: int = 20) -> DecisionHits:
        """The same, without those that need review or that a review which still spreads may reach."""
        return searches.search(self._scope, query, task_name=task_name, limit=limit, clear_only=True)

    def precedents(self, choice_key: str, *, limit: int = 20, cursor: str | None = None) -> PrecedentPage:
        """The last words on a question: every decision of the project on this choice key, whatever became of it.

        The newest last word (recorded, reaffirm, supersede, reject) comes first, in pages of at most 100. Two reads.
        """
        return precedents.precedents(self._scope, choice_key, limit=limit, cursor=cursor)

    def decision_history(self, decision_id: str, *, before_revision: int | None = None) -> DecisionHistory:
        """The choice that a decision belongs to: its revisions, who said what when, and all that each cites or cited.

        One read, the newest 100 revisions; ``next_before_revision`` leads on. The head is the highest revision,
        whatever the times say; decisions that replace one another in a ring are named in ``cycle``, not followed.
        """
        return revisions.decision_history(self._scope, decision_id, before_revision=before_revision)

    def dependents(
        self, decision_id: str, *, max_depth: int = MAX_DEPTH, limit: int = 20, cursor: str | None = None
    ) -> DependentPage:
        """Active decisions that rest on this one, directly or through active others: each once, nearest first.

        With counts by depth. At most 10,000 are followed, to a depth of at most 63; ``complete`` says whether that was
        all. A page has at most 100. One read to a depth of 15 and one for the page; each 16 levels more are one more:
        five at most.
        """
        return dependents.dependents(self._scope, decision_id, max_depth=max_depth, limit=limit, cursor=cursor)

    def preview(self, decision_id: str, verdict: str, *, limit: int = 20, cursor: str | None = None) -> Preview:
        """Exactly which decisions a verdict would flag, once its review has spread, and which are flagged already.

        Two to five reads, as for ``dependents``.

        Args:
            verdict: ``supersede``, ``reject``, or ``reaffirm``, which flags none.
        """
        return dependents.preview(self._scope, decision_id, verdict, limit=limit, cursor=cursor)

    def citable(self, ids: Sequence[str]) -> CitableAnswers:
        """Whether decisions and passages may still be cited, why not, and what took their place, in one read.

        Args:
            ids: Decision ids and evidence ids, mixed, at most 200; what comes after is counted in ``left_out``.
        """
        return citable.citable(self._scope, ids)

    def list_conflicts(self, *, limit: int = 50, cursor: str | None = None) -> ConflictList:
        """Choice keys whose active decisions in different tasks differ in conclusion, by choice key, in one read.

        Each group says in what its conclusions differ (``white_space``, ``unicode``, ``case`` or ``words``) and what
        each side rests on. At most 50 groups a page, each with its 50 newest sides; ``count`` is of all its sides.
        """
        return list_conflicts(self._scope.store, self._scope.project_id, limit=limit, cursor=cursor)

    def find_request(self, request_id: str) -> DecisionResult | None:
        """What became of a write: its stored result, or None when the graph has no such write."""
        return listing.find_request(self._scope, request_id)

    def cites_document(self, document_id: str) -> bool:
        """Whether a decision of the project cites, or once cited, a document."""
        return listing.cites_document(self._scope, document_id)
