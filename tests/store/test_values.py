"""The one check of every value before it reaches a store: what a store would crash on, alter or refuse."""

import enum
import math
import uuid
from collections import OrderedDict
from datetime import UTC, datetime
from typing import Any

import pytest

from reaffirm.store import GraphStore, ValueRefused
from reaffirm.store.labels import labelled

ECHO = "RETURN $value AS value"
KEEP = "CREATE (n:Kept) SET n = $properties RETURN n{.*} AS kept"


class Colour(enum.StrEnum):
    RED = "red"


class Attack(str):
    """A text whose str() is something else."""

    def __str__(self) -> str:
        return "1 MATCH (n) DETACH DELETE n //"


class Object:
    def __str__(self) -> str:
        return "1 MATCH (n) DETACH DELETE n //"


TOO_DEEP: list[Any] = []
for _ in range(25):
    TOO_DEEP = [TOO_DEEP]
CIRCLE: list[Any] = []
CIRCLE.append(CIRCLE)

REFUSED = {
    "NUL": ("a\0b", "NUL"),
    "only NUL": ("\0", "NUL"),
    "half a surrogate pair": ("\ud83d", "surrogate"),
    "NaN": (math.nan, "finite"),
    "infinity": (-math.inf, "finite"),
    "1e999": (float("1e999"), "finite"),
    "2**63": (2**63, "64-bit"),
    "-2**63-1": (-(2**63) - 1, "64-bit"),
    "5,000 digits": (10**4_999, "64-bit"),
    "0.1+0.2": (0.1 + 0.2, "15 significant digits"),
    "bytes": (b"abc", "bytes"),
    "UUID": (uuid.uuid4(), "UUID"),
    "datetime": (datetime.now(UTC), "datetime"),
    "object": (Object(), "Object"),
    "set": ({1}, "set"),
    "class": (int, "type"),
    "too deep": (TOO_DEEP, "levels"),
    "circle": (CIRCLE, "levels"),
}


WRAPPED = [lambda x: x, lambda x: [1, x], lambda x: {"a": {"b": x}}]


def test_what_a_store_would_crash_on_or_alter_is_refused(store: GraphStore) -> None:
    """Cases 31, 32 and 58."""
    for name, (value, why) in REFUSED.items():
        for wrap in WRAPPED:
            for call in (store.read, store.write):
                with pytest.raises(ValueRefused) as caught:
                    call(ECHO, value=wrap(value))
                assert caught.value.field.startswith("value"), name
                assert why in caught.value.detail, name


KEYS: list[Any] = ["x`}) DETACH DELETE n //", "a) OR true OR (n.b", "a\nb", "", "a b", "ä", 1, None, "a.b", "a\0"]


def test_a_key_that_is_no_plain_name_is_refused(store: GraphStore) -> None:
    """Case 34: keys are part of FalkorDB's query header."""
    for key in KEYS:
        with pytest.raises(ValueRefused):
            store.write(KEEP, properties={key: 1})
    assert store.read("MATCH (n) RETURN count(n) AS found") == [{"found": 0}]


CRASHING = ["", " ", " x", "x ", "\x01", "x\n", "a" * 4_097, "ä" * 2_049]


def test_a_text_under_a_unique_key_that_crashes_falkordb_is_refused(falkordb_store: GraphStore) -> None:
    for field in ("id", "project_id", "task_id", "request_id", "choice_key"):
        for value in CRASHING:
            with pytest.raises(ValueRefused) as caught:
                falkordb_store.write(KEEP, properties={field: value})
            assert caught.value.field == f"properties.{field}"
    assert falkordb_store.write(KEEP, properties={"id": "a" * 4_096})


KEPT: dict[str, Any] = {
    "quotes": "\"'`\\ \\u0041 \\n // /* */ $value {a: 1}",
    "control": "\x01\x02\t\r\n\x0b\x1f\x7f\u2028\u2029",
    "unicode": "Grüße 🚀 e\u0301 \u202eabc \ufeff 中文",
    "injection": "x' MATCH (n) DETACH DELETE n //",
    "empty": "",
    "long": "a" * 300_000,
    "largest": 2**63 - 1,
    "smallest": -(2**63),
    "fraction": 0.125,
    "tenth": 0.1,
    "true": True,
    "false": False,
    "list": ["a", "", "ä"],
    "numbers": [1, -2, 3],
}


def test_what_passes_comes_back_as_it_was(store: GraphStore) -> None:
    for name, value in KEPT.items():
        assert store.read(ECHO, value=value) == [{"value": value}], name
        assert store.write(KEEP, properties={"value": value, "name": name}) == [
            {"kept": {"value": value, "name": name}}
        ]
        found = store.read("MATCH (n:Kept {name: $name}) RETURN n.value AS value", name=name)
        assert found == [{"value": value}], name
        assert type(found[0]["value"]) is type(value)


def test_a_text_in_disguise_is_the_text(store: GraphStore) -> None:
    store.write("CREATE (n:Victim) RETURN 1 AS one")
    assert store.read(ECHO, value=Attack("harmless")) == [{"value": "harmless"}]
    assert store.read(ECHO, value=Colour.RED) == [{"value": "red"}]
    assert store.read(ECHO, value=("a", "b")) == [{"value": ["a", "b"]}]
    found = store.read(ECHO, value=OrderedDict(a=OrderedDict(b=1)))
    assert found == [{"value": {"a": {"b": 1}}}]
    assert type(found[0]["value"]) is dict
    assert store.read("MATCH (n:Victim) RETURN count(n) AS found") == [{"found": 1}]


def test_a_value_that_a_node_cannot_hold_writes_nothing(store: GraphStore) -> None:
    from reaffirm.store import StatementRefused

    for value in ({"a": 1}, [{"a": 1}], [1, None]):
        with pytest.raises(StatementRefused):
            store.write("CREATE (m:Before) CREATE (n:Kept) SET n.value = $value RETURN 1 AS one", value=value)
    assert store.read("MATCH (n) RETURN count(n) AS found") == [{"found": 0}]


@pytest.mark.parametrize("label", ["", "a b", "A`) //", "1a", "_Node", "é", "x" * 61, None, 5])
def test_only_a_plain_identifier_becomes_a_label(label: Any) -> None:
    with pytest.raises(ValueError, match="plain identifier"):
        labelled("SET e:`LABEL`", label)
    assert labelled("SET e:`LABEL`", "Person") == "SET e:`Person`"
