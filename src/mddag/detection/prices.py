"""Prices: what the reject thresholds of a detector weigh against each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mddag._internal.checks import check_between


@dataclass(frozen=True)
class Prices:
    """See mddag.solvers.rejection.thresholds; a missed object costs 1.

    miss           : share of the held-out objects that the last threshold may lose
    false_positive : price of a negative that is accepted
    evaluation     : price of one tree on one negative
    shift          : by how many deviations objects are taken to be lower than they are
    """

    miss: float = 0.03
    false_positive: float = 10.0
    evaluation: float = 3e-3
    shift: float = 0.15

    def __post_init__(self) -> None:
        check_between("miss", self.miss, 0.0, 1.0, "a share of the objects, 0 to 1")
        for name in ("false_positive", "evaluation", "shift"):
            check_between(name, getattr(self, name), 0.0, np.inf, "a finite number, 0 or more")
