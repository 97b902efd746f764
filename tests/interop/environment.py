"""An environment of its own for agentic-graphrag: its pins are not ours, and it must not meet our code."""

import contextlib
import hashlib
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
REQUIREMENTS = HERE / "requirements-agrag.txt"
KEPT = HERE.parents[1] / "var" / "test-servers" / "agrag-0.0.7"


class NotInstalled(Exception):
    """The package could not be installed; the text says what pip said."""


def agrag_python() -> Path:
    """The interpreter of the environment, made once for each list of requirements and version of Python.

    Raises:
        NotInstalled: pip failed three times.
    """
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    digest = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()[:12]
    home = KEPT / f"python{version}-{digest}"
    if not home.is_dir():
        _install(home)
    return home / "bin" / "python"


def _install(home: Path) -> None:
    """Complete when it has its final name. Only the interpreter is used, so that it may be renamed."""
    KEPT.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(prefix="partial-", dir=KEPT))
    try:
        subprocess.run([sys.executable, "-m", "venv", str(partial)], check=True, capture_output=True, text=True)
        _pip(partial)
        with contextlib.suppress(OSError):  # another run was first
            partial.rename(home)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _pip(home: Path) -> None:
    # The list is complete. Extras that it does not need (models, parsers of PDF) would be gigabytes.
    command = [
        str(home / "bin" / "python"),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--disable-pip-version-check",
        "--requirement",
        str(REQUIREMENTS),
    ]
    said = ""
    for attempt in range(3):
        time.sleep(5 * attempt)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return
        said = done.stderr[-2000:]
    raise NotInstalled(f"agentic-graphrag could not be installed for the tests beside it:\n{said}")
