"""Whether a request wants a panel or a page."""

from django.http import HttpRequest


def is_fragment(request: HttpRequest) -> bool:
    """True for htmx asking for a panel; a restored history entry and a boosted link get the whole page."""
    return bool(getattr(request, "htmx", False))
