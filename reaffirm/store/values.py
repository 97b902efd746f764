"""The one check that every parameter passes before it reaches a store.

FalkorDB's client writes parameters into the query header with ``str()``, clamps integers and fails on NUL, NaN and lone
surrogates; Neo4j's driver packs some of these and refuses others. Both get only what both keep unaltered.
"""

import enum
import math
import re
from collections.abc import Mapping

from .errors import ValueRefused

Value = None | bool | int | float | str | list["Value"] | dict[str, "Value"]

MAX_DEPTH = 20
INT64 = 2**63

# Properties that carry a unique key on some label, so that FalkorDB indexes them.
UNIQUE = frozenset({"id", "project_id", "task_id", "request_id", "choice_key", "merge_key"})
UNIQUE_BYTES = 4_096
_CONTROL = re.compile(r"[\x00-\x1f]")


def text_problem(value: str) -> str | None:
    """Say what is wrong with a text that no store may get, or None."""
    if "\0" in value:
        return "holds a NUL character (U+0000); remove it"
    if value.isascii():
        return None
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return "holds half of a surrogate pair, so it is not valid Unicode; send the whole character"
    return None


def safe(value: object, field: str, depth: int = 0) -> Value:
    """Return the value as plain data, or raise ValueRefused naming the field and the limit.

    Exact types only: a subclass may override ``__str__``, and that text would become part of a query.
    """
    if depth > MAX_DEPTH:
        raise ValueRefused(field, f"is nested more than {MAX_DEPTH} levels deep")
    if value is None or value is True or value is False:
        return value
    kind = type(value)
    if kind is str:
        return _text(value, field)  # type: ignore[arg-type]
    if isinstance(value, enum.Enum):
        return safe(value.value, field, depth)
    if kind is int:
        return _integer(value, field)  # type: ignore[arg-type]
    if kind is float:
        return _finite(value, field)  # type: ignore[arg-type]
    if isinstance(value, str):
        return _text(value, field)
    if isinstance(value, (list, tuple)):
        return [safe(item, f"{field}[{index}]", depth + 1) for index, item in enumerate(value)]
    if isinstance(value, Mapping):
        return {_key(key, field): _property(key, item, field, depth) for key, item in value.items()}
    raise ValueRefused(
        field, f"has the type {kind.__name__}; send text, a whole number, a finite number, a list or a map"
    )


def _property(name: str, value: object, field: str, depth: int) -> Value:
    """A property of a record. FalkorDB crashes on a text under a unique key that is blank, ends blank, or is long."""
    checked = safe(value, f"{field}.{name}", depth + 1)
    if name in UNIQUE and isinstance(checked, str):
        if not checked or checked != checked.strip() or _CONTROL.search(checked):
            raise ValueRefused(f"{field}.{name}", "is empty, has a blank at an end or holds a control character")
        if len(checked.encode()) > UNIQUE_BYTES:
            raise ValueRefused(f"{field}.{name}", f"has more than {UNIQUE_BYTES} bytes in UTF-8")
    return checked


def _integer(value: int, field: str) -> int:
    if not -INT64 <= value < INT64:
        raise ValueRefused(field, "is outside the range of 64-bit integers")
    return value


def _finite(value: float, field: str) -> float:
    if not math.isfinite(value):
        raise ValueRefused(field, "is not a finite number")
    if float(f"{value:.15g}") != value:
        raise ValueRefused(field, "has more than 15 significant digits, which FalkorDB would round; round it")
    return value


def _text(value: str, field: str) -> str:
    plain = str.__str__(value)
    problem = text_problem(plain)
    if problem:
        raise ValueRefused(field, problem)
    return plain


def _key(key: object, field: str) -> str:
    if type(key) is not str or not key.isidentifier() or not key.isascii():
        raise ValueRefused(field, "has a key that is not a plain identifier")
    return key


def safe_params(params: Mapping[str, object]) -> dict[str, Value]:
    """Check all parameters of one statement."""
    return {_key(name, "parameter"): safe(value, name) for name, value in params.items()}
