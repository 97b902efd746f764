"""A graph that agentic-graphrag writes, and both products side by side on it."""

from dataclasses import dataclass, field
from typing import Any

from reaffirm.decisions import DecisionTraces, adopt_flags
from reaffirm.decisions.models import Decision, ReviewCase
from reaffirm.history import ConversationHistory
from reaffirm.knowledge import Graph
from reaffirm.store import GraphStore
from tests.interop.agrag import PROJECT, Theirs

PERSON = "user:ana"
POLICY, RUNBOOK = "docs/retention-policy.txt", "docs/runbook.md"

# The rocket is one code point outside the BMP. The ² becomes a plain 2, as agentic-graphrag folds text by NFKC.
TITLE = "Retention policy 🚀 for Élan customers."
BACKUPS = "Backups are kept for thirty days. After thirty days they are erased."
VAULT = "A vault holds at most 30 m² of tapes, and never more than that."
LOGS = "Audit logs are kept for one year in the Frankfurt region."
EXPORTS = "Exports need a written approval from the data officer."

POLICY_1 = "\n\n".join([TITLE, BACKUPS, VAULT, LOGS, EXPORTS])
# Backups edited, the vault gone, the logs moved behind the exports, which have the same words at another offset.
POLICY_2 = "\n\n".join([TITLE, BACKUPS.replace("thirty", "sixty"), EXPORTS, LOGS])
POLICY_3 = POLICY_2.replace("written approval", "signed approval")

PROMOTE = "Promote the replica before touching DNS."
LAG = "Confirm that replication lag is under five seconds."
RUNBOOK_1 = [["Failover", 1, [PROMOTE]], ["Checks", 2, [LAG]]]
RUNBOOK_2 = [["Failover", 1, [PROMOTE]], ["Checks", 2, [LAG.replace("five", "two")]]]


@dataclass
class Both:
    """The two products on one store. ``ours`` is a person at the console, ``theirs`` an agent."""

    store: GraphStore
    theirs: Theirs
    ours: DecisionTraces = field(init=False)
    our_history: ConversationHistory = field(init=False)
    our_graph: Graph = field(init=False)

    def __post_init__(self) -> None:
        self.ours = DecisionTraces(self.store, project_id=PROJECT, agent_id=PERSON)
        self.our_history = ConversationHistory(self.store, project_id=PROJECT, agent_id=PERSON)
        self.our_graph = Graph(self.store)

    # What each has to say

    def their_flags(self) -> dict[str, tuple[str, str | None]]:
        """Its review list: state and reason by decision."""
        listed = self.theirs.decisions.list_decisions_for_review()
        assert not listed["truncated"] and listed["count"] == len(listed["decisions"]) <= 20
        return {each["id"]: (each["review_state"], each["review_reason"]) for each in listed["decisions"]}

    def our_flags(self) -> dict[str, tuple[str, str | None]]:
        """Our review list, once the flags of the other are adopted."""
        adopt_flags(self.store, project_id=PROJECT)
        page = self.ours.list_decisions_for_review(limit=50)
        assert page.count == page.counts.flagged == page.counts.listed == len(page.rows)
        return {each.id: (each.review_state, each.review_reason) for each in page.decisions}

    def flags(self) -> dict[str, tuple[str, str | None]]:
        """The flags on which both agree."""
        flags = self.our_flags()
        assert flags == self.their_flags()
        return flags

    def incomplete(self) -> bool:
        """Whether agentic-graphrag reads every clear decision of the project as unknown."""
        query = "MATCH (p:Project) WHERE p.project_id = $project RETURN p.review_incomplete AS incomplete"
        return bool(self.store.read(query, project=PROJECT)[0]["incomplete"])

    def spread(self, by: str = "theirs") -> None:
        """Flag dependents to the end, by one of the two."""
        service = self.theirs.decisions if by == "theirs" else self.ours
        while service.continue_decision_review(limit=100):
            pass
        assert not self.incomplete()

    def theirs_of(self, decision_id: str) -> dict[str, Any]:
        """A decision as it reads it."""
        found = self.theirs.decisions.get_decision(decision_id)
        assert found["found"]
        return dict(found["decision"])

    def ours_of(self, decision_id: str) -> Decision:
        found = self.ours.get_decision(decision_id).decision
        assert found
        return found

    def case(self, decision_id: str) -> ReviewCase:
        found = self.ours.review_case(decision_id)
        assert found
        return found

    # What agents write with it

    def passage(self, key: str, words: str) -> str:
        """Its evidence id of the words: of their range where their chunk knows it, else of the chunk."""
        for chunk in self.theirs.documents.evidence(key):
            at = chunk["text"].find(words)
            if at >= 0:
                head, _, place = chunk["id"].rpartition(":")
                if not chunk["id"].startswith("ev1:s:"):
                    return str(chunk["id"])
                start = int(place.partition("-")[0]) + at
                return f"{head}:{start}-{start + len(words)}"
        raise AssertionError(f"no chunk of {key} holds {words!r}")

    def fetched(self, *evidence_ids: str) -> list[dict[str, Any]]:
        """Its outcome for each id, all of them whole."""
        outcomes = self.theirs.documents.fetch(list(evidence_ids), [POLICY, RUNBOOK, "docs/ours.md"])
        assert [each["status"] for each in outcomes] == ["ok"] * len(outcomes)
        return list(outcomes)

    def record(
        self, task: str, choice: str, *passages: str, supports: tuple[dict[str, Any], ...] = (), conclusion: str = ""
    ) -> str:
        """Its record_decision on passages and other supports; the id."""
        result = self.theirs.decisions.record_decision(
            task,
            choice,
            conclusion or f"Do as the source of {choice} says",
            "The source says so.",
            supports=[{"evidence_id": each} for each in passages] + list(supports),
            fetched_evidence=self.fetched(*passages),
            assumptions=["The source is in force"],
            open_questions=["Does it cover test data?"],
        )
        assert result["recorded"], result
        return str(result["decision"]["id"])


@dataclass(frozen=True)
class Written:
    """Ids of what agents wrote with it, the sources as yet unchanged."""

    backup: str  # edited by POLICY_2; cites an event too
    budget: str  # rests on backup, and on a chunk without offsets
    alert: str  # rests on budget
    region: str  # moved
    exports: str  # a part of a chunk; exact words, another offset
    vault: str  # gone
    order: str  # a chunk under a heading, without offsets
    rival: str  # contradicts backup in another task; cites an event
    dropped: str  # rejected
    first_step: str  # superseded
    next_step: str  # what superseded it


def write_graph(both: Both) -> Written:
    """Documents, history and decisions of every kind of support, all by agentic-graphrag."""
    theirs = both.theirs
    theirs.documents.update(POLICY, POLICY_1)
    theirs.documents.update_sections(RUNBOOK, RUNBOOK_1)
    _write_history(theirs)
    promote = both.passage(RUNBOOK, PROMOTE)
    event = {"task_name": "storage", "seq": 1}
    backup = both.record(
        "storage", "backup.retention", both.passage(POLICY, BACKUPS), supports=(event,), conclusion="Keep thirty days"
    )
    budget = both.record("storage", "backup.budget", promote, supports=({"decision_id": backup},))
    alert = both.record("storage", "backup.alert", supports=({"decision_id": budget},))
    region = both.record("audit", "logs.region", both.passage(POLICY, LOGS))
    exports = both.record("audit", "exports.approval", both.passage(POLICY, "Exports need a written approval"))
    vault = both.record("audit", "vault.size", both.passage(POLICY, VAULT.replace("²", "2")))
    order = both.record("audit", "dns.order", promote)
    audit_event = {"task_name": "audit", "seq": 1}
    rival = both.record("audit", "backup.retention", supports=(audit_event,), conclusion="Keep ninety days")
    dropped = both.record("audit", "tmp.choice", supports=(audit_event,))
    first_step = both.record("audit", "first.step", both.passage(RUNBOOK, LAG))
    assert theirs.decisions.reject_decision(dropped, "Two customers use it.")["recorded"]
    superseded = theirs.decisions.supersede_decision(
        first_step,
        "Look at the lag first",
        "The runbook.",
        explanation="It was not clear.",
        supports=[{"evidence_id": both.passage(RUNBOOK, LAG)}],
        fetched_evidence=both.fetched(both.passage(RUNBOOK, LAG)),
    )
    both.spread()
    next_step = superseded["decision"]["id"]
    return Written(backup, budget, alert, region, exports, vault, order, rival, dropped, first_step, str(next_step))


def _write_history(theirs: Theirs) -> None:
    assert theirs.history.create_task("storage", "Choose a backup policy")["recorded"]
    assert theirs.history.create_task("audit", "Check the backup policy")["recorded"]
    for kind, payload in [("message", "How long do we keep backups?"), ("note", "Policy read: thirty days.")]:
        assert theirs.history.record_event("storage", kind, role="user", payload=payload)["recorded"]
    assert theirs.history.record_event("audit", "note", payload="The auditor wants ninety days.")["recorded"]
    step = theirs.history.set_step(
        "storage", "read policy", "completed", kind="read", result_event_seq=2, result_basis="independent"
    )
    assert step["recorded"]
