"""Rules of the project that no other tool checks: who imports whom, the form of Cypher texts, what is documented."""

import ast
import importlib
import pkgutil
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import reaffirm

ROOT = Path(__file__).parents[1]
APPS = ("console", "reviews", "tasks_app")
CYPHER = re.compile(r"\b(MATCH|MERGE|UNWIND|DETACH DELETE)\b|\bCREATE \(")
WRITES = re.compile(r"\b(CREATE|MERGE|SET|DELETE|REMOVE|FOREACH)\b")


def library_modules() -> Iterator[ModuleType]:
    for found in pkgutil.walk_packages(reaffirm.__path__, "reaffirm."):
        yield importlib.import_module(found.name)


def sources(package: str) -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted((ROOT / package).rglob("*.py")):
        yield path.relative_to(ROOT), ast.parse(path.read_text(), str(path))


def imports(path: Path, tree: ast.Module) -> set[str]:
    """Full names of the modules that a file imports, relative ones resolved."""
    package = list(path.with_suffix("").parts)[:-1]
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            names.update([module, *(f"{module}.{alias.name}" for alias in node.names)])
    return names


def inside(name: str, *packages: str) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


# Who imports whom


def test_the_library_imports_no_django() -> None:
    names = [module.__name__ for module in library_modules()]
    code = f"import sys, {', '.join(names)}; sys.exit(', '.join(n for n in sys.modules if n.split('.')[0] == 'django'))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stderr.strip() == ""


def test_the_library_knows_nothing_of_the_console() -> None:
    wrong = [
        f"{path} imports {name}"
        for path, tree in sources("reaffirm")
        for name in imports(path, tree)
        if inside(name, *APPS)
    ]
    assert not wrong


def test_the_store_knows_nothing_of_the_library_above_it() -> None:
    wrong = [
        f"{path} imports {name}"
        for path, tree in sources("reaffirm/store")
        for name in imports(path, tree)
        if inside(name, "reaffirm") and name != "reaffirm" and not inside(name, "reaffirm.store")
    ]
    assert not wrong


def test_drivers_stay_in_the_store() -> None:
    wrong = [
        f"{path} imports {name}"
        for package in ("reaffirm", *APPS)
        for path, tree in sources(package)
        for name in imports(path, tree)
        if inside(name, "neo4j", "falkordb") and path.parts[:2] != ("reaffirm", "store")
    ]
    assert not wrong


def test_apps_do_not_import_each_others_views() -> None:
    """And console knows the apps in its settings and URLs only."""
    wrong = []
    for app in APPS:
        for path, tree in sources(app):
            for name in imports(path, tree):
                others = tuple(other for other in APPS if other != app)
                views = inside(name, *(f"{other}.views" for other in others))
                apps = app == "console" and inside(name, "reviews", "tasks_app")
                if views or (apps and path.name not in ("urls.py", "settings.py")):
                    wrong.append(f"{path} imports {name}")
    assert not wrong


# Cypher


def cypher_constants() -> list[tuple[str, str]]:
    """Every UPPER_SNAKE text of the library that is Cypher, and where it is from."""
    found = {}
    for module in library_modules():
        for name, value in vars(module).items():
            if name.isupper() and isinstance(value, str) and CYPHER.search(value):
                found[f"{module.__name__}.{name}"] = value
    return sorted(found.items())


def plain(query: str) -> str:
    """A query without comments, quoted texts and lists, whose words are no clauses."""
    query = re.sub(r"//[^\n]*", "", query)
    query = re.sub(r"'[^']*'|`[^`]*`", "''", query)
    while (shorter := re.sub(r"\[[^\[\]]*\]", "", query)) != query:
        query = shorter
    while (shorter := re.sub(r"\b[a-z]\w*\([^()]*\)", "f", query)) != query:
        query = shorter
    return query


@pytest.mark.parametrize(("name", "query"), [pytest.param(*item, id=item[0]) for item in cypher_constants()])
def test_a_query_keeps_to_the_dialect(name: str, query: str) -> None:
    lines = [line.strip() for line in query.splitlines() if line.strip()]
    for here, line in enumerate(lines):
        if line.startswith("//@lock"):
            rest = [later for later in lines[here + 1 :] if not later.startswith("//")]
            assert rest, f"{name}: a lock is the last line, which is a syntax error on Neo4j"
            assert rest[0].startswith("WITH"), f"{name}: no WITH after {line}"
    text = plain(query)
    if first := WRITES.search(text):
        assert "WHERE" not in text[first.start() :], f"{name}: FalkorDB evaluates a WHERE after a write before it"
        assert not re.search(r"\bLIMIT 0\b", text), f"{name}: FalkorDB writes nothing before LIMIT 0"
    assert not re.search(r"(?<!DETACH )\bDELETE\b", text), f"{name}: DETACH DELETE is the same on both stores"
    assert not re.search(r"\b(randomUUID|datetime|timestamp|elementId)\(", text), f"{name}: Python makes ids and times"
    assert not re.search(r"\b(EXISTS|COUNT|COLLECT) *\{|=~", text), f"{name}: FalkorDB has no such expression"


def built_texts(tree: ast.Module) -> Iterator[ast.expr]:
    """f-strings, format() and % on Cypher. Constants joined at the top of a module are constants too."""
    top = {id(node) for statement in tree.body if isinstance(statement, ast.Assign) for node in ast.walk(statement)}
    for node in ast.walk(tree):
        match node:
            case ast.JoinedStr(values=parts):
                text = "".join(str(part.value) for part in parts if isinstance(part, ast.Constant))
                names = [part.value for part in parts if isinstance(part, ast.FormattedValue)]
                constants = all(isinstance(name, ast.Name) and name.id.isupper() for name in names)
                if CYPHER.search(text) and not (constants and id(node) in top):
                    yield node
            case (
                ast.Call(func=ast.Attribute(attr="format", value=ast.Constant(value=str(text))))
                | ast.BinOp(op=ast.Mod(), left=ast.Constant(value=str(text)))
            ) if CYPHER.search(text):
                yield node


def formatted_arguments(tree: ast.Module) -> Iterator[ast.expr]:
    """f-strings that go straight into read() or write()."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr="read" | "write" | "search"), args=[query, *_]):
                yield from (part for part in ast.walk(query) if isinstance(part, ast.JoinedStr))


def test_no_query_is_built_from_values() -> None:
    wrong = [
        f"{path}:{node.lineno}"
        for path, tree in sources("reaffirm")
        if path.parts[:2] != ("reaffirm", "store")  # its DDL cannot take labels as parameters
        for node in [*built_texts(tree), *formatted_arguments(tree)]
    ]
    assert not wrong


def test_cypher_lives_in_the_library_alone() -> None:
    wrong = [
        f"{path}:{node.lineno}"
        for app in APPS
        for path, tree in sources(app)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and re.search(r"\bMATCH \(", node.value)
    ]
    assert not wrong


# Faults that are not shared


def test_every_fault_of_agentic_graphrag_has_a_test() -> None:
    names = [node.name for _, tree in sources("tests") for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    numbers = {int(found[1]) for name in names if (found := re.match(r"test_fault_(\d\d)_", name))}
    assert numbers == set(range(1, 34))


# What is documented


def test_every_error_code_is_documented_with_its_cause_and_cure() -> None:
    errors = importlib.import_module("reaffirm.errors")
    text = (ROOT / "docs" / "errors.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| (\S.*?) \| (\S.*?) \|$", text, re.MULTILINE)
    assert {code: cause for code, cause, _ in rows} == errors.CODES
    assert {code: cure.replace("`", "") for code, _, cure in rows} == errors.CURES
    assert len(rows) == len(errors.CODES)


def test_what_the_schema_and_a_flag_hold_is_documented() -> None:
    text = (ROOT / "docs" / "graph.md").read_text()
    schema = importlib.import_module("reaffirm.store.schema")
    names = set(importlib.import_module("reaffirm.decisions.records").FLAG_FACTS)
    defined = schema.definitions()
    for label, keys in [*defined.unique, *defined.lookups, *defined.full_text]:
        names.update(keys)
        assert re.search(rf"\b{label}\b", text), label
    assert not [name for name in sorted(names.union(schema.RELATIONSHIPS)) if not re.search(rf"`[^`]*\b{name}\b", text)]


def test_decisions_of_ours_are_numbered_once() -> None:
    pages = sorted((ROOT / "docs" / "adr").glob("*.md"))
    assert [int(page.name[:4]) for page in pages] == list(range(1, len(pages) + 1))
    assert not [page.name for page in pages if not page.read_text().startswith(f"# {int(page.name[:4])}. ")]


def test_every_setting_is_documented() -> None:
    names = set()
    for path in [ROOT / "console" / "settings.py", ROOT / "console" / "celery.py"]:
        names.update(re.findall(r"\b_?env\.\w+\(\s*\"([A-Z_]+)\"", path.read_text()))
    text = (ROOT / "docs" / "settings.md").read_text()
    assert names
    assert not [name for name in sorted(names) if f"`{name}`" not in text]


def test_every_dependency_is_documented() -> None:
    text = (ROOT / "docs" / "dependencies.md").read_text().lower()
    wrong = []
    for file in ("requirements-library.in", "requirements.in", "requirements-dev.in"):
        for line in (ROOT / file).read_text().splitlines():
            name = re.match(r"[a-z0-9][a-z0-9-]*", line)
            if name and f"**{name[0]}**" not in text:
                wrong.append(name[0])
    assert not wrong


def test_the_library_is_installed_alone_with_what_it_imports(tmp_path: Path) -> None:
    for name in ("pyproject.toml", "README.md", "LICENSE", "requirements-library.in"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "reaffirm", tmp_path / "reaffirm", ignore=shutil.ignore_patterns("__pycache__"))
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", tmp_path / "made", tmp_path]
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (wheel,) = (tmp_path / "made").glob("*.whl")
    with zipfile.ZipFile(wheel) as parts:
        names = parts.namelist()
        metadata = next(parts.read(name).decode() for name in names if name.endswith("METADATA"))
    assert {name.split("/")[0] for name in names if ".dist-info" not in name} == {"reaffirm"}
    assert "reaffirm/py.typed" in names
    brought = {
        re.match(r"[\w-]+", line)[0].replace("-", "_")  # type: ignore[index]
        for line in re.findall(r"^Requires-Dist: (.*)", metadata, re.M)
        if "extra ==" not in line  # imported by name where it is there
    }
    imported = {
        name.split(".")[0] for path, tree in sources("reaffirm") for name in imports(path, tree) if name.split(".")[0]
    }
    assert imported - set(sys.stdlib_module_names) - {"reaffirm"} == brought


@pytest.mark.parametrize("file", ["requirements.txt", "requirements-dev.txt"])
def test_every_version_is_pinned_and_no_address_is_written_down(file: str) -> None:
    lines = [
        line for line in (ROOT / file).read_text().splitlines() if line.strip() and not line.lstrip().startswith("#")
    ]
    assert lines
    assert not [line for line in lines if not re.match(r"^[A-Za-z0-9._-]+==[^ ]+( ; .+)?$", line)]


def tracked_files() -> list[Path]:
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()]


def test_nothing_reads_or_names_what_is_outside_the_checkout() -> None:
    outside = re.compile("|".join(["/work" + "/", r"\.\./shared" + "/", "/tmp/" + "contract"]))
    wrong = []
    for path in tracked_files():
        if "vendor" in path.parts:
            continue
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        if outside.search(text):
            wrong.append(str(path.relative_to(ROOT)))
    assert not wrong


def test_nothing_is_left_for_later_in_the_code() -> None:
    later = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|X" + r"XX)\b")
    code = [path for path in tracked_files() if path.suffix in (".py", ".js", ".html", ".css", ".sh")]
    ours = [path for path in code if "vendor" not in path.parts]
    assert not [str(path.relative_to(ROOT)) for path in ours if later.search(path.read_text())]


def test_the_documentation_builds_without_a_warning(tmp_path: Path) -> None:
    built = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "docs", str(tmp_path)]
    done = subprocess.run(built, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "record_decision" in (tmp_path / "reference" / "decisions.html").read_text()
