"""Case 29: the line breaks right after a statement has left, so nobody knows whether it was applied."""

import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from reaffirm.history import ConversationHistory
from reaffirm.store import GraphStore, OutcomeUnknown, embedded, open_store
from tests.history.stores import Cut, CuttingProxy

EVENT_STATEMENT = b"SET e = $"  # up to where the two stores get the same text


class Lines:
    """Makes stores that reach the tests' server over a line that breaks."""

    def __init__(self, store: GraphStore, url: str, folder: Path) -> None:
        self._kind, self._url, self._folder = store.kind, url, folder
        self._made: list[tuple[GraphStore, CuttingProxy]] = []

    def broken(self, cut: Cut, *, stay_down: bool = False) -> tuple[GraphStore, CuttingProxy]:
        proxy = CuttingProxy(self._connect, EVENT_STATEMENT, cut, stay_down=stay_down)
        store = open_store(self._through(proxy.port))
        self._made.append((store, proxy))
        return store, proxy

    def _connect(self) -> socket.socket:
        if self._kind == "neo4j":
            parts = urlsplit(self._url)
            return socket.create_connection((parts.hostname or "", parts.port or 7687))
        line = socket.socket(socket.AF_UNIX)
        line.connect(embedded.ensure(self._folder).socket_path)
        return line

    def _through(self, port: int) -> str:
        if self._kind == "neo4j":
            return f"bolt://127.0.0.1:{port}{urlsplit(self._url).path}"
        password = embedded.ensure(self._folder).password
        return f"falkor://:{password}@127.0.0.1:{port}/{self._url.partition('graph=')[2]}"

    def close(self) -> None:
        for store, proxy in self._made:
            store.close()
            proxy.close()


@pytest.fixture
def lines(store: GraphStore, store_url: str, falkordb_folder: Path) -> Iterator[Lines]:
    made = Lines(store, store_url, falkordb_folder)
    yield made
    made.close()


@pytest.mark.parametrize("cut", ["sent", "answered"])
def test_an_event_whose_answer_was_lost_is_there_once(
    lines: Lines, history: ConversationHistory, task: str, cut: Cut
) -> None:
    store, proxy = lines.broken(cut)
    writer = ConversationHistory(store, project_id="atlas", agent_id="planner-1")
    result = writer.record_event(task, "note", payload="once")
    assert proxy.cuts == 1
    assert result.recorded
    page = history.list_events(task)
    assert (page.total, page.events) == (1, (result.event,))


def test_a_server_that_stays_away_leaves_the_outcome_unknown(
    lines: Lines, history: ConversationHistory, task: str
) -> None:
    store, proxy = lines.broken("answered", stay_down=True)
    writer = ConversationHistory(store, project_id="atlas", agent_id="planner-1")
    with pytest.raises(OutcomeUnknown):
        writer.record_event(task, "note", payload="once", request_id="e1")
    assert proxy.cuts == 1
    again = history.record_event(task, "note", payload="once", request_id="e1")
    assert again.recorded and again.replayed
    assert history.list_events(task).total == 1
