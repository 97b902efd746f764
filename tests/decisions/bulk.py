"""Many decisions at once: written by the thousand, where the library would write them one by one."""

from reaffirm import ids
from reaffirm.decisions.models import Decision
from reaffirm.store import GraphStore

BULK = """
MATCH (x:Decision) WHERE x._agrag_history_record = true AND x.id = $like
WITH x
MATCH (t:Task)-[m:MADE]->(x)
WITH x, t
UNWIND $rows AS row
CREATE (t)-[made:MADE]->(d:Decision) SET d = x{.*}
SET d.id = row.id, d.choice_key = row.choice_key, d.dependents = 0
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


def bulk(store: GraphStore, parent: Decision, links: list[tuple[int, int]]) -> list[str]:
    """Decisions 1 to n below a decision, which is number 0, written by the thousand; (child, parent) for each link."""
    numbers = sorted({child for child, _ in links})
    node = {0: parent.id} | {number: ids.decision_id(parent.task_id, f"bulk-{number}", 1) for number in numbers}
    rows = [{"id": node[number], "choice_key": f"bulk-{number}"} for number in numbers]
    pairs = [{"child": node[child], "parent": node[above]} for child, above in links]
    for start in range(0, len(rows), 1_000):
        store.write(BULK, like=parent.id, rows=rows[start : start + 1_000])
    for start in range(0, len(pairs), 1_000):
        store.write(LINKS, rows=pairs[start : start + 1_000])
    return [node[number] for number in numbers]
