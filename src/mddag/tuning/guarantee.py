"""Guarantee: what a sparse DAG may lose at most against the full ensemble, and its proof.

The proof rests on the certifying rows, on which nothing was learned or chosen. Candidates are
tested on them in turn, from the most evaluations to the fewest, up to the first whose bound cannot
be shown (``p_values``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mddag._internal.warnings import doubt
from mddag.metrics.classification import ClassMetric
from mddag.tuning import p_values
from mddag.tuning.candidate_front import Candidate, CandidateFront
from mddag.tuning.excess_loss import Measure
from mddag.tuning.row_parts import CERTIFIED_SHARES

WORST = 0.25  # of a metric: a row hardly loses more, and so rare ones must be noticed
FEWEST = 100  # rows, for a mean to be about normal


@dataclass(frozen=True)
class Guarantee:
    """The mean excess loss is at most `bound` on rows to come, with `confidence`.

    measure : of the excess loss; it decides the test
    metric  : of which it is, None for the default: accuracy, or R2
    """

    knob: str
    bound: float
    confidence: float
    measure: Measure
    metric: ClassMetric | None = None

    @property
    def exact(self) -> bool:
        """Whether the confidence holds for every distribution of rows and any number of them;
        else for many rows, by a central limit theorem."""
        return self.measure in ("share", "difference", "bounded")

    def p_value(self, excess: NDArray[np.float64]) -> float:
        """Of "the mean excess loss is at least the bound", given that of rows drawn at random."""
        if self.measure == "mean":
            return p_values.mean_p_value(excess, self.bound)
        if self.measure == "asymptotic":
            return p_values.skewed_p_value(excess, self.bound)
        if self.measure == "bounded":
            return p_values.bounded_p_value(excess, self.bound, self.span, self.confidence)
        n_worse, n_better = int((excess > 0).sum()), int((excess < 0).sum())
        if self.measure == "share":
            return p_values.share_p_value(n_worse, len(excess), self.bound)
        return p_values.difference_p_value(n_worse, n_better, len(excess), self.bound)

    @property
    def span(self) -> float:
        """The excess loss of a row is from minus this number to this number."""
        found = 1.0 if self.metric is None else self.metric.span
        assert found is not None
        return found

    def price(self, n_certifying: int) -> float:
        """What a changed label costs the proof besides its loss; 0 but for a "difference"."""
        if self.measure != "difference":
            return 0.0
        return p_values.price_of_difference(self.bound, n_certifying, self.confidence)

    def require(self, n_rows: int, n_certifying: int, share: float = CERTIFIED_SHARES[-1]) -> None:
        """Refuse what no policy could pass, whatever it loses: too few rows, or too sure.

        share : of the rows that certify
        """
        if self.measure == "difference" and 1 - self.confidence < p_values.NUISANCE:
            raise ValueError(
                f"confidence is {self.confidence}, but no number of rows proves {self.knob} with "
                f"{1 - p_values.NUISANCE} or more; give less, or max_disagreement, which bounds it"
            )
        needed = {
            "share": lambda: p_values.rows_for_share(self.bound, self.confidence),
            "difference": lambda: p_values.rows_for_difference(self.bound, self.confidence),
            # a share `bound` of rows that each lose the variance of y would have to be noticed
            "mean": lambda: p_values.rows_for_share(self.bound, self.confidence),
            "bounded": lambda: p_values.rows_for_mean(self.bound, self.span, self.confidence),
            "asymptotic": lambda: max(
                p_values.rows_for_share(min(self.bound / WORST, 0.5), self.confidence), FEWEST
            ),
        }[self.measure]()
        if n_certifying < needed:
            raise ValueError(
                f"{n_rows} rows are too few to promise {self.knob}={self.bound} with confidence "
                f"{self.confidence}: it takes {needed} rows that only certify, so at least "
                f"{math.ceil(needed / share)} in all, and about ten times as many "
                "to be near the bound; give more rows, a larger bound, or confidence=None"
            )


def certified(
    search: CandidateFront,
    guarantee: Guarantee,
    seen: NDArray[np.intp],
    certifying: NDArray[np.intp],
) -> Candidate:
    """The candidate with the fewest evaluations whose guarantee the certifying rows prove.

    The rows `seen` decide which candidates are tested, and in which order. The full ensemble needs
    no proof: it is the answer, with a warning, where there is no proof for any other.
    """

    def plausible(candidate: Candidate) -> bool:
        return guarantee.p_value(candidate.excess[seen]) <= 1 - guarantee.confidence

    full, *cheaper = search.laid_out(guarantee.bound, plausible, seen)
    found = (guarantee.p_value(candidate.excess[certifying]) for candidate in cheaper)
    n_proved = p_values.last_promised(found, guarantee.confidence)
    if n_proved > 0:
        return cheaper[n_proved - 1]
    doubt(
        f"{len(certifying)} certifying rows prove {guarantee.knob}={guarantee.bound} for no policy "
        "faster than the full ensemble, which is returned; give more rows or a larger bound"
    )
    return full
