"""Promise: what a sparse DAG may lose at most against the full ensemble, and the proof of it.

The proof is a set of rows that neither taught nor chose: candidates are tested on them in turn,
from careful to bold, up to the first whose bound cannot be shown (see ``bounds``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mddag._internal.doubts import doubt
from mddag.tuning import p_values as bounds
from mddag.tuning.candidates import Candidate, Ladder
from mddag.tuning.excess_loss import Measure
from mddag.tuning.row_parts import CERTIFIED_SHARES


@dataclass(frozen=True)
class Promise:
    """The mean harm is at most `bound` on rows to come, with `confidence`."""

    knob: str
    bound: float
    confidence: float
    measure: Measure

    def p_value(self, harm: NDArray[np.float64]) -> float:
        """Of "the mean harm is at least the bound", given the harm (n,) of rows drawn at random."""
        if self.measure == "mean":
            return bounds.mean_p_value(harm, self.bound)
        n_worse, n_better = int((harm > 0).sum()), int((harm < 0).sum())
        if self.measure == "share":
            return bounds.share_p_value(n_worse, len(harm), self.bound)
        return bounds.difference_p_value(n_worse, n_better, len(harm), self.bound)

    def price(self, n_certifying: int) -> float:
        """What a changed label costs the proof, besides its harm (only a "difference" has both)."""
        if self.measure != "difference":
            return 0.0
        return bounds.price_of_difference(self.bound, n_certifying, self.confidence)

    def require(self, n_rows: int, n_certifying: int) -> None:
        """Refuse what even a policy without any harm could not pass: too few rows, or too sure."""
        if self.measure == "difference" and 1 - self.confidence < bounds.NUISANCE:
            raise ValueError(
                f"confidence is {self.confidence}, but no number of rows proves {self.knob} with "
                f"{1 - bounds.NUISANCE} or more; give less, or max_disagreement, which bounds it"
            )
        needed = {
            "share": bounds.rows_for_share(self.bound, self.confidence),
            "difference": bounds.rows_for_difference(self.bound, self.confidence),
            # a share `bound` of rows that each lose the variance of y would have to be noticed
            "mean": bounds.rows_for_share(self.bound, self.confidence),
        }[self.measure]
        if n_certifying < needed:
            raise ValueError(
                f"{n_rows} rows are too few to promise {self.knob}={self.bound} with confidence "
                f"{self.confidence}: it takes {needed} rows that only certify, so at least "
                f"{math.ceil(needed / CERTIFIED_SHARES[-1])} in all, and about ten times as many "
                "to be near the bound; give more rows, a larger bound, or confidence=None"
            )


def certified(
    ladder: Ladder, promise: Promise, seen: NDArray[np.intp], certifying: NDArray[np.intp]
) -> Candidate:
    """The boldest candidate for which the rows `certifying` prove the promise.

    Which candidates are tested, and in which order, the rows `seen` decide. The full ensemble
    needs no proof: it is the answer, with a warning, where nothing bolder has one.
    """

    def plausible(c: Candidate) -> bool:
        return promise.p_value(c.harm[seen]) <= 1 - promise.confidence

    full, *bolder = ladder.laid_out(promise.bound, plausible, seen)
    p_values = (promise.p_value(c.harm[certifying]) for c in bolder)
    n_promised = bounds.last_promised(p_values, promise.confidence)
    if n_promised > 0:
        return bolder[n_promised - 1]
    doubt(
        f"{len(certifying)} certifying rows prove {promise.knob}={promise.bound} for no policy "
        "faster than the full ensemble, which is returned; give more rows or a larger bound"
    )
    return full
