"""The reviews of DecisionTraces: which decisions are flagged, why, and how a review spreads."""

from reaffirm import fields, ids
from reaffirm.decisions import cursors, grouping, page, propagation, queue
from reaffirm.decisions.causes import Cause
from reaffirm.decisions.groups import CauseGroup
from reaffirm.decisions.models import ReviewCase, ReviewCounts, ReviewPage, ReviewReason
from reaffirm.decisions.queue import Filters
from reaffirm.decisions.recording import Scope
from reaffirm.store import ValueRefused

MAX_STEPS = 100


class DecisionReview:
    """The flags of a project."""

    _scope: Scope

    def continue_decision_review(self, limit: int = MAX_STEPS) -> int:
        """Spread reviews: work off at most ``limit`` (1 to 100) queued decisions. Returns how many; 0 = none queued."""
        return propagation.continue_review(
            self._scope.store, self._scope.project_id, cursors.bounded(limit, 1, MAX_STEPS, MAX_STEPS)
        )

    # Reads

    def list_decisions_for_review(
        self,
        *,
        task_name: str | None = None,
        reason: ReviewReason | str | None = None,
        document_key: str | None = None,
        choice_key: str | None = None,
        limit: int = 20,
        cursor: str | None = None,
        backwards: bool = False,
    ) -> ReviewPage:
        """Active decisions that need a look, oldest flag first, with exact counts.

        Args:
            task_name, reason, document_key, choice_key: Narrow the list; an unknown value matches nothing.
            limit: 1 to 200.
            cursor: ``next_cursor`` or, with ``backwards``, ``previous_cursor`` of another page. What is no cursor is
                the beginning.
        """
        try:
            filters = self._filters(task_name, reason, document_key, choice_key)
        except ValueRefused:  # a value that no record can have
            return ReviewPage(counts=self.review_counts())
        return queue.review_page(
            self._scope.store, self._scope.project_id, filters, limit=limit, cursor=cursor, backwards=backwards is True
        )

    # Their names in release 0.0.6
    list_review = list_decisions_for_review
    continue_review_propagation = continue_decision_review

    def _filters(self, task_name: object, reason: object, document_key: object, choice_key: object) -> Filters:
        task = None if task_name is None else fields.name("task_name", task_name)
        document = None if document_key is None else fields.document_key("document_key", document_key)
        return Filters(
            task_id=task and ids.task_id(self._scope.project_id, task),
            reason=None if reason is None else fields.choice("reason", reason, ReviewReason),
            choice_key=None if choice_key is None else fields.name("choice_key", choice_key),
            document_id=document and ids.document_id(document),
        )

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
