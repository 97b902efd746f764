"""Documents: what add, update and remove write, and that each is one safe statement."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any
from uuid import NAMESPACE_OID, uuid5

import pytest

from reaffirm import ids
from reaffirm.knowledge import Graph, fetching, searching, statements
from reaffirm.knowledge.content import Content
from reaffirm.knowledge.ingestion import CHUNKER_HASH, version_of
from reaffirm.store import GraphStore

KEY = "docs/retention-policy.txt"
PLAIN = (
    "Retention policy 🚀 for Élan customers.\n\n"
    "Backups are kept for thirty days. After thirty days they are erased.\n\n"
    "Audit logs are kept for one year in the Frankfurt region.\n\n"
    "Exports need a written approval from the data officer."
)
MARKDOWN = "# Failover\n\nPromote the replica.\n\n" + "Wait. " * 60 + "\n\n## Checks\n\nLook at the lag.\n"


@pytest.fixture
def graph(store: GraphStore) -> Graph:
    return Graph(store)


def node(store: GraphStore, label: str, node_id: str) -> dict[str, Any]:
    (row,) = store.read(
        f"MATCH (n:{label}) WHERE n.id = $id RETURN properties(n) AS p, labels(n) AS labels", id=node_id
    )
    assert set(row["labels"]) == {label, "_Node"}
    return dict(row["p"])


def links(store: GraphStore, document_key: str, kind: str) -> list[dict[str, Any]]:
    """Relationships of a kind among the nodes of a document."""
    document = ids.document_id(document_key)
    rows = store.read(
        f"MATCH (a)-[r:{kind}]->(b) WHERE (a.id = $id OR a.document_id = $id) "
        "RETURN a.id AS start, b.id AS end, b.index AS index, labels(b) AS labels, properties(r) AS r",
        id=document,
    )
    return [
        {**row["r"], "start": row["start"], "end": row["end"], "to": row["labels"], "at": row["index"]} for row in rows
    ]


def J(*parts: object) -> str:
    return str(uuid5(NAMESPACE_OID, json.dumps([str(part) for part in parts])))


def test_ids_of_plain_text_are_those_that_agrag_gave_the_same_text() -> None:
    """From a graph that agentic-graphrag 0.0.7 wrote with its default schema."""
    version = version_of(KEY, Content(PLAIN, "text/plain"), now="2026-11-30T10:44:50+00:00", ft_fields=False)
    assert version.content_hash == "e63b5ee4b7a5b607614c1d5cafe997da8a7abb1b440d10fd12f3d1d38059c1ac"
    assert version.version_id == "11f50480-627d-5850-aa55-ec28f19f7674"
    (section,) = version.sections
    assert section["props"] == {
        "id": "866d8270-9789-5d09-a48f-a8ee5e76c782",
        "document_id": "e6632da9-a3cb-54d0-9d13-b9f8c426b5fc",
        "section_key": "4b3a88f5-b2be-5bcd-9e2d-2e9a8997ad49",
        "index": 0,
        "heading": "",
        "depth": 0,
        "version_id": "11f50480-627d-5850-aa55-ec28f19f7674",
        "char_start": 0,
        "char_end": 223,
    }


def test_a_document_has_the_shape_that_agrag_reads(store: GraphStore, graph: Graph) -> None:
    result = graph.add(PLAIN, document_key=KEY, title="Policy", author="user:ada", published_at="2026-04-30")
    assert (result.recorded, result.decision, result.activation_seq, result.chunks) == (True, "new_version", 1, 1)
    document_id = "e6632da9-a3cb-54d0-9d13-b9f8c426b5fc"
    document = node(store, "Document", document_id)
    assert ids.milliseconds(document.pop("updated_at"))
    assert document == {
        "id": document_id,
        "document_key": KEY,
        "uri": KEY,
        "title": "Policy",
        "published_at": "2026-04-30",
        "current_content_hash": result.content_hash,
        "activation_seq": 1,
        "schema_name": "custom",
        "schema_version": "1",
        "schema_fingerprint": "0acab13d23fe6213",
        "media_type": "text/plain",
    }
    (activated,) = links(store, KEY, "HAS_ACTIVATION")
    activation = node(store, "DocumentActivation", activated["end"])
    assert activation.pop("activated_at")
    job = activation.pop("job_id")
    assert activation == {
        "id": str(uuid5(NAMESPACE_OID, f"DocumentActivation:{job}")),
        "document_key": KEY,
        "verb": "add",
        "content_hash": result.content_hash,
        "version_id": "11f50480-627d-5850-aa55-ec28f19f7674",
        "activation_seq": 1,
        "author": "user:ada",
        "decisions_flagged": 0,
    }
    chunk_id = J("Chunk", document_id, "11f50480-627d-5850-aa55-ec28f19f7674", CHUNKER_HASH, 0)
    chunk = node(store, "Chunk", chunk_id)
    assert chunk.pop("created_at")
    search_text = {"_ft_text": PLAIN.replace("\n", " ")} if store.kind == "falkordb" else {}
    assert chunk == search_text | {
        "id": chunk_id,
        "document_id": document_id,
        "content_hash": result.content_hash,
        "index": 0,
        "text": PLAIN,
        "provenance": '{"kind": "text", "char_start": 0, "char_end": 223, "line_start": null, "line_end": null}',
        "heading_path": [],
        "content_kind": "text",
        "char_start": 0,
        "char_end": 223,
        "chunker": "section",
        "chunker_hash": CHUNKER_HASH,
        "schema_fingerprint": "0acab13d23fe6213",
        "section_ids": ["866d8270-9789-5d09-a48f-a8ee5e76c782"],
    }


def test_markdown_hangs_its_chunks_under_its_sections(store: GraphStore, graph: Graph) -> None:
    result = graph.add(
        MARKDOWN, document_key="docs/runbook.md", media_type="text/markdown", url="https://example.com/r"
    )
    document_id, parts = str(result.document_id), links(store, "docs/runbook.md", "HAS_PART")
    version = parts[0]["version_id"]
    assert {part["id"] for part in parts} == {
        str(uuid5(NAMESPACE_OID, f"HAS_PART:{document_id}:{part['end']}:{version}")) for part in parts
    }
    assert all(
        set(part) == {"id", "version_id", "valid_at", "source_chunk_ids", "start", "end", "to", "at"} for part in parts
    )
    assert all(part["source_chunk_ids"] == [] for part in parts)
    top_key = J("Section", "docs/runbook.md", json.dumps(["Failover"]), 0)
    inner_key = J("Section", "docs/runbook.md", json.dumps(["Failover", "Checks"]), 0)
    top, inner = J("Version", top_key, version), J("Version", inner_key, version)
    children = links(store, "docs/runbook.md", "HAS_CHILD")
    assert all(
        child["id"] == str(uuid5(NAMESPACE_OID, f"HAS_CHILD:{child['start']}:{child['end']}:{version}"))
        and child["source_chunk_ids"] == []
        for child in children
    )
    assert sorted((child["start"], "Chunk" in child["to"], child["order"]) for child in children) == sorted(
        [(document_id, False, 0), (top, True, 0), (top, False, 3), (inner, True, 3)]
    )
    (following,) = links(store, "docs/runbook.md", "NEXT_CHUNK")
    assert following["id"] == str(uuid5(NAMESPACE_OID, f"NEXT_CHUNK:{following['start']}:{following['end']}"))
    assert following["source_chunk_ids"] == []
    last = node(store, "Chunk", following["end"])
    assert (last["heading_path"], last["section_ids"]) == (["Failover", "Checks"], [inner])
    assert graph.text("docs/runbook.md") == MARKDOWN
    assert node(store, "Document", document_id)["uri"] == "https://example.com/r"


def test_the_same_text_is_no_new_version(graph: Graph) -> None:
    graph.add("A\r\nB", document_key=KEY)
    assert graph.add("\ufeffA\nB", document_key=KEY).decision == "no_op"
    assert graph.update(KEY, "A\rB").decision == "no_op"
    assert len(graph.versions(KEY)) == 1


def test_titles_addresses_and_dates_change_without_an_activation(store: GraphStore, graph: Graph) -> None:
    first = graph.add("A", document_key=KEY)
    assert (
        graph.update(KEY, "A", title="T", url="http://example.com", content_date="2026-01-02").decision
        == "metadata_only"
    )
    assert graph.update(KEY, "A", title="T").decision == "no_op"
    document = node(store, "Document", str(first.document_id))
    assert (document["title"], document["uri"], document["content_date"]) == ("T", "http://example.com", "2026-01-02")
    assert document["activation_seq"] == 1
    graph.update(KEY, "B")
    assert node(store, "Document", str(first.document_id))["title"] == "T"


def test_fault_27_a_return_to_an_old_text_keeps_both_intervals(store: GraphStore, graph: Graph) -> None:
    """Fault 27 of agentic-graphrag overwrites the first one."""
    first = graph.add("A", document_key=KEY)
    (chunk,) = [part["end"] for part in links(store, KEY, "HAS_PART") if "Chunk" in part["to"]]
    graph.update(KEY, "B")
    back = graph.update(KEY, "A")
    assert (back.decision, back.content_hash, back.activation_seq) == ("new_version", first.content_hash, 3)
    (part,) = [part for part in links(store, KEY, "HAS_PART") if part["end"] == chunk]
    one, two, three = graph.versions(KEY)
    assert part["past_intervals"] == [f"{ids.stamp(one.activated_at)}/{ids.stamp(two.activated_at)}"]
    assert part["valid_at"] == ids.stamp(three.activated_at)
    assert "invalid_at" not in part
    assert sum("invalid_at" not in part for part in links(store, KEY, "HAS_PART")) == 2  # one section, one chunk


def test_a_removed_document_has_no_text_and_can_return(store: GraphStore, graph: Graph) -> None:
    added = graph.add("A", document_key=KEY)
    removed = graph.remove(KEY, author="user:ada")
    assert (removed.decision, removed.activation_seq) == ("removed", 2)
    assert graph.remove(KEY).decision == "no_op"
    assert graph.text(KEY) is None
    assert graph.passages(KEY) == ()
    assert "current_content_hash" not in node(store, "Document", str(added.document_id))
    assert all("invalid_at" in part for part in links(store, KEY, "HAS_PART"))
    last = graph.versions(KEY)[-1]
    assert (last.verb, last.content_hash) == ("delete", None)
    assert node(store, "DocumentActivation", last.activation_id)["previous_content_hash"] == added.content_hash
    assert graph.update(KEY, "A").activation_seq == 3
    assert [version.verb for version in graph.versions(KEY)] == ["add", "delete", "update"]


def test_an_unknown_document_is_not_found(graph: Graph) -> None:
    assert graph.update("docs/none.txt", "A").error == "document_not_found"
    assert graph.remove("docs/none.txt").error == "document_not_found"
    assert graph.versions("docs/none.txt") == ()
    assert graph.text("docs/none.txt") is None
    assert graph.text(" not a key ") is None


def test_a_project_sees_a_document_that_was_added_through_it(store: GraphStore, graph: Graph) -> None:
    graph.add("A", document_key=KEY, project_id="atlas")
    graph.add("A", document_key=KEY, project_id="atlas")
    graph.add("A", document_key=KEY, project_id="borealis")
    rows = store.read(
        "MATCH (p:Project)-[r:HAS_SOURCE]->(d:Document) RETURN p.project_id AS project, properties(p) AS p, "
        "properties(r) AS r ORDER BY project"
    )
    assert [row["project"] for row in rows] == ["atlas", "borealis"]
    assert all(
        row["r"] == {} and row["p"]["review_incomplete"] is False and row["p"]["review_epoch"] == 0 for row in rows
    )


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"document_key": " x"}, "document_key"),
        ({"document_key": "x" * 1_001}, "document_key"),
        ({"document_key": None}, "document_key"),
        ({"text": " \n\t"}, "text"),
        ({"text": "a\0b"}, "text"),
        ({"text": "half \ud83d"}, "text"),
        ({"text": b"bytes"}, "text"),
        ({"title": "t" * 1_001}, "title"),
        ({"title": ""}, "title"),
        ({"url": "javascript:alert(1)"}, "url"),
        ({"url": "https://user:secret@example.com"}, "url"),
        ({"url": "https://example.com/" + "x" * 2_000}, "url"),
        ({"media_type": "image/png"}, "media_type"),
        ({"published_at": "30.04.2026"}, "published_at"),
        ({"content_date": 20260430}, "content_date"),
        ({"project_id": ""}, "project_id"),
        ({"author": "a\nb"}, "author"),
    ],
)
def test_a_value_that_is_not_acceptable_is_named(
    falkordb_store: GraphStore, arguments: dict[str, Any], field: str
) -> None:
    given = {"text": "A", "document_key": KEY, **arguments}
    refused = Graph(falkordb_store).add(given.pop("text"), **given)
    assert (refused.recorded, refused.error, refused.field) == (False, "invalid_value", field)
    assert refused.detail
    assert "secret" not in refused.detail


@pytest.mark.parametrize("status", statements.UNFINISHED_JOBS)
def test_a_document_that_agrag_is_writing_is_busy(store: GraphStore, graph: Graph, status: str) -> None:
    graph.add("A", document_key=KEY)
    lease = ids.milliseconds(ids.now()) + 60_000
    job = {"id": "job-1", "document_key": KEY, "status": status, "lease_expires_at": lease}
    store.write("CREATE (j:CutoverJob) SET j = $job RETURN j.id AS id", job=job)
    assert graph.update(KEY, "B").error == "document_busy"
    assert graph.remove(KEY).error == "document_busy"
    assert graph.update(KEY, "A").decision == "no_op"
    store.write("MATCH (j:CutoverJob) WHERE j.status = $s SET j.lease_expires_at = 1 RETURN j.id AS id", s=status)
    assert graph.update(KEY, "B").decision == "new_version"


def test_the_statement_itself_refuses_a_document_that_became_busy(
    store: GraphStore, graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    """agentic-graphrag takes its lease between our read and our write: no row, a second look, and the refusal."""
    graph.add("A", document_key=KEY)
    real = store.write

    def write(query: str, **params: object) -> list[dict[str, Any]]:
        lease = ids.milliseconds(ids.now()) + 60_000
        job = {"id": "job-1", "document_key": KEY, "status": "pending", "lease_expires_at": lease}
        monkeypatch.setattr(store, "write", real)
        store.write("CREATE (j:CutoverJob) SET j = $job RETURN j.id AS id", job=job)
        return store.write(query, **params)

    monkeypatch.setattr(store, "write", write)
    assert graph.update(KEY, "B").error == "document_busy"
    assert graph.text(KEY) == "A"


def test_rows_that_agrag_has_not_committed_are_left_alone(store: GraphStore, graph: Graph) -> None:
    added = graph.add("A", document_key=KEY)
    store.write(
        "MATCH (d:Document) WHERE d.id = $id CREATE (d)-[p:HAS_PART {id: 'p', version_id: 'v', _pending_job_id: 'j'}]->"
        "(c:Chunk:_Node {id: 'pending-chunk', document_id: $id, content_hash: $hash, index: 9, text: 'Pending', "
        "_pending_job_id: 'j'}) RETURN d.id AS id",
        id=added.document_id,
        hash=added.content_hash,
    )
    assert graph.text(KEY) == "A"
    graph.update(KEY, "B")
    (part,) = [part for part in links(store, KEY, "HAS_PART") if part["end"] == "pending-chunk"]
    assert "invalid_at" not in part


def test_sixteen_writers_of_one_key_make_one_line_of_versions(store: GraphStore, graph: Graph) -> None:
    texts = [f"Version {number % 8}." for number in range(16)]
    barrier = threading.Barrier(16)

    def write(text: str) -> Any:
        barrier.wait()
        return graph.add(text, document_key=KEY, project_id="atlas")

    with ThreadPoolExecutor(16) as pool:
        results = list(pool.map(write, texts))
    assert all(result.recorded for result in results), [result.error for result in results]
    made = sorted(result.activation_seq for result in results if result.decision == "new_version")
    versions = graph.versions(KEY)
    assert made == [version.activation_seq for version in versions] == list(range(1, len(versions) + 1))
    assert all(one.content_hash != two.content_hash for one, two in pairwise(versions))
    assert [version.verb for version in versions] == ["add"] + ["update"] * (len(versions) - 1)
    opened = [part for part in links(store, KEY, "HAS_PART") if "invalid_at" not in part]
    assert len(opened) == 2
    assert ids.text_digest(str(graph.text(KEY))) == versions[-1].content_hash
    assert len(links(store, KEY, "HAS_ACTIVATION")) == len(versions)


def test_a_long_document_is_one_statement(store: GraphStore, graph: Graph) -> None:
    lines = [f"Line {number} of a policy. 🚀\n" + "\n" * (number % 9 == 0) for number in range(20_000)]
    text = "".join(lines)
    added = graph.add(text, document_key=KEY)
    assert added.recorded
    assert graph.text(KEY) == text
    assert len(graph.passages(KEY)) == added.chunks
    (outcome,) = graph.fetch([graph.cite(KEY, "Line 15000 of a policy. 🚀")])
    assert outcome.text == "Line 15000 of a policy. 🚀"


@pytest.mark.parametrize(
    "name",
    [
        "READ_STATE",
        "READ_VERSIONS",
        "CREATE_DOCUMENT",
        "ACTIVATE_VERSION",
        "REMOVE_DOCUMENT",
        "DESCRIBE_DOCUMENT",
        "fetch",
        "current",
    ],
)
def test_no_statement_scans_a_label(store: GraphStore, name: str) -> None:
    own = {"fetch": fetching.READ_VERSIONS, "current": fetching.READ_CURRENT}
    lists = ("sections", "chunks", "document_sections", "document_chunks", "section_sections", "section_chunks")
    values: dict[str, Any] = {
        "facts": {"document": {}, "activation": {}, "changes": {}, "source_of": ["p"], "author": None},
        "version": {kind: [] for kind in (*lists, "next_chunks")},
        "versions": [{"document": "d", "prefix": "a", "after": "ag"}],
        "unfinished": ["pending"],
        "seen_seq": 0,
        "seq": 1,
        "most": 1,
        "enough": 1,
        "now_ms": 1,
    }
    texts = (
        "id",
        "document_key",
        "activation_id",
        "project_id",
        "seen_hash",
        "now",
        "version_id",
        "chunker_hash",
        "reason",
    )
    plan = store.explain(own.get(name) or getattr(statements, name), **values, **dict.fromkeys(texts, "x"))
    for scan in ("NodeByLabelScan", "AllNodesScan", "All Node Scan", "Label Scan", "CartesianProduct"):
        assert scan not in plan, plan


def test_the_search_goes_on_by_ids(neo4j_store: GraphStore) -> None:
    plan = neo4j_store.explain(
        f"MATCH (node:Chunk {{id: 'x'}}) WITH node, 1.0 AS score {searching.TAIL}",
        anywhere=True,
        document_keys=[],
        hits=1,
    )
    assert "Scan" not in plan, plan


def test_purging_erases_every_version_and_flags_who_cites_it(store: GraphStore) -> None:
    graph = Graph(store)
    first = graph.add("# Rule\n\nKeep logs for 30 days.", document_key="docs/rule.md", media_type="text/markdown")
    graph.update("docs/rule.md", "# Rule\n\nKeep logs for 60 days.")
    cited = graph.cite("docs/rule.md", "Keep logs for 60 days.")
    purged = graph.purge("docs/rule.md", author="librarian")
    assert (purged.recorded, purged.decision, purged.activation_seq) == (True, "removed", 3)
    assert graph.text("docs/rule.md") is None
    assert [version.verb for version in graph.versions("docs/rule.md")] == ["add", "update", "purge"]
    assert graph.fetch([cited])[0].status == "unavailable"
    rows = store.read("MATCH (c:Chunk) WHERE c.document_id = $id RETURN count(c) AS chunks", id=first.document_id)
    assert rows == [{"chunks": 0}]
    assert graph.purge("docs/rule.md").decision == "no_op"
    assert graph.purge("docs/other.md").error == "document_not_found"
    again = graph.add("# Rule\n\nKeep logs for 60 days.", document_key="docs/rule.md")
    assert (again.decision, again.activation_seq) == ("new_version", 4)
    assert graph.fetch([cited])[0].status == "ok"
