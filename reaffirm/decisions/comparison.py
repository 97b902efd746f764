"""How much of what a flagged decision cites has changed: counted once after an activation and stored with the flag.

Anchors cannot be found in Cypher, so the queue shows what was stored here, and says "not compared yet" until then. The
size of the change, by which the queue can be sorted, is the number of words added and removed. A flag that no change of
a cited text raised has none: a parent in doubt is no small change. It sorts last, as one not compared yet.

Flags that cite the same versions are compared together: each text is read and taken apart once for all of them.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from reaffirm.decisions.models import ReviewReason
from reaffirm.decisions.passages import Passage, Versions, passage_of, versions_from
from reaffirm.decisions.reading import VERSIONS_READ
from reaffirm.decisions.records import UNSIZED, present, support_from, undamaged
from reaffirm.knowledge.anchors import Reading
from reaffirm.knowledge.diff import words_that_changed
from reaffirm.store import GraphStore, Row

READ = 1_000  # flags read, and written, by one statement
TEXTS = 10  # versions in memory at once, where no flag cites more

UNCOMPARED = """
MATCH (d:Decision) WHERE d.project_id = $project AND d.status = 'active' AND d.review_state = 'needs_review'
  AND d.anchor_states IS NULL
RETURN d.id AS id, d.flagged_ms AS flagged_ms ORDER BY flagged_ms, id LIMIT $limit
"""

CITED = """
UNWIND $decision_ids AS decision_id
MATCH (d:Decision) WHERE d._agrag_history_record = true AND d.id = decision_id
WITH d
OPTIONAL MATCH (d)-[h:HAS_SUPPORT]->(s:DecisionSupport) WHERE s.current = true AND s.kind = 'document'
WITH d, s
OPTIONAL MATCH (doc:Document {id: s.document_node_id})
RETURN d.id AS id, d.review_reason AS reason, d.cause_activation_id AS cause,
  collect(s{.*, document: doc{.id, .document_key, .current_content_hash}}) AS supports
"""

# Only onto the very flag that was compared: an activation in between removes the facts and names itself as the cause.
COMPARED = """
UNWIND $rows AS row
MATCH (d:Decision) WHERE d._agrag_history_record = true AND d.id = row.id
WITH row, d ORDER BY d.id
//@lock d
WITH row, d WHERE d.status = 'active' AND d.review_state = 'needs_review'
  AND coalesce(d.cause_activation_id, '') = row.cause
SET d += row.facts
RETURN d.id AS id
"""

Key = tuple[str, str]  # a version: its document and its hash


def compare_flags(store: GraphStore, project_id: str, *, limit: int = READ) -> int:
    """Compare at most ``limit`` flags whose cited passages were not looked at yet. Returns how many were compared.

    More at once is quicker where many cite the same text, and takes no more memory.
    """
    found = store.read(UNCOMPARED, project=project_id, limit=limit)
    compared = 0
    for flags in _batches(found, READ):
        rows = store.read(CITED, decision_ids=[each["id"] for each in flags])
        compared += sum(_compare(store, each) for each in _together(rows))
    return compared


def _together(rows: list[Row]) -> Iterator[list[Row]]:
    """Flags whose texts fit into memory, those of the same texts beside one another."""
    group: list[Row] = []
    held: set[Key] = set()
    for row in sorted(rows, key=lambda each: sorted(_versions_of(each))):
        needed = _versions_of(row)
        if group and len(held | needed) > TEXTS:
            yield group
            group, held = [], set()
        group.append(row)
        held |= needed
    if group:
        yield group


def _versions_of(row: Row) -> set[Key]:
    """The versions that a flag cites, and those in force now."""
    supports = present(row["supports"])
    cited = {(each["document_node_id"], each["content_hash"] or "") for each in supports}
    now = {(each["document_node_id"], (each["document"] or {}).get("current_content_hash") or "") for each in supports}
    return {version for version in cited | now if version[1]}


def _compare(store: GraphStore, rows: list[Row]) -> int:
    pairs = [{"doc": doc, "hash": found} for doc, found in sorted(set().union(*map(_versions_of, rows)))]
    chunks = [each["chunk"] for each in store.read(VERSIONS_READ, pairs=pairs)] if pairs else []
    versions, reading = versions_from(undamaged(chunks, "text")), Reading()
    facts = [{"id": row["id"], "cause": row["cause"] or "", "facts": _facts(row, versions, reading)} for row in rows]
    return len(store.write(COMPARED, rows=facts))


def _facts(row: Row, versions: Versions, reading: Reading) -> dict[str, Any]:
    """The document citations by anchor state, and the words added and removed in the cited passages."""
    passages = [
        passage_of(support_from(each), each["document"], versions, reading) for each in present(row["supports"])
    ]
    states, added, removed = _change(passages)
    by_text = bool(passages) and row["reason"] != ReviewReason.DEPENDENCY_REVIEW
    return {
        "anchor_states": json.dumps(states, sort_keys=True),
        "words_added": added,
        "words_removed": removed,
        "change_size": added + removed if added + removed or by_text else UNSIZED,
    }


def _change(passages: Iterable[Passage]) -> tuple[Mapping[str, int], int, int]:
    states: Counter[str] = Counter()
    added = removed = 0
    for passage in passages:
        states[passage.anchor.state.value] += 1
        more, fewer = words_that_changed(passage.cited_text or "", passage.current_text or "")
        added, removed = added + more, removed + fewer
    return dict(states), added, removed


def _batches(rows: list[Row], size: int) -> Iterator[list[Row]]:
    iterator = iter(rows)
    while batch := list(islice(iterator, size)):
        yield batch
