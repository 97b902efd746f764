"""Documents of the measured graph, written through the library, and the supports that cite their passages."""

from dataclasses import dataclass, field
from typing import Any

from reaffirm import ids
from reaffirm.decisions.supports import document_support
from reaffirm.knowledge import Graph, evidence

PARAGRAPHS = 12
EDITED, UNTOUCHED = 3, 5  # paragraphs: one that the second version edits, and one that it leaves


def paragraph(number: int, of: str) -> str:
    """Some words that stand nowhere else in their document."""
    return (
        f"Rule {number} of {of}: a request of class {number} is answered within {number + 10} days, and whoever "
        f"answers it notes the number {number * 7} in the log before the file is closed."
    )


def text_of(key: str, version: int, paragraphs: int = PARAGRAPHS) -> str:
    """The text of a document; the second version edits one paragraph in it, the third another way."""
    return "\n\n".join(
        paragraph(number, key) if version == 1 or number % PARAGRAPHS != EDITED else edited(number, key, version)
        for number in range(paragraphs)
    )


def edited(number: int, key: str, version: int) -> str:
    return paragraph(number, key).replace("is answered", f"has to be answered (version {version})")


@dataclass
class Source:
    """One document as it stands in the graph.

    Attributes:
        texts, hashes: Its versions from the first on; the last is in force.
    """

    key: str
    texts: list[str]
    hashes: list[str] = field(default_factory=list)
    activation_id: str = ""
    _supports: dict[tuple[int, int], dict[str, Any]] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return ids.document_id(self.key)

    @property
    def seq(self) -> int:
        return len(self.texts)

    def evidence_id(self, number: int, version: int) -> str:
        """Of a paragraph in a version."""
        words = self._words(number, version)
        return self._span(words, self.texts[version - 1].index(words), version)

    def support(self, number: int, version: int) -> dict[str, Any]:
        """What a decision that cites a paragraph of a version holds of it."""
        if (number, version) not in self._supports:
            words = self._words(number, version)
            at = self.texts[version - 1].index(words)
            self._supports[number, version] = self.support_of(words, at, version)
        return self._supports[number, version]

    def support_of(self, words: str, at: int, version: int) -> dict[str, Any]:
        """The same of any words, which stand at a place of the version."""
        found = self._span(words, at, version)
        reference = evidence.decode(found)
        assert reference is not None
        known = {"document_key": self.key}
        return document_support(found, reference, self.hashes[version - 1], known, version, words)

    def _span(self, words: str, at: int, version: int) -> str:
        return evidence.span_id(self.id, self.hashes[version - 1], at, at + len(words))

    def _words(self, number: int, version: int) -> str:
        return self.texts[version - 1].split("\n\n")[number]


def write_source(graph: Graph, key: str, versions: int) -> Source:
    """Write a document, and its further versions."""
    source = Source(key, [])
    for version in range(1, versions + 1):
        next_version(graph, source, text_of(key, version))
    return source


def next_version(graph: Graph, source: Source, text: str) -> None:
    """Give a document a version. Whoever cites it is flagged."""
    result = graph.add(text, document_key=source.key, title=f"The rules of {source.key}", author="agent-docs")
    if not result.recorded or result.content_hash != ids.text_digest(text):
        raise RuntimeError(f"{source.key} was not written: {result}")
    source.texts.append(text)
    source.hashes.append(ids.text_digest(text))
    source.activation_id = graph.versions(source.key)[-1].activation_id
