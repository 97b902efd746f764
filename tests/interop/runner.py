"""Runs inside agentic-graphrag's own environment: calls its public classes as tests ask, one JSON line for one call.

A request is ``{"call": "<part>.<method>", "project": …, "agent": …, "args": […], "kwargs": {…}}``, the answer
``{"result": …}`` or ``{"error": "<type>: <text>"}``. It imports nothing of ours.
"""

import asyncio
import hashlib
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from uuid import UUID

from agrag.common.data_models.decision import DecisionSupportInput, DocumentSupportInput, EventSupportInput
from agrag.common.data_models.document import Document, DocumentFamily, DocumentSection, SourceFormat, Unit, UnitKind
from agrag.common.data_models.evidence import EvidenceSearchMode, FetchOutcome
from agrag.common.data_models.task import EventKind, StepKind, StepResultBasis, StepState
from agrag.decisions import DecisionTraces
from agrag.evidence import fetch_evidence
from agrag.evidence._shared import chunk_from_row, chunk_reference
from agrag.evidence.entities import entity_search, explore_relationships
from agrag.evidence.ids import encode_evidence_id
from agrag.graphdb.falkordb import FalkorDBGraphStore, _FalkorDBTransaction
from agrag.graphdb.neo4j import Neo4jGraphStore, _Neo4jTransaction
from agrag.graphdb.settings import FalkorDBSettings, Neo4jSettings
from agrag.history import ConversationHistory, HistoryRetention
from agrag.ingestion.graph import Graph
from pydantic import BaseModel

sys.path.append(str(Path(__file__).parent))  # -I leaves out even the folder of the script
from race import Race
from stand_ins import MODELS, WITH_NAMES

CURRENT_CHUNKS = (
    "MATCH (d:Document {document_key: $key})-[p:HAS_PART]->(c:Chunk) "
    "WHERE p.invalid_at IS NULL AND c.content_hash = d.current_content_hash RETURN c AS chunk ORDER BY c.index"
)


class Documents:
    """Its Graph, by the few calls that tests make, and its reads of evidence."""

    def __init__(self, store: Any, models: dict[str, Any] = MODELS) -> None:
        self._store = store
        self._models = models
        self._graph: Graph | None = None

    async def open(self) -> None:
        """Its Graph.open: connects, and makes its constraints and indexes."""
        self._graph = await Graph.open(graph_store=self._store, **self._models)

    async def graph(self) -> Graph:
        if self._graph is None:
            await self.open()
        assert self._graph is not None
        return self._graph

    async def update(self, key: str, text: str) -> Any:
        return _brief(await (await self.graph()).update(key, text=text))

    async def update_sections(self, key: str, sections: list[list[Any]]) -> Any:
        """Prose under headings, as its loaders of rich formats give it: ``[heading, depth, [paragraph, …]]`` each.

        A heading is put into the first chunk of its section, so that such a chunk has no exact span.
        """
        text, built = "", []
        for heading, depth, paragraphs in sections:
            text += f"{'#' * depth} {heading}\n\n"
            units = []
            for words in paragraphs:
                start = len(text)
                text += f"{words}\n\n"
                units.append(Unit(kind=UnitKind.PARAGRAPH, text=words, char_start=start, char_end=start + len(words)))
            built.append(DocumentSection(heading=heading, depth=depth, units=units))
        document = Document(
            text=text,
            title=key,
            uri=f"https://example.com/{key}",
            document_key=key,
            source_format=SourceFormat.MARKDOWN,
            family=DocumentFamily.PROSE,
            content_hash=hashlib.sha256(text.encode()).hexdigest(),
            loader_name="tests",
            char_count=len(text),
            sections=built,
        )
        graph = await self.graph()
        return _brief(await graph.update(key, document=document))

    async def delete(self, key: str) -> Any:
        return _brief(await (await self.graph()).delete_document(key))

    async def purge(self, key: str) -> Any:
        return _brief(await (await self.graph()).purge_document(key))

    async def source_status(self, key: str) -> Any:
        return await (await self.graph()).source_status(key)

    async def evidence(self, key: str) -> Any:
        """Evidence id and text of each current chunk, as its search would give them."""
        rows = await self._store.execute_read(CURRENT_CHUNKS, {"key": key})
        chunks = [chunk_from_row({k: v for k, v in row["chunk"].items() if k != "embedding"}) for row in rows]
        return [{"id": encode_evidence_id(chunk_reference(chunk)), "text": chunk.text} for chunk in chunks]

    async def fetch(self, ids: list[str], keys: list[str]) -> Any:
        return (await fetch_evidence(self._store, ids, scope=frozenset(keys))).outcomes

    async def entity_search(self, query: str, keys: list[str], labels: list[str]) -> Any:
        """By name: the stand-in for a model knows no meaning."""
        by_name = {"labels": labels, "mode": EvidenceSearchMode.LEXICAL}
        return await entity_search(self._store, self._models["embedder"], query, scope=frozenset(keys), **by_name)

    async def explore(self, entity_id: str, keys: list[str]) -> Any:
        return await explore_relationships(self._store, entity_id, scope=frozenset(keys))


def _brief(result: Any) -> dict[str, Any]:
    return {"decision": result.decision, "content_hash": result.new_content_hash, "no_op": result.no_op}


def _support(given: dict[str, Any]) -> BaseModel:
    if "evidence_id" in given:
        return DocumentSupportInput.model_validate(given)
    if "decision_id" in given:
        return DecisionSupportInput.model_validate(given)
    return EventSupportInput.model_validate(given)


CONVERT: dict[str, Any] = {
    "supports": lambda values: [_support(value) for value in values],
    "fetched_evidence": lambda values: [FetchOutcome.model_validate(value) for value in values],
    "result_basis": StepResultBasis,
    "decision_id": UUID,
}
# By place: a method's positional arguments.
POSITIONAL: dict[str, list[Any]] = {
    "history.record_event": [str, EventKind],
    "history.set_step": [str, str, StepState],
    "history.list_steps": [str, StepState],
    "decisions.get_decision": [UUID],
    "decisions.list_support_history": [UUID],
    "decisions.reject_decision": [UUID],
    "decisions.supersede_decision": [UUID],
    "decisions.reaffirm_decision": [UUID, CONVERT["supports"]],
}
SERVICES = {"history": ConversationHistory, "decisions": DecisionTraces, "retention": HistoryRetention}


class Methods:
    """What its classes offer."""

    async def listed(self) -> dict[str, list[str]]:
        """Names of the public methods of each."""
        return {part: [name for name in vars(kind) if not name.startswith("_")] for part, kind in SERVICES.items()}


class Ended(Exception):
    """Where its process would have ended."""


class Crash:
    """Ends what is under way before a statement that holds a text, once; Neo4j rolls back, FalkorDB cannot."""

    def __init__(self, store: Any) -> None:
        self._store = store

    async def before(self, text: str) -> None:
        for kind in (_FalkorDBTransaction, _Neo4jTransaction):
            self._arm(kind, text)

    def _arm(self, kind: Any, text: str) -> None:
        write = kind.execute_write

        async def crashing(transaction: Any, query: str, parameters: Any = None) -> Any:
            if text in query:
                kind.execute_write = write
                raise Ended(text)
            return await write(transaction, query, parameters)

        kind.execute_write = crashing

    async def wait_before(self, text: str, document_key: str, seq: int) -> None:
        """Hold it before such a statement, once, until a document has a version."""
        for kind in (_FalkorDBTransaction, _Neo4jTransaction):
            self._hold(kind, text, {"key": document_key}, seq)

    def _hold(self, kind: Any, text: str, document: dict[str, str], seq: int) -> None:
        write = kind.execute_write

        async def waiting(transaction: Any, query: str, parameters: Any = None) -> Any:
            if text in query:
                kind.execute_write = write
                for _ in range(300):
                    rows = await self._store.execute_read(SEQ, document)
                    if rows[0]["seq"] >= seq:
                        break
                    await asyncio.sleep(0.1)
            return await write(transaction, query, parameters)

        kind.execute_write = waiting

    async def never(self) -> None:
        for kind, write in WRITES.items():
            kind.execute_write = write


SEQ = "MATCH (d:Document {document_key: $key}) RETURN d.activation_seq AS seq"
WRITES: dict[Any, Any] = {kind: kind.execute_write for kind in (_FalkorDBTransaction, _Neo4jTransaction)}


class Session:
    """One open store, and its services by project and agent."""

    def __init__(self) -> None:
        self._open: Any = None
        self._store: Any = None
        self._documents: Documents | None = None
        self._entities: Documents | None = None
        self._race: Race | None = None
        self.address: dict[str, Any] = {}
        self._services: dict[tuple[str, str, str], Any] = {}

    async def connect(self, *, url: str, graph: str, username: str | None, password: str | None) -> None:
        if url.startswith(("neo4j", "bolt")):
            neo4j = Neo4jSettings(uri=url, username=username or "neo4j", password=password or "-", database=graph)
            self._open = lambda: Neo4jGraphStore(settings=neo4j)
        else:
            falkordb = FalkorDBSettings(url=url, password=password, graph=graph)
            self._open = lambda: FalkorDBGraphStore(settings=falkordb)
        self.address = {"url": url, "graph": graph, "username": username, "password": password}
        self._store = self._open()
        await self._store.connect()
        self._documents = Documents(self._store)
        self._entities = Documents(self._store, WITH_NAMES)

    async def close(self) -> None:
        await self._store.close()

    def target(self, part: str, project: str, agent: str) -> Any:
        if part == "documents":
            return self._documents
        if part == "entities":
            return self._entities
        if part == "crash":
            return Crash(self._store)
        if part == "methods":
            return Methods()
        if part == "race":
            self._race = self._race or Race(self._open, self._documents, project)
            return self._race
        key = (part, project, agent)
        if key not in self._services:
            self._services[key] = SERVICES[part](self._store, project_id=project, agent_id=agent)
        return self._services[key]

    async def answer(self, asked: dict[str, Any]) -> Any:
        return await self.prepared(asked)()

    def prepared(self, asked: dict[str, Any]) -> Callable[[], Awaitable[Any]]:
        """The call with its arguments in the package's own types."""
        part, _, method = asked["call"].partition(".")
        args = list(asked["args"])
        for place, convert in enumerate(POSITIONAL.get(asked["call"], [])[: len(args)]):
            args[place] = convert(args[place])
        kwargs = {name: CONVERT[name](value) if name in CONVERT else value for name, value in asked["kwargs"].items()}
        if "kind" in kwargs and method == "set_step":
            kwargs["kind"] = StepKind(kwargs["kind"])
        called = getattr(self.target(part, asked["project"], asked["agent"]), method)
        return lambda: called(*args, **kwargs)


def plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return value


class Sessions:
    """Every store that was connected, by its address, and the one that is spoken to now."""

    def __init__(self) -> None:
        self._open: dict[str, Session] = {}
        self._now = Session()

    async def answer(self, asked: dict[str, Any]) -> Any:
        if asked["call"] != "sessions.use":
            return await self._now.answer(asked)
        address = asked["kwargs"]
        name = f"{address['url']} {address['graph']}"
        if asked["args"][0] == "anew" and name in self._open:
            await self._open.pop(name).close()
        if name not in self._open:
            self._open[name] = Session()
            await self._open[name].connect(**address)
        self._now = self._open[name]
        return None

    async def close(self) -> None:
        for session in self._open.values():
            await session.close()


async def main() -> None:
    session = Sessions()
    answers = sys.stdout
    sys.stdout = sys.stderr  # a print of anybody's must not stand between two answers
    while line := await asyncio.to_thread(sys.stdin.readline):
        try:
            answer = {"result": plain(await session.answer(json.loads(line)))}
        except Exception as error:  # noqa: BLE001 - the test that asked is told
            answer = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer, default=str) + "\n")
        answers.flush()
    await session.close()


if __name__ == "__main__":
    asyncio.run(main())
