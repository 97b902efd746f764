"""Cited passages: the texts of the versions that a read returned, and where each passage stands in them now."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from reaffirm import ids
from reaffirm.decisions.behind import state_of
from reaffirm.decisions.models import Support
from reaffirm.knowledge import evidence
from reaffirm.knowledge.anchors import Reading, anchor
from reaffirm.knowledge.folding import fold_words
from reaffirm.knowledge.models import Anchor, AnchorState, EvidenceReference
from reaffirm.knowledge.texts import Chunk, DocumentText, rebuild

CONTEXT = 120  # code points shown on either side of a candidate


def digest_of(words: str) -> str:
    """Digest of cited words, folded as for ``exact``: white space, line ends and Unicode form do not count."""
    return ids.text_digest(fold_words(words))


@dataclass(frozen=True)
class Version:
    """One version of one document, as readable in the graph.

    Attributes:
        text: Rebuilt from the chunks in force, else from those closed last.
        cut_otherwise: The same version rebuilt from other sets of chunks: a text may be cut anew, and what was cited by
            an older chunk still stands in it.
    """

    document_id: str
    content_hash: str
    text: DocumentText
    cut_otherwise: tuple[DocumentText, ...] = ()

    def holding(self, reference: EvidenceReference) -> tuple[DocumentText, tuple[int, int]] | None:
        """The text that knows the place of an evidence id, and the place; None where none does."""
        for text in (self.text, *self.cut_otherwise):
            place = text.range_of(reference)
            if place is not None:
                return text, place
        return None


Versions = Mapping[tuple[str, str], Version]


def versions_from(rows: Iterable[Mapping[str, Any]]) -> dict[tuple[str, str], Version]:
    """Rebuild the versions of chunk rows."""
    sets: dict[tuple[str, str], dict[tuple[str, str], list[Mapping[str, Any]]]] = {}
    for row in rows:
        version = sets.setdefault((row["document_id"], row["content_hash"]), {})
        version.setdefault((row.get("version") or "", row.get("chunker_hash") or ""), []).append(row)
    found = {}
    for key, candidates in sets.items():
        texts = [rebuild(_chunks(each)) for each in sorted(candidates.values(), key=_in_force, reverse=True)]
        found[key] = Version(*key, texts[0], tuple(texts[1:]))
    return found


def _in_force(rows: list[Mapping[str, Any]]) -> tuple[bool, str]:
    closed = [row.get("closed") for row in rows]
    is_open = any(row.get("version") and not row.get("closed") for row in rows)
    return is_open, max((each for each in closed if each), default="")


def _chunks(rows: list[Mapping[str, Any]]) -> list[Chunk]:
    unique = {row["id"]: row for row in rows}
    return [
        Chunk(row["id"], row["index"], row["text"], row.get("char_start"), row.get("char_end"))
        for row in unique.values()
    ]


@dataclass(frozen=True)
class Passage:
    """One cited passage, then and now.

    Attributes:
        cited: The text of the version that was cited; None when nothing of it can be read.
        cited_range: Where the passage stands in it.
        current: The version in force; None when the document was removed or nothing can be read.
        anchor: Where the passage stands in the current version.
    """

    support: Support
    document: Mapping[str, Any]
    cited: DocumentText | None
    cited_range: tuple[int, int] | None
    current: Version | None
    anchor: Anchor

    @property
    def cited_text(self) -> str | None:
        if self.cited is None or self.cited_range is None:
            return None
        return self.cited.text[self.cited_range[0] : self.cited_range[1]]

    @property
    def removed(self) -> bool:
        return not self.document.get("current_content_hash")

    def words_at(self, start: int, end: int) -> str:
        return self.current.text.text[start:end] if self.current else ""

    def around(self, start: int, end: int) -> tuple[str, str]:
        """What stands before and behind a place of the current version, cut at blanks."""
        text = self.current.text.text if self.current else ""
        before, behind = text[max(0, start - CONTEXT) : start], text[end : end + CONTEXT]
        if start > CONTEXT:
            before = before.partition(" ")[2] or before
        if end + CONTEXT < len(text):
            behind = behind.rpartition(" ")[0] or behind
        return before, behind

    @property
    def current_text(self) -> str | None:
        """The words at the anchor's range, where it has one."""
        if self.current is None or self.anchor.start is None or self.anchor.end is None:
            return None
        return self.words_at(self.anchor.start, self.anchor.end)

    @property
    def seen(self) -> str:
        """Digest of what a person sees of the passage now. A version that changed elsewhere leaves it as it is."""
        if self.anchor.state is AnchorState.AMBIGUOUS:
            found = [self.words_at(each.start, each.end) for each in self.anchor.candidates]
            return _digest("ambiguous", *found)
        text = self.current_text
        if text is None:
            return _digest("removed" if self.removed else self.anchor.state.value)
        return _digest("text", text)

    def evidence_id(self, pick: tuple[int, int] | None = None) -> str | None:
        """The evidence id of the passage in the current version: at the picked place, or where the anchor has it."""
        if self.current is None:
            return None
        place = pick or (
            (self.anchor.start, self.anchor.end)
            if self.anchor.start is not None and self.anchor.end is not None
            else None
        )
        if place is None:
            return None
        return self.current.text.evidence_id(self.current.document_id, self.current.content_hash, *place)

    def is_candidate(self, pick: tuple[int, int]) -> bool:
        return any((each.start, each.end) == pick for each in self.anchor.candidates)


def passage_of(
    support: Support, document: Mapping[str, Any] | None, versions: Versions, reading: Reading | None = None
) -> Passage:
    """Find a document support's passage in the version that it cites and in the current one.

    Args:
        reading: Shared by the passages of one call.
    """
    known: Mapping[str, Any] = document or {"id": support.document_node_id, "document_key": support.document_key}
    document_id = support.document_node_id or ""
    version = versions.get((document_id, support.content_hash or ""))
    reference = _reference(support)
    held = version.holding(reference) if version and reference else None
    cited, cited_range = held or (version.text if version else None, None)
    current = versions.get((document_id, known.get("current_content_hash") or ""))
    if cited is None or cited_range is None:
        found = Anchor(state=AnchorState.UNREACHABLE)
    elif current is None:
        gone = not known.get("current_content_hash")
        found = Anchor(state=AnchorState.GONE if gone else AnchorState.UNREACHABLE)
    elif current.text is cited:
        found = Anchor(state=AnchorState.EXACT, start=cited_range[0], end=cited_range[1], similarity=1.0)
    else:
        found = anchor(
            cited_text=cited.text[cited_range[0] : cited_range[1]],
            old_text=cited.text,
            old_range=cited_range,
            new_text=current.text.text,
            reading=reading,
        )
    return Passage(support, known, cited, cited_range, current, found)


def _reference(support: Support) -> EvidenceReference | None:
    return evidence.decode(support.evidence_id)


def seen_of_event(event: Mapping[str, Any] | None) -> str:
    """Digest of what a person sees of a cited event."""
    if event is None:
        return _digest("gone")
    return _digest("event", event["payload_sha256"], event.get("redacted_at") or "")


def seen_of_parent(parent: Mapping[str, Any] | None, successor: Mapping[str, Any] | None) -> str:
    """Digest of what a person sees of a cited decision, and of the revision that took its place."""
    if parent is None:
        return _digest("gone")
    after = (successor["id"], state_of(successor)) if successor else ()
    return _digest("decision", parent["status"], state_of(parent), *after)


def _digest(*parts: str) -> str:
    return ids.joined(*parts)
