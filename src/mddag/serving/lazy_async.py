"""The requests of one phase of a lazy prediction, answered by an async function, several at a time.

A fetch that is late is cancelled and left: nothing waits for it, whatever it does about that. Where
an error is raised, a fetch is cancelled by somebody else, or the caller is cancelled, all other
fetches are cancelled, too, and get a moment to end.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import Any

from mddag._utils.checks import described
from mddag.serving.lazy_predictions import WrongFetchError, late
from mddag.serving.lazy_session import Request, Session

MOMENT = 1.0  # seconds


async def call_together(
    session: Session,
    call: Callable[[Request], Awaitable[Any]],
    timeout: float | None,
    max_concurrency: int,
) -> None:
    """Answer all requests of a session by ``await call(request)``."""
    while wave := session.next_wave():
        for phase in wave:
            left = [session.remaining(request) for request in phase]
            await _answered(
                session, [r for r in left if len(r.rows)], call, timeout, max_concurrency
            )


async def _answered(
    session: Session,
    requests: list[Request],
    call: Callable[[Request], Awaitable[Any]],
    timeout: float | None,
    max_concurrency: int,
) -> None:
    places, running = asyncio.Semaphore(max_concurrency), set[asyncio.Future[Any]]()

    async def one(request: Request) -> None:
        async with places:
            session.n_calls += 1
            try:
                answer = await _in_time(_awaitable(call(request)), timeout, running)
            except WrongFetchError:
                raise
            except Exception as error:  # whatever a user's function may raise
                session.fail(request, error)
            else:
                session.answer(request, answer)

    tasks = [asyncio.ensure_future(one(request)) for request in requests]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        if running:
            await asyncio.wait(running, timeout=MOMENT)


async def _in_time(
    awaitable: Awaitable[Any], timeout: float | None, running: set[asyncio.Future[Any]]
) -> Any:
    task = asyncio.ensure_future(awaitable)
    running.add(task)
    try:
        done, _ = await asyncio.wait({task}, timeout=timeout)
    finally:
        if not task.done():
            task.add_done_callback(_forget)
            task.cancel()
    if not done:
        assert timeout is not None
        running.discard(task)
        raise late(timeout)
    running.discard(task)
    return (
        task.result()
    )  # or its error; CancelledError is no failure of a fetch, but an order to stop


def _forget(task: asyncio.Future[Any]) -> None:
    """Read the outcome of a fetch that nobody waits for, or asyncio would complain."""
    if not task.cancelled():
        task.exception()


def _awaitable(answer: Any) -> Awaitable[Any]:
    if not inspect.isawaitable(answer):
        raise WrongFetchError(
            f"fetch gave {described(answer)}; wanted an async function, or use predict_lazy"
        )
    return answer
