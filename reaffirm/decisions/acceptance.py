"""Verdicts remember text: who accepted the words of a passage before, when, and by which verdict.

Every verdict pins its passages as supports, and each keeps a digest of its words. When a source returns to words that
were pinned before, by this revision of the choice or an earlier one, the page says so. Nothing is cleared by it.
"""

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from reaffirm.decisions.case import Case
from reaffirm.decisions.causes import Acceptance
from reaffirm.decisions.models import Support
from reaffirm.decisions.passages import Passage, Version, Versions, digest_of, versions_from
from reaffirm.decisions.reading import VERSIONS_READ
from reaffirm.decisions.records import present, support_from
from reaffirm.knowledge import evidence
from reaffirm.knowledge.models import AnchorState
from reaffirm.store import GraphStore

SHOWN = 5  # of the acceptances of one passage, the newest
OLDER = 10  # versions that are read to know the words of supports without a digest
STANDS = (AnchorState.EXACT, AnchorState.MOVED)


class Accepted:
    """All passages that were ever pinned for a choice, by document, with whoever pinned them."""

    def __init__(self, store: GraphStore, case: Case, revisions: Iterable[Mapping[str, Any]]) -> None:
        """Reads older versions where a support of agentic-graphrag, which stores no digest, cites one."""
        known = present(revisions)
        self._versions = {**_older(store, case, known), **case.versions}
        self._pins = [
            (support, acceptance) for revision in known for support, acceptance in _pins(revision, self._versions)
        ]
        self._pins.sort(key=lambda pin: (pin[1].at, pin[0].ordinal), reverse=True)

    def of(self, passage: Passage) -> tuple[Acceptance, ...]:
        """Who accepted the words that stand for a passage now, the newest first.

        Where no words stand for it, or others than were ever accepted: what was accepted of this very version.
        """
        document = passage.support.document_node_id
        known = [(support, found) for support, found in self._pins if support.document_node_id == document]
        words = passage.current_text
        if words is not None:
            digest = digest_of(words)
            same = [found for support, found in known if digest == self._digest(support)]
            if same:
                return tuple(each.model_copy(update={"text": each.text or words}) for each in same[:SHOWN])
        current = passage.document.get("current_content_hash")
        if current is None or passage.anchor.state in STANDS:
            return ()
        return tuple([found for support, found in known if support.content_hash == current][:SHOWN])

    def _digest(self, support: Support) -> str | None:
        """The digest stored with a support, or that of its words where agentic-graphrag stored none."""
        if support.text_digest:
            return support.text_digest
        words = words_of(support, self._versions)
        return None if words is None else digest_of(words)


def _older(store: GraphStore, case: Case, revisions: Iterable[Mapping[str, Any]]) -> dict[tuple[str, str], Version]:
    wanted = [
        (each["document_node_id"], each["content_hash"])
        for revision in revisions
        for each in present(revision["past"])
        if not each.get("text_digest") and each["document_node_id"] in case.documents
    ]
    missing = [pair for pair in dict.fromkeys(wanted) if pair not in case.versions][:OLDER]
    if not missing:
        return {}
    rows = store.read(VERSIONS_READ, pairs=[{"doc": document, "hash": found} for document, found in missing])
    return versions_from(row["chunk"] for row in rows)


def _pins(revision: Mapping[str, Any], versions: Versions) -> Iterable[tuple[Support, Acceptance]]:
    """Each support of one revision with who pinned it.

    A reaffirmation stamps both the supports that it archives and those that it pins: so the stamp on one generation
    tells who pinned the next, and the first one came with the revision.
    """
    supports = sorted(map(support_from, present(revision["past"])), key=lambda support: support.ordinal)
    kind = "supersede" if revision.get("supersession_explanation") else "record"
    by, at = revision["author"], revision["created_at"]
    for _, generation in groupby(supports, key=lambda each: (each.current, each.reviewed_at)):
        members = list(generation)
        for support in members:
            yield (
                support,
                Acceptance(
                    kind=kind,
                    by=by,
                    at=at,
                    decision_id=revision["id"],
                    revision=revision["revision"],
                    evidence_id=support.evidence_id or "",
                    text=words_of(support, versions),
                ),
            )
        last = members[-1]
        if not last.current and last.reviewed_by and last.reviewed_at:
            kind, by, at = "reaffirm", last.reviewed_by, last.reviewed_at


def words_of(support: Support, versions: Versions) -> str | None:
    """The words of a support in the version that it cites, while its chunks can be read."""
    version = versions.get((support.document_node_id or "", support.content_hash or ""))
    reference = evidence.decode(support.evidence_id)
    held = version.holding(reference) if version and reference else None
    return held[0].text[slice(*held[1])] if held else None
