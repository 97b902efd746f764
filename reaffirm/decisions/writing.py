"""The writes of decisions: one statement each, guards first. Locks in one order: documents, events, decisions, task,
project.

Guards see the world and not a counter of ours, since agentic-graphrag writes too. A ``//@lock x`` line is a write lock
on Neo4j and a comment on FalkorDB, which runs one write at a time. Every aggregate behind a guard keeps a variable from
before it: without one, it would make a row of no rows, and the guard would be lost.

A decision's ``dependents`` (active decisions that cite it) changes with each of them, behind its lock. Where it is not
known, null + 1 stays null, and adopt_flags() counts.
"""

# Cited documents are locked and unchanged: no flag may be lost between reading a version and recording against it.
LOCK_DOCUMENTS = """
WITH 1 AS one
OPTIONAL MATCH (doc:Document) WHERE doc.id IN $doc_ids
WITH doc ORDER BY doc.id
//@lock doc
WITH collect(doc) AS docs
WITH docs WHERE size(docs) = size($docs) AND all(x IN $docs WHERE any(y IN docs WHERE
  y.id = x.id AND y.activation_seq = x.seq AND coalesce(y.current_content_hash, '') = x.hash))
"""

# Cited events too: a redaction locks the event before it looks who cites it.
LOCK_EVENTS = """
OPTIONAL MATCH (e:Event) WHERE e._agrag_history_record = true AND e.id IN $event_ids
WITH docs, e ORDER BY e.id
//@lock e
WITH docs, collect(DISTINCT CASE WHEN properties(e).redacted_at IS NULL
  AND properties(e).payload_sha256 IN $event_hashes THEN e END) AS es
WITH docs WHERE size(es) = size($event_ids)
"""

RECORD = (
    LOCK_DOCUMENTS
    + LOCK_EVENTS
    + """
OPTIONAL MATCH (k:Decision) WHERE k._agrag_history_record = true AND k.id IN $parent_ids
WITH docs, k ORDER BY k.id
//@lock k
WITH docs, collect(k) AS ks
WITH ks WHERE size(ks) = size($parents) AND all(k IN ks WHERE k.status = 'active'
  AND any(x IN $parents WHERE x.id = k.id AND x.state = k.review_state))
MATCH (t:Task) WHERE t._agrag_history_record = true AND t.id = $task_id
WITH ks, t
//@lock t
WITH ks, t WHERE properties(t).deletion_id IS NULL
OPTIONAL MATCH (v:Decision) WHERE v._agrag_history_record = true AND v.task_id = $task_id
  AND v.choice_key = $choice_key AND v.revision >= 1
WITH ks, t, count(v) AS revisions, max(v.revision) AS newest,
  sum(CASE WHEN v.status = 'active' THEN 1 ELSE 0 END) AS active
WHERE revisions = $revisions AND active = 0 AND coalesce(newest, 0) + 1 = $decision.revision
OPTIONAL MATCH (q:Request) WHERE q._agrag_history_record = true AND q.id = $request_node_id
WITH ks, t, count(q) AS done WHERE done = 0
MATCH (p:Project) WHERE p._agrag_history_record = true AND p.project_id = $project
WITH ks, t, p
//@lock p.project_id
WITH ks, t
OPTIONAL MATCH (o:Decision) WHERE o.project_id = $project AND o.status = 'active' AND o.choice_key = $choice_key
WITH ks, t, [x IN collect(o) WHERE x.task_id <> $task_id AND x.conclusion <> $decision.conclusion] AS others
CREATE (q:Request) SET q = $claim
CREATE (t)-[:MADE]->(d:Decision) SET d = $decision
SET d.contested_in = CASE WHEN size(others) > 0 THEN $project ELSE null END
FOREACH (x IN $supports | CREATE (d)-[:HAS_SUPPORT]->(s:DecisionSupport) SET s = x)
FOREACH (k IN ks | CREATE (d)-[:DEPENDS_ON]->(k))
FOREACH (k IN ks | SET k.dependents = k.dependents + 1)
FOREACH (o IN others | SET o.contested_in = $project)
RETURN $decision.id AS id
"""
)

SUPERSEDE = (
    LOCK_DOCUMENTS
    + LOCK_EVENTS
    + """
MATCH (k:Decision) WHERE k._agrag_history_record = true AND k.id IN $locked_ids
WITH docs, k ORDER BY k.id
//@lock k
WITH docs, collect(k) AS locked
WITH locked, [k IN locked WHERE k.id IN $parent_ids] AS ks
WHERE size(locked) = size($locked_ids) AND size(ks) = size($parents)
  AND all(k IN ks WHERE k.status = 'active' AND any(x IN $parents WHERE x.id = k.id AND x.state = k.review_state))
  AND any(k IN locked WHERE k.id = $id AND k.status = 'active' AND k.review_state = $seen_state)
MATCH (old:Decision) WHERE old._agrag_history_record = true AND old.id = $id
WITH ks, old, [k IN locked WHERE k.id IN $gaining_ids] AS gaining, [k IN locked WHERE k.id IN $losing_ids] AS losing
MATCH (t:Task)-[m:MADE]->(old)
WITH ks, old, gaining, losing, t
//@lock t
WITH ks, old, gaining, losing, t WHERE properties(t).deletion_id IS NULL
OPTIONAL MATCH (v:Decision) WHERE v._agrag_history_record = true AND v.task_id = $decision.task_id
  AND v.choice_key = $decision.choice_key AND v.revision >= 1
WITH ks, old, gaining, losing, t, max(v.revision) AS newest
WHERE newest = old.revision AND newest + 1 = $decision.revision
OPTIONAL MATCH (old)-[h:HAS_SUPPORT]->(s:DecisionSupport)
WITH ks, old, gaining, losing, t, [x IN collect(s) WHERE x.current = true | x.id] AS cur
WHERE size(cur) = size($seen_supports) AND all(x IN cur WHERE x IN $seen_supports)
OPTIONAL MATCH (q:Request) WHERE q._agrag_history_record = true AND q.id = $request_node_id
WITH ks, old, gaining, losing, t, count(q) AS done WHERE done = 0
MATCH (p:Project) WHERE p._agrag_history_record = true AND p.project_id = $project
WITH ks, old, gaining, losing, t, p
//@lock p.project_id
WITH ks, old, gaining, losing, t, p
OPTIONAL MATCH (dep:Decision)-[r:DEPENDS_ON]->(old) WHERE dep.status = 'active'
WITH ks, old, gaining, losing, t, p, count(r) > 0 AS spreads
OPTIONAL MATCH (o:Decision) WHERE o.project_id = $project AND o.status = 'active'
  AND o.choice_key = $decision.choice_key
WITH ks, old, gaining, losing, t, p, spreads, coalesce(p.review_epoch, 0) AS epoch,
  [x IN collect(o) WHERE x.task_id <> old.task_id AND x.conclusion <> $decision.conclusion] AS others
CREATE (q:Request) SET q = $claim
CREATE (t)-[:MADE]->(d:Decision) SET d = $decision
SET d.contested_in = CASE WHEN size(others) > 0 THEN $project ELSE null END
CREATE (d)-[:SUPERSEDES]->(old)
SET old.status = 'superseded', old.review_state = 'clear', old.review_reason = null, old += $cleared,
  old.verdict_kind = 'supersede', old.verdict_by = $by, old.verdict_at = $at
FOREACH (x IN $supports | CREATE (d)-[:HAS_SUPPORT]->(s:DecisionSupport) SET s = x)
FOREACH (k IN ks | CREATE (d)-[:DEPENDS_ON]->(k))
FOREACH (k IN gaining | SET k.dependents = k.dependents + 1)
FOREACH (k IN losing | SET k.dependents = k.dependents - 1)
FOREACH (o IN others | SET o.contested_in = $project)
FOREACH (x IN CASE WHEN spreads THEN [1] ELSE [] END |
  SET old.review_pending = true, p.review_incomplete = true, p.review_epoch = epoch + 1)
RETURN $decision.id AS id, spreads
"""
)

REJECT = """
MATCH (k:Decision) WHERE k._agrag_history_record = true AND k.id IN $locked_ids
WITH k ORDER BY k.id
//@lock k
WITH collect(k) AS locked
WITH locked WHERE size(locked) = size($locked_ids)
MATCH (d:Decision) WHERE d._agrag_history_record = true AND d.id = $id
WITH d, [k IN locked WHERE k.id <> $id] AS losing
WHERE d.status = 'active' AND d.project_id = $project AND ($seen_state IS NULL OR d.review_state = $seen_state)
MATCH (t:Task)-[m:MADE]->(d) WHERE t.deletion_id IS NULL
WITH d, losing, t
OPTIONAL MATCH (d)-[h:HAS_SUPPORT]->(s:DecisionSupport)
WITH d, losing, [x IN collect(s) WHERE x.current = true | x.id] AS cur
WHERE $seen_supports IS NULL OR (size(cur) = size($seen_supports) AND all(x IN cur WHERE x IN $seen_supports))
OPTIONAL MATCH (q:Request) WHERE q._agrag_history_record = true AND q.id = $request_node_id
WITH d, losing, count(q) AS done WHERE done = 0
MATCH (p:Project) WHERE p._agrag_history_record = true AND p.project_id = $project
WITH d, losing, p
//@lock p.project_id
WITH d, losing, p
OPTIONAL MATCH (dep:Decision)-[r:DEPENDS_ON]->(d) WHERE dep.status = 'active'
WITH d, losing, p, count(r) > 0 AS spreads, coalesce(p.review_epoch, 0) AS epoch
CREATE (q:Request) SET q = $claim
SET d.status = 'rejected', d.rejection_reason = $reason, d.rejected_by = $by, d.review_state = 'clear',
  d.review_reason = null, d += $cleared, d.verdict_kind = 'reject', d.verdict_by = $by, d.verdict_at = $at
FOREACH (k IN losing | SET k.dependents = k.dependents - 1)
FOREACH (x IN CASE WHEN spreads THEN [1] ELSE [] END |
  SET d.review_pending = true, p.review_incomplete = true, p.review_epoch = epoch + 1)
RETURN d.id AS id, spreads
"""

# Where the flag began is kept with the verdict. In a group the root is among the locked ones, and so it is clear; $root
# and $group are null without one.
REAFFIRM = (
    LOCK_DOCUMENTS
    + LOCK_EVENTS
    + """
MATCH (k:Decision) WHERE k._agrag_history_record = true AND k.id IN $locked_ids
WITH docs, k ORDER BY k.id
//@lock k
WITH docs, collect(k) AS locked
WITH locked WHERE size(locked) = size($locked_ids)
  AND all(k IN locked WHERE k.status = 'active' AND (k.id = $id OR k.review_state = 'clear'))
  AND any(k IN locked WHERE k.id = $id AND k.review_state = $seen_state
    AND ($root IS NULL OR (k.cause_kind = 'decision' AND k.cause_root_id = $root)))
MATCH (d:Decision) WHERE d._agrag_history_record = true AND d.id = $id
WITH d
MATCH (t:Task)-[m:MADE]->(d)
WITH d, t
//@lock t
WITH d, t WHERE properties(t).deletion_id IS NULL
OPTIONAL MATCH (d)-[h:HAS_SUPPORT]->(s:DecisionSupport)
WITH d, t, collect(s) AS ss
WITH d, t, ss, [x IN ss WHERE x.current = true | x.id] AS cur
WITH d, t, ss WHERE size(cur) = size($seen_supports) AND all(x IN cur WHERE x IN $seen_supports)
OPTIONAL MATCH (q:Request) WHERE q._agrag_history_record = true AND q.id = $request_node_id
WITH d, t, ss, count(q) AS done
WHERE done = 0 AND t.event_seq >= $base AND t.event_seq - $base < size($ready_ids)
WITH d, t, [x IN ss WHERE x.current = true AND x.kind = 'document'] AS olds, t.event_seq + 1 AS seq
WITH d, t, olds, seq, $ready_ids[seq - $base - 1] AS event_id
CREATE (q:Request) SET q = $claim, q.group_id = $group
CREATE (t)-[:HAS_EVENT]->(ev:Event) SET ev = $event, ev.seq = seq, ev.id = event_id, ev.group_id = $group
FOREACH (o IN olds | SET o.current = false, o.reviewed_by = $by, o.reviewed_at = $at, o.review_explanation = $why)
FOREACH (x IN $supports | CREATE (d)-[:HAS_SUPPORT]->(s:DecisionSupport) SET s = x)
SET d.review_state = 'clear', d.review_reason = null, d += $cleared,
  d.verdict_kind = 'reaffirm', d.verdict_by = $by, d.verdict_at = $at,
  d.verdict_root_id = $flag_root, d.verdict_group = $group, d.said = coalesce(d.said, []) + $word, t.event_seq = seq
RETURN d.id AS id, seq AS seq
"""
)
