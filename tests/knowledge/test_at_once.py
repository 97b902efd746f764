"""Who reads a document while others write it reads one of its versions, whole."""

import threading

from reaffirm.knowledge import Graph
from reaffirm.knowledge.models import SourceState
from reaffirm.store import GraphStore
from tests.decisions.writes import at_once

PARAGRAPHS = [f"Paragraph {number}. " + "Of some words and of some more. " * 20 for number in range(60)]
VERSIONS = 12


def version(number: int) -> str:
    """A text of which every version has other words in each of its chunks."""
    return "\n\n".join(f"{paragraph}v{number}." for paragraph in PARAGRAPHS)


def test_a_reader_meets_no_half_of_a_version(store: GraphStore) -> None:
    graph = Graph(store)
    written = {version(0)}
    graph.add(version(0), document_key="policy")
    stop = threading.Event()
    seen: list[str | None] = []
    states: set[SourceState] = set()

    def read() -> None:
        own = Graph(store)
        while not stop.is_set():
            seen.append(own.text("policy"))
            states.add(own.source_status("policy").state)

    def write() -> None:
        for number in range(1, VERSIONS):
            written.add(version(number))
            assert graph.update("policy", version(number)).recorded
        stop.set()

    at_once([read, read, read, write])
    assert len(seen) > 20
    assert [each and each[:40] for each in seen if each not in written] == []
    assert states == {SourceState.CURRENT}
