"""From rows of the graph to records, and what a list may be asked for."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reaffirm import fields, ids
from reaffirm.history.models import Event, Step, Task
from reaffirm.models import Result
from reaffirm.store import GraphStore, ValueRefused

LIMIT, MAX_LIMIT = 50, 200
INT64_MAX = 2**63 - 1
OWN_TASK_FIELDS = {"closed_at", "closed_by", "close_reason", "reopened_at", "reopened_by", "reopen_reason"}
OWN_RESULT_FIELDS = {"field", "detail", "replayed"}
OWN_FIELDS: dict[str, Any] = {**dict.fromkeys(OWN_RESULT_FIELDS, True), "task": OWN_TASK_FIELDS}


@dataclass(frozen=True)
class Scope:
    """One project of one graph, and who acts in it."""

    store: GraphStore
    project_id: str
    agent_id: str

    def task_id(self, task_name: str) -> str:
        return ids.task_id(self.project_id, task_name)


def task_from(row: Mapping[str, Any]) -> Task:
    return Task.model_validate(row)


def event_from(row: Mapping[str, Any]) -> Event:
    """An event; where a crash of agentic-graphrag on FalkorDB left it without an id, it gets the one it would have."""
    return Event.model_validate({**row, "id": row.get("id") or ids.event_id(row["task_id"], row["seq"])})


def step_from(row: Mapping[str, Any]) -> Step:
    return Step.model_validate({**row, "result_supports": supports_of(row)})


def supports_of(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The supports of a step's result, without their ordinals, as agentic-graphrag returns them."""
    stored = json.loads(row.get("result_supports") or "[]")
    return [{key: value for key, value in support.items() if key != "ordinal"} for support in stored]


def result_json(result: Result) -> str:
    """The text of a Request that agentic-graphrag can replay: its own fields and no other."""
    return result.model_dump_json(exclude=OWN_FIELDS)


# What a read is asked for. A read never raises for it: it answers with the nearest thing that exists.


def name_or_none(value: object) -> str | None:
    """A name as it can be in the graph; None stands for one that cannot, so nothing is found under it."""
    try:
        return fields.name("name", value)
    except ValueRefused:
        return None


def page_size(value: object) -> int:
    """1 to 200; the default for what is no whole number."""
    return min(max(value, 1), MAX_LIMIT) if type(value) is int else LIMIT


def sequence(value: object) -> int:
    """0 to 2^63-1; 0 for what is no whole number."""
    return min(max(value, 0), INT64_MAX) if type(value) is int else 0
