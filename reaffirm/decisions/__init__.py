"""Decisions: record, review, reaffirm, supersede, reject, and read."""

from .adoption import adopt_flags, place_flags
from .chronicle import Word
from .citable import Citable, CitableAnswers, NotCitable
from .comparison import compare_flags
from .dependents import Affected, Dependent, DependentPage, Preview
from .groups import CauseGroup, GroupMember, GroupOutcome, GroupResult
from .models import *  # noqa: F403
from .precedents import Precedent, PrecedentPage
from .queue import review_cursor
from .revisions import DecisionHistory, Revision
from .searches import DecisionHit, DecisionHits
from .sides import Difference, SideEvidence
from .sweeping import Sweep, sweep_lost_flags
from .traces import DecisionMemory, DecisionTraces

__all__ = [
    "Affected",
    "CauseGroup",
    "Citable",
    "CitableAnswers",
    "DecisionHistory",
    "DecisionHit",
    "DecisionHits",
    "DecisionMemory",
    "DecisionTraces",
    "Dependent",
    "DependentPage",
    "Difference",
    "GroupMember",
    "GroupOutcome",
    "GroupResult",
    "NotCitable",
    "Precedent",
    "PrecedentPage",
    "Preview",
    "Revision",
    "SideEvidence",
    "Sweep",
    "Word",
    "adopt_flags",
    "compare_flags",
    "place_flags",
    "review_cursor",
    "sweep_lost_flags",
]
