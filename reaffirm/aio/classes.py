"""ConversationHistory, DecisionTraces, HistoryRetention and Graph with awaitable methods."""

from reaffirm import decisions, history, knowledge, retention
from reaffirm.store import GraphStore

from .stores import Store, plain_store
from .threads import threaded

_History, _Retention = history.ConversationHistory, retention.HistoryRetention
_Decisions, _Graph = decisions.DecisionTraces, knowledge.Graph


class ConversationHistory:
    """``reaffirm.history.ConversationHistory``, to be awaited."""

    def __init__(self, store: Store | GraphStore, *, project_id: str, agent_id: str) -> None:
        self._sync = _History(plain_store(store), project_id=project_id, agent_id=agent_id)

    create_task = threaded(_History.create_task)
    record_event = threaded(_History.record_event)
    record_events = threaded(_History.record_events)
    set_step = threaded(_History.set_step)
    close_task = threaded(_History.close_task)
    reopen_task = threaded(_History.reopen_task)
    resume_task = threaded(_History.resume_task)
    repair_events = threaded(_History.repair_events)

    get_task = threaded(_History.get_task)
    get_task_by_id = threaded(_History.get_task_by_id)
    list_tasks = threaded(_History.list_tasks)
    list_events = threaded(_History.list_events)
    list_events_by_id = threaded(_History.list_events_by_id)
    verify_events = threaded(_History.verify_events)
    verify_events_by_id = threaded(_History.verify_events_by_id)
    fetch_event = threaded(_History.fetch_event)
    list_steps = threaded(_History.list_steps)
    step_trail = threaded(_History.step_trail)


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
    reaffirm_group = threaded(_Decisions.reaffirm_group)
    reopen_decision = threaded(_Decisions.reopen_decision)

    continue_decision_review = threaded(_Decisions.continue_decision_review)
    sweep_lost_flags = threaded(_Decisions.sweep_lost_flags)
    list_decisions_for_review = threaded(_Decisions.list_decisions_for_review)
    list_review = threaded(_Decisions.list_review)
    continue_review_propagation = threaded(_Decisions.continue_review_propagation)
    review_counts = threaded(_Decisions.review_counts)
    review_facets = threaded(_Decisions.review_facets)
    review_case = threaded(_Decisions.review_case)
    group_of = threaded(_Decisions.group_of)
    preview = threaded(_Decisions.preview)

    get_decision = threaded(_Decisions.get_decision)
    list_decisions = threaded(_Decisions.list_decisions)
    task_decisions = threaded(_Decisions.task_decisions)
    list_support_history = threaded(_Decisions.list_support_history)
    decision_history = threaded(_Decisions.decision_history)
    dependents = threaded(_Decisions.dependents)
    list_conflicts = threaded(_Decisions.list_conflicts)
    search_decisions = threaded(_Decisions.search_decisions)
    search_precedents = threaded(_Decisions.search_precedents)
    precedents = threaded(_Decisions.precedents)
    citable = threaded(_Decisions.citable)
    find_request = threaded(_Decisions.find_request)
    cites_document = threaded(_Decisions.cites_document)


DecisionMemory = DecisionTraces


class HistoryRetention:
    """``reaffirm.retention.HistoryRetention``, to be awaited."""

    def __init__(self, store: Store | GraphStore, *, project_id: str, agent_id: str) -> None:
        self._sync = _Retention(plain_store(store), project_id=project_id, agent_id=agent_id)

    preview_redaction = threaded(_Retention.preview_redaction)
    redact_event = threaded(_Retention.redact_event)
    preview_deletion = threaded(_Retention.preview_deletion)
    delete_task = threaded(_Retention.delete_task)
    continue_deletion = threaded(_Retention.continue_deletion)
    list_erasures = threaded(_Retention.list_erasures)
    prune_requests = threaded(_Retention.prune_requests)

    place_hold = threaded(_Retention.place_hold)
    release_hold = threaded(_Retention.release_hold)
    list_holds = threaded(_Retention.list_holds)


class Graph:
    """``reaffirm.knowledge.Graph``, to be awaited. The extractor is called in a worker thread."""

    def __init__(self, store: Store | GraphStore, *, extractor: knowledge.Extractor | None = None) -> None:
        self._sync = _Graph(plain_store(store), extractor=extractor)

    @classmethod
    async def open(cls, *, graph_store: Store, extractor: knowledge.Extractor | None = None) -> "Graph":
        """A graph whose store is connected and has its schema."""
        await graph_store.connect()
        return cls(graph_store, extractor=extractor)

    add = threaded(_Graph.add)
    update = threaded(_Graph.update)
    remove = threaded(_Graph.remove)
    purge = threaded(_Graph.purge)
    continue_flagging = threaded(_Graph.continue_flagging)

    versions = threaded(_Graph.versions)
    entities = threaded(_Graph.entities)
    fetch = threaded(_Graph.fetch)
    search = threaded(_Graph.search)
    search_evidence = threaded(_Graph.search_evidence)
    source_status = threaded(_Graph.source_status)
    source_change = threaded(_Graph.source_change)
    source_changes = threaded(_Graph.source_changes)
    text = threaded(_Graph.text)
    passages = threaded(_Graph.passages)
    cite = threaded(_Graph.cite)

    # Their names in agentic-graphrag
    delete_document = remove
    purge_document = purge
