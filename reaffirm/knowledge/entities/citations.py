"""An extractor for citations of law, on eyecite: laws, cases and journals, as courts of the United States cite them."""

from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from typing import Any

from reaffirm.knowledge.entities.extraction import ExtractedEntity, Extraction

_LABELS = {"FullLawCitation": "Law", "FullCaseCitation": "Case", "FullJournalCitation": "Journal"}


class CitationExtractor:
    """Finds ``Law`` (17 C.F.R. § 240), ``Case`` (449 U.S. 383) and ``Journal``, with what eyecite tells of each.

    Needs the extra: ``pip install "reaffirm[citations]"``. Short forms (id., supra) are left out: they name nothing by
    themselves.

    Raises:
        ImportError: eyecite is not installed; the text says how to get it.
    """

    labels: Sequence[str] = sorted(_LABELS.values())
    relations: Sequence[tuple[str, str, str]] = ()

    def __init__(self) -> None:
        try:
            self._eyecite: Any = import_module("eyecite")
        except ImportError:
            raise ImportError('CitationExtractor needs eyecite: pip install "reaffirm[citations]"') from None
        # Which reporters it knows is data of another package.
        self.fingerprint = f"citations 1, eyecite {version('eyecite')}, reporters {version('reporters-db')}"

    def extract(self, texts: Sequence[str]) -> list[Extraction]:
        """What each text cites."""
        return [Extraction([*map(_mention, self._cited(text))]) for text in texts]

    def _cited(self, text: str) -> list[Any]:
        return [each for each in self._eyecite.get_citations(text) if type(each).__name__ in _LABELS]


def _mention(citation: Any) -> ExtractedEntity:
    start, end = citation.span()
    told = {name: value for name, value in citation.groups.items() if isinstance(value, str) and value}
    return ExtractedEntity(_LABELS[type(citation).__name__], start, end, properties=told)
