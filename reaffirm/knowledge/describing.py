"""What describes a document beside its text, checked."""

from dataclasses import dataclass
from datetime import date, datetime
from urllib.parse import urlsplit

from reaffirm import fields, ids
from reaffirm.knowledge.content import MEDIA_TYPES
from reaffirm.store import ValueRefused

TITLE, URL = 1_000, 2_000


@dataclass(frozen=True)
class Description:
    """None: as it is. Dates are texts like ``2026-04-30``."""

    title: str | None = None
    url: str | None = None
    media_type: str | None = None
    published_at: str | None = None
    content_date: str | None = None

    def properties(self) -> dict[str, str]:
        """What a caller named, by the names in the graph. How the text is read is no description of it."""
        named = {
            "title": self.title,
            "uri": self.url,
            "published_at": self.published_at,
            "content_date": self.content_date,
        }
        return {name: value for name, value in named.items() if value is not None}


def describe(
    title: str | None,
    url: str | None,
    media_type: str | None,
    published_at: date | str | None,
    content_date: date | str | None,
) -> Description:
    """Check what a caller says about a document.

    Raises:
        ValueRefused: One of the values is not acceptable.
    """
    if media_type is not None and media_type not in MEDIA_TYPES:
        raise ValueRefused("media_type", f"is not one of {', '.join(MEDIA_TYPES)}")
    return Description(
        title=None if title is None else fields.text("title", title, TITLE),
        url=None if url is None else _url(url),
        media_type=media_type,
        published_at=_date("published_at", published_at),
        content_date=_date("content_date", content_date),
    )


def known_id(document_key: object) -> str | None:
    """The node id of a key; None for what cannot be a key."""
    try:
        return ids.document_id(fields.document_key("document_key", document_key))
    except ValueRefused:
        return None


def web_address(uri: object) -> str | None:
    """An address that a page may link to, or None: http or https, a host, and no credentials in it."""
    if not isinstance(uri, str) or any(character.isspace() or not character.isprintable() for character in uri):
        return None
    try:
        parts = urlsplit(uri)
        named = bool(parts.hostname) and parts.username is None and parts.password is None
    except ValueError:
        return None
    return uri if named and parts.scheme in ("http", "https") else None


def _url(value: object) -> str:
    text = fields.text("url", value, URL)
    if web_address(text) is None:
        raise ValueRefused("url", "is not an http or https address without credentials")
    return text


def _date(field: str, value: object) -> str | None:
    if value is None:
        return None
    if isinstance(value, date):
        return (value.date() if isinstance(value, datetime) else value).isoformat()
    try:
        if isinstance(value, str) and len(value) == 10:
            return date.fromisoformat(value).isoformat()
    except ValueError:
        pass
    raise ValueRefused(field, "is not a date; give one such as 2026-04-30")
