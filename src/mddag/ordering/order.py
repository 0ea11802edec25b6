"""The contract of an ordering: votes of base classifiers come in, a better sequence goes out.

A policy decides on h_1 … h_N in sequence, so those whose sum soon resembles the full score should
come first. The paper takes the sequence "sorted by importance"; AdaBoost's is, a gradient-boosted
one is not. An order is a permutation without weights: the full sum keeps its value.

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
        """Base classifiers in the order in which to evaluate them, intp (N,).

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
