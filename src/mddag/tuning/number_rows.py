"""Number rows: what rows lose with the regressor of every set, in units of R2.

    loss of row i in set s = (f_s(x_i) - y_i)^2 / variance of y

or the squared distance to what the full model says, or the mean of both. A policy decides by the
prediction f_s alone: it sees where numbers of that size are hard to tell, not how sure a model is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.tuning.set_rows import Floats, SetRows


@dataclass(frozen=True, eq=False)
class NumberRows(SetRows):
    """Rows with their predictions in every set.

    labels : float64 (n,), the true numbers; None where they are not known
    unit   : what a loss of 1 is: the variance of the true numbers
    """

    unit: float = 1.0

    @property
    def values(self) -> Floats:
        return self.scores[:, :, 0]

    def said(self, last: NDArray[np.intp]) -> NDArray[Any]:
        return self.values[np.arange(len(self)), last]

    def lost(self, said: NDArray[Any]) -> Floats:
        return np.asarray(np.square(said - self.truth) / self.unit)

    def changed(self, said: NDArray[Any]) -> Floats:
        return np.asarray(np.square(said - self.full) / self.unit)

    def risks(self) -> Floats:
        return np.asarray(next(iter(self.learned_from("").values())).mean(axis=0))

    def learned_from(self, knob: str) -> dict[str, Floats]:
        follows = np.square(self.values - self.full[:, None]) / self.unit
        if self.labels is None:
            return {"opinion": follows}
        follows += self.lost(self.full).mean()  # what the full model itself loses
        true = np.square(self.values - self.labels[:, None]) / self.unit
        return {"mean": (true + follows) / 2, "opinion": follows}

    @property
    def around(self) -> float | None:
        return None


def variance_of(numbers: NDArray[Any]) -> float:
    """The unit of R2; 1 where all numbers are the same."""
    return float(np.var(numbers)) or 1.0
