"""Sixteen reviewers post a verdict on one flag at once."""

import os
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connections
from django.test import Client

from console.audit import audit_verify
from console.models import AuditRow, Membership, Project
from tests.reviews.factories import ELSEWHERE, World
from tests.reviews.pages import TYPED, address_of, open_form, text_of
from tests.reviews.people import signed_in

REVIEWERS = 16
ROUNDS = int(os.environ.get("RACE_ROUNDS", "5"))
VERDICTS = list(TYPED)


@pytest.fixture
def reviewers(project: Project) -> list[Client]:
    for number in range(REVIEWERS):
        user = User.objects.create_user(f"reviewer-{number}", first_name="Reviewer", last_name=str(number))
        Membership.objects.create(project=project, user=user, role="reviewer")
    return [signed_in(f"reviewer-{number}") for number in range(REVIEWERS)]


def at_once(calls: list[Any]) -> list[Any]:
    """Run all of them from one starting line, each in its own thread."""
    line, answers = threading.Barrier(len(calls)), [None] * len(calls)

    def run(number: int) -> None:
        try:
            line.wait(30)
            answers[number] = calls[number]()
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    return answers


@pytest.mark.django_db(transaction=True)
def test_exactly_one_verdict_is_stored_and_the_others_learn_whose(world: World, reviewers: list[Client]) -> None:
    """cases.md 68, and the audit log holds all attempts with their outcome."""
    for number in range(ROUNDS):
        one_round(world, reviewers, number)
    assert not audit_verify(Project.objects.get(slug="claims"))


def one_round(world: World, reviewers: list[Client], number: int) -> None:
    key = f"policy-{number}"
    flag = world.flagged(ELSEWHERE, key=key, choice=f"round-{number}").id
    address, before = address_of(flag, "verdict/"), AuditRow.objects.count()
    forms = [open_form(client, flag) | TYPED[VERDICTS[each % 3]] for each, client in enumerate(reviewers)]

    answers = at_once(
        [
            lambda client=client, form=form: client.post(address, form)
            for client, form in zip(reviewers, forms, strict=True)
        ]
    )

    codes = sorted(answer.status_code for answer in answers)
    assert codes == [302] + [409] * (REVIEWERS - 1)
    winner = next(each for each, answer in enumerate(answers) if answer.status_code == 302)
    standing = world.by_id(flag).verdict
    assert standing and standing.by == f"user:reviewer-{winner}"
    assert standing.kind == VERDICTS[winner % 3]
    for answer in answers:
        if answer.status_code == 409:
            said = text_of(answer, "#stale")
            assert f"Reviewer {winner}" in said
            assert standing.kind.value[:6] in said.lower()
    rows = list(AuditRow.objects.order_by("number"))[before:]
    assert len(rows) == 2 * REVIEWERS
    assert sorted(row.outcome for row in rows) == ["done"] + ["intended"] * REVIEWERS + ["stale"] * (REVIEWERS - 1)
    revisions = [
        each
        for each in world.traces.list_decisions("refund-LM-20931").decisions
        if each.choice_key == f"round-{number}"
    ]
    assert len([each for each in revisions if each.status == "active"]) == (0 if standing.kind == "reject" else 1)


@pytest.fixture(autouse=True)
def no_threads_left() -> Iterator[None]:
    yield
    assert threading.active_count() < 60
