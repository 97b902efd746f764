"""Paragraphs and words of a text, and how those of two versions correspond.

Everything here is near linear: common ends are taken off first, then paragraphs that stand once in each version are
matched in order (patience), and only what is left between them goes through a longest common subsequence, in
bit-parallel form and with a bound on its size.
"""

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from rapidfuzz.distance import LCSseq

LONG_BLOCK_LINES = 40
LONG_BLOCK_CHARS = 6_000
LCS_CELLS = 200_000_000  # bits of one matrix: 25 MB

Span = tuple[int, int]
Pair = tuple[int, int]

_ITEM = re.compile(r"\s*(?:[-*+•‣–]|\(?(?:\d{1,3}|[a-zA-Z])[.)]|\|)\s|\s*#{1,6}\s")


def _marks() -> str:
    """The combining marks as the inside of a character class."""
    codes = [c for c in range(0x300, 0x1E900) if unicodedata.category(chr(c))[0] == "M"]
    ranges: list[list[int]] = []
    for code in codes:
        if ranges and code == ranges[-1][1] + 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)


# Scripts written without blanks: each character is a word, and no edge of a quote counts as inside a word.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_MARK = _marks()
_LETTER = rf"(?:[^\W{UNSPACED}][{_MARK}]*)"
_EMOJI = rf"[{_MARK}\U0001f3fb-\U0001f3ff]|\u200d[^\s\w]"
WORD = rf"{_LETTER}+(?:(?:['’]|(?<=\d)[.,](?=\d)){_LETTER}+)*|[{UNSPACED}][{_MARK}]*"
SIGN = rf"[\U0001f1e6-\U0001f1ff]{{2}}|[^\w\s](?:{_EMOJI})*"
TOKEN = re.compile(f"{WORD}|{SIGN}")
# The same for ASCII text, several times as fast.
_ASCII_TOKEN = re.compile(r"\w+(?:(?:'|(?<=\d)[.,](?=\d))\w+)*|[^\w\s]", re.ASCII)


def paragraphs(text: str) -> list[Span]:
    """The blocks between blank lines, without the line end behind them.

    The lines of a list, a table, a very long block, or a block whose lines end well before they are full, stand alone.
    """
    spans: list[Span] = []
    for block in _blocks(text):
        spans += _units(text, block)
    return spans


def _blocks(text: str) -> Iterator[list[Span]]:
    block: list[Span] = []
    start = 0
    for line in text.splitlines(keepends=True):
        words = line.rstrip()
        if words:
            block.append((start, start + len(line.rstrip("\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029"))))
        elif block:
            yield block
            block = []
        start += len(line)
    if block:
        yield block


def _units(text: str, block: list[Span]) -> Iterable[Span]:
    if len(block) == 1:
        return block
    if len(block) > LONG_BLOCK_LINES or block[-1][1] - block[0][0] > LONG_BLOCK_CHARS or _hard_lines(text, block):
        return block
    starts = [n for n, (start, end) in enumerate(block) if n == 0 or _ITEM.match(text, start, end)]
    if len(starts) > 1 and text[block[0][0] : block[0][1]].lstrip().startswith("#") and starts[1] > 1:
        starts.insert(1, 1)  # a heading takes no line of the text under it
    ends = [*starts[1:], len(block)]
    return [(block[first][0], block[last - 1][1]) for first, last in zip(starts, ends, strict=True)]


def _hard_lines(text: str, block: list[Span]) -> bool:
    """Lines that end although the next word would have fitted were not wrapped: each is a paragraph of its own."""
    if len(block) < 4:
        return False
    width = max(end - start for start, end in block)
    fits = 0
    for (start, end), (after, after_end) in pairwise(block):
        word = text[after:after_end].split(None, 1)[0]
        fits += end - start + 1 + len(word) <= width
    return fits > 0.6 * (len(block) - 1)


def forced_pairs(old: Sequence[str], new: Sequence[str]) -> list[Pair]:
    """Pairs of equal paragraphs that leave no choice: common ends, and those that stand once in each and keep order.

    Of two paragraphs that changed places neither is paired, and neither are repeats that could belong to either end.
    """
    first, last = _common_ends(old, new)
    pairs = [(n, n) for n in range(first)]
    middle_old, middle_new = old[first : len(old) - last], new[first : len(new) - last]
    pairs += [(i + first, j + first) for i, j in _unique_in_order(middle_old, middle_new)]
    pairs += [(len(old) - n, len(new) - n) for n in range(last, 0, -1)]
    return pairs


def _common_ends(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    shorter = min(len(old), len(new))
    first = next((n for n in range(shorter) if old[n] != new[n]), shorter)
    if first == len(old) == len(new):
        return first, 0
    last = next((n for n in range(shorter) if old[-1 - n] != new[-1 - n]), shorter)
    if first + last > shorter:  # what both ends lay claim to belongs to neither
        return shorter - last, shorter - first
    return first, last


def _unique_in_order(old: Sequence[str], new: Sequence[str]) -> list[Pair]:
    in_old, in_new = Counter(old), Counter(new)
    at = {key: n for n, key in enumerate(new) if in_new[key] == 1}
    pairs = [(n, at[key]) for n, key in enumerate(old) if in_old[key] == 1 and key in at]
    targets = [j for _, j in pairs]
    before = _lengths(targets)
    after = _lengths([-j for j in reversed(targets)])[::-1]
    best = max(before, default=0)
    on_a_best = [n for n in range(len(pairs)) if before[n] + after[n] - 1 == best]
    rivals = Counter(before[n] for n in on_a_best)
    return [pairs[n] for n in on_a_best if rivals[before[n]] == 1]


def _lengths(values: Sequence[int]) -> list[int]:
    """For each value, the length of the longest increasing subsequence that ends with it."""
    tails: list[int] = []
    lengths = []
    for value in values:
        at = bisect_left(tails, value)
        tails[at : at + 1] = [value]
        lengths.append(at + 1)
    return lengths


def best_pairs(old: Sequence[str], new: Sequence[str]) -> list[Pair]:
    """A longest ordered pairing of equal items: the forced pairs, and between them a common subsequence."""
    pairs: list[Pair] = []
    done_old = done_new = 0
    for i, j in [*forced_pairs(old, new), (len(old), len(new))]:
        gap = lcs_pairs(old[done_old:i], new[done_new:j])
        pairs += [(a + done_old, b + done_new) for a, b in gap]
        if i < len(old):
            pairs.append((i, j))
        done_old, done_new = i + 1, j + 1
    return pairs


def lcs_pairs(old: Sequence[str], new: Sequence[str]) -> list[Pair]:
    """A longest common subsequence as pairs of positions; only the common ends when the two are too long for that."""
    if not old or not new:
        return []
    first = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    rest = min(len(old), len(new)) - first
    last = next((n for n in range(rest) if old[-1 - n] != new[-1 - n]), rest)
    pairs = [(n, n) for n in range(first)]
    middle_old, middle_new = old[first : len(old) - last], new[first : len(new) - last]
    if 0 < len(middle_old) * len(middle_new) <= LCS_CELLS:
        a, b = numbered(middle_old, middle_new)
        for op in LCSseq.opcodes(a, b):
            if op.tag == "equal":
                size = op.src_end - op.src_start
                pairs += [(first + op.src_start + n, first + op.dest_start + n) for n in range(size)]
    pairs += [(len(old) - n, len(new) - n) for n in range(last, 0, -1)]
    return pairs


def lcs_length(old: Sequence[str], new: Sequence[str]) -> int:
    """The length of a longest common subsequence."""
    first = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    rest = min(len(old), len(new)) - first
    last = next((n for n in range(rest) if old[-1 - n] != new[-1 - n]), rest)
    a, b = numbered(old[first : len(old) - last], new[first : len(new) - last])
    return first + last + (int(LCSseq.similarity(a, b)) if a and b else 0)


def numbered(old: Sequence[str], new: Sequence[str]) -> tuple[list[int], list[int]]:
    """The same two sequences as small numbers, which no hash can confuse."""
    numbers: dict[str, int] = {}
    first = [numbers.setdefault(item, len(numbers)) for item in old]
    return first, [numbers.setdefault(item, len(numbers)) for item in new]


def token_spans(text: str, start: int, end: int) -> list[Span]:
    """The ranges of the words, numbers and signs between two offsets."""
    pattern = _ASCII_TOKEN if text.isascii() else TOKEN
    return [match.span() for match in pattern.finditer(text, start, end)]


def words(text: str) -> list[str]:
    """The words, numbers and signs, case folded, blanks left out."""
    return (_ASCII_TOKEN if text.isascii() else TOKEN).findall(text.casefold())
