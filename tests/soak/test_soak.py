"""A short soak, as `make soak KILLS=40` runs it: its exit code and its counts."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
KILLS = 40


@pytest.mark.parametrize("name", ["falkordb"])
def test_nothing_is_lost_and_nothing_is_half_written(name: str) -> None:
    """kill -9 of clients and of the server inside every kind of write."""
    command = [sys.executable, "-m", "tests.soak", "--kills", str(KILLS), "--store", name]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-3000:]
    counts = next(line for line in done.stdout.splitlines() if line.startswith("all ")).split()
    assert counts[1] == str(KILLS) and counts[-2:] == [".", "."], done.stdout
