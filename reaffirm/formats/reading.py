"""Reading a file in a process of its own, so that no file can take the memory or the time of the program."""

import json
import os
import subprocess
import sys
import zipfile
from io import BytesIO
from typing import Any

from reaffirm.formats.extract import DOCX, FILE_TYPES, HTML, MAX_BYTES, MAX_SECONDS, PDF, Extract
from reaffirm.store.errors import ValueRefused

_SNIFFED = 1_024
_KEPT = ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH", "LANG")  # of the environment: no credentials in a parser's reach
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def checked(data: object) -> bytes:
    """Bytes of a file that is not too long.

    Raises:
        ValueRefused: They are none, too many, or not bytes.
    """
    if not isinstance(data, bytes | bytearray | memoryview):
        raise ValueRefused("data", f"has the type {type(data).__name__}; give the bytes of the file")
    size = data.nbytes if isinstance(data, memoryview) else len(data)
    if size > MAX_BYTES:
        raise ValueRefused("data", f"has {size:,} bytes; the limit is {MAX_BYTES:,}; split the file")
    if not size:
        raise ValueRefused("data", "is empty; give the bytes of the file")
    return bytes(data)


def media_type_of(data: bytes) -> str | None:
    """HTML, PDF or DOCX by what the bytes look like; None for all else."""
    head = data[:_SNIFFED].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if b"%pdf-" in data[:_SNIFFED].lower():
        return PDF
    if data.startswith(_OLE) or (data.startswith(b"PK\x03\x04") and _is_docx(data)):
        return DOCX
    return HTML if head.startswith((b"<!doctype html", b"<html")) else None


def read(data: bytes, media_type: str) -> Extract:
    """The text of a file.

    Args:
        media_type: One of FILE_TYPES.

    Raises:
        ValueRefused: The file cannot be read; the detail says why and what to do.
    """
    assert media_type in FILE_TYPES
    answer = _asked(data, media_type)
    if "refused" in answer:
        raise ValueRefused("data", str(answer["refused"]))
    if not str(answer["text"]).strip():
        raise ValueRefused("data", "holds no text that a reader would see")
    marks = tuple((start, kind, level, words) for start, kind, level, words in answer["marks"])
    return Extract(answer["text"], marks, tuple(answer["pages"]), answer["title"])


def _asked(data: bytes, media_type: str) -> dict[str, Any]:
    environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
    environment["PYTHONPATH"] = os.pathsep.join(path or os.getcwd() for path in sys.path)
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "reaffirm.formats.child", media_type],
            input=data,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            timeout=2 * MAX_SECONDS,
            check=True,
        )
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer
    except subprocess.TimeoutExpired:
        raise ValueRefused("data", f"takes more than {MAX_SECONDS} seconds to be read, the limit; split it") from None
    except (subprocess.CalledProcessError, ValueError):
        detail = f"cannot be read within {MAX_SECONDS} seconds and the limit of memory, or is damaged; split it"
        raise ValueRefused("data", detail) from None


def _is_docx(data: bytes) -> bool:
    try:
        with zipfile.ZipFile(BytesIO(data)) as package:
            return "[Content_Types].xml" in package.namelist()
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, ValueError):
        return True  # nothing else that is read begins like this, and the reader says what is wrong
