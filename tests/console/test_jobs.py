"""Jobs: each does its work, may run twice, and is never needed for a page."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from console import jobs
from console.audit import audit_append, audit_verify
from console.celery import app
from console.models import AuditOutcome, AuditRow, JobBeat, Project
from reaffirm.decisions import DecisionTraces
from reaffirm.knowledge import flagging, statements
from tests.reviews.counting import CountingStore
from tests.reviews.factories import World

LOSE = "MATCH (d:Decision) WHERE d.id = $id SET d.review_state = 'clear' RETURN d.id AS id"


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[timedelta], None]:
    """Let the clock of the jobs run ahead."""

    def ahead(by: timedelta) -> None:
        now = timezone.now
        monkeypatch.setattr(jobs.timezone, "now", lambda: now() + by)

    yield ahead  # type: ignore[misc]
    monkeypatch.undo()


def test_a_worker_is_alive_for_half_a_minute_after_a_job(world: World) -> None:
    assert not jobs.worker_alive()

    jobs.settle_audit()
    assert jobs.worker_alive()

    JobBeat.objects.update(last_run_at=timezone.now() - timedelta(seconds=31))
    assert not jobs.worker_alive()


def test_propagation_flags_what_rests_on_a_rejected_decision(world: World) -> None:
    parent = world.flagged()
    child = world.decision(parents=[_clear(world, parent)], choice="child")
    grandchild = world.decision(parents=[child], choice="grandchild")
    assert world.traces.reject_decision(child.id, "No longer so.").recorded

    jobs.propagate_reviews()

    assert world.is_flagged(grandchild.id)
    assert JobBeat.objects.get(pk="propagate_reviews").detail != "0 handled"
    jobs.propagate_reviews()
    assert JobBeat.objects.get(pk="propagate_reviews").detail == "0 handled"


def _clear(world: World, decision: Any) -> Any:
    """A decision like it that is active and clear."""
    return world.decision(choice="parent", events=[world.event("The report.")])


def test_flags_that_an_activation_left_are_raised(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statements, "MAX_CITERS", 0)
    with monkeypatch.context() as patched:
        patched.setattr(flagging, "continue_flagging", lambda *_: 0)
        decision = world.flagged()
    counts = world.traces.review_counts()
    assert (counts.flagged, counts.listed) == (1, 0)

    for handled in ("1 handled", "0 handled"):
        jobs.raise_flags()
        assert JobBeat.objects.get(pk="raise_flags").detail == handled
    counts = world.traces.review_counts()
    assert counts.flagged == counts.listed == 1
    assert world.is_flagged(decision.id)


def test_lost_flags_are_found(world: World) -> None:
    decision = world.flagged()
    world.store.write(LOSE, id=decision.id)
    assert world.traces.review_counts().flagged == 0

    for handled in ("1 handled", "0 handled"):
        jobs.sweep_lost_flags()
        assert JobBeat.objects.get(pk="sweep_lost_flags").detail == handled
    assert world.traces.review_counts().flagged == 1


def test_flags_are_adopted(world: World) -> None:
    world.flagged()
    jobs.adopt_new_flags()

    assert JobBeat.objects.get(pk="adopt_new_flags").detail.endswith("handled")
    counts = world.traces.review_counts()
    assert counts.flagged == counts.listed == 1


def test_new_flags_are_compared_once(world: World) -> None:
    world.flagged()

    for handled in ("1 handled", "0 handled"):
        jobs.compare_new_flags()
        assert JobBeat.objects.get(pk="compare_new_flags").detail == handled
    assert world.traces.list_decisions_for_review().rows[0].states == {"edited": 1}


def intend(project: Project, request_id: str, target: str = "d", verb: str = "verdict.reject") -> AuditRow:
    return audit_append(
        project=project,
        actor="user:ana",
        verb=verb,
        target=target,
        outcome="intended",
        request_id=request_id,
    )


def outcomes(project: Project) -> list[tuple[str, str]]:
    rows = AuditRow.objects.filter(project=project).order_by("number")
    return [(row.request_id, row.outcome) for row in rows]


def test_an_old_intention_gets_the_outcome_that_the_graph_tells(
    world: World, project: Project, later: Callable[[timedelta], None]
) -> None:
    decision = world.flagged()
    intend(project, "written", decision.id)
    intend(project, "lost", decision.id)
    ana = DecisionTraces(world.store, project_id=world.project_id, agent_id="user:ana")
    assert ana.reject_decision(decision.id, "Gone.", request_id="written").recorded

    jobs.settle_audit()
    assert len(outcomes(project)) == 2

    later(timedelta(seconds=61))
    for _ in range(2):
        jobs.settle_audit()

    assert outcomes(project)[2:] == [("written", AuditOutcome.DONE), ("lost", AuditOutcome.NOT_DONE)]
    settled = AuditRow.objects.get(project=project, number=3)
    assert (settled.actor, settled.verb, settled.target) == ("user:ana", "verdict.reject", decision.id)
    assert audit_verify(project) == []


@pytest.mark.parametrize(("author", "verb"), [("user:bo", "verdict.reject"), ("user:ana", "verdict.reaffirm")])
def test_an_intention_is_not_settled_by_what_its_number_served_for_before(
    author: str, verb: str, world: World, project: Project, later: Callable[[timedelta], None]
) -> None:
    decision = world.flagged()
    other = DecisionTraces(world.store, project_id=world.project_id, agent_id=author)
    assert other.reject_decision(decision.id, "Gone.", request_id="used").recorded
    intend(project, "used", decision.id, verb)

    later(timedelta(seconds=61))
    jobs.settle_audit()

    assert outcomes(project)[1:] == [("used", AuditOutcome.NOT_DONE)]


def test_an_outcome_that_was_unknown_is_settled_and_a_known_one_is_left(
    world: World, project: Project, later: Callable[[timedelta], None]
) -> None:
    for request_id, outcome in (("a", "unknown"), ("b", "done"), ("c", "stale")):
        intend(project, request_id)
        audit_append(
            project=project, actor="user:ana", verb="v", target="d", outcome=outcome, request_id=request_id, detail=""
        )
    later(timedelta(seconds=61))
    jobs.settle_audit()

    assert outcomes(project)[6:] == [("a", AuditOutcome.NOT_DONE)]


def test_settling_does_not_read_settled_rows_again(
    world: World, project: Project, counted: CountingStore, later: Callable[[timedelta], None]
) -> None:
    for number in range(5):
        intend(project, f"r{number}")
    later(timedelta(seconds=61))
    jobs.settle()
    counted.reset()

    later(timedelta(seconds=61))
    jobs.settle()

    assert counted.reads == 0


def test_two_runs_of_one_job_do_not_meet(project: Project) -> None:
    with jobs._lease("x") as first, jobs._lease("x") as second, jobs._lease("y") as other:
        assert (first, second, other) == (True, False, True)
    with jobs._lease("x") as again:
        assert again


def test_the_lease_of_a_killed_run_ends(project: Project) -> None:
    JobBeat.objects.create(pk="x", running_until=timezone.now() - timedelta(seconds=1))

    with jobs._lease("x") as mine:
        assert mine


def test_a_store_that_is_down_is_told_by_the_beat(project: Project, graph_down: None) -> None:
    jobs.propagate_reviews()

    assert JobBeat.objects.get(pk="propagate_reviews").detail == "store: StoreUnavailable"
    assert jobs.worker_alive()


# Queueing


@pytest.fixture(autouse=True)
def no_memory_of_a_dead_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "_broker_quiet_until", 0.0)


def test_a_job_is_queued_by_name(settings: Any) -> None:
    assert jobs.propagate_soon()


@pytest.mark.parametrize("url", ["redis://127.0.0.1:1/0", "amqp://127.0.0.1:1//", "redis://10.255.255.1:6379/0"])
def test_a_broker_that_is_down_neither_fails_nor_stalls_the_page(url: str, settings: Any) -> None:
    settings.CELERY_BROKER_URL = url
    begun = timezone.now()

    assert not jobs.propagate_soon()
    assert timezone.now() - begun < timedelta(seconds=3)


def test_a_dead_broker_is_left_alone_for_a_while(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.CELERY_BROKER_URL = "redis://127.0.0.1:1/0"
    jobs.propagate_soon()
    settings.CELERY_BROKER_URL = "memory://"

    assert not jobs.propagate_soon()


def test_every_beat_names_a_job_that_exists() -> None:
    app.loader.import_default_modules()
    scheduled = {entry["task"] for entry in app.conf.beat_schedule.values()}

    assert scheduled <= set(app.tasks)
    assert app.conf.task_acks_late
    assert app.conf.accept_content == ["json"]


def test_the_default_broker_is_the_embedded_server(settings: Any, tmp_path: Any) -> None:
    from console.celery import broker_url
    from reaffirm.store import embedded

    settings.CELERY_BROKER_URL = ""
    settings.BROKER_FOLDER = tmp_path / "graph"
    try:
        url = broker_url()
        assert url.startswith("redis+socket://:")
        assert url.endswith("?virtual_host=1")
        assert jobs.propagate_soon()
    finally:
        embedded.stop(tmp_path / "graph")
