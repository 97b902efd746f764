"""A program for agentic-graphrag, which runs on this library with other imports: it prints what it was told."""

import asyncio
import hashlib
import os
import uuid

if os.environ["PACKAGE"] == "agrag":
    from agrag.common.data_models.decision import DecisionSupportInput, DocumentSupportInput, EventSupportInput
    from agrag.common.data_models.task import EventKind, StepKind, StepResultBasis, StepState
    from agrag.decisions import DecisionTraces
    from agrag.evidence import fetch_evidence
    from agrag.graphdb import FalkorDBGraphStore, Neo4jGraphStore
    from agrag.history import ConversationHistory, HistoryRetention
    from agrag.ingestion.graph import Graph
    from stand_ins import MODELS, delete, new_document, redact, search
else:
    from reaffirm.aio import (
        ConversationHistory,
        DecisionSupportInput,
        DecisionTraces,
        DocumentSupportInput,
        EventKind,
        EventSupportInput,
        FalkorDBGraphStore,
        Graph,
        HistoryRetention,
        Neo4jGraphStore,
        StepKind,
        StepResultBasis,
        StepState,
        fetch_evidence,
    )

    MODELS = {}  # its Graph.open asks for a schema, an extractor and an embedder

    def new_document(graph, key, text):  # its add() takes files, and makes up the key of a text
        return graph.add(text, document_key=key)

    def search(store, graph, words, scope):  # its function asks for an embedder
        return graph.search_evidence(words, scope=scope)

    def redact(retention, event_id):  # an erasure says why
        return retention.redact_event(event_id, "It names a customer.")

    def delete(retention, name):
        return retention.delete_task(name, reason="The project is over.")


POLICY = "docs/policy.txt"
TEXT = "Backups are kept for thirty days.\n\nLogs stay in Frankfurt.\n\nExports need a signature."
CHANGED = TEXT.replace("thirty", "sixty")
SCOPE = frozenset({POLICY})


def evidence(text, words):
    """The evidence id of words in a version of the policy."""
    document = uuid.uuid5(uuid.NAMESPACE_OID, f"Document:{POLICY}")
    start = text.index(words)
    return f"ev1:s:{document}:{hashlib.sha256(text.encode()).hexdigest()[:16]}:{start}-{start + len(words)}"


def told(what, result, *facts):
    print(what, "->", result.recorded, result.error and str(result.error), *[str(fact) for fact in facts])


def decision(what, given):
    supports = [(str(each.kind), each.current, each.reviewed_by) for each in given.supports]
    print(what, "->", given.id, given.choice_key, given.revision, given.conclusion, given.author, str(given.status))
    print("   ", str(given.review_state), given.review_reason and str(given.review_reason), supports)


async def history_of(history):
    told("create", created := await history.create_task("storage", "Choose a policy"), created.task.id)
    told("create again", again := await history.create_task("storage", "Choose a policy"), again.task.event_seq)
    told("create with another goal", await history.create_task("storage", "Another"))
    told("create with a long request id", await history.create_task("x", "y", request_id="r" * 65))
    told("create another", await history.create_task("audit", "Check the policy"))
    said = await history.record_event("storage", EventKind.MESSAGE, role="user", payload="How long?", request_id="r-1")
    told("event", said, said.event.seq, said.event.id, said.event.role, said.event.payload_sha256)
    same = await history.record_event("storage", EventKind.MESSAGE, role="user", payload="How long?", request_id="r-1")
    told("event again", same, same.event.seq, same.event.at == said.event.at)
    told("reused", await history.record_event("storage", EventKind.NOTE, payload="Other", request_id="r-1"))
    told("no task", await history.record_event("nothing", EventKind.NOTE, payload="?"))
    for number in range(3):
        await history.record_event("storage", EventKind.NOTE, name=f"step:{number}", payload=f"Result {number}")
    long = await history.record_event("storage", EventKind.TOOL_RESULT, name="read", payload="ü" * 40_000)
    told("long event", long, long.event.seq, long.event.truncated, len(long.event.payload))
    await history.record_event("audit", EventKind.NOTE, payload="The auditor wants ninety days.")
    first = await history.list_events("storage", limit=2)
    print("page", first.found, [each.seq for each in first.events], first.truncated, first.next_after_seq)
    last = await history.list_events("storage", after_seq=2)
    print("page", [(each.seq, str(each.kind), each.name) for each in last.events], last.truncated, last.next_after_seq)
    found, missing = await history.fetch_event("storage", 2), await history.fetch_event("storage", 99)
    print("fetch", found.found, found.event.payload, missing.found, (await history.list_events("nothing")).found)


async def steps_of(history, fetched):
    name, done = "storage", StepState.COMPLETED
    support = [DocumentSupportInput(evidence_id=evidence(TEXT, "kept for thirty days"))]
    more = {"kind": StepKind.READ, "result_basis": StepResultBasis.SUPPORTED}
    told("step", started := await history.set_step(name, "look", StepState.IN_PROGRESS), started.step.updated_seq)
    told("step with nothing", await history.set_step(name, "read", done, result_event_seq=2, **more))
    told("step not fetched", await history.set_step(name, "read", done, result_event_seq=2, supports=support, **more))
    more.update(supports=support, fetched_evidence=fetched)
    told("step of no event", await history.set_step(name, "read", done, result_event_seq=99, **more))
    told("step of a cut event", await history.set_step(name, "read", done, result_event_seq=5, **more))
    told("step", read := await history.set_step(name, "read", done, result_event_seq=2, **more), read.step.id)
    alone = StepResultBasis.INDEPENDENT
    told("step alone", await history.set_step(name, "think", done, result_event_seq=3, result_basis=alone))
    await show_steps(history)


async def show_steps(history):
    page = await history.list_steps("storage", StepState.COMPLETED)
    print("steps", [(each.name, str(each.state), str(each.result_validity)) for each in page.steps], page.truncated)


async def decisions_of(decisions, fetched):
    passage = [DocumentSupportInput(evidence_id=evidence(TEXT, "kept for thirty days"))]
    logs = [DocumentSupportInput(evidence_id=evidence(TEXT, "Logs stay in Frankfurt."))]
    event = [EventSupportInput(task_name="storage", seq=1)]

    async def record(task, key, conclusion, supports, **more):
        result = await decisions.record_decision(task, key, conclusion, "Because.", supports=supports, **more)
        told(f"record {key}", result, *(getattr(result, "warnings", None) or ()))
        return result.decision

    keep = await record("storage", "keep", "Thirty days", passage + event, fetched_evidence=fetched, request_id="d-1")
    again = await record("storage", "keep", "Thirty days", passage + event, fetched_evidence=fetched, request_id="d-1")
    decision("recorded", keep)
    print("the same", again.id == keep.id, again.created_at == keep.created_at)
    child = await record("storage", "budget", "Two disks", [DecisionSupportInput(decision_id=str(keep.id))])
    region = await record("audit", "region", "Frankfurt", logs, fetched_evidence=fetched)
    rival = await record("audit", "keep", "Ninety days", [EventSupportInput(task_name="audit", seq=1)])
    await record("storage", "keep", "Again", event)
    await record("nothing", "keep", "c", event)
    await record("storage", "a", "c", [])
    await record("storage", "b", "c", [DocumentSupportInput(evidence_id="ev1:s:x")])
    await record("storage", "c", "c", logs)
    await record("storage", "d", "c", [EventSupportInput(task_name="storage", seq=99)])
    await record("storage", "e", "c", [DecisionSupportInput(decision_id=str(uuid.uuid5(uuid.NAMESPACE_OID, "no")))])
    await record("storage", "f", "c", [*event] * 21)
    conflicts = await decisions.list_conflicts()
    for group in conflicts.groups:
        print("conflict", group.choice_key, sorted((each.task_name, each.conclusion) for each in group.decisions))
    found = await decisions.search_decisions("ninety disks", limit=5)
    print("found", sorted((each.decision.conclusion, each.task_goal, each.marker) for each in found))
    print(
        "in a task", [each.decision.conclusion for each in await decisions.search_decisions("disks", task_name="audit")]
    )
    return keep, child, region, rival


async def searches_of(store, graph, decisions, *queries):
    """What both promise: how it went, whose version holds the words. Passages and their order depend on the chunker."""
    for words in queries:
        for scope in (SCOPE, frozenset({"docs/other.txt"}), frozenset()):
            found = await search(store, graph, words, scope)
            passages = sorted({(hit.document_key, hit.content_hash) for hit in found.hits})
            print("search", words, len(scope), str(found.status), found.truncated, passages)
            print("   ", any(words.split()[0] in hit.snippet for hit in found.hits))
        hits = await decisions.search_decisions(words, limit=5)
        print("   ", sorted((str(hit.decision.id), hit.decision.task_name, str(hit.decision.status)) for hit in hits))


async def spread(decisions):
    while await decisions.continue_decision_review(limit=100):
        pass


async def show_flags(decisions, task=None):
    await spread(decisions)
    listed = await decisions.list_decisions_for_review(task_name=task, limit=20)
    flags = sorted((each.task_name, each.choice_key, str(each.review_reason)) for each in listed.decisions)
    print("flagged", listed.count, listed.truncated, flags)


async def verdicts_of(decisions, store, graph, keep, child, region, rival):
    print("update", str((await graph.update(POLICY, text=CHANGED)).decision))
    await show_flags(decisions)
    await show_flags(decisions, "audit")
    words = ["Logs stay in Frankfurt.", "kept for sixty days"]
    ids = [evidence(CHANGED, each) for each in words]
    logs, kept = [[DocumentSupportInput(evidence_id=each)] for each in ids]
    now = (await fetch_evidence(store, ids, scope=SCOPE)).outcomes
    told("reaffirm unseen", await decisions.reaffirm_decision(region.id, logs))
    told("reaffirm nothing", await decisions.reaffirm_decision(uuid.uuid5(uuid.NAMESPACE_OID, "no"), logs))
    told("reaffirm", await decisions.reaffirm_decision(region.id, logs, fetched_evidence=now, explanation="It stands."))
    told("reaffirm a child", await decisions.reaffirm_decision(child.id, []))
    decision("reaffirmed", (await decisions.get_decision(region.id)).decision)
    past = await decisions.list_support_history(region.id)
    print("supports", [(each.current, each.reviewed_by, each.review_explanation) for each in past.supports])
    more = {"supports": kept, "fetched_evidence": now}
    told("no why", await decisions.supersede_decision(keep.id, "Sixty days", "It says so.", explanation=" ", **more))
    why = "The policy changed."
    new = await decisions.supersede_decision(keep.id, "Sixty days", "It says so.", explanation=why, **more)
    told("supersede", new, new.decision.revision)
    told("superseded", await decisions.supersede_decision(keep.id, "x", "y", explanation=why, **more))
    await show_flags(decisions)
    told("reject", await decisions.reject_decision(rival.id, "The auditor agreed.", request_id="v-1"))
    told("reject again", await decisions.reject_decision(rival.id, "The auditor agreed.", request_id="v-1"))
    told("reject the rejected", await decisions.reject_decision(rival.id, "Once more."))
    told("reaffirm the rejected", await decisions.reaffirm_decision(rival.id, []))
    await show_flags(decisions)
    print("conflicts", len((await decisions.list_conflicts()).groups))
    listed = await decisions.list_decisions("storage")
    print("listed", listed.found, listed.page.count, listed.page.truncated)
    for each in sorted(listed.page.decisions, key=lambda given: (given.choice_key, given.revision)):
        decision("  ", each)
    active = await decisions.list_decisions("audit", include_history=False)
    print("active", [each.choice_key for each in active.page.decisions], (await decisions.list_decisions("no")).found)


async def erasures_of(retention, history, decisions):
    event = (await history.fetch_event("audit", 1)).event
    support = [EventSupportInput(task_name="audit", seq=1)]
    await decisions.record_decision("audit", "rest", "Rest on it", "Because.", supports=support)
    other = await decisions.record_decision("storage", "other", "Rest elsewhere", "Because.", supports=support)
    done = await redact(retention, str(event.id))
    print("redact", done.recorded, (await redact(retention, str(uuid.UUID(int=0)))).error)
    event = (await history.fetch_event("audit", 1)).event
    print("redacted", event.payload, event.redacted_at is not None, event.payload_sha256)
    told("redacted support", await decisions.record_decision("audit", "late", "c", "r", supports=support))
    told("reaffirm it", await decisions.reaffirm_decision(other.decision.id, []))
    await show_flags(decisions)
    done = await delete(retention, "audit")
    print("delete", done.recorded, (await delete(retention, "audit")).error, (await history.get_task("audit")).found)
    await show_flags(decisions)
    print("gone", (await history.list_events("audit")).found, (await history.fetch_event("audit", 1)).found)
    told("deleted support", await decisions.record_decision("storage", "late", "c", "r", supports=support))


async def main():
    store = FalkorDBGraphStore() if os.environ["STORE"] == "falkordb" else Neo4jGraphStore()
    await store.connect()
    graph = await Graph.open(graph_store=store, **MODELS)
    history = ConversationHistory(store, project_id="atlas", agent_id="planner-1")
    decisions = DecisionTraces(store, project_id="atlas", agent_id="planner-1")
    retention = HistoryRetention(store, project_id="atlas", agent_id="planner-1")
    await new_document(graph, POLICY, TEXT)
    print("the same text", str((await graph.update(POLICY, text=TEXT)).decision))
    ids = [evidence(TEXT, each) for each in ("kept for thirty days", "Logs stay in Frankfurt.")]
    fetched = (await fetch_evidence(store, [*ids, "ev1:x"], scope=SCOPE)).outcomes
    print("fetched", [(str(each.status), each.text or None, each.observed_activation_seq) for each in fetched])
    hidden = (await fetch_evidence(store, ids, scope=frozenset({"docs/other.txt"}))).outcomes
    print("out of scope", [str(each.status) for each in hidden])
    await history_of(history)
    await steps_of(history, fetched)
    made = await decisions_of(decisions, fetched)
    await searches_of(store, graph, decisions, "Frankfurt", "thirty days", "nowhere", "signature thirty")
    await verdicts_of(decisions, store, graph, *made)
    await searches_of(store, graph, decisions, "thirty", "sixty days", "Ninety")
    await show_steps(history)
    view = (await history.get_task("storage")).view
    print("view", view.goal, str(view.status), view.last_event_seq, view.decision_count, view.steps_truncated)
    print("  ", {str(state): number for state, number in view.step_counts.items() if number})
    print("  ", [each.choice_key for each in view.review_decisions], (await history.get_task("nothing")).found)
    await erasures_of(retention, history, decisions)
    await store.close()


asyncio.run(main())
