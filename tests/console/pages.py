"""Reading pages in tests."""

import re
from typing import Any

from bs4 import BeautifulSoup


def soup(response: Any) -> BeautifulSoup:
    return BeautifulSoup(response.content, "html.parser")


def words(response: Any) -> str:
    """What a page says, white space folded."""
    return re.sub(r"\s+", " ", soup(response).get_text(" ")).strip()
