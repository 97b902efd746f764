"""The labels and types of relations that an extractor writes, checked once: they stand in the text of statements."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from reaffirm.knowledge.entities.extraction import Extractor
from reaffirm.store.base import EntityLabels
from reaffirm.store.errors import ValueRefused
from reaffirm.store.labels import is_label
from reaffirm.store.schema import HISTORY_KEYS, KNOWLEDGE_LABELS, RELATIONSHIPS, RETENTION_LABELS

MOST = 50

# Labels of other records of the graph, ours and agentic-graphrag's. An entity under one of them would be read as such.
RESERVED_LABELS = frozenset(
    {
        *(label for label, _ in HISTORY_KEYS),
        *KNOWLEDGE_LABELS,
        *RETENTION_LABELS,
        "Table",
        "Figure",
        "Source",
        "Community",
        "ResolvedEntity",
        "Candidate",
        "CutoverJob",
        "VectorPlacement",
    }
)
RESERVED_RELATIONS = frozenset(
    {*RELATIONSHIPS, "HAS_DOCUMENT", "MEMBER_OF", "MATCHES", "RESOLVED_AS", "EVIDENCED_BY", "SOURCE", "TARGET"}
)

Listed = TypeVar("Listed")


@dataclass(frozen=True)
class Vocabulary:
    """What an extractor may write.

    Attributes:
        fingerprint: 16 hexadecimal digits; stored with each chunk that was read.
    """

    labels: tuple[str, ...]
    relations: tuple[tuple[str, str, str], ...]
    fingerprint: str

    @property
    def schema(self) -> EntityLabels:
        return EntityLabels(self.labels, tuple(sorted({kind for kind, _, _ in self.relations})))


def vocabulary_of(extractor: Extractor) -> Vocabulary:
    """Check what an extractor says of itself.

    Raises:
        ValueRefused: A label is no plain identifier or belongs to other records; there are none, or too many.
    """
    labels = _listed("extractor.labels", extractor.labels)
    if not labels:
        raise ValueRefused("extractor.labels", "is empty; name 1 to 50 types")
    for label in labels:
        _identifier("extractor.labels", label, RESERVED_LABELS)
    relations = _listed("extractor.relations", extractor.relations)
    for relation in relations:
        if not isinstance(relation, tuple) or len(relation) != 3 or not {*relation[1:]} <= {*labels}:
            raise ValueRefused("extractor.relations", "is not a list of (type, label, label) with labels of its own")
        _identifier("extractor.relations", relation[0], RESERVED_RELATIONS)
    fingerprint = extractor.fingerprint
    if not isinstance(fingerprint, str) or not 0 < len(fingerprint) <= 100_000:
        raise ValueRefused("extractor.fingerprint", "is not a text of 1 to 100,000 characters")
    digest = hashlib.sha256(fingerprint.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return Vocabulary(tuple(sorted(set(labels))), tuple(sorted(set(relations))), digest)


def _listed(field: str, values: Sequence[Listed]) -> list[Listed]:
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise ValueRefused(field, "is not a list")
    if len(values) > MOST:
        raise ValueRefused(field, f"has {len(values)} entries; the limit is {MOST}")
    return list(values)


def _identifier(field: str, value: object, reserved: frozenset[str]) -> None:
    if not is_label(value):
        raise ValueRefused(field, "holds a name that is not a plain identifier of at most 60 letters and digits")
    if value in reserved:
        raise ValueRefused(field, f"holds {value}, which names other records of the graph")
