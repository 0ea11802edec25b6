"""MDP: the Markov decision process of Section 2 on a sample of rows.

The state is the score f^(j-1) and j, Eq. (4). EVAL pays beta * cost_j (7), SKIP nothing, QUIT the
loss (6). All transitions of a row are known, so the value of a policy, Eq. (8), is computed
exactly; solvers search for policies.
"""

from __future__ import annotations

from collections.abc import Collection
from copy import copy
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag._utils.arrays import mass, spaced_rows
from mddag._utils.checks import (
    as_floats,
    check_between,
    check_whole,
    checked_permutation,
    checked_prices,
    typed,
)
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.votes import Votes
from mddag.losses import Loss, LossFunction, ZeroOne, as_loss
from mddag.policy.arrangement import Arrangement, check_arrangement
from mddag.policy.grid import Grid
from mddag.policy.policy import ACTIONS, BY_SCORES, EVAL, Policy, check_policy
from mddag.policy.rollout import Rollout, roll_out


@dataclass(frozen=True)
class Evaluation:
    """Value of a policy on a sample, Eq. (8): weighted means over the rows.

    Parameters
    ----------
    loss : float
        Mean loss.
    cost : float
        Mean cost of the evaluated base classifiers.
    objective : float
        ``loss + beta * cost``.
    n_evaluated : float
        Mean number of evaluated base classifiers.

    Examples
    --------
    >>> import mddag
    >>> mdp = mddag.MDP([[1.0, -2.0], [1.0, 1.0]], [0, 1], beta=0.25)
    >>> mdp.evaluate(mdp.evaluate_all())
    Evaluation(loss=0.0, cost=2.0, objective=0.5, n_evaluated=2.0)
    """

    loss: float
    cost: float
    objective: float
    n_evaluated: float


class MDP:
    """Votes, labels, loss and prices of a sample, Eqs. (4) to (8).

    Parameters
    ----------
    votes : Votes or array-like of shape (n, N) or (n, N, K)
        What each base classifier adds to the scores; at least one row and one base classifier.
    labels : array-like of shape (n,) or (n, n_classes)
        Class numbers 0 … K-1 (0 and 1 for one score), floats for regression, or soft targets p,
        whose loss is sum_k p_k L(f, k).
    loss : Loss or callable, default=None
        Function of (scores, labels) that returns one loss per row; `ZeroOne()` by default.
    beta : float, default=0.01
        Price of one evaluation, in units of `unit`.
    unit : float, default=1.0
        Factor that turns `beta` into units of the loss.
    costs : array-like of shape (N,), default=None
        Price of each base classifier in units of beta; 1 by default.
    weight : array-like of shape (n,), default=None
        Weight of each row in the means; 1 by default.
    grid : Grid, default=None
        Cells on which policies are learned; ``Grid.uniform(votes)`` by default.
    actions : tuple of str, default=("eval", "skip", "quit")
        Actions that solvers may use. Without "skip" policies are early exits (Póczos et al. 2009);
        without "quit" every row goes to the end.

    Examples
    --------
    >>> import mddag
    >>> from mddag.solvers import Descent
    >>> votes = [[2.0, 0.1], [1.5, 0.1], [-1.0, 1.5], [-2.0, -0.1]]
    >>> mdp = mddag.MDP(votes, [1, 1, 1, 0], beta=0.1)
    >>> mdp.evaluate(mdp.evaluate_all()).objective
    0.2
    >>> mdp.evaluate(Descent(random_state=0).solve(mdp)).objective
    0.1
    """

    def __init__(
        self,
        votes: Votes | ArrayLike,
        labels: ArrayLike,
        *,
        loss: LossFunction | None = None,
        beta: float = 0.01,
        unit: float = 1.0,
        costs: ArrayLike | None = None,
        weight: ArrayLike | None = None,
        grid: Grid | None = None,
        actions: tuple[str, ...] = ACTIONS,
    ) -> None:
        self.votes = checked_votes(votes)
        self.loss = checked_loss(loss)
        check_between("unit", unit, 0, np.inf, "a finite number, 0 or more")
        self.unit = unit
        self.beta = checked_beta(beta) * unit
        self.labels = checked_labels(labels, len(self.votes), self.n_scores)
        self.costs = checked_prices("costs", costs, self.n_steps, "base classifier")
        self.weight = checked_prices("weight", weight, len(self.votes), "row")
        if not self.weight.sum() > 0:
            raise ValueError("weight is 0 for every row; at least one must count")
        self.actions = checked_actions(actions)
        self.grid = Grid.uniform(self.votes) if grid is None else checked_grid(grid, self.n_scores)
        self.factors: NDArray[np.float64] | None = None
        # a loss that does not fit is found here, not while learning
        self.losses(np.tile(self.votes.tables.bias, (self.n_rows, 1)))

    @property
    def of_numbers(self) -> bool:
        """Whether labels are floats, as for regression."""
        return are_numbers(self.labels)

    @property
    def mass(self) -> NDArray[np.float64]:
        """Weight of each row against a prior, (n,); see ``mddag._utils.arrays``."""
        return mass(self.weight)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.votes)

    @property
    def n_steps(self) -> int:
        """Number of base classifiers, N."""
        return self.votes.tables.n_classifiers

    @property
    def n_scores(self) -> int:
        """Number of scores, K."""
        return self.votes.tables.n_scores

    def __repr__(self) -> str:
        return (
            f"<MDP of {self.n_rows} rows, {self.n_steps} base classifiers, "
            f"loss={self.loss!r}, beta={self.beta}>"
        )

    def losses(
        self,
        scores: NDArray[np.float64],
        rows: NDArray[np.intp] | slice = slice(None),
        n_evaluated: int | NDArray[np.int32] | None = None,
    ) -> NDArray[np.float64]:
        """Compute the loss of quitting with these scores.

        Parameters
        ----------
        scores : ndarray of shape (m, K)
            Scores of the rows.
        rows : ndarray of shape (m,) or slice, default=slice(None)
            Which rows they are; all by default.
        n_evaluated : int or ndarray of shape (m,), default=None
            Number of evaluations, which selects the factor of `read_by`.

        Returns
        -------
        ndarray of shape (m,)
            Losses.
        """
        if self.factors is not None and n_evaluated is not None:
            scores = scores * self.factors[n_evaluated].reshape(-1, 1)
        labels = self.labels[rows]
        if labels.ndim == 1:
            return self._loss(scores, labels, rows)
        total = np.zeros(len(scores))
        for k, share in enumerate(labels.T):
            total += share * self._loss(scores, np.full(len(scores), k), rows)
        return total

    def _loss(
        self,
        scores: NDArray[np.float64],
        labels: NDArray[Any],
        rows: NDArray[np.intp] | slice,
    ) -> NDArray[np.float64]:
        loss = np.asarray(self.loss(scores, labels), np.float64)
        if loss.shape != (len(scores),):
            raise ValueError(
                f"the loss {self.loss!r} returned shape {loss.shape} for {len(scores)} rows; "
                f"wanted one number per row, ({len(scores)},)"
            )
        if not np.isfinite(loss).all():
            i = int(np.flatnonzero(~np.isfinite(loss))[0])
            row = np.arange(self.n_rows)[rows][i]
            raise ValueError(
                f"the loss {self.loss!r} is {loss[i]} on row {row}, whose scores are "
                f"{scores[i].tolist()}; wanted finite numbers: a smaller scale may help"
            )
        return loss

    def rollout(
        self, policy: Policy, *, n_jobs: int = 1
    ) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.float64]]:
        """Run a policy on all rows.

        Parameters
        ----------
        policy : Policy
            The policy.
        n_jobs : int, default=1
            Number of threads.

        Returns
        -------
        scores : ndarray of shape (n, K)
            Final scores.
        n_evaluated : ndarray of shape (n,)
            Number of evaluations.
        cost : ndarray of shape (n,)
            Cost of the evaluated base classifiers.
        """
        found = self._rolled_out(policy, n_jobs)
        return found.scores, found.n_evaluated, found.cost

    def _rolled_out(self, policy: Policy, n_jobs: int = 1) -> Rollout:
        check_policy(policy)
        policy.require(self.n_steps, self.n_scores)
        return roll_out(policy, self.votes, self.costs, n_jobs=n_jobs)

    def evaluate(self, policy: Policy) -> Evaluation:
        """Evaluate a policy by Eq. (8).

        A loss that counts wrong decisions (see `Loss.prices`) counts the verdicts of the policy
        where it has any; all other losses are computed from the scores.

        Parameters
        ----------
        policy : Policy
            The policy.

        Returns
        -------
        Evaluation
            Its mean loss, cost and objective.
        """
        return self.evaluation(self._rolled_out(policy))

    def evaluation(self, found: Rollout) -> Evaluation:
        """Evaluate what a policy did with these rows.

        Parameters
        ----------
        found : Rollout
            Of the policy on the rows.

        Returns
        -------
        Evaluation
            Its mean loss, cost and objective.
        """
        losses = self.losses(found.scores, n_evaluated=found.n_evaluated)
        if found.verdict is not None:
            losses = self._with_verdicts(losses, found.verdict)
        loss = float(np.average(losses, weights=self.weight))
        cost = float(np.average(found.cost, weights=self.weight))
        return Evaluation(
            loss=loss,
            cost=cost,
            objective=loss + self.beta * cost,
            n_evaluated=float(np.average(found.n_evaluated, weights=self.weight)),
        )

    def _with_verdicts(
        self, losses: NDArray[np.float64], verdict: NDArray[np.int16]
    ) -> NDArray[np.float64]:
        """Replace the losses of rows that have a verdict (not -1) by its price."""
        prices = self.loss.prices(max(self.n_scores, 2))
        if prices is None or self.of_numbers:
            return losses
        of_label = self.labels @ prices if self.labels.ndim == 2 else prices[self.labels]
        paid = np.take_along_axis(of_label, np.maximum(verdict, 0)[:, None].astype(np.intp), axis=1)
        return np.where(verdict == BY_SCORES, losses, paid[:, 0])

    def evaluate_full(self) -> Evaluation:
        """Evaluate the full ensemble by Eq. (8), without a rollout.

        Returns
        -------
        Evaluation
            Its mean loss, cost and objective.
        """
        loss = float(np.average(self.losses(self.votes.scores()), weights=self.weight))
        cost = float(np.cumsum(self.costs)[-1])  # as a path adds them up
        return Evaluation(loss, cost, loss + self.beta * cost, float(self.n_steps))

    def with_beta(self, beta: float) -> MDP:
        """Return the same sample at another price.

        Parameters
        ----------
        beta : float
            Price of one evaluation, in units of the loss.

        Returns
        -------
        MDP
            A shallow copy.
        """
        other = copy(self)
        other.beta = checked_beta(beta)
        return other

    def with_costs(self, costs: ArrayLike) -> MDP:
        """Return the same sample with other prices of the base classifiers.

        Parameters
        ----------
        costs : array-like of shape (N,)
            Price of each base classifier.

        Returns
        -------
        MDP
            A shallow copy.
        """
        other = copy(self)
        other.costs = checked_prices("costs", costs, self.n_steps, "base classifier")
        return other

    def counting(self, most: int | None = None) -> NDArray[np.intp]:
        """Return the rows of positive weight.

        Parameters
        ----------
        most : int, default=None
            Return at most this many, evenly spaced; None for all.

        Returns
        -------
        ndarray of intp
            Row numbers.
        """
        if most is not None:
            check_whole("most", most, 0)
        counting = np.flatnonzero(self.weight)
        return counting if most is None else counting[spaced_rows(len(counting), most)]

    def rows(self, index: NDArray[np.intp]) -> MDP:
        """Select rows; the grid stays.

        Parameters
        ----------
        index : ndarray of intp
            Row numbers.

        Returns
        -------
        MDP
            The smaller sample.
        """
        other = copy(self)
        other.votes, other.labels = self.votes.rows(index), self.labels[index]
        other.weight = self.weight[index]
        return other

    def with_labels(self, labels: ArrayLike, loss: LossFunction | None = None) -> MDP:
        """Return the same votes with other labels.

        Parameters
        ----------
        labels : array-like of shape (n,) or (n, n_classes)
            Labels or soft targets.
        loss : Loss or callable, default=None
            Another loss; None keeps it.

        Returns
        -------
        MDP
            A shallow copy.
        """
        other = copy(self)
        other.labels = checked_labels(labels, self.n_rows, self.n_scores)
        other.loss = self.loss if loss is None else as_loss(loss)
        return other

    def read_by(self, factors: NDArray[np.float64]) -> MDP:
        """Return the same sample with scores that are multiplied by factors[m] after m evaluations.

        Parameters
        ----------
        factors : ndarray of shape (N + 1,)
            Positive factors, as a calibration by exit applies them. They belong to one order, and
            the kernel of ``Descent`` does not apply them.

        Returns
        -------
        MDP
            A shallow copy.
        """
        other = copy(self)
        other.factors = factors
        return other

    def on_grid(self, grid: Grid) -> MDP:
        """Return the same sample with other cells.

        Parameters
        ----------
        grid : Grid
            The cells.

        Returns
        -------
        MDP
            A shallow copy.
        """
        other = copy(self)
        other.grid = checked_grid(grid, self.n_scores)
        return other

    def arranged(self, arrangement: Arrangement, grid: Grid | None = None) -> MDP:
        """Return the same sample with its base classifiers in another order, rescaled.

        A policy that is learned on it applies to this MDP as ``policy.after(arrangement)``.

        Parameters
        ----------
        arrangement : Arrangement
            The order and the rescaling.
        grid : Grid, default=None
            Cells for the other partial sums; None keeps the grid.

        Returns
        -------
        MDP
            The arranged sample.
        """
        check_arrangement(arrangement)
        checked_permutation(arrangement.order, self.n_steps)
        other = copy(self)
        other.votes = arrangement.votes(self.votes)
        other.costs, other.factors = self.costs[arrangement.kept], None
        return other if grid is None else other.on_grid(grid)

    def evaluate_all(self, every: int = 1) -> Policy:
        """Return the policy that evaluates everything.

        Parameters
        ----------
        every : int, default=1
            Number of steps that one decision covers.

        Returns
        -------
        Policy
            The full ensemble.
        """
        return Policy.constant(EVAL, self.n_steps, self.grid, every)


def mdp_of(
    ensemble: Ensemble,
    votes: Votes,
    targets: NDArray[Any],
    *,
    beta: float = 0.01,
    loss: Loss | None = None,
    actions: tuple[str, ...] = ACTIONS,
    weight: NDArray[np.float64] | None = None,
) -> MDP:
    """Return the MDP of rows with these votes and targets (classes, probabilities or numbers).

    The loss is that of the ensemble's kind unless one is given, and prices are the ensemble's if it
    has any. For regressors beta is in units of R2: it is multiplied by the loss of predicting the
    mean, so that at 0.01 an evaluation must explain one more hundredth of the variance.
    """
    task = ensemble.task
    labels = task.coded(targets)
    return MDP(
        votes,
        labels,
        loss=task.loss(loss),
        beta=beta,
        unit=task.unit(loss, labels, weight),
        costs=ensemble.cost if ensemble.priced else None,
        weight=weight,
        actions=actions,
    )


LARGEST = 1e60  # vote: squares of covariances stay finite


def checked_votes(votes: Votes | ArrayLike) -> Votes:
    """Return the votes, coded if they are numbers; there must be some, and all finite."""
    if isinstance(votes, Ensemble):
        raise TypeError("votes is an Ensemble; wanted what it says of the rows: ensemble.votes(X)")
    if not isinstance(votes, Votes):
        votes = _coded(votes)
    tables = votes.tables
    if len(votes) == 0 or tables.n_classifiers == 0:
        raise ValueError(
            f"votes are of {tables.n_classifiers} base classifiers on {len(votes)} rows; "
            "wanted at least one of each: there is nothing to decide"
        )
    if not np.isfinite(tables.bias).all():
        raise ValueError(f"the bias of the votes is {tables.bias.tolist()}; it must be finite")
    bad = np.flatnonzero(~np.isfinite(tables.values))
    if len(bad):
        t = np.searchsorted(tables.starts, bad[0], side="right") - 1
        j = np.searchsorted(tables.rounds, t, side="right") - 1
        raise ValueError(
            f"a leaf of base classifier {j} votes {tables.values[bad[0]]}; votes must be finite"
        )
    largest = max(np.abs(tables.values).max(initial=0.0), np.abs(tables.bias).max())
    if largest > 0 and not 1 / LARGEST < largest < LARGEST:
        raise ValueError(
            f"the largest of the votes and the bias is {largest}; wanted numbers to compute with, "
            f"below {LARGEST:g} and not all below {1 / LARGEST:g}: scale them"
        )
    return votes


def _coded(votes: ArrayLike) -> Votes:
    array = as_floats("votes", votes, "Votes, such as ensemble.votes(X) gives, or numbers (n, N)")
    if array.ndim not in (2, 3) or array.shape[2:] == (0,):
        raise ValueError(
            f"votes have shape {array.shape}; wanted (n, N) for one score or (n, N, K)"
        )
    if not np.isfinite(array).all():
        i, j = np.argwhere(~np.isfinite(array))[0][:2]
        raise ValueError(
            f"the vote of base classifier {j} on row {i} is {array[i, j]}; votes must be finite"
        )
    return Votes.from_dense(array)


def checked_grid(grid: Grid, n_scores: int) -> Grid:
    """Return the grid after checking that it is for this number of scores."""
    if not isinstance(grid, Grid):
        raise TypeError(f"grid is {typed(grid)}; wanted a Grid, such as Grid(edges)")
    if grid.n_scores != n_scores:
        raise ValueError(f"the grid is for {grid.n_scores} score(s), but votes have {n_scores}")
    return grid


def checked_actions(actions: tuple[str, ...]) -> tuple[str, ...]:
    """Return the actions after checking that they are in ACTIONS and contain EVAL."""
    listed = isinstance(actions, Collection) and not isinstance(actions, str)
    if not listed or set(map(str, actions)) - set(ACTIONS) or "eval" not in actions:
        raise ValueError(
            f"actions are {actions!r}; wanted 'eval' and any of 'skip' and 'quit', in a tuple"
        )
    return tuple(actions)


def checked_loss(loss: LossFunction | None) -> Loss:
    """Return the loss as a `Loss`; ZeroOne() for None."""
    return ZeroOne() if loss is None else as_loss(loss)


def checked_beta(beta: float) -> float:
    """Return beta after checking that it is a price."""
    if not isinstance(beta, Real) or not 0 <= beta < np.inf:
        raise ValueError(f"beta is {beta!r}; wanted a finite price per evaluation, 0 or more")
    return float(beta)


def are_numbers(labels: NDArray[Any]) -> bool:
    """Return whether labels are those of regression."""
    return labels.ndim == 1 and labels.dtype.kind == "f"


def checked_labels(labels: ArrayLike, n: int, n_scores: int) -> NDArray[Any]:
    """Return class numbers (n,), numbers (n,) or soft targets (n, n_classes), by shape and type."""
    array: NDArray[Any] = np.asarray(labels)
    if array.ndim not in (1, 2) or len(array) != n:
        raise ValueError(
            f"labels have shape {array.shape} for votes on {n} rows; wanted ({n},), or soft "
            f"targets ({n}, {max(n_scores, 2)})"
        )
    if array.ndim == 2:
        return _checked_shares(array, max(n_scores, 2))
    if array.dtype.kind == "f" and n_scores == 1:
        bad = np.flatnonzero(~np.isfinite(array))
        if len(bad):
            raise ValueError(f"the label of row {bad[0]} is {array[bad[0]]}; wanted finite labels")
        return array.astype(np.float64)
    return _checked_classes(array, max(n_scores, 2))


def _checked_classes(labels: NDArray[Any], n_classes: int) -> NDArray[np.intp]:
    regression = "; floats stand for regression" if n_classes == 2 else ""
    if labels.dtype.kind not in "iub":
        raise ValueError(
            f"labels have dtype {labels.dtype}; wanted class numbers 0..{n_classes - 1}, "
            f"np.unique(labels, return_inverse=True)[1]{regression}"
        )
    bad = np.flatnonzero((labels < 0) | (labels >= n_classes))
    if len(bad):
        raise ValueError(
            f"votes have {n_classes} classes but labels contain class {labels[bad[0]]} "
            f"(row {bad[0]}); labels must lie in 0..{n_classes - 1}{regression}"
        )
    return labels.astype(np.intp)


def _checked_shares(shares: NDArray[Any], n_classes: int) -> NDArray[np.float64]:
    if shares.shape[1] != n_classes:
        raise ValueError(
            f"soft targets have {shares.shape[1]} columns; wanted {n_classes}, one per class"
        )
    shares = shares.astype(np.float64)
    # float32 probabilities sum to 1 within about 1e-6; percentages and counts do not
    fit = (shares >= 0).all(axis=1) & (np.abs(shares.sum(axis=1) - 1.0) < 1e-3)
    if not fit.all():
        i = int(np.flatnonzero(~fit)[0])
        raise ValueError(
            f"the soft target of row {i} is {shares[i].tolist()}; wanted probabilities that sum "
            "to 1: divide rows by their sums, and put what rows count for into weight"
        )
    return shares
