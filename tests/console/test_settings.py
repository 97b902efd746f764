"""Settings come from the environment, are documented, and are checked with words."""

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from console.env import Environment, database_settings, secret_key

ROOT = Path(__file__).parents[2]


def names_read() -> set[str]:
    source = (ROOT / "console" / "settings.py").read_text()
    return set(re.findall(r'_env\.\w+\(\s*"([A-Z_]+)"', source))


def test_every_setting_is_documented_and_every_documented_one_is_read() -> None:
    documented = set(re.findall(r"^\| `([A-Z_]+)` \|", (ROOT / "docs" / "settings.md").read_text(), re.MULTILINE))

    assert names_read() == documented
    assert len(documented) > 8


def test_a_sqlite_url_is_relative_or_absolute() -> None:
    assert database_settings("sqlite:///var/x.sqlite3", Path("/app"))["NAME"] == "/app/var/x.sqlite3"
    assert database_settings("sqlite:////data/x.sqlite3", Path("/app"))["NAME"] == "/data/x.sqlite3"


def test_sixteen_writers_wait_on_sqlite() -> None:
    options = database_settings("sqlite:///x", Path("/app"))["OPTIONS"]

    assert options["transaction_mode"] == "IMMEDIATE"
    assert options["timeout"] == 20
    assert "journal_mode=WAL" in options["init_command"]


def test_a_postgres_url_is_taken_apart() -> None:
    found = database_settings("postgres://ann:p%40ss@db.example:5433/reaffirm?sslmode=require", Path("/app"))

    assert found["ENGINE"] == "django.db.backends.postgresql"
    assert (found["USER"], found["PASSWORD"], found["HOST"], found["PORT"]) == ("ann", "p@ss", "db.example", "5433")
    assert (found["NAME"], found["OPTIONS"]) == ("reaffirm", {"sslmode": "require"})


@pytest.mark.parametrize(
    "url", ["mysql://u:secret@h/x", "postgres://u:secret@h", "sqlite:///", "postgres://u:secret@h:port/x"]
)
def test_a_wrong_database_url_is_a_problem_that_keeps_the_password(url: str) -> None:
    environment = Environment({"DATABASE_URL": url})
    environment.database("DATABASE_URL", "sqlite:///x", Path("/app"))

    assert len(environment.problems) == 1
    assert environment.problems[0].startswith("DATABASE_URL: ")
    assert "secret" not in environment.problems[0]


def test_a_switch_takes_words_and_refuses_others() -> None:
    environment = Environment({"A": "yes", "B": "0", "C": "maybe"})

    assert environment.flag("A") is True
    assert environment.flag("B", default=True) is False
    assert environment.flag("C") is False
    assert environment.problems == ["C is 'maybe'; set it to 1 or 0."]


def test_the_key_is_made_once_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    file = tmp_path / "var" / "secret-key"

    first = secret_key(file)

    assert secret_key(file) == first
    assert len(first) >= 50
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert list(file.parent.iterdir()) == [file]


def run(code: str, tmp_path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {"PATH": os.environ["PATH"], "VAR_DIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "console.settings"}
    clean |= {name: os.environ[name] for name in ("PYTHONPATH", "HOME") if name in os.environ}
    command = [sys.executable, *code.split(" ", 1)]
    return subprocess.run(command, cwd=ROOT, env=clean | environment, capture_output=True, text=True, timeout=60)


def test_a_command_names_each_setting_that_it_cannot_use(tmp_path: Path) -> None:
    wrong = {
        "GRAPH_URL": "http://u:secret@h",
        "DATABASE_URL": "oracle://u:secret@h/x",
        "CELERY_BROKER_URL": "sqs://u:secret@h",
        "TIME_ZONE": "Mars/Olympus",
        "CSRF_TRUSTED_ORIGINS": "reaffirm.example",
        "DEBUG": "perhaps",
    }
    done = run("manage.py check", tmp_path, **wrong)

    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    assert "secret" not in done.stderr
    for name in wrong:
        assert name in done.stderr


def test_the_web_process_stops_with_a_sentence(tmp_path: Path) -> None:
    done = run("-c import console.wsgi", tmp_path, GRAPH_URL="http://h")

    assert done.returncode != 0
    assert "Reaffirm cannot start:\n- GRAPH_URL: " in done.stderr


@pytest.mark.parametrize(
    ("environment", "secure"),
    [
        ({}, "False"),
        ({"ALLOWED_HOSTS": "reaffirm.example"}, "True"),
        ({"ALLOWED_HOSTS": "reaffirm.example", "DEBUG": "1"}, "False"),
        ({"ALLOWED_HOSTS": "reaffirm.example", "HTTPS": "0"}, "False"),
    ],
)
def test_cookies_are_secure_wherever_others_can_reach_the_console(
    environment: dict[str, str], secure: str, tmp_path: Path
) -> None:
    code = "-c from django.conf import settings as s; print(s.SESSION_COOKIE_SECURE, s.CSRF_COOKIE_SECURE)"

    assert run(code, tmp_path, **environment).stdout.split() == [secure, secure]
