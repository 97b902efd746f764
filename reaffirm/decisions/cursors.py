"""Places in lists: cursors, and how many rows a page has. A reader that passes nonsense gets the first page."""

import base64
import binascii
import json
from typing import Any

from reaffirm import ids
from reaffirm.store.values import text_problem

MAX_LENGTH = 400
MAX_TEXT_LENGTH = 2_000


def encode(place: Any, decision_id: str) -> str:
    """The cursor of a place in the order of a list: what it is sorted by, then the id."""
    return base64.urlsafe_b64encode(json.dumps([place, decision_id]).encode()).decode().rstrip("=")


def decode(cursor: object) -> tuple[Any, str] | None:
    """What a cursor of ours holds, or None; the first part is still to be checked."""
    if not isinstance(cursor, str) or not 0 < len(cursor) <= MAX_LENGTH:
        return None
    try:
        value = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, binascii.Error, RecursionError):
        return None
    if isinstance(value, list) and len(value) == 2 and isinstance(value[1], str) and ids.is_uuid(value[1]):
        return value[0], value[1]
    return None


def encode_text(place: str) -> str:
    """The cursor of a list that is sorted by a unique text alone, such as a choice key."""
    return base64.urlsafe_b64encode(place.encode()).decode().rstrip("=")


def decode_text(cursor: object) -> str | None:
    """The text that a cursor of ours holds, or None."""
    if not isinstance(cursor, str) or not 0 < len(cursor) <= MAX_TEXT_LENGTH:
        return None
    try:
        text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
    except (ValueError, binascii.Error):
        return None
    return None if text_problem(text) else text


def bounded(value: object, low: int, high: int, otherwise: int) -> int:
    """A whole number moved into its bounds; what is none becomes ``otherwise``."""
    return max(low, min(value, high)) if type(value) is int else otherwise
