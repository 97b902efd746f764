"""Decisions and supports as agentic-graphrag writes them, as far as documents have to do with them."""

from typing import Any

from reaffirm import ids
from reaffirm.knowledge.evidence import span_id
from reaffirm.store import GraphStore

MAKE_DECISION = """MERGE (p:Project {_agrag_history_record: true, project_id: $d.project_id})
ON CREATE SET p.review_incomplete = false, p.review_epoch = 0
CREATE (d:Decision)-[h:HAS_SUPPORT]->(s:DecisionSupport)
SET d = $d, s = $s
RETURN d.id AS id"""

DEPEND = """MATCH (child:Decision {_agrag_history_record: true, id: $child})
MATCH (parent:Decision {_agrag_history_record: true, id: $parent})
CREATE (child)-[r:DEPENDS_ON]->(parent)
RETURN child.id AS id"""

DECISION = "MATCH (d:Decision) WHERE d._agrag_history_record = true AND d.id = $id RETURN properties(d) AS d"
PROJECT = "MATCH (p:Project) WHERE p.project_id = $id AND p._agrag_history_record = true RETURN properties(p) AS p"
SET_DECISION = "MATCH (d:Decision {_agrag_history_record: true, id: $id}) SET d += $changes RETURN d.id AS id"


def make_decision(
    store: GraphStore,
    choice: str,
    *,
    document_key: str,
    content_hash: str,
    seq: int,
    project: str = "atlas",
    current: bool = True,
    **properties: Any,
) -> str:
    """An active, clear decision that cites the first three characters of a version; returns its id."""
    task = ids.task_id(project, "storage")
    decision = ids.decision_id(task, choice, 1)
    document = ids.document_id(document_key)
    base = {
        "_agrag_history_record": True,
        "id": decision,
        "task_id": task,
        "project_id": project,
        "choice_key": choice,
        "revision": 1,
        "status": "active",
        "review_state": "clear",
    }
    support = {
        "_agrag_history_record": True,
        "id": ids.support_id(decision, 0),
        "project_id": project,
        "kind": "document",
        "ordinal": 0,
        "current": current,
        "evidence_id": span_id(document, content_hash, 0, 3),
        "document_key": document_key,
        "document_node_id": document,
        "recorded_activation_seq": seq,
    }
    store.write(MAKE_DECISION, d=base | properties, s=support)
    return decision


def depend(store: GraphStore, child: str, parent: str) -> None:
    store.write(DEPEND, child=child, parent=parent)


def change_decision(store: GraphStore, decision: str, **changes: Any) -> None:
    store.write(SET_DECISION, id=decision, changes=changes)


def decision_of(store: GraphStore, decision: str) -> dict[str, Any]:
    return dict(store.read(DECISION, id=decision)[0]["d"])


def project_of(store: GraphStore, project: str) -> dict[str, Any]:
    return dict(store.read(PROJECT, id=project)[0]["p"])
