"""Prices: what the reject thresholds of a detector weigh against each other."""

from __future__ import annotations

from dataclasses import dataclass


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
    evaluation: float = 1e-3
    shift: float = 0.15
