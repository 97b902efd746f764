"""The console on a graph that agentic-graphrag wrote."""

from typing import TYPE_CHECKING, Any

import pytest

from tests.interop.agrag import PROJECT
from tests.interop.worlds import PERSON, POLICY, POLICY_2, Both, write_graph

if TYPE_CHECKING:
    from django.test import Client


@pytest.fixture
def ana(db: None, console_graph: str) -> "Client":
    """A reviewer's browser, in a console project on agentic-graphrag's."""
    from django.contrib.auth.models import User
    from django.test import Client

    from console.models import Membership, Project

    project = Project.objects.create(slug="atlas", name="Atlas", graph_id=PROJECT)
    user = User.objects.create_user("ana", password="long enough 1")
    Membership.objects.create(project=project, user=user, role="reviewer")
    client = Client()
    client.force_login(user)
    return client


def queue(client: Any) -> set[str]:
    """Ids of the flags that the queue shows."""
    from tests.reviews.pages import soup

    response = client.get("/p/atlas/queue/", follow=True)
    assert response.status_code == 200
    return {str(row["id"]).removeprefix("flag-") for row in soup(response).select("[id^=flag-]")}


def test_the_queue_shows_its_flags_and_verdicts_reach_it(ana: "Client", both: Both) -> None:
    """No job has run: a page finds the flags, and their place in the order, by itself."""
    from tests.reviews.pages import TYPED, sealed, text_of

    made = write_graph(both)
    both.theirs.documents.update(POLICY, POLICY_2)
    both.spread()
    theirs = set(both.their_flags())
    assert len(theirs) == 6

    assert queue(ana) == theirs
    page = ana.get(f"/p/atlas/decisions/{made.region}/")
    assert "Audit logs are kept for one year in the Frankfurt region." in text_of(page)
    assert ana.get("/p/atlas/conflicts/").status_code == 200
    task = both.ours_of(made.region).task_id
    assert "The auditor wants ninety days." in text_of(ana.get(f"/p/atlas/tasks/{task}/"))

    verdicts = {made.region: "reaffirm", made.exports: "supersede", made.vault: "reject"}
    for decision_id, verdict in verdicts.items():
        address = f"/p/atlas/decisions/{decision_id}/"
        assert ana.post(f"{address}verdict/", sealed(ana.get(address)) | TYPED[verdict]).status_code == 302

    statuses = {decision_id: both.theirs_of(decision_id)["status"] for decision_id in verdicts}
    assert statuses == {made.region: "active", made.exports: "superseded", made.vault: "rejected"}
    assert both.theirs_of(made.region)["review_state"] == "clear"
    assert both.theirs_of(made.region)["supports"][0]["reviewed_by"] == PERSON
    assert queue(ana) == set(both.their_flags()) == theirs - set(verdicts)


def test_every_page_of_its_decisions_opens(ana: "Client", both: Both) -> None:
    from dataclasses import astuple

    made = write_graph(both)
    both.theirs.documents.update(POLICY, POLICY_2)  # and not spread yet
    for decision_id in astuple(made):
        assert ana.get(f"/p/atlas/decisions/{decision_id}/").status_code == 200
    flagged = {made.backup, made.region, made.exports, made.vault}
    assert queue(ana) == flagged
