"""What the library does to one task, one document and the decisions on them, one write after the other.

A write is a function of a state: every outcome that it may have there, each with the state behind it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

Outcome = tuple[object, ...]
Choice = tuple[str, int]  # choice key and revision
REDACTED = "[REDACTED]"


@dataclass(frozen=True)
class Decision:
    """A decision. ``doc_seq`` is the activation that it cites; None: it cites no document."""

    status: str = "active"
    flagged: bool = False
    pending: bool = False
    doc_seq: int | None = None
    events: tuple[int, ...] = ()
    parents: tuple[Choice, ...] = ()


@dataclass(frozen=True)
class Document:
    """``text`` is the edition in force, ``kept`` those whose chunks are in the graph."""

    seq: int = 0
    text: int | None = None
    kept: frozenset[int] = frozenset()


@dataclass(frozen=True)
class State:
    """All of it.

    Attributes:
        phase: Where the task's deletion is; None: it is not being deleted.
        seen: Activation and edition that a client has fetched, and cites.
    """

    goal: str | None = None
    status: str = "open"
    phase: str | None = None
    events: tuple[str, ...] = ()
    steps: tuple[tuple[str, str], ...] = ()
    decisions: tuple[tuple[Choice, Decision], ...] = ()
    document: Document | None = None
    holds: int = 0
    seen: tuple[int, int] = (1, 1)

    def decision(self, which: Choice) -> Decision | None:
        return dict(self.decisions).get(which)

    def having(self, which: Choice, **changes: object) -> "State":
        known = dict(self.decisions)
        known[which] = replace(known.get(which, Decision()), **changes)  # type: ignore[arg-type]
        return replace(self, decisions=tuple(sorted(known.items(), key=lambda each: each[0])))

    def noting(self, payload: str) -> "State":
        return replace(self, events=(*self.events, payload))

    def newest(self, key: str) -> int:
        return max((revision for (choice, revision), _ in self.decisions if choice == key), default=0)

    def rests_on(self, which: Choice) -> list[Choice]:
        """Active decisions that cite it."""
        return [each for each, d in self.decisions if which in d.parents and d.status == "active"]

    def doubting(self, which: Choice, **changes: object) -> "State":
        """A decision ended or was flagged: the review is queued where something rests on it."""
        pending = {"pending": True} if self.rests_on(which) else {}
        return self.having(which, **changes, **pending)


Alternatives = list[tuple[Outcome, State]]
Step = Callable[[State], Alternatives]
RECORDED: Outcome = ("recorded",)


def refused(state: State, code: str) -> Alternatives:
    return [((code,), state)]


# Tasks


def create_task(state: State, goal: str) -> Alternatives:
    if state.goal is None:
        return [(RECORDED, replace(state, goal=goal, status="open", events=(), steps=(), holds=state.holds))]
    return [(RECORDED, state)] if state.goal == goal else refused(state, "task_exists")


def record_event(state: State, payload: str) -> Alternatives:
    if state.goal is None:
        return refused(state, "task_not_found")
    if state.phase:
        return refused(state, "being_deleted")
    return [(("recorded", len(state.events) + 1), state.noting(payload))]


def record_events(state: State, payloads: tuple[str, ...]) -> Alternatives:
    if state.goal is None:
        return refused(state, "task_not_found")
    if state.phase:
        return refused(state, "being_deleted")
    return [(("recorded", len(state.events) + 1), replace(state, events=(*state.events, *payloads)))]


def set_step(state: State, name: str, value: str) -> Alternatives:
    if state.goal is None:
        return refused(state, "task_not_found")
    if state.phase:
        return refused(state, "being_deleted")
    steps = tuple(sorted({**dict(state.steps), name: value}.items()))
    return [(("recorded", len(state.events)), replace(state, steps=steps))]


def set_status(state: State, status: str) -> Alternatives:
    if state.goal is None:
        return refused(state, "task_not_found")
    if state.phase:
        return refused(state, "being_deleted")
    running = sum(value == "in_progress" for _, value in state.steps) if status == "done" else 0
    return [(("recorded", len(state.events), running), replace(state, status=status))]


def resume_task(state: State) -> Alternatives:
    if state.goal is None:
        return refused(state, "task_not_found")
    if state.phase:
        return refused(state, "being_deleted")
    running = tuple(name for name, value in state.steps if value == "in_progress")
    steps = tuple((name, "unknown" if value == "in_progress" else value) for name, value in state.steps)
    return [(("recorded", running), replace(state, steps=steps))]


# Decisions


def _cited(state: State) -> tuple[str | None, bool]:
    """Of a passage as it was fetched: why it cannot be cited, and whether the source has moved on."""
    seq, text = state.seen
    document = state.document
    if document is None:
        return "support_document_not_found", False
    if text not in document.kept:
        return "support_not_fetched", False
    return None, (document.seq, document.text) != (seq, text)


def _event(state: State) -> str | None:
    """Why the first event cannot be cited."""
    if not state.events or state.events[0] == "":
        return "support_event_not_found"
    return "cannot_revalidate" if state.events[0] == REDACTED else None


def record_decision(state: State, key: str) -> Alternatives:
    """On the document and the first event."""
    if state.goal is None:
        return refused(state, "task_not_found")
    if state.phase:
        return refused(state, "being_deleted")
    newest = state.newest(key)
    last = state.decision((key, newest))
    if last and last.status != "rejected":
        return refused(state, "choice_exists")
    problem, moved = _cited(state)
    if problem := problem or _event(state):
        return refused(state, problem)
    made = state.having((key, newest + 1), flagged=moved, doc_seq=state.seen[0], events=(1,))
    return [(("recorded", newest + 1, moved), made)]


def record_child(state: State, key: str, parent: Choice) -> Alternatives:
    """On another decision alone."""
    if state.goal is None:
        return refused(state, "task_not_found")
    if state.phase:
        return refused(state, "being_deleted")
    newest = state.newest(key)
    last = state.decision((key, newest))
    if last and last.status != "rejected":
        return refused(state, "choice_exists")
    cited = state.decision(parent)
    if cited is None:
        return refused(state, "support_decision_not_found")
    if cited.status != "active":
        return refused(state, "support_decision_not_active")
    made = state.having((key, newest + 1), flagged=cited.flagged, parents=(parent,))
    return [(("recorded", newest + 1, cited.flagged), made)]


def supersede(state: State, which: Choice) -> Alternatives:
    old = state.decision(which)
    if old is not None and state.phase:
        return refused(state, "being_deleted")
    if old is None or old.status != "active":
        return refused(state, "supersede_target_invalid")
    problem, moved = _cited(state)
    if problem := problem or _event(state):
        return refused(state, problem)
    key, revision = which
    made = state.doubting(which, status="superseded", flagged=False)
    made = made.having((key, revision + 1), flagged=moved, doc_seq=state.seen[0], events=(1,))
    return [(("recorded", revision + 1, moved), made)]


def reject(state: State, which: Choice) -> Alternatives:
    old = state.decision(which)
    if old is None:
        return refused(state, "decision_not_found")
    if state.phase:
        return refused(state, "being_deleted")
    if old.status != "active":
        return refused(state, "decision_not_active")
    return [(RECORDED, state.doubting(which, status="rejected", flagged=False))]


def reaffirm(state: State, which: Choice, note: str) -> Alternatives:
    old = state.decision(which)
    if old is None:
        return refused(state, "decision_not_found")
    if state.phase:
        return refused(state, "being_deleted")
    if old.status != "active":
        return refused(state, "decision_not_active")
    document = state.document
    if old.doc_seq is not None and (document is None or document.text is None or document.text != state.seen[1]):
        return refused(state, "cannot_revalidate")
    if old.events and (problem := _event(state)):
        return refused(state, problem)
    for parent in old.parents:
        cited = state.decision(parent)
        if cited is None or cited.status != "active" or cited.flagged:
            return refused(state, "cannot_revalidate")
    if old.doc_seq is None:
        return [(RECORDED, state.having(which, flagged=False).noting(note))]
    assert document is not None
    if document.seq != state.seen[0]:
        return refused(state, "cannot_revalidate")
    return [(RECORDED, state.having(which, flagged=False, doc_seq=document.seq).noting(note))]


def reopen(state: State, which: Choice, note: str) -> Alternatives:
    old = state.decision(which)
    if old is None:
        return refused(state, "decision_not_found")
    if state.phase:
        return refused(state, "being_deleted")
    if old.status != "active":
        return refused(state, "decision_not_active")
    if old.flagged:
        return refused(state, "already_flagged")
    return [(RECORDED, state.doubting(which, flagged=True).noting(note))]


def spread_one(state: State) -> Alternatives:
    """One queued decision is worked off; which of several, its id decides."""
    queued = [which for which, d in state.decisions if d.pending]
    return [((1,), _spread(state, which)) for which in queued] or [((0,), state)]


def _spread(state: State, which: Choice) -> State:
    for child in state.rests_on(which):
        state = state.doubting(child, flagged=True)
    return state.having(which, pending=False)


def spread(state: State) -> State:
    """All queued ones."""
    while queued := [which for which, d in state.decisions if d.pending]:
        state = _spread(state, queued[0])
    return state


# The document


def update(state: State, text: int) -> Alternatives:
    document = state.document
    if document is None:
        return refused(state, "document_not_found")
    if document.text == text:
        return [(("no_op", document.seq), state)]
    after = _activated(state, Document(document.seq + 1, text, document.kept | {text}))
    return [(("new_version", document.seq + 1), after)]


def add(state: State, text: int) -> Alternatives:
    if state.document is None:
        return [(("new_version", 1), replace(state, document=Document(1, text, frozenset({text}))))]
    return update(state, text)


def remove(state: State) -> Alternatives:
    document = state.document
    if document is None:
        return refused(state, "document_not_found")
    if document.text is None:
        return [(("no_op", document.seq), state)]
    return [(("removed", document.seq + 1), _activated(state, Document(document.seq + 1, None, document.kept)))]


def purge(state: State) -> Alternatives:
    document = state.document
    if document is None:
        return refused(state, "document_not_found")
    if not document.kept:
        return [(("no_op", document.seq), state)]
    return [(("removed", document.seq + 1), _activated(state, Document(document.seq + 1)))]


def _activated(state: State, document: Document) -> State:
    state = replace(state, document=document)
    for which, each in state.decisions:
        if each.status == "active" and each.doc_seq not in (None, document.seq):
            state = state.doubting(which, flagged=True)
    return state


# Retention


def redact(state: State) -> Alternatives:
    """The first event."""
    if not state.events or state.events[0] == "":
        return refused(state, "event_not_found")
    if state.phase:
        return refused(state, "being_deleted")
    if state.holds:
        return refused(state, "on_hold")
    state = replace(state, events=(REDACTED, *state.events[1:]))
    for which, each in state.decisions:
        if each.status == "active" and 1 in each.events:
            state = state.doubting(which, flagged=True)
    return [(RECORDED, state)]


def delete_task(state: State) -> Alternatives:
    """It begins; finish() does the rest, a phase at a time."""
    if state.goal is None:
        return refused(state, "task_not_found")
    if state.phase:
        return refused(state, "being_deleted")
    if state.holds:
        return refused(state, "on_hold")
    return [(RECORDED, replace(state, goal="[DELETED]", status="done", phase="events"))]


def advance(state: State) -> State:
    """The next batch of the deletion, whoever does it."""
    if state.phase == "events":
        return replace(state, phase="steps", events=("",) * len(state.events))
    if state.phase == "steps":
        return replace(state, phase="decisions", steps=())
    if state.phase == "decisions":
        return replace(state, phase="finish", decisions=())
    if any(state.events) or state.steps or state.decisions:
        return replace(state, phase="events")
    return replace(state, goal=None, status="open", phase=None, events=())


def place_hold(state: State) -> Alternatives:
    if state.goal is None:
        return refused(state, "task_not_found")
    if state.phase:
        return refused(state, "being_deleted")
    return [(RECORDED, replace(state, holds=state.holds + 1))]


def release_hold(state: State) -> Alternatives:
    """The one hold that is there from the beginning."""
    if not state.holds:
        return refused(state, "hold_not_found")
    return [(RECORDED, replace(state, holds=state.holds - 1))]


# Is there an order?


@dataclass(frozen=True)
class Told:
    """A write and what its caller was told. Equal ones stand for one another."""

    name: str
    step: Step
    outcome: Outcome

    def __hash__(self) -> int:
        return hash((self.name, self.outcome))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Told) and (self.name, self.outcome) == (other.name, other.outcome)


def serial_order(begin: State, told: list[Told], end: Callable[[State], bool]) -> list[Told] | None:
    """An order of the writes in which each is told what it was told, and which ends as the graph does; None: none."""
    kinds = sorted(set(told), key=lambda each: (each.name, str(each.outcome)))
    start = (begin, tuple(told.count(each) for each in kinds))
    came: dict[tuple[State, tuple[int, ...]], tuple[object, Told | None]] = {start: (None, None)}
    waiting = [start]
    while waiting:
        node = waiting.pop()
        state, left = node
        if not any(left) and state.phase is None and end(spread(state)):
            return _way(came, node)
        for following, by in _next(state, left, kinds):
            if following not in came:
                came[following] = (node, by)
                waiting.append(following)
    return None


def _next(
    state: State, left: tuple[int, ...], kinds: list[Told]
) -> Iterator[tuple[tuple[State, tuple[int, ...]], Told | None]]:
    if state.phase:
        yield (advance(state), left), None
    for number, kind in enumerate(kinds):
        if left[number]:
            rest = (*left[:number], left[number] - 1, *left[number + 1 :])
            for outcome, after in kind.step(state):
                if outcome == kind.outcome:
                    yield (after, rest), kind


def _way(came: dict, node: object) -> list[Told]:  # type: ignore[type-arg]
    way: list[Told] = []
    while node is not None:
        node, by = came[node]
        if by:
            way.append(by)
    return way[::-1]
