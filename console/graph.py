"""The console's one way to the graph. One store per process, made lazily after fork, closed at exit."""

import atexit
import os
import threading
from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser

from console.models import Project

if TYPE_CHECKING:
    from reaffirm.decisions import DecisionTraces
    from reaffirm.decisions.models import ReviewCounts
    from reaffirm.history import ConversationHistory
    from reaffirm.knowledge import Graph
    from reaffirm.store import GraphStore


class _Holder:
    """The store of one process. A driver made before fork breaks in the children, so a child starts empty."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.lock = threading.Lock()
        self.store: GraphStore | None = None
        self.problems: tuple[str, ...] | None = None


_holder = _Holder()


def _mine() -> _Holder:
    global _holder
    if _holder.pid != os.getpid():
        _holder = _Holder()
    return _holder


def _start_empty() -> None:
    global _holder
    _holder = _Holder()


os.register_at_fork(after_in_child=_start_empty)


def graph_store() -> "GraphStore":
    """The store of this process, its schema ensured once.

    Raises:
        StoreUnavailable: It cannot be reached; the next call tries again.
    """
    from reaffirm.store import open_store

    mine = _mine()
    with mine.lock:
        if mine.store is None:
            mine.store = open_store(settings.GRAPH_URL)
    # Outside the lock: while the store is down, people must not queue up behind one another's time-outs.
    if mine.problems is None:
        mine.problems = tuple(mine.store.ensure_schema().problems)
    return mine.store


def graph_problems() -> tuple[str, ...]:
    """Rows that break a constraint, as found by this process; any of them makes the console read-only."""
    return _mine().problems or ()


def graph_close() -> None:
    """Close this process's store; the next call opens a new one. Never touches a parent's store."""
    if _holder.pid != os.getpid():
        return
    with _holder.lock:
        store, _holder.store, _holder.problems = _holder.store, None, None
    if store is not None:
        store.close()


atexit.register(graph_close)


def graph_open_here() -> bool:
    """Whether this process holds a store. A check before fork fails when it does."""
    return _holder.pid == os.getpid() and _holder.store is not None


def agent_id_of(user: AbstractBaseUser) -> str:
    """The author under which a person's verdicts are recorded."""
    return f"user:{user.get_username()}"


def decisions_for(project: Project, user: AbstractBaseUser) -> "DecisionTraces":
    from reaffirm.decisions import DecisionTraces

    return DecisionTraces(graph_store(), project_id=project.graph_id, agent_id=agent_id_of(user))


def history_for(project: Project, user: AbstractBaseUser) -> "ConversationHistory":
    from reaffirm.history import ConversationHistory

    return ConversationHistory(graph_store(), project_id=project.graph_id, agent_id=agent_id_of(user))


def knowledge() -> "Graph":
    from reaffirm.knowledge import Graph

    return Graph(graph_store())


def counts_for(project: Project, user: AbstractBaseUser) -> "ReviewCounts":
    """The numbers of the top bar, in one read."""
    return decisions_for(project, user).review_counts()
