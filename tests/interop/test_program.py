"""One program, two packages: it changes its imports, and prints the same."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.conftest import _emptied
from tests.interop.agrag import address
from tests.interop.environment import agrag_python

HERE = Path(__file__).parent
PROGRAM = HERE / "program.py"
# -I keeps our code from it; then even the folder of the program has to be named.
ISOLATED = "import runpy, sys; sys.path.append(sys.argv[1]); runpy.run_path(sys.argv[2], run_name='__main__')"


def printed(package: str, store_url: str) -> list[str]:
    """What the program prints on an empty graph, with one package."""
    where = address(_emptied(store_url))
    if package == "agrag":
        command = [str(agrag_python()), "-I", "-c", ISOLATED, str(HERE), str(PROGRAM)]
        folder = tempfile.gettempdir()
    else:
        command = [sys.executable, str(PROGRAM)]
        folder = str(HERE.parents[1])
        if store_url.startswith("embedded:"):
            where["url"] = store_url.partition("?")[0]  # its socket is known by its folder
    settings = {
        "PACKAGE": package,
        "STORE": "falkordb" if store_url.startswith("embedded:") else "neo4j",
        "PYTHONPATH": folder,
        "NEO4J_URI": where["url"],
        "NEO4J_USERNAME": where["username"] or "neo4j",
        "NEO4J_PASSWORD": where["password"] or "-",
        "NEO4J_DATABASE": where["graph"],
        "FALKORDB_URL": where["url"],
        "FALKORDB_PASSWORD": where["password"] or "",
        "FALKORDB_GRAPH": where["graph"],
    }
    environment = {**os.environ, **settings}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    return done.stdout.splitlines()


def test_a_program_for_agentic_graphrag_runs_here_with_other_imports(agrag: object, store_url: str) -> None:
    theirs = printed("agrag", store_url)
    ours = printed("reaffirm", store_url)

    assert len(ours) > 60
    assert ours == theirs
