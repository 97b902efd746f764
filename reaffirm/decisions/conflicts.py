"""Choice keys whose active decisions in different tasks reach different conclusions."""

from reaffirm.decisions.models import ConflictGroup, ConflictList
from reaffirm.decisions.records import decision_from, present
from reaffirm.store import GraphStore, Row

GROUPS = 50
SIDES = 50

# The marks are sparse: a decision carries one when recording found another conclusion on its choice. Status and
# conclusions are read again, so a mark that no longer holds costs a row and never shows a conflict. Groups first, then
# their sides.
CONFLICTS = """
MATCH (m:Decision) WHERE m.contested_in = $project AND m.choice_key >= '' AND m.status = 'active'
WITH m.choice_key AS choice_key, count(DISTINCT m.conclusion) AS conclusions, count(DISTINCT m.task_id) AS tasks
WHERE conclusions > 1 AND tasks > 1 AND ($choice_keys IS NULL OR choice_key IN $choice_keys)
WITH choice_key ORDER BY choice_key LIMIT $groups
OPTIONAL MATCH (d:Decision) WHERE d.project_id = $project AND d.status = 'active' AND d.choice_key = choice_key
WITH choice_key, d ORDER BY d.created_at DESC, d.id
WITH choice_key, collect(d)[0..$sides] AS ds
UNWIND ds AS d
MATCH (t:Task)-[m:MADE]->(d)
WITH choice_key, d, t
OPTIONAL MATCH (d)-[h:HAS_SUPPORT]->(s:DecisionSupport) WHERE s.current = true
WITH choice_key, d, t, collect(s{.*}) AS supports
RETURN choice_key, collect(d{.*, task_name: t.name, supports: supports}) AS sides ORDER BY choice_key
"""


def list_conflicts(store: GraphStore, project_id: str, choice_keys: list[str] | None = None) -> ConflictList:
    """The first 50 conflicts by choice key, each with at most 50 sides, in one read.

    Args:
        choice_keys: Only these choices.
    """
    rows = store.read(CONFLICTS, project=project_id, choice_keys=choice_keys, groups=GROUPS + 1, sides=SIDES + 1)
    groups = [_group(row) for row in rows]
    return ConflictList(groups=tuple(groups[:GROUPS]), truncated=len(groups) > GROUPS)


def _group(row: Row) -> ConflictGroup:
    sides = sorted(row["sides"], key=lambda side: (side["created_at"], side["id"]), reverse=True)
    return ConflictGroup(
        choice_key=row["choice_key"],
        decisions=tuple(
            decision_from(side, task_name=side["task_name"], supports=present(side["supports"]))
            for side in sides[:SIDES]
        ),
        truncated=len(sides) > SIDES,
    )
