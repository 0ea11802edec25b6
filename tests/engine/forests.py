"""Forests and their runs, for the tests beside."""

import numpy as np

from mddag import _core
from mddag.fixed_point import FixedPoint


def forest_of(ensemble, order=None, portable=False):
    fixed = FixedPoint.of(ensemble.tables)
    _, starts, score, rounds, n_scores = ensemble.tables.native
    order = np.arange(ensemble.n_classifiers) if order is None else order
    return _core.Forest(
        ensemble.native,
        (fixed.values, starts, score, rounds, n_scores),
        fixed.bias,
        fixed.unit,
        order.astype(np.int64),
        portable,
    )


def sums_of(forest, X, n_scores, n_threads=1):
    sums = np.empty((len(X), n_scores), np.int32)
    forest.scores(X, sums, n_threads)
    return sums


def decisions_of(policy, fixed):
    return _core.Decisions(
        fixed.edges(policy.grid.edges), policy.next, policy.every, policy.grid.n_scores
    )


def run_of(forest, policy, fixed, X, n_threads=1):
    """Sums, exit steps and numbers of evaluations, through blocks."""
    sums = np.empty((len(X), policy.grid.n_scores), np.int32)
    exit_step, n_evaluated = np.empty(len(X), np.int32), np.empty(len(X), np.int32)
    forest.run_blocks(X, decisions_of(policy, fixed), sums, exit_step, n_evaluated, n_threads)
    return sums, exit_step, n_evaluated
