"""Reading and filling the review pages in tests."""

import re
from typing import Any

import pytest
from bs4 import BeautifulSoup, Tag

HTMX = {"HX-Request": "true", "HX-Current-URL": "http://testserver/p/claims/queue/"}

# What does not depend on the store is tried on one of them.
one_store = pytest.mark.parametrize("store_url", ["falkordb"], indirect=True)

# A complete verdict of each kind: what a person types.
TYPED = {
    "reaffirm": {"verdict": "reaffirm", "note": "Read again, still right."},
    "supersede": {"verdict": "supersede", "how": "same", "explanation": "The order date decides."},
    "reject": {"verdict": "reject", "reason": "It was wrong when it was decided."},
}
FIELD = {"reaffirm": "note", "supersede": "explanation", "reject": "reason"}


def soup(response: Any) -> BeautifulSoup:
    return BeautifulSoup(response.content, "html.parser")


def one(where: Any, selector: str) -> Tag:
    page = where if isinstance(where, Tag) else soup(where)
    found = page.select(selector)
    assert len(found) == 1, f"{len(found)} of {selector}"
    return found[0]


def text_of(where: Any, selector: str = "") -> str:
    """What a person reads there, white space folded."""
    tag = one(where, selector) if selector else soup(where)
    return re.sub(r"\s+", " ", tag.get_text(" ")).strip()


def sealed(response: Any) -> dict[str, str]:
    """The hidden part of the verdict form or the editor."""
    form = soup(response).select_one("#verdict, #editor")
    assert form is not None
    return {
        str(field["name"]): str(field["value"])
        for field in form.select("input[type=hidden][name]")
        if field["name"] != "csrfmiddlewaretoken"
    }


def address_of(decision_id: str, tail: str = "") -> str:
    return f"/p/claims/decisions/{decision_id}/{tail}"


def open_form(client: Any, decision_id: str) -> dict[str, str]:
    """Open the page of a decision and take the hidden part of its form."""
    response = client.get(address_of(decision_id))
    assert response.status_code == 200
    return sealed(response)
