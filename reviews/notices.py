"""What a refused verdict says in the panel: who was first, what changed, what to do."""

from dataclasses import dataclass

from reaffirm.decisions.models import Decision, DecisionResult, StandingVerdict
from reaffirm.errors import CODES, in_words
from reviews.names import names_for
from reviews.presenters import DecisionPage
from reviews.seal import Sealed
from reviews.words import OTHER_REFUSAL, REFUSALS, VERDICTS

CLEARED = "Not saved: the flag is already cleared"


@dataclass(frozen=True)
class Notice:
    heading: str
    text: str = ""
    tone: str = "bad"
    id: str = "stale"
    icon: str = "hand-stop"
    detail: str = ""
    standing: StandingVerdict | None = None
    verdict: str = ""
    by: str = ""
    reason: str = ""
    successor: Decision | None = None

    @property
    def said(self) -> str:
        """For the live region."""
        if self.standing:
            return f"{self.verdict} by {self.by} at {self.standing.at:%H:%M}. Your text is kept."
        return self.text


UNREADABLE = Notice(
    heading="Not saved: open the page again",
    text="A hidden part of this form is missing or was altered, so it cannot be told what you saw. Your text is kept.",
    id="unreadable",
    icon="alert-triangle",
)


def refusal_notice(code: str, result: DecisionResult | None, page: DecisionPage, sealed: Sealed) -> Notice:
    """The notice of a 409. Names a verdict only when it fell after the person's page was made."""
    standing = _meanwhile(result, page, sealed)
    heading, text = REFUSALS.get(code, OTHER_REFUSAL)
    if standing is None:
        return Notice(heading, text, detail=said_of(result) if code not in REFUSALS else "")
    return Notice(
        CLEARED if not page.is_open else heading,
        standing=standing,
        verdict=VERDICTS[standing.kind].text,
        reason=page.reason_given,
        by=names_for([standing.by]).of(standing.by),
        successor=page.successor,
    )


def said_of(result: DecisionResult | None) -> str:
    """What a refusal says to people: of a code alone its cause, as its cure names methods of the library."""
    if result is None or result.error is None:
        return ""
    return CODES[result.error] if result.detail == in_words(result.error) else result.detail or ""


def _meanwhile(result: DecisionResult | None, page: DecisionPage, sealed: Sealed) -> StandingVerdict | None:
    standing = (result.standing if result else None) or page.decision.verdict
    if standing and (not page.is_open or standing.at >= sealed.at):
        return standing
    return None
