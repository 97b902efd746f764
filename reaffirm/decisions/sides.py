"""The sides of a conflict: in what their conclusions differ, and what each rests on."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import Any

from reaffirm.models import Model


class Difference(StrEnum):
    """How much has to be folded until all conclusions of a conflict are equal; the mildest that does."""

    WHITE_SPACE = "white_space"
    UNICODE = "unicode"
    CASE = "case"
    WORDS = "words"


class SideEvidence(Model):
    """A current support of one side.

    Attributes:
        title: Document title or key, ``Event 3 in <task>``, or the choice key of the cited decision.
        version: Of a document support: current, older or removed. recorded_activation_seq: the version that it cites;
            activation_seq: the one in force.
        status: Of the cited decision; None when it is no longer there.
    """

    support_id: str
    kind: str
    title: str
    evidence_id: str | None = None
    document_key: str | None = None
    recorded_activation_seq: int | None = None
    activation_seq: int | None = None
    version: str | None = None
    event_id: str | None = None
    decision_id: str | None = None
    status: str | None = None


_BLANKS = re.compile(r"\s+")


def _spaced(text: str) -> str:
    return _BLANKS.sub(" ", text).strip()


def _composed(text: str) -> str:
    return _spaced(unicodedata.normalize("NFKC", text))


def _caseless(text: str) -> str:
    return _composed(unicodedata.normalize("NFKC", text).casefold())


_FOLDINGS: tuple[tuple[Difference, Callable[[str], str]], ...] = (
    (Difference.WHITE_SPACE, _spaced),
    (Difference.UNICODE, _composed),
    (Difference.CASE, _caseless),
)


def difference_of(conclusions: Iterable[str]) -> Difference:
    """In what they differ. Each folding holds the milder ones: ``case`` may differ in white space too."""
    known = set(conclusions)
    for difference, folded in _FOLDINGS:
        if len({folded(each) for each in known}) == 1:
            return difference
    return Difference.WORDS


def evidence_of(row: Mapping[str, Any]) -> SideEvidence:
    """A support with what the read found behind it: ``doc`` and ``cited``."""
    document, cited = row.get("doc") or {}, row.get("cited") or {}
    titles = {
        "document": document.get("title") or document.get("document_key") or row.get("document_key") or "",
        "event": f"Event {row.get('seq')} in {row.get('task_name')}",
        "decision": cited.get("choice_key") or "A decision that is no longer there",
    }
    return SideEvidence(
        support_id=row["id"],
        kind=row["kind"],
        title=titles.get(row["kind"], ""),
        evidence_id=row.get("evidence_id"),
        document_key=document.get("document_key") or row.get("document_key"),
        recorded_activation_seq=row.get("recorded_activation_seq"),
        activation_seq=document.get("activation_seq"),
        version=_version(row, document) if row["kind"] == "document" else None,
        event_id=row.get("event_id"),
        decision_id=row.get("decision_id"),
        status=cited.get("status"),
    )


def _version(row: Mapping[str, Any], document: Mapping[str, Any]) -> str:
    if not document.get("current_content_hash"):
        return "removed"
    return "current" if document["current_content_hash"] == row.get("content_hash") else "older"
