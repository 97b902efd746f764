"""The statements of the review list.

A page is read in one of two ways. A *walk* follows the index of its order from the cursor on: the Neo4j composite has a
predicate on each of its properties and an ORDER BY over all of them, so it stops at the limit; FalkorDB sorts all that
the predicates leave, so it gets a window. Flags *in hand* are few, found by a narrow index, and sorted in memory; so
are those of the whole queue while some lack what the order sorts by, which then stand last.
"""

# A flag has its place from flagged_ms on; the bounds leave out those that have none yet. The words are counted, because
# FalkorDB may lose a WHERE with all() in it when an aggregate follows.
MATCHES = """d.flagged_ms >= $since AND d.flagged_ms < $until
  AND ($reason IS NULL OR d.review_reason = $reason) AND ($task_id IS NULL OR d.task_id = $task_id)
  AND ($choice_key IS NULL OR d.choice_key = $choice_key) AND ($author IS NULL OR d.author = $author)
  AND ($source_change IS NULL OR d.cause_activation_id = $source_change)
  AND size([w IN $words WHERE NOT (toLower(d.conclusion) CONTAINS w OR toLower(d.choice_key) CONTAINS w
    OR toLower(coalesce(d.question, '')) CONTAINS w)]) = 0"""

FLAGGED = "d.project_id = $project AND d.status = 'active' AND d.review_state = 'needs_review'"

# Flags that a document which very many cite still leaves to be raised, counted to a bound: a million of them would take
# half a minute. (A count without a key is a row, also where nothing matches.)
_COMING = """WITH 1 AS one
OPTIONAL MATCH (doc:Document) WHERE doc.flagging_ms >= 0
WITH doc
OPTIONAL MATCH (s:DecisionSupport) WHERE s.document_node_id = doc.id AND s.project_id = $project AND s.current = true
  AND s.recorded_activation_seq <> doc.activation_seq AND coalesce(s.flagged_seq, 0) <> doc.activation_seq
WITH doc, s
MATCH (x:Decision)-[h:HAS_SUPPORT]->(s) WHERE x.status = 'active' AND x.review_state = 'clear'
WITH DISTINCT x, doc.current_content_hash IS NULL AS removed LIMIT $enough
WITH count(DISTINCT x) AS coming, count(DISTINCT CASE WHEN removed THEN x END) AS coming_removed
"""

# What passes the filters, and how much of that lacks what the other orders sort by.
_MATCHING = (
    "OPTIONAL MATCH (d:Decision) WHERE "
    + FLAGGED
    + " AND "
    + MATCHES
    + """
WITH coming, coming_removed, count(d) AS matching, count(d) - count(d.dependents) AS matching_uncounted,
  count(d) - count(d.change_size) AS matching_unsized
"""
)

# The three equalities alone are what a flag is; a flag that another program raised has no place in the order
# (flagged_ms) until adopt_flags() gives it one. Numbers go through as keys one by one: a map in a key would be compared
# for each flag.
_GROUPS = (
    "OPTIONAL MATCH (d:Decision) WHERE "
    + FLAGGED
    + """
WITH coming, coming_removed, matching, matching_uncounted, matching_unsized, d.review_reason AS reason,
  count(d) AS flagged, count(d.flagged_ms) AS listed, min(d.flagged_ms) AS first, max(d.flagged_ms) AS last,
  sum(CASE WHEN d.flagged_ms IS NOT NULL AND d.dependents IS NULL THEN 1 ELSE 0 END) AS uncounted,
  sum(CASE WHEN d.flagged_ms IS NOT NULL AND d.change_size IS NULL THEN 1 ELSE 0 END) AS unsized
WITH {coming: coming, coming_removed: coming_removed, matching: matching, uncounted: matching_uncounted,
    unsized: matching_unsized} AS hits,
  collect({reason: reason, flagged: flagged, listed: listed, first: first, last: last, uncounted: uncounted,
    unsized: unsized}) AS groups
OPTIONAL MATCH (a:Decision) WHERE a.project_id = $project AND a.review_pending = true
WITH groups, hits, count(a) AS queued
OPTIONAL MATCH (c:Decision) WHERE c.contested_in = $project AND c.choice_key IS NOT NULL AND c.status = 'active'
WITH groups, hits, queued, c.choice_key AS choice_key, count(DISTINCT c.conclusion) AS conclusions,
  count(DISTINCT c.task_id) AS tasks
RETURN groups, hits, queued, sum(CASE WHEN conclusions > 1 AND tasks > 1 THEN 1 ELSE 0 END) AS conflicts
"""
)
COUNTS = (
    _COMING + "WITH coming, coming_removed, -1 AS matching, 0 AS matching_uncounted, 0 AS matching_unsized\n" + _GROUPS
)
COUNTS_OF_FILTER = _COMING + _MATCHING + _GROUPS

# What a row says of its flag. Dependents are counted only where nobody stored their number.
ROWS = """
MATCH (t:Task)-[m:MADE]->(d)
WITH d, t, matching
OPTIONAL MATCH (d)-[h:HAS_SUPPORT]->(s:DecisionSupport) WHERE s.current = true
WITH d, t, matching, s
OPTIONAL MATCH (doc:Document {id: s.document_node_id})
WITH d, t, matching, count(s) AS citations, collect(DISTINCT coalesce(doc.title, doc.document_key)) AS titles,
  max(CASE WHEN s.document_node_id = d.cause_document_id THEN s.recorded_activation_seq END) AS previous_seq
OPTIONAL MATCH (cause:Document {id: d.cause_document_id})
WITH d, t, matching, citations, titles, previous_seq, cause{.id, .document_key, .title} AS document
OPTIONAL MATCH (act:DocumentActivation {id: d.cause_activation_id})
WITH d, t, matching, citations, titles, previous_seq, document, act{.*} AS activation
OPTIONAL MATCH (k:Decision) WHERE k._agrag_history_record = true AND k.id = d.cause_decision_id
WITH d, t, matching, citations, titles, previous_seq, document, activation, k
OPTIONAL MATCH (n:Decision)-[sup:SUPERSEDES]->(k)
WITH d, t, matching, citations, titles, previous_seq, document, activation, k,
  max(n.created_at) AS replaced_at, max(n.author) AS replaced_by
WITH d, t, matching, citations, titles, previous_seq, document, activation,
  k{.id, .choice_key, .status, .review_state, .verdict_kind, .verdict_by, .verdict_at, .rejected_by, .flagged_by,
    .cause_by, .flagged_ms, replaced_at: replaced_at, replaced_by: replaced_by} AS parent
OPTIONAL MATCH (c:Decision)-[r:DEPENDS_ON]->(d) WHERE d.dependents IS NULL AND c.status = 'active'
WITH d, t, matching, citations, titles, previous_seq, document, activation, parent, count(DISTINCT c) AS counted
RETURN d{.*} AS decision, t.name AS task_name, matching, citations, titles, previous_seq, document, activation, parent,
  coalesce(d.dependents, counted) AS dependents
"""


def _walk(key: str, *, down: bool) -> str:
    """A page along an index, from $from upwards or from $to downwards, beginning behind the flag of the cursor.

    The keyset is a CASE: Neo4j turns an OR, or a NOT of an AND, into a union of two scans, and sorts.
    """
    edge, behind, order = ("to", "<", " DESC") if down else ("from", ">", "")
    names = ("project_id", "status", "review_state", key, "id")
    head = "MATCH (d:Decision)\n//@index d:Decision(" + ", ".join(names) + ")\nWHERE " + FLAGGED
    bounds = (
        f"\n  AND d.{key} >= $from AND d.{key} <= $to AND d.id IS NOT NULL"
        f"\n  AND CASE WHEN d.{key} = ${edge} THEN d.id {behind} $after ELSE true END AND "
    )
    ordered = ", ".join(f"d.{name}{order}" for name in names)
    return head + bounds + MATCHES + "\nWITH d ORDER BY " + ordered + " LIMIT $limit\nWITH d, 0 AS matching" + ROWS


BY_AGE_UP = _walk("flagged_ms", down=False)
BY_AGE_DOWN = _walk("flagged_ms", down=True)
BY_DEPENDENTS_UP = _walk("dependents", down=False)
BY_DEPENDENTS_DOWN = _walk("dependents", down=True)
BY_CHANGE_UP = _walk("change_size", down=False)
BY_CHANGE_DOWN = _walk("change_size", down=True)

# Sorted in memory, with the page's place in it. What lacks the key of its order stands last in it.
_IN_HAND = """
WITH d, CASE $sort WHEN 'most_dependents' THEN coalesce(d.dependents, -1)
  WHEN 'smallest_change' THEN coalesce(d.change_size, 9007199254740992) ELSE d.flagged_ms END AS key
WITH d, key ORDER BY key, d.id
WITH collect({d: d, key: key, id: d.id}) AS places
WITH size(places) AS matching, [x IN places WHERE $down = false AND (x.key > $from
    OR (x.key = $from AND x.id > $after))][0..$limit] AS up,
  [x IN places WHERE $down = true AND (x.key < $to OR (x.key = $to AND x.id < $after))] AS below
WITH matching, up + below[CASE WHEN size(below) > $limit THEN size(below) - $limit ELSE 0 END..size(below)] AS chosen
UNWIND chosen AS x
WITH matching, x.d AS d
"""


def _in_hand(start: str) -> str:
    """A page of the flags that begin at a narrow index. WITH keeps both stores from beginning at the queue's."""
    return f"{start}\nWITH DISTINCT d WHERE {FLAGGED} AND {MATCHES}{_IN_HAND}{ROWS}"


OF_DOCUMENT = _in_hand("""MATCH (s:DecisionSupport) WHERE s.document_node_id = $document_id AND s.current = true
WITH s
MATCH (d:Decision)-[h:HAS_SUPPORT]->(s)""")
OF_TASK = _in_hand("MATCH (d:Decision) WHERE d.task_id = $task_id AND d.review_state = 'needs_review'")
OF_CHOICE = _in_hand(
    "MATCH (d:Decision) WHERE d.project_id = $project AND d.status = 'active' AND d.choice_key = $choice_key"
)
OF_CHANGE = _in_hand("MATCH (d:Decision) WHERE d.cause_activation_id = $source_change")
OF_PROJECT = _in_hand(f"MATCH (d:Decision) WHERE {FLAGGED}")
