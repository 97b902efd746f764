"""Background jobs. Each is safe to run twice, to kill, and to leave out: verdicts never wait for one."""

import logging
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING

from celery import shared_task
from django.db.models import Q
from django.utils import timezone
from kombu import Connection

from console.audit import audit_append
from console.graph import graph_store
from console.models import AuditHead, AuditOutcome, AuditRow, JobBeat, Project
from reaffirm.store import StoreError

if TYPE_CHECKING:
    from reaffirm.decisions.models import DecisionResult

log = logging.getLogger(__name__)
ALIVE = timedelta(seconds=30)
LEASE = timedelta(seconds=30)
RUN_SECONDS = 15.0
FLAGGED_AT_ONCE = 20_000
SWEPT_AT_ONCE = 5_000
SETTLE_AFTER = timedelta(seconds=60)
SETTLE_ROWS = 500


def worker_alive() -> bool:
    """Whether any job ran within the last 30 s, so that pages can say when dependents wait to be flagged."""
    return JobBeat.objects.filter(last_run_at__gt=timezone.now() - ALIVE).exists()


@shared_task(name="console.jobs.propagate_reviews")
def propagate_reviews() -> None:
    _run("propagate_reviews", propagate)


@shared_task(name="console.jobs.raise_flags")
def raise_flags() -> None:
    _run("raise_flags", flag)


@shared_task(name="console.jobs.sweep_lost_flags")
def sweep_lost_flags() -> None:
    _run("sweep_lost_flags", sweep)


@shared_task(name="console.jobs.adopt_new_flags")
def adopt_new_flags() -> None:
    _run("adopt_new_flags", adopt)


@shared_task(name="console.jobs.compare_new_flags")
def compare_new_flags() -> None:
    _run("compare_new_flags", compare)


@shared_task(name="console.jobs.settle_audit")
def settle_audit() -> None:
    _run("settle_audit", settle)


def propagate() -> int:
    """Let every review spread to the decisions that rest on its root, for at most RUN_SECONDS."""
    from reaffirm.decisions import DecisionTraces

    until, handled = time.monotonic() + RUN_SECONDS, 0
    for project in Project.objects.order_by("pk"):
        traces = DecisionTraces(graph_store(), project_id=project.graph_id, agent_id="job:reviews")
        while time.monotonic() < until and (units := traces.continue_decision_review(100)):
            handled += units
    return handled


def flag() -> int:
    """Raise the flags that activations left to batches, in all projects, for at most RUN_SECONDS."""
    from reaffirm.knowledge import Graph

    until, looked_at = time.monotonic() + RUN_SECONDS, 0
    while time.monotonic() < until and (done := Graph(graph_store()).continue_flagging(FLAGGED_AT_ONCE)):
        looked_at += done
    return looked_at


def sweep() -> int:
    """Raise flags that another program lost, from anywhere in the graph on, for at most RUN_SECONDS."""
    from reaffirm.decisions import Sweep

    walk, until = Sweep(graph_store(), limit=SWEPT_AT_ONCE, start=str(uuid.uuid4())), time.monotonic() + RUN_SECONDS
    for _ in walk.pages():
        if time.monotonic() > until:
            break
    return walk.raised


def adopt() -> int:
    """Give flags that an agrag agent raised the facts that the queue's order needs."""
    from reaffirm.decisions import adopt_flags

    return sum(adopt_flags(graph_store(), project_id=project.graph_id) for project in Project.objects.order_by("pk"))


def compare() -> int:
    """Find where the cited passages of new flags stand now, for the queue's lanes, for at most RUN_SECONDS."""
    from reaffirm.decisions import compare_flags

    until, compared = time.monotonic() + RUN_SECONDS, 0
    for project in Project.objects.order_by("pk"):
        while time.monotonic() < until and (done := compare_flags(graph_store(), project.graph_id)):
            compared += done
    return compared


def settle() -> int:
    """Give each old intention without an outcome its outcome, as the graph tells it."""
    return sum(_settle_project(project) for project in Project.objects.order_by("pk"))


def _settle_project(project: Project) -> int:
    from reaffirm.decisions import DecisionTraces

    head = AuditHead.objects.filter(project=project).first()
    if head is None:
        return 0
    old = timezone.now() - SETTLE_AFTER
    rows = AuditRow.objects.filter(project=project, number__gt=head.settled_to, at__lt=old)
    settled, reached = 0, head.settled_to
    for row in rows.order_by("number")[:SETTLE_ROWS]:
        if row.outcome == AuditOutcome.INTENDED and not _has_outcome(row):
            traces = DecisionTraces(graph_store(), project_id=project.graph_id, agent_id="job:audit")
            found = traces.find_request(row.request_id)
            outcome = AuditOutcome.DONE if found and _tells_of(found, row) else AuditOutcome.NOT_DONE
            audit_append(
                project=project,
                actor=row.actor,
                verb=row.verb,
                target=row.target,
                outcome=outcome,
                request_id=row.request_id,
                detail="settled by a job",
            )
            settled += 1
        reached = row.number
    AuditHead.objects.filter(project=project, settled_to__lt=reached).update(settled_to=reached)
    return settled


def _tells_of(found: "DecisionResult", row: AuditRow) -> bool:
    """Whether what was written under a number is what the row intended: the number may have served before."""
    given = found.given
    return given is not None and (f"verdict.{given[0].value}", given[1]) == (row.verb, row.actor)


def _has_outcome(row: AuditRow) -> bool:
    later = AuditRow.objects.filter(project=row.project_id, request_id=row.request_id, number__gt=row.number)
    # An outcome of "unknown" is no outcome yet.
    return later.exclude(outcome__in=[AuditOutcome.INTENDED, AuditOutcome.UNKNOWN]).exists()


def _run(name: str, job: Callable[[], int]) -> None:
    with _lease(name) as mine:
        if not mine:
            return
        try:
            detail = f"{job()} handled"
        except StoreError as error:
            # The beat comes again; a trace every five seconds while the store is down helps nobody.
            log.warning("%s: %s: %s", name, type(error).__name__, error)
            detail = f"store: {type(error).__name__}"
        JobBeat.objects.filter(pk=name).update(last_run_at=timezone.now(), detail=detail[:200])


@contextmanager
def _lease(name: str) -> Iterator[bool]:
    """One run of a job at a time, however many beats ask for it. The lease of a killed run ends by itself."""
    now = timezone.now()
    JobBeat.objects.get_or_create(pk=name)
    free = JobBeat.objects.filter(Q(running_until=None) | Q(running_until__lt=now), pk=name)
    mine = bool(free.update(running_until=now + LEASE))
    try:
        yield mine
    finally:
        if mine:
            JobBeat.objects.filter(pk=name, running_until=now + LEASE).update(running_until=None)


def propagate_soon() -> bool:
    """Ask a worker to run propagation now, after a verdict. False when no broker took it: the beat comes anyway.

    Never raises and never waits longer than a second: the verdict is already in the graph.
    """
    if time.monotonic() < _broker_quiet_until:
        return False
    queued = threading.Event()
    thread = threading.Thread(target=_queue_propagation, args=(queued,), daemon=True)
    thread.start()
    thread.join(ENQUEUE_SECONDS)
    return queued.is_set()


def _queue_propagation(queued: threading.Event) -> None:
    global _broker_quiet_until
    from console.celery import app, broker_url

    try:
        # A connection of its own: a worker's may wait for the broker, a page may not.
        with Connection(broker_url(), connect_timeout=1, transport_options=ENQUEUE_LIMITS) as connection:
            app.send_task(propagate_reviews.name, connection=connection, retry=False, ignore_result=True, expires=60)
        queued.set()
    except Exception as error:  # noqa: BLE001  each broker raises its own kinds, and none may reach the page
        log.warning("no job was queued: %s: %s", type(error).__name__, error)
        _broker_quiet_until = time.monotonic() + BROKER_QUIET_SECONDS


ENQUEUE_SECONDS = 1.0
ENQUEUE_LIMITS = {"socket_connect_timeout": 1, "socket_timeout": 2, "max_retries": 0, "retry_on_timeout": False}
BROKER_QUIET_SECONDS = 10.0
_broker_quiet_until = 0.0
