"""What can go wrong between us and a store. Driver errors never leave this package."""


class StoreError(Exception):
    """Base of all store errors. Its text never holds credentials or values."""


class StoreUnavailable(StoreError):
    """The store cannot be reached, is not ready or did not answer in time, and nothing was written."""


class TimeLimit(StoreUnavailable):
    """The statement ran into the store's time limit and was rolled back. Running it again at once would not help."""


class StatementRefused(StoreError):
    """The store would not run the statement: a fault of ours, or a server that is none of the supported ones."""


class OutcomeUnknown(StoreError):
    """The connection was lost after a write was sent: it may or may not have happened.

    Run the same statement again (its request claim makes that safe) or look for its request id.
    """


class UniqueViolation(StoreError):
    """A unique key is taken. The statement was rolled back."""


class StoreReadOnly(StoreError):
    """Data in the graph breaks a constraint that writes rely on, so nothing is written until it is repaired."""


class StoreConflict(StoreError):
    """Other writers kept the statement from finishing (deadlocks). It was rolled back every time."""


class ValueRefused(ValueError):
    """A value that the stores would crash on, alter or refuse.

    Attributes:
        field: The argument, with its place in it (``supports[3].evidence_id``).
        detail: The limit, and what to do.
    """

    def __init__(self, field: str, detail: str) -> None:
        super().__init__(f"{field}: {detail}")
        self.field = field
        self.detail = detail
