"""JudgedCandidates: policies with the loss and the cost that held-out rows let expect of each.

Neither depends on beta, so a candidate is judged once and competes at every price: the answer at
beta is the candidate with the smallest value of Eq. (8), loss + beta x cost.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from mddag.mdp.policy import Policy
from mddag.solvers.front import front, spaced_front


class JudgedCandidates(ABC):
    """Candidates by number, for base classifiers as the MDP has them; the full ensemble is 0."""

    @property
    @abstractmethod
    def losses(self) -> NDArray[np.float64]:
        """The expected loss of every candidate, (n_candidates,)."""

    @property
    @abstractmethod
    def costs(self) -> NDArray[np.float64]:
        """The mean cost of every candidate, (n_candidates,)."""

    @abstractmethod
    def candidate(self, at: int) -> Policy:
        """A candidate by its number."""

    def best(self, beta: float) -> int:
        """The number of the candidate with the smallest value of Eq. (8), the first in a tie."""
        return int((self.losses + beta * self.costs).argmin())

    def policy(self, beta: float) -> Policy:
        """The best candidate at a price."""
        return self.candidate(self.best(beta))

    def front(self) -> NDArray[np.intp]:
        """The candidates that no cheaper one beats in loss, by rising cost."""
        return front(self.losses, self.costs)

    def spaced_front(self, ratio: float) -> list[tuple[float, Policy]]:
        """Of the front, from the dearest on, candidates that are each cheaper by a factor `ratio`
        or more, and their prices; without the cheapest, which has no price."""
        found = spaced_front(self.losses, self.costs, ratio)[:-1]
        return [(price, self.candidate(at)) for price, at in found]
