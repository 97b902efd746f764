"""Settings, checked at start (`manage.py check`, every command, and the WSGI entry)."""

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core import checks

BROKERS = {"redis", "rediss", "redis+socket", "amqp", "amqps", "memory"}


def register_all() -> None:
    checks.register(_check_settings)
    checks.register(_check_no_store_before_fork)


def settings_problems() -> list[str]:
    """Each setting that cannot be used, with what to do. Never repeats a URL: it may hold a password."""
    found = list(settings.SETTINGS_PROBLEMS)
    found += _graph_problems() + _broker_problems() + _database_problems()
    for origin in settings.CSRF_TRUSTED_ORIGINS:
        if "://" not in origin:
            found.append(f"CSRF_TRUSTED_ORIGINS: {origin!r} needs its scheme, as in https://{origin}.")
    return found


def _graph_problems() -> list[str]:
    from reaffirm.store import open_store

    try:
        open_store(settings.GRAPH_URL).close()
    except ValueError as error:
        return [f"GRAPH_URL: {error}"]
    return []


def _broker_problems() -> list[str]:
    url = settings.CELERY_BROKER_URL
    if url and urlsplit(url).scheme not in BROKERS:
        return ["CELERY_BROKER_URL: use redis://, rediss://, redis+socket:// or amqp://."]
    return []


def _database_problems() -> list[str]:
    engine = str(settings.DATABASES["default"]["ENGINE"])
    if engine.endswith("postgresql") and not (find_spec("psycopg") or find_spec("psycopg2")):
        return ["DATABASE_URL names PostgreSQL, and its driver is missing: pip install 'psycopg[binary]'."]
    return []


def _check_settings(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[checks.CheckMessage]:
    found: list[checks.CheckMessage] = [checks.Error(problem, id="console.E001") for problem in settings_problems()]
    if len(settings.SECRET_KEY) < 32:
        hint = "Leave it out, and one is made in VAR_DIR."
        found.append(checks.Warning("SECRET_KEY is shorter than 32 characters.", hint=hint, id="console.W001"))
    return found


def _check_no_store_before_fork(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[checks.CheckMessage]:
    from console.graph import graph_open_here

    if graph_open_here():
        return [checks.Error("A graph connection was opened while the console was loading.", id="console.E002")]
    return []
