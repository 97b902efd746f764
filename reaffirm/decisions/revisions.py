"""The history of one choice of one task: its revisions, what was said about each, and all they cite or cited."""

from collections.abc import Iterable, Mapping
from typing import Any

from reaffirm import ids
from reaffirm.decisions import cursors
from reaffirm.decisions.behind import BEHIND, tell
from reaffirm.decisions.chronicle import Word, words_on
from reaffirm.decisions.models import Decision, DecisionStatus, Support
from reaffirm.decisions.recording import Scope
from reaffirm.decisions.records import decision_from, present, support_from
from reaffirm.decisions.several import QUEUED, may_be_reached
from reaffirm.models import Instant, Model

REVISIONS = 100  # of one page
SUPPORTS = 200  # the newest of each revision; list_support_history() pages through all

# Revisions are found by their number, never along SUPERSEDES and never by time: what an import left there is looked at
# edge by edge, and a way back from the replaced decision to the one that replaces it is a cycle.
HISTORY = (
    QUEUED
    + """
MATCH (d:Decision {_agrag_history_record: true, id: $id}) WHERE d.project_id = $project
WITH queued, d
OPTIONAL MATCH (t:Task)-[m:MADE]->(d)
WITH queued, d, t
MATCH (v:Decision) WHERE v._agrag_history_record = true AND v.task_id = d.task_id AND v.choice_key = d.choice_key
  AND v.revision >= 1
WITH queued, d, t, v ORDER BY v.revision DESC, v.id
WITH queued, d, t, collect(v) AS every
WITH queued, d, t, size(every) AS number, every[0].id AS head, [x IN every WHERE x.status = 'active' | x.id] AS active,
  [x IN every WHERE x.revision < $before][0..$revisions] AS vs
UNWIND (CASE WHEN size(vs) = 0 THEN [null] ELSE vs END) AS v
UNWIND (CASE WHEN size(queued) = 0 THEN [null] ELSE queued END) AS a
WITH queued, d, t, number, head, active, v, CASE WHEN v IS NULL OR a IS NULL OR a.id = v.id OR v.status <> 'active'
  THEN null ELSE shortestPath((v)-[:DEPENDS_ON*1..]->(a)) END AS path
WITH size(queued) AS queued, d, t, number, head, active, v, count(path) AS paths
OPTIONAL MATCH (v)-[h:HAS_SUPPORT]->(s:DecisionSupport)
WITH queued, d, t, number, head, active, v, paths, s ORDER BY s.ordinal DESC
WITH queued, d, t, number, head, active, v, paths, count(s) AS cited, collect(s{.*})[0..$supports] AS supports
OPTIONAL MATCH (v)-[r:SUPERSEDES]->(o:Decision)
WITH queued, d, t, number, head, active, v, paths, cited, supports, o, CASE WHEN o IS NULL OR o.id = v.id THEN null
  ELSE shortestPath((o)-[:SUPERSEDES*1..]->(v)) END AS back
WITH queued, d, t, number, head, active, v, paths, cited, supports, collect(CASE WHEN o.project_id = $project
  THEN {id: o.id, back: CASE WHEN o.id = v.id THEN [o.id] WHEN back IS NULL THEN []
    ELSE [x IN nodes(back) | x.id] END} END) AS replaced
WITH queued, d, t, number, head, active, collect({row: v{.*}, paths: paths, cited: cited, supports: supports,
  replaced: replaced}) AS revisions, active AS looked_at
"""
    + BEHIND
    + """
RETURN d{.id, .choice_key} AS decision, t{.name} AS task, number, head, active, queued, revisions, behind
"""
)


class Revision(Model):
    """One revision, never edited, with the period in which it held.

    Attributes:
        held_from, held_until: Recorded, and rejected or replaced; held_until is None while it is active, and where the
            graph does not tell.
        said: Everything that was said about it, in order.
        supports: What it cites (``current``) and cited before reaffirmations, by ordinal; at most the newest 200.
        support_count: All of them.
        replaces: Decisions that it is marked to replace; an import may have left more than the revision before it.
    """

    decision: Decision
    held_from: Instant
    held_until: Instant | None = None
    said: tuple[Word, ...] = ()
    supports: tuple[Support, ...] = ()
    support_count: int = 0
    replaces: tuple[str, ...] = ()


class DecisionHistory(Model):
    """The choice that a decision belongs to.

    Attributes:
        head_id: The revision with the highest number. active_id: the one that is active, or None.
        revisions: The highest number first. count: all. next_before_revision: where the next page begins.
        cycle: Ids of decisions that replace one another in a ring, which only an import can have left; empty as a rule.
    """

    found: bool
    decision_id: str = ""
    task_name: str = ""
    choice_key: str = ""
    head_id: str = ""
    active_id: str | None = None
    revisions: tuple[Revision, ...] = ()
    count: int = 0
    next_before_revision: int | None = None
    cycle: tuple[str, ...] = ()


def decision_history(scope: Scope, decision_id: str, *, before_revision: int | None) -> DecisionHistory:
    """The history of the choice of a decision; see DecisionTraces.decision_history()."""
    if not ids.is_uuid(decision_id):
        return DecisionHistory(found=False)
    rows = scope.store.read(
        HISTORY,
        id=decision_id,
        project=scope.project_id,
        before=cursors.bounded(before_revision, 1, 2**53, 2**53),
        revisions=REVISIONS + 1,
        supports=SUPPORTS,
    )
    if not rows:
        return DecisionHistory(found=False)
    row = rows[0]
    task_name = (row["task"] or {}).get("name") or ""
    found = [each for each in row["revisions"] if each["row"] and each["row"].get("id")]
    found.sort(key=lambda each: (-each["row"]["revision"], each["row"]["id"]))
    tell((each["row"] for each in found), row["behind"])
    page = found[:REVISIONS]
    successors = {known["id"]: each["row"] for each in reversed(found) for known in present(each["replaced"])}
    return DecisionHistory(
        found=True,
        decision_id=row["decision"]["id"],
        task_name=task_name,
        choice_key=row["decision"]["choice_key"],
        head_id=row["head"],
        active_id=next(iter(row["active"]), None),
        revisions=tuple(_revision(each, successors.get(each["row"]["id"]), task_name, row["queued"]) for each in page),
        count=row["number"],
        next_before_revision=page[-1]["row"]["revision"] if len(found) > REVISIONS else None,
        cycle=_cycle(found),
    )


def _revision(found: Mapping[str, Any], successor: Mapping[str, Any] | None, task_name: str, queued: int) -> Revision:
    supports = sorted((support_from(each) for each in present(found["supports"])), key=lambda each: each.ordinal)
    current = [each.model_dump() for each in supports if each.current]
    decision = decision_from(
        found["row"], task_name=task_name, supports=current, reached=may_be_reached(found["paths"], queued, current)
    )
    said = words_on(found["row"], supports, successor)
    return Revision(
        decision=decision,
        held_from=decision.created_at,
        held_until=None if decision.status is DecisionStatus.ACTIVE else said[-1].at,
        said=said,
        supports=tuple(supports),
        support_count=found["cited"],
        replaces=tuple(each["id"] for each in present(found["replaced"])),
    )


def _cycle(found: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """The ring through the newest revision that is in one."""
    return next((tuple(known["back"]) for each in found for known in present(each["replaced"]) if known["back"]), ())
