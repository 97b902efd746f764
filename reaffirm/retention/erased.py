"""Erased stays erased: keyed digests of erased texts, by which a write that would bring one back is refused.

A digest is an HMAC of the text's SHA-256 under a key, so that whoever reads the graph's other records cannot try
guesses. The key is given for a store (``use_erasure_key``), or made at random on the first erasure and kept in the
graph. Short texts are not remembered: they are too common to be refused, and guessed too easily.
"""

import contextlib
import hashlib
import hmac
import secrets
import threading
from collections.abc import Iterable, Mapping
from typing import Any
from weakref import WeakKeyDictionary

from reaffirm.store import GraphStore, UniqueViolation, ValueRefused

REMEMBERED = 20  # code points; a shorter text is not remembered
KEY_BYTES = 32
KEY_ID = "erasure-key"

READ_KEY = """MATCH (k:ErasureKey) WHERE k.id = $key_id
RETURN k{.*} AS key"""

MAKE_KEY = """WITH 1 AS one
OPTIONAL MATCH (k:ErasureKey) WHERE k.id = $key_id
WITH one, count(k) AS known WHERE known = 0
CREATE (k:ErasureKey) SET k = $key
RETURN k.id AS id"""

IS_ERASED = """WITH 1 AS one
OPTIONAL MATCH (k:ErasureKey) WHERE k.id = $key_id
WITH CASE WHEN k IS NULL THEN null ELSE k{.*} END AS key
OPTIONAL MATCH (x:ErasedText) WHERE x.id IN $erased_ids
RETURN key, count(x) > 0 AS erased"""

_given: "WeakKeyDictionary[GraphStore, bytes]" = WeakKeyDictionary()
_learned: "WeakKeyDictionary[GraphStore, bytes]" = WeakKeyDictionary()
_lock = threading.Lock()


class KeyMissing(Exception):
    """The graph's erased texts were digested under another key than this program has."""


def use_erasure_key(store: GraphStore, key: bytes | str) -> None:
    """Digest erased texts of this store under a key that the graph does not hold.

    Every program that writes to the graph needs the same key, or it cannot tell an erased text.

    Raises:
        ValueRefused: It has fewer than 32 bytes.
    """
    secret = key.encode() if isinstance(key, str) else bytes(key)
    if len(secret) < KEY_BYTES:
        raise ValueRefused("key", f"has {len(secret)} bytes; give {KEY_BYTES} or more")
    with _lock:
        _given[store] = secret


def known_key(store: GraphStore) -> bytes | None:
    """The key that this program has for a store: the given one, or the graph's as it was last read."""
    with _lock:
        return _given.get(store) or _learned.get(store)


def learn(store: GraphStore, stored: Mapping[str, Any] | None) -> bool:
    """Take the graph's key as it was read. True: it is news, so what was looked for under the old one is void."""
    value = (stored or {}).get("value")
    if not value:
        return False
    secret = bytes.fromhex(value)
    with _lock:
        if store in _given or _learned.get(store) == secret:
            return False
        _learned[store] = secret
        return True


def erasing_key(store: GraphStore) -> bytes:
    """The key to digest erased texts under; made where there is none yet.

    Raises:
        KeyMissing: The graph's texts were digested under another one.
    """
    rows = store.read(READ_KEY, key_id=KEY_ID)
    if not rows:
        with _lock:
            given = _given.get(store)
        made = (
            {"id": KEY_ID, "check": _check(given)} if given else {"id": KEY_ID, "value": secrets.token_hex(KEY_BYTES)}
        )
        with contextlib.suppress(UniqueViolation):  # another program made it first
            store.write(MAKE_KEY, key_id=KEY_ID, key=made)
        rows = store.read(READ_KEY, key_id=KEY_ID)
    stored = rows[0]["key"]
    learn(store, stored)
    key = known_key(store)
    right = key and (stored.get("check") == _check(key) if stored.get("check") else stored.get("value") == key.hex())
    if not key or not right:
        raise KeyMissing
    return key


def _check(key: bytes) -> str:
    """Tells two keys apart, and tells nothing of either."""
    return hmac.new(key, b"check", hashlib.sha256).hexdigest()


def of_project(key: bytes, project_id: str, text_sha256: str) -> str:
    """The id under which a redacted text is remembered: no task of the project may record it again."""
    return _digest(key, f"project:{project_id}:{text_sha256}")


def of_task(key: bytes, task_id: str, text_sha256: str) -> str:
    """The id under which a text of a deleted task is remembered: a task of that name may not record it again."""
    return _digest(key, f"task:{task_id}:{text_sha256}")


def _digest(key: bytes, words: str) -> str:
    return hmac.new(key, words.encode(), hashlib.sha256).hexdigest()


def marks(store: GraphStore, project_id: str, task_id: str, text: str, text_sha256: str) -> list[str]:
    """The ids under which a text that is to be recorded would be known as erased, as far as a key is known."""
    key = known_key(store)
    if key is None or len(text) < REMEMBERED:
        return []
    return [of_project(key, project_id, text_sha256), of_task(key, task_id, text_sha256)]


def is_erased(store: GraphStore, project_id: str, text: str, text_sha256: str) -> bool:
    """Whether a text was redacted in a project: one read, and another the first time that the graph has a key."""
    if len(text) < REMEMBERED:
        return False
    for _ in range(2):
        key = known_key(store)
        wanted = [of_project(key, project_id, text_sha256)] if key else []
        row = store.read(IS_ERASED, key_id=KEY_ID, erased_ids=wanted)[0]
        if not learn(store, row["key"]):
            return bool(row["erased"])
    return False  # another key each time: the graph was replaced meanwhile


def texts(ids: Iterable[str], *, erasure_id: str, project_id: str) -> list[dict[str, str]]:
    """The nodes that remember erased texts."""
    return [{"id": each, "erasure_id": erasure_id, "project_id": project_id} for each in sorted(set(ids))]
