"""LazyWalk: rows of which nothing is known at first; each goes as far as its groups let it.

``resume`` returns the groups that rows wait for, ``give`` provides values, ``finish`` returns
scores, exits and classes. What is not bought is never read. The walk is native/walk/lazy_run.hpp.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag.engine.dag import Dag
from mddag.engine.purchases import Purchases
from mddag.ensemble.feature_prices import FeaturePrices
from mddag.ensemble.patches import PatchFeatures

RowNumbers = NDArray[np.int64]


@dataclass(eq=False)
class LazyWalk:
    """n rows on their way through a DAG of trees; `had` (n, G) are the groups that were given."""

    dag: Dag
    purchases: Purchases
    n_rows: int
    n_jobs: int = 1
    had: NDArray[np.bool_] = field(init=False)

    def __post_init__(self) -> None:
        self.had = np.zeros((self.n_rows, self.purchases.prices.n_groups), bool)
        self._x = np.full((self.n_rows, self.dag.ensemble.n_features), np.nan)
        program = self.dag.program
        order = program.policy.order[: len(program.reached[1].order)]
        wants = self.purchases.buys[order].astype(np.uint8)
        walk, kind = program.walk, _core.LazyRun
        if isinstance(walk, _core.StageWalk):
            kind = _core.LazyStageRun
        self._run = kind(walk, np.ascontiguousarray(wants), self.n_rows)

    def resume(self, rows: RowNumbers) -> NDArray[np.bool_]:
        """Continue rows, whose numbers rise, and return the groups that they then lack, (m, G)."""
        lacking = np.zeros((len(rows), self.had.shape[1]), bool)
        self._run.resume(self._x, rows, lacking.view(np.uint8), self.n_jobs)
        return lacking

    def give(self, group: int, rows: RowNumbers, values: NDArray[np.float64]) -> None:
        """Provide the values (m, size) of the columns of a group, for rows whose numbers rise."""
        self._x[rows[:, None], self.purchases.prices.columns[group]] = values
        self.had[rows, group] = True
        self._run.give(rows, group)

    def finish(self) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.intp]]:
        """Return scores (n, K), exit steps and class codes (n,).

        A row that still waits has those so far, and the class of its scores.
        """
        n = self.n_rows
        scores = np.empty((n, self.dag.ensemble.n_scores))
        exit_step, codes = np.empty(n, np.int32), np.empty(n, np.int64)
        self._run.finish(scores, exit_step, codes)
        return scores, exit_step, codes.astype(np.intp, copy=False)


def purchases_for(dag: Dag) -> Purchases:
    """Return the purchases of a DAG; features without prices are groups of their own at price 1."""
    if dag.purchases is not None:
        return dag.purchases
    return with_prices(dag, FeaturePrices.of(dag.ensemble.features))


def with_prices(dag: Dag, prices: FeaturePrices) -> Purchases:
    """Return what the base classifiers of a DAG buy at these prices."""
    require_columns(dag)
    return Purchases.of(prices, dag.ensemble)


def require_columns(dag: Dag) -> None:
    """Raise ValueError for a DAG that does not read columns which could be bought."""
    why = None
    if dag.ensemble.callables:
        why = "its base classifiers are callables, which read whole rows"
    elif isinstance(dag.ensemble.features, PatchFeatures):
        why = "its features are computed from the pixels of a patch"
    if why is not None:
        raise ValueError(f"features cannot be bought one by one: {why}; use predict(X)")


def require_lazy(dag: Dag) -> None:
    """Raise ValueError for a DAG that cannot wait for features: not trees, or not row by row."""
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
