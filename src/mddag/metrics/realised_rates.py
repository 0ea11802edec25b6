"""RealisedRates: FPR and TPR of a detector on rows held out, beside the one that was wanted.

A wanted FPR is met exactly on the rows that a threshold was taken from, and only nearly on others.
So a detector always says both: what was wanted, and what rows held out had, with its error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class RealisedRates:
    """Rates on held-out rows, beside the one that was wanted.

    target, wanted           : "target_fpr" or "target_tpr", and its number
    fpr, tpr                 : as measured
    fpr_error, tpr_error     : their standard errors
    fpr_interval, tpr_interval : of Clopper and Pearson, 95 %
    n_negatives, n_positives : rows that they were measured on
    n_evaluated              : mean evaluations on negatives
    """

    target: str
    wanted: float
    fpr: float
    fpr_error: float
    fpr_interval: Sequence[float]
    tpr: float
    tpr_error: float
    tpr_interval: Sequence[float]
    n_negatives: int
    n_positives: int
    n_evaluated: float

    def __str__(self) -> str:
        return (
            f"FPR {self._of('fpr')}, 95 %: {self.fpr_interval[0]:.2g} to "
            f"{self.fpr_interval[1]:.2g}, on {self.n_negatives} negatives held out; "
            f"TPR {self._of('tpr')} on {self.n_positives} positives"
        )

    def _of(self, rate: str) -> str:
        """A rate beside the one that was wanted, if it was."""
        digits = ".4g" if rate == "fpr" else ".3f"
        wanted = f"{self.wanted:g} wanted, " if self.target == f"target_{rate}" else ""
        found, error = getattr(self, rate), getattr(self, f"{rate}_error")
        return f"{wanted}{found:{digits}} +- {error:.2g} realised"
