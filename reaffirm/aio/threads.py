"""The one mechanism: a method of a synchronous class, run in a worker thread."""

import asyncio
import functools
from collections.abc import Callable, Coroutine
from typing import Any, Concatenate, ParamSpec, TypeVar
from uuid import UUID

P = ParamSpec("P")
R = TypeVar("R")


def threaded(method: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]:
    """The awaitable twin of a method, for a class that keeps the synchronous object in ``_sync``.

    It has the signature and the docstring of the method. An id may be a UUID object, as in code for agentic-graphrag.
    """

    @functools.wraps(method)
    async def call(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> R:
        places = [_plain(value) for value in args]
        names = {name: _plain(value) for name, value in kwargs.items()}
        return await asyncio.to_thread(method, self._sync, *places, **names)

    return call


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, UUID) else value
