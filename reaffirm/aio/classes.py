"""ConversationHistory, DecisionTraces and Graph with awaitable methods."""

from reaffirm import decisions, history, knowledge
from reaffirm.store import GraphStore

from .stores import Store, plain_store
from .threads import threaded

_History, _Decisions, _Graph = history.ConversationHistory, decisions.DecisionTraces, knowledge.Graph


class ConversationHistory:
    """``reaffirm.history.ConversationHistory``, to be awaited."""

    def __init__(self, store: Store | GraphStore, *, project_id: str, agent_id: str) -> None:
        self._sync = _History(plain_store(store), project_id=project_id, agent_id=agent_id)

    create_task = threaded(_History.create_task)
    record_event = threaded(_History.record_event)
    set_step = threaded(_History.set_step)

    get_task = threaded(_History.get_task)
    get_task_by_id = threaded(_History.get_task_by_id)
    list_tasks = threaded(_History.list_tasks)
    list_events = threaded(_History.list_events)
    list_events_by_id = threaded(_History.list_events_by_id)
    fetch_event = threaded(_History.fetch_event)
    list_steps = threaded(_History.list_steps)


class DecisionTraces:
    """``reaffirm.decisions.DecisionTraces``, to be awaited."""

    def __init__(self, store: Store | GraphStore, *, project_id: str, agent_id: str) -> None:
        self._sync = _Decisions(plain_store(store), project_id=project_id, agent_id=agent_id)

    record_decision = threaded(_Decisions.record_decision)
    supersede_decision = threaded(_Decisions.supersede_decision)
    supersede_where_it_stands = threaded(_Decisions.supersede_where_it_stands)
    reject_decision = threaded(_Decisions.reject_decision)
    reaffirm_decision = threaded(_Decisions.reaffirm_decision)
    reaffirm_where_it_stands = threaded(_Decisions.reaffirm_where_it_stands)

    continue_decision_review = threaded(_Decisions.continue_decision_review)
    list_decisions_for_review = threaded(_Decisions.list_decisions_for_review)
    list_review = threaded(_Decisions.list_review)
    continue_review_propagation = threaded(_Decisions.continue_review_propagation)
    review_counts = threaded(_Decisions.review_counts)
    review_case = threaded(_Decisions.review_case)

    get_decision = threaded(_Decisions.get_decision)
    list_decisions = threaded(_Decisions.list_decisions)
    task_decisions = threaded(_Decisions.task_decisions)
    list_support_history = threaded(_Decisions.list_support_history)
    list_conflicts = threaded(_Decisions.list_conflicts)
    find_request = threaded(_Decisions.find_request)
    cites_document = threaded(_Decisions.cites_document)


DecisionMemory = DecisionTraces


class Graph:
    """``reaffirm.knowledge.Graph``, to be awaited."""

    def __init__(self, store: Store | GraphStore) -> None:
        self._sync = _Graph(plain_store(store))

    @classmethod
    async def open(cls, *, graph_store: Store) -> "Graph":
        """A graph whose store is connected and has its schema."""
        await graph_store.connect()
        return cls(graph_store)

    add = threaded(_Graph.add)
    update = threaded(_Graph.update)
    remove = threaded(_Graph.remove)
    purge = threaded(_Graph.purge)

    versions = threaded(_Graph.versions)
    fetch = threaded(_Graph.fetch)
    search = threaded(_Graph.search)
    text = threaded(_Graph.text)
    passages = threaded(_Graph.passages)
    cite = threaded(_Graph.cite)

    # Their names in agentic-graphrag
    delete_document = remove
    purge_document = purge
