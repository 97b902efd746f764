"""PDF as text, page by page. Its bookmarks tell the headings."""

import io
import re
from collections.abc import Iterator
from typing import Any

from pypdf import PdfReader
from pypdf.errors import DependencyError, FileNotDecryptedError
from pypdf.generic import Destination

from reaffirm.formats.extract import LEVELS, MAX_PAGES, MAX_TEXT, Extract, Mark, Refused, heading_of, storable

_BREAK = re.compile(r"\n[ \t]*\n+")
_MAX_BOOKMARKS = 5_000
_PROTECTED = "is encrypted; save a copy without protection"


def read_pdf(data: bytes) -> Extract:
    """The text of all pages, a blank line between two.

    Raises:
        Refused: It is encrypted, too long, or holds no text.
    """
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise Refused(_PROTECTED)
        count = len(reader.pages)
    except (DependencyError, FileNotDecryptedError):
        raise Refused(_PROTECTED) from None
    if count > MAX_PAGES:
        raise Refused(f"has {count:,} pages; the limit is {MAX_PAGES:,}; split it")
    headings = _headings(reader)
    parts: list[str] = []
    marks: list[Mark] = []
    pages: list[int] = []
    at = 0
    for number in range(count):
        words = _words(reader, number)
        if words and at:
            parts.append("\n\n")
            at += 2
        pages.append(at)
        marks += [
            (at + start, kind, level, said) for start, kind, level, said in _marks(words, headings.get(number, {}))
        ]
        parts.append(words)
        at += len(words)
        if at > MAX_TEXT:
            raise Refused(f"holds more than {MAX_TEXT:,} characters of text, the limit; split it")
    if not marks:
        raise Refused(f"holds no text on its {count:,} pages; where it is a scan, run text recognition on it first")
    return Extract("".join(parts), tuple(marks), tuple(pages))


def _words(reader: PdfReader, number: int) -> str:
    lines = storable(reader.pages[number].extract_text()).split("\n")
    return "\n".join(line.rstrip() for line in lines).strip("\n")


def _marks(words: str, headings: dict[str, int]) -> Iterator[Mark]:
    """Paragraphs as blank lines tell them, and the lines that are headings."""
    begins = True
    start = 0
    for line in words.split("\n"):
        if not line.strip():
            begins = True
        elif (level := headings.get(_key(line), 0)) > 0:
            yield start, "heading", level, heading_of(line)
            begins = True
        elif begins:
            yield start, "paragraph", 0, ""
            begins = False
        start += len(line) + 1


def _headings(reader: PdfReader) -> dict[int, dict[str, int]]:
    """The words and level of each bookmark, by the number of its page."""
    found: dict[int, dict[str, int]] = {}
    try:
        marks = list(_bookmarks(reader.outline))
    except Exception:  # noqa: BLE001 - a broken table of contents must not hide the text
        return {}
    for mark, level in marks:
        try:
            page = reader.get_destination_page_number(mark)
        except Exception:  # noqa: BLE001, S112 - nor must one broken entry
            continue
        if page is not None and mark.title:
            found.setdefault(page, {}).setdefault(_key(str(mark.title)), level)
    return found


def _bookmarks(outline: list[Any]) -> Iterator[tuple[Destination, int]]:
    waiting: list[tuple[Any, int]] = [(entry, 1) for entry in reversed(outline)]
    seen = 0
    while waiting and seen < _MAX_BOOKMARKS:
        entry, level = waiting.pop()
        if isinstance(entry, list):
            waiting += [(child, min(level + 1, LEVELS)) for child in reversed(entry)]
        elif isinstance(entry, Destination):
            seen += 1
            yield entry, level


def _key(line: str) -> str:
    return "".join(line.split()).casefold()
