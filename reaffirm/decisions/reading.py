"""The reads of decisions. Each returns maps, starts at an index, and has a fixed number of statements: one."""

from reaffirm.decisions.behind import BEHIND

# The queued decisions of the project, of which a review still spreads: at most 101.
QUEUED = """CALL {
  OPTIONAL MATCH (a:Decision) WHERE a.project_id = $project AND a.review_pending = true
  WITH a LIMIT 101
  RETURN collect(a) AS queued
}
"""

# Whether a review that still spreads may reach a decision k: the number of ways from it to one of the ``queued``. Who
# rests on nothing is not asked for each of them; a subquery, so that what else is in scope is no grouping key.
PATHS = """CALL {
  WITH queued, k
  WITH queued, k, size([(k)-[:DEPENDS_ON]->(x:Decision) | 1]) AS rests
  UNWIND (CASE WHEN size(queued) = 0 OR rests = 0 THEN [null] ELSE queued END) AS a
  WITH CASE WHEN k IS NULL OR a IS NULL OR k.id = a.id THEN null
    ELSE shortestPath((k)-[:DEPENDS_ON*1..]->(a)) END AS path
  RETURN count(path) AS paths
}
"""

# Everything that judging one decision needs: the decision, its task, its supports with what they cite then and now, and
# whether reviews that still spread may reach it or its parents. $pairs, $doc_ids, $event_ids and $decision_ids add what
# new supports cite; they are empty where nothing new is cited.
CASE_HEAD = (
    """
MATCH (d:Decision {_agrag_history_record: true, id: $id}) WHERE d.project_id = $project
WITH d
MATCH (t:Task)-[m:MADE]->(d)
WITH d, t
OPTIONAL MATCH (p:Project) WHERE p._agrag_history_record = true AND p.project_id = $project
WITH d, t, p
OPTIONAL MATCH (q:Request) WHERE q._agrag_history_record = true AND q.id = $request
WITH d, t, p, q
OPTIONAL MATCH (d)-[h:HAS_SUPPORT]->(s:DecisionSupport)
WITH d, t, p, q, collect(s{.*}) AS supports,
  collect(DISTINCT CASE WHEN s.kind = 'document' AND s.current = true
    THEN {doc: s.document_node_id, hash: s.content_hash} END) AS cited,
  collect(DISTINCT CASE WHEN s.kind = 'document' AND s.current = true THEN s.document_node_id END) AS doc_ids,
  collect(DISTINCT CASE WHEN s.kind = 'event' AND s.current = true THEN s.event_id END) AS event_ids,
  collect(DISTINCT CASE WHEN s.kind = 'decision' AND s.current = true THEN s.target_decision_id END) AS parent_ids
WITH d, t, p, q, supports, cited, event_ids, parent_ids, [x IN doc_ids WHERE NOT x IN $doc_ids] + $doc_ids AS doc_ids
UNWIND (CASE WHEN size(doc_ids) = 0 THEN [null] ELSE doc_ids END) AS doc_id
OPTIONAL MATCH (doc:Document {id: doc_id})
WITH d, t, p, q, supports, cited, event_ids, parent_ids,
  collect(doc{.id, .document_key, .title, .uri, .activation_seq, .current_content_hash, .updated_at}) AS docs
WITH d, t, p, q, supports, event_ids, parent_ids, docs, cited + [x IN docs WHERE x.current_content_hash IS NOT NULL
  AND NOT any(y IN cited WHERE y.doc = x.id AND y.hash = x.current_content_hash)
  | {doc: x.id, hash: x.current_content_hash}] AS known
WITH d, t, p, q, supports, event_ids, parent_ids, docs,
  known + [x IN $pairs WHERE NOT any(y IN known WHERE y.doc = x.doc AND y.hash = x.hash)] AS pairs
UNWIND (CASE WHEN size(pairs) = 0 THEN [null] ELSE pairs END) AS pair
OPTIONAL MATCH (c:Chunk) WHERE c.document_id = pair.doc AND c.content_hash = pair.hash
WITH d, t, p, q, supports, event_ids, parent_ids, docs, c
OPTIONAL MATCH (x:Document)-[hp:HAS_PART]->(c)
WITH d, t, p, q, supports, event_ids, parent_ids, docs, collect(CASE WHEN c._pending_job_id IS NULL
  THEN c{.id, .index, .text, .char_start, .char_end, .document_id, .content_hash, .chunker_hash,
    version: hp.version_id, closed: hp.invalid_at} END) AS chunks
WITH d, t, p, q, supports, parent_ids, docs, chunks,
  [x IN event_ids WHERE NOT x IN $event_ids] + $event_ids AS event_ids
UNWIND (CASE WHEN size(event_ids) = 0 THEN [null] ELSE event_ids END) AS event_id
OPTIONAL MATCH (e:Event) WHERE e._agrag_history_record = true AND e.id = event_id
WITH d, t, p, q, supports, parent_ids, docs, chunks, collect(e{.*}) AS events
"""
    + QUEUED
    + """WITH d, t, p, q, supports, docs, chunks, events, queued,
  [x IN parent_ids WHERE NOT x IN $decision_ids] + $decision_ids + [d.id] AS near
UNWIND near AS near_id
OPTIONAL MATCH (k:Decision) WHERE k._agrag_history_record = true AND k.id = near_id
WITH d, t, p, q, supports, docs, chunks, events, queued, k
"""
    + PATHS
    + """WITH d, t, p, q, supports, docs, chunks, events, size(queued) AS queued, k, paths
OPTIONAL MATCH (kt:Task)-[km:MADE]->(k)
WITH d, t, p, q, supports, docs, chunks, events, queued, k, kt, paths
OPTIONAL MATCH (next:Decision) WHERE next._agrag_history_record = true AND next.task_id = k.task_id
  AND next.choice_key = k.choice_key AND next.revision > k.revision AND next.status = 'active'
WITH d, t, p, q, supports, docs, chunks, events, queued, collect(CASE WHEN k.project_id = $project
  THEN k{.*, task_name: kt.name, paths: paths, successor: next{.*}} END) AS near
"""
)

VERDICT_READ = (
    CASE_HEAD
    + """
WITH d, t, q, supports, docs, chunks, events, near, queued,
  [x IN near | x.id] + [x IN near | x.successor.id] AS looked_at
"""
    + BEHIND
    + "RETURN d{.*} AS decision, t{.*} AS task, q{.*} AS request, supports, docs, chunks, events, near, queued, behind"
)

CASE_READ = (
    CASE_HEAD
    + """
UNWIND (CASE WHEN size(docs) = 0 THEN [{id: null}] ELSE docs END) AS known
OPTIONAL MATCH (doc:Document {id: known.id})
WITH d, t, q, supports, docs, chunks, events, near, queued, doc
OPTIONAL MATCH (doc)-[ha:HAS_ACTIVATION]->(act:DocumentActivation)
  WHERE act.activation_seq = doc.activation_seq OR act.id = d.cause_activation_id
    OR any(x IN supports WHERE x.current = true AND x.document_node_id = doc.id
      AND x.recorded_activation_seq = act.activation_seq)
WITH d, t, q, supports, docs, chunks, events, near, queued, collect(act{.*, document_id: doc.id}) AS activations
OPTIONAL MATCH (cause:Decision) WHERE cause._agrag_history_record = true AND cause.id = d.cause_decision_id
WITH d, t, q, supports, docs, chunks, events, near, queued, activations, cause
OPTIONAL MATCH (after:Decision)-[sup:SUPERSEDES]->(cause)
WITH d, t, q, supports, docs, chunks, events, near, queued, activations, cause, max(after.created_at) AS replaced_at,
  max(after.author) AS replaced_by
WITH d, t, q, supports, docs, chunks, events, near, queued, activations,
  cause{.*, replaced_at: replaced_at, replaced_by: replaced_by} AS cause
OPTIONAL MATCH (root:Decision) WHERE root._agrag_history_record = true AND root.id = d.cause_root_id
WITH d, t, q, supports, docs, chunks, events, near, queued, activations, cause,
  CASE WHEN root IS NULL OR root.id = d.id THEN null ELSE shortestPath((d)-[:DEPENDS_ON*1..50]->(root)) END AS way
WITH d, t, q, supports, docs, chunks, events, near, queued, activations, cause,
  [x IN CASE WHEN way IS NULL THEN [] ELSE nodes(way) END | x{.id, .choice_key, .question, .status, .review_state}]
  AS way
OPTIONAL MATCH (dep:Decision)-[r:DEPENDS_ON]->(d) WHERE dep.status = 'active'
WITH d, t, q, supports, docs, chunks, events, near, queued, activations, cause, way, dep ORDER BY dep.created_at, dep.id
WITH d, t, q, supports, docs, chunks, events, near, queued, activations, cause, way, count(dep) AS dependent_count,
  collect(dep)[0..50] AS deps
UNWIND (CASE WHEN size(deps) = 0 THEN [null] ELSE deps END) AS dep
OPTIONAL MATCH (dt:Task)-[dm:MADE]->(dep)
WITH d, t, q, supports, docs, chunks, events, near, queued, activations, cause, way, dependent_count,
  collect(dep{.*, task_name: dt.name}) AS dependents
OPTIONAL MATCH (v:Decision) WHERE v._agrag_history_record = true AND v.task_id = d.task_id
  AND v.choice_key = d.choice_key AND v.revision >= 1
WITH d, t, q, supports, docs, chunks, events, near, queued, activations, cause, way, dependent_count, dependents, v
ORDER BY v.revision DESC
WITH d, t, q, supports, docs, chunks, events, near, queued, activations, cause, way, dependent_count, dependents, v,
  [(v)-[vh:HAS_SUPPORT]->(s:DecisionSupport) WHERE s.kind = 'document' | s{.id, .kind, .ordinal, .current, .evidence_id,
    .document_node_id, .content_hash, .text_digest, .reviewed_by, .reviewed_at}] AS past
WITH d, t, q, supports, docs, chunks, events, near, queued, activations, cause, way, dependent_count, dependents,
  collect(v{.*, past: past})[0..50] AS revisions
OPTIONAL MATCH (o:Decision) WHERE o.project_id = $project AND o.status = 'active' AND o.choice_key = d.choice_key
WITH d, t, q, supports, docs, chunks, events, near, queued, activations, cause, way, dependent_count, dependents,
  revisions, [x IN collect(o) WHERE x.task_id <> d.task_id][0..10] AS others
UNWIND (CASE WHEN size(others) = 0 THEN [null] ELSE others END) AS other
OPTIONAL MATCH (ot:Task)-[om:MADE]->(other)
WITH d, t, q, supports, docs, chunks, events, near, queued, activations, cause, way, dependent_count, dependents,
  revisions, collect(other{.*, task_name: ot.name}) AS precedents
WITH d, t, q, supports, docs, chunks, events, near, queued, activations, cause, way, dependent_count, dependents,
  revisions, precedents, [x IN near + way + dependents + revisions + precedents | x.id]
  + [x IN near | x.successor.id] AS looked_at
"""
    + BEHIND
    + """
RETURN d{.*} AS decision, t{.*} AS task, q{.*} AS request, supports, docs, chunks, events, near, queued, activations,
  cause, way, dependent_count, dependents, revisions, precedents, behind
"""
)

# Older versions of cited documents.
VERSIONS_READ = """
UNWIND $pairs AS pair
MATCH (c:Chunk) WHERE c.document_id = pair.doc AND c.content_hash = pair.hash AND c._pending_job_id IS NULL
WITH c
OPTIONAL MATCH (x:Document)-[hp:HAS_PART]->(c)
RETURN c{.id, .index, .text, .char_start, .char_end, .document_id, .content_hash, .chunker_hash,
  version: hp.version_id, closed: hp.invalid_at} AS chunk
"""

# What recording a decision on a choice of a task needs.
RECORD_READ = (
    """
WITH 1 AS one
OPTIONAL MATCH (t:Task) WHERE t._agrag_history_record = true AND t.id = $task_id
WITH t
OPTIONAL MATCH (q:Request) WHERE q._agrag_history_record = true AND q.id = $request
WITH t, q
OPTIONAL MATCH (v:Decision) WHERE v._agrag_history_record = true AND v.task_id = $task_id
  AND v.choice_key = $choice_key AND v.revision >= 1
WITH t, q, collect(v{.id, .revision, .status}) AS revisions
OPTIONAL MATCH (doc:Document) WHERE doc.id IN $doc_ids
WITH t, q, revisions, collect(doc{.id, .document_key, .title, .activation_seq, .current_content_hash}) AS docs
OPTIONAL MATCH (e:Event) WHERE e._agrag_history_record = true AND e.id IN $event_ids
WITH t, q, revisions, docs, collect(e{.id, .payload_sha256, .redacted_at}) AS events
OPTIONAL MATCH (k:Decision) WHERE k._agrag_history_record = true AND k.id IN $decision_ids
WITH t, q, revisions, docs, events,
  collect(CASE WHEN k.project_id = $project THEN k{.id, .status, .review_state, .review_reason, .choice_key,
    .cause_kind, .cause_root_id, .cause_depth} END) AS near
UNWIND (CASE WHEN size($pairs) = 0 THEN [null] ELSE $pairs END) AS pair
OPTIONAL MATCH (c:Chunk) WHERE c.document_id = pair.doc AND c.content_hash = pair.hash
WITH t, q, revisions, docs, events, near, c
OPTIONAL MATCH (x:Document)-[hp:HAS_PART]->(c)
WITH t, q, revisions, docs, events, near, collect(CASE WHEN c._pending_job_id IS NULL
  THEN c{.id, .index, .text, .char_start, .char_end, .document_id, .content_hash, .chunker_hash,
    version: hp.version_id, closed: hp.invalid_at} END) AS chunks, $decision_ids AS looked_at
"""
    + BEHIND
    + "RETURN t{.*} AS task, q{.*} AS request, revisions, docs, events, near, chunks, behind"
)
