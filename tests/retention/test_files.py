"""What stays on the disk behind an erasure."""

from pathlib import Path

import pytest

from reaffirm.retention import HistoryRetention
from reaffirm.store import embedded, open_store
from tests.decisions.factories import World
from tests.retention.conftest import OFFICER
from tests.retention.test_redaction import REASON, TASK, record
from tests.reviews.factories import PROJECT

SECRET = b"GB29-NWBK-6016"
KEPT = "This one stays, so that there is something to find."


def holding(folder: Path, words: bytes) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file() and words in path.read_bytes())


@pytest.mark.parametrize("verb", ["redact", "delete"])
def test_no_byte_of_it_is_in_a_file_after_compaction(tmp_path: Path, verb: str) -> None:
    """cases 97: a marker in a shared record survived deletion after a restart."""
    folder = tmp_path / "graph"
    store = open_store(f"embedded:{folder}?graph=files")
    try:
        store.ensure_schema()
        world = World(store)
        retention = HistoryRetention(store, project_id=PROJECT, agent_id=OFFICER)
        event = record(world)
        world.event(KEPT, "other")
        assert world.history.set_step(
            TASK, "read", "completed", result_event_seq=1, result_basis="independent"
        ).recorded
        world.decision(events=[world.event_input(TASK)], conclusion="As said.")
        assert holding(folder, SECRET)
        if verb == "redact":
            assert retention.redact_event(event, REASON).recorded
        else:
            assert retention.delete_task(TASK, reason=REASON).recorded
        server = embedded.ensure(folder).client()
        server.config_set("rdbcompression", "no")  # so that words in a file can be seen
        server.close()
        embedded.compact(folder)
        assert holding(folder, KEPT.encode()) and holding(folder, SECRET) == []
        store.close()
        embedded.stop(folder)
        assert open_store(f"embedded:{folder}?graph=files").healthy()
        assert holding(folder, KEPT.encode()) and holding(folder, SECRET) == []
    finally:
        store.close()
        embedded.stop(folder)
