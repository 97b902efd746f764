"""What a caller gives as a document: text, or the bytes of a file; and the text that is stored of it."""

import codecs
from dataclasses import dataclass, field

from reaffirm import fields, ids
from reaffirm.formats.extract import FILE_TYPES, HTML, Mark
from reaffirm.formats.reading import checked, media_type_of, read
from reaffirm.knowledge.sections import PLAIN, TEXT_TYPES, normalised
from reaffirm.store import ValueRefused

MEDIA_TYPES = (*TEXT_TYPES, *FILE_TYPES)


@dataclass(frozen=True)
class Content:
    """The text of one version as it is stored: line ends are LF, no byte order mark, all else as it was.

    Attributes:
        marks: Where the blocks of a file begin; none for plain text and Markdown, which are looked through for them.
        pages: Where each page of a PDF begins.
        title: What a file says of itself.
    """

    text: str
    media_type: str
    marks: tuple[Mark, ...] = ()
    pages: tuple[int, ...] = ()
    title: str | None = None

    @property
    def content_hash(self) -> str:
        return ids.text_digest(self.text)


@dataclass
class Source:
    """Text or bytes, checked; a file is parsed once, when its text is asked for.

    Attributes:
        media_type: As the caller named it; None: by the bytes, or as the document was.
    """

    given: str | bytes
    media_type: str | None
    _read: dict[str, Content] = field(default_factory=dict)

    def content(self, known: object = None) -> Content:
        """The text.

        Args:
            known: The media type of the version before, for a caller who names none.

        Raises:
            ValueRefused: The bytes cannot be read as that.
        """
        media_type = self._type(known)
        if media_type not in self._read:
            self._read[media_type] = _read(self.given, media_type)
        return self._read[media_type]

    def _type(self, known: object) -> str:
        if self.media_type is not None:
            return self.media_type
        seen = media_type_of(self.given) if isinstance(self.given, bytes) else None
        if seen is None and isinstance(known, str) and known in (*TEXT_TYPES, HTML):
            return known
        return seen or PLAIN


def source_of(text: object, data: object, media_type: str | None) -> Source:
    """Check what a caller gives.

    Raises:
        ValueRefused: Neither or both are given, one is too long, or a text is given for a PDF or DOCX.
    """
    if (text is None) == (data is None):
        raise ValueRefused("data" if data is not None else "text", "is one of two: give text or data")
    if data is not None:
        return Source(checked(data), media_type)
    if media_type in FILE_TYPES and media_type != HTML:
        raise ValueRefused("text", f"cannot be {media_type}; give the bytes of the file as data")
    return Source(fields.text("text", text, fields.DOCUMENT), media_type)


def _read(given: str | bytes, media_type: str) -> Content:
    if media_type in FILE_TYPES:
        # A text is decoded already, whatever encoding the page names.
        data = codecs.BOM_UTF8 + given.encode() if isinstance(given, str) else given
        found = read(checked(data), media_type)
        return Content(normalised(found.text), media_type, found.marks, found.pages, found.title)
    text = given if isinstance(given, str) else fields.text("data", _decoded(given), fields.DOCUMENT)
    return Content(normalised(text), media_type)


def _decoded(data: bytes) -> str:
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    name = "utf-16" if wide else "utf-8"
    try:
        return data.decode(name)
    except UnicodeDecodeError as error:
        detail = f"is not valid {name.upper()} at byte {error.start:,}; save it as UTF-8, or name its media_type"
        raise ValueRefused("data", detail) from None
