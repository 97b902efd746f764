"""Find code that nothing uses: vulture, told what Django, pytest, pydantic and the templates use by name."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from vulture import Vulture
from vulture.core import Item

PACKAGES = ("reaffirm", "console", "reviews", "tasks_app", "bench")
PLACES = (*PACKAGES, "scripts", "tests", "manage.py")
# What the frameworks call: commands, app configurations, model options, middleware hooks, test hooks.
CALLED_BY_NAME = """
    Command help add_arguments handle Meta constraints indexes ordering verbose_name* app_name urlpatterns handler[0-9]*
    *Config ready default_auto_field requires_* app_configs process_exception clean_* form_valid form_invalid
    template_name redirect_authenticated_user http_method_names _get _store model_config pytest_* pytestmark
    __getattr__ exc_text
""".split()
DECORATORS = """
    @pytest.fixture @*.task @*.register* @register @register.* @*.connect @receiver @field_validator @model_validator
    @field_serializer @model_serializer @computed_field @*.simple_tag @*.filter @*.inclusion_tag
    @initialize @rule @invariant @precondition
""".split()


def words_of_templates() -> set[str]:
    """Names in template tags and variables: attributes of what the views hand over."""
    words: set[str] = set()
    for path in Path("templates").rglob("*.html"):
        for tag in re.findall(r"\{[{%](.*?)[}%]\}", path.read_text(), re.DOTALL):
            words.update(re.findall(r"[A-Za-z_]\w*", tag))
    return words


def dotted_names() -> Iterator[str]:
    """The last part of texts like "console.middleware.request_number", by which Django and Celery import."""
    for package in PACKAGES:
        for path in Path(package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                text = node.value if isinstance(node, ast.Constant) else None
                if isinstance(text, str) and re.fullmatch(rf"({'|'.join(PACKAGES)})(\.\w+)+", text):
                    yield text.rpartition(".")[2]


def meant_for_others(item: Item) -> bool:
    """Fields of records are for callers, settings for Django; a fixture acts by being asked for."""
    place = Path(item.filename)
    if item.typ == "variable":
        return place.name in ("models.py", "settings.py") or "tests" in place.parts
    return item.typ == "attribute" and "tests" in place.parts


def main() -> int:
    known = words_of_templates() | set(dotted_names())
    finder = Vulture(ignore_names=CALLED_BY_NAME, ignore_decorators=DECORATORS)
    finder.scavenge([place for place in PLACES if Path(place).exists()], exclude=["*/migrations/*"])
    unused = [item for item in finder.get_unused_code(min_confidence=60) if item.name not in known]
    unused = [item for item in unused if not meant_for_others(item)]
    for item in unused:
        print(item.get_report())
    return 1 if unused else 0


if __name__ == "__main__":
    sys.exit(main())
