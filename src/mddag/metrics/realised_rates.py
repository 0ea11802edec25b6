"""RealisedRates: FPR and TPR of a detector on rows held out, beside the one that was wanted.

A wanted FPR is met exactly on the rows that a threshold was taken from, and only nearly on others.
So a detector always says both: what was wanted, and what rows held out had, with its error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mddag._internal.checks import check_one_of


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

    def __post_init__(self) -> None:
        check_one_of("target", self.target, ("target_fpr", "target_tpr"))
        for name in ("fpr_interval", "tpr_interval"):
            low, high = getattr(self, name)
            object.__setattr__(self, name, (float(low), float(high)))

    def __str__(self) -> str:
        return "\n".join([self.line("fpr"), self.line("tpr")])

    def line(self, rate: str) -> str:
        """One of the rates, "fpr" or "tpr", beside the one that was wanted, if it was."""
        check_one_of("rate", rate, ("fpr", "tpr"))
        name, found, error = rate.upper(), getattr(self, rate), getattr(self, f"{rate}_error")
        low, high = getattr(self, f"{rate}_interval")
        wanted = f"{self.wanted:g} wanted, " if self.target == f"target_{rate}" else ""
        rows = f"{self.n_negatives} negatives" if rate == "fpr" else f"{self.n_positives} positives"
        return (
            f"{name}: {wanted}{found:.4g} +- {error:.2g} realised on {rows} held out "
            f"(95 %: {low:.4g} to {high:.4g})"
        )
