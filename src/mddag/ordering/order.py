"""The contract of an ordering: from the votes of base classifiers to a better sequence of them.

A policy walks through h_1 … h_N in sequence, so the ones that tell most should come first. The
paper takes the sequence "sorted by importance"; AdaBoost's comes that way, a gradient-boosted one
does not. An order permutes, it never reweighs: the full sum keeps its value.

    arrangement = arranged(ordering, mdp.votes)
    policy = solver.solve(mdp.arranged(arrangement, grid)).after(arrangement)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag.votes import Votes

BLOCK = 500_000  # votes that stand in memory as numbers at a time: 4 MB


class Ordering(Protocol):
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


def spaced_rows(n: int, most: int) -> NDArray[np.intp]:
    """All of n rows, or `most` of them evenly spaced."""
    return np.linspace(0, n - 1, min(n, most)).astype(np.intp)


def narrowness(votes: Votes, focus: float) -> NDArray[np.float64]:
    """exp(-focus m / rms m), m being |F| or the margin between the two best scores, (n,)."""
    scores = votes.scores()
    if scores.shape[1] == 1:
        margin = np.abs(scores[:, 0])
    else:
        scores.partition(-2, axis=1)
        margin = scores[:, -1] - scores[:, -2]
    rms = np.sqrt(np.mean(margin**2))
    return np.exp(-focus * margin / rms) if rms > 0 else np.ones(len(margin))


def blocks(n: int, votes: Votes) -> Iterator[slice]:
    """n rows in parts whose votes as numbers fit into `BLOCK`."""
    size = max(BLOCK // max(votes.tables.n_classifiers * votes.tables.n_scores, 1), 1)
    return (slice(start, min(start + size, n)) for start in range(0, n, size))
