"""Problem: the policy rows of an ensemble, ready to be made into MDPs at any price beta.

It holds votes and labels, what a wrong decision costs, and the order and grid in which the base
classifiers are decided on. One problem can be parted into rows for learning and rows for choosing,
which then share order and grid; both are made from the learning rows alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.arrangement import Arrangement, arranged
from mddag.ensemble import Ensemble
from mddag.features import Rows
from mddag.grid import Grid
from mddag.losses import Loss, Squared, ZeroOne
from mddag.mdp import MDP
from mddag.ordering import Correlation, Given
from mddag.policy import ACTIONS
from mddag.solvers import Portfolio, Solver
from mddag.solvers.solver import checked_solver, deciding_every
from mddag.source import class_codes
from mddag.votes import Votes


@dataclass(frozen=True, eq=False)
class Problem:
    """Rows on which policies are learned or judged.

    votes   : of the base classifiers in `order`
    labels  : intp (n,) class numbers, soft targets (n, n_classes), or float64 (n,) numbers
    costs   : float64 (N,) prices in `order`, or None where each counts as 1
    unit    : what beta is a price in: 1, or for regression the loss of predicting the mean, so that
              beta = 0.01 is one point of R2 per evaluation
    arrangement : which base classifier of the source each step decides on, and on which level
    grid    : the cells on which policies are learned; None where none are, or by a solver's own
    """

    votes: Votes
    labels: NDArray[Any]
    loss: Loss
    costs: NDArray[np.float64] | None
    actions: tuple[str, ...]
    unit: float
    arrangement: Arrangement
    grid: Grid | None = None

    def __len__(self) -> int:
        return len(self.votes)

    @classmethod
    def of(
        cls,
        ensemble: Ensemble,
        rows: Rows,
        targets: NDArray[Any],
        *,
        loss: Loss | None = None,
        actions: tuple[str, ...] = ACTIONS,
    ) -> Problem:
        """The votes of an ensemble on rows with targets: classes, probabilities or numbers."""
        classifies = ensemble.kind == "classifier"
        named = classifies and targets.ndim == 1
        labels: NDArray[Any]
        labels = class_codes(targets, ensemble) if named else np.asarray(targets, np.float64)
        loss = (ZeroOne() if classifies else Squared()) if loss is None else loss
        return cls(
            votes=ensemble.votes(rows),
            labels=labels,
            loss=OfMeans(loss) if ensemble.link == "exp" else loss,
            costs=ensemble.cost if ensemble.priced else None,
            actions=actions,
            unit=1.0 if classifies else _loss_of_the_mean(loss, labels),
            arrangement=Arrangement(np.arange(ensemble.n_classifiers)),
        )

    def mdp(self, beta: float) -> MDP:
        """The MDP of these rows at a price."""
        return MDP(
            self.votes,
            self.labels,
            loss=self.loss,
            beta=beta * self.unit,
            costs=self.costs,
            grid=self.grid,
            actions=self.actions,
        )

    def rows(self, index: NDArray[np.intp]) -> Problem:
        """Some of the rows; price, order and grid stay."""
        return replace(self, votes=self.votes.rows(index), labels=self.labels[index])

    def ordered(self, ordering: Any, solver: Solver) -> Problem:
        """The rows with base classifiers in the order that decides.

        None stands for Correlation(), whose levels are made for signs; for numbers, which boosting
        puts in order by itself, for Given().
        A solver that orders by itself (it says so by `orders`) gets them as they are.
        """
        if getattr(solver, "orders", False):
            return self
        if ordering is None:
            ordering = Given() if self._of_numbers else Correlation()
        problem = self._in(arranged(ordering, self.votes, self.costs))
        return replace(problem, grid=Grid.quantile(problem.votes))

    @property
    def _of_numbers(self) -> bool:
        return self.labels.ndim == 1 and self.labels.dtype.kind == "f"

    def like(self, other: Problem) -> Problem:
        """These rows in the order and on the grid of `other`."""
        return replace(self._in(other.arrangement), grid=other.grid)

    def _in(self, arrangement: Arrangement) -> Problem:
        costs = None if self.costs is None else self.costs[arrangement.kept]
        votes = arrangement.votes(self.votes)
        return replace(self, votes=votes, costs=costs, arrangement=arrangement)


@dataclass(frozen=True)
class OfMeans:
    """A loss of predictions, for scores of a log link."""

    loss: Loss

    def __call__(self, scores: NDArray[np.float64], labels: NDArray[Any]) -> NDArray[np.float64]:
        with np.errstate(over="ignore"):  # the MDP names the row whose loss is not finite
            return self.loss(np.exp(scores), labels)


def chosen_solver(solver: Any, every: int = 1, n_threads: int = 1) -> Solver:
    """The solver, deciding once for `every` base classifiers; for None the default one, with so
    many threads."""
    solver = Portfolio(n_threads=n_threads) if solver is None else solver
    return deciding_every(checked_solver(solver), every)


def checked_ordering(ordering: Any) -> None:
    """Refuse what cannot order base classifiers."""
    if ordering is not None and (isinstance(ordering, type) or not callable(ordering)):
        raise TypeError(
            f"ordering is {ordering!r}; wanted a callable of (votes, costs), such as Correlation()"
        )


def _loss_of_the_mean(loss: Loss, targets: NDArray[Any]) -> float:
    """What the best constant loses, 1 where it loses nothing."""
    constant = np.full((len(targets), 1), targets.mean())
    return float(np.mean(loss(constant, targets))) or 1.0
