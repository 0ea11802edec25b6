"""Rounds: the rounds of AdaBoost.MH (Schapire & Singer 1999), without scikit-learn.

A round with votes h has eps+ (eps-), the weight of its right (wrong) votes, edge = eps+ - eps-,
alpha = 1/2 ln((eps+ + delta) / (eps- + delta)), and w_ik <- w_ik exp(-alpha h_k(x_i) y_ik) / Z.

The weight of a row is its mass (sample weight) times the weight u_ik that one copy of it would
have. Only u is boosted, and it is read as a multiple of 2^-52, so that a row of mass 3 and three
rows of mass 1 give the same sums to the last bit. Sums are integers in units of 2^-60, and
exponentials are taken here, not in the kernels: no result depends on the number of threads.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag._utils.checks import checked_threads, typed
from mddag.ensemble.features import Rows
from mddag.ensemble.nodes import Nodes
from mddag.ensemble.votes import Codes
from mddag.learners.columns import Columns
from mddag.learners.learner import Learner

UNIT = 2.0**-60
MOST_MASS = 26  # up to a sum of 2^26, 2^-52 is small beside the weight of a row


@dataclass(frozen=True, eq=False)
class Scored:
    """Rows that are voted on; the kernels add to the scores in place.

    targets : int8 (n, K), y_ik in {+1, -1}; K = 1 for two classes
    mass    : float64 (n,), their sample weights
    scores  : float64 (n, K), f_k(x_i)
    """

    targets: NDArray[np.int8]
    mass: NDArray[np.float64]
    scores: NDArray[np.float64]
    total: float
    n_threads: int = 1


@dataclass(frozen=True, eq=False, kw_only=True)
class Boosted(Scored):
    """Rows under boosting; the kernels change units and weights in place, too.

    mass    : float64 (n,), the sample weights, scaled by a power of two unless they sum to 1..2^26
    units   : float64 (n, K), u_ik
    weights : float64 (n, K), w_ik = mass_i u_ik, summing to 1
    delta   : keeps alpha finite: 0.01 / the sum of the sample weights as given
    """

    units: NDArray[np.float64]
    weights: NDArray[np.float64]
    delta: float


@dataclass(frozen=True, eq=False)
class Round:
    """What one round brought.

    nodes : the tree, its votes multiplied by alpha
    sums  : int64 (n_leaves, K), the sum of w_ik y_ik in each leaf before the round, times 2^60
    error : share of the mass that all rounds up to this one classify wrongly
    """

    nodes: Nodes
    sums: NDArray[np.int64]
    edge: float
    alpha: float
    error: float
    perfect: bool


def start(
    labels: NDArray[np.intp],
    n_classes: int,
    sample_weight: NDArray[np.float64],
    class_weight: NDArray[np.float64],
    n_threads: int = 1,
) -> Boosted:
    """Rows before the first round: half of a row's weight is on its label, half on the others.

    labels : (n,) in 0..n_classes-1; sample_weight : (n,) > 0; class_weight : (n_classes,) > 0
    """
    total = float(sample_weight.sum())
    exponent = math.frexp(total)[1]
    mass = sample_weight if 1 <= exponent <= MOST_MASS else np.ldexp(sample_weight, 1 - exponent)
    by_class = np.bincount(labels, mass, n_classes) * class_weight
    unit = (class_weight / by_class.sum())[labels, None]
    rows = scored(labels, n_classes, mass, n_threads)
    shares = 1.0 if n_classes == 2 else np.where(rows.targets > 0, 0.5, 0.5 / (n_classes - 1))
    units = np.ascontiguousarray(unit * shares)
    weights = weights_of(mass, units)
    return Boosted(**vars(rows), units=units, weights=weights, delta=0.01 / total)


def weights_of(mass: NDArray[np.float64], units: NDArray[np.float64]) -> NDArray[np.float64]:
    """w_ik = mass_i u_ik, u being read as a multiple of 2^-52, as in reweigh."""
    weights: NDArray[np.float64] = mass[:, None] * np.where(units < 1, (units + 1.0) - 1.0, units)
    return weights


def scored(
    labels: NDArray[np.intp], n_classes: int, mass: NDArray[np.float64], n_threads: int = 1
) -> Scored:
    """Rows of class `labels` (n,) before any vote."""
    targets = targets_of(labels, n_classes)
    return Scored(
        targets, mass, np.zeros(targets.shape), float(mass.sum()), checked_threads(n_threads)
    )


def targets_of(labels: NDArray[np.intp], n_classes: int) -> NDArray[np.int8]:
    """y_ik, int8 (n, K): +1 for the label, -1 for the others; one column for two classes."""
    classes = np.arange(1, 2) if n_classes == 2 else np.arange(n_classes)
    return np.where(labels[:, None] == classes, 1, -1).astype(np.int8)


def rounds(
    boosted: Boosted,
    learner: Learner,
    columns: Columns,
    candidates: Iterator[NDArray[np.intp]] | None = None,
) -> Iterator[Round]:
    """Boost for as long as the learner finds a tree that is better than chance.

    A tree without any error is the last. `candidates` gives the columns open to each round.
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


def play(boosted: Boosted, nodes: Nodes, leaf: Codes, alpha: float | None = None) -> Round | None:
    """Let `nodes`, whose leaves vote ±1, vote with weight `alpha` (by default the best one).

    leaf : (n,), the leaf that each row reaches. None if the votes are no better than chance.
    """
    sums = np.zeros(nodes.votes.shape, np.int64)
    total = _core.sum_by_leaf(leaf, boosted.targets, boosted.weights, sums, boosted.n_threads)
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
        boosted.n_threads,
    )
    weighed = Nodes(nodes.records, alpha * nodes.votes, nodes.words)
    error = vote(boosted, weighed, leaf)
    return Round(weighed, sums, edge * UNIT, alpha, error, wrong == 0)


def vote(rows: Scored, nodes: Nodes, leaf: Codes) -> float:
    """Add the votes of `nodes` to the scores; the share of the mass that is then wrong."""
    wrong = _core.add_votes(leaf, nodes.votes, rows.targets, rows.mass, rows.scores, rows.n_threads)
    return wrong / rows.total


def leaf_codes(nodes: Nodes, rows: Rows, n_threads: int = 1) -> Codes:
    """The leaf of `nodes` that each of `rows` (n, d) reaches, (n,)."""
    codes = np.empty((len(rows), 1), np.min_scalar_type(max(nodes.n_leaves - 1, 0)))
    starts = np.array([0, len(nodes.records)])
    word_starts = np.array([0, len(nodes.words)])
    tree = nodes.records.view(np.uint8), starts, nodes.words, word_starts
    _core.leaf_codes(tree, rows, codes, n_threads)
    return codes.ravel()


def check_votes(nodes: Any, n_scores: int, learner: object) -> None:
    """Refuse what is no tree, and a tree that does not vote ±1 for each score."""
    if not isinstance(nodes, Nodes):
        raise TypeError(f"{learner!r} returned {typed(nodes)}; wanted Nodes")
    votes = nodes.votes
    if votes.shape[1:] != (n_scores,) or np.count_nonzero(votes * votes != 1):
        raise ValueError(
            f"{learner!r} returned leaf votes of shape {votes.shape}, from {votes.min()} to "
            f"{votes.max()}; wanted +1 or -1 for each of {n_scores} score(s)"
        )
