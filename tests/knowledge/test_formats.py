"""HTML, PDF and DOCX become the text that a reader sees of them; what is hostile or broken is refused with a reason."""

import subprocess
import sys
import zlib
from collections.abc import Callable

import pytest

from reaffirm.formats import child, reading
from reaffirm.formats.docx import read_docx
from reaffirm.formats.extract import DOCX, HTML, PDF, Extract, Refused
from reaffirm.formats.html import decoded, read_html
from reaffirm.formats.pdf import read_pdf
from reaffirm.formats.reading import checked, media_type_of, read
from reaffirm.store import ValueRefused
from tests.knowledge.files import docx, pdf, word, word_table

PAGE = b"""<!doctype html><html><head><title>Backup &amp; archive</title><style>p {color: red}</style></head>
<body onload="steal()"><script>alert(1)</script><h1>Backup <em>policy</em></h1>before<p>Kept for <b>30</b>&nbsp;days,
 then<br>erased: 30 m\xc2\xb2 &frac12;.</p><!-- note --><ul><li>one<li>two<ul><li>below</ul></ul>
<ol start=3><li>x<li>y</ol><table><caption>Costs</caption><tr><th>Tier<th>Price<tr><td><p>Gold</p><td>2 | 3</table>
<table><tr><td><h2>In <i>layout</i></h2><p>cell</p></td></tr></table><pre>
if x:

    y()</pre><p hidden>secret</p><div style="display : none">secret</div><template><p>secret</p></template>
<noscript>secret</noscript><iframe srcdoc="secret"></iframe><a href="javascript:alert(1)">a link</a></body></html>"""

SHOWN = """Backup policy

before

Kept for 30\u00a0days, then
erased: 30 m² ½.

- one
- two
  - below

3. x
4. y

Costs

Tier | Price
Gold | 2 | 3

In layout

cell

if x:

    y()

a link"""


def headings(found: Extract) -> list[tuple[int, str]]:
    return [(level, words) for _, kind, level, words in found.marks if kind == "heading"]


def test_html_is_read_as_a_browser_shows_it() -> None:
    found = read_html(PAGE)
    assert found.text == SHOWN
    assert headings(found) == [(1, "Backup policy"), (2, "In layout")]
    assert found.title == "Backup & archive"
    assert [kind for _, kind, _, _ in found.marks].count("code") == 1
    assert [found.text[at] for at, *_ in found.marks][:3] == ["B", "b", "K"]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\xef\xbb\xbf<p>caf\xc3\xa9", "café"),
        ("<p>café".encode("utf-16"), "café"),
        (b'<meta charset="ISO-8859-1"><p>caf\xe9 \x80', "café €"),
        (b"<meta http-equiv=Content-Type content='text/html; charset=shift_jis'><p>\x93\xfa\x96{", "日本"),
        (b'<meta charset="utf-16"><p>caf\xc3\xa9', "café"),
        (b"<p>a\r\nb\rc", "a b c"),
        (b"<pre>a\r\nb\rc</pre>", "a\nb\nc"),
        (b"<p>a\x00b &#0; &#xD800; \x0c", "ab \ufffd \ufffd"),
        (b"<p>un<b>closed <table><tr><td>1<td>2", "unclosed\n\n1 | 2"),
        (b"plain words & < more", "plain words & < more"),
    ],
)
def test_html_of_every_kind_is_text(data: bytes, text: str) -> None:
    assert read_html(data).text == text


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"<p>caf\xe9", "byte 6"),
        (b"<meta charset=rot13><p>x", "'rot13'"),
        (b"<meta charset=zip><p>x", "'zip'"),
        (b"<div>" * 6_000 + b"x", "5,000 deep"),
    ],
)
def test_html_that_cannot_be_read_says_why(data: bytes, says: str) -> None:
    with pytest.raises(Refused, match=says):
        read_html(data)
    assert decoded(b"x") == "x"


def test_deep_nesting_costs_no_stack() -> None:
    assert read_html(b"<b>" * 30_000 + b"x").text == "x"
    assert read_html(b"<table><tr><td>" * 2_000 + b"x").text == "x"


def test_docx_is_read_by_its_styles() -> None:
    """Style ids depend on the language of Word, names do not. Tracked changes count as accepted."""
    inserted = (
        "<w:p><w:r><w:t>kept </w:t></w:r><w:ins><w:r><w:t>inserted</w:t></w:r></w:ins>"
        "<w:del><w:r><w:delText>deleted</w:delText></w:r></w:del></w:p>"
    )
    found = read_docx(
        docx(
            word("Richtlinie", "berschrift1")
            + word("30 m² are kept.")
            + word("Kosten", "H2")
            + word_table([["Tier", "Price"], ["Gold", "2"]])
            + inserted
            + f"<w:sdt><w:sdtContent>{word('in a control')}</w:sdtContent></w:sdt>"
        )
    )
    assert found.text.split("\n\n") == [
        "Richtlinie", "30 m² are kept.", "Kosten", "Tier | Price\nGold | 2", "kept inserted", "in a control",
    ]  # fmt: skip
    assert headings(found) == [(1, "Richtlinie"), (2, "Kosten")]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (docx(word("x" * 31_000_000)), "unpacks to 31,00.* limit is 30,000,000"),
        (docx(word("x"), more={"word/media.xml": bytes(31_000_000)}), "unpacks to"),
        (docx(word("x"), more={"word/document.dat": bytes(31_000_000)}), "unpacks to"),
        (docx(word("x"), head='<!DOCTYPE x [<!ENTITY a "aaaa">]>'), "XML entities in word/document.xml"),
        (docx(word("x"), more={"word/document.bin": b"<!DOCTYPE x []>"}), "XML entities in word/document.bin"),
        (docx(word("x"), more={f"customXml/{n}": b"" for n in range(10_001)}), "10,005 files; the limit is 10,000"),
        (docx(word("x"))[:500], "not a whole DOCX"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "encrypted"),
        (b"PK\x05\x06" + bytes(18), "no DOCX"),
    ],
)
def test_docx_that_is_hostile_or_broken_is_refused(data: bytes, says: str) -> None:
    with pytest.raises(Refused, match=says):
        read_docx(data)


def test_pdf_knows_its_pages_and_bookmarks() -> None:
    found = read_pdf(
        pdf(
            ["", "Policy\nBackups are kept\nfor thirty (30) days.", "", "Checks\nLook."],
            bookmarks={"POLICY": 2, "Checks": 4},
        )
    )
    assert found.text == "Policy\nBackups are kept\nfor thirty (30) days.\n\nChecks\nLook."
    assert headings(found) == [(1, "Policy"), (1, "Checks")]
    assert found.pages == (0, 0, 45, 47)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (pdf(["x"] * 2_001), "2,001 pages; the limit is 2,000"),
        (pdf(["", ""]), "no text on its 2 pages"),
        (
            pdf(["x"], trailer="/Encrypt << /Filter /Standard /V 5 /R 6 /P -4 /O <00> /U <00> >> /ID [<00><00>]"),
            "encrypted",
        ),
    ],
)
def test_pdf_that_cannot_be_read_says_why(data: bytes, says: str) -> None:
    with pytest.raises(Refused, match=says):
        read_pdf(data)


@pytest.mark.parametrize(("data", "media_type"), [(PAGE, HTML), (pdf(["x"]), PDF), (docx(word("x")), DOCX)])
def test_the_bytes_tell_what_they_are(data: bytes, media_type: str) -> None:
    assert media_type_of(data) == media_type
    assert read(data, media_type).text == {HTML: read_html, PDF: read_pdf, DOCX: read_docx}[media_type](data).text


@pytest.mark.parametrize("data", [b"", b"words", b"# Heading", b"PKware is a company", "<p>".encode("utf-16")])
def test_other_bytes_are_text(data: bytes) -> None:
    assert media_type_of(data) is None


def bomb() -> bytes:
    """A PDF whose one page unpacks to 200 MB."""
    packed = zlib.compress(b" " * 200_000_000)
    head, _, rest = pdf(["x"]).partition(b"<< /Length ")
    tail = rest.partition(b"endstream")[2]
    stream = b"<< /Filter /FlateDecode /Length %d >>\nstream\n" % len(packed) + packed + b"\nendstream"
    return head + stream + tail


@pytest.mark.parametrize(
    ("make", "media_type", "says"),
    [
        (lambda: pdf(["x"])[:300], PDF, "damaged"),
        (lambda: b"%PDF-1.7\n" + bytes(1_000), PDF, "damaged"),
        (lambda: docx("<w:r>" * 50_000 + "</w:r>" * 50_000), DOCX, "nested too deeply|damaged|cannot be read"),
        (lambda: docx("<w:p>"), DOCX, "damaged"),
        (lambda: bomb(), PDF, "damaged|limit"),
        (lambda: b"<script>alert(1)</script>", HTML, "no text"),
    ],
)
def test_a_broken_file_is_refused_with_what_to_do(make: Callable[[], bytes], media_type: str, says: str) -> None:
    with pytest.raises(ValueRefused, match=says) as refused:
        read(make(), media_type)
    assert refused.value.field == "data"


@pytest.mark.parametrize("data", [b"", bytes(50_000_001), "text", None, 5])
def test_only_bytes_of_a_bounded_size_are_taken(data: object) -> None:
    with pytest.raises(ValueRefused, match="data"):
        checked(data)
    assert checked(bytearray(b"x")) == checked(memoryview(b"x")) == b"x"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux bounds the memory of one process")
def test_a_parser_that_takes_too_much_memory_ends_alone() -> None:
    program = f"from reaffirm.formats import child; child._limit(); len(bytearray({child.MAX_MEMORY}))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "MemoryError" in done.stderr


def test_a_parser_that_dies_or_hangs_is_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_SECONDS", 0.001)
    with pytest.raises(ValueRefused, match="seconds"):
        read(PAGE, HTML)
    monkeypatch.setattr(reading, "MAX_SECONDS", 60)
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(ValueRefused, match="cannot be read"):
        read(PAGE, HTML)


def test_a_parser_sees_no_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, object] = {}

    def run(command: list[str], **options: object) -> subprocess.CompletedProcess[bytes]:
        asked.update(options)
        return subprocess.CompletedProcess(command, 0, stdout=b'{"refused": "stop"}')

    monkeypatch.setenv("SECRET_KEY", "hidden")
    monkeypatch.setattr(reading.subprocess, "run", run)
    with pytest.raises(ValueRefused, match="stop"):
        read(PAGE, HTML)
    assert "hidden" not in str(asked["env"])


def test_a_page_inside_a_docx_is_no_reason_to_refuse_it() -> None:
    page = {"word/afchunk1.html": b"<!DOCTYPE html><p>Embedded.</p>"}
    assert read(docx(word("Kept for thirty days."), more=page), DOCX).text == "Kept for thirty days."
