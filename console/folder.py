"""A document as a folder of files, each file a version."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from reaffirm import ids
from reaffirm.formats.extract import DOCX, FILE_TYPES, HTML, MAX_BYTES, PDF
from reaffirm.formats.reading import checked, read
from reaffirm.knowledge.sections import MARKDOWN, PLAIN, normalised, sections_of
from reaffirm.store import ValueRefused

MEDIA_TYPES = {
    ".md": MARKDOWN,
    ".txt": PLAIN,
    ".rst": PLAIN,
    ".html": HTML,
    ".htm": HTML,
    ".pdf": PDF,
    ".docx": DOCX,
}
_DAY = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")
# The title in a block of fields at the head of a text, and a line that is underlined, or has lines on both sides.
_FIELD = re.compile(r"(?:[\w-]+:[^\n]*\n(?:[ \t]+\S[^\n]*\n)*)*?Title:[ \t]*(\S[^\n]*)")
_UNDERLINED = re.compile(r"(?:\A\s*|\n\n+)(?:([^\w\s])\1{2,}[ \t]*\n)?([^\n]*\w[^\n]*)\n([^\w\s])\3{2,}[ \t]*(?=\n|\Z)")


@dataclass(frozen=True)
class FolderVersion:
    """One file, read.

    Attributes:
        text: As it will be stored.
        data: The bytes of a file that is not plain text.
    """

    name: str
    text: str
    data: bytes | None
    title: str
    media_type: str
    date: str | None

    @property
    def content_hash(self) -> str:
        return ids.text_digest(normalised(self.text))


@dataclass(frozen=True)
class FolderDocument:
    """The versions of one document, the oldest first, and the files that could not be read."""

    key: str
    versions: tuple[FolderVersion, ...]
    faults: tuple[str, ...]

    @classmethod
    def read(cls, key: str, folder: Path, upto: int | None = None) -> "FolderDocument":
        """Read the files of a folder in the order of their names, the first ``upto`` of them."""
        versions, faults = [], []
        for file in versions_in(folder)[:upto]:
            try:
                versions.append(_version(file))
            except (OSError, UnicodeDecodeError, ValueRefused) as error:
                faults.append(f"{file.name}: {_reason(error)}")
        return cls(key, tuple(versions), tuple(faults))

    def new_after(self, known: Sequence[str | None]) -> tuple[FolderVersion, ...]:
        """The versions after the last one that the document has had, by the hashes of its activations in their order.

        A file that stands before that one is never loaded: it would bring an old text back.
        """
        at = first_new = 0
        for number, version in enumerate(self.versions, 1):
            if version.content_hash in known[at:]:
                at = known.index(version.content_hash, at) + 1
                first_new = number
            elif (
                first_new == number - 1
                and number > 1
                and version.content_hash == self.versions[number - 2].content_hash
            ):
                first_new = number  # the same text twice is one version
        return self.versions[first_new:]


def _version(file: Path) -> FolderVersion:
    """Read one file.

    Raises:
        OSError, UnicodeDecodeError, ValueRefused: It cannot be read, is too long, or is empty.
    """
    media_type = MEDIA_TYPES[file.suffix.lower()]
    data, title = None, None
    if media_type in FILE_TYPES:
        with file.open("rb") as opened:
            data = checked(opened.read(MAX_BYTES + 1))
        found = read(data, media_type)
        text, title = found.text, found.title
    else:
        text = file.read_text(encoding="utf-8-sig")
        title = title_of(text, media_type)
    if not text.strip():
        raise ValueRefused("text", "is empty")
    return FolderVersion(file.name, text, data, title or file.parent.name, media_type, day_in(file.stem))


def _reason(error: Exception) -> str:
    if isinstance(error, ValueRefused):
        return error.detail
    return "is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(getattr(error, "strerror", error))


def versions_in(folder: Path) -> list[Path]:
    """The files that are versions, in the order of their names."""
    return sorted(
        each for each in folder.iterdir() if each.suffix.lower() in MEDIA_TYPES and not each.name.startswith(".")
    )


def title_of(text: str, media_type: str) -> str | None:
    """The title of a text: its first heading when no other is of the same rank, or its title field."""
    text = normalised(text)
    if media_type == MARKDOWN:
        headings = [section for section in sections_of(text, media_type) if section.heading]
        alone = [section.depth for section in headings].count(headings[0].depth) == 1 if headings else False
        return headings[0].heading if alone else None
    if found := _FIELD.match(text.lstrip()):
        return found[1].strip()
    first = _UNDERLINED.match(text)
    if first is None:
        return None
    equal = [line for over, _, line in _UNDERLINED.findall(text) if (over, line) == (first[1] or "", first[3])]
    return first[2].strip() if len(equal) == 1 else None


def day_in(name: str) -> str | None:
    """The first day in a file's name such as ``v03-2006-03-02``."""
    for found in _DAY.findall(name):
        try:
            return date.fromisoformat(found).isoformat()
        except ValueError:
            continue
    return None
