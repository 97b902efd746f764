"""A project's graph as its agents fill it, and what a person sees of a decision."""

from reaffirm.decisions.models import DocumentSupportInput, EventSupportInput, ReviewCase, Seen
from tests.reviews.factories import World as Records


class World(Records):
    """Real records in a real store, written through the library."""

    def case(self, decision_id: str) -> ReviewCase:
        case = self.traces.review_case(decision_id)
        assert case
        return case

    def seen(self, decision_id: str) -> Seen:
        """What a person sees who opens the decision's page now."""
        return self.case(decision_id).seen

    def event_input(self, task: str) -> EventSupportInput:
        """The first event of a task."""
        return EventSupportInput(task_name=task, seq=1)

    def citing(self, evidence_id: str) -> DocumentSupportInput:
        return DocumentSupportInput(evidence_id=evidence_id)
