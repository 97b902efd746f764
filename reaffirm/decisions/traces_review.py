"""The reviews of DecisionTraces: which decisions are flagged, why, and how a review spreads."""

from datetime import datetime

from reaffirm.decisions import cursors, facets, grouping, page, propagation, queue, sweeping
from reaffirm.decisions.causes import Cause
from reaffirm.decisions.facets import ReviewFacets
from reaffirm.decisions.groups import CauseGroup
from reaffirm.decisions.models import ReviewCase, ReviewCounts, ReviewPage, ReviewReason
from reaffirm.decisions.narrowing import Filters, ReviewSort, filters_of, sort_of
from reaffirm.decisions.recording import Scope
from reaffirm.store import ValueRefused

MAX_STEPS = 100
MAX_SWEPT = 10_000


class DecisionReview:
    """The flags of a project."""

    _scope: Scope

    def continue_decision_review(self, limit: int = MAX_STEPS) -> int:
        """Spread reviews: work off at most ``limit`` (1 to 100) queued decisions. Returns how many; 0 = none queued."""
        return propagation.continue_review(
            self._scope.store, self._scope.project_id, cursors.bounded(limit, 1, MAX_STEPS, MAX_STEPS)
        )

    def sweep_lost_flags(self, limit: int = 1_000) -> int:
        """Raise flags of the project that another program lost, with their cause. Returns how many, at most ``limit``.

        Decisions on an older version than the one in force, and decisions that rest on one which is gone, ended or
        flagged. A sweep after a whole one finds nothing.
        """
        return sweeping.sweep_lost_flags(
            self._scope.store, self._scope.project_id, limit=cursors.bounded(limit, 1, MAX_SWEPT, MAX_SWEPT)
        )

    # Reads

    def list_decisions_for_review(
        self,
        *,
        task_name: str | None = None,
        reason: ReviewReason | str | None = None,
        document_key: str | None = None,
        source_change: str | None = None,
        choice_key: str | None = None,
        author: str | None = None,
        flagged_before: datetime | str | None = None,
        flagged_after: datetime | str | None = None,
        text: str | None = None,
        sort: ReviewSort | str = ReviewSort.OLDEST,
        limit: int = 20,
        cursor: str | None = None,
        backwards: bool = False,
    ) -> ReviewPage:
        """Active decisions that need a look, in keyset pages with exact counts.

        Filters combine; a value that no record has matches nothing.

        Args:
            document_key: Cites that document now.
            source_change: The id of the activation that raised the flag (``Cause.version.activation_id``).
            author: Who recorded the decision.
            flagged_before, flagged_after: Raised before, or at or after, a moment (ISO 8601; without a zone: UTC).
            text: Plain words, at most 20, each in the conclusion, the question or the choice key, whatever its case.
            sort: ``oldest`` flag first, ``most_dependents``, or ``smallest_change`` of the cited words; flags not
                compared yet, and those that no change of a text raised, stand last in it.
            limit: 1 to 200.
            cursor: ``next_cursor`` or, with ``backwards``, ``previous_cursor`` of another page with the same filters
                and sort. What is no cursor of that sort is the beginning.
        """
        try:
            filters = filters_of(
                self._scope.project_id,
                task_name=task_name,
                reason=reason,
                document_key=document_key,
                source_change=source_change,
                choice_key=choice_key,
                author=author,
                flagged_before=flagged_before,
                flagged_after=flagged_after,
                text=text,
            )
        except ValueRefused:  # a value that no record can have
            return ReviewPage(counts=self.review_counts())
        return queue.review_page(
            self._scope.store,
            self._scope.project_id,
            filters,
            sort=sort_of(sort),
            limit=limit,
            cursor=cursor,
            backwards=backwards is True,
        )

    # Their names in release 0.0.6
    list_review = list_decisions_for_review
    continue_review_propagation = continue_decision_review

    def review_facets(
        self,
        *,
        task_name: str | None = None,
        reason: ReviewReason | str | None = None,
        document_key: str | None = None,
        source_change: str | None = None,
        choice_key: str | None = None,
        author: str | None = None,
        flagged_before: datetime | str | None = None,
        flagged_after: datetime | str | None = None,
        text: str | None = None,
    ) -> ReviewFacets:
        """Counts by reason, task, document, source change, choice key and author, in two reads.

        Each lists its 50 most frequent values and says how many more there are. The filters are those of
        ``list_decisions_for_review``, and a value can be passed to it.
        """
        try:
            filters = filters_of(
                self._scope.project_id,
                task_name=task_name,
                reason=reason,
                document_key=document_key,
                source_change=source_change,
                choice_key=choice_key,
                author=author,
                flagged_before=flagged_before,
                flagged_after=flagged_after,
                text=text,
            )
        except ValueRefused:
            return ReviewFacets()
        return facets.review_facets(self._scope.store, self._scope.project_id, filters)

    def review_counts(self) -> ReviewCounts:
        """Exact counts of the project, in one read."""
        return queue.tally(self._scope.store, self._scope.project_id, Filters()).counts

    def review_case(self, decision_id: str) -> ReviewCase | None:
        """All that a person needs to judge one decision, in one read."""
        return page.review_case(self._scope.store, self._scope.project_id, decision_id)

    def group_of(self, cause: Cause | str, *, limit: int = grouping.LISTED) -> CauseGroup:
        """The flags that began at one root, nearest first, with why each cannot be reaffirmed with the others.

        Args:
            cause: The id of the root, or a flag's cause.
            limit: 1 to 200.
        """
        most = cursors.bounded(limit, 1, grouping.MOST_LISTED, grouping.LISTED)
        return grouping.group_of(self._scope, cause, limit=most)
