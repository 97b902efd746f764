"""Entities of a document as a reader gets them."""

from typing import Any

from reaffirm.models import Model


class DocumentEntity(Model):
    """Something that the current version of a document mentions.

    Attributes:
        type: Its label.
        mentions: How often the version mentions it; how many of its chunks do, where agentic-graphrag read it.
        evidence_ids: The first 20 mentions, to be cited or fetched: exact words; a whole chunk where agentic-graphrag
            read it.
        properties: What its extractor told of it.
    """

    id: str
    type: str
    name: str
    mentions: int
    evidence_ids: tuple[str, ...] = ()
    properties: dict[str, Any] = {}


class EntityPage(Model):
    """Entities of one document by type and name.

    Attributes:
        next_cursor: For the next page; None on the last.
    """

    entities: tuple[DocumentEntity, ...] = ()
    next_cursor: str | None = None
