"""The writes of DecisionTraces: record a decision, and the three verdicts."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from reaffirm import fields, ids
from reaffirm.decisions import grouping, reaffirming, recording, rejecting, reopening, superseding
from reaffirm.decisions.case import Case
from reaffirm.decisions.causes import Cause
from reaffirm.decisions.groups import GroupResult
from reaffirm.decisions.models import DecisionResult, DocumentSupportInput, Seen, SupportInput
from reaffirm.decisions.recording import Content, Scope
from reaffirm.knowledge.models import FetchOutcome
from reaffirm.operation import refusing
from reaffirm.store import ValueRefused

Picks = Mapping[str, tuple[int, int]]
REAFFIRMED = "Reaffirmed after review."


class DecisionWrites:
    """Record decisions and give verdicts; each is one guarded statement."""

    _scope: Scope

    @refusing(DecisionResult)
    def record_decision(
        self,
        task_name: str,
        choice_key: str,
        conclusion: str,
        rationale: str,
        *,
        supports: Sequence[SupportInput],
        fetched_evidence: Sequence[FetchOutcome] = (),
        assumptions: Sequence[str] = (),
        open_questions: Sequence[str] = (),
        question: str | None = None,
        request_id: str | None = None,
    ) -> DecisionResult:
        """Record a decision when every support is valid and in the project.

        Args:
            choice_key: The question inside the task; it has one active decision at a time.
            supports: 1 to 20 documents, events or decisions.
            fetched_evidence: The ``ok`` outcome of fetching each cited passage. It is checked against the graph.
            question: The choice as a question for people, at most 1,000 characters.
            request_id: 1 to 64 characters; the same call with the same id returns the first result.

        Returns:
            The decision. When a source moved on since it was fetched, the decision is flagged and ``warnings`` says so.
        """
        words = recording.content(conclusion, rationale, assumptions, open_questions, question)
        return recording.record(
            self._scope,
            task_name,
            choice_key,
            words,
            supports=supports,
            fetched=fetched_evidence,
            request_id=request_id,
        )

    @refusing(DecisionResult)
    def supersede_decision(
        self,
        decision_id: str,
        conclusion: str,
        rationale: str,
        *,
        explanation: str,
        supports: Sequence[SupportInput],
        fetched_evidence: Sequence[FetchOutcome] = (),
        assumptions: Sequence[str] = (),
        open_questions: Sequence[str] = (),
        request_id: str | None = None,
        expected: Seen | None = None,
    ) -> DecisionResult:
        """Replace the active revision of a choice by the next one; the old one becomes superseded.

        Args:
            explanation: Why; not blank (explanation_required).
            expected: What a person saw; no longer so is ``decision_changed``.
        """
        why = _explanation(explanation)
        if why is None:
            return DecisionResult(recorded=False, error="explanation_required", field="explanation")
        words = recording.content(conclusion, rationale, assumptions, open_questions)
        return superseding.supersede(
            self._scope,
            _text_id(decision_id),
            words,
            explanation=why,
            supports=supports,
            fetched=fetched_evidence,
            request_id=request_id,
            expected=_seen_or_none(expected),
        )

    @refusing(DecisionResult)
    def supersede_where_it_stands(
        self,
        decision_id: str,
        conclusion: str | None = None,
        rationale: str | None = None,
        *,
        explanation: str,
        expected: Seen,
        picks: Picks | None = None,
        assumptions: Sequence[str] | None = None,
        open_questions: Sequence[str] | None = None,
        request_id: str | None = None,
    ) -> DecisionResult:
        """Replace a decision by one that cites again all that can be cited now: each passage where it stands, and in
        place of a superseded decision the revision that took its place.

        Args:
            conclusion, rationale, assumptions, open_questions: None = as the decision has them.
            expected: What the person saw, ``review_case(decision_id).seen``; no longer so is ``decision_changed``.
            picks: Support id → (start, end) of the candidate chosen for an ambiguous passage.

        Returns:
            ``support_required`` when nothing that the decision cites can be cited any more.
        """
        why = _explanation(explanation)
        if why is None:
            return DecisionResult(recorded=False, error="explanation_required", field="explanation")
        given = {
            "conclusion": conclusion,
            "rationale": rationale,
            "assumptions": assumptions,
            "open_questions": open_questions,
        }
        _check_given(given)
        return superseding.supersede_where_it_stands(
            self._scope,
            _text_id(decision_id),
            _words_of(given),
            asked={name: value for name, value in given.items() if value is not None},
            explanation=why,
            expected=_seen(expected),
            picks=_picks(picks),
            request_id=request_id,
        )

    @refusing(DecisionResult)
    def reject_decision(
        self, decision_id: str, reason: str, *, request_id: str | None = None, expected: Seen | None = None
    ) -> DecisionResult:
        """Retire a decision without a replacement. It keeps its record and its supports; dependents get flagged.

        Args:
            reason: 1 to 4,000 characters.
        """
        return rejecting.reject(
            self._scope,
            _text_id(decision_id),
            fields.text("reason", reason, fields.SHORT_TEXT),
            request_id=request_id,
            expected=_seen_or_none(expected),
        )

    @refusing(DecisionResult)
    def reopen_decision(
        self, decision_id: str, reason: str, *, request_id: str | None = None, expected: Seen | None = None
    ) -> DecisionResult:
        """Flag a clear, active decision again by a person's will; what rests on it gets flagged too.

        The earlier verdicts stay with it. A choice whose decision was rejected is recorded again instead.

        Args:
            reason: Why it should be looked at again, 1 to 4,000 characters. The task's log keeps it.

        Returns:
            ``decision_not_active`` for a rejected or superseded decision, ``already_flagged`` for a flagged one.
        """
        return reopening.reopen(
            self._scope,
            _text_id(decision_id),
            fields.text("reason", reason, fields.SHORT_TEXT),
            request_id=request_id,
            expected=_seen_or_none(expected),
        )

    @refusing(DecisionResult)
    def reaffirm_decision(
        self,
        decision_id: str,
        evidence: Sequence[DocumentSupportInput],
        *,
        fetched_evidence: Sequence[FetchOutcome] = (),
        explanation: str = REAFFIRMED,
        request_id: str | None = None,
        expected: Seen | None = None,
    ) -> DecisionResult:
        """Confirm that a decision still stands on the current version of its documents.

        Refused with ``cannot_revalidate`` when a cited document was removed or not fetched in its current version,
        another set of documents is cited, a cited decision is not clear, a cited event was redacted, or the cited words
        themselves changed. ``detail`` says which.

        Args:
            evidence: The new document supports, one or more per cited passage; empty when no document is cited.
        """
        return reaffirming.reaffirm(
            self._scope,
            _text_id(decision_id),
            evidence,
            fetched=fetched_evidence,
            explanation=fields.text("explanation", explanation, fields.SHORT_TEXT),
            request_id=request_id,
            expected=_seen_or_none(expected),
        )

    @refusing(DecisionResult)
    def reaffirm_where_it_stands(
        self,
        decision_id: str,
        *,
        expected: Seen,
        picks: Picks | None = None,
        explanation: str = REAFFIRMED,
        request_id: str | None = None,
    ) -> DecisionResult:
        """Confirm a decision on its own passages, each pinned anew where it stands. For a person who has seen them.

        Args:
            expected: What the person saw, ``review_case(decision_id).seen``; no longer so is ``decision_changed``.
            picks: Support id → (start, end) of the candidate chosen for an ambiguous passage.

        Returns:
            ``cannot_revalidate`` when the cited words no longer stand; ``ReviewCase.blockers`` says so before.
        """
        return reaffirming.reaffirm_where_it_stands(
            self._scope,
            _text_id(decision_id),
            expected=_seen(expected),
            picks=_picks(picks),
            explanation=fields.text("explanation", explanation, fields.SHORT_TEXT),
            request_id=request_id,
        )

    @refusing(GroupResult)
    def reaffirm_group(
        self,
        cause: Cause | str,
        *,
        decision_ids: Sequence[str],
        expected: Mapping[str, str],
        explanation: str = REAFFIRMED,
        request_id: str | None = None,
    ) -> GroupResult:
        """Reaffirm decisions whose only cause was one root that was then reaffirmed; see ``group_of``.

        Each is a verdict of its own: one guarded statement, one note in its task's log, one request. Decisions that
        others of the group cite come first. One that has another cause by now is refused, and the others go on.

        Args:
            cause: The id of the root, or a flag's cause.
            decision_ids: 1 to 25 members.
            expected: Decision id → ``seen`` of the member, as ``group_of`` told it.
            request_id: Of the group; the same call with the same id goes on where the first one stopped.

        Returns:
            ``group_incomplete`` when a decision was refused; ``results`` tells of each.
        """
        return grouping.reaffirm_group(
            self._scope,
            cause if isinstance(cause, Cause) else _text_id(cause, "cause"),
            decision_ids,
            explanation=fields.text("explanation", explanation, fields.SHORT_TEXT),
            expected=expected,
            request_id=request_id,
        )


def _text_id(value: object, field: str = "decision_id") -> str:
    return fields.text(field, value, 100, required=False)


def _explanation(value: object) -> str | None:
    """A checked explanation, or None when it is blank."""
    text = fields.text("explanation", value, fields.SHORT_TEXT, required=False)
    return None if fields.blank(text) else text


def _seen(value: object) -> Seen:
    if not isinstance(value, Seen):
        raise ValueRefused("expected", "is not what a person saw; give review_case(decision_id).seen")
    return value


def _seen_or_none(value: object) -> Seen | None:
    return None if value is None else _seen(value)


def _picks(value: Picks | None) -> dict[str, tuple[int, int]]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ValueRefused("picks", "is not a map from support ids to ranges")
    picked: dict[str, tuple[int, int]] = {}
    for support, place in value.items():
        if not isinstance(support, str) or not ids.is_uuid(support):
            raise ValueRefused("picks", "has a key that is not the id of a support")
        if isinstance(place, str | bytes) or not isinstance(place, Sequence) or len(place) != 2:
            raise ValueRefused(f"picks[{support}]", "is not a range of two offsets")
        start = fields.whole(f"picks[{support}].start", place[0], 0)
        picked[support] = (start, fields.whole(f"picks[{support}].end", place[1], start + 1))
    return picked


def _check_given(given: Mapping[str, object]) -> None:
    """Check the words that were given; None stands for those that the decision has."""
    recording.content(
        "-" if given["conclusion"] is None else given["conclusion"],
        "-" if given["rationale"] is None else given["rationale"],
        given["assumptions"] or [],
        given["open_questions"] or [],
    )


def _words_of(given: Mapping[str, object]) -> Callable[[Case], Content]:
    def words(case: Case) -> Content:
        kept: dict[str, Any] = {name: case.row.get(name) if value is None else value for name, value in given.items()}
        return Content(
            kept["conclusion"], kept["rationale"], list(kept["assumptions"] or ()), list(kept["open_questions"] or ())
        )

    return words
