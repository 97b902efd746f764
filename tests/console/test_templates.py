"""Rules for every template: no inline script or style, no foreign address, no misspelt htmx attribute."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))

# The attributes of htmx 2 that we may use. hx-on is left out: it is inline script.
HTMX = {
    "hx-get", "hx-post", "hx-put", "hx-patch", "hx-delete", "hx-trigger", "hx-target", "hx-swap", "hx-swap-oob",
    "hx-select", "hx-select-oob", "hx-push-url", "hx-replace-url", "hx-vals", "hx-include", "hx-params", "hx-sync",
    "hx-confirm", "hx-disabled-elt", "hx-indicator", "hx-boost", "hx-headers", "hx-preserve", "hx-encoding",
    "hx-history", "hx-history-elt", "hx-disable", "hx-disinherit", "hx-inherit", "hx-validate", "hx-ext", "hx-request",
}  # fmt: skip
TAG = re.compile(r"<[a-zA-Z][^<>]*>", re.DOTALL)


def without_django(text: str) -> str:
    text = re.sub(r"\{#.*?#\}|\{%\s*comment.*?endcomment\s*%\}", "", text, flags=re.DOTALL)
    return re.sub(r"\{%.*?%\}|\{\{.*?\}\}", " ", text, flags=re.DOTALL)


def tags(template: Path) -> list[str]:
    return TAG.findall(without_django(template.read_text()))


@pytest.fixture(params=TEMPLATES, ids=lambda path: str(path.relative_to(ROOT / "templates")))
def template(request: pytest.FixtureRequest) -> Path:
    path: Path = request.param
    return path


def test_it_has_no_inline_script_or_style(template: Path) -> None:
    for tag in tags(template):
        assert not re.search(r"\son[a-z]+\s*=|\sstyle\s*=|javascript:", tag, re.IGNORECASE), tag
        assert not tag.lower().startswith("<style"), tag
        if tag.lower().startswith("<script"):
            assert " src=" in tag, tag


def test_it_names_no_foreign_address(template: Path) -> None:
    for tag in tags(template):
        assert not re.search(r"(?:src|href|action|hx-\w+)\s*=\s*[\"']?(?:https?:)?//", tag), tag


def test_its_htmx_attributes_exist(template: Path) -> None:
    """cases.md 43"""
    for tag in tags(template):
        for name in re.findall(r"[\s\"'](?:data-)?(hx[-:][\w:.-]*)\s*=?", tag):
            assert name in HTMX, f"{name} in {tag}"


def test_it_escapes(template: Path) -> None:
    text = template.read_text()

    assert "|safe" not in text
    assert not re.search(r"\{%\s*autoescape\s+off", text)


def test_a_form_that_posts_has_a_token(template: Path) -> None:
    text = template.read_text()

    assert len(re.findall(r"<form\b[^>]*method=.post", text, re.IGNORECASE)) <= text.count("csrf_token")


def test_a_htmx_form_works_without_script(template: Path) -> None:
    for tag in tags(template):
        if tag.lower().startswith("<form") and " hx-post" in tag:
            assert " method=" in tag, tag
            assert " action=" in tag, tag


def test_scripts_weigh_little() -> None:
    import django_htmx

    ours = sum(file.stat().st_size for file in (ROOT / "static" / "js").glob("*.js"))
    htmx = Path(django_htmx.__file__).parent / "static" / "django_htmx" / "htmx-2.min.js"

    assert ours + htmx.stat().st_size <= 120 * 1024


def test_every_icon_exists() -> None:
    sprite = set(re.findall(r'id="([a-z0-9-]+)"', (ROOT / "static" / "vendor" / "icons.svg").read_text()))
    for template in TEMPLATES:
        for name in re.findall(r'\{%\s*icon\s+"([^"]+)"', template.read_text()):
            assert name in sprite, f"{name} in {template}"


def test_vendored_files_have_their_licences() -> None:
    vendor = ROOT / "static" / "vendor"

    assert (vendor / "LICENSE-bootstrap.txt").exists()
    assert (vendor / "LICENSE-tabler-icons.txt").exists()
    assert (vendor / "fonts" / "LICENSE-inter.txt").exists()
    assert (vendor / "fonts" / "LICENSE-source-serif-4.txt").exists()
