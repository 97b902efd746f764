"""Programs that the tests need and that no wheel brings: found, or installed by apt-get when we are root."""

import os
import shutil
import subprocess


class ProgramMissing(Exception):
    """A program is missing and could not be installed; the text says what to do."""


def need(programs: tuple[str, ...], packages: tuple[str, ...], what_for: str) -> None:
    """Make sure that every one of `programs` is on the PATH, installing `packages` where that is possible."""
    if not _missing(programs):
        return
    advice = f"{what_for} needs {', '.join(_missing(programs))}. On Debian: apt-get install {' '.join(packages)}"
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        raise ProgramMissing(advice)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "update"], ["apt-get", "install", "-y", "--no-install-recommends", *packages]):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise ProgramMissing(f"{advice}\n{' '.join(command)} failed:\n{done.stderr[-2000:]}")
    if _missing(programs):
        raise ProgramMissing(advice)


def _missing(programs: tuple[str, ...]) -> list[str]:
    return [program for program in programs if not shutil.which(program)]
