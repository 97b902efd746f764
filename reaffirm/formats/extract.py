"""What is read out of a file, and the limits on it. No import of ours: the process that parses loads little."""

import re
from dataclasses import dataclass, field
from typing import Literal

HTML = "text/html"
PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
FILE_TYPES = (HTML, PDF, DOCX)

MAX_BYTES = 50_000_000
MAX_PAGES = 2_000
MAX_TEXT = 20_000_000  # code points of the text that comes out
MAX_XML = 30_000_000  # bytes of a DOCX's XML, unpacked
MAX_ENTRIES = 10_000  # files inside a DOCX
MAX_MEMORY = 1 << 30  # bytes that the process may have
MAX_SECONDS = 60  # of processor time
LEVELS = 6

Kind = Literal["paragraph", "code", "heading"]
# Where a block begins, its kind, the level of a heading, and its words.
Mark = tuple[int, Kind, int, str]


class Refused(Exception):
    """Why a file is not read, in words that go on from "data"."""


@dataclass(frozen=True)
class Extract:
    """The text of a file.

    Attributes:
        marks: Where each block begins, in code points.
        pages: Where each page of a PDF begins.
        title: What the file says of itself.
    """

    text: str
    marks: tuple[Mark, ...]
    pages: tuple[int, ...] = ()
    title: str | None = None


@dataclass
class Writer:
    """Puts blocks one below the other, a blank line between."""

    parts: list[str] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    length: int = 0

    def add(self, words: str, kind: Kind = "paragraph", level: int = 0, *, tight: bool = False) -> None:
        """A block that is not blank.

        Args:
            tight: It goes on in the block before, on its next line: items of a list.
        """
        if not words.strip():
            return
        if self.parts:
            self._put("\n" if tight else "\n\n")
        if not (tight and self.marks):
            self.marks.append((self.length, kind, level, heading_of(words) if kind == "heading" else ""))
        self._put(words)

    def _put(self, words: str) -> None:
        self.parts.append(words)
        self.length += len(words)
        if self.length > MAX_TEXT:
            raise Refused(f"holds more than {MAX_TEXT:,} characters of text, the limit; split it")

    def extract(self, title: str | None = None) -> Extract:
        return Extract("".join(self.parts), tuple(self.marks), (), title)


def heading_of(words: str) -> str:
    """A heading on one line."""
    return " ".join(words.split())


_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def storable(text: str) -> str:
    """The text without what no store takes: control characters go, half characters become U+FFFD."""
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return _CONTROLS.sub("", whole.replace("\r\n", "\n").replace("\r", "\n"))
