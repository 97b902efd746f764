"""For agentic-graphrag's own environment: what its Graph.open asks for, without a model and without a network.

An extractor that finds nothing, embeddings from a digest, a tokenizer of characters.
"""

import hashlib
from typing import Any

import agrag.graphdb.falkordb as falkordb
from agrag.chunking import Chunker
from agrag.common.data_models.extraction import ExtractionResult
from agrag.embedding.base import Embedder
from agrag.ingestion.extract import Extractor
from agrag.ingestion.settings import ExtractionSettings

# Our embedded server has an older module than it asks for. What it does there is what it does on a newer one.
falkordb.MIN_MODULE_VERSION = 0


class NullExtractor(Extractor):
    async def extract(self, chunk: Any, schema: Any) -> ExtractionResult:
        return ExtractionResult(entities=[], relations=[], extractor_name="null")


async def _eight(_: Embedder) -> int:
    return 8


async def _digests(_: Embedder, texts: Any) -> list[list[float]]:
    return [[(byte + 1) / 256 for byte in hashlib.sha256(text.encode()).digest()[:8]] for text in texts]


class HashEmbedder(Embedder):
    model = "hash-8"
    dimensions = _eight
    embed = _digests


MODELS: dict[str, Any] = {
    "schema": ["Person", "Company"],
    "embedder": HashEmbedder(),
    "extractor": NullExtractor(),
    "extraction_settings": ExtractionSettings(mode="gliner", candidates_enabled=False),
    "chunker": Chunker(size=80, min_size=20, tokenizer="character"),
}


async def new_document(graph: Any, key: str, text: str) -> Any:
    """A text under a key of one's own."""
    return await graph.update(key, text=text)


async def redact(retention: Any, event_id: str) -> Any:
    return await retention.redact_event(event_id)


async def delete(retention: Any, name: str) -> Any:
    return await retention.delete_task(name)
