"""Checks of arguments by what they mean. Each returns the value or raises ValueRefused with the field and limit."""

import unicodedata
from collections.abc import Sequence
from enum import StrEnum
from typing import TypeVar

from reaffirm.store.errors import ValueRefused
from reaffirm.store.values import INT64, text_problem

NAME_CHARACTERS, NAME_BYTES = 200, 1_000
KEY_CHARACTERS, KEY_BYTES = 1_000, 4_000
SHORT_TEXT = 4_000  # goal, conclusion, explanation, reason
RATIONALE = 8_000
PAYLOAD = 1_000_000
DOCUMENT = 20_000_000
LIST_ITEMS = 20
SHOWN = 200

Choice = TypeVar("Choice", bound=StrEnum)


def name(field: str, value: object) -> str:
    """A name or key: project, task, choice, step, agent."""
    return _key(field, value, NAME_CHARACTERS, NAME_BYTES)


def document_key(field: str, value: object) -> str:
    """A document's key: a path or an address."""
    return _key(field, value, KEY_CHARACTERS, KEY_BYTES)


def _key(field: str, value: object, characters: int, size: int) -> str:
    text = _text(field, value)
    if not text:
        raise ValueRefused(field, f"is empty; give 1 to {characters} characters")
    if len(text) > characters:
        raise ValueRefused(field, f"has {len(text)} characters; the limit is {characters}")
    if len(text.encode()) > size:
        raise ValueRefused(field, f"has {len(text.encode())} bytes in UTF-8; the limit is {size}")
    if text != text.strip():
        raise ValueRefused(field, "begins or ends with a blank; remove it")
    if any(unicodedata.category(character) == "Cc" for character in text):
        raise ValueRefused(field, "holds a control character; remove it")
    return text


def text(field: str, value: object, limit: int, *, required: bool = True) -> str:
    """A text for people: at most ``limit`` characters, not blank where it is required."""
    checked = _text(field, value)
    if len(checked) > limit:
        raise ValueRefused(field, f"has {len(checked)} characters; the limit is {limit}")
    if required and blank(checked):
        raise ValueRefused(field, f"is empty; write 1 to {limit} characters")
    return checked


def blank(words: str) -> bool:
    """Whether a text shows nothing: blanks and characters without a shape."""
    return all(unicodedata.category(character)[0] in "ZC" for character in words)


def optional_text(field: str, value: object, limit: int) -> str | None:
    return None if value is None else text(field, value, limit, required=False)


def texts(field: str, values: object) -> list[str]:
    """A list of short texts, such as assumptions."""
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise ValueRefused(field, "is not a list of texts")
    if len(values) > LIST_ITEMS:
        raise ValueRefused(field, f"has {len(values)} entries; the limit is {LIST_ITEMS}")
    return [text(f"{field}[{index}]", value, SHORT_TEXT) for index, value in enumerate(values)]


def whole(field: str, value: object, low: int, high: int = INT64 - 1) -> int:
    """A whole number within bounds."""
    if type(value) is not int:
        raise ValueRefused(field, f"is not a whole number; give {low} to {high}")
    if not low <= value <= high:
        raise ValueRefused(field, f"is {value if abs(value) < INT64 else 'too large'}; give {low} to {high}")
    return value


def choice(field: str, value: object, kind: type[Choice]) -> Choice:
    """One of the words of an enumeration."""
    try:
        return kind(value)  # type: ignore[arg-type]
    except (ValueError, TypeError):
        raise ValueRefused(field, f"is not one of {', '.join(kind)}") from None


def request_id(value: object) -> str | None:
    """A request id as given: 1 to 64 characters. None stands for one that the library makes."""
    if value is None:
        return None
    checked = _text("request_id", value)
    if not 1 <= len(checked) <= 64:
        raise ValueRefused("request_id", f"has {len(checked)} characters; give 1 to 64")
    return _key("request_id", checked, 64, 256)


def shown(value: object) -> str:
    """What a read was asked for, as its answer gives it back: at most 200 characters, whatever it is."""
    try:
        return str(value)[:SHOWN]
    except Exception:  # noqa: BLE001 - an object may refuse to be a text, and so does a number of thousands of digits
        return f"a value of the type {type(value).__name__}"


def _text(field: str, value: object) -> str:
    if not isinstance(value, str):
        raise ValueRefused(field, f"has the type {type(value).__name__}; give text")
    problem = text_problem(value)
    if problem:
        raise ValueRefused(field, problem)
    return str.__str__(value)
