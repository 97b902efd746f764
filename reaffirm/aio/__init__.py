"""The library for asyncio: the same classes with awaitable methods, under the names that agentic-graphrag gives them.

A method runs the one of the same name of the synchronous class in a worker thread; there is no second implementation.
Arguments, results and errors are those of the synchronous class.

**Cancelling** a call stops the waiting, not the work: the thread goes on to the end of its statement, and a write may
take effect although nobody hears of it. Give such a write a ``request_id`` and call again with the same one: it returns
what the first call did, or does it now. The same holds for ``asyncio.timeout`` and ``wait_for``.

**Threads** are those of the event loop's default executor; ``loop.set_default_executor`` sets their number. What waits
for a thread has not begun. Close a store when nothing is under way on it.
"""

from reaffirm.decisions.models import (
    DecisionStatus,
    DecisionSupportInput,
    DocumentSupportInput,
    EventSupportInput,
    ReviewReason,
    ReviewState,
    SupportInput,
)
from reaffirm.history.models import EventKind, StepKind, StepState, TaskStatus
from reaffirm.history.models import ResultBasis as StepResultBasis
from reaffirm.history.models import ResultValidity as StepResultValidity
from reaffirm.knowledge.models import FetchOutcome, FetchStatus

from .classes import ConversationHistory, DecisionMemory, DecisionTraces, Graph, HistoryRetention
from .evidence import FetchResult, fetch_evidence
from .stores import FalkorDBGraphStore, FalkorDBSettings, Neo4jGraphStore, Neo4jSettings, Store, open_store

__all__ = [
    "ConversationHistory",
    "DecisionMemory",
    "DecisionStatus",
    "DecisionSupportInput",
    "DecisionTraces",
    "DocumentSupportInput",
    "EventKind",
    "EventSupportInput",
    "FalkorDBGraphStore",
    "FalkorDBSettings",
    "FetchOutcome",
    "FetchResult",
    "FetchStatus",
    "Graph",
    "HistoryRetention",
    "Neo4jGraphStore",
    "Neo4jSettings",
    "ReviewReason",
    "ReviewState",
    "StepKind",
    "StepResultBasis",
    "StepResultValidity",
    "StepState",
    "Store",
    "SupportInput",
    "TaskStatus",
    "fetch_evidence",
    "open_store",
]
