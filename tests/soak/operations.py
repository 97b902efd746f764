"""Every kind of write of the library, with what it needs, what it is called with, and what it must have done.

Each try has objects of its own, named by its mark, beside a task and a document that all tries share. ``facts`` is what
the graph holds of it: before the call, after it, and nothing in between, but for those that go in steps.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from reaffirm import ids
from reaffirm.decisions import DecisionTraces, propagation
from reaffirm.decisions.adoption import adopt_flags
from reaffirm.decisions.models import Decision, DecisionSupportInput, DocumentSupportInput, EventSupportInput
from reaffirm.history import ConversationHistory, EventInput
from reaffirm.knowledge import Graph, flagging, statements
from reaffirm.models import Result
from reaffirm.retention import HistoryRetention, deletion, requests
from reaffirm.store import GraphStore

PROJECT, AGENT = "soak", "agent"
Facts = dict[str, Any]
Arguments = dict[str, Any]

COMMON = "Backups are kept for thirty days."


def text(mark: str, edition: int = 1) -> str:
    return f"{COMMON}\n\nThis is the document of {mark}.\n\nEdition {edition}."


def small_batches() -> None:
    """What goes in steps does so with a handful of records."""
    statements.MAX_CITERS, flagging.BATCH = 4, 2
    propagation.PARENTS, propagation.CHILDREN = 2, 4
    deletion.EVENTS = deletion.CITING = deletion.STEPS = deletion.DECISIONS = deletion.REQUESTS = 3
    requests.BATCH = 2


@dataclass(frozen=True)
class World:
    """The library on a store."""

    store: GraphStore

    def history(self, project: str = PROJECT) -> ConversationHistory:
        return ConversationHistory(self.store, project_id=project, agent_id=AGENT)

    def decisions(self, project: str = PROJECT) -> DecisionTraces:
        return DecisionTraces(self.store, project_id=project, agent_id=AGENT)

    def retention(self, project: str = PROJECT) -> HistoryRetention:
        return HistoryRetention(self.store, project_id=project, agent_id=AGENT)

    @property
    def graph(self) -> Graph:
        return Graph(self.store)

    def begin(self) -> None:
        """What all tries share."""
        done(self.history().create_task("common", "All write here"))
        done(self.history().record_event("common", "note", payload="The beginning."))
        done(self.graph.add(text("all"), document_key="common", project_id=PROJECT))

    def task(self, name: str, *, project: str = PROJECT, events: int = 1) -> str:
        done(self.history(project).create_task(name, f"Goal of {name}"))
        for number in range(events):
            done(self.history(project).record_event(name, "note", payload=f"{name} event {number + 1} of its log"))
        return name

    def cites(self, key: str) -> Arguments:
        """The arguments that cite the first sentence of a document in its present version."""
        evidence = self.graph.cite(key, COMMON)
        return {
            "supports": [DocumentSupportInput(evidence_id=evidence)],
            "fetched_evidence": self.graph.fetch([evidence]),
        }

    def decide(
        self,
        task: str,
        choice: str,
        *,
        project: str = PROJECT,
        on: tuple[Decision, ...] = (),
        document: str | None = None,
        conclusion: str | None = None,
    ) -> Decision:
        """A decision on the task's first event, on others, and on a document."""
        cited = self.cites(document) if document else {"supports": []}
        cited["supports"] += [EventSupportInput(task_name=task, seq=1)]
        cited["supports"] += [DecisionSupportInput(decision_id=each.id) for each in on]
        words = (conclusion or f"Conclusion of {choice}", "For a reason.")
        return done(self.decisions(project).record_decision(task, choice, *words, **cited)).decision

    def spread(self, project: str) -> None:
        while self.decisions(project).continue_decision_review():
            pass


def done(result: Any) -> Any:
    assert result.recorded, result
    return result


@dataclass(frozen=True)
class Operation:
    """One kind of write.

    Attributes:
        prepare: Makes what it needs for a mark; the arguments of perform.
        facts: A query of one row; ``$mark``, ``$project`` and the arguments are its parameters.
        after: What the facts are behind it, made of those before it.
        steps: It goes in steps: behind a kill it may have come half its way, and a repeated call goes on.
        named: It has a request id.
    """

    name: str
    prepare: Callable[[World, str], Arguments]
    perform: Callable[[World, Arguments], Result | int | None]
    facts: str
    after: Callable[[Facts], Facts]
    steps: bool = False
    named: bool = True

    def look(self, store: GraphStore, arguments: Arguments) -> Facts:
        names = {name: value for name, value in arguments.items() if isinstance(value, str | list | int)}
        plain = {name: value for name, value in names.items() if not isinstance(value, list) or _texts(value)}
        (row,) = store.read(self.facts, **plain)
        return row


def _texts(values: list[Any]) -> bool:
    return all(isinstance(each, str) for each in values)


REQUESTED = """
OPTIONAL MATCH (q:Request) WHERE q._agrag_history_record = true AND q.project_id = $project AND q.request_id = $request
"""
# A decision that rests on another knows of it: it is flagged, or the review is on its way to it.
AWARE = """
OPTIONAL MATCH (child:Decision)-[:DEPENDS_ON]->(d) WHERE child.status = 'active'
  AND child.review_state = 'clear' AND coalesce(d.review_pending, false) = false
"""


# Tasks


def _named(world: World, mark: str) -> Arguments:
    return {"name": mark}


CREATE_TASK = Operation(
    "create_task",
    _named,
    lambda world, a: world.history().create_task(a["name"], f"Goal of {a['name']}", request_id=a["request"]),
    "WITH 1 AS one OPTIONAL MATCH (t:Task {name: $name}) WITH one, count(t) AS tasks"
    + REQUESTED
    + "RETURN tasks, count(q) AS requests",
    lambda before: {"tasks": 1, "requests": 1},
)

RECORD_EVENT = Operation(
    "record_event",
    _named,
    lambda world, a: world.history().record_event("common", "note", payload=a["name"], request_id=a["request"]),
    "MATCH (t:Task {name: 'common'}) OPTIONAL MATCH (t)-[:HAS_EVENT]->(e:Event) WHERE e.payload = $name\n"
    "WITH t, count(e) AS events" + REQUESTED + "RETURN events, count(q) AS requests",
    lambda before: {"events": 1, "requests": 1},
)


RECORD_EVENTS = Operation(
    "record_events",
    _named,
    lambda world, a: world.history().record_events(
        "common", [EventInput(kind="note", payload=f"{a['name']} {number}") for number in range(10)],
        request_id=a["request"],
    ),
    "MATCH (t:Task {name: 'common'}) OPTIONAL MATCH (t)-[:HAS_EVENT]->(e:Event) WHERE e.payload STARTS WITH "
    "($name + ' ')\nWITH t, count(DISTINCT e.payload) AS texts, count(e) AS events, max(e.seq) - min(e.seq) AS apart"
    + REQUESTED + "RETURN texts, events, apart, count(q) AS requests",
    lambda before: {"texts": 10, "events": 10, "apart": 9, "requests": 1},
)  # fmt: skip


def _step(world: World, mark: str) -> Arguments:
    parent = world.decide("common", mark, document="common")
    cited = world.cites("common")
    cited["supports"] += [
        EventSupportInput(task_name="common", seq=1),
        DecisionSupportInput(decision_id=parent.id),
    ]
    return {"name": mark, **cited}


SET_STEP = Operation(
    "set_step",
    _step,
    lambda world, a: world.history().set_step(
        "common", a["name"], "completed", result_event_seq=1, result_basis="supported",
        supports=a["supports"], fetched_evidence=a["fetched_evidence"], request_id=a["request"],
    ),
    "MATCH (t:Task {name: 'common'}) OPTIONAL MATCH (t)-[:HAS_STEP]->(s:Step {name: $name})\n"
    "WITH t, count(s) AS steps, sum(size(coalesce(s.changes, []))) AS changes"
    + REQUESTED + "RETURN steps, toInteger(changes) AS changes, count(q) AS requests",
    lambda before: {"steps": 1, "changes": 1, "requests": 1},
)  # fmt: skip

STATUS = (
    "MATCH (t:Task {name: $name}) WITH t" + REQUESTED + "RETURN t.status AS status, t.closed_by AS closed, "
    "t.reopened_by AS reopened, count(q) AS requests"
)
CLOSE_TASK = Operation(
    "close_task",
    lambda world, mark: {"name": world.task(mark, events=0)},
    lambda world, a: world.history().close_task(a["name"], reason="Over.", request_id=a["request"]),
    STATUS,
    lambda before: {"status": "done", "closed": AGENT, "reopened": None, "requests": 1},
)


def _closed(world: World, mark: str) -> Arguments:
    world.task(mark, events=0)
    done(world.history().close_task(mark))
    return {"name": mark}


REOPEN_TASK = Operation(
    "reopen_task",
    _closed,
    lambda world, a: world.history().reopen_task(a["name"], reason="On.", request_id=a["request"]),
    STATUS,
    lambda before: {"status": "open", "closed": AGENT, "reopened": AGENT, "requests": 1},
)


def _running(world: World, mark: str) -> Arguments:
    world.task(mark, events=0)
    for number in range(3):
        done(world.history().set_step(mark, f"step {number}", "in_progress"))
    return {"name": mark}


RESUME_TASK = Operation(
    "resume_task",
    _running,
    lambda world, a: world.history().resume_task(a["name"], request_id=a["request"]),
    "MATCH (t:Task {name: $name})-[:HAS_STEP]->(s:Step)\n"
    "WITH sum(CASE WHEN s.state = 'unknown' THEN 1 ELSE 0 END) AS unknown, sum(size(s.changes)) AS changes"
    + REQUESTED + "RETURN toInteger(unknown) AS unknown, toInteger(changes) AS changes, count(q) AS requests",
    lambda before: {"unknown": 3, "changes": 6, "requests": 1},
)  # fmt: skip


def _broken(world: World, mark: str) -> Arguments:
    """What a crash of agentic-graphrag leaves: an event without an id, a count that is behind."""
    world.task(mark, events=3)
    world.store.write(
        "MATCH (t:Task {name: $name})-[:HAS_EVENT]->(e:Event {seq: 3}) SET e.id = null, t.event_seq = 2", name=mark
    )
    return {"name": mark}


REPAIR_EVENTS = Operation(
    "repair_events",
    _broken,
    lambda world, a: world.history().repair_events(a["name"], request_id=a["request"]),
    "MATCH (t:Task {name: $name})-[:HAS_EVENT]->(e:Event) WITH t, count(e.id) AS with_id, count(e) AS events"
    + REQUESTED + "RETURN with_id, events, t.event_seq AS seq, count(q) AS requests",
    lambda before: {"with_id": 3, "events": 3, "seq": 3, "requests": 1},
)  # fmt: skip


# Decisions


def _recording(world: World, mark: str) -> Arguments:
    parent = world.decide("common", f"{mark}-parent")
    cited = world.cites("common")
    cited["supports"] += [EventSupportInput(task_name="common", seq=1), DecisionSupportInput(decision_id=parent.id)]
    return {"name": mark, "parent": parent.id, **cited}


RECORD_DECISION = Operation(
    "record_decision",
    _recording,
    lambda world, a: world.decisions().record_decision(
        "common", a["name"], f"Conclusion of {a['name']}", "For a reason.",
        supports=a["supports"], fetched_evidence=a["fetched_evidence"], request_id=a["request"],
    ),
    "MATCH (p:Decision {id: $parent}) OPTIONAL MATCH (d:Decision {choice_key: $name})\n"
    "WITH p, d OPTIONAL MATCH (t:Task)-[m:MADE]->(d) WITH p, d, count(m) AS made\n"
    "OPTIONAL MATCH (d)-[r:DEPENDS_ON]->(p) WITH p, d, made, count(r) AS rests\n"
    "OPTIONAL MATCH (d)-[h:HAS_SUPPORT]->(s:DecisionSupport) WITH p, d, made, rests, count(s) AS supports"
    + REQUESTED
    + "RETURN count(DISTINCT d) AS decisions, sum(made) * 1 = 1 AS made, sum(rests) = 1 AS rests, "
    "max(supports) AS supports, p.dependents AS dependents, count(q) AS requests",
    lambda before: {"decisions": 1, "made": True, "rests": True, "supports": 3, "dependents": 1, "requests": 1},
)  # fmt: skip


def _contested(world: World, mark: str) -> Arguments:
    world.task(mark)
    first = world.decide("common", mark)
    return {"name": mark, "first": first.id}


RECORD_CONFLICT = Operation(
    "record_conflict",
    _contested,
    lambda world, a: world.decisions().record_decision(
        a["name"], a["name"], "Another conclusion.", "For a reason.",
        supports=[EventSupportInput(task_name=a["name"], seq=1)], request_id=a["request"],
    ),
    "MATCH (d:Decision {choice_key: $name}) WITH count(d) AS decisions, count(d.contested_in) AS contested"
    + REQUESTED + "RETURN decisions, contested, count(q) AS requests",
    lambda before: {"decisions": 2, "contested": 2, "requests": 1},
)  # fmt: skip


def _conflict(world: World, mark: str) -> Arguments:
    world.task(mark)
    world.decide("common", mark)
    second = world.decide(mark, mark, conclusion="Another conclusion.")
    return {"name": mark, "id": second.id, "reason": f"Reason of {mark}"}


def _reject(world: World, a: Arguments) -> Result:
    return world.decisions().reject_decision(a["id"], a["reason"], request_id=a["request"])


RESOLVE_CONFLICT = Operation(
    "resolve_conflict",
    _conflict,
    _reject,
    "MATCH (d:Decision {choice_key: $name}) WITH sum(CASE WHEN d.status = 'active' THEN 1 ELSE 0 END) AS active, "
    "collect(d.rejection_reason) AS reasons, sum(CASE WHEN d.contested_in IS NOT NULL AND d.status = 'rejected' "
    "THEN 1 ELSE 0 END) AS marked" + REQUESTED
    + "RETURN toInteger(active) AS active, reasons, toInteger(marked) AS marked, count(q) AS requests",
    lambda before: {"active": 1, "reasons": [f"Reason of {before['mark']}"], "marked": 0, "requests": 1},
)  # fmt: skip


def _parent(world: World, mark: str) -> Arguments:
    """A decision that another rests on."""
    base = world.decide("common", mark, document="common")
    world.decide("common", f"{mark}-child", on=(base,))
    return {"name": mark, "id": base.id, "reason": f"Reason of {mark}"}


REJECT_DECISION = Operation(
    "reject_decision",
    _parent,
    _reject,
    "MATCH (d:Decision {id: $id})" + AWARE + "WITH d, count(child) AS unaware" + REQUESTED
    + "RETURN d.status AS status, d.rejection_reason AS reason, unaware, count(q) AS requests",
    lambda before: {"status": "rejected", "reason": f"Reason of {before['mark']}", "unaware": 0, "requests": 1},
)  # fmt: skip


def _superseding(world: World, mark: str) -> Arguments:
    return {**_parent(world, mark), **world.cites("common")}


SUPERSEDED = (
    "MATCH (d:Decision {id: $id})" + AWARE + "WITH d, count(child) AS unaware\n"
    "OPTIONAL MATCH (n:Decision)-[r:SUPERSEDES]->(d) WITH d, unaware, n, count(r) AS heads\n"
    "OPTIONAL MATCH (n)-[h:HAS_SUPPORT]->(s:DecisionSupport) WITH d, unaware, n, heads, count(s) AS supports\n"
    "OPTIONAL MATCH (t:Task)-[m:MADE]->(n) WITH d, unaware, n, heads, supports, count(m) AS made"
    + REQUESTED
    + "RETURN d.status AS status, unaware, n.revision AS revision, n.status AS next, heads, supports, made, "
    "count(q) AS requests"
)


def _superseded(supports: int) -> Callable[[Facts], Facts]:
    return lambda before: {
        "status": "superseded", "unaware": 0, "revision": 2, "next": "active", "heads": 1, "supports": supports,
        "made": 1, "requests": 1,
    }  # fmt: skip


SUPERSEDE_DECISION = Operation(
    "supersede_decision",
    _superseding,
    lambda world, a: world.decisions().supersede_decision(
        a["id"], f"New conclusion of {a['name']}", "For a reason.", explanation="Newer.",
        supports=a["supports"], fetched_evidence=a["fetched_evidence"], request_id=a["request"],
    ),
    SUPERSEDED,
    _superseded(1),
)  # fmt: skip


def _flagged(world: World, mark: str) -> Arguments:
    """A decision whose document changed elsewhere."""
    done(world.graph.add(text(mark), document_key=mark, project_id=PROJECT))
    base = world.decide("common", mark, document=mark)
    assert done(world.graph.update(mark, text(mark, 2))).flagged == 1
    return {"name": mark, "id": base.id, "note": f"Decision {base.id} reaffirmed.", **world.cites(mark)}


def _seen(world: World, mark: str) -> Arguments:
    arguments = _flagged(world, mark)
    case = world.decisions().review_case(arguments["id"])
    assert case
    return {**arguments, "seen": case.seen}


REAFFIRMED = (
    "MATCH (d:Decision {id: $id})-[:HAS_SUPPORT]->(s:DecisionSupport) WITH d, count(s) AS supports, "
    "sum(CASE WHEN s.current THEN 1 ELSE 0 END) AS current, max(s.recorded_activation_seq) AS seq\n"
    "OPTIONAL MATCH (t:Task)-[:HAS_EVENT]->(e:Event) WHERE t.id = d.task_id AND e.payload = $note\n"
    "WITH d, supports, current, seq, count(e) AS notes"
    + REQUESTED
    + "RETURN d.review_state AS state, supports, toInteger(current) AS current, seq, notes, "
    "size(coalesce(d.said, [])) AS said, count(q) AS requests"
)


def _reaffirmed(before: Facts) -> Facts:
    return {"state": "clear", "supports": 3, "current": 2, "seq": 2, "notes": 1, "said": 1, "requests": 1}


REAFFIRM_DECISION = Operation(
    "reaffirm_decision",
    _flagged,
    lambda world, a: world.decisions().reaffirm_decision(
        a["id"], a["supports"], fetched_evidence=a["fetched_evidence"], request_id=a["request"]
    ),
    REAFFIRMED,
    _reaffirmed,
)
REAFFIRM_STANDING = Operation(
    "reaffirm_where_it_stands",
    _seen,
    lambda world, a: world.decisions().reaffirm_where_it_stands(a["id"], expected=a["seen"], request_id=a["request"]),
    REAFFIRMED,
    _reaffirmed,
)
SUPERSEDE_STANDING = Operation(
    "supersede_where_it_stands",
    _seen,
    lambda world, a: world.decisions().supersede_where_it_stands(
        a["id"], explanation="As it stands now.", expected=a["seen"], request_id=a["request"]
    ),
    SUPERSEDED,
    _superseded(2),
)

REOPEN_DECISION = Operation(
    "reopen_decision",
    _parent,
    lambda world, a: world.decisions().reopen_decision(a["id"], a["reason"], request_id=a["request"]),
    "MATCH (d:Decision {id: $id})" + AWARE + "WITH d, count(child) AS unaware\n"
    "OPTIONAL MATCH (t:Task)-[:HAS_EVENT]->(e:Event) WHERE t.id = d.task_id AND e.payload ENDS WITH $reason\n"
    "WITH d, unaware, count(e) AS notes" + REQUESTED
    + "RETURN d.review_state AS state, d.cause_reason AS reason, unaware, notes, count(q) AS requests",
    lambda before: {"state": "needs_review", "reason": f"Reason of {before['mark']}", "unaware": 0, "notes": 1,
                    "requests": 1},
)  # fmt: skip


def _family(world: World, mark: str, *, grandchildren: bool = True) -> tuple[Decision, list[Decision]]:
    """In a project of its own: a root, decisions that rest on it, and one on each of those."""
    world.task(mark, project=mark)
    root = world.decide(mark, "root", project=mark)
    children = [world.decide(mark, f"child-{number}", project=mark, on=(root,)) for number in range(5)]
    for number, child in enumerate(children if grandchildren else []):
        world.decide(mark, f"grandchild-{number}", project=mark, on=(child,))
    return root, children


def _group(world: World, mark: str) -> Arguments:
    root, children = _family(world, mark, grandchildren=False)
    decisions = world.decisions(mark)
    done(decisions.reopen_decision(root.id, "Asked."))
    world.spread(mark)
    done(decisions.reaffirm_decision(root.id, []))
    group = decisions.group_of(root.id)
    return {
        "name": mark, "root": root.id, "ids": [each.id for each in children],
        "expected": {member.decision.id: member.seen for member in group.eligible},
    }  # fmt: skip


REAFFIRM_GROUP = Operation(
    "reaffirm_group",
    _group,
    lambda world, a: world.decisions(a["name"]).reaffirm_group(
        a["root"], decision_ids=a["ids"], expected=a["expected"], request_id=a["request"]
    ),
    "MATCH (t:Task {name: $name})-[:MADE]->(d:Decision) WITH t, sum(CASE WHEN d.review_state = 'clear' THEN 1 ELSE 0 "
    "END) AS clear OPTIONAL MATCH (t)-[:HAS_EVENT]->(e:Event) WHERE e.group_id IS NOT NULL\n"
    "RETURN toInteger(clear) AS clear, count(e) AS notes",
    lambda before: {"clear": 6, "notes": 5},
    steps=True,
)


def _pending(world: World, mark: str) -> Arguments:
    root, _ = _family(world, mark)
    done(world.decisions(mark).reject_decision(root.id, "Wrong."))
    return {"name": mark}


def _spread(world: World, a: Arguments) -> None:
    world.spread(a["name"])


CONTINUE_REVIEW = Operation(
    "continue_decision_review",
    _pending,
    _spread,
    "MATCH (t:Task {name: $name})-[:MADE]->(d:Decision) MATCH (p:Project {project_id: $name})\n"
    "RETURN toInteger(sum(CASE WHEN d.review_state = 'needs_review' THEN 1 ELSE 0 END)) AS flagged, toInteger(sum(CASE "
    "WHEN d.review_pending THEN 1 ELSE 0 END)) AS pending, p.review_incomplete AS incomplete",
    lambda before: {"flagged": 10, "pending": 0, "incomplete": False},
    steps=True,
    named=False,
)


# Documents

DOCUMENT = (
    "WITH 1 AS one OPTIONAL MATCH (doc:Document {document_key: $name})\n"
    "OPTIONAL MATCH (doc)-[:HAS_ACTIVATION]->(a:DocumentActivation) WITH doc, count(a) AS activations\n"
    "OPTIONAL MATCH (doc)-[h:HAS_PART]->(c:Chunk)\n"
    "WITH doc, activations, count(c) AS chunks, sum(CASE WHEN h.invalid_at IS NULL AND c IS NOT NULL THEN 1 ELSE 0 END)"
    " AS open OPTIONAL MATCH (d:Decision) WHERE d.choice_key STARTS WITH $citing\n"
    "WITH doc, activations, chunks, open, sum(CASE WHEN d.review_state = 'needs_review' THEN 1 ELSE 0 END) AS flagged\n"
    "OPTIONAL MATCH (p:Project)-[h:HAS_SOURCE]->(doc)\n"
    "RETURN doc.activation_seq AS seq, doc.current_content_hash AS hash, doc.flagging_ms IS NULL AS finished, "
    "activations, chunks, toInteger(open) AS open, toInteger(flagged) AS flagged, count(h) AS linked"
)


def _new_document(world: World, mark: str) -> Arguments:
    return {"name": mark, "citing": f"{mark}-"}


def _document(seq: int, edition: int | None, chunks: int, flagged: int) -> Callable[[Facts], Facts]:
    """``edition`` None: nothing is in force."""
    return lambda before: {
        "seq": seq, "hash": ids.text_digest(text(before["mark"], edition)) if edition else None, "finished": True,
        "activations": seq, "chunks": chunks, "open": 1 if edition else 0, "flagged": flagged, "linked": 1,
    }  # fmt: skip


ADD_DOCUMENT = Operation(
    "add_document",
    _new_document,
    lambda world, a: world.graph.add(text(a["name"]), document_key=a["name"], project_id=PROJECT),
    DOCUMENT,
    _document(1, 1, 1, 0),
    named=False,
)


def _cited(citers: int) -> Callable[[World, str], Arguments]:
    """A document with decisions that cite it, and one more on the first of them."""

    def prepare(world: World, mark: str) -> Arguments:
        done(world.graph.add(text(mark), document_key=mark, project_id=PROJECT))
        first = world.decide("common", f"{mark}-0", document=mark)
        for number in range(1, citers):
            world.decide("common", f"{mark}-{number}", document=mark)
        world.decide("common", f"child of {mark}", on=(first,))
        return {"name": mark, "citing": f"{mark}-"}

    return prepare


def _update(world: World, a: Arguments) -> Result:
    return world.graph.update(a["name"], text(a["name"], 2))


UPDATE_DOCUMENT = Operation("update_document", _cited(2), _update, DOCUMENT, _document(2, 2, 2, 2), named=False)
REMOVE_DOCUMENT = Operation(
    "remove_document", _cited(2), lambda world, a: world.graph.remove(a["name"]), DOCUMENT,
    _document(2, None, 1, 2), named=False,
)  # fmt: skip
PURGE_DOCUMENT = Operation(
    "purge_document", _cited(2), lambda world, a: world.graph.purge(a["name"]), DOCUMENT,
    _document(2, None, 0, 2), named=False,
)  # fmt: skip


def _update_many(world: World, a: Arguments) -> Result:
    """What a client does, and the worker's job behind it."""
    result = _update(world, a)
    while world.graph.continue_flagging(3):
        pass
    return result


FLAG_IN_BATCHES = Operation(
    "flagging_in_batches", _cited(7), _update_many, DOCUMENT, _document(2, 2, 2, 7), steps=True, named=False
)


def _lost(world: World, mark: str) -> Arguments:
    """Flags that another program lost."""
    arguments = _cited(3)(world, mark)
    done(world.graph.update(mark, text(mark, 2)))
    world.store.write(
        "MATCH (d:Decision) WHERE d.choice_key STARTS WITH $citing SET d.review_state = 'clear', d.flagged_ms = null",
        citing=arguments["citing"],
    )
    return arguments


def _sweep(world: World, a: Arguments) -> None:
    while world.decisions().sweep_lost_flags():
        pass


SWEEP = Operation("sweep_lost_flags", _lost, _sweep, DOCUMENT, _document(2, 2, 2, 3), steps=True, named=False)


def _unplaced(world: World, mark: str) -> Arguments:
    """Flags as agentic-graphrag raises them: without a place in the queue."""
    root, _ = _family(world, mark, grandchildren=False)
    world.store.write(
        "MATCH (t:Task {name: $name})-[:MADE]->(d:Decision) WHERE d.id <> $root SET d.review_state = 'needs_review', "
        "d.review_reason = 'dependency_review', d.dependents = null",
        name=mark,
        root=root.id,
    )
    return {"name": mark}


def _adopt(world: World, a: Arguments) -> None:
    while adopt_flags(world.store, project_id=a["name"], limit=2):
        pass


ADOPT = Operation(
    "adopt_flags",
    _unplaced,
    _adopt,
    "MATCH (t:Task {name: $name})-[:MADE]->(d:Decision) RETURN count(d) AS decisions, count(d.flagged_ms) AS placed",
    lambda before: {"decisions": 6, "placed": 5},
    steps=True,
    named=False,
)


# Retention


def _told(world: World, mark: str) -> Arguments:
    """An event that a decision rests on, another on that, and a second event with the same text."""
    world.task(mark)
    secret = f"{mark}: the account is GB29-NWBK-6016-1331."
    event = done(world.history().record_event(mark, "message", payload=secret)).event
    twin = done(world.history().record_event(mark, "note", payload=f"Again, {secret}")).event
    cited = [EventSupportInput(task_name=mark, seq=event.seq)]
    base = done(world.decisions().record_decision(mark, mark, "So it is.", "It says so.", supports=cited)).decision
    world.decide(mark, f"{mark}-child", on=(base,))
    return {"name": mark, "event": event.id, "secret": secret, "twin": twin.id, "id": base.id}


REDACTED = (
    "MATCH (d:Decision {id: $id})" + AWARE + "WITH d, count(child) AS unaware\n"
    "MATCH (t:Task {name: $name})-[:HAS_EVENT]->(e:Event)\n"
    "WITH d, unaware, sum(CASE WHEN e.redacted_at IS NOT NULL THEN 1 ELSE 0 END) AS redacted, "
    "sum(CASE WHEN e.payload CONTAINS $secret THEN 1 ELSE 0 END) AS bodies\n"
    "OPTIONAL MATCH (copy:Request) WHERE copy.result_json CONTAINS $secret WITH d, unaware, redacted, bodies, "
    "count(copy) AS copies OPTIONAL MATCH (x:Erasure) WHERE x.task_name = $name\n"
    "WITH d, unaware, redacted, bodies, copies, count(x) AS erasures" + REQUESTED + "RETURN d.review_state AS state, "
    "unaware, toInteger(redacted) AS redacted, toInteger(bodies) AS bodies, copies, erasures, count(q) AS requests"
)
REDACT_EVENT = Operation(
    "redact_event",
    _told,
    lambda world, a: world.retention().redact_event(a["event"], "Asked for.", request_id=a["request"]),
    REDACTED,
    lambda before: {"state": "needs_review", "unaware": 0, "redacted": 1, "bodies": 1, "copies": 1, "erasures": 1,
                    "requests": 1},
)  # fmt: skip
REDACT_COPIES = Operation(
    "redact_event_and_copies",
    _told,
    lambda world, a: world.retention().redact_event(
        a["event"], "Asked for.", also=[a["twin"]], request_id=a["request"]
    ),
    REDACTED,
    lambda before: {"state": "needs_review", "unaware": 0, "redacted": 2, "bodies": 0, "copies": 0, "erasures": 2,
                    "requests": 1},
    steps=True,
)  # fmt: skip


def _doomed(world: World, mark: str) -> Arguments:
    """A task with a bit of everything, and a decision elsewhere that rests on its first event."""
    world.task(mark, events=7)
    for number in range(4):
        done(world.history().set_step(mark, f"step {number}", "in_progress"))
        world.decide(mark, f"{mark}-{number}")
    cited = [EventSupportInput(task_name=mark, seq=1)]
    words = (f"outside of {mark}", "So it is.", "It says so.")
    outside = done(world.decisions().record_decision("common", *words, supports=cited)).decision
    return {"name": mark, "id": outside.id}


DELETE_TASK = Operation(
    "delete_task",
    _doomed,
    lambda world, a: world.retention().delete_task(a["name"], reason="Closed.", request_id=a["request"]),
    "MATCH (d:Decision {id: $id}) OPTIONAL MATCH (t:Task {name: $name}) WITH d, count(t) AS tasks\n"
    "OPTIONAL MATCH (e:Event) WHERE e.payload STARTS WITH ($name + ' event') WITH d, tasks, count(e) AS events\n"
    "OPTIONAL MATCH (k:Decision) WHERE k.choice_key STARTS WITH ($name + '-') WITH d, tasks, events, count(k) AS "
    "decisions OPTIONAL MATCH (x:Erasure) WHERE x.task_name = $name AND x.state = 'done'\n"
    "RETURN d.review_state AS state, tasks, events, decisions, count(x) AS erasures, "
    "[max(x.events), max(x.steps), max(x.decisions)] AS counted",
    lambda before: {"state": "needs_review", "tasks": 0, "events": 0, "decisions": 0, "erasures": 1,
                    "counted": [7, 4, 4]},
    steps=True,
)  # fmt: skip


PLACE_HOLD = Operation(
    "place_hold",
    lambda world, mark: {"name": world.task(mark)},
    lambda world, a: world.retention().place_hold("A lawsuit.", task_name=a["name"], request_id=a["request"]),
    "WITH 1 AS one OPTIONAL MATCH (h:LegalHold {task_name: $name}) WITH one, count(h) AS holds"
    + REQUESTED + "RETURN holds, count(q) AS requests",
    lambda before: {"holds": 1, "requests": 1},
)  # fmt: skip


def _held(world: World, mark: str) -> Arguments:
    hold = done(world.retention().place_hold("A lawsuit.", task_name=world.task(mark))).hold
    return {"name": mark, "hold": hold.id}


RELEASE_HOLD = Operation(
    "release_hold",
    _held,
    lambda world, a: world.retention().release_hold(a["hold"], "It is over.", request_id=a["request"]),
    "MATCH (h:LegalHold {id: $hold}) WITH h" + REQUESTED
    + "RETURN h.release_reason AS reason, h.released_by AS by, count(q) AS requests",
    lambda before: {"reason": "It is over.", "by": AGENT, "requests": 1},
)  # fmt: skip


def _old_requests(world: World, mark: str) -> Arguments:
    world.task(mark, project=mark, events=8)
    world.store.write(
        "MATCH (q:Request {project_id: $name}) WITH q ORDER BY q.id LIMIT 6 SET q.claimed_ms = 1", name=mark
    )
    return {"name": mark}


PRUNE_REQUESTS = Operation(
    "prune_requests",
    _old_requests,
    lambda world, a: world.retention(a["name"]).prune_requests(timedelta(days=8)),
    "MATCH (q:Request {project_id: $name}) WITH count(q) AS requests MATCH (t:Task {name: $name})\n"
    "OPTIONAL MATCH (t)-[:HAS_EVENT]->(e:Event) RETURN requests, count(e) AS events",
    lambda before: {"requests": 3, "events": 8},
    steps=True,
    named=False,
)

OPERATIONS = {
    each.name: each
    for each in (
        CREATE_TASK, RECORD_EVENT, RECORD_EVENTS, SET_STEP, CLOSE_TASK, REOPEN_TASK, RESUME_TASK, REPAIR_EVENTS,
        RECORD_DECISION, RECORD_CONFLICT, RESOLVE_CONFLICT, REJECT_DECISION, SUPERSEDE_DECISION, REAFFIRM_DECISION,
        REAFFIRM_STANDING, SUPERSEDE_STANDING, REOPEN_DECISION, REAFFIRM_GROUP, CONTINUE_REVIEW,
        ADD_DOCUMENT, UPDATE_DOCUMENT, REMOVE_DOCUMENT, PURGE_DOCUMENT, FLAG_IN_BATCHES, SWEEP, ADOPT,
        REDACT_EVENT, REDACT_COPIES, DELETE_TASK, PLACE_HOLD, RELEASE_HOLD, PRUNE_REQUESTS,
    )
}  # fmt: skip
