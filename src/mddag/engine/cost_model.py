"""Cost model: what each executor is expected to take for a batch, in nanoseconds of one thread.

The constants are a least-squares fit, of ratios, to the measurements of
``benchmarks/parts/executors.py`` and to the real policies of ``benchmarks/speed/exit.py`` on one
machine (AMD EPYC of 2023, AVX2, float32 rows); those of single rows were set by hand from 15
policies of ``predict_one``. Ratios carry over to other machines, times do not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mddag.ensemble.ensemble import Ensemble
from mddag.policy.policy import EVAL, SKIP, Policy

# The walk of one tree, rows taking turns; beyond a bush twice the leaves are one level more.
WALK_STUMP, WALK_BUSH, WALK_LEVEL, WALK_NOMINAL = 3.0, 6.0, 8.0, 25.0
BUSH_LEAVES = 8
WALK_DECISION = 3.0
WALK_LINE, LINE = 12.0, 16  # a row's memory comes in lines of this many values
WALK_COLUMN = 4.0  # a column of stumps that are all evaluated: a step function
# A row by itself waits for each level of a large tree, and for each decision: both are branches
# that a processor predicts badly.
# Of a patch: each pixel of its integral image; a feature among all of them, and one by itself.
WINDOW_PIXEL, WINDOW_FEATURE, LAZY_FEATURE = 1.0, 2.0, 8.0
ONE_CALL, ONE_LEVEL, ONE_DECISION = 190.0, 85.0, 12.0
# The same among many rows: a stump, a bush, each leaf of a larger tree, a nominal tree, a column.
BLOCK_STUMP, BLOCK_BUSH, BLOCK_LEAF, BLOCK_NOMINAL, BLOCK_COLUMN = 0.025, 0.11, 0.03, 11.0, 2.2
LOAD_ROW, LOAD_VALUE = 8.0, 0.95  # a row in, and each of its values as a rank
LOAD_FAR, NEAR = 0.45, 64  # memory is slower for values after the first NEAR
LATER_VALUE = 0.5  # a rank of a row that got this far, moving it not included
PACK_VALUE = 0.3  # a rank moved as other rows leave, in total
DECISION, DECISION_SCORE = 0.25, 0.15  # a decision about a row, and each score that it looks at
SKIPPING = 0.25  # a sum kept while other rows evaluate, and put back
COMPACTION = 1.6  # gaps left by rows that have gone, and trees in the policy's order
CALL_ALL, CALL_BLOCKS = 4_000.0, 8_000.0
LEAST_ROWS = 48  # fewer take as long among many
STEP, STEP_DECISION, STEP_ROWS = 30.0, 190.0, 150  # what a step and a decision take for any rows
LONGEST = 8  # the longest row passes this many times the mean number of steps
MOST_ROWS, BLOCK_RANKS = 4096, 1 << 19  # of a block
MANY_ROWS = 10_000


@dataclass(frozen=True)
class Costs:
    """What running a policy over an ensemble costs."""

    evaluations: float  # expected evaluations of a row
    steps: float  # steps that it passes, including skipped ones
    longest: float  # steps that some row is expected to pass
    walk: float  # time of an evaluation by the walk
    fetch: float  # time to read a row's memory by the walk
    block: float  # time of a base classifier among many rows
    decision: float  # share of a decision for each step
    skipping: float  # time of a step that others skip; 0 where no row skips
    n_scores: int  # scores that a decision reads
    load: float  # time to load a row among many that leaves when it can
    all: float  # time of a row among many, everything evaluated
    block_rows: int  # rows that are evaluated together and leave when they can
    one: float  # time of a single row, the call included
    pixels: float = 0.0  # time of the integral image of a patch
    columns: float = 0.0  # time of all features of a patch

    @classmethod
    def of(cls, ensemble: Ensemble, policy: Policy, evaluations: float | None = None) -> Costs:
        """Estimate the costs; `evaluations` is half of N if not known."""
        n, n_leaves, nominal = len(ensemble), ensemble.tables.n_leaves, _nominal(ensemble)
        evaluates_all = bool((policy.actions == EVAL).all())
        mean = n if evaluates_all else n / 2 if evaluations is None else evaluations
        steps = min(mean / max(1.0 - _share_of_skips(policy), 1.0 / max(n, 1)), n)
        walk, block, one = (float(cost.sum()) for cost in _tree_costs(n_leaves, nominal))
        first, n_splits = _first_reads(ensemble, policy), int((n_leaves - 1).sum())
        n_columns, n_scores = len(first), ensemble.n_scores
        load = LOAD_ROW + LOAD_FAR * max(ensemble.n_features - NEAR, 0)
        columns_alone = bool((n_leaves <= 2).all()) and not nominal.any()
        if columns_alone and evaluates_all:
            walk = one = WALK_COLUMN * n_columns
        decision = 0.0 if evaluates_all else 1.0 / policy.every
        return cls(
            evaluations=mean,
            steps=steps,
            longest=min(LONGEST * steps, n),
            walk=walk / max(n, 1) + WALK_DECISION * decision,
            fetch=WALK_LINE * min(ensemble.n_features / LINE, mean * n_splits / max(n, 1)),
            block=block / max(n, 1),
            decision=decision,
            skipping=SKIPPING * n_scores * decision if _share_of_skips(policy) > 0 else 0.0,
            n_scores=n_scores,
            load=load + _load_values(first, steps, policy.every),
            all=BLOCK_COLUMN * n_columns
            if columns_alone
            else load + LOAD_VALUE * n_columns + block,
            block_rows=min(MOST_ROWS, max(MOST_ROWS // 4, BLOCK_RANKS // (n_columns + 1))),
            pixels=WINDOW_PIXEL * ensemble.features.n_given,
            columns=WINDOW_FEATURE * ensemble.n_features,
            one=ONE_CALL + mean * (one / max(n, 1) + ONE_DECISION * decision),
        )

    def by_walk(self, n_rows: int) -> float:
        """Return the time of the walk: rows * evaluations * a base classifier of one row."""
        return n_rows * (self.walk * self.evaluations + self.fetch)

    def by_blocks(self, n_rows: int) -> float:
        """Return the time of blocks.

        It is that of a call, of the steps of the longest row in every block, and of loading each
        row and passing its steps among many. Loading makes ranks of values: of all that the mean
        row reads as rows come in, and of later columns only for rows that get there.
        """
        few = STEP + STEP_DECISION * self.decision + STEP_ROWS * self.block
        decision = (DECISION + DECISION_SCORE * self.n_scores) * self.decision
        row = self.load + self.steps * (COMPACTION * self.block + decision + self.skipping)
        n_blocks = -(-n_rows // self.block_rows)
        return CALL_BLOCKS + n_blocks * self.longest * few + n_rows * row

    def by_all(self, n_rows: int) -> float:
        """Return the time of evaluating everything, row among many."""
        return CALL_ALL + max(n_rows, LEAST_ROWS) * self.all

    def by_windows(self, n_rows: int) -> float:
        """Return the time of patches: an integral image each, and the features that are read."""
        return n_rows * (self.pixels + self.evaluations * (self.walk + LAZY_FEATURE))

    def by_columns(self, n_rows: int) -> float:
        """Return the time of computing all features of patches before one of the others."""
        return n_rows * (self.pixels + self.columns)

    def by_query(self, n_rows: int, looks: int, look: float) -> float:
        """Return the time of blocks of whole queries, with `looks` of time `look` at each row."""
        row = self.load + self.evaluations * COMPACTION * self.block + looks * look
        return CALL_BLOCKS + n_rows * row

    def by_steps(self, n_rows: int) -> float:
        """Return the number of evaluations, as the time of a callable is not known."""
        return n_rows * self.evaluations


def _tree_costs(
    n_leaves: NDArray[np.int64], nominal: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the time of each tree by the walk, among many rows, and for a single row."""
    bush, stump = n_leaves <= BUSH_LEAVES, n_leaves <= 2
    levels = np.log2(np.maximum(n_leaves, BUSH_LEAVES) / BUSH_LEAVES)
    small = np.where(stump, WALK_STUMP, WALK_BUSH)
    walk, one = small + WALK_LEVEL * levels, small + ONE_LEVEL * levels
    block = np.where(stump, BLOCK_STUMP, np.where(bush, BLOCK_BUSH, BLOCK_LEAF * n_leaves))
    of_sets = (WALK_NOMINAL, walk), (BLOCK_NOMINAL, block), (WALK_NOMINAL, one)
    walk, block, one = (np.where(nominal, expensive, cost) for expensive, cost in of_sets)
    return walk, block, one


def _first_reads(ensemble: Ensemble, policy: Policy) -> NDArray[np.int64]:
    """Return the step at which each column is first read, (n_columns,)."""
    n = len(ensemble)
    step = np.empty(n, np.int64)
    step[policy.order] = np.arange(n)
    of_tree = np.repeat(step, np.diff(ensemble.tables.rounds))
    of_node = np.repeat(of_tree, np.diff(ensemble.starts))
    splits = ensemble.nodes["feature"] >= 0
    columns, column = np.unique(ensemble.nodes["feature"][splits], return_inverse=True)
    first = np.full(len(columns), n)
    np.minimum.at(first, column, of_node[splits])
    return first


def _load_values(first: NDArray[np.int64], steps: float, every: int) -> float:
    """Return the time to load a row that passes this many steps on average.

    As many rows are taken to leave at one step as at another.
    """
    at_once = first < max(steps, every)
    gets_there = np.exp(-first / max(steps, 1.0))
    packed = PACK_VALUE * len(first)
    return float(np.where(at_once, LOAD_VALUE, LATER_VALUE * gets_there).sum() + packed)


def _share_of_skips(policy: Policy) -> float:
    """Return the share of the decisions that go on which skip, all cells counting alike."""
    n_eval, n_skip = (int((policy.actions == action).sum()) for action in (EVAL, SKIP))
    return n_skip / max(n_eval + n_skip, 1)


def _nominal(ensemble: Ensemble) -> NDArray[np.bool_]:
    """Return whether each tree has a split by categories."""
    nominal = np.zeros(ensemble.n_trees, bool)
    splits = np.flatnonzero((ensemble.nodes["feature"] >= 0) & (ensemble.nodes["n_words"] > 0))
    nominal[np.searchsorted(ensemble.starts, splits, side="right") - 1] = True
    return nominal
