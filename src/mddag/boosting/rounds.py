"""The rounds of AdaBoost.MH (Schapire & Singer 1999), without scikit-learn.

A round with votes h has eps+ (eps-), the weight of its right (wrong) votes, edge = eps+ - eps-,
alpha = 1/2 ln((eps+ + delta) / (eps- + delta)), and w_ik <- w_ik exp(-alpha h_k(x_i) y_ik) / Z. A
weight is the sample weight times u_ik, the weight of one copy of the row; only u is boosted, as a
multiple of 2^-52, so that a row of weight 3 and three rows of weight 1 give the same sums to the
last bit. Sums are integers in units of 2^-60: no result depends on the number of threads.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag._utils.checks import checked_jobs, typed
from mddag.ensemble.nodes import Nodes
from mddag.ensemble.votes import Codes
from mddag.learners.columns import Columns
from mddag.learners.learner import Learner

UNIT = 2.0**-60
MOST_MASS = 26  # up to a sum of 2^26, 2^-52 is small compared with the weight of a row


@dataclass(frozen=True, eq=False)
class VotedRows:
    """Rows that are voted on; the kernels add to the scores in place."""

    targets: NDArray[np.int8]  # (n, K), y_ik in {+1, -1}; K = 1 for binary problems
    mass: NDArray[np.float64]  # (n,), sample weights
    scores: NDArray[np.float64]  # (n, K), f_k(x_i)
    total: float  # sum of the sample weights
    n_jobs: int = 1  # number of threads


@dataclass(frozen=True, eq=False, kw_only=True)
class BoostedRows(VotedRows):
    """Rows under boosting; the kernels change units and weights in place, too."""

    units: NDArray[np.float64]  # (n, K), u_ik
    # (n, K), w_ik = mass_i u_ik, summing to 1. `mass` is scaled by a power of two unless it sums
    # to 1 … 2^26
    weights: NDArray[np.float64]
    delta: float  # 0.01 / the sum of the sample weights as given; keeps alpha finite


@dataclass(frozen=True, eq=False)
class BoostingRound:
    """Result of one round."""

    nodes: Nodes  # the tree, its votes multiplied by alpha
    # (n_leaves, K), sum of w_ik y_ik in each leaf before the round, times 2^60
    sums: NDArray[np.int64]
    edge: float
    alpha: float
    error: float  # share of the mass that all rounds so far misclassify
    perfect: bool  # whether the tree has no error


def start(
    labels: NDArray[np.intp],
    n_classes: int,
    sample_weight: NDArray[np.float64],
    class_weight: NDArray[np.float64],
    n_jobs: int = 1,
) -> BoostedRows:
    """Return the rows before the first round: half of a row's weight is on its label.

    The other half is on the other labels. `labels` (n,) are in 0 … n_classes - 1; `sample_weight`
    (n,) and `class_weight` (n_classes,) are positive.
    """
    total = float(sample_weight.sum())
    exponent = math.frexp(total)[1]
    mass = sample_weight if 1 <= exponent <= MOST_MASS else np.ldexp(sample_weight, 1 - exponent)
    by_class = np.bincount(labels, mass, n_classes) * class_weight
    unit = (class_weight / by_class.sum())[labels, None]
    rows = scored(labels, n_classes, mass, n_jobs)
    shares = 1.0 if n_classes == 2 else np.where(rows.targets > 0, 0.5, 0.5 / (n_classes - 1))
    units = np.ascontiguousarray(unit * shares)
    # u is read as a multiple of 2^-52, as in reweigh
    weights = mass[:, None] * np.where(units < 1, (units + 1.0) - 1.0, units)
    return BoostedRows(**vars(rows), units=units, weights=weights, delta=0.01 / total)


def scored(
    labels: NDArray[np.intp], n_classes: int, mass: NDArray[np.float64], n_jobs: int = 1
) -> VotedRows:
    """Return rows of class `labels` (n,) before any vote; binary problems have one column."""
    classes = np.arange(1, 2) if n_classes == 2 else np.arange(n_classes)
    targets = np.where(labels[:, None] == classes, 1, -1).astype(np.int8)
    return VotedRows(
        targets, mass, np.zeros(targets.shape), float(mass.sum()), checked_jobs(n_jobs)
    )


def rounds(
    boosted: BoostedRows,
    learner: Learner,
    columns: Columns,
    candidates: Iterator[NDArray[np.intp]] | None = None,
) -> Iterator[BoostingRound]:
    """Boost for as long as the learner finds a tree that is better than chance.

    A tree without any error is the last. `candidates` yields the columns open to each round.
    """
    while True:
        open_columns = columns if candidates is None else columns.restricted(next(candidates))
        nodes = learner.fit(open_columns, boosted.targets, boosted.weights)
        check_votes(nodes, boosted.targets.shape[1], learner)
        played = play(boosted, nodes, columns.leaf_codes(nodes))
        if played is None:
            return
        yield played
        if played.perfect:
            return


def play(
    boosted: BoostedRows, nodes: Nodes, leaf: Codes, alpha: float | None = None
) -> BoostingRound | None:
    """Let `nodes`, whose leaves vote ±1, vote with weight `alpha` (by default the best one).

    `leaf` (n,) is the leaf that each row reaches. Return None if the votes are no better than
    chance.
    """
    sums = np.zeros(nodes.votes.shape, np.int64)
    total = _core.sum_by_leaf(leaf, boosted.targets, boosted.weights, sums, boosted.n_jobs)
    edge = int(np.vdot(nodes.votes.astype(np.int64), sums))
    right, wrong = (total + edge) // 2 * UNIT, (total - edge) // 2 * UNIT
    if alpha is None:
        alpha = 0.5 * math.log((right + boosted.delta) / (wrong + boosted.delta))
        if alpha <= 0:
            return None
    z = right * math.exp(-alpha) + wrong * math.exp(alpha)
    _core.reweigh(
        leaf,
        nodes.votes,
        boosted.targets,
        boosted.mass,
        math.exp(-alpha) / z,
        math.exp(alpha) / z,
        boosted.units,
        boosted.weights,
        boosted.n_jobs,
    )
    weighed = Nodes(nodes.records, alpha * nodes.votes, nodes.words)
    error = vote(boosted, weighed, leaf)
    return BoostingRound(weighed, sums, edge * UNIT, alpha, error, wrong == 0)


def vote(rows: VotedRows, nodes: Nodes, leaf: Codes) -> float:
    """Add the votes of `nodes` to the scores; return the share of the mass that is then wrong."""
    wrong = _core.add_votes(leaf, nodes.votes, rows.targets, rows.mass, rows.scores, rows.n_jobs)
    return wrong / rows.total


def check_votes(nodes: Any, n_scores: int, learner: object) -> None:
    """Raise an error unless `nodes` is a tree that votes ±1 for each score."""
    if not isinstance(nodes, Nodes):
        raise TypeError(f"{learner!r} returned {typed(nodes)}; wanted Nodes")
    votes = nodes.votes
    if votes.shape[1:] != (n_scores,) or np.count_nonzero(votes * votes != 1):
        raise ValueError(
            f"{learner!r} returned leaf votes of shape {votes.shape}, from {votes.min()} to "
            f"{votes.max()}; wanted +1 or -1 for each of {n_scores} score(s)"
        )
