"""A client process that is killed: it tells each step of one operation, so that the killer knows what it was doing."""

import logging
import os
import time
from multiprocessing.connection import Connection
from typing import Any

from reaffirm.models import Result
from reaffirm.store import GraphStore, StoreError, falkordb, neo4j, open_store
from tests.soak.operations import OPERATIONS, World, small_batches

PRELOADED = (falkordb, neo4j)  # a forked process has both clients at once
BACK_SECONDS = 300.0  # until a server that was killed must be back
READY, GO, WRITE, WROTE, ACK, RAISED = b"ready", b"go", b"write", b"wrote", b"ack", b"raised"


SLOW = 0.004  # what a client takes for its own work at the place where it is to be killed; alone, it is too short


class Telling:
    """A store that tells when a write is sent, and when it was answered."""

    def __init__(self, store: GraphStore, line: Connection, phase: str) -> None:
        self._store, self._line, self._phase = store, line, phase

    def write(self, query: str, **params: object) -> Any:
        if self._phase == "before":
            time.sleep(SLOW)
        self._line.send_bytes(WRITE)
        rows = self._store.write(query, **params)
        self._line.send_bytes(WROTE)
        if self._phase == "after":
            time.sleep(SLOW)
        return rows

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


def quiet() -> None:
    """As every process of a soak: small batches, and no word of the driver about a server that was killed."""
    small_batches()
    logging.getLogger("neo4j").setLevel(logging.CRITICAL)


def perform(url: str, line: Connection, phase: str, operation: str, arguments: dict[str, Any]) -> None:
    """One operation. An acknowledgement is written to the pipe, unbuffered, as soon as the call returns."""
    quiet()
    store = open_store(url)
    store.read("RETURN 1 AS one")  # connected
    world = World(Telling(store, line, phase))  # type: ignore[arg-type]
    line.send_bytes(READY)
    line.recv_bytes()
    try:
        result = OPERATIONS[operation].perform(world, arguments)
    except StoreError as error:  # the server was killed
        line.send_bytes(RAISED + b" " + type(error).__name__.encode())
    else:
        told = result if isinstance(result, Result) else None
        line.send_bytes(ACK + b" " + (b"ok" if told is None or told.recorded else str(told.error).encode()))
    os._exit(0)


def load(url: str, line: Connection, mark: str) -> None:
    """Events, one after the other, each acknowledged by its text, until the line closes."""
    quiet()
    world = World(open_store(url))
    line.send_bytes(READY)
    line.recv_bytes()
    number = 0
    while not line.poll():
        number += 1
        text = f"{mark}-{number}"
        until = time.monotonic() + BACK_SECONDS
        while True:
            try:
                result = world.history().record_event("common", "note", payload=text, request_id=text)
                break
            except StoreError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.05)
        line.send_bytes(ACK + b" " + (text if result.recorded else f"!{result.error}").encode())
    os._exit(0)
