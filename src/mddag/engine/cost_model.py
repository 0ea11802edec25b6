"""Costs: what each executor is expected to take for a batch, in nanoseconds of one thread.

    walk     rows x evaluations x a base classifier of one row
    blocks   a call + blocks x the steps of the longest row x a step of few rows
             + rows x (loading + steps x a step of one row among many)
    all      a call + rows x (loading + all base classifiers of one row among many)
    windows  patches x (an integral image + evaluations x (a base classifier + its features))
    columns  patches x (an integral image + all features), before one of the others
    one      a call + evaluations x (a base classifier of a row by itself + its decision)
    steps    rows x evaluations, which are counted instead of timed
    queries  as blocks, and a look at each document at each check point

Loading makes ranks of values. Blocks do so for all that the mean row reads as rows come in, and for
columns that are first read later only for rows that get there, one by one.

The constants are a least-squares fit, of ratios, to what ``benchmarks/parts/executors.py`` measures
and to the real policies of ``benchmarks/speed/exit.py``, on one busy machine (AMD EPYC of 2023,
AVX2, float32 rows). Both print what is expected beside. Those of a row by itself are by hand, to 15
policies of ``predict_one``. Ratios carry over, times do not.
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
WALK_LINE, LINE = 12.0, 16  # a row's memory comes in lines of so many values
WALK_COLUMN = 4.0  # a column of stumps that are all evaluated: a step function
# A row by itself waits for each level of a large tree, and for each decision: both are branches
# that a processor predicts badly.
# Of a patch: each pixel of its integral image; a feature among all of them, and one by itself.
WINDOW_PIXEL, WINDOW_FEATURE, LAZY_FEATURE = 1.0, 2.0, 8.0
ONE_CALL, ONE_LEVEL, ONE_DECISION = 190.0, 85.0, 12.0
# The same among many rows: a stump, a bush, each leaf of a larger tree, a nominal tree, a column.
BLOCK_STUMP, BLOCK_BUSH, BLOCK_LEAF, BLOCK_NOMINAL, BLOCK_COLUMN = 0.025, 0.11, 0.03, 11.0, 2.2
LOAD_ROW, LOAD_VALUE = 8.0, 0.95  # a row in, and each of its values as a rank
LOAD_FAR, NEAR = 0.45, 64  # memory is slower than that for values behind the first so many
LATER_VALUE = 0.5  # a rank of a row that got so far, beside moving it
PACK_VALUE = 0.3  # a rank moved as other rows leave, all times together
DECISION, DECISION_SCORE = 0.25, 0.15  # a decision about a row, and each score that it looks at
SKIPPING = 0.25  # a sum kept while other rows evaluate, and put back
COMPACTION = 1.6  # gaps left by rows that have gone, and trees in the policy's order
CALL_ALL, CALL_BLOCKS = 4_000.0, 8_000.0
LEAST_ROWS = 48  # fewer take as long among many
STEP, STEP_DECISION, STEP_ROWS = 30.0, 190.0, 150  # what a step and a decision take for any rows
LONGEST = 8  # the row that stays longest passes so many times the mean of the steps
MOST_ROWS, BLOCK_RANKS = 4096, 1 << 19  # of a block
MANY_ROWS = 10_000


@dataclass(frozen=True)
class Costs:
    """What running a policy over an ensemble costs.

    evaluations : base classifiers that a row is expected to evaluate
    steps       : and those that it passes, skipped ones included
    longest     : the steps that some row is expected to pass
    walk        : of an evaluation by the walk
    fetch       : of a row's memory by the walk
    block       : of a base classifier among many rows
    decision    : a share of one, for each step
    skipping    : of a step that others skip; 0 where no row skips
    n_scores    : that a decision looks at
    load        : of a row among many that leaves when it can
    all         : of a row among many, everything evaluated
    block_rows  : that leave when they can, evaluated together
    one         : of a row by itself, the call included
    pixels      : of a patch, its integral image; rows that are no patches have none
    columns     : all features of a patch, likewise
    """

    evaluations: float
    steps: float
    longest: float
    walk: float
    fetch: float
    block: float
    decision: float
    skipping: float
    n_scores: int
    load: float
    all: float
    block_rows: int
    one: float
    pixels: float = 0.0
    columns: float = 0.0

    @classmethod
    def of(cls, ensemble: Ensemble, policy: Policy, evaluations: float | None = None) -> Costs:
        """`evaluations` is half of N where it is not known."""
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
        return n_rows * (self.walk * self.evaluations + self.fetch)

    def by_blocks(self, n_rows: int) -> float:
        few = STEP + STEP_DECISION * self.decision + STEP_ROWS * self.block
        decision = (DECISION + DECISION_SCORE * self.n_scores) * self.decision
        row = self.load + self.steps * (COMPACTION * self.block + decision + self.skipping)
        n_blocks = -(-n_rows // self.block_rows)
        return CALL_BLOCKS + n_blocks * self.longest * few + n_rows * row

    def by_all(self, n_rows: int) -> float:
        return CALL_ALL + max(n_rows, LEAST_ROWS) * self.all

    def by_windows(self, n_rows: int) -> float:
        return n_rows * (self.pixels + self.evaluations * (self.walk + LAZY_FEATURE))

    def by_columns(self, n_rows: int) -> float:
        """What the other executors wait for, if the rows are patches."""
        return n_rows * (self.pixels + self.columns)

    def by_query(self, n_rows: int, looks: int, look: float) -> float:
        """Blocks of whole queries, a row being looked at so often, each time for so long."""
        row = self.load + self.evaluations * COMPACTION * self.block + looks * look
        return CALL_BLOCKS + n_rows * row

    def by_steps(self, n_rows: int) -> float:
        """In evaluations instead of nanoseconds: what a callable takes is not known."""
        return n_rows * self.evaluations


def _tree_costs(
    n_leaves: NDArray[np.int64], nominal: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Of each tree: by the walk, among many rows, and of a row by itself."""
    bush, stump = n_leaves <= BUSH_LEAVES, n_leaves <= 2
    levels = np.log2(np.maximum(n_leaves, BUSH_LEAVES) / BUSH_LEAVES)
    small = np.where(stump, WALK_STUMP, WALK_BUSH)
    walk, one = small + WALK_LEVEL * levels, small + ONE_LEVEL * levels
    block = np.where(stump, BLOCK_STUMP, np.where(bush, BLOCK_BUSH, BLOCK_LEAF * n_leaves))
    of_sets = (WALK_NOMINAL, walk), (BLOCK_NOMINAL, block), (WALK_NOMINAL, one)
    walk, block, one = (np.where(nominal, dear, cost) for dear, cost in of_sets)
    return walk, block, one


def _first_reads(ensemble: Ensemble, policy: Policy) -> NDArray[np.int64]:
    """The step at which each column is first read (n_columns,)."""
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
    """Of a row that passes so many steps on average, as many rows leaving at each as at another."""
    at_once = first < max(steps, every)
    gets_there = np.exp(-first / max(steps, 1.0))
    packed = PACK_VALUE * len(first)
    return float(np.where(at_once, LOAD_VALUE, LATER_VALUE * gets_there).sum() + packed)


def _share_of_skips(policy: Policy) -> float:
    """Of the decisions that go on, those that skip, all cells counting alike."""
    n_eval, n_skip = (int((policy.actions == action).sum()) for action in (EVAL, SKIP))
    return n_skip / max(n_eval + n_skip, 1)


def _nominal(ensemble: Ensemble) -> NDArray[np.bool_]:
    """Whether each tree has a split by categories."""
    nominal = np.zeros(ensemble.n_trees, bool)
    splits = np.flatnonzero((ensemble.nodes["feature"] >= 0) & (ensemble.nodes["n_words"] > 0))
    nominal[np.searchsorted(ensemble.starts, splits, side="right") - 1] = True
    return nominal
