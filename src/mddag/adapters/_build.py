"""From flat trees to an Ensemble: where the prior goes, and two scores of one decision as one.

The prior belongs into ``bias``, so that an instance that skips h_1 keeps it. A two-class model with
two scores becomes binary by f = f_1 - f_0.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag.adapters._tree_arrays import TreeArrays
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.tasks import TASKS
from mddag.ensemble.tasks.task import Kind
from mddag.features.features import Features


def centred(
    flat: TreeArrays, score: NDArray[np.int32], n_scores: int, n_trees: int | None = None
) -> tuple[TreeArrays, NDArray[np.float64]]:
    """Move the mean votes of the first `n_trees` trees (all by default) into a bias (K,)."""
    means = flat.mean_votes()
    means[n_trees:] = 0.0
    return flat.minus(means), _summed(means, score, n_scores)


def averaged(
    flat: TreeArrays, score: NDArray[np.int32], n_scores: int, n_rounds: int
) -> tuple[TreeArrays, NDArray[np.float64]]:
    """Divide the votes by the number of rounds and move every tree's mean vote into a bias (K,).

    All numbers become multiples of 2^-40 of the largest vote, which add up exactly in any order:
    rows on which a forest is undecided (p = 1/2) stay exact ties, which go to the first class, as
    the argmax of the source does.
    """
    largest = float(np.abs(flat.votes).max(initial=0.0))
    grain = 2.0 ** (np.ceil(np.log2(largest)) - 40) if largest > 0 else 1.0
    flat = replace(flat, votes=np.rint(flat.votes / n_rounds / grain) * grain)
    means = np.rint(flat.mean_votes() / grain) * grain
    return flat.minus(means), _summed(means, score, n_scores)


def build(
    flat: TreeArrays,
    *,
    features: Features,
    bias: ArrayLike,
    kind: Kind,
    score: NDArray[np.int32] | None = None,
    rounds: ArrayLike | None = None,
    order: NDArray[np.intp] | None = None,
    classes: ArrayLike | None = None,
) -> Ensemble:
    """The Ensemble of `flat`; `order` gives the trees in the order of their rounds."""
    bias = np.atleast_1d(np.asarray(bias, np.float64))
    if score is None:
        score = np.full(flat.n_trees, -1 if len(bias) > 1 else 0, np.int32)
    if TASKS[kind].predicts_classes and len(bias) == 2:
        flat, bias, score = _one_score(flat, bias, score)
    trees = flat.trees()
    if order is not None:
        trees, score = [trees[t] for t in order], score[order]
    return Ensemble.from_trees(
        trees,
        features=features,
        bias=bias,
        score=score,
        rounds=rounds,
        classes=TASKS[kind].labels(classes, len(bias)),
        kind=kind,
    )


def _one_score(
    flat: TreeArrays, bias: NDArray[np.float64], score: NDArray[np.int32]
) -> tuple[TreeArrays, NDArray[np.float64], NDArray[np.int32]]:
    if flat.votes.shape[1] == 2:
        votes = flat.votes[:, 1:] - flat.votes[:, :1]
    else:
        sign = np.where(score == 1, 1.0, -1.0)
        votes = flat.votes * np.repeat(sign, np.diff(flat.leaf_starts))[:, None]
    return replace(flat, votes=votes), bias[1:] - bias[:1], np.zeros_like(score)


def _summed(
    means: NDArray[np.float64], score: NDArray[np.int32], n_scores: int
) -> NDArray[np.float64]:
    if means.shape[1] == n_scores and n_scores > 1:
        return np.asarray(means.sum(axis=0))
    sums = np.zeros(n_scores)
    np.add.at(sums, score, means[:, 0])
    return sums
