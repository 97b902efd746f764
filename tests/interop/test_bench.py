"""`make bench` in small: what it measures works on both stores, with the number of statements that it should have."""

from collections.abc import Iterator

import pytest

from bench.__main__ import PARTS, prepared
from bench.figures import Figure
from bench.peer import peers
from bench.run import Effort
from bench.servers import running_falkordb, running_neo4j
from bench.world import BIGGEST
from reaffirm.decisions import DecisionTraces, adopt_flags
from reaffirm.history import ConversationHistory
from tests.interop.agrag import Agrag

SMALL = Effort(clients=(1,), rounds=1, calls=2, peer_calls=1, scale=250)
# Neo4j plans each text anew in a test, which takes its time: there, the part that matters most.
OF_NEO4J = ("writes",)
SIZE = 200


@pytest.fixture(scope="module")
def measured_agrag() -> Iterator[Agrag]:
    with peers() as process:
        yield process


def test_every_part_measures(store_url: str, measured_agrag: Agrag) -> None:
    started = running_falkordb(store_url) if store_url.startswith("embedded:") else running_neo4j(store_url)
    with prepared(started, SIZE, measured_agrag, SMALL) as run:
        traces = DecisionTraces(run.store, project_id=BIGGEST, agent_id="ana")
        assert traces.review_counts().flagged == run.world.flagged[BIGGEST] > 0
        assert adopt_flags(run.store) == traces.sweep_lost_flags() == traces.continue_decision_review() == 0
        history = ConversationHistory(run.store, project_id=BIGGEST, agent_id="ana")
        assert all(history.verify_events(task.name).whole for task in run.world.tasks if task.project == BIGGEST)
        parts = PARTS if started.kind == "falkordb" else OF_NEO4J
        figures = [figure for part in parts for figure in PARTS[part](run)]
    assert figures and all(isinstance(each, Figure) and each.ours for each in figures)
    for figure in figures:  # statements are counted here; times are not
        assert all(goal.met for goal in figure.goals if goal.text.endswith((" read", " write", " reads"))), figure
