"""A store that counts the statements which pass through it, and can be told to lose its connection."""

from typing import Any

from reaffirm.store import OutcomeUnknown, StoreUnavailable


class CountingStore:
    """Delegates to a real store.

    Attributes:
        lose: "before" = writes never arrive; "after" = a write arrives and its answer is lost; "after-and-reads" = and
            then nothing works; "all" = nothing works.
    """

    def __init__(self, store: Any) -> None:
        self.store = store
        self.reads = 0
        self.writes = 0
        self.lose = ""

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)

    def reset(self) -> None:
        self.reads = self.writes = 0

    def read(self, query: str, **params: object) -> Any:
        self.reads += 1
        if self.lose == "all":
            raise StoreUnavailable("gone")
        return self.store.read(query, **params)

    def write(self, query: str, **params: object) -> Any:
        self.writes += 1
        if self.lose in {"before", "all"}:
            raise StoreUnavailable("gone")
        answer = self.store.write(query, **params)
        if self.lose.startswith("after"):
            self.lose = "all" if self.lose == "after-and-reads" else ""
            raise OutcomeUnknown("the answer was lost")
        return answer
