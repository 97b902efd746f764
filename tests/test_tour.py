"""The tour of docs/library.md: its examples run in their order, and what they say comes out."""

import ast
import re
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[1] / "docs" / "library.md"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHOWN = re.compile(r"  # → (.+)$")  # behind an expression: what it prints
URL = "embedded:var/graph"


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
    names["store"].close()
    assert URL in page
    assert shown > 5
