"""Every write of one product beside every read of the other: the calls, and what a read may rightly say otherwise."""

import json
import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

from pydantic import BaseModel

from reaffirm.decisions import DecisionTraces
from reaffirm.decisions.models import DecisionSupportInput, DocumentSupportInput, EventSupportInput, SupportInput
from reaffirm.history import ConversationHistory, EventInput
from reaffirm.knowledge import Graph
from reaffirm.retention import HistoryRetention
from tests.interop.agrag import PROJECT
from tests.interop.worlds import Both

KEY = "docs/matrix.txt"
KEPT, LOGS = "Backups are kept for thirty days.", "Audit logs stay in the Frankfurt region."
TEXT = f"{KEPT}\n\n{LOGS}\n\nExports need a signature."
CHANGED = TEXT.replace("thirty", "sixty")
TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)")
ANYONE = "agent-1"


def plain(value: Any) -> Any:
    """As JSON; times in one form."""
    if isinstance(value, BaseModel):
        return plain(json.loads(value.model_dump_json()))
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, str) and TIME.fullmatch(value):
        return datetime.fromisoformat(value).isoformat()
    return value


def difference(theirs: Any, ours: Any, at: str = "") -> list[str]:
    """Where ours does not say what theirs says; what ours says beyond it does not count."""
    if isinstance(theirs, dict):
        if not isinstance(ours, dict):
            return [f"{at}: {theirs!r} there, {ours!r} here"]
        found = [f"{at}.{name} is missing here" for name in theirs if name not in ours]
        return found + [
            line for name in theirs if name in ours for line in difference(theirs[name], ours[name], f"{at}.{name}")
        ]
    if isinstance(theirs, list):
        if not isinstance(ours, list) or len(theirs) != len(ours):
            return [f"{at}: {theirs!r} there, {ours!r} here"]
        return [
            line
            for n, (one, two) in enumerate(zip(theirs, ours, strict=True))
            for line in difference(one, two, f"{at}[{n}]")
        ]
    return [] if theirs == ours else [f"{at}: {theirs!r} there, {ours!r} here"]


def _by_id(decisions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(decisions, key=lambda each: str(each["id"]))


class Theirs:
    """Its calls."""

    name = "theirs"

    def __init__(self, both: Both) -> None:
        self.both, self._ = both, both.theirs

    # Writes

    def new_version(self, text: str) -> None:
        assert self._.documents.update(KEY, text)["decision"] == "new_version"

    def remove(self) -> None:
        self._.documents.delete(KEY)

    def purge(self) -> None:
        self._.documents.purge(KEY)

    def create_task(self, name: str) -> Any:
        return self._.history.create_task(name, f"The goal of {name}")

    def record_event(self, task: str) -> Any:
        return self._.history.record_event(task, "message", role="user", payload=f"An event of {task}.")

    def set_step(self, evidence: str) -> Any:
        more = {"kind": "read", "result_event_seq": 1, "result_basis": "supported"}
        supports = [{"evidence_id": evidence}]
        return self._.history.set_step(
            "storage", "read", "completed", supports=supports, fetched_evidence=self._fetch(evidence), **more
        )

    def record(self, task: str, choice: str, *passages: str, seq: int | None = None, parent: str | None = None) -> Any:
        return self._.decisions.record_decision(
            task, choice, f"{choice} of {task}", "Because.", assumptions=["It holds"],
            supports=self._supports(passages, task, seq, parent), fetched_evidence=self._fetch(*passages),
        )  # fmt: skip

    def supersede(self, decision: str, *passages: str) -> Any:
        return self._.decisions.supersede_decision(
            decision, "Sixty days", "It says so.", explanation="It changed.",
            supports=self._supports(passages), fetched_evidence=self._fetch(*passages),
        )  # fmt: skip

    def reaffirm(self, decision: str, *passages: str) -> Any:
        return self._.decisions.reaffirm_decision(
            decision, self._supports(passages), fetched_evidence=self._fetch(*passages), explanation="It stands."
        )

    def reject(self, decision: str) -> Any:
        return self._.decisions.reject_decision(decision, "No longer.")

    def continue_review(self) -> None:
        while self._.decisions.continue_decision_review(limit=100):
            pass

    def redact(self, event_id: str) -> Any:
        return self._.retention.redact_event(event_id)

    def delete(self, task: str) -> Any:
        return self._.retention.delete_task(task)

    def _fetch(self, *ids: str) -> Any:
        return self._.documents.fetch(list(ids), [KEY])

    @staticmethod
    def _supports(
        passages: tuple[str, ...], task: str = "", seq: int | None = None, parent: str | None = None
    ) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = [{"evidence_id": each} for each in passages]
        found += [{"task_name": task, "seq": seq}] if seq else []
        return found + ([{"decision_id": parent}] if parent else [])


class Ours:
    """Ours, by the same names."""

    name = "ours"

    def __init__(self, both: Both) -> None:
        self.both = both
        bound: dict[str, str] = {"project_id": PROJECT, "agent_id": "planner-1"}
        self.graph, self.history = Graph(both.store), ConversationHistory(both.store, **bound)
        self.decisions = DecisionTraces(both.store, **bound)
        self.retention = HistoryRetention(both.store, **bound)

    def new_version(self, text: str) -> None:
        assert self.graph.add(text, document_key=KEY, title=KEY).decision == "new_version"

    def remove(self) -> None:
        assert self.graph.remove(KEY).recorded

    def purge(self) -> None:
        assert self.graph.purge(KEY).recorded

    def create_task(self, name: str) -> Any:
        return self.history.create_task(name, f"The goal of {name}")

    def record_events(self, task: str) -> Any:
        return self.history.record_events(task, [EventInput(kind="note", payload=each) for each in ("One.", "Two.")])

    def record_event(self, task: str) -> Any:
        return self.history.record_event(task, "message", role="user", payload=f"An event of {task}.")

    def set_step(self, evidence: str) -> Any:
        return self.history.set_step(
            "storage", "read", "completed", kind="read", result_event_seq=1, result_basis="supported",
            supports=self._supports((evidence,)), fetched_evidence=self.graph.fetch([evidence]),
        )  # fmt: skip

    def record(self, task: str, choice: str, *passages: str, seq: int | None = None, parent: str | None = None) -> Any:
        return self.decisions.record_decision(
            task, choice, f"{choice} of {task}", "Because.", assumptions=["It holds"],
            supports=self._supports(passages, task, seq, parent), fetched_evidence=self.graph.fetch(passages),
        )  # fmt: skip

    def supersede(self, decision: str, *passages: str) -> Any:
        return self.decisions.supersede_decision(
            decision, "Sixty days", "It says so.", explanation="It changed.",
            supports=self._supports(passages), fetched_evidence=self.graph.fetch(passages),
        )  # fmt: skip

    def reaffirm(self, decision: str, *passages: str) -> Any:
        evidence = [DocumentSupportInput(evidence_id=each) for each in passages]
        return self.decisions.reaffirm_decision(
            decision, evidence, fetched_evidence=self.graph.fetch(passages), explanation="It stands."
        )

    def reject(self, decision: str) -> Any:
        return self.decisions.reject_decision(decision, "No longer.")

    def continue_review(self) -> None:
        while self.decisions.continue_decision_review():
            pass

    def redact(self, event_id: str) -> Any:
        return self.retention.redact_event(event_id, "It names a customer.")

    def delete(self, task: str) -> Any:
        return self.retention.delete_task(task, reason="It is over.")

    # Beyond its own

    def close_task(self, task: str) -> Any:
        return self.history.close_task(task)

    def reopen_task(self, task: str) -> Any:
        return self.history.reopen_task(task)

    def resume_task(self, task: str) -> Any:
        assert self.history.set_step(task, "half", "in_progress").recorded
        return self.history.resume_task(task)

    def reopen(self, decision: str) -> Any:
        return self.decisions.reopen_decision(decision, "Look again.")

    def reaffirm_where(self, decision: str) -> Any:
        return self.decisions.reaffirm_where_it_stands(decision, expected=self.both.case(decision).seen)

    def supersede_where(self, decision: str) -> Any:
        seen = self.both.case(decision).seen
        return self.decisions.supersede_where_it_stands(decision, "Anew", explanation="Pinned anew.", expected=seen)

    def reaffirm_group(self, root: str) -> Any:
        members = {each.decision.id: each.seen for each in self.decisions.group_of(root).eligible}
        assert members
        return self.decisions.reaffirm_group(root, decision_ids=list(members), expected=members)

    def sweep(self) -> None:
        self.decisions.sweep_lost_flags()

    @staticmethod
    def _supports(
        passages: tuple[str, ...], task: str = "", seq: int | None = None, parent: str | None = None
    ) -> list[SupportInput]:
        found: list[SupportInput] = [DocumentSupportInput(evidence_id=each) for each in passages]
        found += [EventSupportInput(task_name=task, seq=seq)] if seq else []
        return found + ([DecisionSupportInput(decision_id=parent)] if parent else [])


Read = tuple[Callable[[Theirs, dict[str, str]], Any], Callable[[Ours, dict[str, str]], Any]]


def _their_evidence(theirs: Theirs, ids: dict[str, str]) -> Any:
    outcomes = theirs._.documents.fetch([ids["evidence"]], [KEY])
    return [{name: each[name] for name in ("status", "text", "status_of_version", "content_hash")} for each in outcomes]


def _our_evidence(ours: Ours, ids: dict[str, str]) -> Any:
    return [{**plain(each), "text": each.text or None} for each in ours.graph.fetch([ids["evidence"]])]


def _their_status(theirs: Theirs, ids: dict[str, str]) -> Any:
    status = theirs._.documents.source_status(KEY)
    return {name: status.get(name) for name in ("content_hash", "activation_seq")}


def _our_status(ours: Ours, ids: dict[str, str]) -> Any:
    last = [*ours.graph.versions(KEY), None][-1 if not ours.graph.versions(KEY) else -2]
    return {"content_hash": last and last.content_hash, "activation_seq": last and last.activation_seq}


def _conflicts(found: Any) -> Any:
    groups = plain(found)["groups"]
    return [
        {**each, "decisions": _by_id(each["decisions"])} for each in sorted(groups, key=lambda g: str(g["choice_key"]))
    ]


def _hits(found: Any) -> Any:
    return sorted(plain([dict(each) for each in found]), key=lambda hit: str(hit["decision"]["id"]))


def _flags(found: Any) -> Any:
    """Without the supports: a row of our list does not load them."""
    rows = [{name: value for name, value in each.items() if name != "supports"} for each in plain(found["decisions"])]
    return {"count": found["count"], "decisions": _by_id(rows)}


def _task(found: Any) -> Any:
    view = plain(found)
    if view["view"]:
        for name in ("decisions", "review_decisions"):
            view["view"][name] = _by_id(view["view"][name])
        view["view"]["conflicts"] = _conflicts({"groups": view["view"]["conflicts"]})
    return view


READS: dict[str, Read] = {
    "get_task": (
        lambda it, ids: _task(it._.history.get_task("storage")),
        lambda we, ids: _task(we.history.get_task("storage")),
    ),
    "get_task of another": (
        lambda it, ids: _task(it._.history.get_task("audit")),
        lambda we, ids: _task(we.history.get_task("audit")),
    ),
    "list_steps": (
        lambda it, ids: it._.history.list_steps("storage", "completed"),
        lambda we, ids: {"truncated": (page := we.history.list_steps("storage", "completed")).truncated, **plain(page)},
    ),
    "list_events": (
        lambda it, ids: it._.history.list_events("audit"),
        lambda we, ids: {"truncated": (page := we.history.list_events("audit")).truncated, **plain(page)},
    ),
    "fetch_event": (
        lambda it, ids: it._.history.fetch_event("audit", 1),
        lambda we, ids: we.history.fetch_event("audit", 1),
    ),
    "get_decision": (
        lambda it, ids: it._.decisions.get_decision(ids["keep"]),
        lambda we, ids: we.decisions.get_decision(ids["keep"]),
    ),
    "list_support_history": (
        lambda it, ids: it._.decisions.list_support_history(ids["region"]),
        lambda we, ids: {"truncated": False, **plain(we.decisions.list_support_history(ids["region"]))},
    ),
    "list_decisions": (
        lambda it, ids: it._.decisions.list_decisions("storage"),
        lambda we, ids: {
            "found": (page := we.decisions.list_decisions("storage")).found,
            "page": {"truncated": page.truncated, **plain(page)},
        },
    ),
    "list_decisions_for_review": (
        lambda it, ids: _flags(it._.decisions.list_decisions_for_review()),
        lambda we, ids: _flags(
            {"count": (page := we.decisions.list_decisions_for_review()).count, "decisions": list(page.decisions)}
        ),
    ),
    "search_decisions": (
        lambda it, ids: _hits(it._.decisions.search_decisions("sixty region keep")),
        lambda we, ids: _hits(we.decisions.search_decisions("sixty region keep")),
    ),
    "list_conflicts": (
        lambda it, ids: _conflicts(it._.decisions.list_conflicts()),
        lambda we, ids: _conflicts(we.decisions.list_conflicts()),
    ),
    "fetch_evidence": (_their_evidence, _our_evidence),
    "source_status": (_their_status, _our_status),
}
