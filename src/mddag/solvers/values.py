"""Value functions Q_j(s, a) for Sarsa and WatkinsQ: one function per step, part and action.

s in [0, 1] is the score over the largest |f| that counts at step j, ``norm[j]``; with several
classes there is one part per top class, and s is the margin likewise. A value function here is a
recipe (its constructor's arguments); ``start`` makes the arrays that a kernel of
native/solvers/values.hpp reads and updates.

| value function | use it when |
|---|---|
| Table | always to begin with: faster, and as good (docs/solvers.md) |
| RadialBasis | you want what the authors' program ran |
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mddag._utils.checks import Parameters, check_one_of, check_positive, check_whole
from mddag.ensemble.votes import Tables
from mddag.policy.policy import ACTIONS


class Value(Protocol):
    """The recipe of a value function Q_j(s, a); the native core learns it."""

    def start(self, n_steps: int, n_parts: int) -> tuple[Any, ...]:
        """A function that has learned nothing, as the kernel takes it, what it learns first."""
        ...

    def norm(self, tables: Tables) -> NDArray[np.float64]:
        """What the score at each step is measured against, positive, (N,)."""
        ...


def total_norm(tables: Tables) -> NDArray[np.float64]:
    """The paper's footnote 1: the sum over all base classifiers, the same at every step."""
    total = np.abs(tables.bias).max() + tables.reach().sum()
    return np.full(tables.n_classifiers, total or 1.0)


def running_norm(tables: Tables) -> NDArray[np.float64]:
    """The sum over the base classifiers before step j: early steps keep their resolution."""
    reach = tables.reach()
    norm = np.abs(tables.bias).max() + np.cumsum(reach) - reach
    return np.where(norm > 0, norm, total_norm(tables))


@dataclass
class Table(Parameters):
    """Q in `n_bins` equal bins of the state: the simplest value function, and the fastest.

    running : measure f against what the steps so far can have added (True), or against the sum of
              all alphas as the paper's footnote does (False), which needs some hundred bins
    """

    n_bins: int = 11
    running: bool = True

    def __post_init__(self) -> None:
        check_whole("n_bins", self.n_bins, 1)
        check_one_of("running", self.running, (True, False))

    def start(self, n_steps: int, n_parts: int) -> tuple[NDArray[np.float64], int]:
        """See `Value.start`: q (n_steps x n_parts x n_bins x 3, flat), n_bins."""
        return np.zeros(n_steps * n_parts * self.n_bins * len(ACTIONS)), self.n_bins

    def norm(self, tables: Tables) -> NDArray[np.float64]:
        return running_norm(tables) if self.running else total_norm(tables)


SPACING = math.sqrt(2 * math.log(1 / 0.4))  # in sigmas: where an activation falls to 0.4


@dataclass
class RadialBasis(Parameters):
    """Q as a sum of Gaussian bumps, the value function of the authors' program.

        Q(s, a) = sum over centres c of weight_c exp(-(s - c)^2 / (2 sigma^2)), 0 beyond 5 sigma

    There are `n_centres` bumps at (i + 1) / (n_centres + 1) to begin with. Only the weights learn.
    Where the temporal-difference error exceeds a tenth of the largest weight and no centre is
    active above 0.4, a centre is added at s whose weight is the error. Rewards are negative losses,
    so that weights of 0 are as optimistic as theirs of 1.

    sigma       : width of a bump; None means min(1 / (2.2 n_centres), 0.01)
    max_centres : at most so many per step, part and action
    normalised  : divide by the sum of the activations
    running     : as in Table
    """

    n_centres: int = 11
    sigma: float | None = None
    max_centres: int = 1000
    normalised: bool = False
    running: bool = False

    def __post_init__(self) -> None:
        check_whole("n_centres", self.n_centres, 0)
        check_whole("max_centres", self.max_centres, max(self.n_centres, 1))
        check_one_of("normalised", self.normalised, (True, False))
        check_one_of("running", self.running, (True, False))
        if self.sigma is not None:
            check_positive("sigma", self.sigma)

    def start(
        self, n_steps: int, n_parts: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int32], float, bool]:
        """See `Value.start`: weights and centres (n_functions, capacity), counts, two constants."""
        sigma = min(1 / (2.2 * max(self.n_centres, 1)), 0.01) if self.sigma is None else self.sigma
        # Centres are added apart from each other, so that only so many find room in [0, 1].
        room = self.n_centres + math.floor(1 / (SPACING * sigma)) + 1
        n_functions = n_steps * n_parts * len(ACTIONS)
        centres = np.zeros((n_functions, min(self.max_centres, room)))
        centres[:, : self.n_centres] = np.arange(1, self.n_centres + 1) / (self.n_centres + 1)
        counts = np.full(n_functions, self.n_centres, np.int32)
        return np.zeros_like(centres), centres, counts, float(sigma), self.normalised

    def norm(self, tables: Tables) -> NDArray[np.float64]:
        return running_norm(tables) if self.running else total_norm(tables)
