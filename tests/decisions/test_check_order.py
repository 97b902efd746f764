"""Every refusal of the four writes, in the order of agentic-graphrag: each call breaks one rule and all later ones."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from reaffirm import ids
from reaffirm.decisions.models import DecisionSupportInput, DocumentSupportInput, EventSupportInput
from reaffirm.errors import CODES, CURES
from reaffirm.models import Result
from reaffirm.store import GraphStore
from tests.decisions.factories import World
from tests.decisions.writes import dump
from tests.reviews.factories import BEFORE, ELSEWHERE, PROJECT, QUOTE

TASK = "refund-LM-20931"
REDACT = "MATCH (e:Event) WHERE e.id = $id SET e.redacted_at = '2026-11-30T10:00:00+00:00' RETURN 1 AS one"
GONE = "MATCH (e:Event) WHERE e.id = $id DETACH DELETE e RETURN 1 AS one"
UNREDACT = "MATCH (e:Event) WHERE e.id = $id SET e.redacted_at = null RETURN 1 AS one"
Rung = tuple[str, Any]


class Scene:
    """A task with a decision of every kind, and supports that are wrong in every way, in the order of the checks."""

    def __init__(self, store: GraphStore) -> None:
        self.world = world = World(store)
        world.document()
        self.event = world.event("It says so.")
        secret = world.event("A secret.")
        self.used = self._made("used", request_id="used")
        self.rejected = self._made("rejected")
        assert world.traces.reject_decision(self.rejected, "Wrong.").recorded
        store.write(REDACT, id=self.node(secret))
        self.cited = world.graph.cite("refund-policy", QUOTE)
        (self.fetch,) = world.graph.fetch([self.cited])
        foreign = f"ev1:s:{uuid4()}:{'0' * 16}:0-5"
        reference = self.fetch.reference
        assert reference
        stranger = self.fetch.model_copy(
            update={
                "evidence_id": foreign,
                "reference": reference.model_copy(
                    update={
                        "document_node_id": foreign.split(":")[2],
                        "content_hash_prefix": "0" * 16,
                        "char_start": 0,
                        "char_end": 5,
                    }
                ),
            }
        )
        self.fetched = [self.fetch, stranger]
        unfetched = world.graph.cite("refund-policy", "Every notice is sent by post.")
        self.supports: list[Rung] = [
            ("support_malformed", DocumentSupportInput(evidence_id=self.cited.upper())),
            ("support_not_fetched", DocumentSupportInput(evidence_id=unfetched)),
            ("support_document_not_found", DocumentSupportInput(evidence_id=foreign)),
            ("support_event_not_found", EventSupportInput(task_name=TASK, seq=99)),
            ("cannot_revalidate", secret),
            ("support_decision_not_found", DecisionSupportInput(decision_id=str(uuid4()))),
            ("support_decision_not_active", DecisionSupportInput(decision_id=self.rejected)),
        ]

    def _made(self, choice: str, **more: Any) -> str:
        return self.world.decision(events=[self.event], choice=choice, **more).id

    def node(self, event: EventSupportInput) -> str:
        return ids.event_id(ids.task_id(PROJECT, event.task_name), event.seq)


def climb(
    scene: Scene, rungs: list[Rung], supports: list[Rung], call: Callable[..., Any], good: dict[str, Any]
) -> None:
    """Break rule after rule from the last to the first; every call is refused by the first that is broken."""
    before = dump(scene.world.store)
    for number, (code, _) in enumerate(rungs):
        broken = {**good}
        for _, values in reversed(rungs[number:]):
            broken |= values
        result = call(**broken)
        assert (result.error, result.recorded) == (code, False), (number, result)
        assert result.detail and result.decision is None and code in CODES
    for number, (code, _) in enumerate(supports):
        result = call(**{**good, "supports": [support for _, support in supports[number:]]})
        assert (result.error, result.field.split(".")[0]) == (code, "supports[0]"), (number, result)
        assert result.detail
    assert dump(scene.world.store) == before
    assert call(**good).recorded


def test_recording(store: GraphStore) -> None:
    scene = Scene(store)
    wrong = [support for _, support in scene.supports]

    def call(**given: Any) -> Any:
        return scene.world.traces.record_decision(conclusion="Yes.", rationale="Why.", **given)

    rungs: list[Rung] = [
        ("support_required", {"supports": []}),
        ("invalid_request_id", {"request_id": "x" * 65}),
        ("request_id_reused", {"request_id": "used"}),
        ("task_not_found", {"task_name": "nowhere"}),
        ("choice_exists", {"choice_key": "used"}),
        ("support_required", {"supports": wrong * 3}),
    ]
    good = {"task_name": TASK, "choice_key": "new", "supports": [DocumentSupportInput(evidence_id=scene.cited)]}
    climb(scene, rungs, scene.supports, call, {**good, "fetched_evidence": scene.fetched})


def test_superseding(store: GraphStore) -> None:
    scene = Scene(store)
    wrong = [support for _, support in scene.supports]

    def call(**given: Any) -> Any:
        return scene.world.traces.supersede_decision(conclusion="No.", rationale="Why.", **given)

    itself = DecisionSupportInput(decision_id=scene.used)
    rungs: list[Rung] = [
        ("explanation_required", {"explanation": "\u200b "}),
        ("supersede_target_invalid", {"decision_id": str(uuid4())}),
        ("invalid_request_id", {"request_id": "x" * 65}),
        ("request_id_reused", {"request_id": "used"}),
        ("supersede_target_invalid", {"decision_id": scene.rejected}),
        ("support_required", {"supports": []}),
        ("support_required", {"supports": wrong * 3}),
    ]
    supports = [*scene.supports, ("support_decision_not_active", itself)]
    good = {
        "decision_id": scene.used,
        "explanation": "New.",
        "supports": [DocumentSupportInput(evidence_id=scene.cited)],
    }
    result = call(**{**good, "fetched_evidence": scene.fetched, "supports": [itself]})
    assert (result.error, result.field) == ("support_decision_not_active", "supports")
    climb(scene, rungs, supports[:-1], call, {**good, "fetched_evidence": scene.fetched})


def test_rejecting(store: GraphStore) -> None:
    scene = Scene(store)

    def call(**given: Any) -> Any:
        return scene.world.traces.reject_decision(reason="Wrong.", **given)

    rungs: list[Rung] = [
        ("invalid_request_id", {"request_id": "x" * 65}),
        ("request_id_reused", {"request_id": "used"}),
        ("decision_not_found", {"decision_id": str(uuid4())}),
        ("decision_not_active", {"decision_id": scene.rejected}),
    ]
    climb(scene, rungs, [], call, {"decision_id": scene.used})


def test_reaffirming(store: GraphStore) -> None:
    """Its later checks look at the graph and not at the arguments: they are broken and mended from the first on."""
    scene = Scene(store)
    world, traces = scene.world, scene.world.traces
    parent = world.decision(events=[scene.event], choice="parent")
    world.document("other", BEFORE)
    own = world.event("It says so too.")
    decision = world.decision([("refund-policy", QUOTE)], events=[own], parents=[parent], choice="judged")
    world.change("refund-policy", ELSEWHERE)
    cited = world.graph.cite("refund-policy", QUOTE)
    elsewhere = world.graph.cite("other", QUOTE)
    fetched = world.graph.fetch([cited, elsewhere])
    support = DocumentSupportInput(evidence_id=cited)
    malformed = DocumentSupportInput(evidence_id="x")
    assert traces.reopen_decision(parent.id, "Look again.").recorded
    while traces.continue_decision_review():
        pass
    world.store.write(REDACT, id=scene.node(own))

    def refused(**given: Any) -> tuple[str, str]:
        before = dump(world.store)
        given = {"decision_id": decision.id, "evidence": [malformed] * 21, "fetched_evidence": (), **given}
        result = traces.reaffirm_decision(**given)
        assert not result.recorded and result.detail and dump(world.store) == before, result
        return result.error or "", result.detail

    wrong = {"decision_id": str(uuid4())}
    assert refused(**wrong, request_id="x" * 65)[0] == "invalid_request_id"
    assert refused(**wrong, request_id="used")[0] == "request_id_reused"
    assert refused(**wrong)[0] == "decision_not_found"
    assert refused(decision_id=scene.rejected)[0] == "decision_not_active"
    assert refused() == ("cannot_revalidate", "fetch the current version of refund-policy")
    current = {"fetched_evidence": fetched}
    waiting = ("cannot_revalidate", "the decision needs review itself")
    assert refused(**current) == waiting  # decisions and events in the order of the supports
    seen = world.seen(parent.id)
    assert traces.reaffirm_where_it_stands(parent.id, expected=seen).recorded
    assert refused(**current) == ("cannot_revalidate", "the event was redacted")
    world.store.write(UNREDACT, id=scene.node(own))
    assert refused(**current)[0] == "support_required"
    assert refused(**current, evidence=[malformed, support])[0] == "support_malformed"
    for evidence in (
        [],
        [DocumentSupportInput(evidence_id=elsewhere)],
        [support, DocumentSupportInput(evidence_id=elsewhere)],
    ):
        assert refused(**current, evidence=evidence)[0] == "cannot_revalidate"
    assert traces.reaffirm_decision(decision.id, [support], **current).recorded
    world.store.write(GONE, id=scene.node(own))
    assert refused(**current)[0] == "support_event_not_found"
    assert world.graph.remove("refund-policy").recorded
    assert refused(**current) == ("cannot_revalidate", "the source was removed")


@pytest.mark.parametrize("verb", ["record", "supersede"])
def test_fault_31_a_support_that_is_given_twice_is_kept_once(store: GraphStore, verb: str) -> None:
    scene = Scene(store)
    other = DecisionSupportInput(decision_id=scene.world.decision(events=[scene.event], choice="other").id)
    document = DocumentSupportInput(evidence_id=scene.cited)
    given = {
        "supports": [document, scene.event, document, other, other, scene.event],
        "fetched_evidence": scene.fetched,
    }
    if verb == "record":
        result = scene.world.traces.record_decision(TASK, "new", "Yes.", "Why.", **given)
    else:
        result = scene.world.traces.supersede_decision(scene.used, "Yes.", "Why.", explanation="New.", **given)
    assert result.decision
    stored = scene.world.again(result.decision).supports
    assert [(each.kind, each.ordinal) for each in stored] == [("document", 0), ("event", 1), ("decision", 2)]
    many = {**given, "supports": [document] * 20}
    result = scene.world.traces.record_decision(TASK, "twenty", "Yes.", "Why.", **many)
    assert result.decision and len(scene.world.again(result.decision).supports) == 1
    scene.world.change("refund-policy", ELSEWHERE)
    cited = DocumentSupportInput(evidence_id=scene.world.graph.cite("refund-policy", QUOTE))
    fetched = scene.world.graph.fetch([cited.evidence_id])
    again = scene.world.traces.reaffirm_decision(result.decision.id, [cited, cited], fetched_evidence=fetched)
    assert again.recorded and len(scene.world.again(result.decision).supports) == 1


def test_every_code_is_said_in_words() -> None:
    for code in CODES:
        assert Result(recorded=False, error=code).detail == f"{CODES[code]} {CURES[code]}"
        assert Result(recorded=False, error=code, detail="More.").detail == "More."
    assert Result(recorded=True).detail is None
