"""The tour of docs/library.md: its examples run in their order, and what they say comes out."""

import ast
import re
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[1] / "docs" / "library.md"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHOWN = re.compile(r"  # → (.+)$")  # behind an expression: what it prints
URL = "embedded:var/graph"
KEYS = """MATCH (n) WITH DISTINCT labels(n) AS labels, keys(n) AS names RETURN labels, names
UNION MATCH ()-[r]->() WITH DISTINCT [type(r)] AS labels, keys(r) AS names RETURN labels, names"""


def test_its_examples_do_what_they_say(store_url: str) -> None:
    page = PAGE.read_text()
    names: dict[str, Any] = {}
    shown = 0
    for block in BLOCK.finditer(page):
        code = "\n" * (page[: block.start()].count("\n") + 1) + block[1].replace(URL, store_url)
        for statement in ast.parse(code).body:
            said = SHOWN.search(code.splitlines()[(statement.end_lineno or 0) - 1])
            if isinstance(statement, ast.Expr):
                value = eval(compile(ast.Expression(statement.value), str(PAGE), "eval"), names)
                shown += said is not None
                assert not said or str(value) == said[1], f"line {statement.lineno}: {value}"
            else:
                exec(compile(ast.Module([statement], []), str(PAGE), "exec"), names)
    undocumented(names["store"])
    names["store"].close()
    assert URL in page
    assert shown > 5


def undocumented(store: Any) -> None:
    """What the examples left in the graph is named in docs/graph.md."""
    page = (PAGE.parent / "graph.md").read_text()
    found = {name for row in store.read(KEYS) for name in [*row["labels"], *row["names"]]}
    assert {"Erasure", "said", "NEXT_CHUNK"} & found
    assert not [name for name in sorted(found) if not re.search(rf"\b{name}\b", page)]
