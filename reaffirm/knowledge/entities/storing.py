"""How entities stand in the graph: the records, and the parts of the statements that write them.

They have agentic-graphrag's shape: a node under its type, a ``_MergeAlias`` that leads from its key to it, MENTIONED_IN
from each chunk, relations with the chunks that say so. Own facts are properties of the mention: the places in the
document, and who read it; so they go with the chunk. ``described_by`` on an entity names the document that its
properties come from, so that a purge can take them away.

Entities are written last and in the order of their keys, behind the locks of documents, decisions and projects.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from reaffirm import ids
from reaffirm.knowledge.entities.findings import Findings, FoundEntity, key_of
from reaffirm.knowledge.entities.vocabulary import Vocabulary
from reaffirm.store.labels import labelled

# Chunk ids that an entity node itself lists. An entity of a hundred thousand mentions would be rewritten by each.
LISTED_CHUNKS = 1_000

READ_ALIASES = """UNWIND $keys AS key
MATCH (a:_MergeAlias {merge_key: key})
RETURN key, a.entity_id AS id"""


@dataclass(frozen=True)
class Parts:
    """What a statement has for entities, in its order.

    Attributes:
        stale: Reads what an earlier run found in the same chunks and this one does not.
        carried: The names of that, to go through a WITH.
        drop: Deletes it.
        fresh: Writes what was found.
    """

    stale: str = ""
    carried: str = ""
    drop: str = ""
    fresh: str = ""


# Nodes are found by the label that every node of documents has, so that a text names each label once and stays short:
# Neo4j needs seconds to plan a long one. What is matched sets its id first: on Neo4j that takes the lock, behind which
# properties() reads what others committed.
_ENTITIES = (
    """FOREACH (x IN $entities.entities | MERGE (e:_Node {id: x.id})
  ON CREATE SET e = x.props
  ON MATCH SET e.id = x.id, e._pending_job_id = null
  SET e.merge_count = coalesce(properties(e).merge_count, 0) + x.count,
    e.source_chunk_ids = CASE WHEN size(coalesce(properties(e).source_chunk_ids, [])) >= $entities.listed
      THEN properties(e).source_chunk_ids
      ELSE [y IN coalesce(properties(e).source_chunk_ids, []) WHERE NOT y IN x.chunks] + x.chunks END
  """,
    """
  FOREACH (y IN x.keys | MERGE (alias:_MergeAlias {merge_key: y})
    ON CREATE SET alias.entity_id = x.id
    ON MATCH SET alias._pending_job_id = null)
  FOREACH (y IN x.mentions | MERGE (c:Chunk {id: y.chunk})
    MERGE (c)-[m:MENTIONED_IN {id: y.id}]->(e)
    ON CREATE SET m.created_at = $now, m.source_chunk_ids = []
    SET m.char_starts = y.starts, m.char_ends = y.ends, m.extraction_fingerprint = $entities.fingerprint))
""",
)
_LABEL = "FOREACH (y IN CASE WHEN x.label = 'LABEL' THEN [1] ELSE [] END | SET e:`LABEL`)"

_RELATIONS = """FOREACH (x IN $related.of_LABEL | MERGE (s:_Node {id: x.source}) MERGE (t:_Node {id: x.target})
  MERGE (s)-[r:`LABEL` {id: x.id}]->(t)
  ON CREATE SET r.created_at = $now
  ON MATCH SET r.id = x.id, r._pending_job_id = null
  SET r.confidence = CASE WHEN coalesce(x.confidence, -1) > coalesce(properties(r).confidence, -1) THEN x.confidence
      ELSE properties(r).confidence END,
    r.source_chunk_ids = CASE WHEN size(coalesce(properties(r).source_chunk_ids, [])) >= $entities.listed
      THEN properties(r).source_chunk_ids
      ELSE [y IN coalesce(properties(r).source_chunk_ids, []) WHERE NOT y IN x.chunks] + x.chunks END)
"""

_STAMP = """FOREACH (x IN $entities.chunk_ids | MERGE (c:Chunk {id: x})
  SET c.extraction_fingerprint = $entities.fingerprint)
"""


def _leaving(chunks: str, mention: str, other: str, kept: str, kept_relations: str) -> str:
    """Read what leaves with mentions. No name of these is used again behind: FalkorDB's FOREACH would take it for its.

    Two rows of lists, each of its own: as a grouping key a list would be compared for every mention.

    Args:
        chunks: Which chunks ``read`` of the document, by ``part_of``, and which of their mentions ``said``.
        mention: Which of these leave.
        other: Which chunks ``other`` keep an entity that they mention.
        kept: Ids of entities that are written again; kept_relations: of relations.
    """
    return (
        """CALL {
  WITH doc
  MATCH (doc)-[part_of:HAS_PART]->(read:Chunk)-[said:MENTIONED_IN]->(thing) WHERE """
        + chunks
        + mention
        + """
  WITH thing, collect(said) AS mentions ORDER BY thing.id
  //@lock thing
  WITH thing, mentions
  OPTIONAL MATCH (other:Chunk)-[again:MENTIONED_IN]->(thing) WHERE """
        + other
        + """
  WITH thing, mentions, count(again) AS others
  WITH thing, mentions, others = 0 AND NOT thing.id IN """
        + kept
        + """ AS alone
  OPTIONAL MATCH (name:_MergeAlias) WHERE alone AND name.entity_id = thing.id
  WITH thing, mentions, alone, collect(name) AS names_of
  OPTIONAL MATCH (thing)-[member:RESOLVED_AS]->(cluster:ResolvedEntity) WHERE alone
  WITH thing, mentions, alone, names_of, collect(cluster) AS clusters_of
  RETURN collect(CASE WHEN alone THEN thing END) AS lonely, collect(names_of) AS aliases,
    collect(clusters_of) AS clusters, collect(CASE WHEN NOT alone THEN mentions END) AS mentioned,
    collect(CASE WHEN NOT alone AND thing.described_by = $id THEN thing END) AS described
}
CALL {
  WITH doc
  MATCH (doc)-[part_of:HAS_PART]->(read:Chunk)-[said:MENTIONED_IN]->(thing) WHERE """
        + chunks
        + """
  WITH collect(DISTINCT read.id) AS chunk_ids, collect(DISTINCT thing) AS things
  UNWIND things AS thing
  MATCH (thing)-[tie]->(end_of_it) WHERE any(x IN tie.source_chunk_ids WHERE x IN chunk_ids)
  WITH tie, chunk_ids, NOT tie.id IN """
        + kept_relations
        + """ AND all(x IN tie.source_chunk_ids WHERE x IN chunk_ids) AS empty
  RETURN collect(CASE WHEN empty THEN tie END) AS emptied,
    collect(CASE WHEN NOT empty THEN {of: tie, chunks: [x IN tie.source_chunk_ids WHERE NOT x IN chunk_ids]} END)
      AS thinned
}
"""
    )


_CARRIED = ", lonely, aliases, clusters, mentioned, emptied, thinned"
_LEAVE = """FOREACH (x IN thinned | FOREACH (tie IN [x.of] | SET tie.source_chunk_ids = x.chunks))
FOREACH (tie IN emptied | DETACH DELETE tie)
FOREACH (each IN aliases | FOREACH (gone IN each | DETACH DELETE gone))
FOREACH (each IN clusters | FOREACH (gone IN each | DETACH DELETE gone))
FOREACH (gone IN lonely | DETACH DELETE gone)
"""

# What another run of an extractor, or another extractor, found in these very chunks and this one does not.
_STALE = _leaving(
    "part_of.version_id = $version_id AND said.extraction_fingerprint <> $entities.fingerprint",
    " AND NOT said.id IN $entities.mention_ids",
    "NOT other.id IN $entities.chunk_ids",
    "$entities.entity_ids",
    "$entities.relation_ids",
)
_DROP_STALE = _LEAVE + "FOREACH (each IN mentioned | FOREACH (gone IN each | DETACH DELETE gone))\n"

# All that only this document mentions. What stays keeps nothing that this document told of it.
PURGED = _leaving("true", "", "other.document_id <> $id", "[]", "[]")
DROP_PURGED = (
    _LEAVE
    + """FOREACH (e IN described | SET e = {id: e.id, name: e.name, merge_key: e.merge_key, _ft_name: e._ft_name,
  merge_count: e.merge_count, source_chunk_ids: e.source_chunk_ids, created_at: e.created_at})
"""
)


@cache
def parts_for(vocabulary: Vocabulary) -> Parts:
    """The parts for an extractor's labels. Each was checked to be a plain identifier; nothing else goes into a text."""
    labels = "\n  ".join(labelled(_LABEL, label) for label in vocabulary.labels)
    relations = "".join(labelled(_RELATIONS, kind) for kind in vocabulary.schema.relations)
    return Parts(_STALE, _CARRIED, _DROP_STALE, _STAMP + _ENTITIES[0] + labels + _ENTITIES[1] + relations)


def records(
    findings: Findings, vocabulary: Vocabulary, aliases: dict[str, str], *, document_id: str, now: str, ft_fields: bool
) -> dict[str, Any]:
    """The parameters ``$entities`` and ``$related``.

    Args:
        aliases: Ids of entities that are known under a key.
        ft_fields: Whether the store searches in ``_ft_name`` (FalkorDB) rather than in ``name``.
    """
    by_id: dict[str, list[str]] = {}
    for key in sorted(findings.entities):
        by_id.setdefault(aliases.get(key) or entity_id(key), []).append(key)
    id_of = {key: node for node, keys in by_id.items() for key in keys}
    made = [
        _record(node, keys, [findings.entities[key] for key in keys], document_id, now, ft_fields)
        for node, keys in by_id.items()
    ]
    related = {f"of_{kind}": _relations(findings, kind, id_of) for kind in vocabulary.schema.relations}
    found: dict[str, Any] = {
        "fingerprint": vocabulary.fingerprint,
        "chunk_ids": findings.chunk_ids,
        "entity_ids": list(by_id),
        "mention_ids": [mention["id"] for record in made for mention in record["mentions"]],
        "entities": made,
        "listed": LISTED_CHUNKS,
        "relation_ids": [record["id"] for each in related.values() for record in each],
    }
    return {"entities": found, "related": related}


def _record(
    node: str, keys: list[str], entities: list[FoundEntity], document_id: str, now: str, ft_fields: bool
) -> dict[str, Any]:
    first = entities[0]
    places: dict[str, set[tuple[int, int]]] = {}
    properties: dict[str, Any] = {}
    for entity in entities:
        properties = entity.properties | properties
        for chunk, found in entity.mentions.items():
            places.setdefault(chunk, set()).update(found)
    count = sum(len(found) for found in places.values())
    props = properties | {
        "id": node,
        "name": first.name,
        "merge_key": key_of(first.label, first.name),
        "merge_count": 0,
        "source_chunk_ids": [],
        "created_at": now,
    }
    props |= {"described_by": document_id} if properties else {}
    props |= {"_ft_name": first.name} if ft_fields else {}
    mentions = [
        {
            "chunk": chunk,
            "id": ids.single(f"MENTIONED_IN:{chunk}:{node}"),
            "starts": [start for start, _ in sorted(found)],
            "ends": [end for _, end in sorted(found)],
        }
        for chunk, found in places.items()
    ]
    return {
        "id": node,
        "label": first.label,
        "keys": keys,
        "count": count,
        "chunks": list(places)[:LISTED_CHUNKS],
        "props": props,
        "mentions": mentions,
    }


def _relations(findings: Findings, kind: str, id_of: dict[str, str]) -> list[dict[str, Any]]:
    """One record for each pair of nodes: several keys may lead to one entity."""
    merged: dict[str, dict[str, Any]] = {}
    for (each, source, target), relation in sorted(findings.relations.items(), key=lambda item: item[0]):
        one, two = id_of[source], id_of[target]
        if each[0] != kind or one == two:
            continue
        node = ids.single(f"{kind}:{one}:{two}")
        record = merged.setdefault(node, {"id": node, "source": one, "target": two, "chunks": [], "confidence": None})
        record["chunks"] = _distinct([*record["chunks"], *relation.chunks])[:LISTED_CHUNKS]
        if relation.confidence is not None:
            record["confidence"] = max(relation.confidence, record["confidence"] or 0.0)
    return list(merged.values())


def _distinct(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))


def entity_id(key: str) -> str:
    """The id of an entity that nobody has written yet. agentic-graphrag takes one from its job: there is no formula."""
    return ids.single(f"Entity:{key}")
