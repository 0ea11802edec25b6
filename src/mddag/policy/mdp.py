"""MDP: the Markov decision process of Section 2, on a sample of instances.

State (4): the scores f^(j-1) and j. Rewards: EVAL pays beta x cost_j (7), SKIP nothing, QUIT
the loss (6). Given x every transition is known, so a policy's value, Eq. (8), is evaluated exactly:

    objective = mean loss + beta x mean cost of the evaluated base classifiers.

It does not look for policies: ``solvers`` do.

``mdp_of`` makes one of the rows on which policies are learned, chosen and measured. Targets become
what a loss takes: class labels their numbers, a regressor's targets floats. The loss is that of the
ensemble's kind unless one is given, and prices are the ensemble's where it has any. For regressors
beta is in units of R2: it is multiplied by what predicting the mean loses (``MDP.unit``), so that
at 0.01 an evaluation must explain one more hundredth of the variance.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag._utils.arrays import mass, spaced_rows
from mddag._utils.checks import (
    check_between,
    check_whole,
    checked_permutation,
    checked_prices,
    checked_threads,
)
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.votes import Votes
from mddag.losses import Loss, LossFunction, as_loss
from mddag.policy.arguments import (
    are_numbers,
    checked_actions,
    checked_beta,
    checked_grid,
    checked_labels,
    checked_loss,
    checked_votes,
)
from mddag.policy.arrangement import Arrangement, check_arrangement
from mddag.policy.grid import Grid
from mddag.policy.policy import ACTIONS, BY_SCORES, EVAL, Policy, check_policy
from mddag.policy.rollout import Rollout, roll_out


@dataclass(frozen=True)
class Evaluation:
    """The value of a policy on a sample: Eq. (8) and its two parts.

    objective = loss + beta x cost; all four are weighted means over the instances.
    """

    loss: float
    cost: float
    objective: float
    n_evaluated: float


class MDP:
    """Votes, labels, loss and prices of a sample; Eqs. (4)-(8).

    votes  : Votes, or numbers (n, N) or (n, N, K)
    labels : integers 0 … K-1 (0, 1 for one score), floats for the regression of one score, or
             soft targets p (n, n_classes) whose loss is the expectation sum_k p_k L(f, k)
    loss   : callable of (scores, labels) -> (n,); ZeroOne() by default
    beta   : the price of one evaluation, in units of `unit`
    unit   : what beta is a price in, in units of the loss; 1 by default
    costs  : price of each base classifier, in units of beta; 1 by default
    weight : weight of each instance in the means; 1 by default
    grid   : the cells on which policies are learned; Grid.uniform(votes) by default
    actions: what a solver may choose from; without "skip" policies are learned early exits alone
             (Póczos et al. 2009), without "quit" every instance goes to the end

    There must be something to decide: votes of 0 base classifiers are refused, unlike an Ensemble
    or a Dag of none, which return their bias.
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
        self.weight = checked_prices("weight", weight, len(self.votes), "instance")
        if not self.weight.sum() > 0:
            raise ValueError("weight is 0 for every instance; at least one must count")
        self.actions = checked_actions(actions)
        self.grid = Grid.uniform(self.votes) if grid is None else checked_grid(grid, self.n_scores)
        self.factors: NDArray[np.float64] | None = None
        self.losses(self._bias())  # a loss that does not fit is found here, not while learning

    @property
    def of_numbers(self) -> bool:
        """Whether labels are numbers, as a regressor's are."""
        return are_numbers(self.labels)

    @property
    def mass(self) -> NDArray[np.float64]:
        """What each instance counts for against a prior, (n,); see ``mddag._utils.arrays``."""
        return mass(self.weight)

    @property
    def n_instances(self) -> int:
        return len(self.votes)

    @property
    def n_steps(self) -> int:
        """N."""
        return self.votes.tables.n_classifiers

    @property
    def n_scores(self) -> int:
        """K."""
        return self.votes.tables.n_scores

    def __repr__(self) -> str:
        return (
            f"<MDP of {self.n_instances} instances, {self.n_steps} base classifiers, "
            f"loss={self.loss!r}, beta={self.beta}>"
        )

    def losses(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """The loss of quitting with these scores (n, K), (n,)."""
        return self.losses_of(scores, slice(None))

    def losses_of(
        self,
        scores: NDArray[np.float64],
        instances: NDArray[np.intp] | slice,
        n_evaluated: int | NDArray[np.int32] | None = None,
    ) -> NDArray[np.float64]:
        """The same for some of the instances, whose scores these are.

        Where scores are read by factors (see `read_by`), `n_evaluated` says which.
        """
        if self.factors is not None and n_evaluated is not None:
            scores = scores * self.factors[n_evaluated].reshape(-1, 1)
        labels = self.labels[instances]
        if labels.ndim == 1:
            return self._loss(scores, labels, instances)
        total = np.zeros(len(scores))
        for k, share in enumerate(labels.T):
            total += share * self._loss(scores, np.full(len(scores), k), instances)
        return total

    def _loss(
        self,
        scores: NDArray[np.float64],
        labels: NDArray[Any],
        instances: NDArray[np.intp] | slice,
    ) -> NDArray[np.float64]:
        loss = np.asarray(self.loss(scores, labels), np.float64)
        if loss.shape != (len(scores),):
            raise ValueError(
                f"the loss {self.loss!r} returned shape {loss.shape} for {len(scores)} rows; "
                f"wanted one number per row, ({len(scores)},)"
            )
        if not np.isfinite(loss).all():
            i = int(np.flatnonzero(~np.isfinite(loss))[0])
            row = np.arange(self.n_instances)[instances][i]
            raise ValueError(
                f"the loss {self.loss!r} is {loss[i]} on row {row}, whose scores are "
                f"{scores[i].tolist()}; wanted finite numbers: a smaller scale may help"
            )
        return loss

    def _bias(self) -> NDArray[np.float64]:
        return np.tile(self.votes.tables.bias, (self.n_instances, 1))

    def rollout(
        self, policy: Policy, *, n_threads: int = 1
    ) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.float64]]:
        """Final scores (n, K), evaluations (n,) and cost (n,) of every instance under a policy."""
        found = self._rolled_out(policy, checked_threads(n_threads))
        return found.scores, found.n_evaluated, found.cost

    def _rolled_out(self, policy: Policy, n_threads: int = 1) -> Rollout:
        check_policy(policy)
        policy.require(self.n_steps, self.n_scores)
        tables = policy.tables(self.votes.tables)
        grid = policy.grid.native
        return roll_out(policy, self.votes, tables, grid, self.costs, n_threads)

    def evaluate(self, policy: Policy) -> Evaluation:
        """Eq. (8) of a policy on these instances.

        A loss that counts wrong decisions (``Loss.prices``) counts the verdicts of the policy where
        it has any; all other losses are of the scores.
        """
        found = self._rolled_out(policy)
        losses = self.losses_of(found.scores, slice(None), found.n_evaluated)
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
        self, losses: NDArray[np.float64], said: NDArray[np.int16]
    ) -> NDArray[np.float64]:
        """The losses, and the price of the verdict where there is one (not -1)."""
        prices = self.loss.prices(max(self.n_scores, 2))
        if prices is None or self.of_numbers:
            return losses
        of_label = self.labels @ prices if self.labels.ndim == 2 else prices[self.labels]
        paid = np.take_along_axis(of_label, np.maximum(said, 0)[:, None].astype(np.intp), axis=1)
        return np.where(said == BY_SCORES, losses, paid[:, 0])

    def evaluate_full(self) -> Evaluation:
        "Eq. (8) of the full ensemble, without a rollout."
        loss = float(np.average(self.losses(self.votes.scores()), weights=self.weight))
        cost = float(np.cumsum(self.costs)[-1])  # as a path adds them up
        return Evaluation(loss, cost, loss + self.beta * cost, float(self.n_steps))

    def with_beta(self, beta: float) -> MDP:
        """The same sample at another price, in units of the loss."""
        other = copy(self)
        other.beta = checked_beta(beta)
        return other

    def at_price(self, beta: float) -> MDP:
        """The same sample at another price, in units of `unit`."""
        return self.with_beta(checked_beta(beta) * self.unit)

    def with_unit_costs(self) -> MDP:
        """The same sample, each base classifier at the price 1."""
        return self.with_costs(np.ones(self.n_steps))

    def with_costs(self, costs: ArrayLike) -> MDP:
        """The same sample with other prices of its base classifiers, (N,)."""
        other = copy(self)
        other.costs = checked_prices("costs", costs, self.n_steps, "base classifier")
        return other

    def counting(self, most: int | None = None) -> NDArray[np.intp]:
        """The instances of positive weight: all, or `most` of them, evenly spaced."""
        if most is not None:
            check_whole("most", most, 0)
        counting = np.flatnonzero(self.weight)
        return counting if most is None else counting[spaced_rows(len(counting), most)]

    def rows(self, index: NDArray[np.intp]) -> MDP:
        """Some of the instances; the grid stays."""
        other = copy(self)
        other.votes, other.labels = self.votes.rows(index), self.labels[index]
        other.weight = self.weight[index]
        return other

    def with_labels(self, labels: ArrayLike, loss: LossFunction | None = None) -> MDP:
        """The same votes with other labels or the soft targets of a teacher, and by another loss
        if one is given."""
        other = copy(self)
        other.labels = checked_labels(labels, self.n_instances, self.n_scores)
        other.loss = self.loss if loss is None else as_loss(loss)
        return other

    def read_by(self, factors: NDArray[np.float64]) -> MDP:
        """The same sample whose scores, after m evaluations, are read as factors[m] times f.

        factors : float64 (N + 1,), above 0: what a calibration by exit will make of them. They
                  belong to one order, and the kernel of ``Descent`` does not apply them.
        """
        other = copy(self)
        other.factors = factors
        return other

    def on_grid(self, grid: Grid) -> MDP:
        """The same sample with other cells."""
        other = copy(self)
        other.grid = checked_grid(grid, self.n_scores)
        return other

    def arranged(self, arrangement: Arrangement, grid: Grid | None = None) -> MDP:
        """The same sample with its base classifiers in another order, rescaled.

        A policy learned on it decides for this MDP as ``policy.after(arrangement)``. Another order
        passes through other partial sums, so it may want another grid.
        """
        check_arrangement(arrangement)
        checked_permutation(arrangement.order, self.n_steps)
        other = copy(self)
        other.votes = arrangement.votes(self.votes)
        other.costs, other.factors = self.costs[arrangement.kept], None
        return other if grid is None else other.on_grid(grid)

    def evaluate_all(self, every: int = 1) -> Policy:
        """The policy of the full ensemble, deciding so often."""
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
    """The MDP of rows whose votes and targets (classes, probabilities or numbers) these are."""
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
