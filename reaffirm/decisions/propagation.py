"""Spreading a review: what rests on a flagged, superseded or rejected decision gets flagged, a bounded step at a time.

One statement claims queued decisions, flags their dependents and tells whether anything is left. It keeps to
agentic-graphrag's epoch, cursor and pending fields, so either product goes on where the other stopped, and it is safe
to interrupt anywhere and to run from many workers at once.
"""

import random
import time

from reaffirm import ids
from reaffirm.operation import TRIES
from reaffirm.store import GraphStore, OutcomeUnknown, StoreConflict

PARENTS = 10  # decisions claimed by one statement
CHILDREN = 500  # dependents that it flags, shared evenly; a longer list goes on from the cursor

# On Neo4j properties(x).y reads the state behind the lock; x.y may be what an index or a predicate read before it.
STEP = """
MATCH (p:Project) WHERE p._agrag_history_record = true AND p.project_id = $project
WITH p
OPTIONAL MATCH (a:Decision) WHERE a.project_id = $project AND a.review_pending = true
WITH p, a ORDER BY a.id LIMIT $parents
//@lock a
WITH p, coalesce(p.review_epoch, 0) AS epoch, CASE WHEN properties(a).review_pending = true THEN a ELSE null END AS a
WITH p, epoch, collect(a) AS claimed
WITH p, epoch, claimed, toInteger($children / CASE WHEN size(claimed) = 0 THEN 1 ELSE size(claimed) END) AS share
UNWIND (CASE WHEN size(claimed) = 0 THEN [null] ELSE claimed END) AS a
WITH p, epoch, share, a, CASE WHEN a.review_epoch = epoch THEN coalesce(a.review_cursor, '') ELSE '' END AS cursor
OPTIONAL MATCH (c:Decision)-[r:DEPENDS_ON]->(a)
  WHERE c.status = 'active' AND c.id > cursor AND coalesce(c.review_epoch, -1) <> epoch
WITH p, epoch, share, a, c ORDER BY c.id
WITH p, epoch, share, a, collect(DISTINCT c)[0..share + 1] AS found
WITH p, epoch, a, found[0..share] AS cs, size(found) > share AS more
UNWIND (CASE WHEN size(cs) = 0 THEN [null] ELSE cs END) AS c
WITH p, epoch, a, more, c ORDER BY c.id
//@lock c
WITH p, epoch, a, more, c
OPTIONAL MATCH (g:Decision)-[rg:DEPENDS_ON]->(c) WHERE g.status = 'active'
WITH p, epoch, a, more, c, count(rg) AS below
WITH p, epoch, a, more, max(c.id) AS last,
  collect(CASE WHEN properties(c).status = 'active' THEN c ELSE null END) AS cs,
  collect(CASE WHEN properties(c).status = 'active' AND below > 0 THEN c ELSE null END) AS spreading,
  collect(CASE WHEN properties(c).status = 'active' AND properties(c).review_state <> 'needs_review'
    THEN c ELSE null END) AS fresh
WITH p, epoch, a, more, last, cs, spreading, fresh, a.status = 'active' AND a.review_state = 'needs_review'
  AND coalesce(a.review_reason, '') = 'dependency_review' AND coalesce(a.cause_kind, 'decision') = 'decision'
  AS by_parent
WITH p, epoch, count(a) AS units, collect({a: a, id: a.id, more: more, last: last, cs: cs, spreading: spreading,
  fresh: fresh, root: CASE WHEN by_parent THEN a.cause_root_id ELSE a.id END,
  depth: CASE WHEN by_parent THEN a.cause_depth + 1 ELSE 1 END}) AS work
//@lock p.project_id
WITH p, epoch, units, work
OPTIONAL MATCH (o:Decision) WHERE o.project_id = $project AND o.review_pending = true
WITH p, epoch, units, work, count(o) - units AS waiting
WITH p, epoch, units, work, waiting + reduce(n = 0, x IN work |
  n + size(x.spreading) + CASE WHEN x.more THEN 1 ELSE 0 END) AS left
UNWIND work AS x
WITH p, epoch, units, left, x, x.a AS a, x.id AS cause, x.more AS more, x.last AS last, x.cs AS cs,
  x.spreading AS spreading, x.fresh AS fresh, x.root AS root, x.depth AS depth
FOREACH (c IN fresh | SET c.review_state = 'needs_review', c.review_reason = 'dependency_review', c.flagged_ms = $ms,
  c.cause_kind = 'decision', c.cause_decision_id = cause, c.change_size = 9007199254740992,
  c.cause_root_id = root, c.cause_depth = depth)
FOREACH (c IN spreading | SET c.review_pending = true)
FOREACH (c IN cs | SET c.review_epoch = epoch)
FOREACH (k IN CASE WHEN a IS NULL THEN [] ELSE [a] END |
  SET k.review_pending = more, k.review_cursor = coalesce(last, k.review_cursor), k.review_epoch = epoch)
SET p.review_incomplete = left > 0
RETURN units AS units, left AS left, sum(size(fresh)) AS flagged
"""


def continue_review(store: GraphStore, project_id: str, limit: int) -> int:
    """Work off at most ``limit`` queued decisions; the number worked off, 0 when none was queued."""
    done = losses = 0
    while done < limit:
        try:
            rows = store.write(
                STEP,
                project=project_id,
                parents=min(PARENTS, limit - done),
                children=CHILDREN,
                ms=ids.milliseconds(ids.now()),
            )
        except (OutcomeUnknown, StoreConflict):
            losses += 1  # a step that was applied is not applied again, so the next one just goes on
            if losses >= TRIES:
                raise
            continue
        if not rows or not rows[0]["left"]:
            return done + (int(rows[0]["units"]) if rows else 0)
        if not rows[0]["units"]:
            losses += 1  # another worker was first with these
            if losses >= TRIES:
                break
            time.sleep(random.random() * 0.01)
        done += int(rows[0]["units"])
    return done
