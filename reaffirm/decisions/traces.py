"""DecisionTraces: record decisions, review them, and read them, for one project and one agent or person."""

from reaffirm import fields
from reaffirm.decisions.recording import Scope
from reaffirm.decisions.traces_read import DecisionReads
from reaffirm.decisions.traces_review import DecisionReview
from reaffirm.decisions.traces_write import DecisionWrites
from reaffirm.store import GraphStore


class DecisionTraces(DecisionWrites, DecisionReview, DecisionReads):
    """Decisions of one project.

    Every write is one guarded statement and returns a result with ``recorded`` and ``error``; a refused write never
    raises. Only StoreUnavailable (nothing was written) and OutcomeUnknown (look for the request id) do.

    Args:
        store: An open store.
        project_id: Everything read and written belongs to it.
        agent_id: Recorded as author; a person's is ``user:<name>``.

    Raises:
        ValueRefused: project_id or agent_id is not acceptable as a name.
    """

    def __init__(self, store: GraphStore, *, project_id: str, agent_id: str) -> None:
        self._scope = Scope(store, fields.name("project_id", project_id), fields.name("agent_id", agent_id))


DecisionMemory = DecisionTraces  # its name in release 0.0.6
