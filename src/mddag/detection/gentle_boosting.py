"""Gentle boosting (Friedman, Hastie & Tibshirani 2000): small trees with graded votes.

In every round a tree is grown for the largest edge, as AdaBoost grows it, and each leaf votes

    h = (W+ - W-) / (W+ + W-),      w_i <- w_i exp(-y_i h(x_i)),

W+ and W- being the weights of its positives and negatives. Votes in [-1, 1] that differ from leaf
to leaf order windows much better than the two votes of AdaBoost.MH (docs/research/detector.md), and
a leaf that is nearly pure cannot outvote all others, as it does in real AdaBoost. Each round is
open to some of the features alone, drawn at random: it is faster, and the trees differ more.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from mddag.ensemble.nodes import Nodes
from mddag.learners.columns import Columns
from mddag.learners.learner import Learner

Floats = NDArray[np.float64]
LEAST_EDGE = 1e-6


def gentle_trees(
    columns: Columns,
    positive: NDArray[np.bool_],
    learner: Learner,
    n_trees: int,
    n_open: int,
    rng: np.random.Generator,
    report: Callable[[int], None] = lambda n_done: None,
) -> list[Nodes]:
    """Up to `n_trees` trees; fewer where no tree is better than chance any more.

    positive : (n,); both classes begin with half of the weight
    n_open   : features that each round may use
    """
    targets = np.where(positive, 1, -1).astype(np.int8)[:, None]
    weights = initial_weights(positive)
    prior = 1.0 / len(positive)  # of each class in each leaf: keeps the votes of small leaves small
    trees: list[Nodes] = []
    for n_done in range(n_trees):
        candidates = rng.choice(columns.n_features, min(n_open, columns.n_features), replace=False)
        shape = learner.fit(columns.restricted(candidates), targets, weights[:, None])
        leaf = columns.leaf_codes(shape)
        votes = leaf_votes(leaf, positive, weights, shape.n_leaves, prior)
        if np.abs(votes).max() < LEAST_EDGE:
            break
        trees.append(Nodes(shape.records, votes[:, None], shape.words))
        weights *= np.exp(-targets[:, 0] * votes[leaf])
        weights /= weights.sum()
        report(n_done + 1)
    return trees


def initial_weights(positive: NDArray[np.bool_]) -> Floats:
    """Weights (n,) by which both classes weigh one half."""
    shares = np.where(positive, 0.5 / positive.sum(), 0.5 / (~positive).sum())
    return np.asarray(shares / shares.sum())


def leaf_votes(
    leaf: NDArray[np.unsignedinteger],
    positive: NDArray[np.bool_],
    weights: Floats,
    n_leaves: int,
    prior: float,
) -> Floats:
    """(W+ - W-) / (W+ + W- + prior) of each leaf, (n_leaves,)."""
    of_positives = np.bincount(leaf[positive], weights[positive], n_leaves)
    of_negatives = np.bincount(leaf[~positive], weights[~positive], n_leaves)
    return np.asarray((of_positives - of_negatives) / (of_positives + of_negatives + prior))
