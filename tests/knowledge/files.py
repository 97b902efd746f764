"""Small files of each format, made by hand."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_TYPES = """<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="xml" ContentType="application/xml"/>
<Override PartName="/word/document.xml"
 ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>"""
_RELS = """<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="r1" Target="word/document.xml"
 Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"/></Relationships>"""
_STYLES = f"""<?xml version="1.0"?><w:styles xmlns:w="{_W}">
<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>
<w:style w:type="paragraph" w:styleId="H2"><w:name w:val="heading 2"/></w:style></w:styles>"""


def word(text: str, style: str = "") -> str:
    """A paragraph of a DOCX."""
    named = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f'<w:p>{named}<w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r></w:p>'


def word_table(rows: Sequence[Sequence[str]]) -> str:
    cells = ("".join(f"<w:tc>{word(cell)}</w:tc>" for cell in row) for row in rows)
    return "<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in cells) + "</w:tbl>"


def docx(body: str, *, head: str = "", more: Mapping[str, bytes] | None = None) -> bytes:
    """A DOCX with this XML in its body."""
    document = f'<?xml version="1.0"?>{head}<w:document xmlns:w="{_W}"><w:body>{body}</w:body></w:document>'
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("[Content_Types].xml", _TYPES)
        package.writestr("_rels/.rels", _RELS)
        package.writestr("word/styles.xml", _STYLES)
        package.writestr("word/document.xml", document)
        for name, data in (more or {}).items():
            package.writestr(name, data)
    return made.getvalue()


def pdf(pages: Sequence[str], *, bookmarks: Mapping[str, int] | None = None, trailer: str = "") -> bytes:
    """A PDF with one line of Helvetica for each line of a page; bookmarks are titles with the number of their page."""
    first = 4
    count = len(pages)
    titles = list((bookmarks or {}).items())
    outlines = first + 2 * count
    objects = {
        1: f"<< /Type /Catalog /Pages 2 0 R {f'/Outlines {outlines} 0 R' if titles else ''} >>",
        2: f"<< /Type /Pages /Count {count} /Kids [{' '.join(f'{first + 2 * n} 0 R' for n in range(count))}] >>",
        3: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    }
    for number, words in enumerate(pages):
        shown = "".join(f"({_in_brackets(line)}) Tj T* " for line in words.split("\n"))
        stream = f"BT /F1 12 Tf 14 TL 72 720 Td {shown}ET" if words else ""
        objects[first + 2 * number] = (
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> "
            f"/Contents {first + 2 * number + 1} 0 R >>"
        )
        objects[first + 2 * number + 1] = f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream"
    if titles:
        ids = range(outlines + 1, outlines + 1 + len(titles))
        objects[outlines] = f"<< /Type /Outlines /First {ids[0]} 0 R /Last {ids[-1]} 0 R /Count {len(titles)} >>"
        for place, (title, page) in zip(ids, titles, strict=True):
            after = f"/Next {place + 1} 0 R" if place != ids[-1] else ""
            objects[place] = (
                f"<< /Title ({_in_brackets(title)}) /Parent {outlines} 0 R {after} "
                f"/Dest [{first + 2 * (page - 1)} 0 R /Fit] >>"
            )
    return _file(objects, trailer)


def _in_brackets(text: str) -> str:
    return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


def _file(objects: Mapping[int, str], trailer: str) -> bytes:
    made = io.BytesIO()
    made.write(b"%PDF-1.7\n")
    offsets = []
    for number, body in sorted(objects.items()):
        offsets.append(made.tell())
        made.write(f"{number} 0 obj\n{body}\nendobj\n".encode("cp1252"))
    start = made.tell()
    made.write(f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode())
    made.write(b"".join(b"%010d 00000 n \n" % offset for offset in offsets))
    made.write(f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R {trailer} >>\nstartxref\n{start}\n%%EOF\n".encode())
    return made.getvalue()
