"""A process that dies between the audit row, the graph and the job (cases.md 50): afterwards all three agree."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from console import jobs
from console.audit import audit_verify
from console.models import AuditRow, Project
from reviews import services
from tests.reviews.factories import World
from tests.reviews.pages import TYPED, address_of, open_form


class Killed(BaseException):
    """Ends the request where it stands, past every handler."""


def die(*_: Any, **__: Any) -> None:
    raise Killed


def post_and_die(
    client: Client, address: str, form: dict[str, str], step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(services, step, die)
        with pytest.raises(Killed):
            client.post(address, form)


def run_the_jobs_later(monkeypatch: pytest.MonkeyPatch) -> None:
    now = timezone.now
    with monkeypatch.context() as patch:
        patch.setattr(jobs.timezone, "now", lambda: now() + timedelta(minutes=5))
        jobs.settle_audit()
        jobs.propagate_reviews()


@pytest.mark.parametrize(
    ("step", "stored"),
    [
        pytest.param("_send", False, id="after the intention"),
        pytest.param("_facts", True, id="after the graph"),
        pytest.param("propagate_soon", True, id="after the outcome"),
    ],
)
def test_audit_graph_and_job_agree_after_a_crash(
    client_of: Callable[..., Client], world: World, step: str, stored: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    reviewer = client_of("reviewer")
    parent = world.decision(choice="parent", events=[world.event("A report.")])
    child = world.decision(choice="child", parents=[parent])
    world.store.write(
        "MATCH (d:Decision {id: $id}) SET d.review_state = 'needs_review', d.review_reason = 'source_changed', "
        "d.flagged_ms = 1 RETURN d.id AS id",
        id=parent.id,
    )
    address, form = address_of(parent.id, "verdict/"), open_form(reviewer, parent.id) | TYPED["reject"]

    post_and_die(reviewer, address, form, step, monkeypatch)
    run_the_jobs_later(monkeypatch)

    assert (world.by_id(parent.id).status == "rejected") is stored
    assert [row.outcome for row in AuditRow.objects.order_by("number")] == [
        "intended",
        "done" if stored else "not_done",
    ]
    assert world.is_flagged(child.id) is stored
    assert not audit_verify(Project.objects.get(slug="claims"))
    assert reviewer.post(address, form).status_code == 302
    assert world.by_id(parent.id).status == "rejected"
