"""Many decisions by their ids, in one read, as every list of this package shows them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reaffirm.decisions.behind import BEHIND, tell
from reaffirm.decisions.models import Decision
from reaffirm.decisions.records import QUEUED_LOOKED_AT, decision_from, present
from reaffirm.store import GraphStore, Row

# The queued decisions of the project, once for all rows, and whether a review that still spreads may reach a decision.
QUEUED = """
WITH 1 AS one
OPTIONAL MATCH (a:Decision) WHERE a.project_id = $project AND a.review_pending = true
WITH a LIMIT 101
WITH collect(a) AS queued
"""

# A decision that was kept when its task went has no task any more, and is still shown.
SEVERAL = (
    QUEUED
    + """
UNWIND $ids AS wanted
MATCH (d:Decision) WHERE d._agrag_history_record = true AND d.id = wanted AND d.project_id = $project
WITH queued, d
OPTIONAL MATCH (t:Task)-[m:MADE]->(d)
WITH queued, d, t
UNWIND (CASE WHEN size(queued) = 0 THEN [null] ELSE queued END) AS a
WITH queued, d, t, CASE WHEN a IS NULL OR a.id = d.id THEN null
  ELSE shortestPath((d)-[:DEPENDS_ON*1..]->(a)) END AS path
WITH size(queued) AS queued, d, t, count(path) AS paths
OPTIONAL MATCH (d)-[h:HAS_SUPPORT]->(s:DecisionSupport) WHERE s.current = true
WITH queued, d, t, paths, collect(s{.*}) AS supports
OPTIONAL MATCH (next:Decision)-[r:SUPERSEDES]->(d)
WITH queued, d, t, paths, supports, collect(next{.*}) AS successors, [d.id] AS looked_at
"""
    + BEHIND
    + "RETURN d{.*} AS decision, t{.name, .goal} AS task, queued, paths, supports, successors, behind"
)


@dataclass(frozen=True)
class Known:
    """A decision with what its node alone does not tell.

    Attributes:
        goal: Of its task; empty when the task is gone.
        successor: The revision that took its place.
    """

    decision: Decision
    row: Row
    goal: str
    successor: Row | None


def read_several(store: GraphStore, project_id: str, decision_ids: Iterable[str]) -> dict[str, Known]:
    """The decisions of a project by their ids; an id that the project does not have is left out."""
    wanted = list(dict.fromkeys(decision_ids))
    if not wanted:
        return {}
    rows = store.read(SEVERAL, project=project_id, ids=wanted)
    return {row["decision"]["id"]: _known(row) for row in rows}


def may_be_reached(paths: int, queued: int, supports: Iterable[Row]) -> bool:
    """Whether a review that still spreads may reach a decision, of the ``queued`` ones that were looked at.

    Args:
        paths: How many of those it rests on.
        supports: Its current ones; with more queued than were looked at, whoever cites a decision may be reached.
    """
    return paths > 0 or (queued > QUEUED_LOOKED_AT and any(each["kind"] == "decision" for each in supports))


def in_order(known: dict[str, Known], decision_ids: Sequence[str]) -> tuple[Known, ...]:
    """In the order of the ids; one that went away between two reads is left out."""
    return tuple(known[each] for each in decision_ids if each in known)


def _known(row: Row) -> Known:
    supports = present(row["supports"])
    tell([row["decision"]], row["behind"])
    task = row["task"] or {}
    decision = decision_from(
        row["decision"],
        task_name=task.get("name") or "",
        supports=supports,
        reached=may_be_reached(row["paths"], row["queued"], supports),
    )
    successors = sorted(present(row["successors"]), key=lambda each: (each["revision"], each["id"]))
    return Known(decision, row["decision"], task.get("goal") or "", successors[-1] if successors else None)
