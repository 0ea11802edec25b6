"""Calls: the requests of a session answered by a plain function, one after the other."""

from __future__ import annotations

import inspect
import queue
import threading
from collections.abc import Callable
from typing import Any

from mddag._internal.checks import check_positive, described
from mddag.serving.lazy.session import Request, Session


def check_fetch(name: str, fetch: Any, like: str) -> None:
    """Refuse what cannot be called."""
    if not callable(fetch):
        raise TypeError(f"{name} is {described(fetch)}; wanted a function {like}")


def checked_timeout(timeout: float | None) -> float | None:
    """Return the seconds to wait as a float; None where they are more than a thread can wait."""
    if timeout is None:
        return None
    check_positive("timeout", timeout)
    return float(timeout) if timeout < threading.TIMEOUT_MAX else None


class WrongFetchError(TypeError):
    """The wrong sort of function, which is no failure of a fetch: it is always raised."""


def call_each(
    session: Session,
    call: Callable[[Request], Any],
    answer: Callable[[Request, Any], None],
    timeout: float | None,
) -> None:
    """Take ``call(request)`` to ``answer(request, ...)`` for all requests of a session."""
    while wave := session.next_wave():
        for request in (session.remaining(request) for phase in wave for request in phase):
            if len(request.rows) == 0:
                continue
            session.n_calls += 1
            try:
                given = call(request) if timeout is None else _in_time(call, request, timeout)
                _require_plain(given)
            except WrongFetchError:
                raise
            except Exception as error:  # whatever a user's function may raise
                session.fail(request, error)
            else:
                answer(request, given)


def _require_plain(answer: Any) -> None:
    """Refuse the coroutine that an async function gives."""
    if inspect.isawaitable(answer):
        if inspect.iscoroutine(answer):
            answer.close()
        raise WrongFetchError(
            "fetch is an async function; wanted a plain one, or use predict_lazy_async"
        )


def _in_time(call: Callable[[Request], Any], request: Request, timeout: float) -> Any:
    """The answer of a call in a thread of its own, which is left to itself if it is late."""
    done: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()

    def work() -> None:
        try:
            done.put((call(request), None))
        except BaseException as error:  # raised again below
            done.put((None, error))

    threading.Thread(target=work, daemon=True, name="mddag-fetch").start()
    try:
        answer, error = done.get(timeout=timeout)
    except queue.Empty:
        raise late(timeout) from None
    if error is not None:
        raise error
    return answer


def late(timeout: float) -> TimeoutError:
    """The error of a fetch that gave no answer in time."""
    return TimeoutError(f"the fetch gave no answer within {timeout:g} s")
