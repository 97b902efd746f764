"""Reading text: what an evidence id names, and the current version of a document."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from reaffirm import fields
from reaffirm.knowledge.describing import known_id, web_address
from reaffirm.knowledge.evidence import decode
from reaffirm.knowledge.models import EvidenceLocation, EvidenceReference, FetchOutcome, FetchStatus, ReferenceKind
from reaffirm.knowledge.texts import Chunk, DocumentText, Pages, rebuild
from reaffirm.store import GraphStore, Row

T = TypeVar("T")

MAX_IDS = 100
LOOKS = 5

_CHUNK = """c{.id, .index, .text, .content_hash, .char_start, .char_end, .chunker_hash, .page_start, .page_breaks,
    version_id: part.version_id,
    closed: part.invalid_at}"""

# Versions are asked for by the head of their hash; 'g' comes after every hexadecimal digit.
READ_VERSIONS = (
    """UNWIND $versions AS wanted
MATCH (doc:Document {id: wanted.document})
WITH wanted, doc
MATCH (c:Chunk) WHERE c.document_id = wanted.document
  AND c.content_hash >= wanted.prefix AND c.content_hash < wanted.after AND c._pending_job_id IS NULL
WITH wanted, doc, c
MATCH (doc)-[part:HAS_PART]->(c) WHERE part._pending_job_id IS NULL
RETURN wanted.document AS document, wanted.prefix AS prefix,
  doc{.document_key, .title, .uri, .current_content_hash, .activation_seq} AS doc, collect("""
    + _CHUNK
    + ") AS chunks"
)

# Whether a part is open is not asked: the hash names the version, and while another writer commits, Neo4j shows the old
# hash beside parts that are closed already.
READ_CURRENT = (
    """MATCH (doc:Document {id: $id}) WHERE doc.current_content_hash IS NOT NULL
WITH doc, doc.current_content_hash AS content_hash
OPTIONAL MATCH (c:Chunk) WHERE c.document_id = $id AND c.content_hash = content_hash AND c._pending_job_id IS NULL
WITH doc, content_hash, c
OPTIONAL MATCH (doc)-[part:HAS_PART]->(c) WHERE part._pending_job_id IS NULL
WITH doc, content_hash, part, c, size([(c)-[:NEXT_CHUNK]->(x) | 1]) AS following
RETURN doc.id AS id, content_hash, collect(CASE WHEN part IS NOT NULL THEN
    {following: following, chunk: """
    + _CHUNK
    + "} END) AS chunks"
)


@dataclass(frozen=True)
class CurrentVersion:
    """The version of a document that holds now."""

    document_id: str
    content_hash: str
    text: DocumentText

    def passages(self) -> tuple[str, ...]:
        """The evidence id of each chunk with words in it."""
        named = (
            self.text.evidence_id(self.document_id, self.content_hash, piece.start, piece.end)
            for piece in self.text.pieces
            if not self.text.text[piece.start : piece.end].isspace()
        )
        return tuple(evidence_id for evidence_id in named if evidence_id)

    def cite(self, quote: str, occurrence: int) -> str:
        """The evidence id of the words where they stand for the nth time; ValueError when they do not."""
        at = -1
        for number in range(occurrence):
            at = self.text.text.find(quote, at + 1) if quote else -1
            if at < 0:
                raise ValueError(
                    f"the text in force holds these exact words {number} times, not {occurrence}; see Graph.text()"
                )
        found = self.text.evidence_id(self.document_id, self.content_hash, at, at + len(quote))
        if found is None:
            raise ValueError("these words lie across chunks whose place in the text is not known; cite them apart")
        return found


def current(store: GraphStore, document_key: str) -> CurrentVersion | None:
    """The current version, with one read; None when the document is unknown or removed, or nothing of it can be read.

    While a version is being put in place Neo4j may not show all its chunks: then it is read again.
    """
    node = known_id(document_key)
    row = until_whole(lambda: _read_current(store, node), _whole) if node else None
    if row is None or not row["chunks"]:
        return None
    return CurrentVersion(row["id"], row["content_hash"], rebuild(row["chunks"]))


def until_whole(read: Callable[[], T], whole: Callable[[T], bool]) -> T:
    """What was read, read again for 150 ms as long as it shows half of what another writer commits."""
    found = read()
    for look in range(LOOKS):
        if whole(found):
            break
        time.sleep(0.005 * 2**look)
        found = read()
    return found


def _read_current(store: GraphStore, node: str) -> Row | None:
    rows = store.read(READ_CURRENT, id=node)
    if not rows:
        return None
    found = rows[0]["chunks"]
    followed = {each["chunk"]["id"] for each in found if each["following"]}
    return {**rows[0], "chunks": one_set(each["chunk"] for each in found), "followed": followed}


def _whole(row: Row | None) -> bool:
    """Whether all chunks of the version are there: none is missing in between, and none comes behind the last."""
    if row is None:
        return True
    ordered = sorted(row["chunks"], key=lambda chunk: chunk.index)
    consecutive = [chunk.index for chunk in ordered] == list(range(len(ordered)))
    return bool(ordered) and consecutive and ordered[-1].id not in row["followed"]


def one_set(rows: Iterable[dict[str, Any]]) -> list[Chunk]:
    """The chunks of one cutting. Two programs may have cut the text: an open cutting wins, else the one closed last."""
    sets: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        sets.setdefault((row["version_id"] or "", row["chunker_hash"] or ""), []).append(row)
    if not sets:
        return []
    _, chosen = max(sets.items(), key=lambda item: (_closed(item[1]), item[0]))
    return [chunk_of(row) for row in chosen]


def chunk_of(row: dict[str, Any]) -> Chunk:
    """A chunk from its row."""
    first = row.get("page_start")
    pages = Pages(first, tuple(row.get("page_breaks") or ())) if isinstance(first, int) else None
    return Chunk(row["id"], row["index"], row["text"], row["char_start"], row["char_end"], pages)


def _closed(rows: list[dict[str, Any]]) -> tuple[bool, str]:
    times = [row["closed"] for row in rows]
    return any(time is None for time in times), max((time for time in times if time), default="")


# Fetch


@dataclass
class Version:
    """What the read found behind one document and hash head."""

    doc: dict[str, Any]
    chunks: list[dict[str, Any]]
    _texts: dict[str, DocumentText] = field(default_factory=dict)

    @property
    def hashes(self) -> set[str]:
        return {row["content_hash"] for row in self.chunks}

    def text_for(self, reference: EvidenceReference | None) -> DocumentText:
        """The chunk that a chunk id names, or else the cutting that stands for the version."""
        wanted = [row for row in self.chunks if reference and row["id"] == reference.chunk_id]
        key = wanted[0]["id"] if wanted else ""
        if key not in self._texts:
            self._texts[key] = rebuild([chunk_of(wanted[0])] if wanted else one_set(self.chunks))
        return self._texts[key]


def fetch(store: GraphStore, evidence_ids: Sequence[str], *, max_chars: int | None) -> tuple[FetchOutcome, ...]:
    """The words behind evidence ids; see Graph.fetch()."""
    if isinstance(evidence_ids, str):
        evidence_ids = (evidence_ids,)  # one id, not its letters
    if not isinstance(evidence_ids, Sequence):
        return ()
    if len(evidence_ids) > MAX_IDS:
        raise ValueError(f"{len(evidence_ids)} evidence ids; the limit is {MAX_IDS}")
    limit = None if max_chars is None else fields.whole("max_chars", max_chars, 1)
    references = [decode(evidence_id) for evidence_id in evidence_ids]
    versions = read_versions(store, [(each.document_node_id, each.content_hash_prefix) for each in references if each])
    return tuple(
        _outcome(fields.shown(evidence_id), reference, versions, limit)
        for evidence_id, reference in zip(evidence_ids, references, strict=True)
    )


def read_versions(store: GraphStore, heads: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Version]:
    """The chunks of versions, each named by its document and the first 16 digits of its hash, with one read."""
    keys = dict.fromkeys(heads)
    if not keys:
        return {}
    wanted = [{"document": document, "prefix": prefix, "after": prefix + "g"} for document, prefix in keys]
    rows = store.read(READ_VERSIONS, versions=wanted)
    # FalkorDB may leave the upper bound of an indexed text out, so the head of the hash is looked at once more.
    return {
        (row["document"], row["prefix"]): Version(row["doc"], chunks)
        for row in rows
        if (chunks := [chunk for chunk in row["chunks"] if chunk["content_hash"].startswith(row["prefix"])])
    }


def _outcome(
    evidence_id: str,
    reference: EvidenceReference | None,
    versions: dict[tuple[str, str], Version],
    limit: int | None,
) -> FetchOutcome:
    if reference is None:
        detail = "the evidence id is not in the form ev1:s:… or ev1:c:…"
        return FetchOutcome(evidence_id=evidence_id, status=FetchStatus.MALFORMED, detail=detail)
    version = versions.get((reference.document_node_id, reference.content_hash_prefix))
    if version is None:
        return _unavailable(evidence_id, reference, "the graph has no such version of a document")
    if len(version.hashes) > 1:
        return _unavailable(evidence_id, reference, "more than one version has a hash that begins like this")
    text = version.text_for(reference)
    whole = text.range_of(reference)
    found = whole or text.part_of(reference)
    if found is None:
        return _unavailable(evidence_id, reference, "this version has no such passage: its place is outside the text")
    return _found(evidence_id, reference, version, text, found, whole is None, limit)


def _unavailable(evidence_id: str, reference: EvidenceReference, detail: str) -> FetchOutcome:
    return FetchOutcome(evidence_id=evidence_id, status=FetchStatus.UNAVAILABLE, reference=reference, detail=detail)


def _found(
    evidence_id: str,
    reference: EvidenceReference,
    version: Version,
    text: DocumentText,
    place: tuple[int, int],
    partial: bool,
    limit: int | None,
) -> FetchOutcome:
    start, end = place
    cut = limit is not None and end - start > limit
    end = min(end, start + limit) if limit is not None else end
    (content_hash,) = version.hashes
    stored = text.stored_range(start, end) if end > start else None
    location = EvidenceLocation(
        char_start=stored[0] if stored else None,
        char_end=stored[1] if stored else None,
        page_numbers=text.page_numbers(start, end),
    )
    return FetchOutcome(
        evidence_id=evidence_id,
        status=FetchStatus.TRUNCATED if cut else FetchStatus.PARTIAL if partial else FetchStatus.OK,
        text=text.text[start:end],
        reference=reference,
        document_key=version.doc["document_key"],
        title=version.doc["title"],
        uri=web_address(version.doc["uri"]),
        location=location,
        content_hash=content_hash,
        status_of_version="current" if content_hash == version.doc["current_content_hash"] else "superseded",
        observed_activation_seq=version.doc["activation_seq"],
        covered_range=stored,
        partial=partial,
        detail=_missing(reference) if partial else _removed(version),
    )


def _removed(version: Version) -> str | None:
    gone = version.doc["current_content_hash"] is None
    return "the document was removed since; these are the words that were cited" if gone else None


def _missing(reference: EvidenceReference) -> str | None:
    if reference.kind is ReferenceKind.CHUNK:
        return None
    return "the words after this are in chunks whose place in the text is not known"
