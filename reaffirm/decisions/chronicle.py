"""What was said about a decision since it was recorded, as far as the graph tells.

Who confirms or reopens a decision leaves a word in its list ``said``; agentic-graphrag leaves a name on the supports.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from reaffirm.decisions.models import DecisionStatus, Support, VerdictKind
from reaffirm.models import Instant, Model


class Word(Model):
    """One thing that was said about a decision: that it holds, or no longer does.

    Attributes:
        kind: recorded, reaffirm, reopen, supersede or reject.
        by, at: None where the graph does not tell: agentic-graphrag stores no time of a rejection.
        reason: The explanation or reason that was given.
        successor_id: Of supersede: the revision that took its place.
    """

    kind: str
    by: str | None
    at: Instant | None
    reason: str | None = None
    successor_id: str | None = None


def words_on(
    row: Mapping[str, Any], supports: Iterable[Support], successor: Mapping[str, Any] | None
) -> tuple[Word, ...]:
    """All that was said about a decision, in the order of time; the one that ended it comes last.

    Args:
        row: All properties of the node.
        supports: Its supports, archived ones too: a reaffirmation leaves its name on those that it archived and pinned.
        successor: The revision that took its place.
    """
    said = [Word(kind="recorded", by=row["author"], at=row["created_at"])]
    said += sorted([*_own(row), *_reaffirmations(row, supports)], key=_moment)
    status = DecisionStatus(row["status"])
    if status is DecisionStatus.REJECTED:
        at = row.get("verdict_at") if row.get("verdict_kind") == VerdictKind.REJECT else None
        said.append(Word(kind="reject", by=row.get("rejected_by"), at=at, reason=row.get("rejection_reason")))
    if status is DecisionStatus.SUPERSEDED:
        said.append(_supersession(row, successor or {}))
    return tuple(said)


def word(kind: str, by: str, at: str, reason: str) -> str:
    """What a verdict adds to the list ``said`` of a decision that stays active."""
    return json.dumps({"kind": kind, "by": by, "at": at, "reason": reason})


def _own(row: Mapping[str, Any]) -> list[Word]:
    return [Word.model_validate_json(text) for text in row.get("said") or ()]


def _reaffirmations(row: Mapping[str, Any], supports: Iterable[Support]) -> list[Word]:
    """Those that are in no list of ours; each left its name on the supports that it archived and pinned."""
    known = {each.at for each in _own(row)}
    given = {
        each.reviewed_at: Word(
            kind="reaffirm", by=each.reviewed_by, at=each.reviewed_at, reason=each.review_explanation
        )
        for each in supports
        if each.reviewed_at and each.reviewed_at not in known
    }
    return list(given.values())


def _supersession(row: Mapping[str, Any], successor: Mapping[str, Any]) -> Word:
    own = row.get("verdict_kind") == VerdictKind.SUPERSEDE
    return Word(
        kind="supersede",
        by=row["verdict_by"] if own else successor.get("author"),
        at=row["verdict_at"] if own else successor.get("created_at"),
        reason=successor.get("supersession_explanation"),
        successor_id=successor.get("id"),
    )


def _moment(word: Word) -> float:
    return word.at.timestamp() if word.at else 0.0
