"""The demo: prepare the databases, then run the Procfile until Ctrl-C, and stop everything that was started."""

import contextlib
import ctypes
import fcntl
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent
BIN = ROOT / ".venv" / "bin"
PORT = os.environ.get("PORT", "8000")
STATE = ROOT / os.environ.get("VAR_DIR", "var")
# gunicorn's workers need a moment to notice that their master is gone, after a crash.
PORT_SECONDS = 5
READY_SECONDS = 60
# How often the embedded server is looked for. The web starts it again by itself, a worker without a broker does not.
KEEP_SECONDS = 2
# A closed terminal ends it too, unless it was started by nohup.
HANG_UP = [] if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else [signal.SIGHUP]
ENDINGS = [signal.SIGINT, signal.SIGTERM, *HANG_UP]


class Stop(Exception):
    """Someone asked us to end."""


def main() -> int:
    for name in ENDINGS:
        signal.signal(name, _stop)
    os.chdir(ROOT)
    os.environ.update(PORT=PORT, PATH=f"{BIN}{os.pathsep}{os.environ['PATH']}", PYTHONUNBUFFERED="1")
    # It is a demo on one machine: that root runs its worker is no news, and would fill the screen.
    os.environ.setdefault("PYTHONWARNINGS", "ignore:You're running the worker with superuser privileges")
    STATE.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (STATE / "demo.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return _complain(f"A demo already runs on {STATE}. VAR_DIR=elsewhere PORT=8001 make demo starts another.")
        if not _port_is_free():
            return _complain(f"Port {PORT} is taken. PORT=8001 make demo uses another.")
        try:
            return _serve(_prepare())
        except Stop:
            return 0
        except subprocess.CalledProcessError as error:
            return _complain(f"{' '.join(error.cmd)} failed.")
        finally:
            _stop_graph()


def _prepare() -> list[str]:
    """Make the databases; return the lines that say who may sign in."""
    _manage("migrate", "--verbosity", "0", "--no-input")
    _manage("collectstatic", "--verbosity", "0", "--no-input")
    lines = _manage("demo").splitlines()
    sign_ins = [line for line in lines if line.startswith("sign-in ")]
    for line in lines:
        if line not in sign_ins:
            print(line, flush=True)
    return sign_ins


def _manage(*words: str) -> str:
    command = [str(BIN / "python"), "manage.py", *words]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def _serve(sign_ins: list[str]) -> int:
    # In a session of its own, so that Ctrl-C reaches it once, through us.
    honcho = subprocess.Popen(["honcho", "start"], start_new_session=True, preexec_fn=_end_with_parent)
    threading.Thread(target=_announce, args=(sign_ins,), daemon=True).start()
    ending = threading.Event()
    keeper = threading.Thread(target=_keep_graph, args=(ending,), daemon=True)
    keeper.start()
    try:
        return honcho.wait()
    finally:
        for name in ENDINGS:
            signal.signal(name, signal.SIG_IGN)
        ending.set()
        keeper.join()
        if honcho.poll() is None:
            honcho.terminate()
            honcho.wait()


def _announce(sign_ins: list[str]) -> None:
    address = f"http://127.0.0.1:{PORT}"
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        try:
            urllib.request.urlopen(f"{address}/health/", timeout=5).close()
        except urllib.error.HTTPError:
            pass  # it answers, if only to say what is down
        except OSError:
            time.sleep(0.2)
            continue
        print(f"Reaffirm is at {address}", *sign_ins, sep="\n", flush=True)
        return


def _keep_graph(ending: threading.Event) -> None:
    """Start the embedded server again when it was killed: the graph's, or with another graph the jobs' broker."""
    embedded = _embedded()
    if not (STATE / "graph" / "server.lock").exists() and os.environ.get("CELERY_BROKER_URL"):
        return
    while not ending.wait(KEEP_SECONDS):
        try:
            embedded.ensure(STATE / "graph")
        except (embedded.StoreUnavailable, OSError) as error:
            print(f"The embedded graph server does not start: {error}", file=sys.stderr, flush=True)


def _port_is_free() -> bool:
    deadline = time.monotonic() + PORT_SECONDS
    while True:
        with contextlib.closing(socket.socket()) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", int(PORT)))
            except OSError:
                if time.monotonic() > deadline:
                    return False
                time.sleep(0.5)
            else:
                return True


def _stop_graph() -> None:
    _embedded().stop(STATE / "graph")


def _embedded() -> ModuleType:
    sys.path.insert(0, str(ROOT))
    from reaffirm.store import embedded

    return embedded


def _stop(*_: object) -> None:
    raise Stop


def _end_with_parent() -> None:
    """Ask Linux to end honcho, and with it what it runs, when this process is killed."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


def _complain(text: str) -> int:
    print(text, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
