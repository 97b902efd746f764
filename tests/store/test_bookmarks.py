"""Case 38: on a cluster a read may meet a replica that lags; it names the writes before it, and the replica waits."""

import socket
from urllib.parse import urlsplit

from reaffirm.history import ConversationHistory
from reaffirm.store import open_store
from tests.history.stores import CuttingProxy


class Hearing(CuttingProxy):
    """A line that keeps what a client says."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self.heard = b""
        super().__init__(lambda: socket.create_connection((parts.hostname or "", parts.port or 7687)), b"", "sent")

    def breaks(self, seen: bytes) -> bool:
        self.heard += seen
        return False


def test_a_read_behind_a_write_names_it(neo4j_url: str) -> None:
    line = Hearing(neo4j_url)
    store = open_store(f"bolt://127.0.0.1:{line.port}{urlsplit(neo4j_url).path}")
    try:
        history = ConversationHistory(store, project_id="atlas", agent_id="a")
        assert history.create_task("storage", "Choose").recorded
        (written,) = store._bookmarks.get_bookmarks()  # type: ignore[attr-defined]
        assert written.encode() not in line.heard
        assert history.get_task("storage").found
        assert written.encode() in line.heard
    finally:
        store.close()
        line.close()
