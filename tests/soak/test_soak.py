"""A short soak of each store, as `make soak KILLS=40` runs it: its exit code and its counts."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.soak.races import CLIENTS

ROOT = Path(__file__).parents[2]
KILLS = 40
RACES = {"falkordb": 60, "neo4j": 16}  # a Neo4j that has just started plans each statement for the first time


def soak(store: str, kills: int, races: int) -> list[str]:
    command = [sys.executable, "-m", "tests.soak", "--store", store, "--kills", str(kills), "--races", str(races)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1_500, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-3000:]
    return done.stdout.splitlines()


@pytest.mark.parametrize("store", ["falkordb", "neo4j"])
def test_nothing_is_lost_and_every_race_has_a_serial_order(store: str) -> None:
    """kill -9 of clients and of the server inside every kind of write, then 16 clients at once with two kinds each."""
    lines = soak(store, KILLS, RACES[store])
    counts = next(line for line in lines if line.startswith("all ")).split()
    assert counts[1] == str(KILLS) and counts[-2:] == [".", "."], lines
    assert any(line.startswith(f"{RACES[store] * CLIENTS} calls") for line in lines), lines
