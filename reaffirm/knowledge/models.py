"""Documents, versions, evidence and anchors. Field names as in agentic-graphrag where it has them."""

from enum import StrEnum

from reaffirm.models import Instant, Model, Result


class ReferenceKind(StrEnum):
    SPAN = "span"
    CHUNK = "chunk"


class EvidenceReference(Model):
    """What an evidence id names. Offsets are code points of the stored text, end exclusive."""

    kind: ReferenceKind
    document_node_id: str
    content_hash_prefix: str
    char_start: int | None = None
    char_end: int | None = None
    chunk_id: str | None = None


class EvidenceLocation(Model):
    """Where a passage stands: offsets in code points where they are known, and the pages of a PDF that it is on."""

    char_start: int | None = None
    char_end: int | None = None
    page_numbers: tuple[int, ...] = ()


class FetchStatus(StrEnum):
    OK = "ok"
    PARTIAL = "partial"
    TRUNCATED = "truncated"
    MALFORMED = "malformed"
    UNAVAILABLE = "unavailable"
    FAILED = "failed"


class FetchOutcome(Model):
    """One evidence id, resolved."""

    evidence_id: str
    status: FetchStatus
    text: str = ""
    reference: EvidenceReference | None = None
    document_key: str | None = None
    title: str | None = None
    uri: str | None = None
    location: EvidenceLocation | None = None
    content_hash: str | None = None
    status_of_version: str | None = None  # current, superseded
    observed_activation_seq: int | None = None
    covered_range: tuple[int, int] | None = None
    partial: bool = False
    detail: str | None = None


class SearchHit(Model):
    """A chunk of a current version that holds some of the words.

    Attributes:
        snippet: The words around the first that were searched for, at most 240 characters.
        score: Higher is better, within one result. No likelihood of anything.
        legs: How it was found; always by its words.
    """

    evidence_id: str
    document_key: str
    title: str | None = None
    content_hash: str
    location: EvidenceLocation
    snippet: str
    text: str
    score: float
    legs: tuple[str, ...] = ("lexical",)


class SearchResult(Model):
    """What a search found.

    Attributes:
        status: ok, no_match, empty_scope (no document to search in), empty_query (no word in what was asked).
        truncated: There are more than the hits shown.
    """

    status: str
    hits: tuple[SearchHit, ...] = ()
    truncated: bool = False


class SourceState(StrEnum):
    CURRENT = "current"
    PENDING = "pending"
    FAILED = "failed"
    DELETED = "deleted"
    UNKNOWN = "unknown"


class SourceStatus(Model):
    """How a document stands.

    Attributes:
        state: current; pending and failed: agentic-graphrag is writing it, or did not finish; deleted: removed or
            erased; unknown: no document has this key.
    """

    document_key: str
    state: SourceState
    content_hash: str | None = None
    activation_seq: int | None = None
    version_id: str | None = None
    job_id: str | None = None
    job_status: str | None = None


class IngestResult(Result):
    """What an add, update or remove did.

    Attributes:
        decision: new_version, in_place (the same text, read by another extractor), metadata_only, no_op or removed.
        flagged: How many decisions were flagged.
        unfinished: More than 20,000 cite the document and some are still to be flagged: continue_flagging() goes on.
            Until then they read as flagged.
        entities: How many different entities the extractor found.
        left_out: Mentions and relations that were not stored: beyond a limit, or in no form that the graph can hold.
    """

    document_key: str | None = None
    document_id: str | None = None
    decision: str | None = None
    content_hash: str | None = None
    activation_seq: int | None = None
    chunks: int = 0
    flagged: int = 0
    unfinished: bool = False
    entities: int = 0
    left_out: int = 0


class DocumentVersion(Model):
    """One activation of a document: a committed version, or its removal (content_hash None).

    Attributes:
        ended_at: When the next one took its place; None for what holds now, and where it was not asked for.
        intervals: All times at which this text was in force, the oldest first: a text may return. An open one has no
            second time.
    """

    activation_seq: int
    verb: str  # add, update, delete, purge
    content_hash: str | None = None
    activated_at: Instant
    activation_id: str
    ended_at: Instant | None = None
    intervals: tuple[tuple[Instant, Instant | None], ...] = ()


class AnchorState(StrEnum):
    """Where a cited passage stands in the current version. Worst last."""

    EXACT = "exact"
    MOVED = "moved"
    EDITED = "edited"
    AMBIGUOUS = "ambiguous"
    GONE = "gone"
    UNREACHABLE = "unreachable"


class Candidate(Model):
    """A place in the current text that may be the cited passage. Offsets in code points, end exclusive."""

    start: int
    end: int
    similarity: float  # 0..1


class Anchor(Model):
    """Where a cited passage stands now.

    Attributes:
        start, end: The current range in code points; None when ambiguous, gone or unreachable.
        similarity: 0..1 between the cited and the current words; 1 for exact and moved.
        candidates: For ambiguous (a person picks) and edited (the first is the range itself).
        context_changed: The words around the passage changed.
    """

    state: AnchorState
    start: int | None = None
    end: int | None = None
    similarity: float = 0.0
    candidates: tuple[Candidate, ...] = ()
    context_changed: bool = False


class Piece(Model):
    """A run of text inside a diff row. kind: same, add, del."""

    kind: str
    text: str
    cited: bool = False  # inside the cited passage (old side) or its current range (new side)


class DiffRow(Model):
    """One aligned paragraph.

    Attributes:
        kind: same, change, add, del, moved (its new place, words marked), moved_away (its old place), space (differs
            only in white space), fold (paragraphs that are not shown: ``hidden`` of them, ``hidden_changed`` not the
            same as before).
        old_number, new_number: Paragraph numbers from 1.
        other_number: For moved and moved_away, the paragraph number at the other end.
        cited_in: Which text this paragraph holds of the cited passage: ``old`` (as it was cited), ``new`` (its current
            range), ``both``, or nothing.
    """

    kind: str
    pieces: tuple[Piece, ...] = ()
    old_number: int | None = None
    new_number: int | None = None
    other_number: int | None = None
    cited_in: str = ""
    hidden: int = 0
    hidden_changed: int = 0

    @property
    def cited(self) -> bool:
        return bool(self.cited_in)


class PassageDiff(Model):
    """A cited passage in its context, then and now.

    Attributes:
        rows: Aligned paragraphs around the passage, the rest folded and counted.
        space_only: Paragraphs that differ only in white space (anywhere shown).
        words_added, words_removed: Words changed inside the cited passage and its current range.
    """

    rows: tuple[DiffRow, ...] = ()
    space_only: int = 0
    words_added: int = 0
    words_removed: int = 0
