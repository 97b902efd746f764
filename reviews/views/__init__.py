"""The pages of a review, one module per page."""

from reviews.views.conflicts import conflicts
from reviews.views.decision import decision
from reviews.views.evidence import evidence
from reviews.views.queue import next_flag, queue
from reviews.views.supersede import supersede
from reviews.views.verdict import verdict

__all__ = ["conflicts", "decision", "evidence", "next_flag", "queue", "supersede", "verdict"]
