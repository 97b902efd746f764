"""Whether the console can work, and what is down."""

from typing import Any

from django.db import Error, connection

from console import jobs
from console.graph import graph_problems, graph_store
from reaffirm.store import StoreError


def health_report() -> dict[str, Any]:
    """``down`` names what the console cannot work without; a missing worker is told, and is no fault."""
    graph, sql = _graph_answers(), _sql_answers()
    worker = jobs.worker_alive() if sql else None
    down = [name for name, answers in (("graph", graph), ("sql", sql)) if not answers]
    return {
        "status": "down" if down else "ok",
        "down": down,
        "graph": "ok" if graph else "down",
        "sql": "ok" if sql else "down",
        "worker": "running" if worker else "not seen for 30 s",
        "read_only": bool(graph_problems()),
    }


def _graph_answers() -> bool:
    try:
        return graph_store().healthy()
    except StoreError:
        return False


def _sql_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            return bool(cursor.fetchone())
    except Error:
        return False
