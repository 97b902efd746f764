"""What every record and result of the library is: a frozen model with JSON keys that agentic-graphrag can read."""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, model_validator

from reaffirm.errors import in_words


def _aware(value: object) -> object:
    """Take a stored ISO text (``+00:00`` or ``Z``); a text without a zone is UTC by rule."""
    if isinstance(value, str):
        value = datetime.fromisoformat(value)
    if isinstance(value, datetime) and value.tzinfo is None:
        return value.replace(tzinfo=UTC)
    return value


Instant = Annotated[datetime, BeforeValidator(_aware)]


class Model(BaseModel):
    """A frozen record."""

    model_config = ConfigDict(frozen=True, extra="ignore", use_enum_values=False)


class Result(Model):
    """The outcome of a write. A refused write never raises.

    Attributes:
        recorded: True only when the graph holds the effect.
        error: The code of the refusal; None when recorded.
        field: The argument that was refused, where one was.
        detail: What is wrong with it and what to do, in a sentence for people.
        replayed: True when this is the stored result of an earlier call with the same request id.
    """

    recorded: bool
    error: str | None = None
    field: str | None = None
    detail: str | None = None
    replayed: bool = False

    @model_validator(mode="before")
    @classmethod
    def _in_words(cls, values: object) -> object:
        """A refusal that has nothing more to say than its code says that in words."""
        if isinstance(values, dict) and values.get("error") and not values.get("detail"):
            return {**values, "detail": in_words(values["error"])}
        return values
