"""Session: the waves of a lazy prediction, without the calls.

    while wave := session.next_wave():       every row runs until it lacks a group
        for phase in wave:                   first what is fetched, then what is computed from it
            for request in phase:            one for each group, with all rows that want it
                session.answer(request, …)   or session.fail(request, error)

A failed request stops its rows (``on_error="quit"``), which keep what they have, or its error is
raised. Rows that were stopped are left out of requests from then on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._internal.checks import check_one_of, check_whole
from mddag.dag.dag import Dag
from mddag.dag.lazy_walk import LazyWalk, RowNumbers, purchases_for, require_lazy
from mddag.dag.purchases import Purchases
from mddag.serving.lazy.answers import Answers
from mddag.serving.lazy.result import Fault, Name

ON_ERROR = ("raise", "quit")


@dataclass(frozen=True)
class Request:
    """A group that some rows want.

    group : its number
    name  : its name
    rows  : the numbers of the rows, which rise
    """

    group: int
    name: Name
    rows: RowNumbers


@dataclass(frozen=True, eq=False)
class Plan:
    """What all sessions of a model share; `of` refuses models that cannot wait for features."""

    dag: Dag
    purchases: Purchases
    answers: Answers

    @classmethod
    def of(cls, dag: Dag) -> Plan:
        require_lazy(dag)
        purchases = purchases_for(dag)
        return cls(dag, purchases, Answers(dag.ensemble.features, purchases.prices))


class Session:
    """n rows, of which nothing is known at first."""

    def __init__(
        self, plan: Plan, n_rows: Any, on_error: str = "raise", n_threads: int = 1
    ) -> None:
        check_whole("n_rows", n_rows, 1)
        check_one_of("on_error", on_error, ON_ERROR)
        self.on_error = on_error
        self.purchases, self.answers = plan.purchases, plan.answers
        self.prices = self.purchases.prices
        self.walk = LazyWalk(plan.dag, self.purchases, int(n_rows), n_threads)
        self.failed = np.zeros(n_rows, bool)
        self.waves = np.zeros(n_rows, np.int64)
        self.n_calls, self.n_rounds = 0, 0
        self.faults: list[Fault] = []
        self._waiting = np.arange(n_rows, dtype=np.int64)

    def next_wave(self) -> list[list[Request]]:
        """What rows now lack, in phases; empty when all are at their ends.

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
        """The request without rows that were stopped since it was made."""
        return self._request(request.group, request.rows[~self.failed[request.rows]])

    def answer(self, request: Request, answer: Any) -> None:
        """Take what a fetch gave for a request; what cannot be read is a failure."""
        self._take(request, lambda: self.answers.of_rows(request.group, answer, len(request.rows)))

    def answer_one(self, request: Request, answer: Any) -> None:
        """The same where there is one row, which may come in any form."""
        self._take(request, lambda: self.answers.of_one(request.group, answer))

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
