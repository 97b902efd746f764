"""Evidence by function, as agents of agentic-graphrag fetch it: within the documents that they may read."""

import asyncio
from collections.abc import Sequence, Set

from reaffirm.knowledge import Graph
from reaffirm.knowledge.fetching import MAX_IDS
from reaffirm.knowledge.models import FetchOutcome, FetchStatus
from reaffirm.models import Model
from reaffirm.store import GraphStore

from .stores import Store, plain_store

MAX_CHARS = 4_000


class FetchResult(Model):
    """One outcome for each id, in the order of the ids."""

    outcomes: tuple[FetchOutcome, ...] = ()


async def fetch_evidence(
    store: Store | GraphStore, evidence_ids: Sequence[str], *, scope: Set[str], max_chars: int | None = None
) -> FetchResult:
    """The cited words behind evidence ids, as ``Graph.fetch`` gives them.

    Args:
        scope: Keys of the documents that may be read; an id outside it is ``unavailable``, like one that names nothing.
        max_chars: Longer words are cut and ``truncated``; None = 4,000.

    Raises:
        ValueError: max_chars is not positive.
    """
    return await asyncio.to_thread(
        _fetch, plain_store(store), evidence_ids, scope, MAX_CHARS if max_chars is None else max_chars
    )


def _fetch(store: GraphStore, evidence_ids: Sequence[str], scope: Set[str], max_chars: int) -> FetchResult:
    graph = Graph(store)
    outcomes: list[FetchOutcome] = []
    for start in range(0, len(evidence_ids), MAX_IDS):
        outcomes += graph.fetch(evidence_ids[start : start + MAX_IDS], max_chars=max_chars)
    return FetchResult(outcomes=tuple(_within(scope, each) for each in outcomes))


def _within(scope: Set[str], outcome: FetchOutcome) -> FetchOutcome:
    if outcome.document_key is None or outcome.document_key in scope:
        return outcome
    return FetchOutcome(evidence_id=outcome.evidence_id, status=FetchStatus.UNAVAILABLE)
