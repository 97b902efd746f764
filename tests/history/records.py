"""Records around a history, as other parts and agentic-graphrag write them."""

import hashlib
from typing import Any

from reaffirm import ids
from reaffirm.decisions.models import DocumentSupportInput
from reaffirm.knowledge.models import EvidenceReference, FetchOutcome, FetchStatus, ReferenceKind
from reaffirm.store import GraphStore

AT = "2026-11-30T10:44:50.122200+00:00"

ADD_VERSION = """MERGE (d:Document {id: $id})
SET d.document_key = $key, d.current_content_hash = $hash, d.activation_seq = $seq, d.title = $key
CREATE (c:Chunk) SET c = $chunk
CREATE (d)-[h:HAS_PART {version_id: $hash}]->(c)
CREATE (d)-[ha:HAS_ACTIVATION]->(a:DocumentActivation) SET a = $activation
RETURN d.id AS id"""

REMOVE = """MATCH (d:Document {id: $id})
CREATE (d)-[ha:HAS_ACTIVATION]->(a:DocumentActivation) SET a = $activation
SET d.activation_seq = $seq, d.current_content_hash = null
RETURN d.id AS id"""

ADD_DECISION = """MATCH (t:Task) WHERE t._agrag_history_record = true AND t.id = $task_id
CREATE (t)-[m:MADE]->(d:Decision) SET d = $decision
FOREACH (x IN $supports | CREATE (d)-[h:HAS_SUPPORT]->(s:DecisionSupport) SET s = x)
RETURN d.id AS id"""

DEPEND = """MATCH (d:Decision) WHERE d._agrag_history_record = true AND d.id = $id
WITH d
MATCH (p:Decision) WHERE p._agrag_history_record = true AND p.id = $parent
CREATE (d)-[r:DEPENDS_ON]->(p)
RETURN d.id AS id"""

SET_DECISION = """MATCH (d:Decision) WHERE d._agrag_history_record = true AND d.id = $id
SET d += $values
RETURN d.id AS id"""

REDACT = """MATCH (e:Event) WHERE e._agrag_history_record = true AND e.task_id = $task_id AND e.seq = $seq
SET e.payload = '[REDACTED]', e.redacted_at = $at
RETURN e.id AS id"""

DELETE_EVENT = """MATCH (e:Event) WHERE e._agrag_history_record = true AND e.task_id = $task_id AND e.seq = $seq
DETACH DELETE e RETURN 1 AS gone"""

COUNT = "MATCH (n) RETURN count(n) AS nodes"


def nodes(store: GraphStore) -> int:
    return int(store.read(COUNT)[0]["nodes"])


def task_id(name: str, project: str = "atlas") -> str:
    return ids.task_id(project, name)


def add_version(store: GraphStore, key: str, text: str, seq: int = 1) -> FetchOutcome:
    """A version of a document in one chunk, and the fetch of all of it."""
    document, digest = ids.document_id(key), hashlib.sha256(text.encode()).hexdigest()
    chunk = {
        "id": ids.chunk_id(document, digest, "chunker", 0),
        "document_id": document,
        "content_hash": digest,
        "index": 0,
        "text": text,
        "char_start": 0,
        "char_end": len(text),
        "chunker_hash": "chunker",
    }
    activation = _activation(document, "add" if seq == 1 else "update", seq, digest)
    store.write(ADD_VERSION, id=document, key=key, hash=digest, seq=seq, chunk=chunk, activation=activation)
    reference = EvidenceReference(
        kind=ReferenceKind.SPAN,
        document_node_id=document,
        content_hash_prefix=digest[:16],
        char_start=0,
        char_end=len(text),
    )
    return FetchOutcome(
        evidence_id=f"ev1:s:{document}:{digest[:16]}:0-{len(text)}",
        status=FetchStatus.OK,
        text=text,
        reference=reference,
        document_key=key,
        content_hash=digest,
        observed_activation_seq=seq,
    )


def remove(store: GraphStore, key: str, seq: int) -> None:
    document = ids.document_id(key)
    store.write(REMOVE, id=document, seq=seq, activation=_activation(document, "delete", seq, None))


def _activation(document: str, verb: str, seq: int, digest: str | None) -> dict[str, Any]:
    return {
        "id": ids.activation_id(f"{document}:{seq}"),
        "verb": verb,
        "activation_seq": seq,
        "content_hash": digest,
        "activated_at": AT,
    }


def citing(outcome: FetchOutcome) -> DocumentSupportInput:
    return DocumentSupportInput(evidence_id=outcome.evidence_id)


def add_decision(store: GraphStore, task: str, choice_key: str, conclusion: str = "Yes", **values: object) -> str:
    """An active, clear decision on an event, as agentic-graphrag writes one; ``values`` change it."""
    project = str(values.pop("project_id", "atlas"))
    decision_id = ids.decision_id(task_id(task, project), choice_key, 1)
    decision = {
        "id": decision_id,
        "task_id": task_id(task, project),
        "project_id": project,
        "choice_key": choice_key,
        "revision": 1,
        "conclusion": conclusion,
        "rationale": "It says so.",
        "assumptions": ["Current"],
        "open_questions": [],
        "author": "planner-1",
        "status": "active",
        "review_state": "clear",
        "created_at": AT,
        "_agrag_history_record": True,
        **values,
    }
    support = {
        "id": ids.support_id(decision_id, 0),
        "project_id": project,
        "kind": "event",
        "ordinal": 0,
        "current": True,
        "event_id": ids.event_id(task_id(task, project), 1),
        "task_name": task,
        "seq": 1,
        "_agrag_history_record": True,
    }
    store.write(ADD_DECISION, task_id=task_id(task, project), decision=decision, supports=[support])
    return decision_id


def depend(store: GraphStore, decision_id: str, parent: str) -> None:
    store.write(DEPEND, id=decision_id, parent=parent)


def change(store: GraphStore, decision_id: str, **values: object) -> None:
    store.write(SET_DECISION, id=decision_id, values=values)


def redact(store: GraphStore, task: str, seq: int) -> None:
    store.write(REDACT, task_id=task_id(task), seq=seq, at=AT)


def delete_event(store: GraphStore, task: str, seq: int) -> None:
    store.write(DELETE_EVENT, task_id=task_id(task), seq=seq)
