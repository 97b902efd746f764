"""Documents, versions, passages and evidence ids."""

from reaffirm.knowledge.graph import Graph
from reaffirm.knowledge.models import (
    Anchor,
    AnchorState,
    Candidate,
    DiffRow,
    DocumentVersion,
    EvidenceReference,
    FetchOutcome,
    FetchStatus,
    IngestResult,
    PassageDiff,
    Piece,
    ReferenceKind,
    SearchHit,
    SearchResult,
)

__all__ = [
    "Anchor",
    "AnchorState",
    "Candidate",
    "DiffRow",
    "DocumentVersion",
    "EvidenceReference",
    "FetchOutcome",
    "FetchStatus",
    "Graph",
    "IngestResult",
    "PassageDiff",
    "Piece",
    "ReferenceKind",
    "SearchHit",
    "SearchResult",
]
