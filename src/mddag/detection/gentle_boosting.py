"""Gentle boosting (Friedman, Hastie & Tibshirani 2000): small trees with graded votes.

In every round a tree is grown for the largest edge, as AdaBoost grows it, and each leaf votes

    h = s (W+ - W-) / (W+ + W-),      w_i <- w_i exp(-y_i h(x_i)),

W+ and W- being the weights of its positives and negatives, s = SHRINKAGE. Votes that differ from
leaf to leaf order windows much better than the two votes of AdaBoost.MH
(docs/research/detector.md), and a leaf that is nearly pure cannot outvote all others, as it does in
real AdaBoost. Each round is open to some of the features alone, drawn at random: it is faster, and
the trees differ more. Trees are grown on the patches that have nearly all of the weight, and vote
on all.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from mddag.ensemble.nodes import Nodes
from mddag.learners.learner import Learner
from mddag.learners.patch_columns import PatchColumns

Floats = NDArray[np.float64]
LEAST_EDGE = 1e-6
SHRINKAGE = 0.5  # smaller votes of more trees generalise better: docs/research/detector.md
TRIMMED = 0.01  # of the weight: that of the lightest patches, on which no tree is grown
TREES_PER_CHOICE = 25  # before it is seen again which these are


def gentle_trees(
    columns: PatchColumns,
    positive: NDArray[np.bool_],
    learner_of: Callable[[int], Learner],
    n_trees: int,
    n_open: int,
    rng: np.random.Generator,
    report: Callable[[int], None] = lambda n_done: None,
) -> list[Nodes]:
    """Up to `n_trees` trees; fewer where no tree is better than chance any more.

    positive   : (n,); both classes begin with half of the weight
    learner_of : the learner of a tree, by its number from 0
    n_open     : features that each round may use
    """
    y = np.where(positive, 1.0, -1.0)
    weights = initial_weights(positive)
    prior = 1.0 / len(positive)  # of each class in each leaf: keeps the votes of small leaves small
    heavy, some = np.arange(len(positive)), columns
    trees: list[Nodes] = []
    for n_done in range(n_trees):
        if n_done and n_done % TREES_PER_CHOICE == 0:
            heavy = heaviest(weights, 1 - TRIMMED)
            some = columns.taken(heavy)
        candidates = rng.choice(columns.n_features, min(n_open, columns.n_features), replace=False)
        share = weights[heavy] / weights[heavy].sum()
        targets = y[heavy, None].astype(np.int8)
        grown = learner_of(n_done).fit(some.restricted(candidates), targets, share[:, None])
        shape = grown if some is columns else _on_all(grown, some, columns)
        leaf = columns.leaf_codes(shape)
        votes = SHRINKAGE * leaf_votes(leaf, positive, weights, shape.n_leaves, prior)
        if shape.n_leaves < 2 or np.abs(votes).max() < LEAST_EDGE:
            break
        trees.append(Nodes(shape.records, votes[:, None], shape.words))
        weights *= np.exp(-y * votes[leaf])
        weights /= weights.sum()
        report(n_done + 1)
    return trees


def heaviest(weights: Floats, share: float) -> NDArray[np.intp]:
    """The fewest rows that have that share of the weight, in order."""
    order = np.argsort(-weights, kind="stable")
    n = int(np.searchsorted(np.cumsum(weights[order]), share * weights.sum())) + 1
    return np.sort(order[:n])


def _on_all(grown: Nodes, some: PatchColumns, columns: PatchColumns) -> Nodes:
    """The tree with thresholds halfway between values of all patches, not of some."""
    records = grown.records.copy()
    for record in records:
        feature = int(record["feature"])
        if feature >= 0:
            cut = some.found[feature, float(record["threshold"])]
            record["threshold"] = columns.threshold(feature, cut)
    return Nodes(records, grown.votes, grown.words)


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
