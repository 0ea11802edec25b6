"""Callables as base classifiers: any function of rows that gives votes is an h_j.

An Ensemble of callables has no trees, so no kernel runs it; each h_j is called with all rows that
evaluate it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag._internal.checks import typed
from mddag.features.rows import Floats, Rows

Voter = Callable[[Floats], ArrayLike]


@dataclass(frozen=True, eq=False)
class Rescaled:
    """A callable base classifier, its votes multiplied by (K,) and constants (K,) added to them."""

    voter: Voter
    scale: NDArray[np.float64]
    shift: NDArray[np.float64]

    def __call__(self, rows: Floats) -> NDArray[np.float64]:
        votes = np.asarray(self.voter(rows), np.float64)
        return self.scale * votes.reshape(len(rows), -1) + self.shift


def check_callables(callables: Sequence[Any]) -> None:
    """Refuse an empty list, and what cannot be called."""
    bad = next((i for i, h in enumerate(callables) if not callable(h)), None)
    if bad is not None:
        raise TypeError(f"callables[{bad}] is {typed(callables[bad])}; wanted functions of X")
    if not callables:
        raise ValueError("callables is empty; an ensemble needs at least one base classifier")


def called(voter: Voter, j: int, rows: Rows, n_scores: int) -> NDArray[np.float64]:
    """The votes of callable h_j on rows, (n_rows, K), if they have this shape or (n_rows,)."""
    votes = np.asarray(voter(np.asarray(rows)), np.float64)
    votes = votes[:, None] if votes.ndim == 1 else votes
    if votes.shape != (len(rows), n_scores):
        raise ValueError(
            f"base classifier {j} returned votes of shape "
            f"{votes.shape} for {len(rows)} rows; wanted ({len(rows)}, {n_scores})"
        )
    return votes
