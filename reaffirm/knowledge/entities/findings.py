"""What an extractor found in one version, checked and counted: entities by their key, each with its mentions. Pure."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reaffirm.knowledge.entities.extraction import ExtractedEntity, ExtractedRelation, Extraction, Extractor
from reaffirm.knowledge.entities.vocabulary import Vocabulary, vocabulary_of
from reaffirm.knowledge.ingestion import Version
from reaffirm.store.errors import ValueRefused
from reaffirm.store.values import safe, text_problem

IN_A_CHUNK = 200  # mentions, and relations, of one chunk
IN_A_VERSION = 2_000  # different entities, and relations, of one version
NAME_CHARACTERS, NAME_BYTES = 200, 1_000
PROPERTIES, PROPERTY_TEXT = 20, 1_000
_PROPERTY = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,59}")
# Names that the graph sets itself.
RESERVED_PROPERTIES = frozenset(
    {"label", "id", "name", "merge_key", "merge_count", "source_chunk_ids", "created_at", "embedding", "described_by"}
)


class ExtractionFailed(Exception):
    """The extractor raised, or returned something else than one Extraction for each text."""


@dataclass
class FoundEntity:
    """An entity of a version.

    Attributes:
        mentions: The places of each chunk that mentions it, in the document's text.
    """

    label: str
    name: str
    properties: dict[str, Any]
    mentions: dict[str, list[tuple[int, int]]] = field(default_factory=dict)


@dataclass
class FoundRelation:
    """A relation of a version: the chunks that say so, and the highest confidence of any."""

    chunks: list[str]
    confidence: float | None


@dataclass
class Findings:
    """All that was found.

    Attributes:
        entities: By key: the label and the folded name, by which agentic-graphrag tells entities apart.
        relations: By its type (with both labels) and the keys of its ends.
        left_out: How many mentions and relations were not kept.
    """

    chunk_ids: list[str]
    entities: dict[str, FoundEntity] = field(default_factory=dict)
    relations: dict[tuple[tuple[str, str, str], str, str], FoundRelation] = field(default_factory=dict)
    left_out: int = 0


class Reader:
    """An extractor with what it may write. Remembers the last version that it read, for a second attempt."""

    def __init__(self, extractor: Extractor) -> None:
        self._extractor = extractor
        self.vocabulary: Vocabulary = vocabulary_of(extractor)
        self._last: tuple[tuple[str, object], Findings] | None = None

    def read(self, version: Version) -> Findings:
        """What a version mentions.

        Raises:
            ExtractionFailed: See there.
        """
        chunks: list[Any] = [each["props"] for each in version.chunks]
        read = version.version_id, chunks[0]["id"] if chunks else None  # other documents have chunks of other ids
        last = self._last
        if last and last[0] == read:
            return last[1]
        findings = found(chunks, self._extract([chunk["text"] for chunk in chunks]), self.vocabulary)
        self._last = read, findings
        return findings

    def _extract(self, texts: list[str]) -> list[Extraction]:
        name = type(self._extractor).__name__
        try:
            results = list(self._extractor.extract(texts))
        except Exception as error:
            raise ExtractionFailed(f"{name} raised {type(error).__name__}: {_printable(error)}") from error
        if len(results) != len(texts) or not all(map(_well_formed, results)):
            raise ExtractionFailed(f"{name} did not return one Extraction for each of {len(texts)} texts")
        return results


def _well_formed(result: object) -> bool:
    lists = (result.entities, result.relations) if isinstance(result, Extraction) else (None,)
    return all(isinstance(each, Sequence) for each in lists)


def _printable(error: Exception) -> str:
    return str(error)[:200].encode("ascii", "backslashreplace").decode().replace("\0", "\\0")


def found(chunks: Sequence[Mapping[str, Any]], results: Sequence[Extraction], allowed: Vocabulary) -> Findings:
    """Keep what can be stored, up to the limits; count the rest."""
    findings = Findings([chunk["id"] for chunk in chunks])
    for chunk, result in zip(chunks, results, strict=True):
        keys = [
            _mention(findings, chunk, mention, allowed) if number < IN_A_CHUNK else None
            for number, mention in enumerate(result.entities)
        ]
        findings.left_out += keys.count(None)
        for number, relation in enumerate(result.relations):
            kept = number < IN_A_CHUNK and _relation(findings, chunk["id"], relation, keys, allowed)
            findings.left_out += not kept
    return findings


def _mention(findings: Findings, chunk: Mapping[str, Any], mention: ExtractedEntity, allowed: Vocabulary) -> str | None:
    """Take a mention in; the key of its entity, or None where it is left out."""
    if not isinstance(mention, ExtractedEntity) or mention.label not in allowed.labels:
        return None
    start, end, text = mention.char_start, mention.char_end, chunk["text"]
    if type(start) is not int or type(end) is not int or not 0 <= start < end <= len(text):
        return None
    name = name_of(text[start:end] if mention.text is None else mention.text)
    if name is None:
        return None
    key = key_of(mention.label, name)
    entity = findings.entities.get(key)
    if entity is None:
        if len(findings.entities) >= IN_A_VERSION:
            return None
        entity = findings.entities[key] = FoundEntity(mention.label, name, {})
    for known, value in _properties(mention.properties).items():
        entity.properties.setdefault(known, value)  # the first that was told, as agentic-graphrag keeps it
    places = entity.mentions.setdefault(chunk["id"], [])
    place = (chunk["char_start"] + start, chunk["char_start"] + end)
    if place not in places:
        places.append(place)
    return key


def _relation(
    findings: Findings, chunk_id: str, relation: ExtractedRelation, keys: list[str | None], allowed: Vocabulary
) -> bool:
    if not isinstance(relation, ExtractedRelation):
        return False
    ends = relation.source_index, relation.target_index
    if not all(type(end) is int and 0 <= end < len(keys) for end in ends):
        return False
    source, target = (keys[end] for end in ends)
    if source is None or target is None or source == target:
        return False
    kind = (relation.label, findings.entities[source].label, findings.entities[target].label)
    if kind not in allowed.relations:
        return False
    name = (kind, source, target)
    if name not in findings.relations:
        if len(findings.relations) >= IN_A_VERSION:
            return False
        findings.relations[name] = FoundRelation([], None)
    record = findings.relations[name]
    record.chunks += [] if chunk_id in record.chunks else [chunk_id]
    told = relation.confidence
    if type(told) is float and 0 <= told <= 1:
        record.confidence = max(round(told, 6), record.confidence or 0.0)
    return True


def name_of(text: object) -> str | None:
    """A name in one line, or None where the graph cannot hold it."""
    if not isinstance(text, str) or len(text) > 4 * NAME_CHARACTERS or text_problem(text):
        return None
    name = " ".join(text.split())
    if not name or len(name) > NAME_CHARACTERS or len(name.encode()) > NAME_BYTES:
        return None
    return None if any(unicodedata.category(character) == "Cc" for character in name) else name


def key_of(label: str, name: str) -> str:
    """What makes two mentions one entity, by agentic-graphrag's rule."""
    return f"{label}:{name.strip().casefold()}"


def _properties(given: object) -> dict[str, Any]:
    """Those that the graph can hold."""
    if not isinstance(given, Mapping):
        return {}
    kept: dict[str, Any] = {}
    for name, value in given.items():
        if not isinstance(name, str) or not _PROPERTY.fullmatch(name) or name in RESERVED_PROPERTIES:
            continue
        if type(value) not in (str, int, float, bool) or (isinstance(value, str) and len(value) > PROPERTY_TEXT):
            continue
        try:
            kept[name] = safe(value, name)
        except ValueRefused:
            continue
        if len(kept) == PROPERTIES:
            break
    return kept
