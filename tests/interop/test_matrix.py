"""Each write of either product, read by each read of both: they say the same, and what the write did is in it."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from reaffirm.decisions import DecisionTraces, adopt_flags
from reaffirm.history import ConversationHistory
from reaffirm.models import Result
from reaffirm.retention import HistoryRetention
from tests.interop.agrag import PROJECT
from tests.interop.matrix import CHANGED, KEPT, KEY, LOGS, READS, TEXT, Ours, Theirs, difference, plain
from tests.interop.worlds import Both

Ids = dict[str, str]
Write = Callable[[Any, Ids], None]


def done(result: Any) -> Any:
    given = plain(result)
    assert given["recorded"], given
    return given


def passage(by: Any, words: str) -> str:
    """The evidence id of words, by our cite: offsets are the same for both."""
    return str(by.both.our_graph.cite(KEY, words))


def record(by: Any, ids: Ids) -> None:
    kept, logs = passage(by, KEPT), passage(by, LOGS)
    ids["evidence"] = kept
    ids["keep"] = done(by.record("storage", "keep", kept, seq=1))["decision"]["id"]
    ids["child"] = done(by.record("storage", "child", parent=ids["keep"]))["decision"]["id"]
    ids["region"] = done(by.record("storage", "region", logs))["decision"]["id"]
    ids["rival"] = done(by.record("audit", "keep", seq=1))["decision"]["id"]


def new_version(by: Any, ids: Ids) -> None:
    by.new_version(CHANGED)
    by.continue_review()


def supersede(by: Any, ids: Ids) -> None:
    done(by.supersede(ids["keep"], passage(by, KEPT.replace("thirty", "sixty"))))
    by.continue_review()


def reject(by: Any, ids: Ids) -> None:
    done(by.reject(ids["rival"]))
    by.continue_review()


def redact(by: Any, ids: Ids) -> None:
    ids["late"] = done(by.record("audit", "late", seq=1))["decision"]["id"]
    event = by.both.our_history.fetch_event("audit", 1).event
    assert event
    done(by.redact(event.id))
    by.continue_review()


def delete(by: Any, ids: Ids) -> None:
    done(by.delete("audit"))
    by.continue_review()


def removed(by: Any, ids: Ids) -> None:
    by.remove()
    by.continue_review()


def purged(by: Any, ids: Ids) -> None:
    by.purge()
    by.continue_review()


def reopened(by: Any, ids: Ids) -> None:
    done(by.reopen(ids["region"]))
    by.continue_review()


def superseded_where_it_stands(by: Any, ids: Ids) -> None:
    done(by.supersede_where(ids["region"]))
    by.continue_review()


def reaffirmed_as_a_group(by: Any, ids: Ids) -> None:
    """What rests on a decision that was reopened and then reaffirmed."""
    root = done(by.record("storage", "root", passage(by, LOGS)))["decision"]["id"]
    done(by.record("storage", "leaf", parent=root))
    done(by.reopen(root))
    by.continue_review()
    done(by.reaffirm_where(root))
    done(by.reaffirm_group(root))


VIEWS = {"get_task", "list_decisions", "list_decisions_for_review"}
# Each write, and the reads in which it must be seen; in all others nothing may have changed. In the order of a story.
SHARED: list[tuple[str, Write, set[str]]] = [
    ("create_task", lambda by, ids: [done(by.create_task(each)) for each in ("storage", "audit")] and None,
     {"get_task", "get_task of another", "list_events", "list_decisions", "list_steps"}),
    ("record_event", lambda by, ids: [done(by.record_event(each)) for each in ("storage", "audit")] and None,
     {"get_task", "get_task of another", "list_events", "fetch_event"}),
    ("Graph.add", lambda by, ids: by.new_version(TEXT), {"source_status"}),
    ("record_decision", record, {"get_task", "get_task of another", "get_decision", "list_decisions",
     "search_decisions", "list_support_history", "list_conflicts", "fetch_evidence"}),
    ("set_step", lambda by, ids: done(by.set_step(ids["evidence"])) and None, {"get_task", "list_steps"}),
    ("Graph.update, continue_decision_review", new_version, VIEWS | {"get_task of another", "get_decision",
     "list_steps", "search_decisions", "list_conflicts", "fetch_evidence", "source_status"}),
    ("reaffirm_decision", lambda by, ids: done(by.reaffirm(ids["region"], passage(by, LOGS))) and None,
     VIEWS | {"list_support_history", "search_decisions"}),
    ("supersede_decision", supersede, VIEWS | {"get_task of another", "get_decision", "search_decisions",
     "list_conflicts"}),
    ("reject_decision", reject, {"get_task", "get_task of another", "search_decisions", "list_conflicts"}),
]  # fmt: skip
OURS: list[tuple[str, Write, set[str]]] = [
    ("close_task", lambda by, ids: done(by.close_task("storage")) and None, {"get_task"}),
    ("reopen_task", lambda by, ids: done(by.reopen_task("storage")) and None, {"get_task"}),
    ("resume_task", lambda by, ids: done(by.resume_task("storage")) and None, {"get_task"}),
    ("record_events", lambda by, ids: done(by.record_events("storage")) and None, {"get_task"}),
    ("reopen_decision", reopened, VIEWS | {"search_decisions"}),
    ("reaffirm_where_it_stands", lambda by, ids: done(by.reaffirm_where(ids["region"])) and None,
     VIEWS | {"list_support_history", "search_decisions"}),
    ("reaffirm_group", reaffirmed_as_a_group, {"get_task", "list_decisions"}),
    ("supersede_where_it_stands", superseded_where_it_stands,
     {"get_task", "list_decisions", "search_decisions"}),
    ("sweep_lost_flags", lambda by, ids: by.sweep(), set()),
]  # fmt: skip
ENDS: list[tuple[str, Write, set[str]]] = [
    ("redact_event", redact, {"get_task of another", "list_events", "fetch_event", "list_decisions_for_review"}),
    ("delete_task", delete, {"get_task of another", "list_events", "fetch_event", "list_decisions_for_review"}),
    ("Graph.remove", removed, VIEWS | {"list_steps", "search_decisions", "fetch_evidence", "source_status"}),
    ("Graph.purge", purged, {"fetch_evidence", "source_status"}),
]
# Where the two rightly differ.
DIFFERENT = {("Graph.remove", "fetch_evidence"): "what was cited of a removed document can be read here, and not there"}
NOTHING = {"keep": "0" * 8 + "-0000-4000-8000-" + "0" * 12, "region": "0" * 8 + "-0000-4000-8000-" + "0" * 12,
           "evidence": "ev1:x"}  # fmt: skip


@pytest.mark.parametrize("writer", ["theirs", "ours"])
def test_each_write_is_seen_by_each_read_of_both(both: Both, writer: str) -> None:
    """13 or 20 writes, 13 reads of each product behind each of them."""
    it, we = Theirs(both), Ours(both)
    by: Any = it if writer == "theirs" else we
    it.both.theirs.documents.source_status(KEY)
    ids = dict(NOTHING)
    story = SHARED + (OURS if writer == "ours" else []) + ENDS
    before = {name: plain(read[1](we, ids)) for name, read in READS.items()}
    wrong: list[str] = []
    for write, call, seen_in in story:
        call(by, ids)
        adopt_flags(both.store, project_id=PROJECT)
        after = {name: plain(read[1](we, ids)) for name, read in READS.items()}
        for name, (theirs, _) in READS.items():
            found = difference(plain(theirs(it, ids)), after[name])
            if (write, name) in DIFFERENT:
                assert found, f"{write} / {name}: no longer {DIFFERENT[write, name]}"
                continue
            wrong += [f"{write} / {name}{line}" for line in found]
        changed = {name for name in READS if after[name] != before[name]}
        if changed != seen_in:
            wrong.append(f"{write}: seen in {sorted(changed)}, not in {sorted(seen_in)}")
        before = after
    assert not wrong, "\n".join(wrong)


def _gives_a_result(method: Callable[..., Any]) -> bool:
    given = inspect.signature(method).return_annotation
    return isinstance(given, type) and issubclass(given, Result)


READ_ONLY = {name.split()[0] for name in READS} | {"resolve_supports"}


def test_no_cell_is_missing(both: Both) -> None:
    """Every write of its classes and every Result of ours is in a story, every read of its classes in the reads."""
    written = {name for write, _, _ in SHARED + ENDS for name in write.split(", ")}
    for part, methods in both.theirs.methods.listed().items():
        assert methods, part
        assert set(methods) <= written | READ_ONLY, set(methods) - written - READ_ONLY
    ours = written | {write for write, _, _ in OURS}
    for kind in (ConversationHistory, DecisionTraces, HistoryRetention):
        writes = {
            name
            for name, method in inspect.getmembers(kind, inspect.isfunction)
            if not name.startswith("_") and _gives_a_result(method)
        }
        assert writes - ours <= NOT_OF_ITS_READS, writes - ours - NOT_OF_ITS_READS


# Holds and request records are nothing that it reads; a deletion that goes on ends as delete_task does; repair_events
# has what a crash there left behind to work on.
NOT_OF_ITS_READS = {"place_hold", "release_hold", "continue_deletion", "prune_requests", "repair_events"}
