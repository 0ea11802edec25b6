"""The contract of a value function: Q_j(s, a), one function per step, part and action.

s in [0, 1] is the score over the largest |f| that counts at step j, ``norm[j]``; with several
classes there is one part per top class, and s is the margin likewise. A value function here is a
recipe (its constructor's arguments); ``start`` makes the arrays that a kernel of
native/solvers/values.hpp reads and updates.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mddag.ensemble.votes import Tables


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
