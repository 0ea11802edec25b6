"""The front of judged candidates: those that no cheaper candidate beats in loss.

Losses and costs are means over the same rows, both (n_candidates,). A price beta picks only
candidates on the convex hull of the front; a budget can use all of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from mddag.policy.policy import Policy

DIGITS = 40  # binary ones that a sum of losses over all rows can be relied on for
Vector = NDArray[np.float64]


def front(losses: Vector, costs: Vector) -> NDArray[np.intp]:
    """Return the candidates that no cheaper one beats in loss, by rising cost.

    Equal losses stay: on few rows many do as the full ensemble does, and the more
    expensive are safer.
    """
    order = np.lexsort((losses, costs))
    best_before = np.concatenate([[np.inf], np.minimum.accumulate(losses[order])[:-1]])
    rises = np.diff(costs[order], prepend=-1.0) > 0
    on_it = (losses[order] < best_before) | ((losses[order] == best_before) & rises)
    return np.asarray(order[on_it], np.intp)


def spaced_front(losses: Vector, costs: Vector, ratio: float) -> list[tuple[float, int]]:
    """Return candidates of the front from expensive to cheap, with their prices.

    Each is cheaper than the one before by a factor `ratio` or more.

    The price of a candidate is the beta at which the next cheaper one becomes as good: the
    difference of their losses per difference of their costs. The cheapest has none, infinity.
    """
    found: list[int] = []
    for at in front(losses, costs)[::-1].tolist():
        if not found or costs[at] * ratio <= costs[found[-1]]:
            found.append(at)
    saved, spent = np.diff(losses[found]), -np.diff(costs[found])
    return list(zip([*(saved / spent).tolist(), np.inf], found, strict=True))


def worth(losses: Vector, costs: Vector, at: int) -> float:
    """Return the highest price at which a candidate beats all that are cheaper."""
    cheaper = costs < costs[at]
    prices = (losses[cheaper] - losses[at]) / (costs[at] - costs[cheaper])
    return max(float(prices.min(initial=np.inf)), 0.0)


def rounded(losses: Vector) -> Vector:
    """Round to DIGITS binary digits of the largest, so that no unit of the loss matters."""
    largest = float(np.abs(losses).max())
    unit = 2.0 ** (np.frexp(largest)[1] - DIGITS)
    found: Vector = np.rint(losses / unit) * unit
    return found


class JudgedCandidates(ABC):
    """Candidates by number, for base classifiers as the MDP has them; the full ensemble is 0.

    Loss and cost do not depend on beta, so a candidate is judged once and competes at every price:
    the answer at beta is the candidate with the smallest value of Eq. (8), loss + beta x cost.
    """

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
        """Return a candidate by its number."""

    def best(self, beta: float) -> int:
        """Return the number of the best candidate by Eq. (8), the first in a tie."""
        return int((self.losses + beta * self.costs).argmin())

    def policy(self, beta: float) -> Policy:
        """Return the best candidate at a price."""
        return self.candidate(self.best(beta))

    def front(self) -> NDArray[np.intp]:
        """Return the candidates that no cheaper one beats in loss, by rising cost."""
        return front(self.losses, self.costs)
