"""The process that reads one file: bytes on its standard input, JSON on its standard output, and limits on itself."""

import json
import sys
from dataclasses import asdict

from reaffirm.formats.extract import DOCX, HTML, MAX_MEMORY, MAX_SECONDS, PDF, Extract, Refused


def main() -> None:
    """Read what argv names. Whatever goes wrong in a parser is a file that cannot be read."""
    _limit()
    try:
        answer: dict[str, object] = asdict(_read(sys.argv[1], sys.stdin.buffer.read()))
    except Refused as refused:
        answer = {"refused": str(refused)}
    except MemoryError:
        answer = {"refused": f"needs more than {MAX_MEMORY:,} bytes of memory to be read, the limit; split it"}
    except RecursionError:
        answer = {"refused": "is nested too deeply to be read; open it and save it again"}
    except Exception as error:  # noqa: BLE001 - parsers raise what they like on broken files
        answer = {"refused": f"is damaged and cannot be read ({type(error).__name__}); open it and save it again"}
    sys.stdout.buffer.write(json.dumps(answer, ensure_ascii=False).encode())


def _read(media_type: str, data: bytes) -> Extract:
    # Only the parser that is needed: each takes a tenth of a second to load.
    if media_type == HTML:
        from reaffirm.formats.html import read_html as read
    elif media_type == PDF:
        from reaffirm.formats.pdf import read_pdf as read
    elif media_type == DOCX:
        from reaffirm.formats.docx import read_docx as read
    else:
        raise Refused(f"has the type {media_type}, which is not read")
    return read(data)


def _limit() -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limits; the time that the caller waits is one
        return
    resource.setrlimit(resource.RLIMIT_CPU, (MAX_SECONDS, MAX_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))


if __name__ == "__main__":
    main()
