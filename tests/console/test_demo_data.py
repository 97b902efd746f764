"""The demo's data: a reviewer meets every state of a passage, every reason, conflicts and chains."""

from collections import Counter
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth import authenticate
from django.core.management import CommandError, call_command

from console.audit import audit_verify
from console.demo.story import story
from console.graph import graph_store
from console.models import AuditRow, Membership, Project
from reaffirm.decisions import DecisionTraces
from reaffirm.decisions.models import DecisionStatus, ReviewReason, ReviewState, VerdictKind
from reaffirm.history import ConversationHistory
from reaffirm.history.models import EventKind, StepState
from reaffirm.knowledge import Graph
from reaffirm.knowledge.models import AnchorState

pytestmark = pytest.mark.django_db
SLUG = "claims-and-refunds"


def demo(*words: str) -> list[str]:
    out = StringIO()
    call_command("demo", *words, stdout=out)
    return out.getvalue().splitlines()


def traces() -> DecisionTraces:
    return DecisionTraces(graph_store(), project_id=SLUG, agent_id="user:test")


def history() -> ConversationHistory:
    return ConversationHistory(graph_store(), project_id=SLUG, agent_id="user:test")


@pytest.fixture
def told(console_graph: str) -> list[str]:
    """The demo on an empty graph; what the command printed."""
    return demo()


# One test, since the story takes seconds to tell: it reads what a reviewer would meet, and tells it again.
def test_a_reviewer_meets_everything(told: list[str]) -> None:
    page = traces().list_decisions_for_review(limit=200)
    assert page.counts.by_reason.keys() == set(ReviewReason)
    assert 25 <= page.counts.flagged == page.counts.listed <= 31
    assert not page.counts.spreading

    states: Counter[str] = Counter()
    for row in page.rows:
        states.update(row.states)
    assert states.keys() == {state.value for state in AnchorState}
    assert all(row.words_added is not None for row in page.rows), "not compared"
    assert max(row.citations for row in page.rows) == 20
    assert any(row.decision.title.startswith("هل") for row in page.rows)
    assert any(len(row.decision.rationale) > 1_000 for row in page.rows)

    _conflicts()
    _chains(page.rows)
    _tasks()
    assert all(2 <= len(Graph(graph_store()).versions(f"{SLUG}/{name}")) <= 3 for name in story().titles)

    _signing_in(told)
    before = _everything()
    assert demo() == [line for line in told if line.startswith("sign-in ")]
    assert _everything() == before


def _conflicts() -> None:
    groups = traces().list_conflicts().groups
    assert sorted(len(group.decisions) for group in groups) == [2, 3]
    assert traces().review_counts().conflicts == 2


def _chains(rows: Any) -> None:
    """A cited decision that changed, whose dependents have dependents; one that was superseded; revisions; verdicts."""
    by_key = {row.decision.choice_key: row for row in rows}
    below = [by_key[key] for key in ("credit-note-lm-20931", "ledger-entry-lm-20931", "vat-correction-november")]
    assert {row.decision.review_reason for row in below} == {ReviewReason.DEPENDENCY_REVIEW}
    case = traces().review_case(by_key["night-roster"].decision.id)
    assert case is not None
    parents = [citation.parent for citation in case.citations if citation.parent]
    assert [parent.status for parent in parents] == [DecisionStatus.SUPERSEDED]
    assert any(citation.event for citation in case.citations)
    revised = traces().review_case(by_key["return-of-goods"].decision.id)
    assert revised is not None
    assert [each.revision for each in revised.revisions] == [3, 2, 1]

    decisions = _decisions()
    assert len(decisions) >= 40
    verdicts = {each.verdict.kind for each in decisions if each.verdict}
    assert verdicts == set(VerdictKind)
    assert {each.status for each in decisions} == set(DecisionStatus)
    assert any(each.review_state is ReviewState.CLEAR and each.verdict for each in decisions)


def _tasks() -> None:
    tasks = history().list_tasks(limit=100).tasks
    assert len(tasks) >= 6
    kinds: set[EventKind] = set()
    states: set[StepState] = set()
    for task in tasks:
        kinds |= {event.kind for event in history().list_events(task.name, limit=200).events}
        states |= {step.state for step in history().list_steps(task.name, limit=200).steps}
    assert kinds == set(EventKind)
    assert states == set(StepState)
    assert max(task.event_seq for task in tasks) > 50


def _signing_in(told: list[str]) -> None:
    lines = [line.split() for line in told if line.startswith("sign-in ")]
    assert [role for _, role, _, _ in lines] == ["reviewer", "lead", "compliance", "viewer", "admin"]
    for _, role, name, password in lines:
        user = authenticate(username=name, password=password)
        assert user is not None
        assert Membership.objects.filter(project__slug=SLUG, user__username=name, role=role).exists()
    assert list(Membership.objects.filter(user__username="ana").values_list("role", flat=True)) == ["reviewer"]


def _decisions() -> list[Any]:
    tasks = history().list_tasks(limit=100).tasks
    return [each for task in tasks for each in traces().list_decisions(task.name, limit=100).decisions]


def _everything() -> tuple[Any, ...]:
    rows = AuditRow.objects.count()
    assert not audit_verify(Project.objects.get(slug=SLUG))
    tasks = history().list_tasks(limit=100).tasks
    return rows, _decisions(), tasks, [Graph(graph_store()).versions(f"{SLUG}/{name}") for name in story().titles]


def test_a_telling_that_was_interrupted_is_taken_up(
    falkordb_url: str, graph_url: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph_url(falkordb_url)
    record, calls = DecisionTraces.record_decision, iter(range(1_000))

    def breaks(self: DecisionTraces, *words: Any, **named: Any) -> Any:
        if next(calls) == 30:
            raise KeyboardInterrupt
        return record(self, *words, **named)

    monkeypatch.setattr(DecisionTraces, "record_decision", breaks)
    with pytest.raises(KeyboardInterrupt):
        demo()

    demo()

    counts = traces().review_counts()
    assert 25 <= counts.flagged <= 31
    assert counts.by_reason.keys() == set(ReviewReason)
    assert len(_decisions()) == len({(each.task_id, each.choice_key, each.revision) for each in _decisions()})


def test_public_passwords_stay_out_of_other_databases(settings: Any, tmp_path: Any) -> None:
    settings.VAR_DIR = tmp_path
    with pytest.raises(CommandError, match="--force"):
        demo()
    assert not Project.objects.filter(slug=SLUG).exists()


def test_a_graph_that_is_down_is_said(graph_down: None) -> None:
    with pytest.raises(CommandError):
        demo()
