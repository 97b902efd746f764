"""Documents, versions, passages and evidence ids."""

from reaffirm.knowledge.changes_models import (
    CitingDecision,
    SourceChange,
    SourceChangePage,
    SourceChangeView,
    TouchedPassage,
)
from reaffirm.knowledge.entities.citations import CitationExtractor
from reaffirm.knowledge.entities.extraction import ExtractedEntity, ExtractedRelation, Extraction, Extractor
from reaffirm.knowledge.entities.models import DocumentEntity, EntityPage
from reaffirm.knowledge.entities.rules import RuleExtractor
from reaffirm.knowledge.graph import Graph
from reaffirm.knowledge.models import (
    Anchor,
    AnchorState,
    Candidate,
    DiffRow,
    DocumentVersion,
    EvidenceLocation,
    EvidenceReference,
    FetchOutcome,
    FetchStatus,
    IngestResult,
    PassageDiff,
    Piece,
    ReferenceKind,
    SearchHit,
    SearchResult,
    SourceState,
    SourceStatus,
)

__all__ = [
    "Anchor",
    "AnchorState",
    "Candidate",
    "CitationExtractor",
    "CitingDecision",
    "DiffRow",
    "DocumentEntity",
    "DocumentVersion",
    "EntityPage",
    "EvidenceLocation",
    "EvidenceReference",
    "ExtractedEntity",
    "ExtractedRelation",
    "Extraction",
    "Extractor",
    "FetchOutcome",
    "FetchStatus",
    "Graph",
    "IngestResult",
    "PassageDiff",
    "Piece",
    "ReferenceKind",
    "RuleExtractor",
    "SearchHit",
    "SearchResult",
    "SourceChange",
    "SourceChangePage",
    "SourceChangeView",
    "SourceState",
    "SourceStatus",
    "TouchedPassage",
]
