"""Arrangement: an order of the base classifiers, and the constants and weights that go with it.

After j votes in the new order the full score F is best predicted from their sum S_j by a line, F ~
a_j S_j + c_j. So the partial scores are f = S_j + t_j with the levels t_j = c_j / a_j, whose sign
is that of the expected F, and t_N = bias. Rows with a narrow F have the largest weights, as others
have quit before. With K > 1 scores are centered over the classes and one slope serves all of them.
A `Condensation` keeps a few base classifiers alone, with weights of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag._utils.checks import check_is, checked_permutation
from mddag.ensemble.rescaling import Rescaling, carried
from mddag.ensemble.votes import Votes, partial_sums, top_and_margin
from mddag.policy.ordering import (
    class_covariances,
    covariances_with,
    mean_votes,
    narrowness,
    sampled,
    shares,
)

MAX_ROWS = 20_000  # that are looked at, evenly spaced; of K > 1 scores, rows times K
FARTHEST = 10.0  # level, in largest possible scores: losses must remain numbers

# From votes in their new order and the weight of each row (n,) to t_0 .. t_N, float64 (N + 1, K)
Levels = Callable[[Votes, NDArray[np.float64]], NDArray[np.float64]]


@dataclass(frozen=True, eq=False)
class Arrangement:
    """How the steps of a policy relate to the source ensemble."""

    order: NDArray[np.intp]  # (N,), step j decides on base classifier order[j]
    rescaling: Rescaling | None = None  # other weights and constants, numbered as in the source
    n_kept: int | None = None  # number of steps; the rest of the order is left out. None for all.

    @property
    def n_steps(self) -> int:
        """Number of steps."""
        return len(self.order) if self.n_kept is None else self.n_kept

    @property
    def kept(self) -> NDArray[np.intp]:
        """Base classifiers that have steps, (n_steps,)."""
        return self.order[: self.n_steps]

    @property
    def changes_nothing(self) -> bool:
        """Whether all base classifiers are in their old places with their old weights."""
        whole = self.n_steps == len(self.order) and self.rescaling is None
        return whole and np.array_equal(self.order, np.arange(len(self.order)))

    def votes(self, votes: Votes) -> Votes:
        """Arrange the votes of the source."""
        if self.rescaling is not None:
            votes = Votes(votes.codes, self.rescaling.applied(votes.tables))
        return votes.reordered(self.kept)

    def then(self, other: Arrangement) -> Arrangement:
        """Combine this arrangement and another one of its steps."""
        if self.changes_nothing:
            return other
        order = np.concatenate([self.kept[other.order], self.order[self.n_steps :]])
        rescaling = self.rescaling
        if other.rescaling is not None:
            outer = other.rescaling.numbered(self.kept, len(self.order))
            rescaling = outer if rescaling is None else rescaling.then(outer)
        return Arrangement(order, rescaling, other.n_steps)


def by_lines(votes: Votes, weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the levels t_0 … t_N of least squares, float64 (N + 1, K)."""
    weight = shares(weight * narrowness(votes, 1.0, weight))
    bias = votes.tables.bias
    full = centered(votes.scores())
    mean = weight @ full
    at = np.zeros((votes.tables.n_classifiers + 1, len(bias)))
    slope = np.zeros(len(at))
    for j, scores in enumerate(partial_sums(votes)):
        sums = centered(scores - bias)
        at[j] = weight @ sums
        spread = weight @ np.square(sums - at[j]).sum(axis=1)
        common = weight @ ((sums - at[j]) * (full - mean)).sum(axis=1)
        slope[j] = common / spread if spread > 0 and common > 0 else 0.0
    if not slope.any():  # nothing varies
        return np.tile(bias, (len(at), 1))
    return within_reach(mean / filled(slope)[:, None] - at, votes)


def arranged(
    ordering: Any,
    votes: Votes,
    costs: ArrayLike | None = None,
    weight: ArrayLike | None = None,
    *,
    levels: Levels = by_lines,
) -> Arrangement:
    """Return the order that `ordering` gives, with its levels; the given order has none."""
    order = checked_permutation(ordering(votes, costs, weight), votes.tables.n_classifiers)
    if np.array_equal(order, np.arange(len(order))):
        return Arrangement(order)
    return Arrangement(order, fitted_levels(votes, order, weight, levels=levels))


def fitted_levels(
    votes: Votes,
    order: NDArray[np.intp],
    weight: ArrayLike | None = None,
    *,
    levels: Levels = by_lines,
) -> Rescaling:
    """Fit the levels of an order; the rows need no labels."""
    weight = np.ones(len(votes)) if weight is None else np.asarray(weight, np.float64)
    sample, rows = sampled(votes, max(MAX_ROWS // votes.tables.n_scores, 1))
    sample = sample.reordered(order)
    wanted = levels(sample, weight[rows])
    start, shift = _shifts(wanted, carried(sample.tables), sample.tables.bias)
    by_source = np.empty_like(shift)
    by_source[order] = shift
    return Rescaling(start, by_source)


def within_reach(levels: NDArray[np.float64], votes: Votes) -> NDArray[np.float64]:
    """Clip levels (N + 1, K) that are too far off, center them on the bias and end at the bias."""
    bias = votes.tables.bias
    most = FARTHEST * (votes.tables.reach().sum() + np.abs(bias).max())
    levels = np.clip(levels, -most, most)  # a sum with little correlation has little slope
    levels += bias - centered(bias[None])[0]
    levels[-1] = bias
    return levels


def filled(slope: NDArray[np.float64]) -> NDArray[np.float64]:
    """Replace unknown slopes (0) by the one before, at the beginning by the first known one."""
    known = np.flatnonzero(slope)
    last = np.maximum(np.searchsorted(known, np.arange(len(slope)), side="right") - 1, 0)
    return slope[known[last]]


def _shifts(
    wanted: NDArray[np.float64], can: NDArray[np.bool_], bias: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return start (K,) and shifts (N, K); a step that cannot carry passes its shift on."""
    start, shift = np.zeros(len(bias)), np.zeros(can.shape)
    for k in range(len(bias)):
        at = np.flatnonzero(can[:, k])
        if len(at):
            levels = np.concatenate([wanted[:1, k], wanted[at + 1, k]])
            levels[-1] = bias[k]
            start[k] = levels[0] - bias[k]
            shift[at, k] = np.diff(levels)
    return start, shift


def centered(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Subtract the mean over the classes from scores (n, K); one score stays as it is."""
    return scores - scores.mean(axis=1, keepdims=True) if scores.shape[1] > 1 else scores


def check_arrangement(arrangement: Any) -> None:
    """Raise TypeError unless `arrangement` is an Arrangement."""
    wanted = "an Arrangement, such as an ordering's arrangement(mdp) gives"
    check_is("arrangement", arrangement, Arrangement, wanted)


MARGIN = 5.0  # of log-odds
MOST_ITERATIONS = 20  # of the first step; later ones begin near their end
LONGEST = 2.0  # change of a number in one iteration: far from its end Newton's method overshoots
NEAR = 1e-3  # change that ends the iterations
DAMPING = 1e-4
LEAST_FACTOR = 0.05  # of sums with deviation 1; below it they are noise

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]


def by_log_odds(votes: Votes, weight: Vector) -> Matrix:
    """Return the levels t_0 … t_N of the votes in their order, (N + 1, K), for K > 1.

    Least squares (`by_lines`) measure how far each class ends from the mean of all, but with 26
    classes most are far from winning a row, and their squares are the largest. So with p = softmax,
    the levels are

        t_j = argmin_t  min_a  sum_i w_i KL( p(F_i) || p(a (S_ij + t)) ),

    in a unit of F in which its margins have the root mean square `MARGIN`: rows with a large
    margin, and classes of small probability, have little weight. Newton's method finds t_j from
    t_{j-1}.
    """
    from scipy.special import softmax  # serving, which reads this module, needs no scipy

    weight, bias = shares(weight), votes.tables.bias
    wanted = softmax(_in_unit(votes.scores(), weight), axis=1)
    before = np.log(np.maximum(weight @ wanted, np.finfo(float).tiny))
    constants = np.tile(before - before.mean(), (votes.tables.n_classifiers + 1, 1))
    slope, factor = np.zeros(len(constants)), 1.0
    for j, scores in enumerate(partial_sums(votes)):
        sums = centered(scores - bias)
        constants[j] = constants[max(j - 1, 0)]
        spread = np.sqrt(weight @ np.square(sums - weight @ sums).mean(axis=1))
        if spread > 0:
            factor, constants[j] = _fitted(sums / spread, wanted, weight, factor, constants[j])
            slope[j] = factor / spread
    if not slope.any():  # nothing varies
        return np.tile(bias, (len(constants), 1))
    return within_reach(constants / filled(slope)[:, None], votes)


def _in_unit(scores: Matrix, weight: Vector) -> Matrix:
    rms = np.sqrt(weight @ np.square(top_and_margin(scores)[1]))
    return scores * (MARGIN / rms) if rms > 0 else scores


def _fitted(
    sums: Matrix, wanted: Matrix, weight: Vector, factor: float, constants: Vector
) -> tuple[float, Vector]:
    """Fit the factor and the constants (K,) of softmax(factor sums + constants) to `wanted`."""
    for _ in range(MOST_ITERATIONS):
        change = _newton(sums, wanted, weight, factor, constants)
        change *= min(1.0, LONGEST / max(float(np.abs(change).max()), NEAR))
        factor = max(factor - float(change[0]), LEAST_FACTOR)
        constants = constants - change[1:]
        if np.abs(change).max() < NEAR:
            break
    return factor, constants - constants.mean()


def _newton(
    sums: Matrix, wanted: Matrix, weight: Vector, factor: float, constants: Vector
) -> Vector:
    """Return Newton's step for the factor and the constants, (1 + K,)."""
    from scipy.special import softmax  # serving, which reads this module, needs no scipy

    share = weight[:, None]
    found = softmax(factor * sums + constants, axis=1)
    wrong, pull = share * (found - wanted), found * sums
    mean = pull.sum(axis=1, keepdims=True)
    gradient = np.append((wrong * sums).sum(), wrong.sum(axis=0))
    curvature = np.empty((len(gradient), len(gradient)))
    curvature[0, 0] = (share * (pull * sums - mean * pull)).sum()
    curvature[0, 1:] = curvature[1:, 0] = (share * (pull - mean * found)).sum(axis=0)
    curvature[1:, 1:] = np.diag(weight @ found) - (share * found).T @ found
    curvature += DAMPING * np.eye(len(gradient))
    return np.linalg.solve(curvature, gradient)


RIDGE = 1e-4  # of the mean variance of a base classifier's votes
NEGLIGIBLE = 1e-9  # a price
TINY = np.finfo(float).tiny
MOST, LEAST = 256, 8  # base classifiers to condense to, by default
MOST_PRODUCTS = 2**25  # covariances in memory, by default: 256 MB


def usual_sizes(
    n_classifiers: int, every: int = 1, n_scores: int = 1, *, closely: bool = False
) -> tuple[int, ...]:
    """Return a third of the base classifiers and three times half as many, in whole decisions.

    With several classes, which need more, or to be followed closely, half of them are added.
    """
    if n_scores * n_classifiers**2 > MOST_PRODUCTS:
        return ()
    wanted = [min(n_classifiers // 3, MOST) // 2**i for i in range(4)]
    if n_scores > 1 or closely:
        wanted.insert(0, min(n_classifiers // 2, MOST))
    whole = [-(-size // every) * every for size in wanted if size >= LEAST]
    return tuple(size for size in dict.fromkeys(whole) if size < n_classifiers)


@dataclass(frozen=True, eq=False)
class Condensation:
    """The pursuit up to a largest size; what it chose for a smaller one comes first."""

    means: Vector  # (N, K), means of the votes
    level: Vector  # (K,), mean of the wanted scores, above the bias
    chosen: NDArray[np.intp]  # (most,), base classifiers in the order in which they were chosen
    lower: Vector  # (K, most, most), L of their covariances L D L', with ones on the diagonal
    reduced: Vector  # (K, most), weight of each if it were the last; L' a = reduced

    @classmethod
    def of(
        cls,
        votes: Votes,
        most: int,
        costs: Vector | None = None,
        weight: Vector | None = None,
        focus: float = 1.0,
        *,
        wanted: Vector | None = None,
        ridge: float = RIDGE,
    ) -> Condensation:
        """Condense to `most` base classifiers.

        The sum follows the scores `wanted` (n, K), by default the full ones. `focus` is how much
        more rows with a narrow score count, `ridge` the penalty in units of the mean variance of a
        base classifier's votes.
        """
        n_classifiers = votes.tables.n_classifiers
        prices = np.ones(n_classifiers) if costs is None else costs
        weight = np.ones(len(votes)) if weight is None else weight
        sample, rows = sampled(votes, max(MAX_ROWS // votes.tables.n_scores, 1))
        weight = weight[rows] * narrowness(sample, focus, weight[rows])
        products, means = class_covariances(sample, weight), mean_votes(sample, weight)
        if wanted is None:
            missing, level = products.sum(axis=2), means.sum(axis=0)
        else:
            missing = covariances_with(sample, weight, wanted[rows])
            level = shares(weight) @ wanted[rows] - votes.tables.bias
        missing[np.diagonal(products, axis1=1, axis2=2) <= 0] = 0.0  # constants have no part in it
        for of_class in products:
            diagonal = np.diag_indices(n_classifiers)
            of_class[diagonal] += max(ridge * np.trace(of_class) / n_classifiers, TINY)
        return cls(means, level, *pursued(products, missing, prices, most))

    def arrangement(self, size: int) -> Arrangement:
        """Return the first `size` that were chosen, with their weights."""
        from scipy.linalg import (
            solve_triangular,  # serving, which reads this module, needs no scipy
        )

        kept, scale, n = self.chosen[:size], np.zeros_like(self.means), len(self.means)
        for k, (lower, reduced) in enumerate(zip(self.lower, self.reduced, strict=True)):
            upper = lower[:size, :size].T
            scale[kept, k] = solve_triangular(upper, reduced[:size], unit_diagonal=True)
        start = self.level - (scale * self.means).sum(axis=0)
        order = np.concatenate([kept, np.setdiff1d(np.arange(n), kept)])
        return Arrangement(order, Rescaling(start, np.zeros_like(self.means), scale), size)


def pursued(
    products: Vector, missing: Vector, prices: Vector, most: int
) -> tuple[NDArray[np.intp], Vector, Vector]:
    """Return `chosen`, `lower` and `reduced` for covariances (K, N, N) that include the ridge.

    `missing` (K, N) are the covariances with the wanted scores, which are used up. A base
    classifier that is chosen is swept out of what F has in common with all, and later ones are
    swept by it before they are: one column of L and one entry of D a step.
    """
    n_scores, n = products.shape[:2]
    variances = np.diagonal(products, axis1=1, axis2=2)
    prices = np.maximum(prices, NEGLIGIBLE)  # what is free comes first, by its gain
    chosen, left = np.empty(most, np.intp), np.ones(n, bool)
    columns, pivots = np.empty((n_scores, n, most)), np.empty((n_scores, most))
    reduced = np.empty_like(pivots)
    for step in range(most):
        gains = (missing**2 / variances).sum(axis=0) / prices
        j = chosen[step] = int(np.where(left, gains, -1.0).argmax())
        left[j] = False
        for k, covariances in enumerate(products):
            before = columns[k, :, :step]
            column = covariances[j] - before @ (pivots[k, :step] * before[j])
            pivots[k, step] = column[j]
            columns[k, :, step] = column / column[j]
            reduced[k, step] = missing[k, j] / column[j]
            missing[k] -= column * reduced[k, step]
    return chosen, np.tril(columns[:, chosen], -1) + np.eye(most), reduced
