"""Django's messages, each shown once, at once, in the tab that caused it (cases.md 47).

A page shows its own messages. Before a redirect they are put in the session under a key that travels in the redirect's
address, so a page that another tab opens meanwhile cannot take them. A fragment sends them in its HX-Trigger header.
"""

import json
import secrets
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from django.contrib.messages.storage.base import BaseStorage, Message
from django.core.exceptions import SuspiciousOperation
from django.http.response import HttpResponseBase

PARAMETER = "notice"
SESSION = "notices"
KEEP = 10


class TabStorage(BaseStorage):
    """Set as MESSAGE_STORAGE; use django.contrib.messages as always."""

    def _get(self, *args: Any, **kwargs: Any) -> tuple[list[Message], bool]:
        try:
            key = self.request.GET.get(PARAMETER, "")
        except SuspiciousOperation:
            # An address that cannot be read has a page too, and that page must not fail over it.
            return [], True
        waiting: dict[str, list[list[Any]]] = self.request.session.get(SESSION, {})
        if key not in waiting:
            return [], True
        said = waiting.pop(key)
        self.request.session[SESSION] = waiting
        return [Message(int(level), text) for level, text in said], True

    def _store(
        self, messages: list[Message | None], response: HttpResponseBase, *args: Any, **kwargs: Any
    ) -> list[Any]:
        said = [[message.level, str(message.message)] for message in messages if message]
        if not said:
            return []
        for header in ("HX-Redirect", "Location"):
            if response.has_header(header):
                response[header] = self._carried(response[header], said)
                return []
        if getattr(self.request, "htmx", False):
            _send(response, said)
        return []

    def _carried(self, address: str, said: list[list[Any]]) -> str:
        key = secrets.token_urlsafe(6)
        waiting: dict[str, list[list[Any]]] = self.request.session.get(SESSION, {})
        waiting[key] = said
        # A redirect that nobody followed must not fill the session.
        self.request.session[SESSION] = dict(list(waiting.items())[-KEEP:])
        parts = urlsplit(address)
        query = [*parse_qsl(parts.query, keep_blank_values=True), (PARAMETER, key)]
        return urlunsplit(parts._replace(query=urlencode(query)))


def _send(response: HttpResponseBase, said: list[list[Any]]) -> None:
    trigger = json.loads(response["HX-Trigger"]) if response.has_header("HX-Trigger") else {}
    trigger["reaffirm:notice"] = {"items": [{"level": level, "text": text} for level, text in said]}
    response["HX-Trigger"] = json.dumps(trigger)
