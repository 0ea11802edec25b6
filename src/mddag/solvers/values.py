"""Value functions Q_j(s, a) of Sarsa and WatkinsQ: one function per step, part and action.

s in [0, 1] is the score, or for several classes the margin, divided by ``norm[j]``; there is one
part per top class. `Table` is faster than `RadialBasis`, which the authors' program uses, and as
good (docs/solvers.md). The arrays of `start` are read and updated by native/solvers/values.hpp.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._utils.checks import Parameters, check_one_of, check_positive, check_whole
from mddag.ensemble.votes import Tables
from mddag.policy.policy import ACTIONS


def total_norm(tables: Tables) -> NDArray[np.float64]:
    """Return the sum over all base classifiers, the same at every step (the paper's footnote 1)."""
    total = np.abs(tables.bias).max() + tables.reach().sum()
    return np.full(tables.n_classifiers, total or 1.0)


def running_norm(tables: Tables) -> NDArray[np.float64]:
    """Return the sum over the base classifiers before step j: early steps keep their resolution."""
    reach = tables.reach()
    norm = np.abs(tables.bias).max() + np.cumsum(reach) - reach
    return np.where(norm > 0, norm, total_norm(tables))


class Value(Parameters, ABC):
    """Base class of value functions: a recipe for the arrays that the native core learns.

    Attributes
    ----------
    running : bool
        Whether to divide the score by what the steps so far can have added, or by the sum over all
        base classifiers.

    Examples
    --------
    >>> from mddag.solvers import Sarsa
    >>> from mddag.solvers.values import RadialBasis
    >>> solver = Sarsa(values=RadialBasis())
    """

    running: bool

    @abstractmethod
    def start(self, n_steps: int, n_parts: int) -> tuple[Any, ...]:
        """Return the arrays of a function that has learned nothing, as the kernel takes them.

        Parameters
        ----------
        n_steps : int
            Number of base classifiers.
        n_parts : int
            Number of parts, one per top class.

        Returns
        -------
        tuple
            What is learned comes first.
        """

    def norm(self, tables: Tables) -> NDArray[np.float64]:
        """Return the positive numbers that the score is divided by at each step.

        Parameters
        ----------
        tables : Tables
            Votes of the base classifiers.

        Returns
        -------
        ndarray of shape (N,)
            Norms.
        """
        return running_norm(tables) if self.running else total_norm(tables)


@dataclass
class Table(Value):
    """Q in equal bins of the state: the simplest and fastest value function.

    Parameters
    ----------
    n_bins : int, default=11
        Number of bins.
    running : bool, default=True
        Whether to divide f by what the steps so far can have added, or by the sum of all alphas as
        the paper's footnote does, which needs some hundred bins.

    Examples
    --------
    >>> from mddag.solvers import Sarsa
    >>> from mddag.solvers.values import Table
    >>> solver = Sarsa(values=Table(n_bins=200, running=False))
    """

    n_bins: int = 11
    running: bool = True

    def __post_init__(self) -> None:
        check_whole("n_bins", self.n_bins, 1)
        check_one_of("running", self.running, (True, False))

    def start(self, n_steps: int, n_parts: int) -> tuple[NDArray[np.float64], int]:
        # q, flat, and the number of bins
        return np.zeros(n_steps * n_parts * self.n_bins * len(ACTIONS)), self.n_bins


SPACING = math.sqrt(2 * math.log(1 / 0.4))  # in sigmas: where an activation falls to 0.4


@dataclass
class RadialBasis(Value):
    """Q as a sum of Gaussian bumps, the value function of the authors' program.

    Q(s, a) is the sum over centers c of weight_c exp(-(s - c)^2 / (2 sigma^2)), cut off at 5 sigma.
    Only the weights are learned. Where the temporal-difference error exceeds a tenth of the largest
    weight and no center is active above 0.4, a center is added at s whose weight is the error.

    Parameters
    ----------
    n_centers : int, default=11
        Number of bumps to begin with, at (i + 1) / (n_centers + 1).
    sigma : float, default=None
        Width of a bump; ``min(1 / (2.2 * n_centers), 0.01)`` by default.
    max_centers : int, default=1000
        Largest number of bumps per step, part and action.
    normalized : bool, default=False
        Whether to divide by the sum of the activations.
    running : bool, default=False
        Whether to divide f by what the steps so far can have added, or by the sum of all alphas.

    Examples
    --------
    >>> from mddag.solvers import WatkinsQ
    >>> from mddag.solvers.values import RadialBasis
    >>> solver = WatkinsQ(values=RadialBasis(n_centers=5, sigma=0.1))
    """

    n_centers: int = 11
    sigma: float | None = None
    max_centers: int = 1000
    normalized: bool = False
    running: bool = False

    def __post_init__(self) -> None:
        check_whole("n_centers", self.n_centers, 0)
        check_whole("max_centers", self.max_centers, max(self.n_centers, 1))
        check_one_of("normalized", self.normalized, (True, False))
        check_one_of("running", self.running, (True, False))
        if self.sigma is not None:
            check_positive("sigma", self.sigma)

    def start(
        self, n_steps: int, n_parts: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int32], float, bool]:
        # weights and centers (n_functions, capacity), counts, sigma, and whether to normalize
        sigma = min(1 / (2.2 * max(self.n_centers, 1)), 0.01) if self.sigma is None else self.sigma
        # Centers keep a distance from each other, so only this many fit in [0, 1].
        room = self.n_centers + math.floor(1 / (SPACING * sigma)) + 1
        n_functions = n_steps * n_parts * len(ACTIONS)
        centers = np.zeros((n_functions, min(self.max_centers, room)))
        centers[:, : self.n_centers] = np.arange(1, self.n_centers + 1) / (self.n_centers + 1)
        counts = np.full(n_functions, self.n_centers, np.int32)
        return np.zeros_like(centers), centers, counts, float(sigma), self.normalized
