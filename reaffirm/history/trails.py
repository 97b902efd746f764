"""A step's own short trail: agentic-graphrag overwrites steps without a history.

The trail is a list property of the step, which it ignores and leaves alone: its last ``KEPT`` writes through this
library, each a JSON text. What it writes itself is missing there, and shows as a step that is not as the trail ends.
"""

import json
from collections.abc import Mapping
from typing import Any

from reaffirm import ids
from reaffirm.history.models import StepChange, StepTrail
from reaffirm.history.records import Scope, step_from

KEPT = 10  # in the texts of the statements too: [-10..]
TRACED = ("state", "kind", "result_event_seq", "result_basis")

STEP_TRAIL = """MATCH (s:Step) WHERE s._agrag_history_record = true AND s.id = $step_id
WITH s
MATCH (t:Task)-[h:HAS_STEP]->(s) WHERE t.project_id = $project_id
RETURN s{.*} AS step"""


def entry(scope: Scope, step: Mapping[str, Any]) -> str:
    """One write, as the trail keeps it."""
    change = {"at": ids.now(), "by": scope.agent_id, **{key: step.get(key) for key in TRACED}}
    return json.dumps(change, ensure_ascii=False, separators=(",", ":"))


def trail_of(scope: Scope, task_id: str, name: str) -> StepTrail:
    rows = scope.store.read(STEP_TRAIL, project_id=scope.project_id, step_id=ids.step_id(task_id, name))
    if not rows:
        return StepTrail(found=False)
    row = rows[0]["step"]
    step = step_from(row)
    changes = tuple(StepChange.model_validate_json(text) for text in row.get("changes") or ())
    known = changes[-1].model_dump(include=set(TRACED)) if changes else None
    return StepTrail(found=True, step=step, changes=changes, other_writer=known != step.model_dump(include=set(TRACED)))
