"""Run a command for as long as it is wanted: start it again when it ends by itself, end it when we are asked to end.

honcho ends everything when one of its processes ends. With this between them, a worker that was killed is back in a
second, and the pages go on meanwhile. A command that ends again and again is given up, and with it the demo.
"""

import ctypes
import signal
import subprocess
import sys
import time

MOST_RESTARTS = 10
WITHIN_SECONDS = 120.0
PAUSE_SECONDS = 1.0


class Stop(Exception):
    """Someone asked us to end."""


def main(command: list[str]) -> int:
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, _stop)
    starts: list[float] = []
    child: subprocess.Popen[bytes] | None = None
    try:
        while True:
            now = time.monotonic()
            starts = [*(at for at in starts if now - at < WITHIN_SECONDS), now]
            if len(starts) > MOST_RESTARTS:
                print(f"{command[0]} ended {MOST_RESTARTS} times within {WITHIN_SECONDS:.0f} s: given up.", flush=True)
                return 1
            child = subprocess.Popen(command, preexec_fn=_end_with_parent)
            code = child.wait()
            how = f"signal {-code}" if code < 0 else f"code {code}"
            print(f"{command[0]} ended with {how}; it is started again.", flush=True)
            time.sleep(PAUSE_SECONDS)
    except Stop:
        for name in (signal.SIGINT, signal.SIGTERM):
            signal.signal(name, signal.SIG_IGN)
        return _end(child) if child else 0


def _end(child: "subprocess.Popen[bytes]") -> int:
    if child.poll() is None:
        child.terminate()
        child.wait()
    return 0


def _stop(*_: object) -> None:
    raise Stop


def _end_with_parent() -> None:
    """Ask Linux to end the command when this process is killed."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
