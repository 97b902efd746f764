"""What we ingested and recorded, in the hands of agentic-graphrag; and reviews that one begins and the other ends."""

from typing import Any

import pytest

from reaffirm.decisions import adopt_flags, propagation
from reaffirm.decisions.models import DecisionSupportInput, DocumentSupportInput, EventSupportInput, ReviewReason
from reaffirm.knowledge.models import AnchorState
from tests.interop.worlds import LOGS, POLICY, POLICY_1, POLICY_2, Both

OURS = "docs/ours.md"
WINDOW = "A customer who reports damage within 14 days of delivery receives a refund in full."
POST = "Every notice is sent by post, and a copy of it is kept for as long as the claim is open."
FILLER = "\n\n".join(
    f"Rule {number} says that case {number} is handled by desk {number}, in writing." for number in range(40)
)
TEXT_1 = f"# Refunds 🚀\n\n{WINDOW}\n\n## Cases\n\n{FILLER}\n\n## Notices\n\n{POST}\n"
TEXT_2 = TEXT_1.replace("within 14 days", "within 10 days")
TEXT_3 = TEXT_2.replace("by post", "by mail")


@pytest.fixture
def task(both: Both) -> str:
    assert both.our_history.create_task("refunds", "Settle the claim.").recorded
    return "refunds"


def ingest(both: Both, text: str) -> None:
    result = both.our_graph.add(text, document_key=OURS, title="Refund policy", media_type="text/markdown")
    assert result.recorded, result


def record(both: Both, task: str, choice: str, *quotes: str, parents: tuple[str, ...] = ()) -> str:
    """Our record_decision on what we ingested."""
    ids = [both.our_graph.cite(OURS, quote) for quote in quotes]
    result = both.ours.record_decision(
        task,
        choice,
        f"Do as {choice} says",
        "The policy says so.",
        supports=[
            *(DocumentSupportInput(evidence_id=each) for each in ids),
            *(DecisionSupportInput(decision_id=each) for each in parents),
        ],
        fetched_evidence=both.our_graph.fetch(ids),
    )
    assert result.decision, result
    return result.decision.id


def evidence(*ids: str) -> list[dict[str, Any]]:
    return [{"evidence_id": each} for each in ids]


def test_it_reads_every_passage_of_ours(both: Both) -> None:
    """Our chunks touch, so words across two of them are whole for it too."""
    ingest(both, TEXT_1)
    passages = both.our_graph.passages(OURS)
    assert len(passages) > 2
    across = both.our_graph.cite(OURS, FILLER)
    for theirs, ours in zip(both.fetched(*passages), both.our_graph.fetch(passages), strict=True):
        assert (theirs["text"], theirs["status_of_version"]) == (ours.text, "current")
        assert (theirs["title"], theirs["document_key"]) == ("Refund policy", OURS)
    assert both.fetched(across)[0]["text"] == FILLER
    assert [each["id"] for each in both.theirs.documents.evidence(OURS)] == list(passages)
    status = both.theirs.documents.source_status(OURS)
    current = both.our_graph.versions(OURS)[-1]
    assert (status["content_hash"], status["activation_seq"]) == (current.content_hash, current.activation_seq)


def test_it_reaffirms_and_supersedes_what_we_recorded(both: Both, task: str) -> None:
    ingest(both, TEXT_1)
    notices, window = record(both, task, "notices", POST), record(both, task, "window", WINDOW)
    event = both.our_history.record_event(task, "message", payload="It came on day 12.", role="user").event
    assert event
    assert both.theirs_of(notices)["review_state"] == "clear"
    ingest(both, TEXT_2)
    assert both.flags() == dict.fromkeys((notices, window), ("needs_review", ReviewReason.SOURCE_CHANGED))

    post = both.our_graph.cite(OURS, POST)
    reaffirmed = both.theirs.decisions.reaffirm_decision(
        notices, evidence(post), fetched_evidence=both.fetched(post), request_id="reaffirm-1"
    )
    assert reaffirmed["recorded"], reaffirmed
    ten = both.our_graph.cite(OURS, WINDOW.replace("14", "10"))
    superseded = both.theirs.decisions.supersede_decision(
        window,
        "Refuse the claim",
        "Ten days now.",
        explanation="The window is shorter.",
        supports=evidence(ten) + [{"task_name": task, "seq": event.seq}],
        fetched_evidence=both.fetched(ten),
    )
    assert superseded["recorded"], superseded
    both.spread()

    assert both.flags() == {}
    ours = both.ours_of(notices)
    assert ours.verdict and (ours.verdict.kind, ours.verdict.by) == ("reaffirm", "planner-1")
    history = both.ours.list_support_history(notices).supports
    assert [(each.current, each.reviewed_by) for each in history] == [(False, "planner-1"), (True, "planner-1")]
    assert both.our_history.list_events(task).events[-1].payload == f"Decision {notices} reaffirmed."
    assert both.ours_of(window).status == "superseded"
    case = both.case(superseded["decision"]["id"])
    assert [each.id for each in case.revisions] == [case.decision.id, window]
    assert case.decision.supersession_explanation == "The window is shorter."
    assert [each.anchor.state for each in case.citations if each.anchor] == [AnchorState.EXACT]


def test_both_may_ingest_one_document(both: Both, task: str) -> None:
    """The same words in its hands are another version, since its chunks are others; the passages stay exact."""
    ingest(both, TEXT_1)
    notices = record(both, task, "notices", POST)
    same = both.theirs.documents.update(OURS, TEXT_1)
    both.spread()
    assert same["decision"] == "new_version"
    assert both.flags() == {notices: ("needs_review", ReviewReason.SOURCE_CHANGED)}
    (citation,) = both.case(notices).citations
    assert citation.anchor and citation.anchor.state is AnchorState.EXACT and citation.current_text == POST
    assert both.ours.reaffirm_where_it_stands(notices, expected=both.case(notices).seen).recorded
    assert both.flags() == {}

    both.theirs.documents.update(OURS, TEXT_3)
    both.spread()
    case = both.case(notices)
    (citation,) = case.citations
    assert citation.anchor and citation.anchor.state is AnchorState.EDITED
    assert citation.current_text == POST.replace("by post", "by mail")
    assert [each.activation_seq for each in both.our_graph.versions(OURS)] == [1, 2, 3]

    back = both.our_graph.update(OURS, TEXT_1)
    assert (back.decision, back.activation_seq, back.flagged) == ("new_version", 4, 1)
    assert both.our_graph.text(OURS) == TEXT_1
    assert [each["id"] for each in both.theirs.documents.evidence(OURS)] == list(both.our_graph.passages(OURS))
    (citation,) = both.case(notices).citations
    assert citation.anchor and citation.anchor.state is AnchorState.EXACT
    assert both.our_graph.update(OURS, TEXT_1).decision == "no_op"


def test_a_version_of_ours_flags_what_they_recorded(both: Both) -> None:
    both.theirs.documents.update(POLICY, POLICY_1)
    assert both.theirs.history.create_task("audit", "Check")["recorded"]
    region = both.record("audit", "logs.region", both.passage(POLICY, LOGS))
    first, second = POLICY_1.replace("²", "2"), POLICY_2

    assert both.our_graph.update(POLICY, first).decision == "no_op"
    assert both.our_graph.update(POLICY, second, author="user:ana").flagged == 1

    assert not both.incomplete()  # nothing rests on it
    assert both.flags() == {region: ("needs_review", ReviewReason.SOURCE_CHANGED)}
    cause = both.case(region).cause
    assert cause and cause.version and cause.version.activation_seq == 2
    assert both.our_graph.remove(POLICY).flagged == 1
    assert both.flags() == {region: ("needs_review", ReviewReason.SOURCE_REMOVED)}
    assert both.theirs.documents.source_status(POLICY)["state"] == "deleted"


# Reviews that one begins and the other ends


def chain(both: Both, task: str, length: int) -> list[str]:
    """Decisions each of which rests on the one before, recorded by the two in turn; the first cites our document."""
    made = [record(both, task, "link-0", WINDOW)]
    for number in range(1, length):
        choice, parent = f"link-{number}", made[-1]
        if number % 2:
            made.append(both.record(task, choice, supports=({"decision_id": parent},)))
        else:
            made.append(record(both, task, choice, parents=(parent,)))
    return made


@pytest.mark.parametrize("first", ["theirs", "ours"])
def test_a_review_that_one_begins_the_other_ends(both: Both, task: str, first: str) -> None:
    ingest(both, TEXT_1)
    links = chain(both, task, 5)
    begins, ends = both.theirs.decisions, both.ours
    if first == "ours":
        begins, ends = ends, begins
        assert both.our_graph.update(OURS, TEXT_2).flagged == 1
    else:
        both.theirs.documents.update(OURS, TEXT_2)

    assert begins.continue_decision_review(limit=1) == 1
    assert both.incomplete() and set(both.our_flags()) == set(links[:2])
    assert ends.continue_decision_review(limit=1) == 1
    assert begins.continue_decision_review(limit=1) == 1
    assert both.incomplete() and set(both.our_flags()) == set(links[:4])
    while ends.continue_decision_review(limit=100):
        pass

    assert not both.incomplete()
    assert set(both.flags()) == set(links)
    assert begins.continue_decision_review(limit=10) == 0


@pytest.mark.parametrize("first", ["theirs", "ours"])
def test_a_long_list_of_dependents_goes_on_from_the_others_cursor(
    both: Both, task: str, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More dependents than one step flags: 100 there; ours is told to take no more here."""
    monkeypatch.setattr(propagation, "CHILDREN", 100)
    ingest(both, TEXT_1)
    root = record(both, task, "root", WINDOW)
    leaves = {record(both, task, f"leaf-{number:03d}", parents=(root,)) for number in range(130)}
    assert both.ours.reject_decision(root, "Wrong from the start.").recorded
    begins, ends = (both.theirs.decisions, both.ours) if first == "theirs" else (both.ours, both.theirs.decisions)

    begins.continue_decision_review(limit=1)
    counts = both.ours.review_counts()
    assert counts.flagged == 100 and counts.spreading
    while ends.continue_decision_review(limit=100):
        pass

    assert not both.incomplete()
    adopt_flags(both.store)
    page = both.ours.list_decisions_for_review(limit=200)
    assert {each.id for each in page.decisions} == leaves
    assert both.theirs.decisions.list_decisions_for_review()["count"] == len(leaves)


def test_it_cites_our_events_and_decisions(both: Both, task: str) -> None:
    ingest(both, TEXT_1)
    ours = record(both, task, "window", WINDOW)
    assert both.our_history.record_event(task, "message", payload="Day 12.", role="user").recorded
    event = {"task_name": task, "seq": 1}
    theirs = both.record(task, "claim", both.our_graph.cite(OURS, POST), supports=(event, {"decision_id": ours}))

    case = both.case(theirs)
    assert [each.support.kind for each in case.citations] == ["document", "event", "decision"]
    assert case.citations[0].cited_text == POST
    assert case.citations[1].event and case.citations[1].event.payload == "Day 12."
    assert case.citations[2].parent and case.citations[2].parent.id == ours
    again = both.ours.record_decision(
        task,
        "next",
        "c",
        "r",
        supports=[DecisionSupportInput(decision_id=theirs), EventSupportInput(task_name=task, seq=1)],
    )
    assert again.decision
    assert [each["kind"] for each in both.theirs_of(again.decision.id)["supports"]] == ["decision", "event"]


def test_a_step_of_either_reads_the_same(both: Both, task: str) -> None:
    ingest(both, TEXT_1)
    assert both.our_history.record_event(task, "note", payload="The window is 14 days.", name="step:read").recorded
    window = both.our_graph.cite(OURS, WINDOW)
    more = {"kind": "read", "result_event_seq": 1, "result_basis": "supported"}
    assert both.theirs.history.set_step(
        task, "read", "completed", supports=evidence(window), fetched_evidence=both.fetched(window), **more
    )["recorded"]
    assert both.our_history.set_step(
        task,
        "read again",
        "completed",
        supports=[DocumentSupportInput(evidence_id=window)],
        fetched_evidence=both.our_graph.fetch([window]),
        **more,  # type: ignore[arg-type]
    ).recorded

    for expected in ("reusable", "needs_review"):
        theirs = both.theirs.history.list_steps(task, "completed")["steps"]
        ours = both.our_history.list_steps(task, state="completed").steps
        assert [(each["name"], each["result_validity"]) for each in theirs] == [
            ("read", expected),
            ("read again", expected),
        ]
        assert [(each.name, each.result_validity) for each in ours] == [("read", expected), ("read again", expected)]
        ingest(both, TEXT_2)
