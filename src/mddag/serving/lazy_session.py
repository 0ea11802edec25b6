"""Waves of a lazy prediction, the answers of fetches, and the result; the calls are elsewhere.

    while wave := session.next_wave():       every row runs until it lacks a group
        for phase in wave:                   first what is fetched, then what is computed from it
            for request in phase:            one for each group, with all rows that want it
                session.answer(request, …)   or session.fail(request, error)

A failed request stops its rows (``on_error="quit"``), which keep what they have, or its error is
raised. Rows that were stopped are left out of requests from then on.

An answer that is an array holds codes in nominal columns, a DataFrame or a dict their values, as
in ``predict``. NaN is a value, where the model knows missing values; where it does not, it raises.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from mddag._utils.checks import check_one_of, check_whole, described
from mddag.engine.dag import Dag
from mddag.engine.lazy_walk import LazyWalk, RowNumbers, purchases_for, require_lazy
from mddag.ensemble.features import Features, is_frame, one_row, unmasked, without_arrow

Name = str | int


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


class Plan:
    """What all sessions of a model share: what is bought, and how answers of fetches are read.

    The model must be a DAG of trees that decides row by row.
    """

    def __init__(self, dag: Dag) -> None:
        require_lazy(dag)
        self.dag, self.purchases = dag, purchases_for(dag)
        self.prices = self.purchases.prices
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

    def values_of_one(self, group: int, answer: Any) -> NDArray[np.float64]:
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


OnError = Literal["raise", "quit"]
ON_ERROR = get_args(OnError)


@dataclass(frozen=True)
class Request:
    """A group, by number and name, that some rows want, whose numbers rise."""

    group: int
    name: Name
    rows: RowNumbers


class Session:
    """Take n rows, of which nothing is known at first, through the policy."""

    def __init__(
        self, plan: Plan, n_rows: Any, on_error: OnError = "raise", n_jobs: int = 1
    ) -> None:
        check_whole("n_rows", n_rows, 1)
        check_one_of("on_error", on_error, ON_ERROR)
        self.on_error = on_error
        self.plan, self.purchases, self.prices = plan, plan.purchases, plan.prices
        self.walk = LazyWalk(plan.dag, self.purchases, int(n_rows), n_jobs)
        self.failed = np.zeros(n_rows, bool)
        self.waves = np.zeros(n_rows, np.int64)
        self.n_calls, self.n_rounds = 0, 0
        self.faults: list[Fault] = []
        self._waiting = np.arange(n_rows, dtype=np.int64)

    def next_wave(self) -> list[list[Request]]:
        """Return what rows now lack, in phases; empty when all are at their ends.

        Requests of one phase may be answered in any order. A later phase is for groups that are
        computed from groups of an earlier one.
        """
        waiting = self._waiting[~self.failed[self._waiting]]
        lacking = self.walk.resume(waiting)
        rows = lacking.any(axis=1)
        self._waiting, lacking = waiting[rows], lacking[rows]
        if len(self._waiting) == 0:
            return []
        self.n_rounds += 1
        self.waves[self._waiting[lacking[:, self.prices.paid].any(axis=1)]] += 1
        wanted = np.flatnonzero(lacking.any(axis=0)).tolist()
        requests = [self._request(g, self._waiting[lacking[:, g]]) for g in wanted]
        fetched = [request for request in requests if not self.prices.needs[request.group]]
        computed = [[request] for request in requests if self.prices.needs[request.group]]
        return [fetched, *computed] if fetched else computed

    def remaining(self, request: Request) -> Request:
        """Return the request without rows that were stopped since it was made."""
        return self._request(request.group, request.rows[~self.failed[request.rows]])

    def answer(self, request: Request, answer: Any) -> None:
        """Take what a fetch gave for a request; what cannot be read is a failure."""
        n_rows = len(request.rows)
        self._take(request, lambda: self.plan.values_of_rows(request.group, answer, n_rows))

    def answer_one(self, request: Request, answer: Any) -> None:
        """Take what a fetch gave for one row, in any form."""
        self._take(request, lambda: self.plan.values_of_one(request.group, answer))

    def fail(self, request: Request, error: Exception) -> None:
        """Stop the rows of a request, or raise the error."""
        if self.on_error == "raise":
            error.add_note(f"while the group {request.name!r} was fetched for {_rows(request)}")
            raise error
        self.failed[request.rows] = True
        self.faults.append(Fault(request.name, request.rows, error))

    @property
    def feature_cost(self) -> NDArray[np.float64]:
        """What rows have paid, (n,)."""
        return self.purchases.cost(self.walk.had, self.waves)

    def _take(self, request: Request, read: Callable[[], NDArray[np.float64]]) -> None:
        try:
            values = read()
        except Exception as error:  # an answer may read from a connection as it becomes an array
            self.fail(request, error)
            return
        self.walk.give(request.group, request.rows, values)

    def _request(self, group: int, rows: RowNumbers) -> Request:
        return Request(group, self.prices.names[group], rows)


def _rows(request: Request) -> str:
    rows = request.rows.tolist()
    return f"row {rows[0]}" if len(rows) == 1 else f"{len(rows)} rows, {rows[0]} to {rows[-1]}"
