"""The plan of every statement of the library, on both stores: each starts at an index, none scans."""

import importlib
import pkgutil
import re
from collections.abc import Iterator

import pytest

import reaffirm
from reaffirm.store import GraphStore

STATEMENT = re.compile(r"^\s*(WITH|MATCH|OPTIONAL MATCH|UNWIND|CREATE|MERGE)\b")
SCANS = re.compile(r"AllNodesScan|All Node Scan|ByLabelScan|By Label Scan|AllRelationshipsScan|RelationshipTypeScan")
PARAMETER = re.compile(r"\$(\w+)(\.\w+)?")
NUMBERS = {
    "limit", "groups", "sides", "parents", "children", "found", "from", "to", "seq", "base", "ms", "now_ms", "most",
    "after_seq", "seen_seq", "revisions", "after_ordinal", "window", "sign", "after", "until", "low", "high", "last",
    "enough", "marked_ms", "cap", "since", "unsized", "before",
}  # fmt: skip
LISTS = re.compile(
    r"(ids|docs|supports|pairs|rows|names|states|hashes|chunks|versions|keys|events|unfinished|words|kinds|authors|numbers)$"
)
MAPS = {"claim", "decision", "event", "facts", "version", "cleared", "request", "task", "step", "changes", "values"}


def example(name: str, of_map: bool) -> object:
    """A value of the kind that a parameter has. FalkorDB plans on values, and finds nothing by a null."""
    if of_map or name in MAPS:
        return {"id": "x", "task_id": "x", "choice_key": "x", "revision": 1}
    if name in NUMBERS:
        return 1
    return ["x"] if LISTS.search(name) else "x"


def statements() -> Iterator[tuple[str, str]]:
    """Every constant of the library that is a statement, or a part of one."""
    for module in pkgutil.walk_packages(reaffirm.__path__, "reaffirm."):
        if module.name.startswith("reaffirm.store"):
            continue  # definitions and repairs
        for name, value in vars(importlib.import_module(module.name)).items():
            if isinstance(value, str) and name.isupper() and STATEMENT.match(value) and "RETURN" in value:
                yield f"{module.name}.{name}", value


def whole() -> dict[str, str]:
    """Without the parts that are in others."""
    found = dict(statements())
    return {
        name: text
        for name, text in found.items()
        if not name.endswith(".TAIL")  # goes on from a search
        and not any(text != other and text.strip() in other for other in found.values())
    }


def test_no_statement_scans(store: GraphStore) -> None:
    texts = whole()
    assert len(texts) > 20
    wrong = {}
    for name, text in texts.items():
        params = {key: example(key, bool(entry)) for key, entry in PARAMETER.findall(text)}
        try:
            plan = store.explain(text, **params)
        except Exception as error:  # noqa: BLE001 - a text that does not compile is named with the others
            plan = f"ByLabelScan unknown: {error}"
        if SCANS.search(plan):
            wrong[name] = plan
    assert not wrong, "\n\n".join(f"{name}:\n{plan}" for name, plan in wrong.items())


@pytest.mark.parametrize(
    "text", ["MATCH (n) RETURN n.id AS id", "MATCH (d:Decision) WHERE d.rationale = 'x' RETURN d.id AS id"]
)
def test_a_scan_would_be_seen(store: GraphStore, text: str) -> None:
    assert SCANS.search(store.explain(text))
