"""The statements that write documents, each whole: guards, locks, the version, its activation, the flags it raises.

Lock order: the document, then decisions by id, then projects. All reads come before the first write (FalkorDB evaluates
a filter that stands after a write before it). On Neo4j ``properties(d).status`` reads the state behind the lock, where
``d.status`` may be the value cached before it.
"""

from functools import cache

from reaffirm.knowledge.entities.storing import DROP_PURGED, PURGED, Parts

UNFINISHED_JOBS = ["pending", "rolling_back", "committed", "cleaning"]
MAX_CITERS = 20_000  # flagged by the activating statement; more are flagged in batches behind it, see flagging.py
MAX_PARTS = 10_000  # erased by one statement; agentic-graphrag refuses above it as well

_JOBS = """OPTIONAL MATCH (job:CutoverJob)
WHERE job.status IN $unfinished AND job.document_key = $document_key AND job.lease_expires_at > $now_ms
"""

# The document's properties are taken once and kept: on Neo4j, whose reads see what others commit meanwhile, its hash
# might otherwise be that of one version where its chunks are counted, and of the next where it is returned. The number
# of the activation is read once more at the end: another one means that what was counted is not of what was kept.
READ_STATE = (
    """WITH 1 AS one
OPTIONAL MATCH (doc:Document {id: $id})
WITH doc, properties(doc) AS known
"""
    + _JOBS
    + """WITH doc, known, count(job) AS jobs
OPTIONAL MATCH (a:DocumentActivation {id: $activation_id})
WITH doc, known, jobs, a
OPTIONAL MATCH (c:Chunk)
WHERE c.document_id = $id AND c.content_hash = known.current_content_hash AND c._pending_job_id IS NULL
WITH doc, known, jobs, a, c
OPTIONAL MATCH (doc)-[part:HAS_PART]->(c) WHERE part.invalid_at IS NULL AND part._pending_job_id IS NULL
WITH doc, known, jobs, a, count(part) AS parts
OPTIONAL MATCH (s:DecisionSupport) WHERE s.document_node_id = $id AND s.kind = 'document' AND s.current = true
WITH doc, known, jobs, a, parts, s
OPTIONAL MATCH (d:Decision)-[h:HAS_SUPPORT]->(s) WHERE d.status = 'active'
WITH DISTINCT doc, known, jobs, a, parts, d LIMIT $enough
WITH doc, known, jobs, a, parts, count(d) AS citers
OPTIONAL MATCH (p:Project {_agrag_history_record: true, project_id: $project_id})-[source:HAS_SOURCE]->(doc)
WITH doc, known, jobs, a, parts, citers, count(source) AS sources
RETURN known AS doc, coalesce(properties(doc).activation_seq, 0) AS seq,
  CASE WHEN a IS NULL THEN null ELSE a{.activation_seq, .content_hash, .decisions_flagged} END AS activation,
  jobs, parts, citers, sources"""
)

# Behind the lock, that of the chunks as well: an unlocked read of Neo4j may see half of what another writer commits.
_SEEN = """MATCH (doc:Document {id: $id})
//@lock doc
WITH doc
WHERE coalesce(doc.activation_seq, 0) = $seen_seq AND coalesce(doc.current_content_hash, '') = $seen_hash
  AND doc._pending_job_id IS NULL
OPTIONAL MATCH (c:Chunk)
WHERE c.document_id = $id AND c.content_hash = $seen_hash AND c._pending_job_id IS NULL
WITH doc, c
OPTIONAL MATCH (doc)-[part:HAS_PART]->(c) WHERE part.invalid_at IS NULL AND part._pending_job_id IS NULL
WITH doc, count(part) AS parts
WHERE parts = $seen_parts
WITH doc
"""

_UNKNOWN = """OPTIONAL MATCH (known:Document {id: $id})
WITH count(known) AS documents
WHERE documents = 0
WITH null AS doc
"""


# doc goes through every aggregate, also where it is still nothing: one without a key makes a row where a guard left
# none.
_FREE = (
    _JOBS
    + """WITH doc, count(job) AS jobs
WHERE jobs = 0
OPTIONAL MATCH (a:DocumentActivation {id: $activation_id})
WITH doc, count(a) AS done
WHERE done = 0
"""
)

# Whoever cites the document now, but for supports that were recorded against this very activation.
_CITERS = (
    _FREE
    + """OPTIONAL MATCH (s:DecisionSupport)
WHERE s.document_node_id = $id AND s.kind = 'document' AND s.current = true
  AND coalesce(s.recorded_activation_seq, 0) <> $seq
WITH doc, s
OPTIONAL MATCH (d:Decision)-[h:HAS_SUPPORT]->(s) WHERE d.status = 'active'
WITH DISTINCT doc, d ORDER BY d.id
//@lock d
WITH doc, d
OPTIONAL MATCH (c:Decision)-[r:DEPENDS_ON]->(d) WHERE c.status = 'active'
WITH doc, d, count(r) AS dependents
WITH doc, collect(CASE WHEN properties(d).status = 'active' AND dependents = 0 THEN d END) AS leaves,
  collect(CASE WHEN properties(d).status = 'active' AND dependents > 0 THEN d END) AS parents
WITH doc, leaves, parents, [x IN parents | x.project_id] AS names
WHERE size(leaves) + size(parents) <= $most
OPTIONAL MATCH (p:Project) WHERE p._agrag_history_record = true AND p.project_id IN names
WITH doc, leaves, parents, names, p ORDER BY p.project_id
//@lock p.project_id
WITH doc, leaves, parents, names, collect(p) AS projects
"""
)

# They are too many for one statement: facts.document marks the document, and batches flag them.
_CITERS_LATER = _FREE + "WITH doc, [] AS leaves, [] AS parents, [] AS names, [] AS projects\n"

# A waiting flag keeps its age, so that the oldest question stays the first in the queue. How much of what it cites has
# changed is not known yet (2^53 sorts behind every known size).
FLAG_ONE = """d.flagged_ms = CASE WHEN d.review_state = 'needs_review' AND d.flagged_ms IS NOT NULL
    THEN d.flagged_ms ELSE $now_ms END,
  d.review_state = 'needs_review', d.review_reason = $reason, d.flagged_by = $facts.author,
  d.cause_kind = 'document', d.cause_document_id = $id, d.cause_activation_id = $activation_id, d.cause_seq = $seq,
  d.anchor_states = null, d.words_added = null, d.words_removed = null,
  d.change_size = 9007199254740992"""

# Only who has dependents queues for propagation, so that a project without any never reads as incomplete.
FLAG = (
    "FOREACH (d IN leaves | SET "
    + FLAG_ONE
    + ")\nFOREACH (d IN parents | SET d.review_pending = true, "
    + FLAG_ONE
    + """)
FOREACH (p IN projects | SET p.review_incomplete = true,
  p.review_epoch = coalesce(p.review_epoch, 0) + size([x IN names WHERE x = p.project_id]))
"""
)

# Open parts of any other version, and those of this one that another chunker cut.
_CLOSE = """WITH doc, leaves, parents, names, projects,
  [(doc)-[part:HAS_PART]->(x) WHERE part.invalid_at IS NULL AND part._pending_job_id IS NULL
    AND (part.version_id <> $version_id OR coalesce(x.chunker_hash, $chunker_hash) <> $chunker_hash) | part] AS closing
FOREACH (part IN closing | SET part.invalid_at = $now)
"""

_ACTIVATE = """SET doc += $facts.document
CREATE (doc)-[has:HAS_ACTIVATION]->(a:DocumentActivation:_Node)
SET a = $facts.activation, a.decisions_flagged = size(leaves) + size(parents)
"""

_LINK_PROJECT = """FOREACH (x IN $facts.source_of |
  MERGE (p:Project {_agrag_history_record: true, project_id: x})
  ON CREATE SET p.review_incomplete = false, p.review_epoch = 0
  MERGE (p)-[source:HAS_SOURCE]->(doc))
"""


_DESCRIBE = "SET doc += $facts.changes\n" + _LINK_PROJECT

# A node of a version with its HAS_PART. A version that returns finds its own: the interval that ended is kept.
_PART = """
  ON CREATE SET n = x.props, n:_Node
  MERGE (doc)-[part:HAS_PART {id: x.part_id}]->(n)
  ON CREATE SET part.version_id = $version_id, part.valid_at = $now, part.source_chunk_ids = []
  ON MATCH SET part.past_intervals = CASE WHEN part.invalid_at IS NULL THEN part.past_intervals
      ELSE coalesce(part.past_intervals, []) + (part.valid_at + '/' + part.invalid_at) END,
    part.valid_at = CASE WHEN part.invalid_at IS NULL THEN part.valid_at ELSE $now END,
    part.invalid_at = null)
"""
_ORDERED = " ON CREATE SET r.order = x.order, r.source_chunk_ids = [])\n"

_VERSION = (
    "FOREACH (x IN $version.sections | MERGE (n:Section {id: x.id})"
    + _PART
    + "FOREACH (x IN $version.chunks | MERGE (n:Chunk {id: x.id})"
    + _PART
    + """FOREACH (x IN $version.document_sections | MERGE (n:Section {id: x.child})
  MERGE (doc)-[r:HAS_CHILD {id: x.id}]->(n)"""
    + _ORDERED
    + """FOREACH (x IN $version.document_chunks | MERGE (n:Chunk {id: x.child})
  MERGE (doc)-[r:HAS_CHILD {id: x.id}]->(n)"""
    + _ORDERED
    + """FOREACH (x IN $version.section_sections | MERGE (up:Section {id: x.parent}) MERGE (n:Section {id: x.child})
  MERGE (up)-[r:HAS_CHILD {id: x.id}]->(n)"""
    + _ORDERED
    + """FOREACH (x IN $version.section_chunks | MERGE (up:Section {id: x.parent}) MERGE (n:Chunk {id: x.child})
  MERGE (up)-[r:HAS_CHILD {id: x.id}]->(n)"""
    + _ORDERED
    + """FOREACH (x IN $version.next_chunks | MERGE (one:Chunk {id: x.parent}) MERGE (two:Chunk {id: x.child})
  MERGE (one)-[r:NEXT_CHUNK {id: x.id}]->(two) ON CREATE SET r.source_chunk_ids = [])
"""
)

_FLAGGED = "RETURN size(leaves) + size(parents) AS flagged"


_NO_PARTS = Parts()


def _create(citers: str, flag: str, entities: Parts = _NO_PARTS) -> str:
    made = "WITH leaves, parents, names, projects\nCREATE (doc:Document:_Node)\nSET doc.id = $id\n"
    # The stamps are of chunks that this statement makes; there is nothing of an earlier run.
    return _UNKNOWN + citers + made + _ACTIVATE + _VERSION + flag + _LINK_PROJECT + entities.fresh + _FLAGGED


def _activate(citers: str, flag: str, entities: Parts = _NO_PARTS) -> str:
    reads = _SEEN + citers + entities.stale + _CLOSE.replace("AS closing", f"AS closing{entities.carried}")
    return reads + _ACTIVATE + _VERSION + flag + _LINK_PROJECT + entities.drop + entities.fresh + _FLAGGED


def _remove(citers: str, flag: str) -> str:
    return _SEEN + citers + _CLOSE + _ACTIVATE + flag + _FLAGGED


def _purge(citers: str, flag: str) -> str:
    contents = """WITH doc, leaves, parents, names, projects, [(doc)-[part:HAS_PART]->(x) | x] AS contents
WHERE size(contents) <= $most_parts
"""
    ends = _ACTIVATE + flag + DROP_PURGED + "FOREACH (x IN contents | DETACH DELETE x)\n" + _FLAGGED
    return _SEEN + citers + contents + PURGED + ends


# The first version of a key. Of two writers at once the unique id refuses one, which then looks again.
CREATE_DOCUMENT = _create(_CITERS, FLAG)
CREATE_DOCUMENT_LATER = _create(_CITERS_LATER, "")

# A further version.
ACTIVATE_VERSION = _activate(_CITERS, FLAG)
ACTIVATE_VERSION_LATER = _activate(_CITERS_LATER, "")


@cache
def creating(entities: Parts, *, later: bool) -> str:
    """CREATE_DOCUMENT with what an extractor found in the version."""
    return _create(_CITERS_LATER, "", entities) if later else _create(_CITERS, FLAG, entities)


@cache
def activating(entities: Parts, *, later: bool) -> str:
    """ACTIVATE_VERSION with what an extractor found in the version."""
    return _activate(_CITERS_LATER, "", entities) if later else _activate(_CITERS, FLAG, entities)


@cache
def describing(entities: Parts) -> str:
    """DESCRIBE_DOCUMENT with what an extractor found in the chunks that are in force, as long as they are these."""
    return (
        _SEEN
        + """WITH doc, [(doc)-[part:HAS_PART]->(c:Chunk) WHERE part.version_id = $version_id
  AND part.invalid_at IS NULL AND c.chunker_hash = $chunker_hash | c.id] AS own
WHERE size(own) = size($entities.chunk_ids)
"""
        + entities.stale
        + _DESCRIBE
        + entities.drop
        + entities.fresh
        + "RETURN doc.id AS id"
    )


# A removal: everything is closed and nothing is deleted, so what was cited stays readable.
REMOVE_DOCUMENT = _remove(_CITERS, FLAG)
REMOVE_DOCUMENT_LATER = _remove(_CITERS_LATER, "")

# All versions go, text and all. What cited them stays and says that its text cannot be read any more.
PURGE_DOCUMENT = _purge(_CITERS, FLAG)
PURGE_DOCUMENT_LATER = _purge(_CITERS_LATER, "")

# The number of the activation is read behind the parts: what a writer does in between shows in it.
READ_PARTS = """MATCH (doc:Document {id: $id})
WITH doc
OPTIONAL MATCH (doc)-[part:HAS_PART]->(x)
WITH doc, count(part) AS parts
RETURN parts, coalesce(properties(doc).activation_seq, 0) AS seq"""

# The chunks in force that we cut, by id.
READ_OWN_CHUNKS = """MATCH (doc:Document {id: $id})
WITH doc
MATCH (doc)-[part:HAS_PART]->(c:Chunk)
WHERE part.version_id = $version_id AND part.invalid_at IS NULL AND c.chunker_hash = $chunker_hash
RETURN c.id AS id"""

# Title, address and dates: no activation, and no flag.
DESCRIBE_DOCUMENT = _SEEN + _DESCRIBE + "RETURN doc.id AS id"

READ_VERSIONS = """MATCH (doc:Document {id: $id})
WITH doc
MATCH (doc)-[has:HAS_ACTIVATION]->(a:DocumentActivation)
RETURN a{.activation_seq, .verb, .content_hash, .activated_at, activation_id: a.id} AS version
ORDER BY a.activation_seq, a.id"""
