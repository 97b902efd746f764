"""Reading the environment. A wrong value becomes a problem that the system check reports, never a traceback."""

import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit
from zoneinfo import available_timezones

TRUE, FALSE = {"1", "true", "yes", "on"}, {"", "0", "false", "no", "off"}
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


class Environment:
    """Settings by name, with the problems found while reading them."""

    def __init__(self, values: Mapping[str, str] = os.environ) -> None:
        self._values = values
        self.problems: list[str] = []

    def text(self, name: str, default: str = "") -> str:
        return self._values.get(name, "").strip() or default

    def flag(self, name: str, default: bool = False) -> bool:
        value = self.text(name, "on" if default else "off").lower()
        if value not in TRUE | FALSE:
            self.problems.append(f"{name} is {value!r}; set it to 1 or 0.")
            return default
        return value in TRUE

    def items(self, name: str, default: tuple[str, ...] = ()) -> list[str]:
        listed = [item.strip() for item in self.text(name).split(",")]
        return [item for item in listed if item] or list(default)

    def zone(self, name: str, default: str) -> str:
        value = self.text(name, default)
        if value not in available_timezones():
            # Django itself would stop with a traceback.
            self.problems.append(f"{name} is {value!r}; write a name like Europe/Amsterdam.")
            return default
        return value

    def database(self, name: str, default: str, base: Path) -> dict[str, Any]:
        try:
            return database_settings(self.text(name, default), base)
        except ValueError as error:
            self.problems.append(f"{name}: {error}")
            return database_settings(default, base)


def database_settings(url: str, base: Path) -> dict[str, Any]:
    """One entry of DATABASES from a URL.

    ``sqlite:///relative/path``, ``sqlite:////absolute/path`` or ``postgres://user:password@host:port/name?option=value``.
    Raises ValueError, whose text never repeats the URL (it may hold a password).
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise ValueError("the address cannot be read; see docs/settings.md.") from None
    if parts.scheme == "sqlite":
        return _sqlite(unquote(parts.path), base)
    if parts.scheme not in {"postgres", "postgresql"}:
        raise ValueError("use sqlite:///path or postgres://user:password@host:port/name.")
    name = unquote(parts.path.lstrip("/"))
    if not name:
        raise ValueError("the name of the database is missing after the host.")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": name,
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": parts.hostname or "",
        "PORT": str(port or ""),
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": dict(parse_qsl(parts.query)),
    }


def _sqlite(path: str, base: Path) -> dict[str, Any]:
    # sqlite:///x names x beside manage.py, sqlite:////x the absolute /x.
    path = path.removeprefix("/")
    if not path:
        raise ValueError("the path of the SQLite file is missing.")
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": str(base / path),
        "OPTIONS": {
            # Sixteen people who write at once wait for each other instead of failing half-way through.
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
        },
    }


def secret_key(path: Path) -> str:
    """The key in the file, made once (mode 0600). Processes that start together agree on one key."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not path.exists():
        draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(48))
        try:
            # link() fails when the name exists, so the first writer wins and no reader sees half a key.
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_text().strip()
