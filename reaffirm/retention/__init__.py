"""Retention: redact an event, delete a task, previews of both, tombstones and legal holds."""

from typing import TYPE_CHECKING, Any

from .erased import use_erasure_key
from .models import *  # noqa: F403

if TYPE_CHECKING:
    from .retention import HistoryRetention

__all__ = ["HistoryRetention", "use_erasure_key"]


def __getattr__(name: str) -> Any:
    # Recording an event asks whether its text was erased: loaded on first use, neither package has to wait.
    if name == "HistoryRetention":
        from .retention import HistoryRetention

        return HistoryRetention
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
