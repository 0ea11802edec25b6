"""Predict with features that are fetched as rows need them: the methods of a Predictor."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Awaitable, Callable
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from mddag._utils.cached import cached_property
from mddag._utils.checks import check_whole, described
from mddag._utils.warnings import doubt
from mddag.serving.lazy_session import LazyResult, Name, OnError, Plan, Session
from mddag.serving.model_file import Model
from mddag.serving.served_model import ServedModel

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
        _check_fetch("fetch", fetch, "async fetch(group, rows) that gives values")
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
        _check_fetch("fetch_one", fetch_one, "fetch_one(group) that gives values")
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


def _check_fetch(name: str, fetch: Any, like: str) -> None:
    if not callable(fetch):
        raise TypeError(f"{name} is {described(fetch)}; wanted a function {like}")
