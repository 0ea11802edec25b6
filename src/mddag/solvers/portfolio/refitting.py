"""Refitting: leaf values of a few base classifiers, refitted to held-out rows.

A booster fits each leaf to the rows its tree was grown on, so the values of large trees and of fast
learning rates are overconfident. Splits and bias stay; with z = a f the log-odds, q_i the targets
and m_i the mass of row i, the votes v of all leaves minimize sum_i m_i log-loss(q_i, z(x_i)) +
ridge / 2 |a (v - v_0)|^2, where v_0 are the old votes. A policy that is learned on the rows that
fitted the values would be overconfident too, so these rows get votes by folds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from mddag import _core
from mddag.ensemble.rescaling import Rescaling
from mddag.ensemble.votes import Tables, Votes, starts_of
from mddag.policy.arrangement import Arrangement
from mddag.policy.calibration import fit_factor, sigmoid, softmax
from mddag.policy.mdp import MDP
from mddag.solvers.preparation import with_soft_targets

RIDGE = 15.0  # four rows whose targets are undecided count for one
FOLDS = 5
N_ITERATIONS = 40
Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Refitting:
    """Refitted leaf values for other rows and, by folds, for the rows that fitted them."""

    votes: Votes  # arranged votes of the rows that fit
    tables: Tables  # tables of the votes with the fitted values
    # the same, fitted without each of the folds; row i is in fold i % FOLDS
    by_fold: tuple[Tables, ...]

    @classmethod
    def of(cls, votes: Votes, targets: Vector, mass: Vector) -> Refitting:
        """Fit the leaves of all trees to targets (n, max(K, 2)) of rows with this mass (n,)."""
        fold = np.arange(len(votes)) % FOLDS
        without = [np.flatnonzero(fold != one) for one in range(FOLDS)]
        by_fold = [refitted_tables(votes.rows(r), targets[r], mass[r]) for r in without]
        return cls(votes, refitted_tables(votes, targets, mass), tuple(by_fold))

    def crossed(self) -> Votes:
        """Return the votes of the rows that fitted, each by the values of its fold.

        They are coded as leaves of trees that have the leaves of all folds.
        """
        fold, tables = np.arange(len(self.votes)) % FOLDS, self.by_fold[0]
        codes = self.votes.codes + fold[:, None] * tables.n_leaves
        starts, many = tables.starts, [t.values for t in self.by_fold]
        values = [v[starts[t] : starts[t + 1]] for t in range(tables.n_trees) for v in many]
        tables = replace(
            tables,
            values=np.concatenate([*values, np.empty(0)]),
            starts=starts_of(FOLDS * np.diff(starts)),
        )
        return Votes(codes.astype(tables.code_dtype()), tables)

    def arrangement(self, before: Arrangement, source: Tables) -> Arrangement:
        """Add the fitted values to the arrangement `before` of a source."""
        leaves, fitted = source.values.copy(), self.tables
        for at, t in enumerate(source.trees_of(before.kept).tolist()):
            values = fitted.values[fitted.starts[at] : fitted.starts[at + 1]]
            leaves[source.starts[t] : source.starts[t + 1]] = values
        nothing = np.zeros((source.n_classifiers, source.n_scores))
        rescaling = Rescaling(fitted.bias - source.bias, nothing, leaves=leaves)
        return Arrangement(before.order, rescaling, before.n_steps)


def refitted_tables(votes: Votes, targets: Vector, mass: Vector, ridge: float = RIDGE) -> Tables:
    """Return the tables of votes with leaf values fitted to targets (n, max(K, 2))."""
    return LeafFit(votes, targets, mass).tables(ridge)


class LeafFit:
    """The leaves of all trees as one convex problem in log-odds."""

    def __init__(self, votes: Votes, targets: Vector, mass: Vector) -> None:
        self.votes, self.source, self.mass = votes, votes.tables, mass
        self.factor = fit_factor(votes.scores(), targets, mass)
        self.targets = targets[:, -self.source.n_scores :]

    def tables(self, ridge: float) -> Tables:
        """Return the tables with the fitted values, for one penalty."""
        tables, a = self.source, self.factor
        first = tables.values * a
        # Leaves with many rows are known better: steps in units of what is known converge sooner
        counts = self._by_leaf(np.tile(self.mass[:, None], tables.n_scores))
        unit = 1 / np.sqrt(counts / 4 + ridge)

        def loss_and_slope(step: Vector) -> tuple[float, Vector]:
            off = unit * step
            loss, slope = self._at(first + off)
            return loss + ridge / 2 * float(off @ off), (slope + ridge * off) * unit

        start, options = np.zeros(len(first)), {"maxiter": N_ITERATIONS}
        found = minimize(loss_and_slope, start, jac=True, method="L-BFGS-B", options=options).x
        return replace(tables, values=(first + unit * found) / a)

    def _at(self, values: Vector) -> tuple[float, Vector]:
        """Return the log-loss and its slope at values of all leaves, in log-odds."""
        scores = np.tile(self.source.bias * self.factor, (len(self.votes), 1))
        _core.add_coded_scores((values, *self.source.native[1:]), self.votes.codes, scores)
        single = scores.shape[1] == 1
        p = sigmoid(scores) if single else softmax(scores)
        total = np.logaddexp(0.0, scores[:, 0]) if single else np.logaddexp.reduce(scores, axis=1)
        loss = float(self.mass @ (total - (self.targets * scores).sum(axis=1)))
        return loss, self._by_leaf(self.mass[:, None] * (p - self.targets))

    def _by_leaf(self, numbers: Vector) -> Vector:
        """Sum numbers (n, K) over the rows that reach each leaf, for each of its values."""
        sums = np.zeros(len(self.source.values))
        _core.add_leaf_sums(self.source.native, self.votes.codes, numbers, sums)
        return sums


SIZES = (5, 10, 20, 40)  # base classifiers
MOST_VOTES = 2_000_000  # rows x trees that are fitted: this bounds the time
MOST_FULL_VOTES = 8_000_000  # the same of the full ensemble, which is fitted once


def are_refitted(learning: MDP, selection: MDP) -> bool:
    """Return whether leaves are fitted: of trees, for a binary loss that counts errors.

    With more classes there are K trees for each base classifier, which takes long, and where it was
    tried nothing was gained.
    """
    if learning.n_scores > 1 or learning.of_numbers or learning.loss.prices(2) is None:
        return False
    tables = learning.votes.tables
    return tables is selection.votes.tables and tables.of_trees


def refitted_sizes(mdp: MDP, n_rows: int, every: int = 1) -> list[int]:
    """Return numbers of base classifiers, in whole decisions, that can be fitted in time."""
    each = mdp.votes.tables.n_trees / mdp.n_steps
    whole = dict.fromkeys(-(-size // every) * every for size in SIZES)
    return [m for m in whole if m < mdp.n_steps and m * each * n_rows <= MOST_VOTES]


def refitted(before: Arrangement, mdp: MDP) -> tuple[Arrangement, Votes]:
    """Refit an arrangement to the rows of an MDP; return also cross-fitted votes of these rows.

    Labels, which the booster has not seen, correct its leaf values, so that a few trees err as
    little as many more did before. The targets are the mean of label and full ensemble.
    """
    fitted = Refitting.of(before.votes(mdp.votes), targets(mdp), mdp.mass)
    return fitted.arrangement(before, mdp.votes.tables), fitted.crossed()


def targets(mdp: MDP) -> Vector:
    """Return the mean of labels and full ensemble, (n, max(K, 2)), or soft targets as they are."""
    if mdp.labels.ndim == 2:
        return np.asarray(mdp.labels, np.float64)
    mean = np.asarray(with_soft_targets(mdp).labels, np.float64)
    mean[np.arange(len(mean)), mdp.labels] += 1.0
    return mean / 2


def refitted_scores(learning: MDP, votes: Votes) -> Vector | None:
    """Return the sum of the scores (n, K) of the full ensemble and of the refitted one.

    None if the ensemble is too large to be refitted or targets are soft already.
    """
    if learning.labels.ndim == 2 or learning.votes.codes.size > MOST_FULL_VOTES:
        return None
    labels = np.eye(max(learning.n_scores, 2))[learning.labels]
    tables = refitted_tables(learning.votes, labels, learning.mass)
    scores: Vector = votes.scores() + Votes(votes.codes, tables).scores()
    return scores
