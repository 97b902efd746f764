"""Documents, their versions and their passages: the part of the library that agents and the console call."""

from collections.abc import Collection, Sequence
from datetime import date

from reaffirm import fields
from reaffirm.knowledge import activating, fetching, flagging, searching
from reaffirm.knowledge import statements as cypher
from reaffirm.knowledge.activating import job_of
from reaffirm.knowledge.change import source_change
from reaffirm.knowledge.changes import source_changes
from reaffirm.knowledge.changes_models import SourceChangePage, SourceChangeView
from reaffirm.knowledge.content import Source, source_of
from reaffirm.knowledge.describing import describe, known_id
from reaffirm.knowledge.entities.extraction import Extractor
from reaffirm.knowledge.entities.findings import ExtractionFailed, Reader
from reaffirm.knowledge.entities.models import EntityPage
from reaffirm.knowledge.entities.reading import entities
from reaffirm.knowledge.models import DocumentVersion, FetchOutcome, IngestResult, SearchResult, SourceStatus
from reaffirm.knowledge.sections import normalised
from reaffirm.knowledge.standing import source_status, timed
from reaffirm.operation import refusing, settle
from reaffirm.store import GraphStore, StoreError

FLAGGED_AT_ONCE = 20_000  # by the call that activates, where the statement itself could not


class Graph:
    """The documents of a graph. They belong to no project; ``project_id`` only lets a project see one as its source.

    Args:
        extractor: Finds entities in what add() and update() are given; they are written in the same statement. Without
            one, entities that are there stay as they are.

    Raises:
        ValueRefused: The extractor names a type that is no plain identifier, or one of the graph's own.
    """

    def __init__(self, store: GraphStore, *, extractor: Extractor | None = None) -> None:
        self._store = store
        self._reader = None if extractor is None else Reader(extractor)
        self._defined = False  # the labels of the extractor have their keys and indexes

    @refusing(IngestResult)
    def add(
        self,
        text: str | None = None,
        *,
        document_key: str,
        data: bytes | None = None,
        title: str | None = None,
        url: str | None = None,
        media_type: str | None = None,
        published_at: date | str | None = None,
        content_date: date | str | None = None,
        project_id: str | None = None,
        author: str | None = None,
    ) -> IngestResult:
        """Add a document, or update it where the key is known.

        Args:
            text: The document: plain, Markdown or HTML. Line ends become LF and a byte order mark goes; all else stays.
            document_key: Its name in the graph: a path or an address.
            data: Instead of text, the bytes of a file: HTML, PDF, DOCX, or text in UTF-8. What a reader would see of it
                is stored as text, its headings as sections, the rows of tables as lines with bars between the cells.
            media_type: One of MEDIA_TYPES. None: told by the bytes; or as the document was; or plain.
            published_at, content_date: Dates, or texts like ``2026-04-30``.
            author: Who does it; stored with the activation and with each flag that it raises.

        Returns:
            decision new_version, in_place, metadata_only or no_op, and how many decisions were flagged.
            With an extractor, in_place is the same text read anew, where another one read it before, or none.
        """
        described = describe(title, url, media_type, published_at, content_date)
        source = source_of(text, data, described.media_type)
        job = job_of(document_key, "add", author, project_id, described)
        return self._ingested(job, source)

    @refusing(IngestResult)
    def update(
        self,
        document_key: str,
        text: str | None = None,
        *,
        data: bytes | None = None,
        title: str | None = None,
        url: str | None = None,
        media_type: str | None = None,
        published_at: date | str | None = None,
        content_date: date | str | None = None,
        project_id: str | None = None,
        author: str | None = None,
    ) -> IngestResult:
        """Give a known document a new version; see add(). What is None stays as it is.

        The same text is no new version, whoever cut it into chunks: nothing that is cited has changed.
        """
        described = describe(title, url, media_type, published_at, content_date)
        source = source_of(text, data, described.media_type)
        job = job_of(document_key, "update", author, project_id, described)
        return self._ingested(job, source)

    @refusing(IngestResult)
    def remove(self, document_key: str, *, author: str | None = None) -> IngestResult:
        """Remove a document. Its versions stay in the graph, and what was cited stays readable."""
        job = job_of(document_key, "delete", author)
        return self._flagged(settle(lambda: activating.remove(self._store, job)))

    @refusing(IngestResult)
    def purge(self, document_key: str, *, author: str | None = None) -> IngestResult:
        """Erase a document's versions, text and all. What was cited can no longer be read; who cites it is flagged.

        Refused with ``too_many_parts`` above 10,000 sections and chunks.
        """
        job = job_of(document_key, "purge", author)
        return self._flagged(settle(lambda: activating.purge(self._store, job)))

    def continue_flagging(self, limit: int = FLAGGED_AT_ONCE) -> int:
        """Raise flags that an activation left: of a document that more than 20,000 decisions cite.

        A call that is interrupted loses nothing, and many may run at once. Meanwhile such decisions read as flagged.

        Returns:
            How many decisions were looked at, at most ``limit``; 0 when none was left.
        """
        return flagging.continue_flagging(self._store, max(1, limit) if type(limit) is int else FLAGGED_AT_ONCE)

    def versions(self, document_key: str) -> tuple[DocumentVersion, ...]:
        """All activations of a document, the oldest first, with the times at which each text was in force.

        A removal is one without a hash.
        """
        node = known_id(document_key)
        rows = self._store.read(cypher.READ_VERSIONS, id=node) if node else []
        return timed([DocumentVersion.model_validate(row["version"]) for row in rows])

    def source_status(self, document_key: str) -> SourceStatus:
        """How a document stands, with one read."""
        return source_status(self._store, document_key)

    def source_changes(
        self,
        *,
        document_key: str | None = None,
        project_id: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> SourceChangePage:
        """New versions and removals, newest first, with two statements.

        Args:
            document_key: Of this document only.
            project_id: Of the documents that this project sees: added through it, or cited by a decision of it.
                ``waiting`` then counts decisions of this project.
            limit: 1 to 200; what is none counts as the nearest.
            cursor: ``next_cursor`` of the page before. What is none of ours means the first page.
        """
        return source_changes(self._store, document_key, project_id, limit, cursor)

    def source_change(
        self, activation_id: str, *, project_id: str | None = None, limit: int = 25, cursor: str | None = None
    ) -> SourceChangeView | None:
        """One change: its diff, and the decisions that still cite the document as it was before.

        Args:
            project_id: Decisions of this project only; None is returned where it does not see the document.
            limit: How many decisions are compared: 1 to 100.

        Returns:
            None where there is no such change. At most four statements, whatever the number of decisions and versions.
        """
        return source_change(self._store, activation_id, project_id, limit, cursor)

    def fetch(self, evidence_ids: Sequence[str], *, max_chars: int | None = None) -> tuple[FetchOutcome, ...]:
        """The cited words behind at most 100 evidence ids, in their order, with one read. A single id will do too.

        Raises:
            ValueError: More than 100 ids, or max_chars below 1.
        """
        return fetching.fetch(self._store, evidence_ids, max_chars=max_chars)

    def search(self, words: str, *, document_keys: Sequence[str] | None = None, limit: int = 10) -> SearchResult:
        """Passages of current versions that hold some of the words, the best first. Nothing in them is query syntax.

        Raises:
            ValueError: limit is not 1 to 100.
        """
        return searching.search(self._store, words, document_keys=document_keys, limit=limit)

    def search_evidence(self, query: str, *, scope: Collection[str] | None = None, limit: int = 10) -> SearchResult:
        """The same under agentic-graphrag's names: ``scope`` is the keys of the documents to search in; None: all."""
        return self.search(query, document_keys=None if scope is None else searching.keys_of(scope), limit=limit)

    def text(self, document_key: str) -> str | None:
        """The current text, rebuilt from its chunks; None when the document is unknown or removed."""
        current = fetching.current(self._store, document_key)
        return current.text.text if current else None

    def passages(self, document_key: str) -> tuple[str, ...]:
        """The evidence ids of the current version's chunks, in their order."""
        current = fetching.current(self._store, document_key)
        return current.passages() if current else ()

    def cite(self, document_key: str, quote: str, occurrence: int = 1) -> str:
        """The evidence id of exact words in the current version.

        Args:
            occurrence: Which one, from 1, where the words stand there more than once.

        Raises:
            ValueError: The document has no current version, or it does not hold the words as often as that.
        """
        current = fetching.current(self._store, document_key)
        if current is None:
            raise ValueError(f"the document {document_key!r} is unknown or removed")
        return current.cite(normalised(quote), fields.whole("occurrence", occurrence, 1))

    def entities(self, document_key: str, *, limit: int = 100, cursor: str | None = None) -> EntityPage:
        """What the current version mentions, by type and name, with one read. Whoever extracted it.

        Args:
            limit: 1 to 500; what is none counts as the nearest.
            cursor: ``next_cursor`` of the page before. What is none of ours means the first page.

        Returns:
            No entity where the document is unknown or removed.
        """
        return entities(self._store, document_key, limit, cursor)

    def _ingested(self, job: activating.Job, source: Source) -> IngestResult:
        try:
            if self._reader and not self._defined:
                report = self._store.ensure_entities(self._reader.vocabulary.schema)
                if report.problems:
                    return IngestResult(recorded=False, error="read_only", detail="; ".join(report.problems))
                self._defined = True
            return self._flagged(settle(lambda: activating.ingest(self._store, job, source, self._reader)))
        except ExtractionFailed as failed:
            return IngestResult(
                recorded=False,
                error="extraction_failed",
                detail=str(failed),
                document_key=job.document_key,
                document_id=job.document_id,
            )

    def _flagged(self, result: IngestResult) -> IngestResult:
        """Go on with the flags that an activation left, up to a bound."""
        if not result.unfinished or result.document_id is None:
            return result
        try:
            flagging.continue_flagging(self._store, FLAGGED_AT_ONCE, result.document_id)
            return flagging.told(self._store, result)
        except StoreError:
            return result  # the activation stands, and its flags go on from where they are
