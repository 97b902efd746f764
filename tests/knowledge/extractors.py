"""An extractor for tests: a few names, and that a person and a company in one chunk belong together."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from reaffirm.knowledge import ExtractedEntity, ExtractedRelation, Extraction

NAMES = {"Ada Byron": "Person", "Globex": "Company", "GLOBEX": "Company"}


class NamesExtractor:
    """Finds every place of its names. The first person of a chunk works for the first company."""

    labels: Sequence[str] = ("Company", "Person")
    relations: Sequence[tuple[str, str, str]] = (("WORKS_FOR", "Person", "Company"),)

    def __init__(self, names: Mapping[str, str] = NAMES, fingerprint: str = "names 1", role: str = "officer") -> None:
        self.names, self.fingerprint, self.role = names, fingerprint, role
        self.calls = 0

    def extract(self, texts: Sequence[str]) -> Sequence[Extraction]:
        self.calls += 1
        return [self._extraction(text) for text in texts]

    def _extraction(self, text: str) -> Extraction:
        found = [
            ExtractedEntity(label, match.start(), match.end(), properties=self._told(label))
            for name, label in self.names.items()
            for match in re.finditer(re.escape(name), text)
        ]
        first = {entity.label: number for number, entity in reversed(list(enumerate(found)))}
        if len(first) < 2:
            return Extraction(found)
        return Extraction(found, [ExtractedRelation("WORKS_FOR", first["Person"], first["Company"])])

    def _told(self, label: str) -> dict[str, Any]:
        return {"role": self.role} if label == "Person" and self.role else {}
