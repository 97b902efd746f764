"""One attempt to add, update or remove a document: read how it stands, decide, and run one guarded statement."""

from dataclasses import asdict, dataclass, field
from typing import Any, Literal
from uuid import uuid4

from reaffirm import fields, ids
from reaffirm.knowledge import statements as cypher
from reaffirm.knowledge.content import Content, Source
from reaffirm.knowledge.describing import Description
from reaffirm.knowledge.entities import storing
from reaffirm.knowledge.entities.findings import Findings, Reader
from reaffirm.knowledge.ingestion import CHUNKER_HASH, SCHEMA, Version, version_of
from reaffirm.knowledge.models import IngestResult
from reaffirm.retention import erased
from reaffirm.store import GraphStore

NEW_VERSION, METADATA_ONLY, NO_OP, REMOVED = "new_version", "metadata_only", "no_op", "removed"
IN_PLACE = "in_place"  # the same text, read by another extractor


@dataclass(frozen=True)
class Job:
    """One call. Its activation id is made once, so that a second attempt finds what the first one did.

    Attributes:
        verb: add, update or delete, as called.
    """

    document_key: str
    document_id: str
    verb: str
    job_id: str
    author: str | None = None
    project_id: str | None = None
    description: Description = field(default_factory=Description)

    @property
    def activation_id(self) -> str:
        return ids.activation_id(self.job_id)


def job_of(
    document_key: str,
    verb: str,
    author: str | None,
    project_id: str | None = None,
    description: Description | None = None,
) -> Job:
    """Check the arguments of a call.

    Raises:
        ValueRefused: One of them is not acceptable.
    """
    key = fields.document_key("document_key", document_key)
    return Job(
        document_key=key,
        document_id=ids.document_id(key),
        verb=verb,
        job_id=str(uuid4()),
        author=None if author is None else fields.name("author", author),
        project_id=None if project_id is None else fields.name("project_id", project_id),
        description=description or Description(),
    )


@dataclass(frozen=True)
class Seen:
    """The document as the attempt found it.

    Attributes:
        doc: Its properties; None when it does not exist.
        done: The activation of this very call, when an earlier attempt was applied after all.
        jobs: Unfinished jobs of agentic-graphrag on it.
        parts: Chunks of the current version that can be read.
        citers: Active decisions that cite it, counted to one more than a statement may flag.
        linked: The project of the call has it among its sources.
    """

    doc: dict[str, Any] | None
    done: dict[str, Any] | None
    jobs: int
    parts: int
    citers: int
    linked: bool

    @property
    def seq(self) -> int:
        return int((self.doc or {}).get("activation_seq") or 0)

    @property
    def hash(self) -> str:
        return str((self.doc or {}).get("current_content_hash") or "")

    @property
    def later(self) -> bool:
        """Whether those who cite it are flagged in batches, behind the activating statement."""
        return self.citers > cypher.MAX_CITERS

    @property
    def live(self) -> bool:
        return bool(self.hash) and self.parts > 0


def see(store: GraphStore, job: Job, now: str) -> Seen | None:
    """How the document stands, with one read; None when another writer moved it on meanwhile (on Neo4j)."""
    row = store.read(
        cypher.READ_STATE,
        id=job.document_id,
        document_key=job.document_key,
        activation_id=job.activation_id,
        project_id=job.project_id,
        unfinished=cypher.UNFINISHED_JOBS,
        now_ms=ids.milliseconds(now),
        enough=cypher.MAX_CITERS + 2,  # one more than may be flagged, and a row of none for who is not active
    )[0]
    seen = Seen(row["doc"], row["activation"], row["jobs"], row["parts"], row["citers"], row["sources"] > 0)
    return seen if seen.seq == row["seq"] else None


def ingest(store: GraphStore, job: Job, source: Source, reader: Reader | None = None) -> IngestResult | None:
    """Add or update once; None when the world moved between the read and the write.

    Args:
        reader: Finds entities in a version, which are written with it.

    Raises:
        ValueRefused: The file cannot be read.
        ExtractionFailed: The extractor failed.
    """
    now = ids.now()
    seen = see(store, job, now)
    if seen is None:
        return None
    if seen.done:
        return _earlier(job, seen, seen.done, NEW_VERSION, seen.parts)
    if seen.doc is None and job.verb == "update":
        return _refused(job, "document_not_found")
    content = source.content((seen.doc or {}).get("media_type"))
    if seen.doc and seen.live and seen.hash == content.content_hash:
        if reader and seen.doc.get("extraction_fingerprint") != reader.vocabulary.fingerprint:
            again = _read_again(store, job, seen, seen.doc, content, reader, now)
            if again is not False:
                return again
        return _describe(store, job, seen, seen.doc, now)
    refusal = _hindrance(job, seen)
    if refusal:
        return refusal
    if job.project_id and erased.is_erased(store, job.project_id, content.text, content.content_hash):
        return _refused(job, "erased", "this text was redacted in the project")
    version = version_of(job.document_key, content, now=now, ft_fields=store.kind == "falkordb")
    return _activate(store, job, seen, version, now, content, reader)


def remove(store: GraphStore, job: Job) -> IngestResult | None:
    """Remove once; None when the world moved between the read and the write."""
    seen = see(store, job, ids.now())
    if seen is None:
        return None
    if seen.doc is not None and not seen.done and not seen.live:
        return _result(job, NO_OP, seen.seq)
    statement = cypher.REMOVE_DOCUMENT_LATER if seen.later else cypher.REMOVE_DOCUMENT
    return _ended(store, job, seen, statement, "delete", {"version_id": ""})  # of no version: all is closed


def purge(store: GraphStore, job: Job) -> IngestResult | None:
    """Erase all versions once; None when the world moved between the reads and the write."""
    seen = see(store, job, ids.now())
    parts = store.read(cypher.READ_PARTS, id=job.document_id)
    if seen is None or (parts and parts[0]["seq"] != seen.seq and not seen.done):
        return None
    if seen.doc is not None and not seen.done and not parts[0]["parts"]:
        return _result(job, NO_OP, seen.seq)
    if parts and parts[0]["parts"] > cypher.MAX_PARTS:
        detail = f"The document has {parts[0]['parts']:,} parts; {cypher.MAX_PARTS:,} can be erased at once."
        return _refused(job, "too_many_parts", detail)
    statement = cypher.PURGE_DOCUMENT_LATER if seen.later else cypher.PURGE_DOCUMENT
    return _ended(store, job, seen, statement, "purge", {"most_parts": cypher.MAX_PARTS})


def _ended(
    store: GraphStore, job: Job, seen: Seen, statement: str, verb: str, more: dict[str, Any]
) -> IngestResult | None:
    """End what is in force of a document, and flag who cites it."""
    if seen.done:
        return _earlier(job, seen, seen.done, REMOVED, 0)
    if seen.doc is None:
        return _refused(job, "document_not_found")
    refusal = _hindrance(job, seen)
    if refusal:
        return refusal
    now = ids.now()
    rows = store.write(
        statement,
        **_common(job, seen, now),
        facts=_facts(job, seen, now, verb) | {"document": _moved(seen, now) | {"current_content_hash": None}},
        reason="source_removed",
        **more,
    )
    if not rows:
        return None
    return _result(job, REMOVED, seen.seq + 1, flagged=rows[0]["flagged"], unfinished=seen.later)


def _activate(
    store: GraphStore, job: Job, seen: Seen, version: Version, now: str, content: Content, reader: Reader | None
) -> IngestResult | None:
    known = seen.doc is not None
    facts = _facts(job, seen, now, "update" if known and (seen.live or job.verb == "update") else "add")
    facts["activation"] |= {"content_hash": version.content_hash, "version_id": version.version_id}
    facts["document"] = _document(job, seen, now) | {
        "current_content_hash": version.content_hash,
        "media_type": content.media_type,
        "extraction_fingerprint": reader.vocabulary.fingerprint if reader else None,
    }
    findings = reader.read(version) if reader else None
    rows = store.write(
        _statement(known, seen.later, reader),
        **_common(job, seen, now),
        **_entities(store, job, reader, findings, now),
        facts=facts,
        version={"sections": version.sections, "chunks": version.chunks, **asdict(version.links)},
        version_id=version.version_id,
        reason="source_changed",
    )
    if not rows:
        return None
    return _result(
        job,
        NEW_VERSION,
        seen.seq + 1,
        version.content_hash,
        chunks=len(version.chunks),
        flagged=rows[0]["flagged"],
        unfinished=seen.later,
        findings=findings,
    )


def _statement(known: bool, later: bool, reader: Reader | None) -> str:
    if reader:
        parts = storing.parts_for(reader.vocabulary)
        return cypher.activating(parts, later=later) if known else cypher.creating(parts, later=later)
    if known:
        return cypher.ACTIVATE_VERSION_LATER if later else cypher.ACTIVATE_VERSION
    return cypher.CREATE_DOCUMENT_LATER if later else cypher.CREATE_DOCUMENT


def _entities(
    store: GraphStore, job: Job, reader: Reader | None, findings: Findings | None, now: str
) -> dict[str, dict[str, Any]]:
    """The parameters of the parts for entities, with one read: which of them the graph knows already."""
    if reader is None or findings is None:
        return {}
    keys = sorted(findings.entities)
    known = {row["key"]: row["id"] for row in store.read(storing.READ_ALIASES, keys=keys)} if keys else {}
    return storing.records(
        findings,
        reader.vocabulary,
        known,
        document_id=job.document_id,
        now=now,
        ft_fields=store.kind == "falkordb",
    )


def _read_again(
    store: GraphStore, job: Job, seen: Seen, doc: dict[str, Any], content: Content, reader: Reader, now: str
) -> IngestResult | Literal[False] | None:
    """The text is the current one and another extractor, or none, has read it. False where its chunks are not ours."""
    version = version_of(job.document_key, content, now=now, ft_fields=store.kind == "falkordb")
    rows = store.read(
        cypher.READ_OWN_CHUNKS, id=job.document_id, version_id=version.version_id, chunker_hash=CHUNKER_HASH
    )
    if sorted(row["id"] for row in rows) != sorted(str(chunk["id"]) for chunk in version.chunks):
        return False
    findings = reader.read(version)
    changes, link = _changes(job, seen, doc)
    written = store.write(
        cypher.describing(storing.parts_for(reader.vocabulary)),
        id=job.document_id,
        seen_seq=seen.seq,
        seen_hash=seen.hash,
        seen_parts=seen.parts,
        version_id=version.version_id,
        chunker_hash=CHUNKER_HASH,
        now=now,
        facts={
            "changes": changes | {"updated_at": now, "extraction_fingerprint": reader.vocabulary.fingerprint},
            "source_of": [job.project_id] if link else [],
        },
        **_entities(store, job, reader, findings, now),
    )
    if not written:
        return None
    return _result(job, IN_PLACE, seen.seq, seen.hash, chunks=seen.parts, findings=findings)


def _changes(job: Job, seen: Seen, doc: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    """What describes the document otherwise now, and whether the project is to be linked."""
    changes = {name: value for name, value in job.description.properties().items() if doc.get(name) != value}
    return changes, job.project_id is not None and not seen.linked


def _describe(store: GraphStore, job: Job, seen: Seen, doc: dict[str, Any], now: str) -> IngestResult | None:
    """The text is the current one: only what describes it may differ."""
    changes, link = _changes(job, seen, doc)
    if changes or link:
        rows = store.write(
            cypher.DESCRIBE_DOCUMENT,
            id=job.document_id,
            seen_seq=seen.seq,
            seen_hash=seen.hash,
            seen_parts=seen.parts,
            facts={
                "changes": changes | {"updated_at": now} if changes else {},
                "source_of": [job.project_id] if link else [],
            },
        )
        if not rows:
            return None
    return _result(job, METADATA_ONLY if changes else NO_OP, seen.seq, seen.hash, chunks=seen.parts)


def _document(job: Job, seen: Seen, now: str) -> dict[str, Any]:
    """What the new version sets on the document. What the caller did not name stays."""
    described = {**_moved(seen, now), **SCHEMA, **job.description.properties()}
    if seen.doc is not None:
        return described
    key = {"document_key": job.document_key, "uri": job.document_key}
    return {**key, "title": job.document_key.rsplit("/", 1)[-1] or job.document_key, **described}


def _moved(seen: Seen, now: str) -> dict[str, Any]:
    """What every activation sets: its number, and the mark where it leaves flags to batches (null takes one away)."""
    marked = ids.milliseconds(now) if seen.later else None
    return {"updated_at": now, "activation_seq": seen.seq + 1, "flagging_ms": marked}


def _common(job: Job, seen: Seen, now: str) -> dict[str, Any]:
    """What the guards and the flags of every activating statement ask for."""
    return {
        "id": job.document_id,
        "document_key": job.document_key,
        "seen_seq": seen.seq,
        "seen_hash": seen.hash,
        "seen_parts": seen.parts,
        "seq": seen.seq + 1,
        "activation_id": job.activation_id,
        "chunker_hash": CHUNKER_HASH,
        "unfinished": cypher.UNFINISHED_JOBS,
        "most": cypher.MAX_CITERS,
        "now": now,
        "now_ms": ids.milliseconds(now),
    }


def _facts(job: Job, seen: Seen, now: str, verb: str) -> dict[str, Any]:
    """The activation, who does it, and for which project."""
    activation: dict[str, Any] = {
        "id": job.activation_id,
        "document_key": job.document_key,
        "verb": verb,
        "activation_seq": seen.seq + 1,
        "activated_at": now,
        "job_id": job.job_id,
    }
    activation |= {"previous_content_hash": seen.hash} if seen.hash else {}
    activation |= {"author": job.author} if job.author else {}
    source_of = [job.project_id] if job.project_id else []
    return {"activation": activation, "author": job.author, "source_of": source_of}


def _hindrance(job: Job, seen: Seen) -> IngestResult | None:
    """Why the document cannot get a new version now."""
    if seen.jobs:
        return _refused(job, "document_busy")
    if seen.doc and seen.doc.get("_pending_job_id") is not None:
        detail = "agentic-graphrag began to write this document and did not finish; open the graph with it once"
        return _refused(job, "document_busy", detail)
    return None


def _refused(job: Job, error: str, detail: str | None = None) -> IngestResult:
    return IngestResult(
        recorded=False, error=error, detail=detail, document_key=job.document_key, document_id=job.document_id
    )


def _earlier(job: Job, seen: Seen, done: dict[str, Any], decision: str, parts: int) -> IngestResult:
    """What an attempt did whose answer was lost."""
    return _result(
        job,
        decision,
        done["activation_seq"],
        done.get("content_hash"),
        chunks=parts,
        flagged=int(done.get("decisions_flagged") or 0),
        unfinished=(seen.doc or {}).get("flagging_ms") is not None,
    )


def _result(
    job: Job,
    decision: str,
    seq: int,
    content_hash: str | None = None,
    *,
    chunks: int = 0,
    flagged: int = 0,
    unfinished: bool = False,
    findings: Findings | None = None,
) -> IngestResult:
    return IngestResult(
        recorded=True,
        document_key=job.document_key,
        document_id=job.document_id,
        decision=decision,
        content_hash=content_hash,
        activation_seq=seq,
        chunks=chunks,
        flagged=flagged,
        unfinished=unfinished,
        entities=len(findings.entities) if findings else 0,
        left_out=findings.left_out if findings else 0,
    )
