"""Small pieces that many templates use. Built in: no template needs to load them."""

from datetime import datetime

from django import template
from django.templatetags.static import static
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_tag
def icon(name: str, classes: str = "") -> SafeString:
    """An icon of the sprite, hidden from screen readers: a word always stands beside it."""
    return format_html(
        '<svg class="icon{}" aria-hidden="true" focusable="false"><use href="{}#{}"/></svg>',
        f" {classes}" if classes else "",
        static("vendor/icons.svg"),
        name,
    )


@register.filter
def age(since: datetime | None) -> str:
    """How long ago, in the largest whole unit: ``4 min``, ``5 h``, ``11 d``. Empty for None."""
    if since is None:
        return ""
    minutes = int((timezone.now() - since).total_seconds() // 60)
    if minutes < 1:
        return "now"
    if minutes < 60:
        return f"{minutes} min"
    if minutes < 48 * 60:
        return f"{minutes // 60} h"
    return f"{minutes // (24 * 60)} d"


@register.simple_tag
def moment(at: datetime | None, only: str = "") -> SafeString | str:
    """A <time> in the console's time zone, or only its ``time`` of day; empty for None."""
    if at is None:
        return ""
    local = timezone.localtime(at)
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        at.isoformat(),
        local.strftime("%Y-%m-%d %H:%M:%S %Z"),
        f"{local:%H:%M}" if only == "time" else f"{local.day} {local:%b %Y, %H:%M}",
    )


@register.filter
def initials(name: str) -> str:
    """One or two letters for a face: ``Ana Petrović`` → ``AP``, ``ana.petrovic`` → ``AP``."""
    words = [word for word in name.replace(".", " ").replace("_", " ").replace("-", " ").split() if word]
    letters = [word[0] for word in (words[:1] + words[-1:] if len(words) > 1 else words)]
    return "".join(letters).upper()


@register.filter
def words(value: object) -> str:
    """A stored word in words: ``needs_review`` → ``needs review``."""
    return str(value).replace("_", " ")


@register.filter
def short_id(value: object) -> str:
    return str(value)[:8]


@register.filter
def grouped(number: int | None) -> str:
    """A count for people: ``45212`` → ``45,212``. Never for addresses."""
    return "" if number is None else f"{number:,}"


@register.filter
def author(agent_id: str) -> str:
    """An author as people read it: a person's user name, or an agent's id as it is."""
    return agent_id.removeprefix("user:")
