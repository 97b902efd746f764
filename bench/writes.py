"""Recording a decision and the three verdicts, by one client and by eight."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from bench import writer
from bench.figures import Figure, at_least, at_most, figure_of
from bench.measure import Call, Sample, Side, interleaved
from bench.peer import asked
from bench.run import Run, recorded
from bench.sources import UNTOUCHED, Source, write_source
from bench.world import BIGGEST
from reaffirm import ids
from reaffirm.decisions.models import DocumentSupportInput, EventSupportInput, SupportInput

TASKS = 64
KEY = "bench/verdicts.md"
EXPLANATION = "It still stands."


@dataclass
class Desk:
    """Flagged decisions in the biggest project, and how each side writes on them."""

    run: Run
    source: Source
    waiting: Iterator[str]
    fetched: Any
    peer_fetched: Any
    numbers: Iterator[int]

    @property
    def evidence_id(self) -> str:
        return self.source.evidence_id(UNTOUCHED, 2)

    def supports(self, task: str) -> list[SupportInput]:
        return [DocumentSupportInput(evidence_id=self.evidence_id), EventSupportInput(task_name=task, seq=1)]

    def peer_supports(self, task: str) -> list[dict[str, Any]]:
        return [{"evidence_id": self.evidence_id}, {"task_name": task, "seq": 1}]

    @property
    def request_id(self) -> str:
        """A new one: who wants to be safe against a lost answer gives one, and so both products do all their work."""
        return f"verdict-{next(self.numbers)}"

    # Ours

    def record(self) -> Call:
        number, request_id = next(self.numbers), self.request_id
        return lambda: recorded(
            self.run.traces(BIGGEST).record_decision(
                task_name(number),
                f"new-{number}",
                "Answer it.",
                "It says so.",
                supports=self.supports(task_name(number)),
                fetched_evidence=self.fetched,
                request_id=request_id,
            )
        )

    def reaffirm(self) -> Call:
        decision_id, request_id = next(self.waiting), self.request_id
        return lambda: recorded(
            self.run.traces(BIGGEST).reaffirm_decision(
                decision_id,
                [DocumentSupportInput(evidence_id=self.evidence_id)],
                fetched_evidence=self.fetched,
                request_id=request_id,
                explanation=EXPLANATION,
            )
        )

    def reject(self) -> Call:
        decision_id, request_id = next(self.waiting), self.request_id
        return lambda: recorded(
            self.run.traces(BIGGEST).reject_decision(decision_id, "No longer.", request_id=request_id)
        )

    def supersede(self) -> Call:
        decision_id, request_id = next(self.waiting), self.request_id
        return lambda: recorded(
            self.run.traces(BIGGEST).supersede_decision(
                decision_id,
                "Answer it at once.",
                "It says so.",
                explanation=EXPLANATION,
                supports=self.supports(task_name(0)),
                fetched_evidence=self.fetched,
                request_id=request_id,
            )
        )

    # agentic-graphrag

    def peer_record(self) -> dict[str, Any]:
        number = next(self.numbers)
        return asked(
            "decisions.record_decision",
            task_name(number),
            f"new-{number}",
            "Answer it.",
            "It says so.",
            supports=self.peer_supports(task_name(number)),
            fetched_evidence=self.peer_fetched,
            request_id=self.request_id,
            project=BIGGEST,
        )

    def peer_reaffirm(self) -> dict[str, Any]:
        return asked(
            "decisions.reaffirm_decision",
            next(self.waiting),
            [{"evidence_id": self.evidence_id}],
            fetched_evidence=self.peer_fetched,
            request_id=self.request_id,
            explanation=EXPLANATION,
            project=BIGGEST,
        )

    def peer_reject(self) -> dict[str, Any]:
        return asked(
            "decisions.reject_decision", next(self.waiting), "No longer.", request_id=self.request_id, project=BIGGEST
        )

    def peer_supersede(self) -> dict[str, Any]:
        return asked(
            "decisions.supersede_decision",
            next(self.waiting),
            "Answer it at once.",
            "It says so.",
            explanation=EXPLANATION,
            supports=self.peer_supports(task_name(0)),
            fetched_evidence=self.peer_fetched,
            request_id=self.request_id,
            project=BIGGEST,
        )


def task_name(number: int) -> str:
    return f"verdicts-{number % TASKS:02d}"


def calls_of(run: Run, clients: int) -> tuple[int, int]:
    """Of ours, and of agentic-graphrag, in one turn."""
    many = 1 if clients == 1 else 4
    return run.effort.calls * many, run.effort.peer_calls * many


def desk(run: Run) -> Desk:
    """Write tasks and flagged decisions: as many as will be used up."""
    source = write_source(run.graph, KEY, 2)
    for number in range(TASKS):
        recorded(run.history(BIGGEST).create_task(task_name(number), "Give verdicts."))
    writer.events(run.store, {ids.task_id(BIGGEST, task_name(number)): 1 for number in range(TASKS)})
    used = 3 * sum(
        (run.effort.rounds + 1) * (2 * ours + theirs) for ours, theirs in (calls_of(run, n) for n in run.effort.clients)
    )
    rows = [_flagged(run.server.kind, source, number) for number in range(used)]
    writer.write_all(run.store, writer.DECISIONS, rows)
    evidence_id = source.evidence_id(UNTOUCHED, 2)
    return Desk(
        run,
        source,
        iter([row["decision"]["id"] for row in rows]),
        run.graph.fetch([evidence_id]),
        run.peer.call("documents.fetch", [evidence_id], [KEY], project=BIGGEST),
        itertools.count(),
    )


def _flagged(kind: str, source: Source, number: int) -> writer.Row:
    task = ids.task_id(BIGGEST, task_name(number))
    supports = [source.support(UNTOUCHED, 1), writer.event_support(task, task_name(number), 1)]
    flag = writer.flag_by_document(source.id, source.activation_id, 2, ids.milliseconds(writer.AT), 0)
    return writer.decision(kind, BIGGEST, task, f"flagged-{number}", supports, **flag)


def measure(run: Run) -> Iterator[Figure]:
    """The four writes, by one client and by eight."""
    at = desk(run)
    operations: list[tuple[str, Callable[[], Call], Callable[[], dict[str, Any]]]] = [
        ("record a decision", at.record, at.peer_record),
        ("reaffirm", at.reaffirm, at.peer_reaffirm),
        ("reject", at.reject, at.peer_reject),
        ("supersede", at.supersede, at.peer_supersede),
    ]
    for (name, ours, theirs), clients in itertools.product(operations, run.effort.clients):
        reads, writes = run.statements_of(ours())
        sides = compare(run, ours, theirs, clients)
        ratio = sides["ours"].rate / sides["agrag"].rate
        yield figure_of(
            f"{name}, {clients} client{'s' * (clients > 1)}",
            sides,
            [
                at_least(ratio, 5, "× agrag"),
                at_least(sides["ours"].rate / sides["bare"].rate, 0.6, "of bare"),
                at_most(writes, 1, "write"),
                at_most(reads, 1, "read"),
            ],
            rates=True,
        )


def compare(run: Run, ours: Callable[[], Call], theirs: Callable[[], dict[str, Any]], clients: int) -> dict[str, Side]:
    """The three sides in turn, each on decisions of its own."""
    many, few = calls_of(run, clients)
    run.theirs([theirs() for _ in range(clients)], clients)
    run.below(run.held([ours()]))
    return interleaved(
        {
            "ours": lambda _: run.ours([ours() for _ in range(many)], clients),
            "agrag": lambda _: settled(run, run.theirs([theirs() for _ in range(few)], clients)),
            "bare": lambda _: run.below(run.held([ours() for _ in range(many)]), clients),
        },
        run.effort.rounds,
    )


def settled(run: Run, sample: Sample) -> Sample:
    """agentic-graphrag queues each verdict for spreading, though nothing rests on it: worked off, as an agent would."""
    while run.traces(BIGGEST).continue_decision_review():
        pass
    return sample
