"""For agentic-graphrag's own environment: what its Graph.open asks for, without a model and without a network.

An extractor that finds nothing, embeddings from a digest, a tokenizer of characters.
"""

import hashlib
import re
from typing import Any

import agrag.graphdb.falkordb as falkordb
from agrag.chunking import Chunker
from agrag.common.data_models.evidence import EvidenceSearchMode
from agrag.common.data_models.extraction import ExtractedEntity, ExtractedRelation, ExtractionResult
from agrag.common.data_models.graph_schema import EntityType, GraphSchema, PropertySpec, RelationType
from agrag.embedding.base import Embedder
from agrag.evidence import search_evidence
from agrag.ingestion.extract import Extractor
from agrag.ingestion.settings import ExtractionSettings

# Our embedded server has an older module than it asks for. What it does there is what it does on a newer one.
falkordb.MIN_MODULE_VERSION = 0


class NullExtractor(Extractor):
    async def extract(self, chunk: Any, schema: Any) -> ExtractionResult:
        return ExtractionResult(entities=[], relations=[], extractor_name="null")


class NamesExtractor(Extractor):
    """Every place of a few names, and that two of them belong together. The same as ours in test_entities.py."""

    async def extract(self, chunk: Any, schema: Any) -> ExtractionResult:
        entities = [
            ExtractedEntity(
                chunk_id=chunk.id,
                label=label,
                text=name,
                char_start=found.start(),
                char_end=found.end(),
                properties=properties,
            )
            for name, label, properties in NAMES
            for found in re.finditer(re.escape(name), chunk.text)
        ]
        by_name = {entity.text: number for number, entity in reversed(list(enumerate(entities)))}
        relations = []
        if "Ada Byron" in by_name and "Globex" in by_name:
            ends = {"source_index": by_name["Ada Byron"], "target_index": by_name["Globex"]}
            relations.append(ExtractedRelation(chunk_id=chunk.id, label="WORKS_FOR", **ends))
        return ExtractionResult(entities=entities, relations=relations, extractor_name="names")


async def _eight(_: Embedder) -> int:
    return 8


async def _digests(_: Embedder, texts: Any) -> list[list[float]]:
    return [[(byte + 1) / 256 for byte in hashlib.sha256(text.encode()).digest()[:8]] for text in texts]


class HashEmbedder(Embedder):
    model = "hash-8"
    dimensions = _eight
    embed = _digests


NAMES: list[tuple[str, str, dict[str, object]]] = [
    ("Ada Byron", "Person", {"role": "officer"}),
    ("Globex", "Company", {}),
    ("GLOBEX", "Company", {}),
]
NAMES_SCHEMA = GraphSchema(
    name="names",
    version="1",
    entities=[
        EntityType(label="Person", description="A person.", properties={"role": PropertySpec(type="string")}),
        EntityType(label="Company", description="A company."),
    ],
    relations=[RelationType(label="WORKS_FOR", description="Works for.", patterns=[("Person", "Company")])],
)

MODELS: dict[str, Any] = {
    "schema": ["Person", "Company"],
    "embedder": HashEmbedder(),
    "extractor": NullExtractor(),
    "extraction_settings": ExtractionSettings(mode="gliner", candidates_enabled=False),
    "chunker": Chunker(size=80, min_size=20, tokenizer="character"),
}

WITH_NAMES: dict[str, Any] = MODELS | {"schema": NAMES_SCHEMA, "extractor": NamesExtractor()}


async def new_document(graph: Any, key: str, text: str) -> Any:
    """A text under a key of one's own."""
    return await graph.update(key, text=text)


async def search(store: Any, graph: Any, words: str, scope: frozenset[str]) -> Any:
    """By words alone: there is no model here that understands any."""
    return await search_evidence(store, MODELS["embedder"], words, mode=EvidenceSearchMode.LEXICAL, scope=scope)


async def redact(retention: Any, event_id: str) -> Any:
    return await retention.redact_event(event_id)


async def delete(retention: Any, name: str) -> Any:
    return await retention.delete_task(name)
