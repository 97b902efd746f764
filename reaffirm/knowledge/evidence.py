"""Evidence ids: ``ev1:s:<document>:<16 hex>:<start>-<end>`` and ``ev1:c:<document>:<16 hex>:<chunk>``."""

import re

from reaffirm.ids import is_uuid
from reaffirm.knowledge.models import EvidenceReference, ReferenceKind

_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_OFFSET = r"(?:0|[1-9][0-9]{0,11})"
_SPAN = re.compile(rf"ev1:s:({_UUID}):([0-9a-f]{{16}}):({_OFFSET})-({_OFFSET})", re.ASCII)
_CHUNK = re.compile(rf"ev1:c:({_UUID}):([0-9a-f]{{16}}):({_UUID})", re.ASCII)
MAX_LENGTH = 200


def decode(evidence_id: object) -> EvidenceReference | None:
    """What an evidence id names, or None when it is not exactly in the form. Offsets are code points, end exclusive."""
    if not isinstance(evidence_id, str) or len(evidence_id) > MAX_LENGTH:
        return None
    span = _SPAN.fullmatch(evidence_id)
    if span:
        start, end = int(span[3]), int(span[4])
        if start >= end:
            return None
        return EvidenceReference(
            kind=ReferenceKind.SPAN,
            document_node_id=span[1],
            content_hash_prefix=span[2],
            char_start=start,
            char_end=end,
        )
    chunk = _CHUNK.fullmatch(evidence_id)
    if chunk and is_uuid(chunk[1]) and is_uuid(chunk[3]):
        return EvidenceReference(
            kind=ReferenceKind.CHUNK, document_node_id=chunk[1], content_hash_prefix=chunk[2], chunk_id=chunk[3]
        )
    return None


def encode(reference: EvidenceReference) -> str:
    """The one id of a reference."""
    head = f"{reference.document_node_id}:{reference.content_hash_prefix}"
    if reference.kind is ReferenceKind.SPAN:
        return f"ev1:s:{head}:{reference.char_start}-{reference.char_end}"
    return f"ev1:c:{head}:{reference.chunk_id}"


def span_id(document_id: str, content_hash: str, start: int, end: int) -> str:
    """The evidence id of a range of one version."""
    return f"ev1:s:{document_id}:{content_hash[:16]}:{start}-{end}"


def chunk_id(document_id: str, content_hash: str, chunk: str) -> str:
    """The evidence id of a chunk of one version, where its place in the text is not known."""
    return f"ev1:c:{document_id}:{content_hash[:16]}:{chunk}"
