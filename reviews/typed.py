"""What a person had typed, kept when a form cannot go on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Typed:
    """A field that a person had filled in."""

    name: str
    label: str
    text: str


def typed_in(data: Mapping[str, Any], fields: Sequence[tuple[str, str]]) -> list[Typed]:
    return [Typed(name, label, data.get(name, "")) for name, label in fields if data.get(name, "").strip()]
