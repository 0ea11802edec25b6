"""MDP: the Markov decision process of Section 2, on a sample of instances.

State (4): the scores f^(j-1) and j. Rewards: EVAL pays beta x cost_j (7), SKIP nothing, QUIT the
loss (6). Given x every transition is known, so a policy's value, Eq. (8), is evaluated exactly:

    objective = mean loss + beta x mean cost of the evaluated base classifiers.

How a policy is found is the business of ``solvers``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag import _core
from mddag.grid import Grid
from mddag.losses import Loss, ZeroOne
from mddag.policy import EVAL, Policy
from mddag.votes import Votes


@dataclass(frozen=True)
class Evaluation:
    """The value of a policy on a sample: Eq. (8) and its two parts."""

    loss: float
    cost: float
    objective: float
    n_evaluated: float


class MDP:
    """Votes, labels, loss and prices of a sample; Eqs. (4)-(8).

    votes  : Votes, or numbers (n, N) or (n, N, K)
    labels : integers 0 … K-1 (0, 1 for one score), floats for regression, or soft targets
             (n, n_classes) whose loss is the expectation sum_k p_k L(f, k)
    loss   : callable of (scores, labels) -> (n,); ZeroOne() by default
    costs  : price of each base classifier, in units of beta; 1 by default
    weight : weight of each instance in the means; 1 by default
    """

    def __init__(
        self,
        votes: Votes | ArrayLike,
        labels: ArrayLike,
        *,
        loss: Loss | None = None,
        beta: float = 0.01,
        costs: ArrayLike | None = None,
        weight: ArrayLike | None = None,
        grid: Grid | None = None,
    ) -> None:
        self.votes = votes if isinstance(votes, Votes) else _checked_votes(votes)
        self.loss: Loss = ZeroOne() if loss is None else loss
        self.beta = _checked_beta(beta)
        self.labels = _checked_labels(labels, len(self.votes), self.n_scores)
        self.costs = _checked_prices("costs", costs, self.n_steps, "base classifier")
        self.weight = _checked_prices("weight", weight, len(self.votes), "instance")
        if not self.weight.sum() > 0:
            raise ValueError("weight is 0 for every instance; at least one must count")
        self.grid = Grid.uniform(self.votes) if grid is None else grid

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
        """The loss of quitting with these scores, (n,)."""
        return self.losses_of(scores, slice(None))

    def losses_of(
        self, scores: NDArray[np.float64], instances: NDArray[np.intp] | slice
    ) -> NDArray[np.float64]:
        """The same for some of the instances, whose scores these are."""
        labels = self.labels[instances]
        if labels.ndim == 1:
            return np.asarray(self.loss(scores, labels), np.float64)
        total = np.zeros(len(scores))
        for k, share in enumerate(labels.T):
            total += share * self.loss(scores, np.full(len(scores), k))
        return total

    def rollout(
        self, policy: Policy
    ) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.float64]]:
        """Final scores (n, K), evaluations (n,) and cost (n,) of every instance under a policy."""
        if policy.n_steps != self.n_steps:
            raise ValueError(
                f"the policy has {policy.n_steps} steps, but the votes are of {self.n_steps} "
                "base classifiers; learn or cut it for these"
            )
        tables = self.votes.tables
        scores = np.tile(tables.bias, (self.n_instances, 1))
        n_evaluated = np.zeros(self.n_instances, np.int32)
        cost = np.zeros(self.n_instances)
        _core.rollout(
            tables.native,
            self.votes.codes,
            policy.grid.native,
            policy.native,
            self.costs,
            scores,
            n_evaluated,
            cost,
        )
        return scores, n_evaluated, cost

    def evaluate(self, policy: Policy) -> Evaluation:
        """Eq. (8) of a policy on these instances."""
        scores, n_evaluated, cost = self.rollout(policy)
        loss = float(np.average(self.losses(scores), weights=self.weight))
        mean_cost = float(np.average(cost, weights=self.weight))
        return Evaluation(
            loss=loss,
            cost=mean_cost,
            objective=loss + self.beta * mean_cost,
            n_evaluated=float(np.average(n_evaluated, weights=self.weight)),
        )

    def evaluate_all(self) -> Policy:
        """The policy of the full ensemble."""
        return Policy.constant(EVAL, self.n_steps, self.grid)


def _checked_votes(votes: ArrayLike) -> Votes:
    array = np.asarray(votes, np.float64)
    if array.ndim not in (2, 3):
        raise ValueError(
            f"votes have shape {array.shape}; wanted (n, N) for one score or (n, N, K)"
        )
    if 0 in array.shape:
        raise ValueError(f"votes have shape {array.shape}; wanted at least one of each")
    if not np.isfinite(array).all():
        i, j = np.argwhere(~np.isfinite(array))[0][:2]
        raise ValueError(
            f"the vote of base classifier {j} on row {i} is {array[i, j]}; votes must be finite"
        )
    return Votes.from_dense(array)


def _checked_beta(beta: float) -> float:
    if not (np.isfinite(beta) and beta >= 0):
        raise ValueError(f"beta is {beta}; wanted a finite price per evaluation, 0 or more")
    return float(beta)


def _checked_labels(labels: ArrayLike, n: int, n_scores: int) -> NDArray[Any]:
    array: NDArray[Any] = np.asarray(labels)
    n_classes = max(n_scores, 2)
    if len(array) != n:
        raise ValueError(f"there are {len(array)} labels for votes on {n} rows; wanted as many")
    if array.ndim == 2:
        return _checked_shares(array.astype(np.float64), n_classes)
    if array.dtype.kind == "f" and n_scores == 1:
        if not np.isfinite(array).all():
            i = int(np.flatnonzero(~np.isfinite(array))[0])
            raise ValueError(f"the label of row {i} is {array[i]}; labels must be finite")
        return array.astype(np.float64)
    if array.dtype.kind not in "iub":
        raise ValueError(
            f"labels have dtype {array.dtype}; wanted class numbers 0..{n_classes - 1}, "
            "or floats for the regression of one score"
        )
    bad = np.flatnonzero((array < 0) | (array >= n_classes))
    if len(bad):
        raise ValueError(
            f"votes have {n_classes} classes but labels contain class {array[bad[0]]} "
            f"(row {bad[0]}); labels must lie in 0..{n_classes - 1}"
        )
    return array.astype(np.intp)


def _checked_shares(shares: NDArray[np.float64], n_classes: int) -> NDArray[np.float64]:
    if shares.shape[1] != n_classes:
        raise ValueError(
            f"soft targets have {shares.shape[1]} columns; wanted {n_classes}, one per class"
        )
    if not (np.isfinite(shares).all() and (shares >= 0).all()):
        raise ValueError("soft targets must be finite and not negative")
    return shares


def _checked_prices(name: str, prices: ArrayLike | None, n: int, of: str) -> NDArray[np.float64]:
    if prices is None:
        return np.ones(n)
    array = np.asarray(prices, np.float64)
    if array.shape != (n,):
        raise ValueError(f"{name} has shape {array.shape}; wanted one number per {of}, ({n},)")
    bad = np.flatnonzero(~(np.isfinite(array) & (array >= 0)))
    if len(bad):
        raise ValueError(f"{name}[{bad[0]}] is {array[bad[0]]}; wanted finite numbers, 0 or more")
    return array
