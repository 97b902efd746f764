"""Lost flags, found by walking all that is cited: documents, then decisions, in the order of their ids.

A flag is lost when another program dies between an activation and its flags, between claiming a queued decision and
flagging what rests on it, or records a decision while its source changes. What is found is looked at again by the
statement that flags it, so a sweep may be interrupted anywhere, and run at once with anything else.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import zip_longest

from reaffirm import ids
from reaffirm.decisions.causes import origin_of
from reaffirm.decisions.records import FLAG_FACTS, UNSIZED
from reaffirm.decisions.states import ReviewReason, ReviewState
from reaffirm.knowledge import flagging
from reaffirm.knowledge.flagging import change_of, persist
from reaffirm.store import GraphStore, Row

FIRST = ""
WINDOW = 1_000  # documents, or cited decisions, looked at by one read
BATCH = 500  # flagged by one statement

Lost = dict[str, list[str]]  # decisions to flag, by what they cite

# A marked document is worked off by batches anyhow.
DOCUMENTS = """
MATCH (doc:Document) WHERE doc.id > $after
WITH doc ORDER BY doc.id LIMIT $window
RETURN doc.id AS id, doc.activation_seq >= 2 AND doc.flagging_ms IS NULL AS suspect
"""

# Active, clear decisions on an older version than the one in force. The rows come as they are found, up to the limit.
# An OPTIONAL MATCH keeps Neo4j from beginning at the other end; the last step is none, as FalkorDB runs those row by
# row.
LOST_BY_DOCUMENT = """
UNWIND $ids AS id
OPTIONAL MATCH (doc:Document {id: id})
WITH doc
OPTIONAL MATCH (s:DecisionSupport)
WHERE s.document_node_id = doc.id AND s.recorded_activation_seq < doc.activation_seq AND s.current = true
  AND coalesce(s.flagged_seq, 0) <> doc.activation_seq
WITH doc, s
MATCH (d:Decision)-[h:HAS_SUPPORT]->(s) WHERE d.status = 'active' AND d.review_state = 'clear'
  AND ($project IS NULL OR d.project_id = $project)
RETURN DISTINCT doc.id AS id, d.id AS lost LIMIT $limit
"""

CHANGES = """
UNWIND $ids AS id
MATCH (doc:Document {id: id})
WITH doc
OPTIONAL MATCH (doc)-[has:HAS_ACTIVATION]->(a:DocumentActivation) WHERE a.activation_seq = doc.activation_seq
RETURN doc.id AS id, doc.activation_seq AS seq, doc.current_content_hash IS NULL AS removed,
  a{.id, .verb, .author, .activated_at} AS activation
"""

# Decisions that are gone, ended, or flagged without being queued, so that no review will come from them.
DECISIONS = """
MATCH (x:DecisionSupport) WHERE x.target_decision_id > $after
WITH DISTINCT x.target_decision_id AS id ORDER BY id LIMIT $window
OPTIONAL MATCH (k:Decision) WHERE k._agrag_history_record = true AND k.id = id
RETURN id, k IS NULL OR (coalesce(k.review_pending, false) = false
  AND (k.status <> 'active' OR k.review_state = 'needs_review')) AS suspect
"""

# Active, clear decisions that cite one of them.
LOST_BY_DECISION = """
UNWIND $ids AS id
OPTIONAL MATCH (s:DecisionSupport) WHERE s.target_decision_id = id AND s.current = true
WITH id, s
MATCH (d:Decision)-[h:HAS_SUPPORT]->(s) WHERE d.status = 'active' AND d.review_state = 'clear'
  AND ($project IS NULL OR d.project_id = $project)
RETURN DISTINCT id, d.id AS lost LIMIT $limit
"""

PARENTS = """
UNWIND $ids AS id
MATCH (k:Decision) WHERE k._agrag_history_record = true AND k.id = id
RETURN k{.*} AS parent
"""

# The parent among the locked ones, so that whoever clears it is seen here or sees this flag.
FLAG_DEPENDENTS = """
UNWIND $locked_ids AS locked_id
OPTIONAL MATCH (x:Decision) WHERE x._agrag_history_record = true AND x.id = locked_id
WITH x ORDER BY x.id
//@lock x
WITH collect(x) AS xs
WITH [x IN xs WHERE x.id <> $parent AND x.status = 'active' AND x.review_state = 'clear'] AS ds,
  [x IN xs WHERE x.id = $parent] AS ks
WHERE all(k IN ks WHERE coalesce(k.review_pending, false) = false
  AND (k.status <> 'active' OR k.review_state = 'needs_review'))
UNWIND ds AS d
OPTIONAL MATCH (c:Decision)-[r:DEPENDS_ON]->(d) WHERE c.status = 'active'
WITH d, count(r) AS dependents
WITH collect(CASE WHEN dependents = 0 THEN d END) AS leaves, collect(CASE WHEN dependents > 0 THEN d END) AS parents
WITH leaves, parents, [x IN parents | x.project_id] AS names
OPTIONAL MATCH (p:Project) WHERE p._agrag_history_record = true AND p.project_id IN names
WITH leaves, parents, names, p ORDER BY p.project_id
//@lock p.project_id
WITH leaves, parents, names, collect(p) AS projects
FOREACH (d IN parents | SET d.review_pending = true)
FOREACH (d IN leaves + parents | SET d += $flag)
FOREACH (p IN projects | SET p.review_incomplete = true,
  p.review_epoch = coalesce(p.review_epoch, 0) + size([x IN names WHERE x = p.project_id]))
RETURN size(leaves) + size(parents) AS flagged
"""


@dataclass
class Sweep:
    """One walk over all that is cited.

    Args:
        project_id: Raise flags of this project only; None = of all.
        limit: Raise at most so many.
        start: Where in the order of ids to begin; the walk goes round, so that walks that are cut short and begin
            anywhere look at everything in time.
    """

    store: GraphStore
    project_id: str | None = None
    limit: int = 1_000
    start: str = FIRST
    raised: int = 0

    def pages(self) -> Iterator[int]:
        """Walk on by one page at a time, by turns over documents and decisions; gives how many flags that raised."""
        documents = self._round(DOCUMENTS, LOST_BY_DOCUMENT, self._of_documents)
        decisions = self._round(DECISIONS, LOST_BY_DECISION, self._of_decisions)
        for pair in zip_longest(documents, decisions, fillvalue=0):
            yield from pair

    def _round(self, query: str, losses: str, raise_them: Callable[[Lost], int]) -> Iterator[int]:
        """From the start to the end, then from the beginning to the start."""
        after, beyond = self.start, False
        while self.raised < self.limit and not (beyond and after > self.start):
            page = self.store.read(query, after=after, window=WINDOW)
            suspects = [row["id"] for row in page if row["suspect"]]
            yield self._raise(suspects, losses, raise_them) if suspects else 0
            if page:
                after = max(row["id"] for row in page)
            elif beyond or self.start == FIRST:
                return
            else:
                after, beyond = FIRST, True

    def _raise(self, suspects: list[str], losses: str, raise_them: Callable[[Lost], int]) -> int:
        """Raise what these lost, a batch at a time."""
        raised = 0
        while self.raised < self.limit:
            room = min(BATCH, self.limit - self.raised)
            rows = self.store.read(losses, ids=suspects, project=self.project_id, limit=room)
            lost: Lost = {}
            for row in rows:
                lost.setdefault(row["id"], []).append(row["lost"])
            now = raise_them(lost)
            raised, self.raised = raised + now, self.raised + now
            if len(rows) < room or not now:
                break
        return raised

    def _of_documents(self, lost: Lost) -> int:
        changes = self.store.read(CHANGES, ids=list(lost)) if lost else []
        return sum(flagging.flag_citers(self.store, change_of(row), lost[row["id"]]) or 0 for row in changes)

    def _of_decisions(self, lost: Lost) -> int:
        rows = self.store.read(PARENTS, ids=list(lost)) if lost else []
        parents = {row["parent"]["id"]: row["parent"] for row in rows}
        return sum(self._of_decision(cited, parents.get(cited), those) for cited, those in lost.items())

    def _of_decision(self, cited: str, parent: Row | None, lost: list[str]) -> int:
        root, depth = origin_of(parent) if parent else (cited, 1)
        flag = {
            **dict.fromkeys(FLAG_FACTS),
            "review_state": ReviewState.NEEDS_REVIEW.value,
            "review_reason": ReviewReason.DEPENDENCY_REVIEW.value,
            "flagged_ms": ids.milliseconds(ids.now()),
            "change_size": UNSIZED,
            "cause_kind": "decision",
            "cause_decision_id": cited,
            "cause_root_id": root,
            "cause_depth": depth,
        }
        locked = sorted({cited, *lost})
        written = persist(lambda: self.store.write(FLAG_DEPENDENTS, locked_ids=locked, parent=cited, flag=flag))
        return int(written[0]["flagged"]) if written else 0


def sweep_lost_flags(store: GraphStore, project_id: str | None = None, *, limit: int = 1_000) -> int:
    """Raise flags that were lost, with their cause. A sweep after a whole one finds nothing.

    A flag is as old as the sweep that raises it, so never older than a verdict. Queued decisions are left to
    continue_decision_review(), and documents that batches are just working off to continue_flagging().

    Args:
        project_id: Of one project; None = of all.
        limit: At most so many.

    Returns:
        How many were raised; fewer than ``limit`` means that all was looked at.
    """
    return sum(Sweep(store, project_id, limit).pages())
