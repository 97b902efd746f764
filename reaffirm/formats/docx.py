"""DOCX as text: mammoth makes HTML of it, by what its styles mean, and that is read like any other."""

import io
import re
import zipfile

import mammoth

from reaffirm.formats.extract import MAX_ENTRIES, MAX_XML, Extract, Refused
from reaffirm.formats.html import text_of

# A file with a password, and the .doc before 2007, are such a file.
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_STYLES = "p[style-name='Title'] => h1:fresh\np[style-name='Subtitle'] => p:fresh"
_BESIDE = re.compile(r"^word/(media|embeddings|fonts)/|\.(png|jpe?g|gif|emf|wmf|odttf)$", re.IGNORECASE)
_OTHER = re.compile(r"\.(x?html?|mht|mhtml|txt|rtf)$", re.IGNORECASE)  # texts that a document may embed
_DOCTYPE = re.compile(rb"<!\s*(DOCTYPE|ENTITY)", re.IGNORECASE)


def read_docx(data: bytes) -> Extract:
    """The text of a document: headings by their styles, tables as lines, notes at the end, tracked changes accepted.

    Raises:
        Refused: It is not a DOCX, is encrypted, or holds more than it should.
    """
    if data.startswith(OLE):
        raise Refused("is encrypted, or a .doc of Word 97 to 2003; save it as .docx without a password")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            _check(package)
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError) as error:
        raise Refused(f"is not a whole DOCX file ({error}); open it in Word and save it again") from None
    made = mammoth.convert_to_html(
        io.BytesIO(data), style_map=_STYLES, convert_image=mammoth.images.img_element(lambda _: {})
    )
    return text_of(made.value)


def _check(package: zipfile.ZipFile) -> None:
    """Look at what the package holds before anything is unpacked, and into its XML before it is parsed."""
    entries = package.infolist()
    names = {entry.filename for entry in entries}
    if len(entries) > MAX_ENTRIES:
        raise Refused(f"holds {len(entries):,} files; the limit is {MAX_ENTRIES:,}")
    if len(names) < len(entries):
        raise Refused("holds a file twice; open it in Word and save it again")
    if not {"[Content_Types].xml", "_rels/.rels"} <= names or not any(name.startswith("word/") for name in names):
        raise Refused("is a ZIP file but no DOCX")
    if any(entry.flag_bits & 1 for entry in entries):
        raise Refused("is encrypted; save it without a password")
    parts = [entry for entry in entries if not _BESIDE.search(entry.filename)]  # any may be named as the document
    size = sum(entry.file_size for entry in parts)
    if size > MAX_XML:
        raise Refused(f"unpacks to {size:,} bytes of XML; the limit is {MAX_XML:,}; split it")
    for entry in parts:
        if _OTHER.search(entry.filename):
            continue
        with package.open(entry) as part:
            if _DOCTYPE.search(part.read(MAX_XML)):
                raise Refused(f"declares XML entities in {entry.filename}, which no DOCX does")
