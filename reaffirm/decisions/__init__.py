"""Decisions: record, review, reaffirm, supersede, reject, and read."""

from .adoption import adopt_flags, place_flags
from .comparison import compare_flags
from .models import *  # noqa: F403
from .queue import review_cursor
from .sweeping import Sweep, sweep_lost_flags
from .traces import DecisionMemory, DecisionTraces

__all__ = [
    "DecisionMemory",
    "DecisionTraces",
    "Sweep",
    "adopt_flags",
    "compare_flags",
    "place_flags",
    "review_cursor",
    "sweep_lost_flags",
]
