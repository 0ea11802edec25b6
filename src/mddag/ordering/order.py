"""The contract of an ordering: from the votes of base classifiers to a better sequence of them.

A policy walks through h_1 … h_N in sequence, so the ones that tell most should come first. The
paper takes the sequence "sorted by importance"; AdaBoost's comes that way, a gradient-boosted one
does not. An order permutes, it never reweighs: the full sum keeps its value.

    arrangement = arranged(ordering, mdp.votes)
    policy = solver.solve(mdp.arranged(arrangement, grid)).after(arrangement)
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag.ensemble.votes import Votes


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


def checked_ordering(ordering: Any) -> None:
    """Refuse what cannot order base classifiers."""
    if isinstance(ordering, type) or not callable(ordering):
        raise TypeError(
            f"ordering is {ordering!r}; wanted a callable of (votes, costs, weight), such as "
            "Correlation()"
        )
