"""Authors as people read them: ``user:ana`` is a person of this console, anything else an agent's own id."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from django.contrib.auth import get_user_model

PREFIX = "user:"


@dataclass(frozen=True)
class Names:
    """Full names by author id, fetched at once for a page."""

    known: dict[str, str] = field(default_factory=dict)

    def of(self, author: str) -> str:
        return self.known.get(author) or author.removeprefix(PREFIX)


def is_person(author: str) -> bool:
    return author.startswith(PREFIX)


def names_for(authors: Iterable[str | None]) -> Names:
    """One query for all the people among ``authors``; none when there are only agents."""
    usernames = {author.removeprefix(PREFIX) for author in authors if author and is_person(author)}
    if not usernames:
        return Names()
    people = get_user_model().objects.filter(username__in=usernames)
    return Names({PREFIX + person.get_username(): person.get_full_name() for person in people})
