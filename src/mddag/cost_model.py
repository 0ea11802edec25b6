"""Costs: what each executor is expected to take for a batch, in nanoseconds of one thread.

    walk     evaluations x a base classifier's walk, row by row
    blocks   a call + rows x (loading + steps x (a base classifier among many rows + deciding))
    all      a call + rows x (loading + all base classifiers among many rows)

The constants were measured on one machine (AMD EPYC of 2023, AVX2, float32 rows) and are printed by
``benchmarks/executors.py``. They serve to compare executors: ratios carry over, times do not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mddag.ensemble import Ensemble
from mddag.policy import EVAL, SKIP, Policy

# The walk of one tree, rows taking turns; beyond a bush twice the leaves are one level more.
WALK_STUMP, WALK_BUSH, WALK_LEVEL, WALK_NOMINAL = 6.0, 9.0, 8.0, 60.0
BUSH_LEAVES = 8
WALK_STEPS = 4.0  # a column of stumps that are all evaluated, as a step function
# The same among many rows: a bush, each leaf of a larger tree, a column of step functions.
BLOCK_STUMP, BLOCK_BUSH, BLOCK_LEAF, BLOCK_STEPS = 0.08, 0.13, 0.023, 1.6
LOAD_ROW, LOAD_VALUE = 20.0, 1.1  # a row in, and each of its values as a rank
DECISION, COMPACTION = 3.0, 1.5  # a decision about a row; gaps left by rows that have gone
CALL_ALL, CALL_BLOCKS = 4_000.0, 8_000.0
LEAST_ROWS = 48  # fewer take as long in a block
MANY_ROWS = 10_000


@dataclass(frozen=True)
class Costs:
    """What running a policy over an ensemble costs.

    evaluations : base classifiers that a row is expected to evaluate
    steps       : and those that it passes, skipped ones included
    walk        : of a base classifier by the walk
    step        : of a step in blocks
    load        : of a row in blocks
    all         : of a row, everything evaluated
    """

    evaluations: float
    steps: float
    walk: float
    step: float
    load: float
    all: float

    @classmethod
    def of(cls, ensemble: Ensemble, policy: Policy, evaluations: float | None = None) -> Costs:
        """`evaluations` is half of N where nobody has measured it."""
        n, n_leaves, nominal = max(len(ensemble), 1), ensemble.tables.n_leaves, _nominal(ensemble)
        evaluates_all = bool((policy.actions == EVAL).all())
        if evaluates_all:
            evaluations = len(ensemble)
        elif evaluations is None:
            evaluations = len(ensemble) / 2
        walk, block = (float(cost.sum()) for cost in _tree_costs(n_leaves, nominal))
        n_columns = len(np.unique(ensemble.nodes["feature"][ensemble.nodes["feature"] >= 0]))
        load = LOAD_ROW + LOAD_VALUE * n_columns
        steps_alone = bool((n_leaves <= 2).all()) and not nominal.any()  # step functions
        return cls(
            evaluations=evaluations,
            steps=evaluations / max(1.0 - _share_of_skips(policy), 1.0 / n),
            walk=(WALK_STEPS * n_columns if steps_alone and evaluates_all else walk) / n,
            step=COMPACTION * block / n + DECISION / policy.every,
            load=load,
            all=BLOCK_STEPS * n_columns if steps_alone else load + block,
        )

    def batch(self, executor: str, n_rows: int) -> float:
        """Nanoseconds of so many rows."""
        if executor == "walk":
            return n_rows * self.walk * self.evaluations
        if executor == "all":
            return CALL_ALL + max(n_rows, LEAST_ROWS) * self.all
        return CALL_BLOCKS + max(n_rows, LEAST_ROWS) * (self.load + self.step * self.steps)

    def cheapest(self, possible: tuple[str, ...], n_rows: int) -> str:
        return min(possible, key=lambda executor: self.batch(executor, n_rows))

    def speedup(self, possible: tuple[str, ...]) -> float:
        """Evaluating everything over the cheapest of the possible, for many rows."""
        best = self.batch(self.cheapest(possible, MANY_ROWS), MANY_ROWS)
        return self.batch("all", MANY_ROWS) / best if best > 0 else float("inf")


def _tree_costs(
    n_leaves: NDArray[np.int64], nominal: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Of each tree: by the walk, and among many rows, where nominal splits are walked, too."""
    bush, stump = n_leaves <= BUSH_LEAVES, n_leaves <= 2
    levels = np.log2(np.maximum(n_leaves, BUSH_LEAVES) / BUSH_LEAVES)
    walk = np.where(stump, WALK_STUMP, WALK_BUSH + WALK_LEVEL * levels)
    block = np.where(stump, BLOCK_STUMP, np.where(bush, BLOCK_BUSH, BLOCK_LEAF * n_leaves))
    return np.where(nominal, WALK_NOMINAL, walk), np.where(nominal, WALK_NOMINAL, block)


def _share_of_skips(policy: Policy) -> float:
    """Of the decisions that go on, those that skip, all cells counting alike."""
    n_eval, n_skip = (np.count_nonzero(policy.actions == action) for action in (EVAL, SKIP))
    return n_skip / max(n_eval + n_skip, 1)


def _nominal(ensemble: Ensemble) -> NDArray[np.bool_]:
    """Whether each tree has a split by categories."""
    nominal = np.zeros(ensemble.n_trees, bool)
    splits = np.flatnonzero((ensemble.nodes["feature"] >= 0) & (ensemble.nodes["n_words"] > 0))
    nominal[np.searchsorted(ensemble.starts, splits, side="right") - 1] = True
    return nominal
