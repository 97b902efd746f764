"""The documents of the story: each brought into the graph in its versions, and cited as it stood in a chapter."""

from collections.abc import Sequence

from console.demo.story import Cited, Story, StoryRefused, accept
from reaffirm.knowledge import Graph
from reaffirm.knowledge.content import Content
from reaffirm.knowledge.evidence import encode, span_id
from reaffirm.knowledge.ingestion import version_of
from reaffirm.knowledge.models import EvidenceReference, FetchOutcome, ReferenceKind
from reaffirm.store import GraphStore

LIBRARIAN = "policy-sync"


class Sources:
    """The documents of one story in one graph."""

    def __init__(self, store: GraphStore, project_id: str, story: Story) -> None:
        self._graph, self._project_id, self._story = Graph(store), project_id, story

    def bring(self, number: int) -> None:
        chapter = self._story.chapters[number - 1]
        for each in chapter.bring:
            if len(self._graph.versions(self._key(each.document))) >= len(self._story.brought(each.document, number)):
                continue
            done = self._graph.add(
                each.text,
                document_key=self._key(each.document),
                title=self._story.titles[each.document],
                media_type=_media_type(each.file),
                content_date=each.date,
                project_id=self._project_id,
                author=LIBRARIAN,
            )
            accept(done, each.file)
        for document in chapter.remove:
            accept(self._graph.remove(self._key(document), author=LIBRARIAN), document)
        for document in chapter.erase:
            accept(self._graph.purge(self._key(document), author=LIBRARIAN), document)

    def _key(self, document: str) -> str:
        return f"{self._story.slug}/{document}"

    def fetch(self, cited: Sequence[Cited], chapter: int) -> list[FetchOutcome]:
        """Read the cited passages as they stood at the end of a chapter."""
        ids = [self.evidence_id(each, chapter) for each in cited if each.document]
        return list(self._graph.fetch(ids)) if ids else []

    def evidence_id(self, cited: Cited, chapter: int) -> str:
        assert cited.document
        brought = self._story.brought(cited.document, chapter)[-1]
        key, text = self._key(cited.document), brought.text
        start = text.find(cited.quote)
        if start < 0:
            raise StoryRefused(f"{brought.file} does not hold {cited.quote!r}")
        made = version_of(key, Content(text, _media_type(brought.file)), now="", ft_fields=False)
        document = str(made.chunks[0]["props"]["document_id"])  # type: ignore[index]
        if not cited.whole_chunk:
            return span_id(document, made.content_hash, start, start + len(cited.quote))
        chunk = next(each for each in made.chunks if cited.quote in each["props"]["text"])  # type: ignore[index]
        return encode(
            EvidenceReference(
                kind=ReferenceKind.CHUNK,
                document_node_id=document,
                content_hash_prefix=made.content_hash[:16],
                chunk_id=str(chunk["id"]),
            )
        )


def _media_type(file: str) -> str:
    return "text/markdown" if file.endswith(".md") else "text/plain"
