"""The statements that delete a task, a bounded batch each.

Each locks the tombstone and checks its turn, so that of two workers with the same batch one does it; then events,
decisions and the project, in the order of all writes. What cites a deleted record is marked: its id is made of names
and may come again. A LIMIT stands behind an ORDER BY: without one FalkorDB collected a deleted neighbour once more.
"""

from reaffirm.retention.redaction import FLAG_ONE

COUNTS = """MATCH (t:Task) WHERE t._agrag_history_record = true AND t.id = $task_id AND t.project_id = $project_id
WITH t
OPTIONAL MATCH (t)-[he:HAS_EVENT]->(e:Event)
WITH t, count(he) AS events
OPTIONAL MATCH (t)-[hs:HAS_STEP]->(s:Step)
WITH t, events, count(hs) AS steps
OPTIONAL MATCH (t)-[m:MADE]->(d:Decision)
WITH t, events, steps, d
OPTIONAL MATCH (d)-[h:HAS_SUPPORT]->(s:DecisionSupport)
WITH t, events, steps, count(DISTINCT d) AS decisions, count(h) AS supports
OPTIONAL MATCH (k:LegalHold) WHERE k.task_id = $task_id
WITH t, events, steps, decisions, supports,
  collect(CASE WHEN k.id IS NOT NULL AND k.released_at IS NULL THEN k{.*} END) AS holds
RETURN t{.*} AS task, events, steps, decisions, supports, holds"""

# What the caller saw is counted again; from here on the task says that it is deleted, and takes no event.
START = """MATCH (t:Task) WHERE t._agrag_history_record = true AND t.id = $task_id AND t.project_id = $project_id
WITH t
//@lock t
WITH t WHERE properties(t).deletion_id IS NULL AND properties(t).event_seq = $seq
OPTIONAL MATCH (t)-[he:HAS_EVENT]->(e:Event)
WITH t, count(he) AS events WHERE events = $events
OPTIONAL MATCH (t)-[hs:HAS_STEP]->(s:Step)
WITH t, count(hs) AS steps WHERE steps = $steps
OPTIONAL MATCH (t)-[m:MADE]->(d:Decision)
WITH t, count(m) AS decisions WHERE decisions = $decisions
OPTIONAL MATCH (k:LegalHold) WHERE k.task_id = $task_id
WITH t, sum(CASE WHEN k.id IS NOT NULL AND k.released_at IS NULL THEN 1 ELSE 0 END) AS held WHERE held = 0
OPTIONAL MATCH (q:Request) WHERE q._agrag_history_record = true AND q.id = $request_node_id
WITH t, count(q) AS done WHERE done = 0
CREATE (q:Request) SET q = $request
CREATE (x:Erasure) SET x = $erasure
SET t.deletion_id = $erasure_id, t.goal = $deleted, t.status = 'done', t.close_reason = null, t.reopen_reason = null
RETURN x.id AS id"""

EVENT_WINDOW = """MATCH (t:Task) WHERE t._agrag_history_record = true AND t.id = $task_id
WITH t
OPTIONAL MATCH (e:Event) WHERE e._agrag_history_record = true AND e.task_id = $task_id
  AND e.seq > $cursor AND e.seq <= $until
WITH t, e
OPTIONAL MATCH (s:DecisionSupport) WHERE s.event_id = e.id
WITH t, e, count(s) AS citing
RETURN t.event_seq AS last, CASE WHEN e IS NULL THEN null
  ELSE e{.seq, .kind, .role, .name, .payload_sha256, .redacted_at} END AS event, size(e.payload) AS length,
  CASE WHEN e.truncated = true AND e.redacted_at IS NULL THEN e.payload END AS stored, citing"""

DECISION_WINDOW = """MATCH (t:Task) WHERE t._agrag_history_record = true AND t.id = $task_id
WITH t
MATCH (t)-[m:MADE]->(k:Decision)
WITH k ORDER BY k.id LIMIT $limit
OPTIONAL MATCH (s:DecisionSupport) WHERE s.target_decision_id = k.id
RETURN k.id AS id, count(s) AS citing ORDER BY id"""

_TURN = """MATCH (x:Erasure) WHERE x.id = $erasure_id
WITH x
//@lock x
WITH x WHERE properties(x).turn = $turn
"""

# Of the decisions ds, those that others rest on; and which of them this deletion has not flagged before. What is
# counted for each of many stands in a CALL: a long list as the key of an aggregate would be compared for each of them.
_SPREADING = """CALL {
  WITH ds
  UNWIND ds AS d
  MATCH (c:Decision)-[r:DEPENDS_ON]->(d) WHERE c.status = 'active'
  RETURN collect(DISTINCT d) AS spreading
}
WITH x, es, ss, hashes, ds, spreading,
  [d IN ds WHERE coalesce(d.cause_erasure_id, '') <> $erasure_id OR d.review_state <> 'needs_review' | d.id] AS fresh
MATCH (p:Project) WHERE p._agrag_history_record = true AND p.project_id = $project_id
WITH x, es, ss, hashes, ds, spreading, fresh, p
//@lock p.project_id
WITH x, es, ss, hashes, ds, spreading, fresh, p, coalesce(p.review_epoch, 0) AS epoch, x{.*} AS was
"""

_FLAG = (
    """FOREACH (d IN ds | SET """
    + FLAG_ONE
    + """)
FOREACH (d IN spreading | SET d.review_pending = true)
FOREACH (one IN CASE WHEN size(spreading) > 0 THEN [1] ELSE [] END |
  SET p.review_incomplete = true, p.review_epoch = epoch + size(spreading))
"""
)

DELETE_EVENTS = (
    _TURN
    + """OPTIONAL MATCH (e:Event) WHERE e._agrag_history_record = true AND e.task_id = $task_id
  AND e.seq > $cursor AND e.seq <= $until
WITH x, e ORDER BY e.id
//@lock e
WITH x, collect(e) AS es
UNWIND (CASE WHEN size(es) = 0 THEN [null] ELSE es END) AS e
OPTIONAL MATCH (s:DecisionSupport) WHERE s.event_id = e.id
WITH x, es, e, s
OPTIONAL MATCH (d:Decision)-[h:HAS_SUPPORT]->(s)
WITH x, es, e, s, d ORDER BY d.id
//@lock d
WITH x, es, collect(s) AS ss, collect(CASE WHEN s IS NULL THEN null ELSE e.payload_sha256 END) AS hashes,
  collect(DISTINCT CASE WHEN s.current = true AND properties(d).status = 'active'
    AND (d.task_id <> $task_id OR $own = true) THEN d END) AS ds
"""
    + _SPREADING
    + """OPTIONAL MATCH (q:Request) WHERE q.payload_sha256 IN $request_hashes AND q.result_json CONTAINS $task_id
WITH x, es, ss, hashes, ds, spreading, fresh, p, epoch, was, collect(q) AS qs
FOREACH (i IN CASE WHEN size(ss) = 0 THEN [] ELSE range(0, size(ss) - 1) END | FOREACH (s IN [ss[i]] |
  SET s.source_deleted_at = $at, s.event_payload_sha256 = coalesce(s.event_payload_sha256, hashes[i])))
FOREACH (q IN qs | SET q.result_json = $gone, q.erased_at = $at)
FOREACH (m IN $texts | MERGE (k:ErasedText {id: m.id}) SET k += m)
"""
    + _FLAG
    + """FOREACH (e IN es | DETACH DELETE e)
SET x.turn = was.turn + 1, x.cursor = $until, x.phase = $next, x.events = was.events + size(es),
  x.requests = was.requests + size(qs), x.flagged = was.flagged + size(fresh),
  x.affected = (was.affected + fresh)[0..1000]
RETURN size(es) AS events"""
)

DELETE_DECISIONS = (
    _TURN
    + """OPTIONAL MATCH (t:Task) WHERE t._agrag_history_record = true AND t.id = $task_id
WITH x, t
OPTIONAL MATCH (t)-[m:MADE]->(k:Decision)
WITH x, k ORDER BY k.id LIMIT $limit
WITH x, collect(k) AS es
UNWIND (CASE WHEN size(es) = 0 THEN [null] ELSE es END) AS k
OPTIONAL MATCH (k)-[r:DEPENDS_ON]->(y:Decision) WHERE y.task_id <> $task_id
WITH x, es, collect(DISTINCT y) AS ys
UNWIND (CASE WHEN size(es) = 0 THEN [null] ELSE es + ys END) AS k
WITH x, es, k ORDER BY k.id
//@lock k
WITH x, es, count(k) AS locked
UNWIND (CASE WHEN size(es) = 0 THEN [null] ELSE es END) AS k
OPTIONAL MATCH (s:DecisionSupport) WHERE s.target_decision_id = k.id
WITH x, es, s
OPTIONAL MATCH (d:Decision)-[h:HAS_SUPPORT]->(s)
WITH x, es, s, d ORDER BY d.id
//@lock d
WITH x, es, collect(s) AS ss, collect(DISTINCT CASE WHEN s.current = true AND properties(d).status = 'active'
  AND d.task_id <> $task_id THEN d END) AS ds
WITH x, es, ss, [] AS hashes, ds
"""
    + _SPREADING
    + """CALL {
  WITH es
  UNWIND es AS k
  MATCH (k)-[r:DEPENDS_ON]->(y:Decision) WHERE y.task_id <> $task_id AND properties(k).status = 'active'
  WITH y, count(DISTINCT k) AS lost
  RETURN collect(y) AS ys, collect(lost) AS losses
}
CALL {
  WITH es
  UNWIND es AS k
  MATCH (k)-[h:HAS_SUPPORT]->(o:DecisionSupport)
  RETURN collect(o) AS os
}
WITH x, es, ss, ds, spreading, fresh, p, epoch, was, ys, losses, os
FOREACH (s IN ss | SET s.source_deleted_at = $at)
FOREACH (i IN CASE WHEN size(ys) = 0 THEN [] ELSE range(0, size(ys) - 1) END | FOREACH (y IN [ys[i]] |
  SET y.dependents = y.dependents - losses[i]))
"""
    + _FLAG
    + """FOREACH (o IN os | DETACH DELETE o)
FOREACH (k IN es | DETACH DELETE k)
SET x.turn = was.turn + 1, x.phase = CASE WHEN size(es) < $limit THEN $next ELSE was.phase END,
  x.decisions = was.decisions + size(es), x.supports = was.supports + size(os),
  x.flagged = was.flagged + size(fresh), x.affected = (was.affected + fresh)[0..1000]
RETURN size(es) AS decisions"""
)

DELETE_STEPS = (
    _TURN
    + """OPTIONAL MATCH (t:Task) WHERE t._agrag_history_record = true AND t.id = $task_id
WITH x, t
OPTIONAL MATCH (t)-[h:HAS_STEP]->(s:Step)
WITH x, s ORDER BY s.id LIMIT $limit
WITH x, collect(s) AS ss, x{.*} AS was
FOREACH (s IN ss | DETACH DELETE s)
SET x.turn = was.turn + 1, x.phase = CASE WHEN size(ss) < $limit THEN $next ELSE was.phase END,
  x.steps = was.steps + size(ss)
RETURN size(ss) AS steps"""
)

# Requests of steps and decisions cannot be found by a digest: agentic-graphrag's holds what was fetched. Of those that
# tell the task by no id, the digest of their arguments is known.
FORGET_REQUESTS = (
    _TURN
    + """OPTIONAL MATCH (q:Request) WHERE q.project_id = $project_id AND q.operation IN $operation_names
  AND q.erased_at IS NULL AND (q.result_json CONTAINS $task_id OR q.payload_sha256 IN $request_hashes)
WITH x, q ORDER BY q.id LIMIT $limit
WITH x, collect(q) AS qs, x{.*} AS was
FOREACH (q IN qs | SET q.result_json = $gone, q.erased_at = $at)
SET x.turn = was.turn + 1, x.phase = CASE WHEN size(qs) < $limit THEN $next ELSE was.phase END,
  x.requests = was.requests + size(qs)
RETURN size(qs) AS requests"""
)

# The end. What another program added meanwhile sends the deletion back to its beginning.
FINISH = (
    _TURN
    + """OPTIONAL MATCH (t:Task) WHERE t._agrag_history_record = true AND t.id = $task_id
WITH x, t
//@lock t
WITH x, t
OPTIONAL MATCH (t)-[r:HAS_EVENT|HAS_STEP|MADE]->(y)
WITH x, t, count(r) AS rest
MATCH (p:Project) WHERE p._agrag_history_record = true AND p.project_id = $project_id
WITH x, t, rest, p
//@lock p.project_id
WITH x, t, rest, p
OPTIONAL MATCH (a:Decision) WHERE a.project_id = $project_id AND a.review_pending = true
WITH x, t, rest, p, count(a) AS pending
OPTIONAL MATCH (q:Request) WHERE q._agrag_history_record = true AND q.id = $request_node_id
WITH x, t, q, p, pending, $keep = true OR rest = 0 AS over
FOREACH (q IN CASE WHEN over AND q IS NOT NULL THEN [q] ELSE [] END | SET q.result_json = $result)
FOREACH (p IN CASE WHEN over AND pending = 0 THEN [p] ELSE [] END | SET p.review_incomplete = false)
FOREACH (t IN CASE WHEN over AND $keep = true AND t IS NOT NULL THEN [t] ELSE [] END |
  SET t.deletion_id = null, t.deleted_at = $at, t.deleted_by = $by)
FOREACH (t IN CASE WHEN over AND $keep = false AND t IS NOT NULL THEN [t] ELSE [] END | DETACH DELETE t)
FOREACH (x IN CASE WHEN over THEN [x] ELSE [] END | SET x.state = 'done', x.finished_at = $at, x.turn = $turn + 1)
FOREACH (x IN CASE WHEN over THEN [] ELSE [x] END | SET x.phase = 'events', x.cursor = 0, x.turn = $turn + 1)
RETURN over"""
)

UNFINISHED = """MATCH (x:Erasure) WHERE x.project_id = $project_id AND x.state = 'running'
RETURN x{.*} AS erasure ORDER BY x.at LIMIT 20"""
