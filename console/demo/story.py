"""The story as data: story.toml, one file for each task, and the documents in their versions."""

import tomllib
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from reaffirm.models import Result

HERE = Path(__file__).parent
DOCUMENTS = HERE / "documents"


class StoryRefused(Exception):
    """A part of the story could not be told; the text names it."""


class Part(BaseModel):
    """A piece of the story. A word that means nothing is a fault of the file."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Cited(Part):
    """A support: words of a document, an event (of the same task), or a decision as ``task/choice``.

    Attributes:
        whole_chunk: Cite the chunk that holds the words by its id, as agents do that found it by a search.
    """

    document: str | None = None
    quote: str = ""
    whole_chunk: bool = False
    event: int | None = None
    decision: str | None = None


class Event(Part):
    """An entry of a task's log; ``times`` repeats it, with its number in the place of ``{n}``."""

    kind: Literal["message", "tool_call", "tool_result", "note"]
    role: str | None = None
    name: str | None = None
    payload: str
    times: int = 1


class Step(Part):
    name: str
    kind: Literal["read", "analysis", "other"] = "other"
    state: Literal["not_started", "in_progress", "completed", "failed", "unknown"]
    result: int | None = None
    basis: Literal["independent", "supported", "unknown"] = "unknown"
    supports: tuple[Cited, ...] = ()
    chapter: int = 1


class Revision(Part):
    """What the agent concluded when it looked again."""

    chapter: int
    explanation: str
    conclusion: str
    rationale: str
    assumptions: tuple[str, ...] = ()
    open_questions: tuple[str, ...] = ()
    supports: tuple[Cited, ...]


class Decided(Part):
    """A decision of an agent.

    Attributes:
        chapter: When it was recorded.
        read_in: The chapter in which its sources were read, where that was an earlier one.
    """

    choice: str
    chapter: int = 1
    read_in: int | None = None
    question: str
    conclusion: str
    rationale: str
    assumptions: tuple[str, ...] = ()
    open_questions: tuple[str, ...] = ()
    supports: tuple[Cited, ...]
    revisions: tuple[Revision, ...] = ()


class Work(Part):
    """One task: what an agent was asked, did and concluded."""

    goal: str
    agent: str
    events: tuple[Event, ...]
    steps: tuple[Step, ...] = ()
    decisions: tuple[Decided, ...]


class Brought(Part):
    """A version of a document: ``<name>/<file>`` and the day it is dated."""

    file: str
    date: str

    @property
    def document(self) -> str:
        return self.file.partition("/")[0]

    @property
    def text(self) -> str:
        return (DOCUMENTS / self.file).read_text(encoding="utf-8")


class Chapter(Part):
    bring: tuple[Brought, ...]
    remove: tuple[str, ...] = ()
    erase: tuple[str, ...] = ()


class Verdict(Part):
    """What a person decided: on ``task/choice``, with their reason or explanation in ``words``."""

    decision: str
    verdict: Literal["reaffirm", "supersede", "reject"]
    by: str
    words: str
    conclusion: str | None = None


class Story(Part):
    slug: str
    name: str
    tasks: tuple[str, ...]
    titles: dict[str, str]
    chapters: tuple[Chapter, ...]
    verdicts: tuple[Verdict, ...]

    def works(self) -> dict[str, Work]:
        """The tasks by name, in the order in which they act."""
        return {name: Work.model_validate(_toml(HERE / "tasks" / f"{name}.toml")) for name in self.tasks}

    def brought(self, document: str, until: int) -> tuple[Brought, ...]:
        """The versions of a document up to and with a chapter, the oldest first."""
        return tuple(each for chapter in self.chapters[:until] for each in chapter.bring if each.document == document)


def story() -> Story:
    return Story.model_validate(_toml(HERE / "story.toml"))


def _toml(path: Path) -> dict[str, object]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def accept(done: Result, part: str) -> None:
    """Go on only when the library did it."""
    if not done.recorded:
        raise StoryRefused(f"{part}: {done.error} {done.field or ''} {done.detail or ''}".strip())
