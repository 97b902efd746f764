"""Full-text search in the current versions."""

import re
from collections.abc import Collection, Sequence

from reaffirm import fields
from reaffirm.knowledge.describing import known_id
from reaffirm.knowledge.evidence import encode
from reaffirm.knowledge.fetching import chunk_of
from reaffirm.knowledge.models import EvidenceLocation, EvidenceReference, ReferenceKind, SearchHit, SearchResult
from reaffirm.store import GraphStore, Row

MAX_WORDS, MAX_HITS = 64, 100
SNIPPET = 240  # characters
CANDIDATES = 1_000  # superseded versions are in the index too, and are dropped after it
_WORD = re.compile(r"\w+")
# Neo4j's analyzer takes these for one word: foo:bar, 1,000, don't. Only the colon means something to its query parser.
# Looked for at the beginning of a word only: from each letter of a very long one it would be looked for to its end.
_COMPOUND = re.compile(r"(?<!\w)\w+(?:[.:,;'’]\w+)+")

TAIL = """WITH node AS c, score
MATCH (doc:Document {id: c.document_id})
WITH c, score, doc
WHERE c.content_hash = doc.current_content_hash AND c._pending_job_id IS NULL
  AND ($anywhere = true OR doc.document_key IN $document_keys)
MATCH (doc)-[part:HAS_PART]->(c) WHERE part.invalid_at IS NULL AND part._pending_job_id IS NULL
WITH DISTINCT c, doc, score
RETURN c{.id, .index, .text, .content_hash, .char_start, .char_end, .page_start, .page_breaks} AS chunk,
  doc{.id, .document_key, .title} AS doc, score
ORDER BY score DESC, c.id LIMIT $hits"""


def search(store: GraphStore, words: str, *, document_keys: Sequence[str] | None, limit: int) -> SearchResult:
    """Passages that hold some of the words; see Graph.search()."""
    hits = fields.whole("limit", limit, 1, MAX_HITS)
    plain = engine_words(store.kind, words) if isinstance(words, str) else []
    if not plain:
        return SearchResult(status="empty_query")
    keys = None if document_keys is None else keys_of(document_keys)
    if keys is not None and not keys:
        return SearchResult(status="empty_scope")
    sought = plain
    rows = store.search(
        "chunk",
        plain,
        limit=CANDIDATES,
        tail=TAIL,
        anywhere=keys is None,
        document_keys=keys or [],
        hits=hits + 1,
    )
    found = tuple(_hit(row, sought) for row in rows[:hits])
    return SearchResult(status="ok" if rows else "no_match", hits=found, truncated=len(rows) > hits)


def keys_of(scope: object) -> list[str]:
    """The keys in what a caller names as documents; what cannot be a key names none."""
    if isinstance(scope, str | bytes) or not isinstance(scope, Collection):
        return []
    return sorted({each for each in scope if isinstance(each, str) and known_id(each)})


def engine_words(kind: str, text: str) -> list[str]:
    """The words of a text as store.search() takes them for an engine; none when it holds no word."""
    plain = plain_words(text)
    if plain and kind == "neo4j":
        compounds = dict.fromkeys(_COMPOUND.findall(text.lower()))
        plain = plain + [word.replace(":", "\\:") for word in compounds][:MAX_WORDS]
    return plain


def plain_words(text: str) -> list[str]:
    """The words of a text that people typed, each once: nothing that a search engine could take for syntax."""
    found = (word for word in _WORD.findall(text.lower()) if word.strip("_"))
    return list(dict.fromkeys(found))[:MAX_WORDS]


def _hit(row: Row, sought: list[str]) -> SearchHit:
    chunk, doc = chunk_of(row["chunk"]), row["doc"]
    pages = chunk.pages.numbers(chunk.char_start or 0, chunk.char_end or 0) if chunk.pages and chunk.placed else ()
    reference = EvidenceReference(
        kind=ReferenceKind.SPAN if chunk.placed else ReferenceKind.CHUNK,
        document_node_id=doc["id"],
        content_hash_prefix=row["chunk"]["content_hash"][:16],
        char_start=chunk.char_start if chunk.placed else None,
        char_end=chunk.char_end if chunk.placed else None,
        chunk_id=None if chunk.placed else chunk.id,
    )
    return SearchHit(
        evidence_id=encode(reference),
        document_key=doc["document_key"],
        title=doc["title"],
        content_hash=row["chunk"]["content_hash"],
        location=EvidenceLocation(
            char_start=reference.char_start, char_end=reference.char_end, page_numbers=tuple(pages)
        ),
        snippet=snippet(chunk.text, sought),
        text=chunk.text,
        score=float(row["score"]),
    )


def snippet(text: str, sought: list[str]) -> str:
    """The words around the first of those sought, from a blank to a blank."""
    at = min((found for word in sought if (found := text.lower().find(word)) >= 0), default=0)
    start = text.rfind(" ", 0, max(0, at - SNIPPET // 4)) + 1 if at > SNIPPET // 4 else 0
    part = text[start : start + SNIPPET]
    if start + SNIPPET < len(text) and " " in part:
        part = part.rpartition(" ")[0]
    return part.strip()
