"""Forests, their runs, and ensembles large enough to meet every kernel, for the tests beside."""

import numpy as np

from mddag import _core
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import Features
from mddag.ensemble.nodes import TreeBuilder
from mddag.policy.rollout import IntegerVotes


def forest_of(ensemble, order=None, level=""):
    fixed = IntegerVotes.of(ensemble.tables)
    _, starts, score, rounds, n_scores = ensemble.tables.native
    order = np.arange(ensemble.n_classifiers) if order is None else order
    return _core.Forest(
        ensemble.native,
        (fixed.values, starts, score, rounds, n_scores),
        fixed.bias,
        fixed.unit,
        order.astype(np.int64),
        level,
    )


def sums_of(forest, X, n_scores, n_jobs=1):
    sums = np.empty((len(X), n_scores), np.int32)
    forest.scores(X, sums, n_jobs)
    return sums


def decisions_of(policy, fixed, expected_steps=0):
    edges, n_scores = fixed.edges(policy.grid.edges), policy.grid.n_scores
    covered = policy.n_steps, policy.n_together
    return _core.Decisions(edges, policy.jumps, *covered, n_scores, expected_steps)


def run_of(forest, policy, fixed, X, n_jobs=1, expected_steps=0):
    """Sums and exit steps, through blocks."""
    sums = np.empty((len(X), policy.grid.n_scores), np.int32)
    exit_step = np.empty(len(X), np.int32)
    forest.run_blocks(X, decisions_of(policy, fixed, expected_steps), sums, exit_step, n_jobs)
    return sums, exit_step


def fixed_sums(ensemble, X):
    """The sums by leaf codes and numpy: quick enough for many rows, where the twin is not."""
    fixed, tables = IntegerVotes.of(ensemble.tables), ensemble.tables
    codes = ensemble.votes(X).codes
    sums = np.tile(fixed.bias.astype(np.int64), (len(X), 1))
    for t in range(tables.n_trees):
        votes = fixed.values[tables.starts[t] : tables.starts[t + 1]]
        if tables.score[t] < 0:
            sums += votes.reshape(-1, tables.n_scores)[codes[:, t]]
        else:
            sums[:, tables.score[t]] += votes[codes[:, t]]
    return sums


def random_tree(rng, n_leaves, thresholds, width=1, missing=None):
    """A tree of any shape; split i reads a random feature f at one of thresholds[f]."""

    def split():
        f = int(rng.integers(len(thresholds)))
        goes_left = bool(rng.integers(2)) if missing is None else missing
        return f, float(rng.choice(thresholds[f])), goes_left

    return grown_tree(rng, n_leaves, split, width)


def random_ensemble(rng, n_leaves, thresholds, n_scores=1, wide=False, missing=None):
    """One tree for each number of leaves; `wide` trees vote for all scores."""
    trees = [random_tree(rng, n, thresholds, n_scores if wide else 1, missing) for n in n_leaves]
    score = None if wide else rng.integers(n_scores, size=len(trees))
    return Ensemble.from_trees(
        trees,
        features=Features(len(thresholds)),
        bias=rng.normal(size=n_scores),
        score=score,
    )


def rows_on(rng, thresholds, n_rows, dtype, nan=0.1):
    """Rows on the thresholds, beside them and missing."""
    X = np.empty((n_rows, len(thresholds)), dtype)
    for f, edges in enumerate(thresholds):
        X[:, f] = rng.choice(edges, n_rows)
        beside = np.nextafter(X[:, f], dtype(np.inf) * rng.choice([-1, 1], n_rows).astype(dtype))
        X[:, f] = np.where(rng.random(n_rows) < 0.5, beside, X[:, f])
    X[rng.random(X.shape) < nan] = np.nan
    return X


# Trees of random shape, for tests of kernels.


def grown_tree(rng, n_leaves, split, width=1):
    """A tree of `n_leaves` leaves that vote normal numbers.

    split : gives feature, threshold or categories, and whether NaN goes left, of each split
    """
    tree = TreeBuilder()

    def grow(n):
        if n == 1:
            return tree.leaf(rng.normal(size=width))
        n_left = int(rng.integers(1, n))
        left, right = grow(n_left), grow(n - n_left)
        feature, left_values, missing_left = split()
        add = tree.nominal_split if isinstance(left_values, np.ndarray) else tree.split
        return add(feature, left_values, left, right, missing_left)

    return tree.finish(grow(n_leaves))
