"""The writes of the races: each as a call of the library and as a step of the model, on a scene of its own."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from reaffirm import ids
from reaffirm.decisions.models import DecisionSupportInput, DocumentSupportInput, EventSupportInput
from reaffirm.history import EventInput
from reaffirm.knowledge.models import FetchOutcome
from reaffirm.store import GraphStore
from tests.soak import model
from tests.soak.model import Choice, Decision, Document, Outcome, State
from tests.soak.operations import COMMON, World, done, text

BASE: Choice = ("base", 1)
CHILD: Choice = ("child", 1)
TASK, GOAL = "task", "Goal of the task"
FIRST = "The first event of this scene's log."


@dataclass
class Scene:
    """A project with a task, a document, a decision on both, and one on that. All names in the graph are its own."""

    world: World
    name: str
    held: bool = False
    hold: str = ""
    fetched: tuple[FetchOutcome, ...] = ()
    known: State = field(default_factory=State)

    def begin(self) -> None:
        """Make it in the graph; ``known`` is then its state."""
        history = self.world.history(self.name)
        done(history.create_task(TASK, GOAL))
        done(history.record_event(TASK, "note", payload=self.payload(FIRST)))
        done(history.set_step(TASK, "step", "in_progress"))
        done(self.world.graph.add(self.text(1), document_key=self.name))
        self.fetch()
        done(self.record("base"))
        done(self.child("child"))
        state = State(
            goal=GOAL,
            events=(self.payload(FIRST),),
            steps=(("step", "in_progress"),),
            document=Document(1, 1, frozenset({1})),
        )
        state = state.having(BASE, doc_seq=1, events=(1,)).having(CHILD, parents=(BASE,))
        if self.held:
            placed = done(self.world.retention(self.name).place_hold("A lawsuit.", task_name=TASK)).hold
            self.hold, state = placed.id, model.place_hold(state)[0][1]
        self.known = state

    def fetch(self) -> None:
        """Fetch the cited sentence as it is now."""
        evidence = self.world.graph.cite(self.name, COMMON)
        self.fetched = self.world.graph.fetch([evidence])

    def through(self, world: World) -> "Scene":
        """The same scene, reached through another store."""
        return replace(self, world=world)

    @property
    def task_id(self) -> str:
        return ids.task_id(self.name, TASK)

    def id_of(self, which: Choice) -> str:
        return ids.decision_id(self.task_id, *which)

    def text(self, edition: int) -> str:
        return text(self.name, edition)

    def payload(self, words: str) -> str:
        return f"{self.name}: {words}"

    def cited(self) -> dict[str, Any]:
        document = DocumentSupportInput(evidence_id=self.fetched[0].evidence_id)
        return {
            "supports": [document, EventSupportInput(task_name=TASK, seq=1)],
            "fetched_evidence": self.fetched,
        }

    # Calls

    def record(self, key: str) -> Any:
        decisions = self.world.decisions(self.name)
        return decisions.record_decision(TASK, key, "So it is.", "It says so.", **self.cited())

    def child(self, key: str) -> Any:
        decisions, parent = self.world.decisions(self.name), DecisionSupportInput(decision_id=self.id_of(BASE))
        return decisions.record_decision(TASK, key, "So it follows.", "It says so.", supports=[parent])

    def supersede(self, which: Choice) -> Any:
        decisions = self.world.decisions(self.name)
        words = {"explanation": "Newer.", **self.cited()}
        return decisions.supersede_decision(self.id_of(which), "So it is now.", "It says so.", **words)

    def reaffirm(self, which: Choice) -> Any:
        cited = self.cited() if which == BASE else {"supports": [], "fetched_evidence": ()}
        documents = [each for each in cited["supports"] if isinstance(each, DocumentSupportInput)]
        decisions, fetched = self.world.decisions(self.name), cited["fetched_evidence"]
        return decisions.reaffirm_decision(self.id_of(which), documents, fetched_evidence=fetched)

    # What the graph holds

    def look(self, store: GraphStore) -> dict[str, Any]:
        """In the words of told()."""
        (row,) = store.read(LOOK, task_id=self.task_id, key=self.name)
        return {
            "task": row["task"],
            "events": [payload for _, payload in sorted(row["events"])],
            "steps": dict(row["steps"]),
            "decisions": {(key, revision): tuple(facts) for key, revision, facts in row["decisions"]},
            "document": row["document"],
            "holds": row["holds"],
        }

    def told(self, state: State) -> dict[str, Any]:
        """A state of the model as look() would tell it."""
        document = state.document
        hash_now = ids.text_digest(self.text(document.text)) if document and document.text else None
        return {
            "task": [state.goal, state.status, len(state.events)] if state.goal else None,
            "events": list(state.events),
            "steps": dict(state.steps),
            "decisions": {which: self._facts(each) for which, each in state.decisions},
            "document": [document.seq, hash_now, int(bool(document.text)), len(document.kept)] if document else None,
            "holds": state.holds,
        }

    @staticmethod
    def _facts(each: Decision) -> tuple[object, ...]:
        supports = len(each.events) + len(each.parents) + (each.doc_seq is not None)
        return each.status, each.flagged, each.pending, each.doc_seq, supports


LOOK = """
WITH 1 AS one
OPTIONAL MATCH (t:Task {id: $task_id})
WITH t
OPTIONAL MATCH (e:Event {task_id: $task_id})
WITH t, collect(CASE WHEN e IS NULL THEN null ELSE [e.seq, e.payload] END) AS events
OPTIONAL MATCH (s:Step {task_id: $task_id})
WITH t, events, collect(CASE WHEN s IS NULL THEN null ELSE [s.name, s.state] END) AS steps
OPTIONAL MATCH (d:Decision {task_id: $task_id})
OPTIONAL MATCH (d)-[h:HAS_SUPPORT]->(x:DecisionSupport) WHERE x.current = true
WITH t, events, steps, d, count(x) AS supports, max(x.recorded_activation_seq) AS seq
WITH t, events, steps, collect(CASE WHEN d IS NULL THEN null ELSE [d.choice_key, d.revision, [d.status,
  d.review_state = 'needs_review', coalesce(d.review_pending, false), seq, supports]] END) AS decisions
OPTIONAL MATCH (doc:Document {document_key: $key})
OPTIONAL MATCH (doc)-[p:HAS_PART]->(c:Chunk)
WITH t, events, steps, decisions, doc, count(c) AS parts,
  sum(CASE WHEN p.invalid_at IS NULL AND c.content_hash IS NOT NULL THEN 1 ELSE 0 END) AS open
OPTIONAL MATCH (k:LegalHold {task_id: $task_id})
WITH t, events, steps, decisions, doc, parts, open,
  sum(CASE WHEN k.id IS NOT NULL AND k.released_at IS NULL THEN 1 ELSE 0 END) AS holds
RETURN CASE WHEN t IS NULL THEN null ELSE [t.goal, t.status, t.event_seq] END AS task, events, steps, decisions,
  CASE WHEN doc IS NULL THEN null ELSE [doc.activation_seq, doc.current_content_hash, toInteger(open), parts] END
  AS document, toInteger(holds) AS holds
"""

Call = Callable[[Scene, str], Outcome]


@dataclass(frozen=True)
class Act:
    """One write: what a client calls, and what the model does. ``client`` is a name that no other call has.

    Attributes:
        own: What it writes tells the client.
    """

    name: str
    call: Call
    step: Callable[[Scene, str, State], model.Alternatives]
    own: bool = False

    def told(self, scene: Scene, client: str, outcome: Outcome) -> model.Told:
        """What became of one client's call."""
        name = f"{self.name} by {client}" if self.own else self.name
        return model.Told(name, partial(self.step, scene, client), outcome)


def _plain(result: Any, *more: object) -> Outcome:
    return ("recorded", *more) if result.recorded else (result.error,)


def _decided(result: Any) -> Outcome:
    made = result.decision
    return _plain(result, made.revision, made.review_state == "needs_review") if made else _plain(result)


def _ingested(result: Any) -> Outcome:
    return (result.decision, result.activation_seq) if result.recorded else (result.error,)


def _event(scene: Scene, client: str) -> Outcome:
    result = scene.world.history(scene.name).record_event(TASK, "note", payload=scene.payload(client))
    return _plain(result, result.event.seq) if result.event else _plain(result)


def _batch(scene: Scene, client: str) -> tuple[str, ...]:
    return tuple(scene.payload(f"{client}, event {number}") for number in range(3))


def _events(scene: Scene, client: str) -> Outcome:
    batch = [EventInput(kind="note", payload=payload) for payload in _batch(scene, client)]
    result = scene.world.history(scene.name).record_events(TASK, batch)
    return _plain(result, result.first_seq)


def _step(value: str) -> Act:
    def call(scene: Scene, client: str) -> Outcome:
        result = scene.world.history(scene.name).set_step(TASK, "step", value)
        return _plain(result, result.step.updated_seq) if result.step else _plain(result)

    return Act(f"set_step {value}", call, lambda scene, client, state: model.set_step(state, "step", value))


def _status(name: str, status: str) -> Act:
    def call(scene: Scene, client: str) -> Outcome:
        result = getattr(scene.world.history(scene.name), name)(TASK, request_id=f"{scene.name}-{client}")
        return _plain(result, result.task.event_seq, result.steps_in_progress) if result.task else _plain(result)

    return Act(name, call, lambda scene, client, state: model.set_status(state, status))


def _resume(scene: Scene, client: str) -> Outcome:
    result = scene.world.history(scene.name).resume_task(TASK)
    return _plain(result, result.marked) if result.recorded else _plain(result)


def _create(goal: str) -> Act:
    def call(scene: Scene, client: str) -> Outcome:
        return _plain(scene.world.history(scene.name).create_task(TASK, goal))

    return Act(f"create_task ({goal})", call, lambda scene, client, state: model.create_task(state, goal))


def _recording(key: str) -> Act:
    return Act(
        f"record_decision {key}",
        lambda scene, client: _decided(scene.record(key)),
        lambda scene, client, state: model.record_decision(state, key),
    )


def _reaffirming(which: Choice) -> Act:
    return Act(
        f"reaffirm {which[0]}",
        lambda scene, client: _plain(scene.reaffirm(which)),
        lambda scene, client, state: model.reaffirm(state, which, f"Decision {scene.id_of(which)} reaffirmed."),
    )


def _changing(name: str, edition: int) -> Act:
    def call(scene: Scene, client: str) -> Outcome:
        if name == "add":
            return _ingested(scene.world.graph.add(scene.text(edition), document_key=scene.name))
        return _ingested(scene.world.graph.update(scene.name, scene.text(edition)))

    step = {"add": model.add, "update": model.update}[name]
    return Act(f"{name} edition {edition}", call, lambda scene, client, state: step(state, edition))


def _ending(name: str) -> Act:
    step = {"remove": model.remove, "purge": model.purge}[name]
    return Act(
        name,
        lambda scene, client: _ingested(getattr(scene.world.graph, name)(scene.name)),
        lambda scene, client, state: step(state),
    )


def _verdict(name: str, which: Choice) -> Act:
    def call(scene: Scene, client: str) -> Outcome:
        if name == "supersede":
            return _decided(scene.supersede(which))
        method = getattr(scene.world.decisions(scene.name), f"{name}_decision")
        return _plain(method(scene.id_of(which), "For a reason."))

    def step(scene: Scene, client: str, state: State) -> model.Alternatives:
        if name == "reopen":
            return model.reopen(state, which, f"Decision {scene.id_of(which)} reopened: For a reason.")
        return {"supersede": model.supersede, "reject": model.reject}[name](state, which)

    return Act(f"{name} {which[0]}", call, step)


def _retaining(name: str) -> Act:
    def call(scene: Scene, client: str) -> Outcome:
        retention = scene.world.retention(scene.name)
        calls: dict[str, Callable[[], Any]] = {
            "redact": lambda: retention.redact_event(ids.event_id(scene.task_id, 1), "Asked for."),
            "delete_task": lambda: retention.delete_task(TASK, reason="Closed."),
            "place_hold": lambda: retention.place_hold("A lawsuit.", task_name=TASK),
            "release_hold": lambda: retention.release_hold(scene.hold, "It is over."),
        }
        return _plain(calls[name]())

    return Act(name, call, lambda scene, client, state: getattr(model, name)(state))


ACTS = {
    each.name: each
    for each in (
        _create(GOAL),
        _create("Another goal"),
        Act(
            "record_event",
            _event,
            lambda scene, client, state: model.record_event(state, scene.payload(client)),
            own=True,
        ),
        Act(
            "record_events",
            _events,
            lambda scene, client, state: model.record_events(state, _batch(scene, client)),
            own=True,
        ),
        _step("in_progress"),
        _step("failed"),
        _status("close_task", "done"),
        _status("reopen_task", "open"),
        Act("resume_task", _resume, lambda scene, client, state: model.resume_task(state)),
        _recording("base"),
        _recording("new"),
        Act(
            "record_decision on base",
            lambda scene, client: _decided(scene.child("leaf")),
            lambda scene, client, state: model.record_child(state, "leaf", BASE),
        ),
        _verdict("supersede", BASE),
        _verdict("reject", BASE),
        _verdict("reopen", BASE),
        _reaffirming(BASE),
        _reaffirming(CHILD),
        _verdict("reject", CHILD),
        Act(
            "continue_decision_review",
            lambda scene, client: (scene.world.decisions(scene.name).continue_decision_review(1),),
            lambda scene, client, state: model.spread_one(state),
        ),
        _changing("add", 2),
        _changing("update", 2),
        _changing("update", 3),
        _changing("update", 1),
        _ending("remove"),
        _ending("purge"),
        _retaining("redact"),
        _retaining("delete_task"),
        _retaining("place_hold"),
        _retaining("release_hold"),
    )
}
