"""For many decisions and passages at once: may it still be cited, why not, and what took its place. One read."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from reaffirm import fields, ids
from reaffirm.decisions.behind import BEHIND, state_of, tell
from reaffirm.decisions.models import DecisionStatus, ReviewState
from reaffirm.decisions.passages import Version, versions_from
from reaffirm.decisions.recording import Scope
from reaffirm.decisions.records import QUEUED_LOOKED_AT, present
from reaffirm.decisions.several import QUEUED
from reaffirm.knowledge import evidence
from reaffirm.knowledge.anchors import Reading, anchor
from reaffirm.knowledge.models import AnchorState, EvidenceReference
from reaffirm.models import Model

MOST = 200

# Three parts, each one row: a list as a grouping key would be compared for every chunk. Versions are asked for by the
# head of their hash; 'g' comes after every hexadecimal digit.
CITABLE = (
    QUEUED
    + "WITH queued, $decision_ids AS looked_at"
    + BEHIND
    + """
CALL {
  WITH queued
  UNWIND $decision_ids AS wanted
  MATCH (d:Decision) WHERE d._agrag_history_record = true AND d.id = wanted AND d.project_id = $project
  WITH queued, d
  UNWIND (CASE WHEN size(queued) = 0 THEN [null] ELSE queued END) AS a
  WITH d, CASE WHEN a IS NULL OR a.id = d.id THEN null
    ELSE shortestPath((d)-[:DEPENDS_ON*1..]->(a)) END AS path
  WITH d, count(path) AS paths
  OPTIONAL MATCH (d)-[r:DEPENDS_ON]->(k:Decision)
  WITH d, paths, count(r) AS parents
  OPTIONAL MATCH (next:Decision) WHERE next._agrag_history_record = true AND next.task_id = d.task_id
    AND next.choice_key = d.choice_key AND next.revision > d.revision AND next.status = 'active'
  WITH d, paths, parents, next ORDER BY next.revision
  RETURN collect({id: d.id, status: d.status, review_state: d.review_state, paths: paths, parents: parents,
    successor: next.id}) AS decisions
}
CALL {
  WITH queued
  UNWIND $document_ids AS document_id
  MATCH (doc:Document {id: document_id})
  RETURN collect(doc{.id, .current_content_hash}) AS docs
}
CALL {
  WITH docs
  WITH $versions + [x IN docs WHERE x.current_content_hash IS NOT NULL AND NOT any(y IN $versions
    WHERE y.document = x.id AND x.current_content_hash STARTS WITH y.prefix)
    | {document: x.id, prefix: x.current_content_hash, after: x.current_content_hash + 'g'}] AS wanted
  UNWIND wanted AS version
  MATCH (c:Chunk) WHERE c.document_id = version.document AND c.content_hash >= version.prefix
    AND c.content_hash < version.after AND c._pending_job_id IS NULL
  WITH c
  OPTIONAL MATCH (x:Document)-[hp:HAS_PART]->(c)
  RETURN collect(c{.id, .index, .text, .char_start, .char_end, .document_id, .content_hash, .chunker_hash,
    version: hp.version_id, closed: hp.invalid_at}) AS chunks
}
RETURN size(queued) AS queued, decisions, docs, chunks, behind
"""
)


class NotCitable(StrEnum):
    """Why something may not be cited now."""

    MALFORMED = "malformed"
    NOT_FOUND = "not_found"
    SUPERSEDED = "superseded"
    REJECTED = "rejected"
    NEEDS_REVIEW = "needs_review"
    REVIEW_SPREADING = "review_spreading"
    DOCUMENT_REMOVED = "document_removed"
    OLDER_VERSION = "older_version"
    PASSAGE_EDITED = "passage_edited"
    PASSAGE_AMBIGUOUS = "passage_ambiguous"
    PASSAGE_GONE = "passage_gone"
    PASSAGE_UNREADABLE = "passage_unreadable"


_OF_ANCHOR = {
    AnchorState.EXACT: NotCitable.OLDER_VERSION,
    AnchorState.MOVED: NotCitable.OLDER_VERSION,
    AnchorState.EDITED: NotCitable.PASSAGE_EDITED,
    AnchorState.AMBIGUOUS: NotCitable.PASSAGE_AMBIGUOUS,
    AnchorState.GONE: NotCitable.PASSAGE_GONE,
    AnchorState.UNREACHABLE: NotCitable.PASSAGE_UNREADABLE,
}


class Citable(Model):
    """One answer.

    Attributes:
        reason: Why not; None when it may be cited.
        replaced_by: Of a decision: the active revision of the same choice. Of a passage of an older version: the
            evidence id of the same words in the version in force. None where nothing took its place.
    """

    id: str
    citable: bool
    reason: NotCitable | None = None
    replaced_by: str | None = None


class CitableAnswers(Model):
    """Answers in the order of the ids. ``left_out`` ids came after the first 200 and were not looked at."""

    answers: tuple[Citable, ...] = ()
    left_out: int = 0


def citable(scope: Scope, asked: Sequence[str]) -> CitableAnswers:
    """Whether decisions and passages may still be cited; see DecisionTraces.citable()."""
    if isinstance(asked, str | bytes) or not isinstance(asked, Sequence):
        return CitableAnswers()
    wanted = list(asked[:MOST])
    references = {each: found for each in wanted if isinstance(each, str) and (found := evidence.decode(each))}
    decision_ids = sorted({each for each in wanted if ids.is_uuid(each)})
    known = (
        _read(scope, decision_ids, list(references.values())) if decision_ids or references else _Known({}, {}, {}, 0)
    )
    answers = []
    for each in wanted:
        if isinstance(each, str) and each in references:
            answers.append(known.passage(each, references[each]))
        elif ids.is_uuid(each):
            answers.append(known.decision(each))
        else:
            answers.append(_no(fields.shown(each), NotCitable.MALFORMED))
    return CitableAnswers(answers=tuple(answers), left_out=len(asked) - len(wanted))


def _read(scope: Scope, decision_ids: list[str], references: list[EvidenceReference]) -> "_Known":
    heads = dict.fromkeys((each.document_node_id, each.content_hash_prefix) for each in references)
    (row,) = scope.store.read(
        CITABLE,
        project=scope.project_id,
        decision_ids=decision_ids,
        document_ids=sorted({document for document, _ in heads}),
        versions=[{"document": document, "prefix": head, "after": head + "g"} for document, head in heads],
    )
    decisions = present(row["decisions"])
    tell(decisions, row["behind"])
    return _Known(
        {each["id"]: each for each in decisions},
        {each["id"]: each for each in present(row["docs"])},
        versions_from(present(row["chunks"])),
        row["queued"],
    )


class _Known:
    """What the read found, by id; versions by document and content hash."""

    def __init__(
        self,
        decisions: Mapping[str, Mapping[str, Any]],
        documents: Mapping[str, Mapping[str, Any]],
        versions: Mapping[tuple[str, str], Version],
        queued: int,
    ) -> None:
        self._decisions, self._documents, self._versions, self._queued = decisions, documents, versions, queued
        self._reading = Reading()

    def decision(self, decision_id: str) -> Citable:
        row = self._decisions.get(decision_id)
        if row is None:
            return _no(decision_id, NotCitable.NOT_FOUND)
        if row["status"] != DecisionStatus.ACTIVE:
            superseded = row["status"] == DecisionStatus.SUPERSEDED
            reason = NotCitable.SUPERSEDED if superseded else NotCitable.REJECTED
            return _no(decision_id, reason, row["successor"])
        if state_of(row) is ReviewState.NEEDS_REVIEW:
            return _no(decision_id, NotCitable.NEEDS_REVIEW)
        if row["paths"] or (self._queued > QUEUED_LOOKED_AT and row["parents"]):
            return _no(decision_id, NotCitable.REVIEW_SPREADING)
        return Citable(id=decision_id, citable=True)

    def passage(self, evidence_id: str, reference: EvidenceReference) -> Citable:
        document = self._documents.get(reference.document_node_id)
        found = [
            version
            for (document_id, content_hash), version in self._versions.items()
            if document_id == reference.document_node_id and content_hash.startswith(reference.content_hash_prefix)
        ]
        held = found[0].holding(reference) if len(found) == 1 else None
        if document is None or held is None:
            return _no(evidence_id, NotCitable.NOT_FOUND)
        in_force = document.get("current_content_hash")
        if not in_force:
            return _no(evidence_id, NotCitable.DOCUMENT_REMOVED)
        if found[0].content_hash == in_force:
            return Citable(id=evidence_id, citable=True)
        text, (start, end) = held
        current = self._versions.get((reference.document_node_id, in_force))
        stands = anchor(
            cited_text=text.text[start:end],
            old_text=text.text,
            old_range=(start, end),
            new_text=current.text.text if current else None,
            reading=self._reading,
        )
        reason = _OF_ANCHOR[stands.state]
        named = None
        if reason is NotCitable.OLDER_VERSION and current and stands.start is not None and stands.end is not None:
            named = current.text.evidence_id(current.document_id, in_force, stands.start, stands.end)
        return _no(evidence_id, reason, named)


def _no(what: str, reason: NotCitable, replaced_by: str | None = None) -> Citable:
    return Citable(id=what, citable=False, reason=reason, replaced_by=replaced_by)
