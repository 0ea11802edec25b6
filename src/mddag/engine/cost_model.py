"""Cost model: what each executor is expected to take for a batch, in nanoseconds of one thread.

The constants are a least-squares fit, of ratios, to the measurements of
``benchmarks/parts/executors.py`` and to the real policies of ``benchmarks/speed/exit.py`` on one
machine (AMD EPYC of 2023, AVX2, float32 rows); those of keys and of single rows were set by hand
from calls on 1 to 1,000 rows. Ratios carry over to other machines, times do not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag.ensemble.ensemble import Ensemble
from mddag.policy.grid import Grid
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


@dataclass(frozen=True, eq=False)
class TreeTimes:
    """What the base classifiers of an ensemble take one by one, and what they read."""

    walk: NDArray[np.float64]  # (N,): node by node, or all comparisons of a bush at once
    ahead: NDArray[np.float64]  # (N,): as keys, walked before it is due
    keys: NDArray[np.float64]  # (N,): as keys, everything evaluated
    block: NDArray[np.float64]  # (N,): among many rows
    n_leaves: NDArray[np.int64]  # (N,)
    n_trees: NDArray[np.int64]  # (N,)
    sets: NDArray[np.int64]  # (N,): splits by categories
    columns: NDArray[np.int64]  # (n_pairs,): pairs of a column
    readers: NDArray[np.int64]  # (n_pairs,): and a base classifier that reads it
    stumps: bool  # whether no tree has more than two leaves, and none a set

    @classmethod
    def of(cls, ensemble: Ensemble) -> TreeTimes:
        """Return those of an ensemble, which are computed once; of callables nothing is known."""
        if (known := _KNOWN.get(ensemble)) is None:
            known = _KNOWN[ensemble] = cls._made(ensemble)
        return known

    @classmethod
    def _made(cls, ensemble: Ensemble) -> TreeTimes:
        n_leaves, rounds = ensemble.tables.n_leaves, ensemble.tables.rounds
        nominal, crowded = _nominal(ensemble)
        depth = np.empty(ensemble.n_trees, np.int32)
        oblivious = np.empty(ensemble.n_trees, np.uint8)
        _core.tree_shapes(ensemble.native, depth, oblivious)
        kinds = nominal > 0, crowded, oblivious > 0
        walk, block = _tree_costs(n_leaves, depth, *kinds)
        far = 1 + KEY_FAR * math.log2(1 + len(ensemble.nodes) * NODE / NEAR_NODES)

        of = np.repeat(np.arange(len(ensemble)), np.diff(rounds))

        def by_classifier(of_tree: Any) -> Any:
            sums = np.bincount(of, of_tree, minlength=len(ensemble))
            return sums.astype(of_tree.dtype)

        node = np.flatnonzero(ensemble.nodes["feature"] >= 0)
        of_tree = np.searchsorted(ensemble.starts, node, side="right") - 1
        n_columns = max(ensemble.n_features, 1)
        pairs = np.unique(of[of_tree] * n_columns + ensemble.nodes["feature"][node])
        return cls(
            walk=by_classifier(walk),
            ahead=by_classifier(AHEAD_TREE + AHEAD_LEVEL * depth) * far,
            keys=by_classifier(KEY_TREE + KEY_LEVEL * depth),
            block=by_classifier(block),
            n_leaves=by_classifier(n_leaves),
            n_trees=by_classifier(np.ones(ensemble.n_trees, np.int64)),
            sets=by_classifier(nominal),
            columns=pairs % n_columns,
            readers=pairs // n_columns,
            stumps=bool((n_leaves <= 2).all()) and not nominal.any(),
        )

    def first_reads(self, order: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the step at which each column that a tree reads is first read."""
        step = np.full(len(self.walk), len(order))
        step[order] = np.arange(len(order))
        # of a billion columns few are read, so memory goes by those
        columns, at = np.unique(self.columns, return_inverse=True)
        first = np.full(len(columns), len(order))
        np.minimum.at(first, at, step[self.readers])
        return first[first < len(order)]


_KNOWN: WeakKeyDictionary[Ensemble, TreeTimes] = WeakKeyDictionary()


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
        """Estimate the costs of what some row may reach; `evaluations` is half of it if unknown."""
        times, n = TreeTimes.of(ensemble), policy.n_reached
        order = policy.order[:n]
        actions = policy.actions[: -(-n // policy.every)]
        evaluates_all = bool((actions == EVAL).all())
        mean = n if evaluates_all else n / 2 if evaluations is None else evaluations
        # The share of the decisions that go on which skip, all cells counting alike.
        n_eval, n_skip = (int((actions == action).sum()) for action in (EVAL, SKIP))
        skips = n_skip / max(n_eval + n_skip, 1)
        steps = min(mean / max(1.0 - skips, 1.0 / max(n, 1)), n)
        n_leaves, n_trees = int(times.n_leaves[order].sum()), int(times.n_trees[order].sum())
        n_sets, n_splits = float(times.sets[order].sum()), n_leaves - n_trees
        walk, block = float(times.walk[order].sum()), float(times.block[order].sum())
        first = times.first_reads(order)
        n_columns, n_scores = len(first), ensemble.n_scores
        load = _load_row(ensemble, n_sets)
        decision = 0.0 if evaluates_all else 1.0 / policy.every
        fetch = WALK_LINE * min(ensemble.n_features / LINE, mean * n_splits / max(n, 1))
        keys = KEY_COLUMN * n_columns + KEY_SET * n_sets
        far = math.log2(1 + (2 * n_leaves - n_trees) * NODE / NEAR_NODES)
        if times.stumps and evaluates_all:
            alone = tiled = WALK_COLUMN * n_columns + fetch
        elif evaluates_all:
            trees = float(times.keys[order].sum())
            alone = keys + trees * (1 + KEY_FAR * far)
            tiled = trees * (1 + KEY_FAR_OF_TILES * far)
            tiled += KEY_COLUMN * n_columns + KEY_SET_OF_TILES * n_sets
        else:
            decided = (WALK_DECISION + WALK_DECISION_SCORE * n_scores) * decision * mean
            if n_leaves > BUSH_LEAVES * n_trees:
                ahead = float(times.ahead[order].sum())
                alone = keys + mean * ahead / n + AHEAD_UNUSED * ahead / n_trees + decided
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
            skipping=SKIPPING * n_scores * decision if skips > 0 else 0.0,
            n_scores=n_scores,
            load=load + _load_values(first, steps, policy.every),
            all=BLOCK_COLUMN * n_columns if times.stumps else load + LOAD_VALUE * n_columns + block,
            block_rows=_block_rows(n_columns),
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

    def by_steps(self, n_rows: int) -> float:
        """Return the number of evaluations, as the time of a callable is not known."""
        return n_rows * self.evaluations


RowsAtATime = Literal["one", "batch"]


@dataclass(frozen=True)
class StepNanoseconds:
    """Expected nanoseconds of one row under sparse policies, step by step.

    A row that decides every `every` steps takes ``fixed`` and the sum of ``steps(every)`` over the
    base classifiers that it evaluates. `expected_nanoseconds` knows more of a given policy.
    """

    fixed: float  # what any row takes, its call and what is walked in vain included
    trees: NDArray[np.float64]  # (N,): evaluating each base classifier, in the ensemble's order
    decision: float  # looking at a row once
    everything: float  # a row of the full ensemble, which needs no decisions

    def steps(self, every: int = 1) -> NDArray[np.float64]:
        """Return prices of the base classifiers (N,), such as MDP takes."""
        return self.trees + self.decision / every


def step_nanoseconds(ensemble: Ensemble, rows: RowsAtATime) -> StepNanoseconds:
    """Return what steps take of a row that comes alone, or in a large batch."""
    if ensemble.callables:
        raise TypeError("the base classifiers are callables, whose time is not known")
    times, n_scores = TreeTimes.of(ensemble), ensemble.n_scores
    n_columns, n_sets = len(np.unique(times.columns)), float(times.sets.sum())
    everything = Policy.constant(EVAL, len(ensemble), Grid(np.empty(0), n_scores))
    full = expected_nanoseconds(ensemble, everything, None, rows)
    n_trees = times.n_trees.sum()
    bushes = times.n_leaves.sum() <= BUSH_LEAVES * n_trees
    looks = WALK_DECISION + WALK_DECISION_SCORE * n_scores
    if bushes:
        unread = WALK_LINE * ensemble.n_features / LINE
        alone = StepNanoseconds(unread, times.walk, looks, full)
    else:
        keys = KEY_COLUMN * n_columns + KEY_SET * n_sets
        keys += AHEAD_UNUSED * float(times.ahead.sum()) / n_trees
        alone = StepNanoseconds(keys, times.ahead, looks, full)
    if rows == "one":
        return replace(alone, fixed=ONE_CALL + alone.fixed)
    longest = LONGEST / _block_rows(n_columns)  # the longest row of a block passes more steps
    blocks = StepNanoseconds(
        _load_row(ensemble, n_sets) + (LOAD_VALUE + PACK_VALUE) * n_columns,
        COMPACTION * times.block + longest * (STEP + STEP_ROWS * times.block),
        DECISION + DECISION_SCORE * n_scores + longest * STEP_DECISION,
        full,
    )
    few = len(ensemble) / 8  # evaluations, by which the executor is chosen
    return min(alone, blocks, key=lambda by: by.fixed + few * by.steps(16).mean())


def expected_nanoseconds(
    ensemble: Ensemble, policy: Policy, evaluations: float | None, rows: RowsAtATime
) -> float:
    """Return the expected nanoseconds of a row, by the executor that ``compile`` would choose.

    `evaluations` is the mean number that rows need; None where all rows evaluate all.
    """
    costs = Costs.of(ensemble, policy, evaluations)
    if rows == "one":
        return costs.one
    by = [costs.by_walk, costs.by_blocks]
    if (policy.actions[: -(-policy.n_reached // policy.every)] == EVAL).all():
        by.append(costs.by_all)
    return min(cost(MANY_ROWS) for cost in by) / MANY_ROWS


def _block_rows(n_columns: int) -> int:
    """Return the number of rows that are evaluated together and leave when they can."""
    return min(MOST_ROWS, max(MOST_ROWS // 4, BLOCK_RANKS // (n_columns + 1)))


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


def _load_row(ensemble: Ensemble, n_sets: float) -> float:
    """Return the time that a row among many takes before any of its values is a rank."""
    far = LOAD_FAR * max(ensemble.n_features - NEAR, 0)
    return LOAD_ROW + far + LOAD_SET * n_sets


def _load_values(first: NDArray[np.int64], steps: float, every: int) -> float:
    """Return the time to load a row that passes this many steps on average.

    As many rows are taken to leave at one step as at another.
    """
    at_once = first < max(steps, every)
    gets_there = np.exp(-first / max(steps, 1.0))
    packed = PACK_VALUE * len(first)
    return float(np.where(at_once, LOAD_VALUE, LATER_VALUE * gets_there).sum() + packed)


def _nominal(ensemble: Ensemble) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the number of splits by categories of each tree, and whether a set is too long."""
    splits = np.flatnonzero((ensemble.nodes["feature"] >= 0) & (ensemble.nodes["n_words"] > 0))
    trees = np.searchsorted(ensemble.starts, splits, side="right") - 1
    crowded = np.zeros(ensemble.n_trees, bool)
    crowded[trees[ensemble.nodes["n_words"][splits] > BLOCK_WORDS]] = True
    return np.bincount(trees, minlength=ensemble.n_trees), crowded
