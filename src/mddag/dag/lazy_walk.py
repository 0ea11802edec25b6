"""LazyWalk: rows of which nothing is known at first; each goes as far as its groups let it.

    resume(rows)                which groups each row now waits for; none where it is at its end
    give(group, rows, values)   the values of a group's columns
    finish()                    scores, exits and classes of all rows as they are

What is not bought is never read, so it does not matter what stands in its place: a missing value
(NaN) that was bought is a value like any other. The walk itself is native/walk/lazy_run.hpp. With
regions, a row first waits for what the router reads, then goes on by the walk of its region.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag.dag.dag import Dag
from mddag.dag.program import Program
from mddag.dag.purchases import Purchases
from mddag.features.patches import PatchFeatures
from mddag.features.prices import FeaturePrices

RowNumbers = NDArray[np.int64]


@dataclass(eq=False)
class LazyWalk:
    """n rows on their way through a DAG of trees.

    had : bool (n, G), the groups that were given
    """

    dag: Dag
    purchases: Purchases
    n_rows: int
    n_threads: int = 1
    had: NDArray[np.bool_] = field(init=False)

    def __post_init__(self) -> None:
        self.had = np.zeros((self.n_rows, self.purchases.prices.n_groups), bool)
        self._x = np.full((self.n_rows, self.dag.ensemble.n_features), np.nan)
        self._runs: dict[int, _core.LazyRun] = {}
        self._routed = self.dag.ensemble.routed
        self._region = np.zeros(self.n_rows, np.intp)
        if self._routed is not None and self._begins:
            self._region[:] = -1

    def resume(self, rows: RowNumbers) -> NDArray[np.bool_]:
        """Take rows, whose numbers rise, on: the groups that they then lack, (m, G)."""
        lacking = np.zeros((len(rows), self.had.shape[1]), bool)
        if self._routed is None:
            self._run(0).resume(self._x, rows, lacking.view(np.uint8), self.n_threads)
            return lacking
        self._find_regions(rows, lacking)
        regions = self._region[rows]
        for q in np.unique(regions[regions >= 0]).tolist():
            of = np.flatnonzero(regions == q)
            found = np.zeros((len(of), lacking.shape[1]), np.uint8)
            self._run(q).resume(self._x, rows[of], found, self.n_threads)
            lacking[of] = found
        return lacking

    def give(self, group: int, rows: RowNumbers, values: NDArray[np.float64]) -> None:
        """The values (m, size) of the columns of a group, for rows whose numbers rise."""
        self._x[rows[:, None], self.purchases.prices.columns[group]] = values
        self.had[rows, group] = True
        if self._routed is None:
            self._run(0).give(rows, group)
            return
        regions = self._region[rows]
        for q in np.unique(regions[regions >= 0]).tolist():
            self._run(q).give(rows[regions == q], group)

    def finish(self) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.intp]]:
        """Scores (n, K), exit steps and class codes (n,). Of a row that still waits they are what
        it has so far, and its class is that of its scores."""
        n, regions = self.n_rows, np.maximum(self._region, 0)  # before the router all are alike
        scores = np.empty((n, self.dag.ensemble.n_scores))
        exit_step, codes = np.zeros(n, np.int32), np.full(n, -1, np.intp)
        for q in np.unique(regions).tolist():
            own = np.empty_like(scores), np.empty_like(exit_step), np.empty(n, np.int64)
            self._run(q).finish(*own)
            of = regions == q
            scores[of], exit_step[of], codes[of] = (array[of] for array in own)
        return scores, exit_step, codes

    @property
    def _begins(self) -> bool:
        """Whether rows evaluate anything, and wait for something before."""
        first = _lazy_run(self._part(0), self._wants(0), 1)
        found = np.zeros((1, self.had.shape[1]), np.uint8)
        first.resume(np.zeros((1, self._x.shape[1])), np.zeros(1, np.int64), found, 1)
        return bool(found.any())

    def _find_regions(self, rows: RowNumbers, lacking: NDArray[np.bool_]) -> None:
        unknown = np.flatnonzero(self._region[rows] < 0)
        assert self._routed is not None
        lacking[unknown] = self.purchases.buys[-1] & ~self.had[rows[unknown]]
        known = rows[unknown[~lacking[unknown].any(axis=1)]]
        if len(known) == 0:
            return
        self._region[known] = self._routed.routing.regions(self._x[known])
        for q in np.unique(self._region[known]).tolist():
            of = known[self._region[known] == q]
            for g in np.flatnonzero(self.had[of].any(axis=0)).tolist():
                self._run(q).give(of[self.had[of, g]], g)

    def _run(self, q: int) -> _core.LazyRun:
        if q not in self._runs:
            self._runs[q] = _lazy_run(self._part(q), self._wants(q), self.n_rows)
        return self._runs[q]

    def _part(self, q: int) -> Program:
        program = self.dag.program
        return program if self._routed is None else program.parts[q]

    def _wants(self, q: int) -> NDArray[np.uint8]:
        """The groups that each step of the walk of region q reads."""
        program = self._part(q)
        order = program.policy.order[: len(program.reached[1].order)]
        if self._routed is not None:
            order = self._routed.sources(q)[order].astype(np.intp)
        return self.purchases.buys[order].astype(np.uint8)


def _lazy_run(program: Program, wants: NDArray[np.uint8], n_rows: int) -> _core.LazyRun:
    walk, kind = program.walk, _core.LazyRun
    if isinstance(walk, _core.StageWalk):
        kind = _core.LazyStageRun
    return kind(walk, np.ascontiguousarray(wants), n_rows)


def purchases_for(dag: Dag) -> Purchases:
    """The purchases of a DAG; where features have no prices, each is a group of its own at 1."""
    if dag.purchases is not None:
        return dag.purchases
    return with_prices(dag, FeaturePrices.of(dag.ensemble.features))


def with_prices(dag: Dag, prices: FeaturePrices) -> Purchases:
    """What the base classifiers of a DAG buy at these prices."""
    require_columns(dag)
    routed = dag.ensemble.routed
    if routed is None:
        return Purchases.of(prices, dag.ensemble)
    return Purchases.of(prices, routed.source).with_router(routed.routing.router)


def require_columns(dag: Dag) -> None:
    """Refuse what does not read columns that could be bought."""
    why = None
    if dag.ensemble.callables:
        why = "its base classifiers are callables, which read whole rows"
    elif isinstance(dag.ensemble.features, PatchFeatures):
        why = "its features are computed from the pixels of a patch"
    if why is not None:
        raise ValueError(f"features cannot be bought one by one: {why}; use predict(X)")


def require_lazy(dag: Dag) -> None:
    """Refuse what cannot wait for features: it must be trees, and each row by itself."""
    require_columns(dag)
    why = None
    if dag.ensemble.kind == "ranker":
        why = "it is a ranker, and a document has no place without the others of its query"
    elif not dag.program.has_walk:
        why = f"its policy decides by {type(dag.policy.state).__name__}, which has no row walk"
    if why is not None:
        raise ValueError(
            f"the model cannot fetch features as it needs them: {why}; fetch whole rows, then use "
            "predict(X)"
        )
