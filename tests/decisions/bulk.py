"""Many decisions at once: written by the thousand, where the library would write them one by one."""

from reaffirm import ids
from reaffirm.decisions.models import Decision
from reaffirm.store import GraphStore

LIKE = "MATCH (d:Decision) WHERE d._agrag_history_record = true AND d.id = $id RETURN d{.*} AS d"
BULK = """
MATCH (t:Task) WHERE t._agrag_history_record = true AND t.id = $task_id
UNWIND $rows AS row
CREATE (t)-[made:MADE]->(d:Decision) SET d = row
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
    like = store.read(LIKE, id=parent.id)[0]["d"] | {"dependents": 0}
    rows = [like | {"id": node[number], "choice_key": f"bulk-{number}"} for number in numbers]
    pairs = [{"child": node[child], "parent": node[above]} for child, above in links]
    for start in range(0, len(rows), 1_000):
        store.write(BULK, task_id=parent.task_id, rows=rows[start : start + 1_000])
    for start in range(0, len(pairs), 1_000):
        store.write(LINKS, rows=pairs[start : start + 1_000])
    return [node[number] for number in numbers]
