"""The contract of an ordering: from the votes of base classifiers to a better sequence of them.

A policy walks through h_1 … h_N in sequence, so the ones that tell most should come first. The
paper takes the sequence "sorted by importance"; AdaBoost's comes that way, a gradient-boosted one
does not. An order permutes, it never reweighs: the full sum keeps its value.

    arrangement = arranged(ordering, mdp.votes)
    policy = solver.solve(mdp.arranged(arrangement, grid)).after(arrangement)
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag.votes import Votes


class Ordering(Protocol):
    """Any callable of (votes, costs, weight) that returns a permutation is an order."""

    def __call__(
        self, votes: Votes, costs: ArrayLike | None = None, weight: ArrayLike | None = None
    ) -> NDArray[np.intp]:
        """Base classifiers in the order in which to ask them, intp (N,).

        costs  : price of each base classifier (N,), 1 by default
        weight : what each row counts for (n,), 1 by default
        """
        ...


def checked_numbers(name: str, numbers: ArrayLike | None, n: int) -> NDArray[np.float64]:
    """`numbers` (n,), finite and not negative; ones for None."""
    if numbers is None:
        return np.ones(n)
    array = np.asarray(numbers, np.float64)
    if array.shape != (n,):
        raise ValueError(f"{name} has shape {array.shape}; wanted ({n},)")
    bad = np.flatnonzero(~(np.isfinite(array) & (array >= 0)))
    if len(bad):
        raise ValueError(f"{name}[{bad[0]}] is {array[bad[0]]}; wanted finite numbers, 0 or more")
    return array
