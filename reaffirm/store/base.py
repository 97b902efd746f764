"""The small interface that the library writes to; each store has one adapter."""

from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Row = dict[str, Any]
SearchIndex = Literal["decision", "chunk"]


@dataclass(frozen=True)
class SchemaReport:
    """What ensure_schema() found.

    Attributes:
        problems: In the data. Any of them makes the store read-only until it is repaired.
        warnings: Settings of the server under which some statements will fail or answers be cut; logged, too.
    """

    problems: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class EntityLabels:
    """The labels and the types of relations that an extractor writes; plain identifiers."""

    labels: tuple[str, ...]
    relations: tuple[str, ...]


class GraphStore(Protocol):
    """A graph database. One instance serves many threads; open it after a fork."""

    kind: Literal["falkordb", "neo4j"]
    read_only: bool

    def read(self, query: str, **params: object) -> list[Row]:
        """Run one read-only statement.

        Raises:
            StoreUnavailable: The store cannot be reached, or did not answer in time.
            ValueRefused: A parameter no store may get.
        """

    def write(self, query: str, **params: object) -> list[Row]:
        """Run one statement that guards and writes. No row means: a guard failed and nothing was written.

        Raises:
            OutcomeUnknown: The connection was lost after the statement was sent.
            StoreUnavailable: Nothing was written.
            UniqueViolation, StoreConflict: Rolled back.
            StatementRefused: The store would not run it.
            StoreReadOnly: The graph breaks a constraint; see ensure_schema().
        """

    def search(self, index: SearchIndex, words: list[str], *, limit: int, tail: str, **params: object) -> list[Row]:
        """Full-text search: ``tail`` goes on from ``node`` and ``score`` and returns rows. Words are plain words."""

    def explain(self, query: str, **params: object) -> str:
        """The plan of a statement as text, for tests. The statement is not run."""

    def ensure_schema(self) -> SchemaReport:
        """Make and await all constraints and indexes. Idempotent; safe when many processes start at once."""

    def ensure_entities(self, entities: EntityLabels) -> SchemaReport:
        """The same for the labels of an extractor. A problem here makes nothing read-only."""

    def healthy(self) -> bool:
        """Whether the store answers a trivial read now. Never raises."""

    def close(self) -> None:
        """Close all connections."""
