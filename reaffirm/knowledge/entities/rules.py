"""An extractor of rules: what policies are full of, found by patterns. No model; each pattern takes linear time."""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from reaffirm.knowledge.entities.extraction import ExtractedEntity, Extraction
from reaffirm.store.errors import ValueRefused

VERSION = "rules 1"  # changes with the patterns, so that documents can be read anew
MOST_TERMS = 10_000

_NUMBER = r"\d{1,3}(?:,\d{3}){1,5}(?:\.\d{1,9})?|\d{1,15}(?:\.\d{1,9})?"
_SYMBOLS = {"$": "USD", "US$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY"}
_CODES = ("USD", "EUR", "GBP", "CHF", "JPY", "CAD", "AUD", "SEK", "NOK", "DKK", "PLN", "INR", "CNY")
_WORDS = {"euro": "EUR", "euros": "EUR", "dollar": "USD", "dollars": "USD", "pounds": "GBP"}
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "k": 10**3, "m": 10**6, "bn": 10**9}
_SCALE = r"(?:\s?(?P<scale>thousand|million|billion|bn|k|m)\b)?"
_MONTHS = (
    "january february march april may june july august september october november december".split()
)  # fmt: skip
_MONTH = "|".join(name.capitalize() for name in _MONTHS)
_COUNTS = dict(
    zip("one two three four five six seven eight nine ten eleven twelve".split(), range(1, 13), strict=True)
) | {"fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80}
_COUNTS |= {"ninety": 90, "hundred": 100}
_UNITS = {"second": "PT{}S", "minute": "PT{}M", "hour": "PT{}H", "day": "P{}D", "week": "P{}W", "month": "P{}M"}
_UNITS |= {"year": "P{}Y"}
_PLACE = r"(?:\d{1,4}(?:\.\d{1,4}){0,6}(?:\([0-9a-z]{1,4}\)){0,4}|[IVXLC]{1,7}|[A-Z])"

_Found = tuple[int, int, str, dict[str, Any]]


@dataclass(frozen=True)
class _Rule:
    """A pattern, the label of what it matches, and what a match tells; None where it is none after all."""

    label: str
    pattern: re.Pattern[str]
    told: Callable[[re.Match[str]], dict[str, Any] | None] = lambda match: {}


def _plain(number: str) -> float | int:
    value = float(number.replace(",", ""))
    return int(value) if value.is_integer() else value


def _money(match: re.Match[str]) -> dict[str, Any]:
    groups = match.groupdict()
    said = groups.get("symbol") or groups.get("code") or groups["unit"]
    currency = _SYMBOLS.get(said) or _WORDS.get(said.lower()) or said
    amount = _plain(groups.get("before") or groups["after"]) * _SCALES.get((groups["scale"] or "").lower(), 1)
    return {"amount": round(amount, 2), "currency": currency}


def _date(match: re.Match[str]) -> dict[str, Any] | None:
    groups = match.groupdict()
    year = int(groups.get("y1") or groups.get("y2") or groups.get("y3") or 0)
    name = groups.get("n2") or groups.get("n3")
    month = _MONTHS.index(name.lower()) + 1 if name else int(groups.get("m1") or 0)
    day = groups.get("d1") or groups.get("d2") or groups.get("d3")
    try:
        whole = date(year, month, int(day or 1)).isoformat()
    except ValueError:
        return None
    return {"value": whole if day else whole[:7]}


def _duration(match: re.Match[str]) -> dict[str, Any]:
    count = match["count"].lower()
    number = _COUNTS[count] if count in _COUNTS else _plain(count)
    return {"value": _UNITS[match["unit"].lower().removesuffix("s")].format(number)}


# In the order in which one of two at the same place wins where they are of one length.
_RULES = (
    _Rule("Email", re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}(?!\w)")),
    _Rule("WebAddress", re.compile(r"\bhttps?://[^\s<>\"'`|]{1,1000}(?<![.,;:!?)\]}])")),
    _Rule(
        "Money",
        re.compile(
            rf"(?:(?<!\w)(?P<symbol>US\$|[$€£¥])\s?|\b(?P<code>{'|'.join(_CODES)})\s)(?P<before>{_NUMBER})(?!\d){_SCALE}"
        ),
        _money,
    ),
    _Rule(
        "Money",
        re.compile(
            rf"(?<![\w.,])(?P<after>{_NUMBER}){_SCALE}\s?(?P<unit>€|£|(?:{'|'.join((*_CODES, *_WORDS))})\b)",
        ),
        _money,
    ),
    _Rule(
        "Percentage",
        re.compile(rf"(?<![\w.,])(?P<value>{_NUMBER})\s?(?:%|percent\b|per cent\b)"),
        lambda match: {"value": _plain(match["value"])},
    ),
    _Rule("Date", re.compile(r"(?<![\w-])(?P<y1>\d{4})-(?P<m1>\d\d)-(?P<d1>\d\d)(?![\w-])"), _date),
    _Rule("Date", re.compile(rf"\b(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\s(?P<n2>{_MONTH})\s(?P<y2>\d{{4}})\b"), _date),
    _Rule(
        "Date",
        re.compile(rf"(?<!\d\s)\b(?P<n3>{_MONTH})(?:\s(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?,?)?\s(?P<y3>\d{{4}})(?![\w-])"),
        _date,
    ),
    _Rule(
        "Duration",
        re.compile(
            rf"(?<![\w.,])(?P<count>{_NUMBER}|{'|'.join(_COUNTS)})[\s-](?:(?:calendar|business|working|consecutive)[\s-])?"
            rf"(?P<unit>(?:{'|'.join(_UNITS)})s?)\b",
            re.IGNORECASE,
        ),
        _duration,
    ),
    _Rule("Reference", re.compile(r"\b(?:PEP|RFC|ISO|ISO/IEC|IEC|NIST|BCP|STD)[\s-]?\d{1,6}(?:[-.:]\d{1,5}){0,3}\b")),
    _Rule(
        "Reference",
        re.compile(
            rf"\b(?:Section|Article|Chapter|Clause|Annex|Appendix|Paragraph|Schedule|Sec\.|Art\.)\s{_PLACE}(?![\w])"
        ),
    ),
    _Rule("Reference", re.compile(rf"§{{1,2}}\s?{_PLACE}(?!\w)")),
)


class RuleExtractor:
    """Finds money, percentages, dates, durations, references, addresses, and terms that the caller names.

    ``Money``, ``Percentage``, ``Date``, ``Duration`` (30 days, thirty-day), ``Reference`` (PEP 8, RFC 2119,
    Section 4.2, Article 5(1), § 12), ``Email``, ``WebAddress``. English words. No relations. Of two
    that overlap the one that begins first wins, and of those the longest.

    Args:
        terms: More to find, exactly as written, as whole words: the term and its type, such as
            ``{"data officer": "Role"}``. At most 10,000.

    Raises:
        ValueRefused: terms is no such mapping.
    """

    def __init__(self, terms: Mapping[str, str] | None = None) -> None:
        self._terms = _checked(terms or {})
        self._begins: dict[str, list[tuple[re.Pattern[str], str]]] = {}
        for term in sorted(self._terms, key=lambda each: (-len(each), each)):
            words = term.split()
            whole = r"(?<!\w)" * term[0].isalnum() + r"\s+".join(map(re.escape, words)) + r"(?!\w)"
            begin = _TOKEN.match(words[0])
            assert begin
            self._begins.setdefault(begin[0], []).append((re.compile(whole), self._terms[term]))
        self.labels: Sequence[str] = sorted({rule.label for rule in _RULES} | set(self._terms.values()))
        self.relations: Sequence[tuple[str, str, str]] = ()
        digest = hashlib.sha256(json.dumps(self._terms, sort_keys=True).encode()).hexdigest()
        self.fingerprint = f"{VERSION} {digest}"

    def extract(self, texts: Sequence[str]) -> list[Extraction]:
        """What each text mentions, in the order of the places."""
        return [Extraction([*_apart(self._found(text))]) for text in texts]

    def _found(self, text: str) -> Iterator[_Found]:
        if self._begins:
            for token in _TOKEN.finditer(text):
                for pattern, label in self._begins.get(token[0], ()):
                    match = pattern.match(text, token.start())
                    if match:
                        yield match.start(), match.end(), label, {}
                        break
        for rule in _RULES:
            for match in rule.pattern.finditer(text):
                told = rule.told(match)
                if told is not None:
                    yield match.start(), match.end(), rule.label, told


_TOKEN = re.compile(r"\w+|[^\w\s]")


def _apart(found: Iterable[_Found]) -> Iterator[ExtractedEntity]:
    """Those that do not overlap."""
    taken = 0
    for start, end, label, told in sorted(found, key=lambda each: (each[0], -each[1])):
        if start >= taken:
            yield ExtractedEntity(label, start, end, properties=told)
            taken = end


def _checked(terms: Mapping[str, str]) -> dict[str, str]:
    if not isinstance(terms, Mapping) or len(terms) > MOST_TERMS:
        raise ValueRefused("terms", f"is not a mapping of at most {MOST_TERMS:,} terms to types")
    for term, label in terms.items():
        if not isinstance(term, str) or not 0 < len(term.strip()) <= 200 or not isinstance(label, str):
            raise ValueRefused("terms", "holds what is no term of 1 to 200 characters with the name of a type")
    return {" ".join(term.split()): label for term, label in terms.items()}
