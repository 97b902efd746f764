"""Runs inside agentic-graphrag's own environment: runner.py, with calls that bench/ measures.

Measured on this side of the pipe, so that the pipe costs it nothing. It imports nothing of ours.
"""

import asyncio
import sys
import time
from pathlib import Path
from typing import Any

from agrag.graphdb.falkordb import FalkorDBGraphStore
from neo4j._async.work.session import AsyncSession
from neo4j._async.work.transaction import AsyncTransactionBase

sys.path.append(str(Path(__file__).parent))  # -I leaves out even the folder of the script
import runner


class Statements:
    """Counts what reaches the database, by the call that every statement goes through."""

    count = 0

    @classmethod
    def watch(cls, kind: Any, name: str) -> None:
        run = getattr(kind, name)

        async def counted(*args: Any, **kwargs: Any) -> Any:
            cls.count += 1
            return await run(*args, **kwargs)

        setattr(kind, name, counted)


class Bench:
    """Many calls at once, by clients with a store of their own each, as processes of their own would have."""

    def __init__(self, session: "MeasuredSession") -> None:
        self._session = session

    async def run(self, calls: list[dict[str, Any]], clients: int, most: float) -> dict[str, Any]:
        """Seconds of each call that was begun within ``most``, and the time and the number of statements of all."""
        sessions = await self._session.clones(clients)
        # Prepared before the clock runs: what a caller of the package would have in hand.
        waiting = [sessions[place % clients].prepared(asked) for place, asked in enumerate(calls)]
        seconds: list[float] = []
        failed: list[str] = []

        async def work(queue: list[Any]) -> None:
            for call in queue:
                now = time.perf_counter()
                if now - start > most:
                    break
                result = await call()
                seconds.append(time.perf_counter() - now)
                if getattr(result, "recorded", True) is False or getattr(result, "found", True) is False:
                    failed.append(str(result.error if hasattr(result, "error") else result)[:200])

        before, start = Statements.count, time.perf_counter()
        await asyncio.gather(*(work(waiting[client::clients]) for client in range(clients)))
        wall = time.perf_counter() - start
        return {"seconds": seconds, "wall": wall, "statements": Statements.count - before, "failed": failed[:3]}

    async def drain(self, project: str, agent: str, most: float) -> dict[str, Any]:
        """Spread a project's reviews to the end, for at most so many seconds."""
        decisions = self._session.target("decisions", project, agent)
        before, start, steps = Statements.count, time.perf_counter(), 0
        while time.perf_counter() - start < most:
            done = await decisions.continue_decision_review(limit=20)
            steps += done
            if not done:
                break
        wall = time.perf_counter() - start
        return {"wall": wall, "statements": Statements.count - before, "steps": steps, "whole": not done}


class MeasuredSession(runner.Session):
    """One store, with others on the same address beside it."""

    def __init__(self) -> None:
        super().__init__()
        self._others: list[MeasuredSession] = []

    def target(self, part: str, project: str, agent: str) -> Any:
        return Bench(self) if part == "bench" else super().target(part, project, agent)

    async def clones(self, clients: int) -> "list[MeasuredSession]":
        while len(self._others) < clients - 1:
            other = MeasuredSession()
            await other.connect(**self.address)
            self._others.append(other)
        return [self, *self._others[: clients - 1]]

    async def close(self) -> None:
        for other in self._others:
            await other.close()
        await super().close()


if __name__ == "__main__":
    Statements.watch(FalkorDBGraphStore, "_run")
    Statements.watch(AsyncTransactionBase, "run")
    Statements.watch(AsyncSession, "run")
    runner.Session = MeasuredSession
    asyncio.run(runner.main())
