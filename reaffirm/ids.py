"""Ids and digests of the shared graph: the formulas of agentic-graphrag, so that each finds the other's records."""

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from uuid import NAMESPACE_OID, UUID, uuid4, uuid5


def joined(*parts: object) -> str:
    """The id of something named by several parts."""
    return str(uuid5(NAMESPACE_OID, json.dumps([str(part) for part in parts])))


def single(text: str) -> str:
    """The id of something named by one text."""
    return str(uuid5(NAMESPACE_OID, text))


def task_id(project_id: str, name: str) -> str:
    return joined(project_id, name)


def event_id(task: str, seq: int) -> str:
    return joined("Event", task, seq)


def event_ids(task: str, after: int, count: int) -> list[str]:
    """Ready ids for the next events of a task: a statement hands out the number and picks its id from here."""
    return [event_id(task, after + number) for number in range(1, count + 1)]


def step_id(task: str, name: str) -> str:
    return joined("Step", task, name)


def request_node_id(project_id: str, request_id: str) -> str:
    return joined("Request", project_id, request_id)


def decision_id(task: str, choice_key: str, revision: int) -> str:
    return joined("Decision", task, choice_key, revision)


def support_id(decision: str, index: int) -> str:
    return joined("Support", decision, index)


def reaffirmed_support_id(decision: str, reviewed_at: str, index: int) -> str:
    return joined("Support", decision, "reaffirm", reviewed_at, index)


def document_id(document_key: str) -> str:
    return single(f"Document:{document_key}")


def version_id(content_hash: str, schema_fingerprint: str, structure_fingerprint: str) -> str:
    return joined("Version", content_hash, schema_fingerprint, structure_fingerprint)


def chunk_id(document: str, version: str, chunker_hash: str, index: int) -> str:
    return joined("Chunk", document, version, chunker_hash, index)


def activation_id(job_id: str) -> str:
    return single(f"DocumentActivation:{job_id}")


def part_id(document: str, node: str, version: str) -> str:
    return single(f"HAS_PART:{document}:{node}:{version}")


def child_id(parent: str, child: str, version: str) -> str:
    return single(f"HAS_CHILD:{parent}:{child}:{version}")


def next_chunk_id(first: str, second: str) -> str:
    return single(f"NEXT_CHUNK:{first}:{second}")


def new_request_id() -> str:
    """A request id for a caller who gave none, so that every write can be found again."""
    return uuid4().hex


def is_uuid(text: str) -> bool:
    """Whether a text is an id in the one form that the graph stores: lowercase, hyphenated."""
    try:
        return str(UUID(text)) == text
    except (ValueError, AttributeError, TypeError):
        return False


def text_digest(text: str) -> str:
    """SHA-256 hex of a text in UTF-8."""
    return hashlib.sha256(text.encode()).hexdigest()


def request_digest(operation: str, arguments: Mapping[str, object]) -> str:
    """What tells two calls with one request id apart. Never with ``fetched_evidence``: a retry may fetch again."""
    body = {"operation": operation, "arguments": arguments}
    return text_digest(json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True, default=str))


def now() -> str:
    """The time in the graph's form, always with six fraction digits so that texts sort as times."""
    return stamp(datetime.now(UTC))


def stamp(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def milliseconds(iso: str) -> int:
    """Epoch milliseconds of a stored time; a text without a zone is UTC by rule."""
    moment = datetime.fromisoformat(iso)
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
