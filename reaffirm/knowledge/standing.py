"""How a document stands, and at which times each of its texts was in force."""

from collections.abc import Sequence
from datetime import datetime

from reaffirm import fields, ids
from reaffirm.knowledge.describing import known_id
from reaffirm.knowledge.fetching import until_whole
from reaffirm.knowledge.models import DocumentVersion, SourceState, SourceStatus
from reaffirm.knowledge.statements import UNFINISHED_JOBS
from reaffirm.store import GraphStore

READ_STATUS = """WITH 1 AS one
OPTIONAL MATCH (doc:Document {id: $id})
WITH doc
OPTIONAL MATCH (job:CutoverJob) WHERE job.status IN $unfinished AND job.document_key = $document_key
WITH doc, job ORDER BY job.lease_expires_at DESC LIMIT 1
WITH doc, job, properties(doc) AS known
OPTIONAL MATCH (c:Chunk)
WHERE c.document_id = $id AND c.content_hash = known.current_content_hash AND c._pending_job_id IS NULL
WITH doc, job, known, c
OPTIONAL MATCH (doc)-[part:HAS_PART]->(c) WHERE part._pending_job_id IS NULL
RETURN known AS doc, properties(job) AS job, count(part) AS parts, max(part.version_id) AS version_id"""

Interval = tuple[datetime, datetime | None]


def source_status(store: GraphStore, document_key: object) -> SourceStatus:
    """How a document stands; see Graph.source_status()."""
    node = known_id(document_key)
    if node is None:
        return SourceStatus(document_key=fields.shown(document_key), state=SourceState.UNKNOWN)
    row = until_whole(
        lambda: store.read(READ_STATUS, id=node, document_key=document_key, unfinished=UNFINISHED_JOBS)[0],
        lambda row: bool(row["parts"] or row["job"] or not (row["doc"] or {}).get("current_content_hash")),
    )
    doc, job = row["doc"] or {}, row["job"] or {}
    if job:
        late = (job.get("lease_expires_at") or 0) <= ids.milliseconds(ids.now())
        state = SourceState.FAILED if late else SourceState.PENDING
    elif not doc:
        state = SourceState.UNKNOWN
    elif not doc.get("current_content_hash"):
        state = SourceState.DELETED
    else:
        state = SourceState.CURRENT if row["parts"] else SourceState.FAILED
    return SourceStatus(
        document_key=str(document_key),
        state=state,
        content_hash=doc.get("current_content_hash"),
        activation_seq=doc.get("activation_seq"),
        version_id=row["version_id"],
        job_id=job.get("id"),
        job_status=job.get("status"),
    )


def timed(versions: Sequence[DocumentVersion]) -> tuple[DocumentVersion, ...]:
    """Activations in their order, with the times at which each text was in force.

    Told by the activations, since the parts of a version that agentic-graphrag brought back have lost their first time.
    """
    ends: list[datetime | None] = [later.activated_at for later in versions[1:]]
    ends += [None] * min(1, len(versions))
    intervals: dict[str | None, list[Interval]] = {}
    for version, end in zip(versions, ends, strict=True):
        intervals.setdefault(version.content_hash, []).append((version.activated_at, end))
    intervals.pop(None, None)  # a removal is no text
    return tuple(
        version.model_copy(update={"ended_at": end, "intervals": tuple(intervals.get(version.content_hash, ()))})
        for version, end in zip(versions, ends, strict=True)
    )
