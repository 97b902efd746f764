"""One source change: what became of the text, and of each passage that decisions cite."""

from typing import Any

from reaffirm import ids
from reaffirm.knowledge.anchors import anchor
from reaffirm.knowledge.changes import project_name, read_changes, sees
from reaffirm.knowledge.changes_models import CitingDecision, SourceChange, SourceChangeView, TouchedPassage
from reaffirm.knowledge.diff import passage_diff
from reaffirm.knowledge.evidence import decode
from reaffirm.knowledge.fetching import Version, read_versions
from reaffirm.knowledge.models import AnchorState, PassageDiff
from reaffirm.knowledge.texts import DocumentText
from reaffirm.store import GraphStore, Row

LIMIT, MAX_LIMIT = 25, 100
_SHOWN = 500
_UNTOUCHED = (AnchorState.EXACT, AnchorState.MOVED)

# Who has looked at the change since cites the version after it, and is not listed any more.
CITING_BEFORE = """MATCH (s:DecisionSupport)
WHERE s.document_node_id = $id AND s.recorded_activation_seq < $seq AND s.kind = 'document' AND s.current = true
WITH s
MATCH (d:Decision)-[h:HAS_SUPPORT]->(s) WHERE d.status = 'active' AND d.id > $after
  AND ($project_id = '' OR d.project_id = $project_id)
WITH d, collect(s{.evidence_id, .content_hash, .ordinal}) AS supports ORDER BY d.id LIMIT $limit
RETURN d{.id, .project_id, .task_id, .choice_key, .question, .conclusion, .review_state, .cause_activation_id}
  AS decision, supports"""


def source_change(
    store: GraphStore, change_id: object, project_id: object, limit: object, cursor: object
) -> SourceChangeView | None:
    """One change, with at most four statements; see Graph.source_change()."""
    if not isinstance(change_id, str) or not ids.is_uuid(change_id):
        return None
    project = project_name(project_id)
    if project is None and project_id is not None:
        return None
    change = read_changes(store, [change_id], project).get(change_id)
    if change is None:
        return None
    if project is not None and not sees(store, project, change.document_id):
        return None
    size = max(1, min(limit, MAX_LIMIT)) if type(limit) is int else LIMIT
    citing = store.read(
        CITING_BEFORE,
        id=change.document_id,
        seq=change.activation_seq,
        project_id=project or "",
        after=cursor if isinstance(cursor, str) and ids.is_uuid(cursor) else "",
        limit=size + 1,
    )
    page = citing[:size]
    texts = _Texts(store, change, page)
    decisions = [_citing(change, row, texts) for row in page]
    return SourceChangeView(
        change=change,
        diff=_diff(change, texts),
        touched=tuple(each for each in decisions if each.touched),
        untouched=tuple(each for each in decisions if not each.touched),
        next_cursor=page[-1]["decision"]["id"] if len(citing) > size else None,
    )


class _Texts:
    """The versions of the document that a page needs, read at once."""

    def __init__(self, store: GraphStore, change: SourceChange, page: list[Row]) -> None:
        cited = (support["content_hash"] for row in page for support in row["supports"])
        hashes = dict.fromkeys([change.previous_content_hash, change.content_hash, *cited])
        self._document = change.document_id
        self._versions = read_versions(store, [(self._document, text[:16]) for text in hashes if text])
        self.after = self.whole(change.content_hash)

    def version(self, content_hash: str | None) -> Version | None:
        found = self._versions.get((self._document, (content_hash or "")[:16]))
        return found if found and found.hashes == {content_hash} else None

    def whole(self, content_hash: str | None) -> DocumentText | None:
        version = self.version(content_hash)
        return version.text_for(None) if version else None


def _diff(change: SourceChange, texts: _Texts) -> PassageDiff | None:
    """The whole document, then and now. A removed one is empty; one that cannot be read is not compared."""
    before, after = texts.whole(change.previous_content_hash), texts.after
    if (change.previous_content_hash and before is None) or (change.content_hash and after is None):
        return None
    return passage_diff(
        old_text=before.text if before else "",
        old_range=None,
        new_text=after.text if after else "",
        new_range=None,
    )


def _citing(change: SourceChange, row: Row, texts: _Texts) -> CitingDecision:
    supports = sorted(row["supports"], key=lambda support: support["ordinal"] or 0)
    passages = tuple(_passage(change, support, texts) for support in supports)
    decision = row["decision"]
    flagged = decision["review_state"] == "needs_review" and decision["cause_activation_id"] == change.activation_id
    return CitingDecision(
        decision_id=decision["id"],
        project_id=decision["project_id"],
        task_id=decision["task_id"],
        choice_key=decision["choice_key"],
        question=decision["question"],
        conclusion=decision["conclusion"] or "",
        review_state=decision["review_state"],
        flagged_by_it=flagged,
        touched=any(passage.state not in _UNTOUCHED for passage in passages),
        passages=passages,
    )


def _passage(change: SourceChange, support: dict[str, Any], texts: _Texts) -> TouchedPassage:
    """Where a passage stands in the version after the change."""
    evidence_id = support["evidence_id"]
    reference = decode(evidence_id)
    version = texts.version(support["content_hash"])
    if reference is None or version is None:
        return TouchedPassage(evidence_id=evidence_id, text="", state=AnchorState.UNREACHABLE)
    # A chunk of another cutting is read alone: where it stands in its version is not known.
    cited, whole = version.text_for(None), True
    place = cited.range_of(reference)
    if place is None:
        cited, whole = version.text_for(reference), False
        place = cited.range_of(reference)
    if place is None:
        return TouchedPassage(evidence_id=evidence_id, text="", state=AnchorState.UNREACHABLE)
    words = cited.text[slice(*place)]
    if texts.after is None:
        gone = AnchorState.UNREACHABLE if change.content_hash else AnchorState.GONE
        return TouchedPassage(evidence_id=evidence_id, text=words[:_SHOWN], state=gone)
    found = anchor(
        cited_text=words,
        old_text=cited.text if whole else None,
        old_range=place if whole else None,
        new_text=texts.after.text,
    )
    return TouchedPassage(
        evidence_id=evidence_id, text=words[:_SHOWN], state=found.state, start=found.start, end=found.end
    )
