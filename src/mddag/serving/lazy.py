"""Predict with features that are fetched as rows need them.

Every row runs until it lacks a group of features; a wave has one request for each group, with all
rows that want it. An answer that is an array holds codes in nominal columns, a DataFrame or a dict
their values, as in ``predict``. NaN is a value if the model knows missing values; otherwise, it
raises.
"""

from __future__ import annotations

import inspect
import queue
import threading
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, get_args, overload

import numpy as np
from numpy.typing import NDArray

from mddag._utils.cached import cached_property
from mddag._utils.checks import check_one_of, check_positive, check_whole, described
from mddag._utils.warnings import doubt
from mddag.engine.dag import Dag
from mddag.engine.purchases import LazyWalk, Purchases, RowNumbers
from mddag.ensemble.feature_prices import FeaturePrices
from mddag.ensemble.features import Features, is_frame, one_row, unmasked, without_arrow
from mddag.serving.model_file import Model
from mddag.serving.served_model import ServedModel

if TYPE_CHECKING:
    import asyncio

Name = str | int
OnError = Literal["raise", "quit"]
Fetch = Callable[[Name, NDArray[np.int64]], Any]
FetchAsync = Callable[[Name, NDArray[np.int64]], Awaitable[Any]]
FetchOne = Callable[[Name], Any]
Label = bool | int | float | str


@dataclass(frozen=True)
class Fault:
    """A fetch that failed.

    Attributes
    ----------
    group : str or int
        The name of the group of features.
    rows : ndarray of int64
        The rows that wanted it, and quit without it.
    error : Exception
        What went wrong.
    """

    group: Name
    rows: NDArray[np.int64]
    error: Exception

    def __str__(self) -> str:
        kind = type(self.error).__name__
        return f"group {self.group!r}, {len(self.rows)} rows: {kind}: {self.error}"


@dataclass(frozen=True, eq=False)
class LazyResult:
    """Predictions of n rows, and what was bought for them.

    ``predict_lazy(..., return_details=True)`` returns it.

    Attributes
    ----------
    predictions : ndarray of shape (n,)
        As ``predict`` gives them.
    probabilities : ndarray of float64, shape (n, n_classes), or None
        As ``predict_proba`` gives them; None if the model has none.
    scores : ndarray of float64, shape (n, K)
        Raw scores.
    exit_step : ndarray of int32, shape (n,)
        As ``Trace.exit_step``.
    failed : ndarray of bool, shape (n,)
        Rows that quit early because a fetch failed. Their predictions are made from what they had.
    names : tuple
        The names of the G groups of features.
    groups : ndarray of bool, shape (n, G)
        The groups that each row got.
    feature_cost : ndarray of float64, shape (n,)
        Their prices, and those of the waves.
    waves : ndarray of int64, shape (n,)
        How many times a row waited for groups that are not free.
    n_calls : int
        Calls of the fetch.
    n_rounds : int
        How many times all rows together waited.
    faults : tuple of Fault
        The fetches that failed.
    """

    predictions: NDArray[Any]
    probabilities: NDArray[np.float64] | None
    scores: NDArray[np.float64]
    exit_step: NDArray[np.int32]
    failed: NDArray[np.bool_]
    names: tuple[Name, ...]
    groups: NDArray[np.bool_]
    feature_cost: NDArray[np.float64]
    waves: NDArray[np.int64]
    n_calls: int
    n_rounds: int
    faults: tuple[Fault, ...] = ()

    def __len__(self) -> int:
        return len(self.failed)

    def __repr__(self) -> str:
        failed = f", {self.failed.sum()} failed" if self.failed.any() else ""
        return (
            f"<LazyResult of {len(self)} rows{failed}: {self.groups.sum(axis=1).mean():.1f} of "
            f"{len(self.names)} groups each on average, {self.n_calls} calls>"
        )


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
        _check_callable("fetch", fetch, "fetch(group, rows) that gives values")
        session = Session(self._plan, n_rows, on_error, timeout, self.n_jobs)
        session.call_each(lambda r: fetch(r.name, r.rows.copy()), self._plan.values_of_rows)
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
        _check_callable("fetch", fetch, "async fetch(group, rows) that gives values")
        check_whole("max_concurrency", max_concurrency, 1)
        session = Session(self._plan, n_rows, on_error, timeout, self.n_jobs)
        await session.call_together(lambda r: fetch(r.name, r.rows.copy()), max_concurrency)
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
        _check_callable("fetch_one", fetch_one, "fetch_one(group) that gives values")
        session = Session(self._plan, 1, on_error, timeout)
        session.call_each(lambda r: fetch_one(r.name), self._plan.values_of_one)
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
            first, n = session.faults[0], len(session.faults)
            more = f", and {n - 1} more" if n > 1 else ""
            doubt(
                f"{session.failed.sum()} of {len(session.failed)} rows quit early, since a fetch "
                f"failed ({first}{more}); their predictions are made from what they had: "
                "return_details=True says which they are"
            )
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


def _check_callable(name: str, fetch: Any, like: str) -> None:
    if not callable(fetch):
        raise TypeError(f"{name} is {described(fetch)}; wanted a function {like}")


class Plan:
    """What all sessions of a model share: what is bought, and how answers of fetches are read.

    Features without prices are groups of their own, at price 1.
    """

    def __init__(self, dag: Dag) -> None:
        prices = FeaturePrices.of(dag.ensemble.features)
        purchases = Purchases.of(prices, dag.ensemble) if dag.purchases is None else dag.purchases
        why = None
        if dag.ensemble.kind == "ranker":
            why = "it is a ranker, and a document has no place without the others of its query"
        elif not dag.program.has_walk:
            why = f"its policy decides by {type(dag.policy.state).__name__}, which has no row walk"
        if why is not None:
            raise ValueError(
                f"the model cannot fetch features as it needs them: {why}; fetch whole rows, then "
                "use predict(X)"
            )
        self.program, self.purchases, self.prices = dag.program, purchases, purchases.prices
        self._columns = cache(
            lambda group: _some_of(dag.ensemble.features, self.prices.columns[group])
        )

    def values_of_rows(self, group: int, answer: Any, n_rows: int) -> NDArray[np.float64]:
        """Return the values (n_rows, size) of a group's columns."""
        features, gave = self._columns(group), self._gave(group)
        if features.n == 1 and hasattr(answer, "to_frame"):  # a Series
            answer = answer.to_frame(features.called(0))
        table = without_arrow(answer)
        if not is_frame(table):
            try:
                table = unmasked(table)
            except ValueError:  # sequences of different lengths
                table = None
            if features.n == 1 and np.ndim(table) == 1:
                table = table[:, None]
        got, wanted = np.shape(table), (n_rows, features.n)
        if got != wanted:
            kind = f"shape {got}" if got else described(answer)
            raise ValueError(f"{gave} {kind}; wanted numbers of shape {wanted}")
        try:
            return np.asarray(features.rows(table), np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{gave} what cannot be read: {error}") from error

    def values_of_one(self, group: int, answer: Any, n_rows: int = 1) -> NDArray[np.float64]:
        """Return the values (1, size) of one row: a list, an array, a dict by name, a number."""
        features = self._columns(group)
        if features.n == 1 and (np.ndim(answer) == 0 and not isinstance(answer, dict)):
            answer = [answer]
        try:
            return np.asarray(one_row(features, answer), np.float64)[None]
        except (TypeError, ValueError) as error:
            raise ValueError(f"{self._gave(group)} what cannot be read: {error}") from error

    def _gave(self, group: int) -> str:
        return f"the fetch of the group {self.prices.names[group]!r} gave"


def _some_of(features: Features, columns: tuple[int, ...]) -> Features:
    """Return some of the columns by themselves."""
    names, place = features.names, {c: i for i, c in enumerate(columns)}
    return Features(
        len(columns),
        None if names is None else tuple(names[c] for c in columns),
        {place[c]: values for c, values in features.categories.items() if c in place},
        features.missing,
        features.unknown,
    )


@dataclass(frozen=True)
class Request:
    """A group, by number and name, that some rows want, whose numbers rise."""

    group: int
    name: Name
    rows: RowNumbers


class WrongFetchError(TypeError):
    """The wrong sort of function, which is no failure of a fetch: it is always raised."""


class Session:
    """Take n rows, of which nothing is known at first, through the policy."""

    def __init__(
        self, plan: Plan, n_rows: int, on_error: OnError, timeout: float | None, n_jobs: int = 1
    ) -> None:
        check_whole("n_rows", n_rows, 1)
        check_one_of("on_error", on_error, get_args(OnError))
        if timeout is not None:
            check_positive("timeout", timeout)
            # No thread can wait for longer.
            timeout = float(timeout) if timeout < threading.TIMEOUT_MAX else None
        self.on_error, self.timeout = on_error, timeout
        self.plan, self.prices = plan, plan.prices
        self.walk = LazyWalk(plan.program, plan.purchases, int(n_rows), n_jobs)
        self.failed = np.zeros(n_rows, bool)
        self.waves = np.zeros(n_rows, np.int64)
        self.n_calls, self.n_rounds = 0, 0
        self.faults: list[Fault] = []
        self._waiting = np.arange(n_rows, dtype=np.int64)

    def call_each(
        self,
        call: Callable[[Request], Any],
        read: Callable[[int, Any, int], NDArray[np.float64]],
    ) -> None:
        """Answer all requests by what `read` makes of ``call(request)``, one after the other."""
        for phase in self._phases():
            for request in map(self._remaining, phase):
                if len(request.rows):
                    with self._fetching(request):
                        answer = _required(_in_time(call, request, self.timeout), awaitable=False)
                        values = read(request.group, answer, len(request.rows))
                        self.walk.give(request.group, request.rows, values)

    async def call_together(
        self, call: Callable[[Request], Awaitable[Any]], max_concurrency: int
    ) -> None:
        """Answer all requests by ``await call(request)``, several at a time.

        Where an error is raised, a fetch is cancelled by somebody else, or the caller is cancelled,
        all other fetches are cancelled, too.
        """
        import asyncio  # only here: importing it takes a while

        places, running = asyncio.Semaphore(max_concurrency), set[asyncio.Future[Any]]()

        async def one(request: Request) -> None:
            async with places:
                with self._fetching(request):
                    awaitable = _required(call(request), awaitable=True)
                    answer = await _awaited_in_time(awaitable, self.timeout, running)
                    values = self.plan.values_of_rows(request.group, answer, len(request.rows))
                    self.walk.give(request.group, request.rows, values)

        for phase in self._phases():
            left = [r for r in map(self._remaining, phase) if len(r.rows)]
            tasks = [asyncio.ensure_future(one(request)) for request in left]
            try:
                await asyncio.gather(*tasks)
            finally:
                for task in tasks:
                    task.cancel()
                if running:
                    await asyncio.wait(running, timeout=MOMENT)

    @property
    def feature_cost(self) -> NDArray[np.float64]:
        """What rows have paid, (n,)."""
        return self.plan.purchases.cost(self.walk.had, self.waves)

    def _phases(self) -> Iterator[list[Request]]:
        """Yield what rows lack, wave by wave, until all are at their ends.

        Requests of one phase may be answered in any order. A later phase of a wave is for groups
        that are computed from groups of an earlier one.
        """
        while True:
            waiting = self._waiting[~self.failed[self._waiting]]
            lacking = self.walk.resume(waiting)
            rows = lacking.any(axis=1)
            self._waiting, lacking = waiting[rows], lacking[rows]
            if len(self._waiting) == 0:
                return
            self.n_rounds += 1
            self.waves[self._waiting[lacking[:, self.prices.paid].any(axis=1)]] += 1
            wanted = np.flatnonzero(lacking.any(axis=0)).tolist()
            requests = [
                Request(g, self.prices.names[g], self._waiting[lacking[:, g]]) for g in wanted
            ]
            if fetched := [r for r in requests if not self.prices.needs[r.group]]:
                yield fetched
            yield from ([r] for r in requests if self.prices.needs[r.group])

    def _remaining(self, request: Request) -> Request:
        """Return the request without rows that were stopped since it was made."""
        return replace(request, rows=request.rows[~self.failed[request.rows]])

    @contextmanager
    def _fetching(self, request: Request) -> Iterator[None]:
        """Count a call; if it fails, or its answer cannot be read, stop its rows or raise."""
        self.n_calls += 1
        try:
            yield
        except WrongFetchError:
            raise
        except Exception as error:  # whatever a user's function may raise
            if self.on_error == "raise":
                error.add_note(f"while the group {request.name!r} was fetched for {_rows(request)}")
                raise
            self.failed[request.rows] = True
            self.faults.append(Fault(request.name, request.rows, error))


def _rows(request: Request) -> str:
    rows = request.rows.tolist()
    return f"row {rows[0]}" if len(rows) == 1 else f"{len(rows)} rows, {rows[0]} to {rows[-1]}"


def _required(answer: Any, awaitable: bool) -> Any:
    """Raise for the answer of a plain function where an async one is wanted, or the reverse."""
    if inspect.isawaitable(answer) == awaitable:
        return answer
    if awaitable:
        raise WrongFetchError(
            f"fetch gave {described(answer)}; wanted an async function, or use predict_lazy"
        )
    if inspect.iscoroutine(answer):
        answer.close()
    raise WrongFetchError(
        "fetch is an async function; wanted a plain one, or use predict_lazy_async"
    )


def _in_time(call: Callable[[Request], Any], request: Request, timeout: float | None) -> Any:
    """Return the answer of a call; with a timeout, of a thread that is abandoned if it is late."""
    if timeout is None:
        return call(request)
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


def _late(timeout: float | None) -> TimeoutError:
    return TimeoutError(f"the fetch gave no answer within {timeout:g} s")


MOMENT = 1.0  # seconds that cancelled fetches get to end


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
        raise _late(timeout)
    # Or its error; CancelledError is no failure of a fetch, but an order to stop.
    return task.result()


def _forget(task: asyncio.Future[Any]) -> None:
    """Read the outcome of a fetch that nobody waits for, or asyncio would complain."""
    if not task.cancelled():
        task.exception()
