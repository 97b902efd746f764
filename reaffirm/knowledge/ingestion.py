"""The records of one version of a document: nodes and relationships as agentic-graphrag writes them. Pure.

Ids, digests and property names are its own, so that each product finds what the other wrote. Only chunker_hash is ours:
when it ingests the same text it makes chunks of its own beside these.
"""

import hashlib
import json
from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise

from reaffirm import ids
from reaffirm.knowledge.chunking import CHUNKER, Cut, cuts, reading_positions
from reaffirm.knowledge.content import Content
from reaffirm.knowledge.sections import Section, sections_of

# As in a graph that it wrote with its default schema.
SCHEMA = {"schema_name": "custom", "schema_version": "1", "schema_fingerprint": "0acab13d23fe6213"}
CHUNKER_HASH = hashlib.sha256(json.dumps(CHUNKER, sort_keys=True, separators=(",", ":")).encode()).hexdigest()[:16]

Record = dict[str, object]


@dataclass(frozen=True)
class Links:
    """HAS_CHILD and NEXT_CHUNK by the kinds of their ends. Each: id, parent, child and order."""

    document_sections: list[Record]
    document_chunks: list[Record]
    section_sections: list[Record]
    section_chunks: list[Record]
    next_chunks: list[Record]


@dataclass(frozen=True)
class Version:
    """All records of one version.

    Attributes:
        sections, chunks: Nodes, each with the id of its HAS_PART: ``{id, part_id, props}``.
    """

    content_hash: str
    version_id: str
    sections: list[Record]
    chunks: list[Record]
    links: Links


def version_of(document_key: str, content: Content, *, now: str, ft_fields: bool) -> Version:
    """Build the records of a text.

    Args:
        now: The time of the write; HAS_PART and chunks carry it.
        ft_fields: Whether the store searches in ``_ft_text`` (FalkorDB) rather than in ``text``.
    """
    document = ids.document_id(document_key)
    text, content_hash = content.text, content.content_hash
    sections = sections_of(text, content.media_type, content.marks)
    version = ids.version_id(content_hash, SCHEMA["schema_fingerprint"], structure_fingerprint(sections))
    keys = section_keys(document_key, sections)
    section_ids = [ids.joined("Version", key, version) for key in keys]
    made = cuts(text, sections)
    chunk_ids = [ids.chunk_id(document, version, CHUNKER_HASH, index) for index in range(len(made))]
    section_records = [
        _part(document, version, _section(document, version, section_ids[number], keys[number], number, section))
        for number, section in enumerate(sections)
    ]
    chunk_records: list[Record] = []
    for index, cut in enumerate(made):
        words = text[cut.start : cut.end]
        props = _chunk(index, cut, words, sections, section_ids)
        props |= _pages(cut, content.pages)
        props |= {"id": chunk_ids[index], "document_id": document, "content_hash": content_hash, "created_at": now}
        if ft_fields:
            props["_ft_text"] = words.replace("\n", " ").replace("\r", " ")
        chunk_records.append(_part(document, version, props))
    links = _links(document, version, sections, section_ids, made, chunk_ids)
    return Version(content_hash, version, section_records, chunk_records, links)


def structure_fingerprint(sections: tuple[Section, ...]) -> str:
    """The digest of headings, depths, parents and the spans of the units below them."""
    tree = [
        [
            section.heading,
            section.depth,
            section.parent,
            [[unit.kind, unit.body_start, unit.body_end] for unit in section.units],
        ]
        for section in sections
    ]
    return ids.text_digest(json.dumps(tree, ensure_ascii=True, separators=(",", ":")))


def section_keys(document_key: str, sections: tuple[Section, ...]) -> list[str]:
    """One key for each section: its heading path, and which of those with an equal path it is."""
    seen: dict[tuple[str, ...], int] = {}
    keys = []
    for section in sections:
        ordinal = seen.get(section.path, 0)
        seen[section.path] = ordinal + 1
        keys.append(ids.joined("Section", document_key, json.dumps(list(section.path)), ordinal))
    return keys


def _part(document: str, version: str, props: Record) -> Record:
    return {"id": props["id"], "part_id": ids.part_id(document, str(props["id"]), version), "props": props}


def _section(document: str, version: str, node: str, key: str, number: int, section: Section) -> Record:
    props: Record = {
        "id": node,
        "document_id": document,
        "section_key": key,
        "index": number,
        "heading": section.heading,
        "depth": section.depth,
        "version_id": version,
    }
    if section.units:
        props |= {"char_start": section.units[0].body_start, "char_end": section.units[-1].body_end}
    return props


def _chunk(index: int, cut: Cut, words: str, sections: tuple[Section, ...], section_ids: list[str]) -> Record:
    place = {"kind": "text", "char_start": cut.start, "char_end": cut.end, "line_start": None, "line_end": None}
    path = sections[cut.parent].path if cut.parent is not None else ()
    return {
        "index": index,
        "text": words,
        "provenance": json.dumps(place),
        "heading_path": [heading for heading in path if heading],
        "content_kind": "text",
        "char_start": cut.start,
        "char_end": cut.end,
        "chunker": "section",
        "chunker_hash": CHUNKER_HASH,
        "schema_fingerprint": SCHEMA["schema_fingerprint"],
        "section_ids": [section_ids[number] for number in cut.sections],
    }


def _pages(cut: Cut, pages: tuple[int, ...]) -> Record:
    """The pages of a PDF that a chunk's words are on, and where in the text each after the first begins."""
    if not pages:
        return {}
    first, last = bisect_right(pages, cut.start), bisect_right(pages, cut.end - 1)
    return {"page_start": first, "page_end": last, "page_breaks": list(pages[first:last])}


def _links(
    document: str,
    version: str,
    sections: tuple[Section, ...],
    section_ids: list[str],
    made: list[Cut],
    chunk_ids: list[str],
) -> Links:
    def child(parent: str, node: str, order: int) -> Record:
        return {"id": ids.child_id(parent, node, version), "parent": parent, "child": node, "order": order}

    found = Links([], [], [], [], [])
    for section, node, order in zip(sections, section_ids, reading_positions(sections), strict=True):
        if section.parent is None:
            found.document_sections.append(child(document, node, order))
        else:
            found.section_sections.append(child(section_ids[section.parent], node, order))
    for cut, node in zip(made, chunk_ids, strict=True):
        if cut.parent is None:
            found.document_chunks.append(child(document, node, cut.order))
        else:
            found.section_chunks.append(child(section_ids[cut.parent], node, cut.order))
    for one, two in pairwise(chunk_ids):
        found.next_chunks.append({"id": ids.next_chunk_id(one, two), "parent": one, "child": two})
    return found
