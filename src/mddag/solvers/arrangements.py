"""Rows of a portfolio in each of the arrangements of base classifiers that it tries.

An arrangement is an order of the base classifiers, of all or of a few that stand for all, with
constants and weights (``mddag.policy``) or refitted leaf values (`Refitting`). The rows of only
one arrangement are kept at a time: votes fill memory.

Under log-loss the full score alone is a poor target where boosting has gone on for too long, since
every step towards it looks like a gain. So targets are those of a mixture of partial scores, z =
w_1 a_8 f^(8) + w_2 a_32 f^(32) + w_3 a_128 f^(128) + w_4 a_N F, where a_m f^(m) are log-odds and
the weights w are fitted to labels by penalized likelihood. For other losses a condensation follows
z with non-negative weights: an ensemble that was stopped early would have targets beyond F, which
few base classifiers do not reach.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from mddag import _core
from mddag._utils.arrays import mass, spaced_rows
from mddag.ensemble.rescaling import Rescaling
from mddag.ensemble.votes import Tables, Votes, partial_sums, starts_of
from mddag.policy.arrangement import MAX_ROWS, Arrangement, Condensation, arranged
from mddag.policy.calibration import fit_factor, probabilities, sigmoid, smoothed, softmax
from mddag.policy.grid import Grid
from mddag.policy.mdp import MDP
from mddag.solvers.candidates import ArrangedRows, LossEstimator
from mddag.solvers.solver import with_soft_targets


@dataclass(frozen=True, eq=False)
class RowSubset:
    """Some rows of an MDP, all by default, with labels of their own or those of the MDP."""

    whole: MDP
    index: NDArray[np.intp] | None = None
    labels: NDArray[Any] | None = None

    def __len__(self) -> int:
        return self.whole.n_rows if self.index is None else len(self.index)

    def at_most(self, n_rows: int | None) -> RowSubset:
        """Return at most `n_rows` of them, evenly spaced."""
        if n_rows is None or len(self) <= n_rows:
            return self
        return self.taken(spaced_rows(len(self), n_rows))

    def taken(self, some: NDArray[np.intp]) -> RowSubset:
        """Select some of these rows."""
        labels = None if self.labels is None else self.labels[some]
        return replace(self, index=some if self.index is None else self.index[some], labels=labels)

    @property
    def weight(self) -> NDArray[np.float64]:
        """Weights of these rows, (n,)."""
        return self.whole.weight if self.index is None else self.whole.weight[self.index]

    def mdp(self) -> MDP:
        """Return the MDP of these rows alone."""
        rows = self.whole if self.index is None else self.whole.rows(self.index)
        return rows if self.labels is None else rows.with_labels(self.labels)


@dataclass(frozen=True, eq=False)
class ArrangementRule:
    """How an arrangement is made: an ordering of all base classifiers or of `size` of them."""

    ordering: Any
    size: int | None = None
    refits: bool = False  # whether leaf values are refitted to the rows for learning

    def __repr__(self) -> str:
        of = "" if self.size is None else f" of {self.size}"
        return f"{self.ordering!r}{of}{', refitted' if self.refits else ''}"


class RowsByArrangement:
    """The rows in each arrangement, made on demand."""

    def __init__(self, learning: RowSubset, selection: RowSubset, n_jobs: int = 1) -> None:
        self.learning, self.selection, self.n_jobs = learning, selection, n_jobs
        # whether condensed arrangements follow log-odds
        self.by_log_odds = learning.whole.loss.of_probabilities and learning.whole.n_scores == 1
        self.joins = self.by_log_odds and are_coded_alike(
            learning.whole.votes, selection.whole.votes
        )
        self.full = selection.mdp().votes.scores()
        self.soft_scores: NDArray[np.float64] | None = None
        if are_refitted(learning.whole, selection.whole):
            self.soft_scores = refitted_scores(learning.mdp(), selection.mdp().votes)
        self.made: tuple[ArrangementRule, ArrangedRows] | None = None
        self.condensation: Condensation | None = None

    def of(self, rule: ArrangementRule) -> ArrangedRows:
        """Return the rows in the arrangement of one rule."""
        if self.made is None or self.made[0] is not rule:
            self.made = None  # they come one after the other; two would cost memory
            self.made = rule, self._arranged(rule)
        return self.made[1]

    def _arranged(self, rule: ArrangementRule) -> ArrangedRows:
        arrangement = self._arrangement(rule)
        by_fold: Votes | None = None
        if rule.refits:
            arrangement, by_fold = refitted(arrangement, self.learning.mdp())
        mdp = self.learning.mdp().arranged(arrangement)  # after it, or copies would add up
        if by_fold is not None:
            mdp.votes = by_fold
        grid = Grid.quantile(mdp.votes, weight=mdp.weight)
        mdp = mdp.on_grid(grid)
        selection = self.selection.mdp().arranged(arrangement, grid)
        if mdp.loss.of_probabilities:
            factors = exit_factors(mdp)
            mdp, selection = mdp.read_by(factors), selection.read_by(factors)
        estimator = LossEstimator(selection, self.full, self.soft_scores, n_jobs=self.n_jobs)
        return ArrangedRows(repr(rule), arrangement, mdp, estimator)

    def _to_arrange(self, ordering: Any) -> tuple[MDP, NDArray[np.intp]]:
        """Return the rows that an arrangement uses (others would be copied), and their numbers."""
        most = max(MAX_ROWS, getattr(ordering, "max_rows", 0)) // self.learning.whole.n_scores
        n_learning = len(self.learning)
        n = n_learning + len(self.selection) if self.joins else n_learning
        rows = spaced_rows(n, max(most, 1))
        learning = self.learning.taken(rows[rows < n_learning]).mdp()
        if not self.joins:
            return learning, rows
        selection = self.selection.taken(rows[rows >= n_learning] - n_learning)
        return joined_rows(learning, selection.mdp()), rows

    def _arrangement(self, rule: ArrangementRule) -> Arrangement:
        size, made, wanted = rule.size, self.condensation, None
        condenses = size is not None and (made is None or size > len(made.chosen))
        if condenses and not self.by_log_odds:  # of all rows, before some are copied
            wanted = self._mixture()
        mdp, rows = self._to_arrange(rule.ordering)
        if size is None:
            return arranged(rule.ordering, mdp.votes, mdp.costs, mdp.weight)
        if condenses and self.by_log_odds:
            made = condensed(mdp, size, self._n_equal_rows())
        elif condenses:
            focus = 0.0 if mdp.of_numbers else 1.0
            wanted = wanted if wanted is None else wanted[rows]
            made = Condensation.of(mdp.votes, size, mdp.costs, mdp.weight, focus, wanted=wanted)
        assert made is not None
        self.condensation, few = made, made.arrangement(size)
        votes, costs = few.votes(mdp.votes), mdp.costs[few.kept]
        return few.then(arranged(rule.ordering, votes, costs, mdp.weight))

    def _mixture(self) -> Vector | None:
        """Return what a condensation follows on all rows for learning; None for the full score."""
        mdp = self.learning.mdp()
        return mixture_scores(mdp) if mdp.labels.ndim == 1 and not mdp.of_numbers else None

    def _n_equal_rows(self) -> float:
        """Return the effective number of rows to arrange if none were left out."""
        parts = (self.learning, self.selection) if self.joins else (self.learning,)
        return float(mass(np.concatenate([part.weight for part in parts])).sum())


LENGTHS = (8, 32, 128)  # and N
PRIOR = 10.0  # rows that the penalty counts for

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]


def mixture_shares(learning: MDP, selection: MDP) -> tuple[Matrix, Matrix]:
    """Return the probabilities of z, (n, n_classes), of both; z is fitted to the first alone."""
    stages = _stages(learning.votes)
    weights, factors = _fitted(learning, stages)
    scale = weights * factors
    learned, selected = (
        probabilities(np.tensordot(scale, s, axes=1), 1.0)
        for s in (stages, _stages(selection.votes))
    )
    return learned, selected


def mixture_scores(mdp: MDP) -> Matrix:
    """Return z in units of the full scores, (n, K), with non-negative weights."""
    stages = _stages(mdp.votes)
    weights, factors = _fitted(mdp, stages, lowest=0.0)
    scores: Matrix = np.tensordot(weights * factors / factors[-1], stages, axes=1)
    return scores


def _fitted(mdp: MDP, stages: Matrix, lowest: float | None = None) -> tuple[Vector, Vector]:
    """Fit w and a (n_stages,) to the rows that count."""
    counting = np.flatnonzero(mdp.weight)
    labels, mass = mdp.labels[counting], mdp.mass[counting]
    factors = np.array([fit_factor(scores[counting], labels, mass) for scores in stages])
    shares = labels if labels.ndim == 2 else smoothed(labels, max(mdp.n_scores, 2), mass)
    logits = np.stack([a * f[counting] for a, f in zip(factors, stages, strict=True)])
    return _weights(logits, shares[:, -mdp.n_scores :], mass, lowest), factors


def _stages(votes: Votes) -> Matrix:
    """Return the scores after few, some, many and all votes, (n_stages, n, K)."""
    n_steps = votes.tables.n_classifiers
    lengths = [n for n in LENGTHS if n < n_steps] + [n_steps]
    return np.stack([f.copy() for j, f in enumerate(partial_sums(votes)) if j in lengths])


def shares_and_total(logits: Matrix) -> tuple[Matrix, Vector]:
    """Return probabilities of logits (n, K), and the logarithms (n,) of their denominators."""
    if logits.shape[1] == 1:
        return sigmoid(logits), np.logaddexp(0.0, logits[:, 0])
    return softmax(logits), np.logaddexp.reduce(logits, axis=1)


def _weights(logits: Matrix, targets: Matrix, mass: Vector, lowest: float | None) -> Vector:
    """Fit w (n_stages,) for logits (n_stages, n, K) to targets (n, K) by penalized likelihood."""
    alone = np.zeros(len(logits))
    alone[-1] = 1.0
    share, pull = mass / mass.sum(), PRIOR / mass.sum()

    def loss_and_slope(w: Vector) -> tuple[float, Vector]:
        z = np.tensordot(w, logits, axes=1)
        p, total = shares_and_total(z)
        off = w - alone
        loss = share @ (total - (targets * z).sum(axis=1)) + pull / 2 * (off @ off)
        slope = np.einsum("mnk,nk->m", logits, share[:, None] * (p - targets)) + pull * off
        return float(loss), slope

    bounds = [(lowest, None)] * len(alone)
    found: Vector = minimize(loss_and_slope, alone, jac=True, bounds=bounds, tol=1e-10).x
    return found


FACTOR_ROWS = 3_000  # that a factor is fitted to: one number, and targets without noise


def exit_factors(mdp: MDP) -> NDArray[np.float64]:
    """Return a_0 … a_N by the targets of the MDP, in units of its logistic loss, float64 (N + 1,).

    A calibration by exit reads the score of a row that quits after m votes as a_m f, and the
    log-loss of QUIT must be computed from the same reading: a prefix of a shrunken ensemble has
    small scores, but its probabilities need not be near 1/2. They are fitted to soft targets:
    labels are too noisy to fit that many numbers to.
    """
    few = mdp.rows(mdp.counting(FACTOR_ROWS))
    mass = few.mass
    factors = [fit_factor(scores, few.labels, mass) for scores in partial_sums(few.votes)]
    return np.array(factors) / mdp.loss.scale


WEIGHT_RIDGE = 8.0  # rows that the penalty on large weights stands for
SURE = 0.01  # weight of a row whose p (1 - p) is 0; the largest is 1/4
TINY = 1e-12  # a share: its logarithm is finite


def are_coded_alike(one: Votes, other: Votes) -> bool:
    """Return whether the rows of both can be joined: plain arrays each have their own coding."""
    return all(
        np.array_equal(getattr(one.tables, name), getattr(other.tables, name))
        for name in ("starts", "values")
    )


def joined_rows(learning: MDP, selection: MDP) -> MDP:
    """Concatenate the rows of both."""
    one, other = learning.votes, selection.votes
    return MDP(
        Votes(np.concatenate([one.codes, other.codes]), one.tables),
        np.concatenate([learning.labels, selection.labels]),
        loss=learning.loss,
        costs=learning.costs,
        weight=np.concatenate([learning.weight, selection.weight]),
        grid=learning.grid,
    )


def condensed(mdp: MDP, most: int, n_rows: float) -> Condensation:
    """Choose `most` base classifiers whose sum follows the log-odds z of the soft targets (n, 2).

    Near its optimum log-loss is a square: with p the probabilities of z,

        log-loss of f  ~  log-loss of z  +  1/2 p (1 - p) (f - z)^2,

    so rows are weighted by p (1 - p) + SURE: a sum of few base classifiers is not near the optimum,
    and loses most on rows with a large z whose sign it does not have. Targets are z's, so rows for
    selection are used without their labels. For multiclass z gained nothing. `n_rows` is the
    effective number of rows.
    """
    variance = mdp.labels.prod(axis=1)
    return Condensation.of(
        mdp.votes,
        most,
        mdp.costs,
        mdp.weight * (variance + SURE),
        focus=0.0,
        wanted=log_odds(mdp.labels) / mdp.loss.scale,
        ridge=WEIGHT_RIDGE / n_rows,
    )


def log_odds(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return scores (n, 1) with these probabilities (n, 2)."""
    logs: NDArray[np.float64] = np.log(np.maximum(shares, TINY))
    return logs[:, 1:] - logs[:, :1]


LEAF_RIDGE = 15.0  # four rows whose targets are undecided count for one
FOLDS = 5
N_ITERATIONS = 40


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
        """Return the votes of the rows that fitted, each by the values of its fold."""
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


def refitted_tables(
    votes: Votes, targets: Vector, mass: Vector, ridge: float = LEAF_RIDGE
) -> Tables:
    """Fit the leaf values of all trees to targets (n, max(K, 2)), a convex problem in log-odds."""
    tables, factor = votes.tables, fit_factor(votes.scores(), targets, mass)
    first, targets = tables.values * factor, targets[:, -tables.n_scores :]

    def by_leaf(numbers: Vector) -> Vector:
        """Sum numbers (n, K) over the rows that reach each leaf, for each of its values."""
        sums = np.zeros(len(tables.values))
        _core.add_leaf_sums(tables.native, votes.codes, numbers, sums)
        return sums

    # Leaves with many rows are known better: steps in units of what is known converge sooner
    unit = 1 / np.sqrt(by_leaf(np.tile(mass[:, None], tables.n_scores)) / 4 + ridge)

    def loss_and_slope(step: Vector) -> tuple[float, Vector]:
        off = unit * step
        scores = np.tile(tables.bias * factor, (len(votes), 1))
        _core.add_coded_scores((first + off, *tables.native[1:]), votes.codes, scores)
        p, total = shares_and_total(scores)
        loss = float(mass @ (total - (targets * scores).sum(axis=1)))
        slope = by_leaf(mass[:, None] * (p - targets)) + ridge * off
        return loss + ridge / 2 * float(off @ off), slope * unit

    start, options = np.zeros(len(first)), {"maxiter": N_ITERATIONS}
    found = minimize(loss_and_slope, start, jac=True, method="L-BFGS-B", options=options).x
    return replace(tables, values=(first + unit * found) / factor)


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
    """Refit an arrangement to the rows of an MDP; return also cross-fitted votes of these rows."""
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
    """Return the sum of the scores (n, K) of the full ensemble and of the refitted one, if any."""
    if learning.labels.ndim == 2 or learning.votes.codes.size > MOST_FULL_VOTES:
        return None
    labels = np.eye(max(learning.n_scores, 2))[learning.labels]
    tables = refitted_tables(learning.votes, labels, learning.mass)
    scores: Vector = votes.scores() + Votes(votes.codes, tables).scores()
    return scores
