"""What an extractor is: it reads the chunks of a document and names what they mention.

Names of classes and fields are those of agentic-graphrag's results. Pure: an extractor sees texts and returns records.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

PropertyValue = str | int | float | bool


@dataclass(frozen=True)
class ExtractedEntity:
    """One mention in one chunk.

    Attributes:
        label: Its type, one of the extractor's.
        char_start: Where it begins in the chunk's text, in code points.
        char_end: Where it ends, exclusive.
        text: Its name; None: the words at its place.
        properties: What is known of it, by plain names.
    """

    label: str
    char_start: int
    char_end: int
    text: str | None = None
    properties: Mapping[str, PropertyValue] = field(default_factory=dict)


@dataclass(frozen=True)
class ExtractedRelation:
    """One relation between two mentions of a chunk.

    Attributes:
        label: Its type, one of the extractor's.
        source_index: Which of the chunk's mentions it begins at.
        target_index: Which it leads to.
        confidence: From 0 to 1, where the extractor tells.
    """

    label: str
    source_index: int
    target_index: int
    confidence: float | None = None


@dataclass(frozen=True)
class Extraction:
    """What was found in one chunk."""

    entities: Sequence[ExtractedEntity] = ()
    relations: Sequence[ExtractedRelation] = ()


class Extractor(Protocol):
    """Finds entities. What it returns must depend on nothing but the texts, and it may be called by many threads."""

    @property
    def labels(self) -> Sequence[str]:
        """The types that it may find: 1 to 50 plain identifiers. They become labels of nodes."""

    @property
    def relations(self) -> Sequence[tuple[str, str, str]]:
        """The relations that it may find, at most 50: the type, the label where it begins, the label where it ends."""

    @property
    def fingerprint(self) -> str:
        """Any text that changes when the same texts may give other results: a version and the settings."""

    def extract(self, texts: Sequence[str]) -> Sequence[Extraction]:
        """What each chunk mentions: one Extraction for each text, in their order."""
