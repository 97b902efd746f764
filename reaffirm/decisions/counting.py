"""What the orders of the queue sort by, added to flags that lack it or that another program made wrong."""

from reaffirm.decisions.records import UNSIZED
from reaffirm.store import GraphStore

BATCH = 500

UNCOUNTED = """
MATCH (d:Decision) WHERE d.project_id = $project AND d.status = 'active' AND d.review_state = 'needs_review'
WITH d
OPTIONAL MATCH (c:Decision)-[r:DEPENDS_ON]->(d) WHERE c.status = 'active'
WITH d, count(DISTINCT c) AS counted
WHERE d.dependents IS NULL OR d.dependents <> counted OR d.change_size IS NULL
RETURN d.id AS id LIMIT $limit
"""

# Behind the lock, which every writer takes that changes the number, so that it is counted right.
COUNT = """
MATCH (d:Decision) WHERE d._agrag_history_record = true AND d.id IN $ids
WITH d ORDER BY d.id
//@lock d
WITH d WHERE d.status = 'active'
OPTIONAL MATCH (c:Decision)-[r:DEPENDS_ON]->(d) WHERE c.status = 'active'
WITH d, count(DISTINCT c) AS counted
WITH d, counted, properties(d) AS known
WITH d, counted, CASE WHEN known.review_state <> 'needs_review' THEN null
  WHEN known.change_size IS NOT NULL THEN known.change_size
  WHEN known.words_added + known.words_removed > 0 THEN known.words_added + known.words_removed
  ELSE $unsized END AS change_size
SET d.dependents = counted, d.change_size = change_size
RETURN count(d) AS counted
"""


def count_flags(store: GraphStore, project_id: str, *, limit: int) -> int:
    """Give at most ``limit`` flags their number of dependents and a size of change. Returns how many got them."""
    done = 0
    while done < limit:
        found = store.read(UNCOUNTED, project=project_id, limit=min(BATCH, limit - done))
        if not found:
            break
        written = store.write(COUNT, ids=[row["id"] for row in found], unsized=UNSIZED)
        counted = int(written[0]["counted"]) if written else 0
        done += counted
        if not counted:
            break
    return done
