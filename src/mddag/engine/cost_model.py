"""Cost model: what each executor is expected to take for a batch, in nanoseconds of one thread.

The constants are a least-squares fit, of ratios, to the measurements of
``benchmarks/parts/executors.py`` and to the real policies of ``benchmarks/speed/exit.py`` on one
machine (AMD EPYC of 2023, AVX2, float32 rows); those of keys and of single rows were set by hand
from what ``benchmarks/speed/few_rows.py`` measures. Ratios carry over to other machines, times do
not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag.ensemble.ensemble import Ensemble
from mddag.policy.policy import EVAL, SKIP, Policy

# The walk of one small tree, rows taking turns.
WALK_STUMP, WALK_BUSH, BUSH_LEAVES = 3.0, 6.0, 8
WALK_LEVEL, WALK_NOMINAL = 8.0, 25.0  # node by node: twice the leaves are one level more
WALK_DECISION, WALK_DECISION_SCORE = 1.0, 0.7
WALK_LINE, LINE = 12.0, 16  # a row's memory comes in lines of this many values
WALK_COLUMN = 4.0  # a column of stumps that are all evaluated: a step function
# Rows as keys: a column, a set of categories, of one row alone and of tiles of rows. All trees: a
# tree and each of its levels. Some trees of a policy, walked before they are due: likewise, and how
# many of them a row does not need in the end.
KEY_COLUMN, KEY_SET, KEY_SET_OF_TILES, FEW_ROWS = 2.0, 0.1, 0.8, 3
KEY_TREE, KEY_LEVEL = 1.0, 0.52
AHEAD_TREE, AHEAD_LEVEL, AHEAD_UNUSED = 1.0, 1.0, 4.0
# Nodes outside of the nearest caches: time grows so each time that their bytes double.
KEY_FAR, KEY_FAR_OF_TILES, NODE, NEAR_NODES = 0.25, 0.12, 8, 1 << 19
# Of a patch: each pixel of its integral image; a feature among all of them, and one by itself.
WINDOW_PIXEL, WINDOW_FEATURE, LAZY_FEATURE = 1.0, 2.0, 8.0
ONE_CALL = 190.0
# The same among many rows: a stump, a bush, each leaf of a larger tree, a column; each level where
# there are too many leaves or categories, since rows go there one by one.
BLOCK_STUMP, BLOCK_BUSH, BLOCK_LEAF, BLOCK_COLUMN = 0.025, 0.11, 0.03, 2.2
BLOCK_LEVEL, BLOCK_LEAVES, BLOCK_WORDS = 3.5, 256, 64
BLOCK_OBLIVIOUS, BLOCK_OBLIVIOUS_LEVEL, BUSH_DEPTH = 0.25, 0.02, 3  # one split for each level
LOAD_ROW, LOAD_VALUE = 8.0, 0.95  # a row in, and each of its values as a rank
LOAD_SET = 0.1  # a set of categories as a column
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
    walk: float  # time of an evaluation by the walk, node by node
    alone: float  # time of a row by the walk
    tiled: float  # the same for FEW_ROWS and more that go together
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
        n, n_leaves = len(ensemble), ensemble.tables.n_leaves
        nominal, crowded = _nominal(ensemble)
        depth = np.empty(ensemble.n_trees, np.int32)
        oblivious = np.empty(ensemble.n_trees, np.uint8)
        _core.tree_shapes(ensemble.native, depth, oblivious)
        evaluates_all = bool((policy.actions == EVAL).all())
        mean = n if evaluates_all else n / 2 if evaluations is None else evaluations
        steps = min(mean / max(1.0 - _share_of_skips(policy), 1.0 / max(n, 1)), n)
        kinds = nominal > 0, crowded, oblivious > 0
        walk, block = (float(cost.sum()) for cost in _tree_costs(n_leaves, depth, *kinds))
        first, n_splits = _first_reads(ensemble, policy), int((n_leaves - 1).sum())
        n_columns, n_scores = len(first), ensemble.n_scores
        load = LOAD_ROW + LOAD_FAR * max(ensemble.n_features - NEAR, 0)
        load += LOAD_SET * float(nominal.sum())
        columns_alone = bool((n_leaves <= 2).all()) and not nominal.any()
        decision = 0.0 if evaluates_all else 1.0 / policy.every
        fetch = WALK_LINE * min(ensemble.n_features / LINE, mean * n_splits / max(n, 1))
        keys = KEY_COLUMN * n_columns + KEY_SET * float(nominal.sum())
        far = math.log2(1 + len(ensemble.nodes) * NODE / NEAR_NODES)
        if columns_alone and evaluates_all:
            alone = tiled = WALK_COLUMN * n_columns + fetch
        elif evaluates_all:
            trees = float((KEY_TREE + KEY_LEVEL * depth).sum())
            alone = keys + trees * (1 + KEY_FAR * far)
            tiled = trees * (1 + KEY_FAR_OF_TILES * far)
            tiled += KEY_COLUMN * n_columns + KEY_SET_OF_TILES * float(nominal.sum())
        else:
            decided = (WALK_DECISION + WALK_DECISION_SCORE * n_scores) * decision * mean
            if n_leaves.sum() > BUSH_LEAVES * len(n_leaves):
                trees = float((AHEAD_TREE + AHEAD_LEVEL * depth).mean()) * (1 + KEY_FAR * far)
                alone = keys + (mean * len(n_leaves) / n + AHEAD_UNUSED) * trees + decided
            else:
                alone = mean * walk / max(n, 1) + decided + fetch
            tiled = alone
        return cls(
            evaluations=mean,
            steps=steps,
            longest=min(LONGEST * steps, n),
            walk=walk / max(n, 1) + WALK_DECISION * decision,
            alone=alone,
            tiled=tiled,
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
            one=ONE_CALL + alone,
        )

    def by_walk(self, n_rows: int) -> float:
        """Return the time of the walk: of rows as keys, and their trees many levels at once.

        Small trees of a policy are evaluated one by one.
        """
        return n_rows * (self.alone if n_rows < FEW_ROWS else self.tiled)

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
    n_leaves: NDArray[np.int64],
    depth: NDArray[np.int32],
    nominal: NDArray[np.bool_],
    crowded: NDArray[np.bool_],
    oblivious: NDArray[np.bool_],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the time of each tree by the walk, node by node, and among many rows."""
    bush, stump = n_leaves <= BUSH_LEAVES, n_leaves <= 2
    levels = np.log2(np.maximum(n_leaves, BUSH_LEAVES) / BUSH_LEAVES)
    walk = np.where(stump, WALK_STUMP, WALK_BUSH) + WALK_LEVEL * levels
    block = np.where(stump, BLOCK_STUMP, np.where(bush, BLOCK_BUSH, BLOCK_LEAF * n_leaves))
    by_levels = oblivious & (depth > BUSH_DEPTH)
    block = np.where(by_levels, BLOCK_OBLIVIOUS + BLOCK_OBLIVIOUS_LEVEL * depth, block)
    one_by_one = crowded | (n_leaves > BLOCK_LEAVES)
    return np.where(nominal, WALK_NOMINAL, walk), np.where(one_by_one, BLOCK_LEVEL * depth, block)


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


def _nominal(ensemble: Ensemble) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the number of splits by categories of each tree, and whether a set is too long."""
    splits = np.flatnonzero((ensemble.nodes["feature"] >= 0) & (ensemble.nodes["n_words"] > 0))
    trees = np.searchsorted(ensemble.starts, splits, side="right") - 1
    crowded = np.zeros(ensemble.n_trees, bool)
    crowded[trees[ensemble.nodes["n_words"][splits] > BLOCK_WORDS]] = True
    return np.bincount(trees, minlength=ensemble.n_trees), crowded
