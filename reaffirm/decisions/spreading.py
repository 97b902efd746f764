"""What rests on a decision, directly or through others: each dependent once, with its smallest depth.

Cypher has no search by breadth that both stores know: a pattern of any length goes along every path, and a row of
diamonds has two to the power of its length. So one statement takes a fixed number of steps, each from the distinct
decisions of the one before, and a long chain takes the statement a few times. Why not all at once: docs/adr/0020.
"""

from collections import Counter
from dataclasses import dataclass, field

from reaffirm.decisions.models import ReviewState
from reaffirm.store import GraphStore

STEPS = 16  # of one statement
ROUNDS = 4
MAX_DEPTH = STEPS * ROUNDS - 1  # one step less than is read, to tell whether anything is deeper
MOST = 10_000  # distinct dependents of one step, and of all


# A review goes on through active decisions alone, and never comes back to the decision that it began with.
_STEP = """CALL {
  WITH origin, above
  UNWIND above AS parent
  MATCH (c:Decision)-[r:DEPENDS_ON]->(parent)
  WHERE c.status = 'active' AND c.project_id = $project AND c.id <> origin.id
  WITH DISTINCT c ORDER BY c.id LIMIT $cap
  RETURN collect(c) AS below
}
"""

BELOW = (
    """
MATCH (origin:Decision {_agrag_history_record: true, id: $id}) WHERE origin.project_id = $project
WITH origin
UNWIND $from_ids AS from_id
MATCH (x:Decision) WHERE x._agrag_history_record = true AND x.id = from_id
WITH origin, collect(x) AS step0
"""
    + "".join(_STEP.replace("above", f"step{number}").replace("below", f"step{number + 1}") for number in range(STEPS))
    + "RETURN origin{.status} AS decision, ["
    + ", ".join(
        "[x IN below | [x.id, x.review_state]]".replace("below", f"step{number + 1}") for number in range(STEPS)
    )
    + "] AS steps\n"
)


@dataclass
class Below:
    """The active decisions that rest on one, as far as they were followed.

    Attributes:
        status: Of the decision itself.
        depths: Id → smallest depth, from 1.
        flagged: Those of them that need review already.
        complete: Nothing was left out: neither deeper ones nor any beyond MOST.
    """

    status: str
    depths: dict[str, int] = field(default_factory=dict)
    flagged: set[str] = field(default_factory=set)
    complete: bool = True

    def in_order(self) -> list[tuple[int, str]]:
        """Depth and id, the order of every list of them."""
        return sorted((depth, each) for each, depth in self.depths.items())

    def by_depth(self) -> dict[int, int]:
        return dict(sorted(Counter(self.depths.values()).items()))

    def take(self, step: list[list[str]], depth: int, max_depth: int) -> list[str]:
        """Add what a step found that was not known; the ids to go on from, none when this was the end."""
        fresh = sorted((each, state) for each, state in step if each not in self.depths)
        room = MOST - len(self.depths) if depth <= max_depth else 0
        self.complete = len(fresh) <= room and len(step) <= MOST
        for each, state in fresh[:room]:
            self.depths[each] = depth
            if state == ReviewState.NEEDS_REVIEW:
                self.flagged.add(each)
        return [each for each, _ in fresh] if self.complete else []


def read_below(store: GraphStore, project_id: str, decision_id: str, max_depth: int = MAX_DEPTH) -> Below | None:
    """Follow what rests on a decision of a project; None when it has no such decision."""
    below: Below | None = None
    front, depth = [decision_id], 0
    while front:
        rows = store.read(BELOW, id=decision_id, project=project_id, from_ids=front, cap=MOST + 1)
        if not rows:
            break
        below = below or Below(rows[0]["decision"]["status"])
        for step in rows[0]["steps"]:
            depth += 1
            front = below.take(step, depth, max_depth)
            if not front:
                break
    return below
