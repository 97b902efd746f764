"""The paragraphs and sections of a text. Pure.

A text is a row of blocks that touch: paragraphs, headings and fenced code, each with the blank lines after it.
Plain text has one section without a heading, Markdown one for each heading, as agentic-graphrag builds them.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reaffirm.formats.extract import Kind, Mark

PLAIN, MARKDOWN = "text/plain", "text/markdown"
TEXT_TYPES = (PLAIN, MARKDOWN)
# A heading is repeated in every chunk of its section, so a line of any length must not be one.
HEADING_CHARACTERS = 300

_BLANK_LINES = re.compile(r"\n[ \t]*\n+")
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_COMMENT_END = re.compile(r".*-->")
_FRONT_MATTER = re.compile(r"---[ \t]*\n(?=[^\n]*\S)(?:[^\n]*\n)*?(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_FRONT_MATTER_END = re.compile(r"(?:---|\.\.\.)[ \t]*$")
_NO_SETEXT = re.compile(r" {0,3}(?:>|[-+*][ \t]|\d{1,9}[.)][ \t]| )")


@dataclass(frozen=True)
class Block:
    """A paragraph, a heading or code.

    Attributes:
        start, end: All of it, the blank lines after it included: blocks touch.
        body_start, body_end: Its words, trimmed.
        level: Of a heading, 1 to 6; else 0.
    """

    kind: Kind
    start: int
    end: int
    body_start: int
    body_end: int
    level: int = 0
    heading: str = ""


@dataclass(frozen=True)
class Section:
    """A heading with the blocks below it, up to the next heading.

    Attributes:
        parent: The number of the section around it.
        path: The headings from the top to this one, empty ones too.
    """

    heading: str
    depth: int
    parent: int | None
    path: tuple[str, ...]
    blocks: tuple[Block, ...]

    @property
    def units(self) -> tuple[Block, ...]:
        """What stands below the heading."""
        return tuple(block for block in self.blocks if block.kind != "heading")


def normalised(text: str) -> str:
    """The text as it is stored: no byte order mark, line ends as LF, and all else as it is."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def sections_of(text: str, media_type: str, marks: Sequence[Mark] = ()) -> tuple[Section, ...]:
    """The sections of a text that is not blank, in reading order. Their blocks cover the text without a gap.

    Args:
        marks: Where its blocks begin, as a file told; else plain text and Markdown are looked through for them.
    """
    groups: list[list[Block]] = []
    for block in _blocks(text, media_type, marks):
        if block.kind == "heading" or not groups:
            groups.append([])
        groups[-1].append(block)
    sections: list[Section] = []
    open_ones: list[int] = []
    for number, group in enumerate(groups):
        head = group[0]
        while open_ones and sections[open_ones[-1]].depth >= head.level:
            open_ones.pop()
        parent = open_ones[-1] if open_ones else None
        above = sections[parent].path if parent is not None else ()
        sections.append(Section(head.heading, head.level, parent, (*above, head.heading), tuple(group)))
        if head.level:
            open_ones.append(number)
    return tuple(sections)


def lineage(sections: tuple[Section, ...], number: int) -> list[int]:
    """The numbers of the sections from the top to this one."""
    found: list[int] = []
    current: int | None = number
    while current is not None:
        found.append(current)
        current = sections[current].parent
    return found[::-1]


def _blocks(text: str, media_type: str, marks: Sequence[Mark]) -> Iterator[Block]:
    if marks:
        starts = [_Start(at, kind, level, heading) for at, kind, level, heading in marks]
    else:
        starts = _markdown_starts(text) if media_type == MARKDOWN else _plain_starts(text)
    starts[0].at = 0  # blank lines before the first words belong to it
    for start, end in zip(starts, [*(start.at for start in starts[1:]), len(text)], strict=True):
        raw = text[start.at : end]
        body = start.at + len(raw) - len(raw.lstrip())
        heading = start.heading[:HEADING_CHARACTERS]
        yield Block(start.kind, start.at, end, body, body + len(raw.strip()), start.level, heading)


@dataclass
class _Start:
    """Where a block begins; it ends where the next one begins."""

    at: int
    kind: Kind = "paragraph"
    level: int = 0
    heading: str = ""


def _plain_starts(text: str) -> list[_Start]:
    """Paragraphs as agentic-graphrag tells them: a line with nothing but blanks and tabs ends one."""
    ends = [(found.start(), found.end()) for found in _BLANK_LINES.finditer(text)]
    starts = [0, *(end for _, end in ends)]
    stops = [*(start for start, _ in ends), len(text)]
    return [_Start(start) for start, stop in zip(starts, stops, strict=True) if text[start:stop].strip()]


def _markdown_starts(text: str) -> list[_Start]:
    """Blocks by lines. Code, comments and front matter may hold lines that only look like headings."""
    starts: list[_Start] = []
    closing: re.Pattern[str] | None = None  # what ends the code, comment or front matter that is open
    in_paragraph = False
    at = 0
    for line in text.split("\n"):
        here, at = at, at + len(line) + 1
        if closing is not None:
            closing = None if closing.match(line) else closing
            continue
        if not line.strip():
            in_paragraph = False
            continue
        closing = _opening(line, here, text)
        level, heading = (0, "") if closing else _atx(line)
        if closing or level:
            starts.append(_Start(here, "code" if closing else "heading", level, heading))
            in_paragraph = False
        elif in_paragraph and _UNDERLINE.match(line) and not _NO_SETEXT.match(text, starts[-1].at):
            words = " ".join(text[starts[-1].at : here].split())
            starts[-1] = _Start(starts[-1].at, "heading", 1 if "=" in line else 2, words)
            in_paragraph = False
        elif not in_paragraph:
            starts.append(_Start(here))
            in_paragraph = True
    return starts


def _opening(line: str, at: int, text: str) -> re.Pattern[str] | None:
    """What closes the block that this line opens, or None when it opens none that hides headings."""
    fence = _FENCE.match(line)
    if fence:
        return re.compile(rf" {{0,3}}{fence[1][0]}{{{min(len(fence[1]), 1_000)},}}[ \t]*$")
    if line.lstrip(" ").startswith("<!--") and "-->" not in line:
        return _COMMENT_END
    if at == 0 and line.rstrip() == "---" and _FRONT_MATTER.match(text):
        return _FRONT_MATTER_END
    return None


def _atx(line: str) -> tuple[int, str]:
    """Level and words of a heading such as ``## Checks``; level 0 when the line is none."""
    words = line.lstrip(" ")
    rest = words.lstrip("#")
    level = len(words) - len(rest)
    if len(line) - len(words) > 3 or not 1 <= level <= 6 or (rest and rest[0] not in " \t"):
        return 0, ""
    rest = rest.strip()
    bare = rest.rstrip("#")
    return level, bare.rstrip() if not bare or bare[-1] in " \t" else rest
