"""Prediction with features that are fetched as rows need them: the methods of a Predictor.

    predict_lazy(fetch, n_rows=n)        fetch(group, rows) -> values (len(rows), size of the group)
    predict_lazy_async(fetch, n_rows=n)  the same with an async fetch (``lazy_async``)
    predict_one_lazy(fetch_one)          fetch_one(group) -> values (size of the group,)

Every row runs until it lacks a group; the requests of all rows are gathered, with one call for each
group and wave. Predictions equal those of ``predict`` on whole rows. The waves without the calls
are a ``Session`` (``lazy_session``).
"""

from __future__ import annotations

import inspect
import queue
import threading
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mddag._utils.cached import cached_property
from mddag._utils.checks import check_positive, check_whole, described
from mddag._utils.warnings import doubt
from mddag.engine.dag import BLOCK
from mddag.engine.lazy_walk import with_prices
from mddag.ensemble.feature_prices import FeaturePrices
from mddag.serving.lazy_session import LazyResult, Name, Plan, Request, Session
from mddag.serving.model_file import Model


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


Fetch = Callable[[Name, NDArray[np.int64]], Any]


class LazyPredictions:
    """For what has a Model, and predicts by scores, exits and codes."""

    model: Model
    n_threads: int

    @abstractmethod
    def _predicted(
        self, scores: NDArray[np.float64], exit_step: NDArray[np.int32], codes: NDArray[np.intp]
    ) -> NDArray[Any]:
        """What is predicted of rows that have left the DAG, (n,)."""

    @abstractmethod
    def with_model(self, model: Model) -> Self:
        """The same predictions by another model."""

    def with_prices(
        self,
        feature_costs: Any = None,
        feature_groups: Any = None,
        wave_cost: float = 0.0,
    ) -> Self:
        """The same model with prices of features; see ``FeaturePrices.of``.

        feature_costs  : an array (d,), or a dict by feature or group; None is 1 for each group
        feature_groups : {name: [features]} of what comes together; by default each by itself
        wave_cost      : the price of a round trip
        """
        dag = self.model.dag
        prices = FeaturePrices.of(dag.ensemble.features, feature_costs, feature_groups, wave_cost)
        priced = replace(dag, purchases=with_prices(dag, prices))
        return self.with_model(replace(self.model, dag=priced))

    @property
    def feature_prices(self) -> FeaturePrices | None:
        """The groups of features and their prices; None where there are none."""
        purchases = self.model.dag.purchases
        return None if purchases is None else purchases.prices

    def feature_cost(self, X: Any) -> NDArray[np.float64]:
        """What the features cost that each row of X needs, (n,)."""
        return np.concatenate([cost for _, cost in self._bought(X)])

    def groups_bought(self, X: Any) -> NDArray[np.bool_]:
        """The groups of features that each row of X needs, (n, G), in the order of
        ``feature_prices.names``."""
        return np.concatenate([groups for groups, _ in self._bought(X)])

    def predict_lazy(
        self,
        fetch: Fetch,
        *,
        n_rows: int,
        on_error: str = "raise",
        timeout: float | None = None,
        return_details: bool = False,
    ) -> Any:
        """Predictions (n_rows,) of rows whose features are fetched as they are needed.

        fetch    : ``fetch(group, rows)`` gives an array (len(rows), size of the group), or a frame,
                   of the columns of a group, in its order, for rows by number, 0 to n_rows - 1.
                   Groups are those of the model's prices; where it has none, each feature is one
        on_error : what to do if a fetch raises, is late, or gives what cannot be read: "raise" the
                   error, or let its rows "quit" with the best answer from what they have; a warning
                   says how many, and the details which
        timeout  : seconds to wait for one fetch, which then runs in a thread of its own
        return_details : whether to return a LazyResult, which also says what was bought
        """
        check_fetch("fetch", fetch, "fetch(group, rows) that gives values")
        timeout = checked_timeout(timeout)
        session = Session(self._plan, n_rows, on_error, self.n_threads)
        call_each(session, lambda r: fetch(r.name, r.rows.copy()), session.answer, timeout)
        return self._of(session, return_details)

    async def predict_lazy_async(
        self,
        fetch: Callable[[Name, NDArray[np.int64]], Awaitable[Any]],
        *,
        n_rows: int,
        on_error: str = "raise",
        timeout: float | None = None,
        max_concurrency: int = 8,
        return_details: bool = False,
    ) -> Any:
        """The same with an async fetch: the groups of one wave are fetched together.

        timeout         : seconds to wait for one fetch, which is then cancelled
        max_concurrency : how many fetches may run at a time
        """
        from mddag.serving.lazy_async import call_together  # asyncio takes its time

        check_fetch("fetch", fetch, "async fetch(group, rows) that gives values")
        timeout = checked_timeout(timeout)
        check_whole("max_concurrency", max_concurrency, 1)
        session = Session(self._plan, n_rows, on_error, self.n_threads)
        await call_together(
            session, lambda r: fetch(r.name, r.rows.copy()), timeout, max_concurrency
        )
        return self._of(session, return_details)

    def predict_one_lazy(
        self,
        fetch_one: Callable[[Name], Any],
        *,
        on_error: str = "raise",
        timeout: float | None = None,
        return_details: bool = False,
    ) -> Any:
        """The prediction of one row, whose features are fetched as they are needed.

        fetch_one : ``fetch_one(group)`` gives the values of a group's columns: a list or an array
                    in its order, a dict by name, or a number where there is one column

        The rest is as for ``predict_lazy``; details are those of one row.
        """
        check_fetch("fetch_one", fetch_one, "fetch_one(group) that gives values")
        timeout = checked_timeout(timeout)
        session = Session(self._plan, 1, on_error)
        call_each(session, lambda r: fetch_one(r.name), session.answer_one, timeout)
        result = self._of(session, return_details)
        if return_details:
            return result
        return result[0].item() if result.dtype.kind in "biuf" else result[0]

    @cached_property
    def _plan(self) -> Plan:
        return Plan.of(self.model.dag)

    def _of(self, session: Session, details: bool) -> Any:
        """The predictions of a session that is over."""
        if session.faults:
            _doubt_faults(session)
        scores, exit_step, codes = session.walk.finish()
        predictions = self._predicted(scores, exit_step, codes)
        if not details:
            return predictions
        calibration, classes = self.model.calibration, self.model.dag.ensemble.classes
        known = calibration is not None and classes is not None
        return LazyResult(
            predictions,
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

    def _bought(self, X: Any) -> Iterator[tuple[NDArray[np.bool_], NDArray[np.float64]]]:
        """Groups and costs of rows, block by block, since paths may take much memory."""
        dag = self.model.dag
        if dag.purchases is None:
            raise ValueError(
                "the model has no prices of features; give them by "
                "with_prices(feature_costs=..., feature_groups=...), or use mddag.acquire"
            )
        if dag.needs_queries:
            raise ValueError(
                "the model decides by the place of a document in its query; use run(X, qid), whose "
                "Trace has groups and feature_cost"
            )
        rows = dag.ensemble.features.read(X)
        for start in range(0, len(rows), BLOCK):
            trace = dag.run(rows[start : start + BLOCK], n_threads=self.n_threads)
            assert trace.groups is not None
            assert trace.feature_cost is not None
            yield trace.groups, trace.feature_cost


def _doubt_faults(session: Session) -> None:
    first, n = session.faults[0], int(session.failed.sum())
    more = f", and {len(session.faults) - 1} more" if len(session.faults) > 1 else ""
    doubt(
        f"{n} of {len(session.failed)} rows quit early, since a fetch failed ({first}{more}); "
        "their predictions are made from what they had: return_details=True says which they are"
    )
