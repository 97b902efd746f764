"""Plain words that a list is searched for: each must occur, in any case, and none is syntax."""

from reaffirm.store.values import text_problem

CHARACTERS = 200


def words_of(text: object) -> list[str] | None:
    """The words of at most 200 characters; none means no filter, None that nothing can be found."""
    if text is None:
        return []
    if not isinstance(text, str) or text_problem(text):
        return None
    return list(dict.fromkeys(str.__str__(text)[:CHARACTERS].split()))
