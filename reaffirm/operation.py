"""The one way in which the library writes.

An attempt reads the world once, checks it in the documented order, and runs one guarded statement. The statement
repeats all guards, so no row means that the world moved between the two: the attempt is made again. The request id,
which every write claims in its statement, makes a repeated attempt safe even when it is not known whether the one
before was applied.
"""

import functools
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Concatenate, ParamSpec, TypeVar

from reaffirm import fields, ids
from reaffirm.models import Result
from reaffirm.store import (
    GraphStore,
    OutcomeUnknown,
    StoreConflict,
    StoreReadOnly,
    StoreUnavailable,
    UniqueViolation,
    ValueRefused,
)

TRIES = 40
LOOKS = 3
# Refusals that rest on more than one record of what was read.
OF_MANY_RECORDS = frozenset(
    {"cannot_revalidate", "decision_changed", "support_invalid", "support_not_fetched", "support_required"}
)
MARKER = "_agrag_history_record"

R = TypeVar("R", bound=Result)
S = TypeVar("S")
P = ParamSpec("P")


@dataclass(frozen=True)
class Claim:
    """The request id of one write, with the digest of its arguments."""

    project_id: str
    request_id: str
    operation: str
    digest: str

    @property
    def node_id(self) -> str:
        return ids.request_node_id(self.project_id, self.request_id)

    def properties(self, result_json: str | None = None) -> dict[str, object]:
        """The Request node. Leave result_json out where the statement itself completes the text."""
        record: dict[str, object] = {
            "id": self.node_id,
            "project_id": self.project_id,
            "request_id": self.request_id,
            "operation": self.operation,
            "payload_sha256": self.digest,
            "claimed_ms": ids.milliseconds(ids.now()),
            MARKER: True,
        }
        if result_json is not None:
            record["result_json"] = result_json
        return record


def claim(project_id: str, request_id: str | None, operation: str, arguments: Mapping[str, object]) -> Claim:
    """Check a request id, or make one, and digest the arguments."""
    given = fields.request_id(request_id)
    return Claim(project_id, given or ids.new_request_id(), operation, ids.request_digest(operation, arguments))


def earlier(kind: type[R], stored: dict[str, Any] | None, claimed: Claim) -> R | None:
    """What an earlier call with this request id leads to: its stored result, a refusal, or None where there is none.

    Args:
        stored: The Request node as the attempt's read returned it, or None.
    """
    if stored is None:
        return None
    if stored["payload_sha256"] != claimed.digest or stored["operation"] != claimed.operation:
        return kind(recorded=False, error="request_id_reused", field="request_id")
    if stored.get("erased_at"):
        detail = "What was written under this request id was deleted; it is not written again."
        return kind(recorded=False, error="erased", field="request_id", detail=detail, replayed=True)
    if not stored.get("result_json"):
        # agentic-graphrag on FalkorDB leaves such a claim behind when it refuses a write: nothing was done under it.
        return kind(
            recorded=False, error="request_id_reused", field="request_id", detail="an unfinished claim holds it"
        )
    return kind.model_validate_json(stored["result_json"]).model_copy(update={"replayed": True})


def settle(attempt: Callable[[], R | None]) -> R:
    """Make attempts until one returns a result.

    Raises:
        OutcomeUnknown: The connection was lost after a statement was sent, and the store stayed out of reach.
        StoreUnavailable: The store is out of reach and nothing was written.
    """
    unknown = False
    lost: OutcomeUnknown | None = None  # set while the last attempt is the one whose outcome is not known
    for number in range(TRIES):
        try:
            result = attempt()
            lost = None
        except OutcomeUnknown as error:
            unknown, result, lost = True, None, error
        except (UniqueViolation, StoreConflict):
            result = lost = None  # another writer was first: look again
        except StoreUnavailable as error:
            if not unknown:
                raise
            raise OutcomeUnknown(f"whether the write was applied is not known: {error}") from None
        if result is not None:
            return result
        time.sleep(random.random() * 0.002 * 2 ** min(number, 5))
    if lost:
        raise lost
    raise StoreConflict("other writers kept changing the same records; nothing was written")


def sure(store: GraphStore, attempt: Callable[[], R | None]) -> Callable[[], R | None]:
    """An attempt whose refusal is one of the world, and not of a read that saw half of what another writer commits.

    On Neo4j a read is not one moment. A refusal that rests on more than one record counts there when it is met LOOKS
    times in a row. What is written needs no such care: the statement looks again, behind its locks.
    """
    if store.kind == "falkordb":
        return attempt
    met: list[R] = []

    def look() -> R | None:
        result = attempt()
        if result is None or result.error not in OF_MANY_RECORDS:
            met.clear()
            return result
        if met and met[-1].error != result.error:
            met.clear()
        met.append(result)
        return result if len(met) == LOOKS else None

    return look


def refusing(
    kind: type[R],
) -> Callable[[Callable[Concatenate[S, P], R]], Callable[Concatenate[S, P], R]]:
    """Turn refused values, and a graph that is read-only, into a result: a refused write never raises."""

    def decorate(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
        @functools.wraps(method)
        def call(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
            try:
                return method(self, *args, **kwargs)
            except ValueRefused as refused:
                code = "invalid_request_id" if refused.field == "request_id" else "invalid_value"
                return kind(recorded=False, error=code, field=refused.field, detail=f"{refused.field} {refused.detail}")
            except StoreReadOnly:
                return kind(recorded=False, error="read_only")
            except StoreConflict:
                return kind(recorded=False, error="store_conflict")

        return call

    return decorate
