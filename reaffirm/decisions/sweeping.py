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
from reaffirm.decisions.records import FLAG_FACTS
from reaffirm.decisions.states import ReviewReason, ReviewState
from reaffirm.knowledge import flagging
from reaffirm.knowledge.flagging import persist
from reaffirm.store import GraphStore, Row

FIRST = ""
DOCUMENTS = 500  # looked at by one read
CITED = 2_000
BATCH = 500  # flagged by one statement

# Active, clear decisions on an older version than the one in force. A marked document is worked off by batches anyhow.
LOST_BY_DOCUMENT = """
MATCH (doc:Document) WHERE doc.id > $after
WITH doc ORDER BY doc.id LIMIT $window
OPTIONAL MATCH (s:DecisionSupport)
WHERE s.document_node_id = doc.id AND s.recorded_activation_seq < doc.activation_seq
WITH doc, s
OPTIONAL MATCH (d:Decision)-[h:HAS_SUPPORT]->(s) WHERE s.current = true AND doc.flagging_ms IS NULL
  AND d.status = 'active' AND d.review_state = 'clear' AND ($project IS NULL OR d.project_id = $project)
WITH doc, collect(DISTINCT d.id)[0..$limit] AS lost
OPTIONAL MATCH (doc)-[has:HAS_ACTIVATION]->(a:DocumentActivation)
  WHERE size(lost) > 0 AND a.activation_seq = doc.activation_seq
RETURN doc.id AS id, doc.activation_seq AS seq, doc.current_content_hash IS NULL AS removed,
  a{.id, .verb, .author, .activated_at} AS activation, lost ORDER BY id
"""

# Active, clear decisions that cite one which is gone, ended, or flagged without being queued: no review will come.
LOST_BY_DECISION = """
MATCH (x:DecisionSupport) WHERE x.target_decision_id > $after
WITH DISTINCT x.target_decision_id AS cited ORDER BY cited LIMIT $window
OPTIONAL MATCH (k:Decision) WHERE k._agrag_history_record = true AND k.id = cited
WITH cited, k, CASE WHEN k IS NULL THEN true WHEN k.review_pending = true THEN false
  ELSE k.status <> 'active' OR k.review_state = 'needs_review' END AS doubtful
OPTIONAL MATCH (s:DecisionSupport)
WHERE s.target_decision_id = CASE WHEN doubtful THEN cited ELSE null END AND s.current = true
WITH cited, k, s
OPTIONAL MATCH (d:Decision)-[h:HAS_SUPPORT]->(s) WHERE d.status = 'active' AND d.review_state = 'clear'
  AND ($project IS NULL OR d.project_id = $project)
RETURN cited AS id, k{.*} AS parent, collect(DISTINCT d.id)[0..$limit] AS lost ORDER BY id
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
        """Walk on by one read at a time, by turns over documents and decisions; gives how many flags that raised."""
        for pair in zip_longest(self._round(self._documents), self._round(self._decisions), fillvalue=0):
            yield from pair

    def _round(self, page: Callable[[str], tuple[int, str | None]]) -> Iterator[int]:
        after: str | None = self.start
        while after is not None and self.raised < self.limit:
            raised, after = page(after)
            yield raised
        after = FIRST if self.start > FIRST else None
        while after is not None and after <= self.start and self.raised < self.limit:
            raised, after = page(after)
            yield raised

    def _documents(self, after: str) -> tuple[int, str | None]:
        found = self._read(LOST_BY_DOCUMENT, after, window=DOCUMENTS)
        raised = sum(self._of_document(row) for row in found)
        return raised, self._next(found, raised, after)

    def _decisions(self, after: str) -> tuple[int, str | None]:
        found = self._read(LOST_BY_DECISION, after, window=CITED)
        raised = sum(self._of_decision(row) for row in found)
        return raised, self._next(found, raised, after)

    def _read(self, query: str, after: str, **size: int) -> list[Row]:
        return self.store.read(query, after=after, project=self.project_id, limit=BATCH, **size)

    def _next(self, found: list[Row], raised: int, after: str) -> str | None:
        """Where the next page begins: here again while there may be more of one document or decision."""
        if raised and any(len(row["lost"]) == BATCH for row in found):
            return after
        return found[-1]["id"] if found else None

    def _of_document(self, row: Row) -> int:
        lost = row["lost"][: self.limit - self.raised]
        raised = (flagging.flag_citers(self.store, flagging.change_of(row), lost) or 0) if lost else 0
        self.raised += raised
        return raised

    def _of_decision(self, row: Row) -> int:
        lost = row["lost"][: self.limit - self.raised]
        if not lost:
            return 0
        parent = row["parent"] if row["parent"] and row["parent"].get("id") else None
        root, depth = origin_of(parent) if parent else (row["id"], 1)
        flag = {
            **dict.fromkeys(FLAG_FACTS),
            "review_state": ReviewState.NEEDS_REVIEW.value,
            "review_reason": ReviewReason.DEPENDENCY_REVIEW.value,
            "flagged_ms": ids.milliseconds(ids.now()),
            "cause_kind": "decision",
            "cause_decision_id": row["id"],
            "cause_root_id": root,
            "cause_depth": depth,
        }
        locked = sorted({row["id"], *lost})
        written = persist(lambda: self.store.write(FLAG_DEPENDENTS, locked_ids=locked, parent=row["id"], flag=flag))
        raised = int(written[0]["flagged"]) if written else 0
        self.raised += raised
        return raised


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
