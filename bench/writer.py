"""Records in bulk: by the thousand in one statement, where the library would write them one by one.

The rows are built by the library's own functions, so they are what its writes would have left, but for the Request of
each write: a graph whose old requests were pruned.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar

from reaffirm import ids
from reaffirm.decisions.records import UNSIZED, new_decision
from reaffirm.decisions.supports import with_ids
from reaffirm.operation import MARKER
from reaffirm.store import GraphStore

T = TypeVar("T")
Row = dict[str, Any]

BATCH = 1_000
AUTHOR = "agent-7@work.example"
AT = "2026-11-30T10:44:50.122200+00:00"

EVENTS = """
UNWIND $rows AS row
MATCH (t:Task) WHERE t._agrag_history_record = true AND t.id = row.task_id
CREATE (t)-[h:HAS_EVENT]->(e:Event) SET e = row
RETURN count(e) AS made
"""
COUNTED = """
UNWIND $rows AS row
MATCH (t:Task) WHERE t._agrag_history_record = true AND t.id = row.task_id
SET t.event_seq = row.seq
RETURN count(t) AS made
"""
DECISIONS = """
UNWIND $rows AS row
MATCH (t:Task) WHERE t._agrag_history_record = true AND t.id = row.decision.task_id
CREATE (t)-[m:MADE]->(d:Decision) SET d = row.decision
FOREACH (x IN row.supports | CREATE (d)-[h:HAS_SUPPORT]->(s:DecisionSupport) SET s = x)
RETURN count(d) AS made
"""
LINKS = """
UNWIND $rows AS row
MATCH (c:Decision) WHERE c._agrag_history_record = true AND c.id = row.child
WITH row, c
MATCH (k:Decision) WHERE k._agrag_history_record = true AND k.id = row.parent
CREATE (c)-[r:DEPENDS_ON]->(k)
RETURN count(r) AS made
"""
REPLACED = """
UNWIND $rows AS row
MATCH (c:Decision) WHERE c._agrag_history_record = true AND c.id = row.new
WITH row, c
MATCH (k:Decision) WHERE k._agrag_history_record = true AND k.id = row.old
CREATE (c)-[r:SUPERSEDES]->(k)
RETURN count(r) AS made
"""


def batches(rows: Iterable[T], size: int = BATCH) -> Iterator[list[T]]:
    """Lists of at most so many."""
    iterator = iter(rows)
    while batch := list(islice(iterator, size)):
        yield batch


def write_all(store: GraphStore, statement: str, rows: Iterable[Row]) -> int:
    """Write rows; how many. Each row makes exactly one record, or this fails."""
    written = 0
    for batch in batches(rows):
        made = store.write(statement, rows=batch)
        if not made or made[0]["made"] != len(batch):
            raise RuntimeError(f"{made} of {len(batch)} rows were written by {statement}")
        written += len(batch)
    return written


def event(task_id: str, seq: int) -> Row:
    payload = f"Event {seq}: the file was read, and the next step was chosen."
    return {
        "id": ids.event_id(task_id, seq),
        "task_id": task_id,
        "seq": seq,
        "kind": "note",
        "payload": payload,
        "payload_sha256": ids.text_digest(payload),
        "truncated": False,
        "author": AUTHOR,
        "at": AT,
        MARKER: True,
    }


def events(store: GraphStore, counts: dict[str, int]) -> int:
    """So many events for each task, by its id."""
    rows = (event(task_id, seq) for task_id, count in counts.items() for seq in range(1, count + 1))
    written = write_all(store, EVENTS, rows)
    write_all(store, COUNTED, ({"task_id": task_id, "seq": count} for task_id, count in counts.items()))
    return written


def event_support(task_id: str, task_name: str, seq: int) -> Row:
    cited = event(task_id, seq)
    return {
        "kind": "event",
        "event_id": cited["id"],
        "task_name": task_name,
        "seq": seq,
        "event_payload_sha256": cited["payload_sha256"],
        "current": True,
        MARKER: True,
    }


def decision_support(decision_id: str) -> Row:
    return {
        "kind": "decision",
        "decision_id": decision_id,
        "target_decision_id": decision_id,
        "current": True,
        MARKER: True,
    }


def decision(
    kind: str, project_id: str, task_id: str, choice_key: str, supports: list[Row], *, revision: int = 1, **more: Any
) -> Row:
    """One decision with its supports, clear and active unless ``more`` says otherwise."""
    record = new_decision(
        kind,
        task={"id": task_id, "project_id": project_id},
        choice_key=choice_key,
        revision=revision,
        conclusion=more.pop("conclusion", None) or f"Answer {choice_key} within the days that the rule names.",
        rationale="The rule names the days, and the log of the task says when the request came in.",
        assumptions=["The rule is in force"],
        open_questions=[],
        question=None,
        author=AUTHOR,
        at=AT,
    )
    record |= {"review_state": "clear", **more}
    return {"decision": record, "supports": with_ids(supports, record["id"], project_id)}


def flag_by_document(document_id: str, activation_id: str, seq: int, ms: int, words: int) -> Row:
    """What an activation leaves on a decision that cites the version before, once the words were compared."""
    return {
        "review_state": "needs_review",
        "review_reason": "source_changed",
        "flagged_ms": ms,
        "flagged_by": "agent-docs",
        "cause_kind": "document",
        "cause_document_id": document_id,
        "cause_activation_id": activation_id,
        "cause_seq": seq,
        "anchor_states": '{"edited": 1}' if words else '{"exact": 1}',
        "words_added": words,
        "words_removed": words // 2,
        "change_size": words + words // 2,
    }


def flag_by_parent(parent_id: str, root_id: str, depth: int, ms: int) -> Row:
    """What the spreading of a review leaves on a decision that cites a flagged one, once the words were compared."""
    return {
        "review_state": "needs_review",
        "review_reason": "dependency_review",
        "flagged_ms": ms,
        "cause_kind": "decision",
        "cause_decision_id": parent_id,
        "cause_root_id": root_id,
        "cause_depth": depth,
        "anchor_states": '{"exact": 1}',
        "words_added": 0,
        "words_removed": 0,
        "change_size": UNSIZED,
    }
