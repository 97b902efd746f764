"""Tombstones: what was erased, by whom, when and why."""

from typing import Any
from uuid import uuid4

from reaffirm.decisions import cursors
from reaffirm.history.records import Scope, page_size
from reaffirm.retention.models import Erasure, ErasureKind, ErasurePage, ErasureState
from reaffirm.store.values import text_problem

# Every property of the index has a predicate and a place in the order, so both stores walk it from its end. FalkorDB
# may drop the upper bound of a text, so that is checked again behind a projection.
LIST_ERASURES = """MATCH (x:Erasure) WHERE x.project_id = $project_id AND x.at <= $at AND x.id IS NOT NULL
  AND NOT (x.at = $at AND x.id >= $id)
WITH x, x.at AS moment WHERE moment <= $at
RETURN x{.*} AS erasure ORDER BY x.project_id DESC, x.at DESC, x.id DESC LIMIT $limit"""
FIRST_PAGE = ("~", "")  # after every time


ONE_ERASURE = """MATCH (x:Erasure) WHERE x.id = $id AND x.project_id = $project_id
RETURN x{.*} AS erasure"""


def new_erasure(scope: Scope, kind: ErasureKind, *, task: dict[str, Any], reason: str, at: str) -> dict[str, Any]:
    """The properties of a tombstone. Its id is of no meaning: that of a request could come again."""
    done = kind is ErasureKind.EVENT
    return {
        "id": str(uuid4()),
        "project_id": scope.project_id,
        "kind": kind.value,
        "state": (ErasureState.DONE if done else ErasureState.RUNNING).value,
        "task_id": task["id"],
        "task_name": task["name"],
        "reason": reason,
        "by": scope.agent_id,
        "at": at,
        "finished_at": at if done else None,
    }


def erasure_from(row: dict[str, Any]) -> Erasure:
    return Erasure.model_validate(row)


def find_erasure(scope: Scope, erasure_id: str) -> dict[str, Any] | None:
    """The properties of a tombstone of the project."""
    rows = scope.store.read(ONE_ERASURE, id=erasure_id, project_id=scope.project_id)
    return rows[0]["erasure"] if rows else None


def list_erasures(scope: Scope, limit: object, cursor: object) -> ErasurePage:
    size = page_size(limit)
    at, after_id = place(cursor)
    rows = scope.store.read(LIST_ERASURES, project_id=scope.project_id, at=at, id=after_id, limit=size + 1)
    found = [row["erasure"] for row in rows]
    last = found[size - 1] if len(found) > size else None
    return ErasurePage(
        erasures=tuple(erasure_from(row) for row in found[:size]),
        next_cursor=cursors.encode(last["at"], last["id"]) if last else None,
    )


def place(cursor: object) -> tuple[str, str]:
    """Where a page begins, behind the record that a cursor names: its time and id."""
    at, record_id = cursors.decode(cursor) or FIRST_PAGE
    return (at, record_id) if isinstance(at, str) and at and not text_problem(at) else FIRST_PAGE
