"""What holds of a graph on which both products worked, whatever they did and in whatever order."""

import hashlib
from collections import Counter
from typing import Any

from reaffirm import ids
from reaffirm.store import GraphStore

THEIRS = "theirs-"  # how the agents of agentic-graphrag are called

TASKS = "MATCH (t:Task) RETURN t.id AS id, t.name AS name, t.project_id AS project, t.event_seq AS last"
EVENTS = "MATCH (e:Event) OPTIONAL MATCH (t:Task)-[:HAS_EVENT]->(e) RETURN e{.*} AS event, collect(t.id) AS tasks"
DECISIONS = "MATCH (d:Decision) OPTIONAL MATCH (t:Task)-[:MADE]->(d) RETURN d{.*} AS decision, collect(t.id) AS tasks"
SUPPORTS = """
MATCH (s:DecisionSupport) OPTIONAL MATCH (d:Decision)-[:HAS_SUPPORT]->(s)
RETURN s{.*} AS support, collect(d.id) AS decisions
"""
PARENTS = "MATCH (d:Decision)-[:DEPENDS_ON]->(p:Decision) RETURN d.id AS id, collect(p.id) AS parents"
SUCCESSORS = "MATCH (new:Decision)-[:SUPERSEDES]->(old:Decision) RETURN new.id AS new, old.id AS old"
VERSIONS = """
MATCH (doc:Document) OPTIONAL MATCH (doc)-[:HAS_ACTIVATION]->(a:DocumentActivation)
RETURN doc{.id, .current_content_hash, .activation_seq} AS doc, collect(a.activation_seq) AS seqs
"""
PARTS = """
MATCH (doc:Document)-[h:HAS_PART]->(c:Chunk) WHERE h.invalid_at IS NULL
RETURN doc.id AS id, collect(c.content_hash) AS hashes, collect(h._pending_job_id) AS pending
"""
LOST = """
MATCH (d:Decision)-[:HAS_SUPPORT]->(s:DecisionSupport)
WHERE d.status = 'active' AND d.review_state = 'clear' AND s.kind = 'document' AND s.current = true
WITH d, s
MATCH (doc:Document {id: s.document_node_id})
WHERE doc.activation_seq <> s.recorded_activation_seq OR doc.current_content_hash <> s.content_hash
RETURN d.id AS id, coalesce(s.reviewed_by, d.author) AS writer
"""

UNFLAGGED_DEPENDENTS = """
MATCH (d:Decision)-[:DEPENDS_ON]->(p:Decision)
WHERE d.status = 'active' AND d.review_state = 'clear' AND (p.status <> 'active' OR p.review_state <> 'clear')
RETURN d.id AS id, d.author AS writer
"""


def gapless_events(store: GraphStore) -> None:
    """Every task numbers its events from 1; ids and digests are those of the formulas."""
    last = {row["id"]: row["last"] for row in store.read(TASKS)}
    seqs: dict[str, list[int]] = {task: [] for task in last}
    for row in store.read(EVENTS):
        event = row["event"]
        assert row["tasks"] == [event["task_id"]], row
        assert event["id"] == ids.event_id(event["task_id"], event["seq"])
        if not event["truncated"] and not event.get("redacted_at"):
            assert event["payload_sha256"] == hashlib.sha256(event["payload"].encode()).hexdigest()
        seqs[event["task_id"]].append(event["seq"])
    for task, found in seqs.items():
        assert sorted(found) == list(range(1, last[task] + 1))


def one_active_revision(store: GraphStore) -> None:
    """Revisions of a choice are numbered from 1; at most the last of them is active."""
    choices: dict[tuple[str, str], dict[int, str]] = {}
    for row in store.read(DECISIONS):
        decision = row["decision"]
        assert decision["id"] == ids.decision_id(decision["task_id"], decision["choice_key"], decision["revision"])
        choices.setdefault((decision["task_id"], decision["choice_key"]), {})[decision["revision"]] = decision["status"]
    for choice, revisions in choices.items():
        assert sorted(revisions) == list(range(1, len(revisions) + 1)), (choice, revisions)
        earlier = [revisions[number] for number in sorted(revisions)[:-1]]
        assert set(earlier) <= {"superseded", "rejected"}, (choice, revisions)


def no_orphan(store: GraphStore) -> None:
    """Everything hangs where it belongs, once."""
    decisions = {row["decision"]["id"]: row["decision"] for row in store.read(DECISIONS)}
    for row in store.read(DECISIONS):
        assert row["tasks"] == [row["decision"]["task_id"]], row
    cited: dict[str, list[dict[str, Any]]] = {decision: [] for decision in decisions}
    for row in store.read(SUPPORTS):
        assert len(row["decisions"]) == 1, row
        cited[row["decisions"][0]].append(row["support"])
    parents = {row["id"]: set(row["parents"]) for row in store.read(PARENTS)}
    for decision, supports in cited.items():
        assert any(each["current"] for each in supports), decision
        _numbered(decisions[decision], supports)
        named = {each["decision_id"] for each in supports if each["kind"] == "decision"}
        assert named == parents.get(decision, set()) and named <= set(decisions)
    for row in store.read(SUCCESSORS):
        new, old = decisions[row["new"]], decisions[row["old"]]
        assert new["choice_key"] == old["choice_key"] and new["revision"] > old["revision"]


def _numbered(decision: dict[str, Any], supports: list[dict[str, Any]]) -> None:
    """Each support has a number of its own, unless two agents there reaffirmed at once, which is many statements."""
    twice = [number for number, count in Counter(each["ordinal"] for each in supports).items() if count > 1]
    for number in twice:
        writers = {each.get("reviewed_by") or decision["author"] for each in supports if each["ordinal"] == number}
        assert any(writer.startswith(THEIRS) for writer in writers), supports


def one_version(store: GraphStore) -> None:
    """Activations of a document are numbered from 1; the open chunks are all of the version in force."""
    parts = {row["id"]: row for row in store.read(PARTS)}
    for row in store.read(VERSIONS):
        doc = row["doc"]
        assert sorted(row["seqs"]) == list(range(1, doc["activation_seq"] + 1)), row
        open_parts = parts.get(doc["id"], {"hashes": [], "pending": []})
        assert set(open_parts["hashes"]) == ({doc["current_content_hash"]} - {None}), row
        assert not open_parts["pending"]


def lost_flags(store: GraphStore) -> dict[str, str]:
    """Active clear decisions whose cited document moved on, or whose parent did, by who wrote the support."""
    return {row["id"]: row["writer"] for row in store.read(UNFLAGGED_DEPENDENTS) + store.read(LOST)}


def sound(store: GraphStore) -> None:
    """All of it, but for the flags."""
    gapless_events(store)
    one_active_revision(store)
    no_orphan(store)
    one_version(store)
