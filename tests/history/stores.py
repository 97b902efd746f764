"""A real store, watched or disturbed on the way."""

import contextlib
import socket
import threading
from collections.abc import Callable
from typing import Any, Literal

from reaffirm.store import GraphStore

Row = dict[str, Any]
QUIET_SECONDS = 0.5


class Watched:
    """A store that counts its statements and lets something happen after each read."""

    def __init__(self, store: GraphStore, after_read: Callable[[], None] = lambda: None) -> None:
        self.store = store
        self.reads = 0
        self.writes = 0
        self.after_read = after_read

    def read(self, query: str, **params: object) -> list[Row]:
        self.reads += 1
        rows = self.store.read(query, **params)
        self.after_read()
        return rows

    def write(self, query: str, **params: object) -> list[Row]:
        self.writes += 1
        return self.store.write(query, **params)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)


Cut = Literal["sent", "answered"]


class CuttingProxy:
    """A line to a server that breaks once: when bytes pass that hold ``at``, after they were sent or answered.

    Args:
        connect: Opens a connection to the server.
        cut: ``sent`` breaks the line at once, ``answered`` once the server has answered; the answer is never passed on.
        stay_down: Take no connection after the break.
    """

    def __init__(self, connect: Callable[[], socket.socket], at: bytes, cut: Cut, *, stay_down: bool = False) -> None:
        self._connect, self._at, self._cut, self._stay_down = connect, at, cut, stay_down
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self.cuts = 0
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def port(self) -> int:
        return int(self._listener.getsockname()[1])

    def close(self) -> None:
        self._listener.close()
        for each in self._open:
            _end(each)

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = self._connect()
            self._open += [client, server]
            line = _Line(self, client, server)
            threading.Thread(target=line.up, daemon=True).start()
            threading.Thread(target=line.down, daemon=True).start()

    def breaks(self, seen: bytes) -> bool:
        if self.cuts or self._at not in seen:
            return False
        self.cuts = 1
        if self._stay_down:
            self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
        return True

    @property
    def at_once(self) -> bool:
        return self._cut == "sent"


class _Line:
    def __init__(self, proxy: CuttingProxy, client: socket.socket, server: socket.socket) -> None:
        self._proxy, self._client, self._server = proxy, client, server
        self._broken = False

    def up(self) -> None:
        seen = b""
        while data := _receive(self._client):
            seen = seen[-1_000:] + data
            self._broken = self._broken or self._proxy.breaks(seen)
            if not _send(self._server, data) or (self._broken and self._proxy.at_once):
                break
        if not self._broken or self._proxy.at_once:
            self._end()

    def down(self) -> None:
        while data := _receive(self._server):
            if self._broken:
                self._swallow()
                break
            if not _send(self._client, data):
                break
        self._end()

    def _swallow(self) -> None:
        """Take the rest of the answer, so that the server has done all that it was sent."""
        while _receive(self._server, QUIET_SECONDS):
            pass

    def _end(self) -> None:
        _end(self._client)
        _end(self._server)


def _receive(line: socket.socket, seconds: float | None = None) -> bytes:
    """What came, or nothing: the line is at its end, was closed by the other thread, or was silent for ``seconds``."""
    try:
        line.settimeout(seconds)
        return line.recv(65_536)
    except OSError:
        return b""


def _send(line: socket.socket, data: bytes) -> bool:
    try:
        line.sendall(data)
    except OSError:
        return False
    return True


def _end(line: socket.socket) -> None:
    with contextlib.suppress(OSError):  # gone already
        line.shutdown(socket.SHUT_RDWR)
    line.close()
