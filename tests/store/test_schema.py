"""ensure_schema(): many times at once, on nothing, by agentic-graphrag's names, and on data that breaks a key."""

import subprocess
import sys
from typing import Any

import pytest

from reaffirm.history import ConversationHistory
from reaffirm.store import GraphStore, StoreReadOnly, StoreUnavailable, UniqueViolation, open_store
from tests.decisions.writes import THREADS, at_once

TASK = """
CREATE (t:Task) SET t._agrag_history_record = true, t.id = $id, t.project_id = 'p', t.name = $name, t.goal = 'g'
RETURN 1 AS one
"""
MANY = """
UNWIND range($start, $end - 1) AS number
CREATE (d:Decision) SET d._agrag_history_record = true, d.id = toString(number), d.task_id = 't',
  d.choice_key = toString(number), d.revision = 1, d.conclusion = 'Words of number ' + toString(number)
"""
REMOVE = "MATCH (t:Task) WHERE t.name = 'twin' WITH t LIMIT 1 DETACH DELETE t RETURN 1 AS one"
ENSURE = (
    "import sys; from reaffirm.store import open_store; r = open_store(sys.argv[1]).ensure_schema(); print(r.problems)"
)


@pytest.fixture
def blank(blank_store_url: str) -> Any:
    store = open_store(blank_store_url)
    yield store
    store.close()


def constraints(store: Any) -> set[Any]:
    if store.kind == "neo4j":
        return {row["name"] for row in store.define("SHOW CONSTRAINTS YIELD name, type")}
    rows = store.define("CALL db.constraints() YIELD label, properties, status RETURN label, properties, status")
    return {(row["label"], tuple(sorted(row["properties"])), row["status"]) for row in rows}


def test_it_is_idempotent_and_safe_for_12_processes_at_once(blank_store_url: str, blank: GraphStore) -> None:
    command = [sys.executable, "-c", ENSURE, blank_store_url]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    processes = [subprocess.Popen(command, **pipes) for _ in range(12)]
    for process in processes:
        output, errors = process.communicate(timeout=180)
        assert process.returncode == 0, errors
        assert output.strip() == "[]"
    made = constraints(blank)
    assert len(made) == 21
    assert blank.ensure_schema().problems == []
    assert constraints(blank) == made
    assert blank.read("MATCH (n) RETURN count(n) AS n") == [{"n": 0}]
    assert not blank.read_only


def test_it_keeps_the_names_of_agentic_graphrag(blank: Any) -> None:
    blank.ensure_schema()
    if blank.kind == "neo4j":
        assert {"task__agrag_history_record_project_id_name_unique", "node_8_Document_id_unique"} <= constraints(blank)
        names = {row["name"] for row in blank.define("SHOW INDEXES YIELD name")}
        assert {"idx_5_Chunk_4_text_fulltext", "idx_8_Decision_10_conclusion_9_rationale_fulltext"} <= names
    else:
        keys = ("_agrag_history_record", "name", "project_id")
        assert ("Task", keys, "OPERATIONAL") in constraints(blank)


def test_twins_are_refused_from_the_first_write_on(blank: Any) -> None:
    """Case 55: an index that was there before must not make anybody skip the constraint."""
    if blank.kind == "falkordb":
        blank.define("CREATE INDEX FOR (n:Task) ON (n.id)")
        blank.define("CREATE INDEX FOR (n:Task) ON (n.name)")
    assert blank.ensure_schema().problems == []
    assert blank.write(TASK, id="1", name="twin")
    with pytest.raises(UniqueViolation):
        blank.write(TASK, id="2", name="twin")
    with pytest.raises(UniqueViolation):
        blank.write(TASK, id="1", name="other")


def test_a_large_graph_is_told_to_be_opened_again_while_its_indexes_are_built(
    blank: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for start in range(0, 60_000, 20_000):
        blank.define(MANY, start=start, end=start + 20_000)
    monkeypatch.setattr(f"reaffirm.store.{blank.kind}_schema.READY_SECONDS", -1)
    with pytest.raises(StoreUnavailable, match="open the store again in some minutes"):
        blank.ensure_schema()
    monkeypatch.undo()
    assert blank.ensure_schema().problems == []


def test_on_twins_it_is_read_only_names_them_and_recovers(blank: Any, blank_store_url: str) -> None:
    """Case 26."""
    for number in range(3):
        blank.write(TASK, id=str(number), name="twin")
    report = blank.ensure_schema()
    (problem,) = report.problems
    assert "Task" in problem and "name='twin'" in problem and "3 copies" in problem
    assert blank.read_only
    with pytest.raises(StoreReadOnly):
        blank.write(TASK, id="9", name="other")
    refused = ConversationHistory(blank, project_id="p", agent_id="a").create_task("other", "A goal")
    assert (refused.recorded, refused.error) == (False, "read_only")
    assert blank.read("MATCH (t:Task) RETURN count(t) AS n") == [{"n": 3}]
    again = open_store(blank_store_url)
    assert again.ensure_schema().problems == report.problems
    again.close()
    blank.define(REMOVE)
    blank.define(REMOVE)
    assert blank.ensure_schema().problems == []
    assert not blank.read_only
    assert blank.write(TASK, id="9", name="other")
    with pytest.raises(UniqueViolation):
        blank.write(TASK, id="10", name="twin")


def test_16_threads_on_a_fresh_graph_create_one_of_each(blank: GraphStore) -> None:
    """The first use of a label must not let two guarded writes pass."""
    blank.ensure_schema()

    def create(number: int) -> Any:
        return ConversationHistory(blank, project_id="p", agent_id=f"a{number}").create_task("storage", "One goal")

    results = at_once([lambda n=n: create(n) for n in range(THREADS)])  # type: ignore[misc]
    assert all(result.recorded for result in results)
    assert len({result.task.id for result in results}) == 1
    counts = {row["label"]: row["n"] for row in blank.read("MATCH (n) RETURN labels(n)[0] AS label, count(n) AS n")}
    assert counts["Task"] == 1
    assert counts["Project"] == 1
