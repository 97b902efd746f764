"""HTML as text: what a browser would show, block by block. Scripts, styles and hidden parts are left out."""

import codecs
import re
from collections.abc import Callable, Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from reaffirm.formats.extract import Extract, Refused, Writer, heading_of, storable

_SKIPPED = frozenset(
    "head script style template noscript iframe frame object embed applet svg canvas audio video select datalist"
    " textarea dialog".split()
)
_BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details div dl dt fieldset figcaption figure footer form"
    " header hgroup hr html legend li main menu nav ol p pre search section summary table tbody td tfoot th thead tr"
    " ul h1 h2 h3 h4 h5 h6".split()
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_SPACE = re.compile(r"[ \t\n\r\f]+")
_META = re.compile(rb"<meta[^>]{0,1000}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{1,40})", re.IGNORECASE)
_HEAD_BYTES = 4_096
_NESTING = re.compile(
    r"<(/?)(div|section|article|main|blockquote|center|ul|ol|dl|table|fieldset|details)\b", re.IGNORECASE
)
_MAX_DEPTH = 5_000
_CELLS = " | "
_LAYOUT = frozenset("table pre h1 h2 h3 h4".split())

# Labels that browsers know; what they call Latin-1 is Windows-1252.
_ENCODINGS = frozenset(
    "utf-8 utf-16 utf-16-le utf-16-be cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 cp874 iso8859-2"
    " iso8859-3 iso8859-4 iso8859-5 iso8859-6 iso8859-7 iso8859-8 iso8859-10 iso8859-13 iso8859-14 iso8859-15"
    " iso8859-16 koi8-r koi8-u mac-roman gbk gb18030 big5 euc_jp shift_jis cp932 iso2022_jp euc_kr cp949".split()
)


def read_html(data: bytes) -> Extract:
    """The text of a page.

    Raises:
        Refused: It is not text in the encoding that it names.
    """
    return text_of(decoded(data))


def text_of(page: str) -> Extract:
    """The text of decoded HTML."""
    _check_depth(page)
    tree = LexborHTMLParser(page)
    reader = _Reader()
    if tree.body is not None:
        reader.walk(tree.body)
    title = tree.css_first("head > title")
    words = heading_of(storable(title.text())) if title is not None else ""
    return reader.out.extract(words or None)


def decoded(data: bytes) -> str:
    """The text of a page's bytes: by its byte order mark, by what it says in its head, or else UTF-8."""
    for mark, name in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ):
        if data.startswith(mark):
            return _decode(data[len(mark) :], name)
    named = _META.search(data[:_HEAD_BYTES])
    return _decode(data, _encoding(named[1].decode("ascii")) if named else "utf-8")


def _encoding(label: str) -> str:
    try:
        name = codecs.lookup(label).name
    except LookupError:
        name = ""
    if name in ("iso8859-1", "ascii"):
        return "cp1252"
    if name.startswith("utf-16"):
        return "utf-8"  # what says so in bytes of one each is not it
    if name not in _ENCODINGS:
        raise Refused(f"says that it is written in {label!r}, which is not read; save it as UTF-8")
    return name


def _decode(data: bytes, name: str) -> str:
    try:
        return data.decode(name)
    except UnicodeDecodeError as error:
        if name == "cp1252":  # five bytes mean nothing there; browsers let them pass
            return data.decode(name, "replace")
        raise Refused(f"is not valid {name.upper()} at byte {error.start:,}; save it as UTF-8") from None


def _check_depth(page: str) -> None:
    """The parser's time grows with the square of the depth of such elements."""
    depths: dict[str, int] = {}
    for found in _NESTING.finditer(page):
        name = found[2].lower()
        depths[name] = max(0, depths.get(name, 0) + (-1 if found[1] else 1))
        if depths[name] > _MAX_DEPTH:
            raise Refused(f"nests <{name}> more than {_MAX_DEPTH:,} deep, the limit")


class _Reader:
    """One walk over the tree, without recursion: pages may nest as deeply as they like."""

    def __init__(self) -> None:
        self.out = Writer()
        self._words: list[str] = []
        self._lists: list[list[int]] = []  # number of the next item; 0 where items have none
        self._prefix = ""
        self._item_before = False
        self._heading = 0
        self._pre = 0

    def walk(self, body: LexborNode) -> None:
        for node, entering in _steps(body, self._goes_into):
            tag = str(node.tag)
            if node.is_text_node:
                self._text(node.text_content or "")
            elif tag == "br":
                self._words.append("\n" if entering else "")
            elif tag == "table" and entering and _is_data(node):
                self._flush()
                self._table(node)
            elif tag in _BLOCKS:
                self._enter(node, tag) if entering else self._leave(tag)
        self._flush()

    def _goes_into(self, node: LexborNode) -> bool:
        return _shown(node) and not (node.tag == "table" and _is_data(node))

    def _text(self, words: str) -> None:
        self._words.append(words if self._pre else _SPACE.sub(" ", words))

    def _enter(self, node: LexborNode, tag: str) -> None:
        self._flush()
        if tag in _HEADINGS:
            self._heading = self._heading or _HEADINGS[tag]
        elif tag == "pre":
            self._pre += 1
        elif tag in ("ul", "ol", "menu"):
            self._lists.append([_start(node) if tag == "ol" else 0])
        elif tag == "li":
            self._prefix = self._bullet()

    def _leave(self, tag: str) -> None:
        if tag in _HEADINGS and self._heading:
            level, self._heading = self._heading, 0
            words = heading_of(self._taken())
            self.out.add(self._prefix + words if words else "", "heading", level)
            self._prefix, self._item_before = "", False
            return
        self._flush()
        if tag == "pre":
            self._pre -= 1
        elif tag in ("ul", "ol", "menu") and self._lists:
            self._lists.pop()
            self._item_before = self._item_before and bool(self._lists)
        elif tag == "li":
            self._prefix = ""

    def _bullet(self) -> str:
        if not self._lists:
            return "- "
        number = self._lists[-1][0]
        self._lists[-1][0] += number > 0
        indent = "  " * min(len(self._lists) - 1, 8)
        return indent + (f"{number}. " if number else "- ")

    def _flush(self) -> None:
        """End a block. Inside a heading, blocks are words of it."""
        if self._heading:
            self._words.append(" ")
            return
        words = self._taken()
        if not words.strip():
            return
        if self._pre:
            self.out.add(self._prefix + words.strip("\n").rstrip(), "code")
            self._item_before = False
        else:
            self.out.add(self._prefix + words, tight=bool(self._prefix) and self._item_before)
            self._item_before = bool(self._prefix)
        self._prefix = ""

    def _taken(self) -> str:
        words = storable("".join(self._words))
        self._words = []
        return words if self._pre else _tidy(words)

    def _table(self, table: LexborNode) -> None:
        """A table as a line a row, cells between bars."""
        rows = []
        for row in table.css("tr"):
            cells = [_words_in(cell) for cell in _children(row) if cell.tag in ("td", "th")]
            if any(cells):
                rows.append(_CELLS.join(cells))
        for caption in table.css("caption"):
            self.out.add(_words_in(caption))
        self.out.add(self._prefix + "\n".join(rows) if rows else "")
        self._prefix, self._item_before = "", False


def _steps(top: LexborNode, goes_into: Callable[[LexborNode], bool]) -> Iterator[tuple[LexborNode, bool]]:
    """Each node as it is entered, and once more as it is left."""
    path: list[LexborNode] = []
    node: LexborNode | None = top
    while node is not None:
        inside = node.is_element_node and goes_into(node)
        if node.is_text_node or inside or node.tag == "table":
            yield node, True
        child = node.child if inside else None
        if child is not None:
            path.append(node)
            node = child
            continue
        if inside:
            yield node, False
        while node is not None and node.next is None:
            node = path.pop() if path else None
            if node is not None:
                yield node, False
        node = node.next if node is not None and path else None


def _shown(node: LexborNode) -> bool:
    if node.tag in _SKIPPED:
        return False
    attributes = node.attributes
    return "hidden" not in attributes and not _HIDDEN.search(attributes.get("style") or "")


def _is_data(table: LexborNode) -> bool:
    """Whether a table holds rows of short cells, rather than the layout of a page."""
    cells = 0
    for node, entering in _steps(table, _any):
        if node.tag in _LAYOUT and entering and node.mem_id != table.mem_id:
            return False
        cells += entering and node.tag in ("td", "th")
    return cells > 1 and _shown(table)


def _any(node: LexborNode) -> bool:
    return True


def _words_in(node: LexborNode) -> str:
    """All words of a cell on one line."""
    words = []
    for each, entering in _steps(node, _shown):
        if each.is_text_node:
            words.append(each.text_content or "" if entering else "")
        elif str(each.tag) in _BLOCKS or each.tag == "br":
            words.append(" ")
    return _SPACE.sub(" ", storable("".join(words))).strip(" ")


def _children(node: LexborNode) -> Iterator[LexborNode]:
    child = node.child
    while child is not None:
        yield child
        child = child.next


def _tidy(words: str) -> str:
    lines = (re.sub(" {2,}", " ", line).strip(" ") for line in words.split("\n"))
    return re.sub("\n{2,}", "\n", "\n".join(lines)).strip("\n")


def _start(node: LexborNode) -> int:
    found = node.attributes.get("start") or "1"
    return int(found) if re.fullmatch(r"[1-9][0-9]{0,5}", found) else 1
