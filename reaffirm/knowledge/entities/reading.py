"""What the current version of a document mentions, page by page."""

from typing import Any

from reaffirm.decisions import cursors
from reaffirm.knowledge.describing import known_id
from reaffirm.knowledge.entities.findings import RESERVED_PROPERTIES
from reaffirm.knowledge.entities.models import DocumentEntity, EntityPage
from reaffirm.knowledge.evidence import chunk_id, span_id
from reaffirm.store import GraphStore

SHOWN = 20  # evidence ids of an entity

# The order is that of its unique key: the type and the folded name. The version's mentions are all looked at for a
# page; there is no index that leads from a document to its entities by name.
READ_ENTITIES = """MATCH (doc:Document {id: $id}) WHERE doc.current_content_hash IS NOT NULL
WITH doc, doc.current_content_hash AS hash
MATCH (c:Chunk) WHERE c.document_id = $id AND c.content_hash = hash AND c._pending_job_id IS NULL
WITH doc, hash, c
MATCH (doc)-[part:HAS_PART]->(c) WHERE part.invalid_at IS NULL AND part._pending_job_id IS NULL
WITH DISTINCT hash, c
MATCH (c)-[m:MENTIONED_IN]->(e)
WHERE m._pending_job_id IS NULL AND e._pending_job_id IS NULL AND e.merge_key IS NOT NULL AND e.merge_key > $after
WITH hash, e, collect({chunk: c.id, start: c.char_start, end: c.char_end,
  text: CASE WHEN m.char_starts IS NULL THEN c.text END, starts: m.char_starts, ends: m.char_ends}) AS places
ORDER BY e.merge_key, e.id LIMIT $limit
RETURN hash, e{.*, embedding: null} AS entity, places"""


def entities(store: GraphStore, document_key: str, limit: int, cursor: str | None) -> EntityPage:
    """See Graph.entities()."""
    node = known_id(document_key)
    if not node:
        return EntityPage()
    rows = cursors.bounded(limit, 1, 500, 100)
    found = store.read(READ_ENTITIES, id=node, after=cursors.decode_text(cursor) or "", limit=rows + 1)
    shown = found[:rows]
    return EntityPage(
        entities=tuple(_entity(node, row["hash"], row["entity"], row["places"]) for row in shown),
        next_cursor=cursors.encode_text(shown[-1]["entity"]["merge_key"]) if len(found) > rows else None,
    )


def _entity(document: str, content_hash: str, entity: dict[str, Any], places: list[dict[str, Any]]) -> DocumentEntity:
    spans: list[tuple[int, int]] = []
    chunks: list[str] = []
    for place in places:
        if place["starts"]:
            spans += zip(place["starts"], place["ends"] or [], strict=False)
        elif place["start"] is not None and place["end"] - place["start"] == len(place["text"]):
            spans.append((place["start"], place["end"]))
        else:
            chunks.append(place["chunk"])
    named = [span_id(document, content_hash, start, end) for start, end in sorted(spans)]
    named += [chunk_id(document, content_hash, chunk) for chunk in sorted(chunks)]
    known = {
        name: value
        for name, value in entity.items()
        if name not in RESERVED_PROPERTIES and not name.startswith("_") and value is not None
    }
    return DocumentEntity(
        id=entity["id"],
        type=entity["merge_key"].partition(":")[0],
        name=entity["name"],
        mentions=len(named),
        evidence_ids=tuple(named[:SHOWN]),
        properties=known,
    )
