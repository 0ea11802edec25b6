"""Predict with features that are fetched as rows need them: the methods of a Predictor.

Every row runs until it lacks a group of features; the requests of all rows are gathered, with one
call for each group and wave. Predictions equal those of ``predict`` on whole rows. ``Session``
(``lazy_session``) has the waves without the calls; here are the calls, plain or async, and what
happens to those that fail or are late.
"""

from __future__ import annotations

import inspect
import queue
import threading
from abc import abstractmethod
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from mddag._utils.cached import cached_property
from mddag._utils.checks import check_positive, check_whole, described
from mddag._utils.warnings import doubt
from mddag.serving.lazy_session import LazyResult, Name, OnError, Plan, Request, Session
from mddag.serving.model_file import Model
from mddag.serving.served_model import ServedModel

if TYPE_CHECKING:
    import asyncio

Fetch = Callable[[Name, NDArray[np.int64]], Any]
FetchAsync = Callable[[Name, NDArray[np.int64]], Awaitable[Any]]
FetchOne = Callable[[Name], Any]
Label = bool | int | float | str


class LazyPredictions(ServedModel):
    """Predict rows whose features are fetched as they are needed."""

    model: Model
    n_jobs: int

    @abstractmethod
    def _predicted(
        self, scores: NDArray[np.float64], exit_step: NDArray[np.int32], codes: NDArray[np.intp]
    ) -> NDArray[Any]:
        """Return what is predicted of rows that have left the DAG, (n,)."""

    @overload
    def predict_lazy(
        self,
        fetch: Fetch,
        *,
        n_rows: int,
        on_error: OnError = "raise",
        timeout: float | None = None,
        return_details: Literal[False] = False,
    ) -> NDArray[Any]: ...

    @overload
    def predict_lazy(
        self,
        fetch: Fetch,
        *,
        n_rows: int,
        on_error: OnError = "raise",
        timeout: float | None = None,
        return_details: Literal[True],
    ) -> LazyResult: ...

    def predict_lazy(
        self,
        fetch: Fetch,
        *,
        n_rows: int,
        on_error: OnError = "raise",
        timeout: float | None = None,
        return_details: bool = False,
    ) -> NDArray[Any] | LazyResult:
        """Predict rows whose features are fetched as they are needed.

        Parameters
        ----------
        fetch : callable
            ``fetch(group, rows)`` returns an array of shape (len(rows), size of the group), or a
            DataFrame: the columns of a group, in its order, for rows by number, 0 to n_rows - 1.
            Groups are those of the model's prices; without prices each feature is a group.
        n_rows : int
            The number of rows.
        on_error : {"raise", "quit"}, default "raise"
            What to do if a fetch raises, is late, or returns what cannot be read: raise the error,
            or let its rows quit with the best answer from what they have. A DoubtfulResult warning
            says how many these are, the details say which.
        timeout : float, optional
            Seconds to wait for one fetch, which then runs in a thread of its own.
        return_details : bool, default False
            Whether to return a LazyResult, which also says what was bought.

        Returns
        -------
        ndarray of shape (n_rows,) or LazyResult
            What ``predict`` gives for whole rows.
        """
        _check_fetch("fetch", fetch, "fetch(group, rows) that gives values")
        timeout = _checked_timeout(timeout)
        session = Session(self._plan, n_rows, on_error, self.n_jobs)
        call_each(session, lambda r: fetch(r.name, r.rows.copy()), session.answer, timeout)
        result = self._details(session)
        return result if return_details else result.predictions

    @overload
    async def predict_lazy_async(
        self,
        fetch: FetchAsync,
        *,
        n_rows: int,
        on_error: OnError = "raise",
        timeout: float | None = None,
        max_concurrency: int = 8,
        return_details: Literal[False] = False,
    ) -> NDArray[Any]: ...

    @overload
    async def predict_lazy_async(
        self,
        fetch: FetchAsync,
        *,
        n_rows: int,
        on_error: OnError = "raise",
        timeout: float | None = None,
        max_concurrency: int = 8,
        return_details: Literal[True],
    ) -> LazyResult: ...

    async def predict_lazy_async(
        self,
        fetch: FetchAsync,
        *,
        n_rows: int,
        on_error: OnError = "raise",
        timeout: float | None = None,
        max_concurrency: int = 8,
        return_details: bool = False,
    ) -> NDArray[Any] | LazyResult:
        """Predict rows whose features are fetched together, by an async function.

        Parameters
        ----------
        fetch : async callable
            As for ``predict_lazy``; the groups of one wave are fetched together.
        n_rows : int
            The number of rows.
        on_error : {"raise", "quit"}, default "raise"
            As for ``predict_lazy``.
        timeout : float, optional
            Seconds to wait for one fetch, which is then cancelled.
        max_concurrency : int, default 8
            How many fetches may run at a time.
        return_details : bool, default False
            Whether to return a LazyResult.

        Returns
        -------
        ndarray of shape (n_rows,) or LazyResult
            What ``predict`` gives for whole rows.
        """
        _check_fetch("fetch", fetch, "async fetch(group, rows) that gives values")
        timeout = _checked_timeout(timeout)
        check_whole("max_concurrency", max_concurrency, 1)
        session = Session(self._plan, n_rows, on_error, self.n_jobs)
        await call_together(
            session, lambda r: fetch(r.name, r.rows.copy()), timeout, max_concurrency
        )
        result = self._details(session)
        return result if return_details else result.predictions

    @overload
    def predict_one_lazy(
        self,
        fetch_one: FetchOne,
        *,
        on_error: OnError = "raise",
        timeout: float | None = None,
        return_details: Literal[False] = False,
    ) -> Label: ...

    @overload
    def predict_one_lazy(
        self,
        fetch_one: FetchOne,
        *,
        on_error: OnError = "raise",
        timeout: float | None = None,
        return_details: Literal[True],
    ) -> LazyResult: ...

    def predict_one_lazy(
        self,
        fetch_one: FetchOne,
        *,
        on_error: OnError = "raise",
        timeout: float | None = None,
        return_details: bool = False,
    ) -> Label | LazyResult:
        """Predict one row, whose features are fetched as they are needed.

        Parameters
        ----------
        fetch_one : callable
            ``fetch_one(group)`` returns the values of a group's columns: a list or an array in its
            order, a dict by name, or a number if there is one column.
        on_error : {"raise", "quit"}, default "raise"
            As for ``predict_lazy``.
        timeout : float, optional
            Seconds to wait for one fetch, which then runs in a thread of its own.
        return_details : bool, default False
            Whether to return a LazyResult, of one row.

        Returns
        -------
        bool, int, float, str or LazyResult
            What ``predict_one`` gives for the whole row.
        """
        _check_fetch("fetch_one", fetch_one, "fetch_one(group) that gives values")
        timeout = _checked_timeout(timeout)
        session = Session(self._plan, 1, on_error)
        call_each(session, lambda r: fetch_one(r.name), session.answer_one, timeout)
        result = self._details(session)
        if return_details:
            return result
        (label,) = result.predictions
        one: Label = label.item() if label.dtype.kind in "biuf" else label
        return one

    @cached_property
    def _plan(self) -> Plan:
        return Plan(self.model.dag)

    def _details(self, session: Session) -> LazyResult:
        """Return all that is known after a session."""
        if session.faults:
            _doubt_faults(session)
        scores, exit_step, codes = session.walk.finish()
        calibration, classes = self.model.calibration, self.model.dag.ensemble.classes
        known = calibration is not None and classes is not None
        return LazyResult(
            self._predicted(scores, exit_step, codes),
            calibration.probabilities(scores, exit_step) if known and calibration else None,
            scores,
            exit_step,
            session.failed,
            session.prices.names,
            session.walk.had,
            session.feature_cost,
            session.waves,
            session.n_calls,
            session.n_rounds,
            tuple(session.faults),
        )


def _doubt_faults(session: Session) -> None:
    first, n = session.faults[0], int(session.failed.sum())
    more = f", and {len(session.faults) - 1} more" if len(session.faults) > 1 else ""
    doubt(
        f"{n} of {len(session.failed)} rows quit early, since a fetch failed ({first}{more}); "
        "their predictions are made from what they had: return_details=True says which they are"
    )


def _check_fetch(name: str, fetch: Any, like: str) -> None:
    if not callable(fetch):
        raise TypeError(f"{name} is {described(fetch)}; wanted a function {like}")


def _checked_timeout(timeout: float | None) -> float | None:
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
    """Pass ``call(request)`` to ``answer(request, ...)`` for all requests of a session."""
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
    """Reject the coroutine that an async function gives."""
    if inspect.isawaitable(answer):
        if inspect.iscoroutine(answer):
            answer.close()
        raise WrongFetchError(
            "fetch is an async function; wanted a plain one, or use predict_lazy_async"
        )


def _in_time(call: Callable[[Request], Any], request: Request, timeout: float) -> Any:
    """Return the answer of a call in a thread of its own, which is abandoned if it is late."""
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
        raise _late(timeout) from None
    if error is not None:
        raise error
    return answer


def _late(timeout: float) -> TimeoutError:
    return TimeoutError(f"the fetch gave no answer within {timeout:g} s")


MOMENT = 1.0  # seconds that cancelled fetches get to end


async def call_together(
    session: Session,
    call: Callable[[Request], Awaitable[Any]],
    timeout: float | None,
    max_concurrency: int,
) -> None:
    """Answer all requests of a session by ``await call(request)``, several at a time.

    Where an error is raised, a fetch is cancelled by somebody else, or the caller is cancelled, all
    other fetches are cancelled, too.
    """
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
    """Answer the requests of one phase."""
    import asyncio  # only here: importing it takes a while

    places, running = asyncio.Semaphore(max_concurrency), set[asyncio.Future[Any]]()

    async def one(request: Request) -> None:
        async with places:
            session.n_calls += 1
            try:
                answer = await _awaited_in_time(_awaitable(call(request)), timeout, running)
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


async def _awaited_in_time(
    awaitable: Awaitable[Any], timeout: float | None, running: set[asyncio.Future[Any]]
) -> Any:
    """Return an answer; a fetch that is late is cancelled, and nothing waits for it to end."""
    import asyncio

    task = asyncio.ensure_future(awaitable)
    running.add(task)
    try:
        done, _ = await asyncio.wait({task}, timeout=timeout)
    finally:
        if not task.done():
            task.add_done_callback(_forget)
            task.cancel()
    running.discard(task)
    if not done:
        assert timeout is not None
        raise _late(timeout)
    # Or its error; CancelledError is no failure of a fetch, but an order to stop.
    return task.result()


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
