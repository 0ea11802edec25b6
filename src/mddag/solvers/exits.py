"""Early exits: policies without SKIP, in which a row evaluates base classifiers until it quits.

`Prefix` has one length for all rows, `Margin` one threshold, `Residual` one distance of the
predicted full score from a tie, `QWYC` two thresholds per step. Of the first three, a row that
quits at step j in a cell at one threshold quits there at every lower one, so all candidates are one
table of confidences, and one walk through the sums f^(0) … f^(N) gives the loss and the cost of
each. A loss that counts wrong decisions is walked natively (native/exits/walk.hpp), to the same
bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag import _core
from mddag._utils.checks import Parameters, as_floats, check_whole
from mddag.ensemble.votes import partial_sums, top_and_margin
from mddag.policy.grid import DEFAULT_CELLS, Grid
from mddag.policy.mdp import MDP
from mddag.policy.policy import EVAL, QUIT, Policy, trusted_policy
from mddag.solvers.solver import Candidates, Family, quit_loss


@dataclass
class OneParameter(Parameters, Family):
    """A rule for quitting with one parameter, which is tuned by Eq. (8)."""

    every: int = 1

    def __post_init__(self) -> None:
        check_whole("every", self.every, 1)


def check_classes(rule: Any, mdp: MDP) -> None:
    """Raise ValueError for regression, which has no winning class."""
    if mdp.of_numbers:
        raise ValueError(
            f"{rule!r} quits where the winning class is sure, but labels are numbers; wanted "
            "Prefix(), Descent() or Portfolio()"
        )


class ExitCandidates(Candidates):
    """Candidates of one rule, from the full ensemble to the boldest.

    Candidate c quits where ``confidence >= thresholds[c]``; confidences broadcast to (n_decisions,
    n_cells), and thresholds (n_candidates,) may come in any order.
    """

    def __init__(
        self,
        mdp: MDP,
        confidence: NDArray[np.float64],
        thresholds: NDArray[np.float64],
        every: int = 1,
    ) -> None:
        self.grid, self.every, self.n_steps = mdp.grid, every, mdp.n_steps
        rising = np.unique(thresholds) if "quit" in mdp.actions else np.empty(0)
        # the first candidate that quits there; len(rising) + 1 where none does
        quiet = np.searchsorted(rising, np.atleast_2d(confidence), side="right")
        smallest = np.min_scalar_type(len(rising) + 1)  # many families are kept
        self.levels = np.subtract(smallest.type(len(rising) + 1), quiet.astype(smallest))
        self.shape = (-(-mdp.n_steps // every), mdp.grid.n_cells)
        self.thresholds = np.concatenate([[np.inf], rising[::-1]])

    def __len__(self) -> int:
        return len(self.thresholds)

    def policy(self, c: int) -> Policy:
        actions = np.where(self.levels <= c, QUIT, EVAL).astype(np.uint8)
        actions = np.ascontiguousarray(np.broadcast_to(actions, self.shape))
        return trusted_policy(actions, self.grid, np.arange(self.n_steps), self.every)

    def evaluate_by(self, mdps: Sequence[MDP]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        mdp = mdps[0]
        self[0].require(mdp.n_steps, mdp.n_scores)
        spent = np.concatenate([[0.0], np.cumsum(mdp.costs)])
        twins = [quit_loss(by) for by in mdps if _counts_decisions(by)]
        native = [twin for twin in twins if not callable(twin)]
        fits = len(native) == len(mdps)
        jumps = self._walk(mdp, spent, native) if fits else self._walk_by_calls(mdps, spent)
        *losses, costs = np.cumsum(jumps, axis=1)[:, :-1] / mdp.weight.sum()
        return np.array(losses), costs

    def _walk(
        self, mdp: MDP, spent: NDArray[np.float64], losses: list[_core.Loss]
    ) -> NDArray[np.float64]:
        """Return what further candidates pay by each loss, and in costs, (n_losses + 1, n + 1)."""
        tables = mdp.votes.tables
        sample = tables.native, mdp.votes.codes, tables.bias, mdp.weight, spent
        jumps = np.zeros((len(losses) + 1, len(self) + 1))
        every = min(self.every, max(self.n_steps, 1))
        exits = self.levels.astype(np.int32), len(self), every
        _core.walk_exits(sample, self.grid.native, exits, losses, jumps)
        return jumps

    def _walk_by_calls(
        self, mdps: Sequence[MDP], spent: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the same for any losses."""
        mdp, jumps = mdps[0], np.zeros((len(mdps) + 1, len(self) + 1))
        running = np.full(mdp.n_rows, len(self))  # candidates below it have not quit the row
        for j, rows, levels, scores in self._exits(mdp, running):
            weight = mdp.weight[rows]
            paid = [weight * by.losses(scores, rows, j) for by in mdps]
            # candidates levels .. running - 1 pay: a jump up at the one end, down at the other
            for sums, amount in zip(jumps, [*paid, weight * spent[j]], strict=True):
                sums += np.bincount(levels, amount, len(sums))
                sums -= np.bincount(running[rows], amount, len(sums))
            running[rows] = levels
        return jumps

    def _exits(
        self, mdp: MDP, running: NDArray[np.intp]
    ) -> Iterator[tuple[int, NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]]:
        """Yield step, rows that further candidates quit there, which ones, and their scores."""
        table = np.broadcast_to(self.levels, self.shape)
        for j, scores in enumerate(partial_sums(mdp.votes)):
            if j == self.n_steps:
                levels = np.zeros(mdp.n_rows, np.intp)
            elif j % self.every == 0:
                levels = table[j // self.every][self.grid.cells(scores)]
            else:
                continue
            rows = np.flatnonzero(levels < running)
            if len(rows):
                yield j, rows, levels[rows], scores[rows]


def _counts_decisions(mdp: MDP) -> bool:
    """Return whether losses are those of decisions; others the kernel would round differently."""
    return mdp.loss.prices(max(mdp.n_scores, 2)) is not None and mdp.factors is None


def inner_edges(grid: Grid) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the edge of each cell nearest to a tie, and the sign of its scores, both (n_cells,).

    What holds at that edge and for all scores beyond it holds in the whole cell. The sign is 0
    where a cell has scores of both signs. Margins (K > 1) are never negative, and their sign is 1.
    """
    edges = grid.edges
    if grid.n_scores > 1:
        return np.tile(np.maximum(np.append(0.0, edges), 0.0), grid.n_scores), np.ones(grid.n_cells)
    sign = (np.append(-np.inf, edges) >= 0).astype(float) - (np.append(edges, np.inf) <= 0)
    inner = np.where(
        sign > 0, np.append(0.0, edges), np.where(sign < 0, np.append(edges, 0.0), 0.0)
    )
    return inner, sign


@dataclass
class Margin(OneParameter):
    """Quit when the margin exceeds a threshold, which is tuned by Eq. (8).

    The margin is ``abs(f)`` or, for K > 1, the difference of the two best scores: the rule of
    LightGBM's prediction early stopping. One number for all steps leaves little to overfit, but the
    rule ignores that early sums are unreliable and that the last votes of a shrunken ensemble are
    too small to change a sign.

    Parameters
    ----------
    every : int, default=1
        Number of steps between two looks at the margin.

    Examples
    --------
    >>> import mddag
    >>> from mddag.solvers import Margin
    >>> mdp = mddag.MDP([[2.0, 0.1], [-1.5, 0.1], [-0.1, 1.0]], [1, 0, 1], beta=0.05)
    >>> mdp.rollout(Margin().solve(mdp))[1]
    array([1, 1, 2], dtype=int32)
    """

    # All classes have the same thresholds, so each may have as many as there are for two.
    cells_per_class: ClassVar[int | None] = DEFAULT_CELLS

    def candidates(self, mdp: MDP) -> ExitCandidates:
        # one for every edge of the grid, the largest first
        check_classes(self, mdp)
        edges, _ = inner_edges(mdp.grid)
        return ExitCandidates(mdp, np.abs(edges), np.abs(edges), self.every)


@dataclass
class Prefix(OneParameter):
    """Evaluate the first n base classifiers for every row; the simplest baseline.

    Parameters
    ----------
    every : int, default=1
        Only multiples of it are tried for n.

    Examples
    --------
    >>> import mddag
    >>> from mddag.solvers import Prefix
    >>> mdp = mddag.MDP([[2.0, 0.1], [-1.5, 0.1], [0.2, 1.0]], [1, 0, 1], beta=0.05)
    >>> mdp.rollout(Prefix().solve(mdp))[1]
    array([1, 1, 1], dtype=int32)
    """

    def candidates(self, mdp: MDP) -> ExitCandidates:
        steps = np.arange(0, mdp.n_steps, self.every, dtype=np.float64)
        return ExitCandidates(mdp, steps[:, None], steps, self.every)


DEVIATIONS = np.linspace(0.0, 8.0, 129)  # z
WIDTH = 15  # steps over which lines are averaged, an odd number
FARTHEST = 20.0  # deviations from the tie; beyond, weights would be too small to compute with
Vector = NDArray[np.float64]


@dataclass
class Residual(OneParameter):
    """Quit when the predicted full score is z standard deviations away from a tie.

    At each step j the full score is regressed on the partial one, F = a_j f^(j) + b_j with residual
    deviation s_j, and the lines are smoothed over j. A row quits where ``abs(a_j f + b_j) > z s_j``
    and f already has the sign of the prediction; for K > 1 both are margins of the class that leads
    at j. A line is smooth where counts of rare changes of sign are noisy, but its tails may be
    heavier than normal, so z is tuned by Eq. (8).

    Parameters
    ----------
    every : int, default=1
        Number of steps between two looks at the score.

    Examples
    --------
    >>> import mddag
    >>> from mddag.solvers import Residual
    >>> mdp = mddag.MDP([[2.0, 0.1], [-1.5, 0.1], [-0.1, 1.0]], [1, 0, 1], beta=0.05)
    >>> mdp.evaluate(Residual().solve(mdp)).loss
    0.0
    """

    linear_levels: ClassVar[bool] = True

    def candidates(self, mdp: MDP) -> ExitCandidates:
        check_classes(self, mdp)
        slope, intercept, deviation = (
            _smoothed(numbers)[:: self.every, None] for numbers in lines(mdp)
        )
        edges, sign = inner_edges(mdp.grid)
        confidence = slope * edges  # a number per step and cell: changed in place
        confidence += intercept
        confidence *= sign
        with np.errstate(over="ignore"):  # where nothing remains to be said, all is certain
            confidence /= np.maximum(deviation, np.finfo(float).tiny)
        confidence[:, sign == 0] = -np.inf
        return ExitCandidates(mdp, confidence, DEVIATIONS, self.every)


def lines(mdp: MDP) -> tuple[Vector, Vector, Vector]:
    """Return a_j, b_j and s_j of every step but the last, each (N,)."""
    if not mdp.weight.all():  # the nearest row to a tie is one that counts
        mdp = mdp.rows(mdp.counting())
    full = mdp.votes.scores()
    fits = np.empty((mdp.n_steps, 3))
    for j, scores in enumerate(partial_sums(mdp.votes)):
        if j < mdp.n_steps:
            fits[j] = _line(*_now_and_then(scores, full), mdp.weight)
    return fits[:, 0], fits[:, 1], fits[:, 2]


def _now_and_then(scores: Vector, full: Vector) -> tuple[Vector, Vector]:
    """Return the partial and the full score, or margins of the class that leads now if K > 1."""
    if scores.shape[1] == 1:
        return scores[:, 0], full[:, 0]
    top, margin = top_and_margin(scores)
    rows = np.arange(len(full))
    rest = full.copy()
    rest[rows, top] = -np.inf
    return margin, full[rows, top] - rest.max(axis=1)


def _line(now: Vector, then: Vector, weight: Vector) -> tuple[float, float, float]:
    """Fit slope (never negative), intercept and residual deviation, mostly to rows near now = 0."""
    distance, total = np.abs(now), weight.sum()
    center = (weight * now).sum() / total
    spread = np.sqrt((weight * np.square(now - center)).sum() / total)
    if spread > 0:  # measured from the nearest row, or a bias far from 0 would leave no weight
        weight = weight * np.exp(-2 * np.minimum((distance - distance.min()) / spread, FARTHEST))
    total = weight.sum()

    def mean(numbers: Vector) -> float:
        return float((weight * numbers).sum() / total)

    center, level = mean(now), mean(then)
    variance, covariance = mean((now - center) ** 2), mean((now - center) * (then - level))
    slope = max(covariance / variance, 0.0) if variance > 0 else 0.0
    intercept = level - slope * center
    return slope, intercept, mean((then - slope * now - intercept) ** 2) ** 0.5


def _smoothed(numbers: Vector) -> Vector:
    """Return a moving average from step 1 on, padded with the end values.

    Step 0 is left out: before the first vote all rows are alike, and their line is of another kind.
    """
    if len(numbers) < 2:
        return numbers
    padded = np.pad(numbers[1:], WIDTH // 2, mode="edge")
    return np.append(numbers[0], np.convolve(padded, np.full(WIDTH, 1 / WIDTH), "valid"))


RATES = (0.0, 0.001, 0.002, 0.003, 0.005, 0.007, 0.01, 0.015, 0.02, 0.03, 0.05, 0.07, 0.1, 0.2)
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)  # of the budget for the lower end; the upper has the rest

Matrix = NDArray[np.float64]


@dataclass
class QWYC(Parameters, Family):
    """Quit below a low or above a high threshold of the step ("Quit when you can").

    At each step as many rows as possible quit at both ends of f, while at most a share `rate` of
    all rows gets another label than by the full ensemble (Wang, Gupta & You). The rate is tuned by
    Eq. (8), which is the one use of labels. Binary problems with one score only.

    Parameters
    ----------
    every : int, default=1
        Number of steps between two looks at the score.
    rates : tuple of float
        Shares of the rows that may get another label, from 0 to 1, to choose from.

    Examples
    --------
    >>> import mddag
    >>> from mddag.solvers import QWYC
    >>> mdp = mddag.MDP([[2.0, 0.1], [-1.5, 0.1], [-0.1, 1.0]], [1, 0, 1], beta=0.05)
    >>> mdp.rollout(QWYC(rates=(0.0, 0.5)).solve(mdp))[1]
    array([1, 1, 2], dtype=int32)
    """

    every: int = 1
    rates: tuple[float, ...] = RATES

    def __post_init__(self) -> None:
        check_whole("every", self.every, 1)
        rates = as_floats("rates", self.rates, "shares of the rows, in [0, 1]")
        if rates.ndim != 1 or not len(rates) or not ((rates >= 0) & (rates <= 1)).all():
            raise ValueError(f"rates are {self.rates}; wanted shares of the rows, in [0, 1]")

    def candidates(self, mdp: MDP) -> Bands:
        check_classes(self, mdp)
        if mdp.n_scores != 1:
            raise ValueError(
                f"votes have {mdp.n_scores} scores; QWYC has a low and a high end of one score: "
                "use Residual or Margin"
            )
        rates = self.rates if "quit" in mdp.actions else ()
        walk = BandWalk(mdp, np.array(rates, np.float64), -(-mdp.n_steps // self.every))
        full = mdp.votes.scores()[:, 0] > 0
        for j, scores in enumerate(partial_sums(mdp.votes)):
            if j % self.every == 0 and j < mdp.n_steps and len(rates):
                wrong = (scores[:, 0] > 0) != full
                walk.quit(j // self.every, mdp.grid.cells(scores), wrong)
        return Bands(mdp.grid, walk.bands, np.arange(mdp.n_steps), self.every)


class BandWalk:
    """Rows on their way through the steps, once for each rate.

    `bands` is intp (n_rates, 2, n_decisions): cells up to the first and from the second on quit.
    """

    def __init__(self, mdp: MDP, rates: NDArray[np.float64], n_decisions: int) -> None:
        self.n_cells, self.weight = mdp.grid.n_cells, mdp.weight
        self.equal = bool((mdp.weight == 1).all())  # counting is faster than weighing
        self.bands = np.empty((len(rates), 2, n_decisions), np.intp)
        self.rows = [np.arange(mdp.n_rows) for _ in rates]
        self.budgets = rates * mdp.weight.sum()

    def quit(self, decision: int, cells: NDArray[np.int32], wrong: NDArray[np.bool_]) -> None:
        """Let as many rows quit as the budget of each rate allows."""
        sides = cells + self.n_cells * wrong
        found = np.stack([self._histogram(sides[rows], rows) for rows in self.rows], axis=1)
        right, lost = found
        low, high, quit_weight = cuts(right + lost, lost, self.budgets)
        self.bands[:, 0, decision], self.bands[:, 1, decision] = low, high
        for c in np.flatnonzero(quit_weight):
            quits = np.ones(self.n_cells, np.bool_)
            quits[low[c] + 1 : high[c]] = False
            self.budgets[c] -= np.where(quits, lost[c], 0.0).sum()
            self.rows[c] = self.rows[c][~quits[cells[self.rows[c]]]]

    def _histogram(self, sides: NDArray[np.intp], rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return the weight of rows that quitting gets right and wrong, by cell, (2, n_cells)."""
        weight = None if self.equal else self.weight[rows]
        return np.bincount(sides, weight, 2 * self.n_cells).reshape(2, -1).astype(np.float64)


class Bands(Candidates):
    """Candidates that go on inside a band of cells at each step; the first is the full ensemble."""

    def __init__(
        self, grid: Grid, bands: NDArray[np.intp], order: NDArray[np.intp], every: int
    ) -> None:
        self.grid, self.order, self.every = grid, order, every
        nowhere = np.tile([[-1], [grid.n_cells]], -(-len(order) // every))
        self.bands = [nowhere, *bands]

    def __len__(self) -> int:
        return len(self.bands)

    def policy(self, c: int) -> Policy:
        low, high = self.bands[c][:, :, None]
        cell = np.arange(self.grid.n_cells)
        actions = np.where((cell <= low) | (cell >= high), QUIT, EVAL).astype(np.uint8)
        return trusted_policy(actions, self.grid, self.order, self.every)

    def evaluate_by(self, mdps: Sequence[MDP]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        losses, costs = np.empty((len(mdps), len(self))), np.empty(len(self))
        for c, policy in enumerate(self):
            scores, n_evaluated, cost = mdps[0].rollout(policy)
            costs[c] = np.average(cost, weights=mdps[0].weight)
            for by, mdp in zip(losses, mdps, strict=True):
                lost = mdp.losses(scores, slice(None), n_evaluated)
                by[c] = np.average(lost, weights=mdp.weight)
        return losses, costs


def cuts(
    there: Matrix, wrong: Matrix, budget: ArrayLike
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return the cuts at which the most rows quit at both ends of the cells, and their weight.

    Cells up to low and from high on quit. `there` and `wrong` (m, n_cells) are the weight of the
    rows in each cell and of those that quitting gets wrong, `budget` the largest weight that may be
    wrong. Both cuts end at cells that hold rows: nothing is known of what lies between. Computed by
    native/exits/quit_cuts.hpp.
    """
    m = len(there)
    low, high, quit_weight = np.empty(m, np.int64), np.empty(m, np.int64), np.empty(m)
    budgets = np.full(m, budget, np.float64)
    _core.quit_cuts(there, wrong, budgets, np.array(SHARES), low, high, quit_weight)
    return low, high, quit_weight
