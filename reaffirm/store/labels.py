"""Labels and types of relationships in the text of a statement. They cannot be parameters, so each is checked here."""

import re

_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,59}")


def is_label(value: object) -> bool:
    """Whether it is a plain identifier of at most 60 letters, digits and underscores."""
    return isinstance(value, str) and _IDENTIFIER.fullmatch(value) is not None


def labelled(text: str, label: str) -> str:
    """The text with the label where it says LABEL.

    Raises:
        ValueError: It is no plain identifier.
    """
    if not is_label(label):
        raise ValueError("a label is a plain identifier")
    return text.replace("LABEL", label)
