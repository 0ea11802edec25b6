"""Operating point: the rate that is wanted, and what it makes of theta and lambda.

theta is the threshold at the end of a cascade: that of the wanted FPR (or TPR). lambda, the price
of a false positive in misses, is the slope of the ROC curve there,

    lambda = [TPR(2 a) - TPR(a / 2)] / (1.5 a),       a the FPR,

since on the curve a small change of theta gains as many positives as it pays in false ones.

`Target.expected` allows for the rows: of n negatives the (k + 1)-th largest score is exceeded by a
new negative with probability (k + 1) / (n + 1), so theta is the score with the largest k for which
this is at most the wanted FPR. With fewer than 1 / FPR - 1 negatives it is their largest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mddag._internal.checks import check_between
from mddag._internal.warnings import doubt

Floats = NDArray[np.float64]
LEAST_LAMBDA = 0.1
ROUNDING = 1e-9
DECIDING = 5  # negatives that decide the rate at which cascades are judged
LARGEST_FPR = 0.1  # of those rates: with few negatives they would be no detection any more
FEWEST_EVENTS = 10  # false positives (or misses) that a rate is known by to a third


@dataclass(frozen=True)
class Target:
    """The wanted rate: exactly one of the two is a number."""

    fpr: float | None = None
    tpr: float | None = None

    def check(self) -> None:
        """Refuse what is no rate, and none or two of them."""
        given = {"target_fpr": self.fpr, "target_tpr": self.tpr}
        rates = {name: value for name, value in given.items() if value is not None}
        if len(rates) != 1:
            got = " and ".join(f"{name}={value}" for name, value in rates.items()) or "neither"
            raise ValueError(f"got {got}; wanted exactly one of target_fpr and target_tpr")
        ((name, value),) = rates.items()
        check_between(name, value, 0.0, 1.0, "a rate above 0 and below 1, such as 0.001")
        if value in (0, 1):
            raise ValueError(f"{name} is {value}; wanted a rate above 0 and below 1")

    @property
    def name(self) -> str:
        return "target_fpr" if self.tpr is None else "target_tpr"

    @property
    def rate(self) -> float:
        found = self.fpr if self.tpr is None else self.tpr
        assert found is not None
        return found

    def to_judge(self, rows: Ends) -> Target:
        """The rate at which these rows judge cascades: a larger FPR where fewer than DECIDING of
        the negatives decide the wanted one, for then the best cascade there is the luckiest."""
        if self.fpr is None:
            return self
        least = min(DECIDING * _per_row(rows.negative_shares), LARGEST_FPR)
        return Target(fpr=max(self.fpr, least))

    def theta(self, rows: Ends) -> float:
        """The threshold that meets the rate on these very rows."""
        if self.fpr is not None:
            return exceeded_by(rows.scores[~rows.positive], rows.negative_shares, self.fpr)
        return self._at_tpr(rows, self.rate)

    def expected(self, rows: Ends) -> float:
        """The threshold that meets the rate on rows to come, on average."""
        if self.fpr is not None:
            fewer = self.fpr - (1 - self.fpr) * _per_row(rows.negative_shares)
            return exceeded_by(rows.scores[~rows.positive], rows.negative_shares, fewer)
        more = self.rate + self.rate * _per_row(rows.positive_shares)
        return self._at_tpr(rows, min(more, 1.0))

    def safer(self, theta: float, other: float) -> float:
        """Of two thresholds the one that keeps to the wanted rate rather."""
        return max(theta, other) if self.fpr is not None else min(theta, other)

    def doubt_few(self, rows: Ends) -> None:
        """Warn of too few rows to know the rate by."""
        fpr = self.fpr is not None
        rate = self.rate if fpr else 1 - self.rate
        share = rows.negative_shares if fpr else rows.positive_shares
        if not self.is_known(rows):
            kind, what = ("negatives", "FPR") if fpr else ("positives", "TPR")
            doubt(
                f"{self.name}={self.rate:g} is to be met with {len(share)} {kind}, of which "
                f"{rate * len(share):.2g} decide it; wanted {FEWEST_EVENTS / rate:.0f} or more: "
                f"the {what} of rows to come may be several times off, see realised_fpr_"
            )

    def _at_tpr(self, rows: Ends, tpr: float) -> float:
        above = exceeded_by(-rows.scores[rows.positive], rows.positive_shares, 1 - tpr)
        return float(np.nextafter(-above, -np.inf))

    def loss(self, rows: Ends, lam: float) -> float:
        """What is lost at the wanted rate: misses, or lambda times the false positives."""
        tpr, fpr = rows.rates(self.theta(rows))
        if self.fpr is not None:
            return 1 - tpr
        return lam * fpr if tpr >= self.rate - ROUNDING else lam + 1 - tpr

    def mean_loss(self, rows: Ends, lam: float) -> float:
        """The loss at about the wanted rate: with few rows the one at the rate itself is luck."""
        if self.fpr is None:
            return self.loss(rows, lam)
        about = (Target(fpr=min(factor * self.fpr, 1.0)) for factor in (0.5, 1.0, 2.0))
        return float(np.mean([target.loss(rows, lam) for target in about]))

    def is_known(self, rows: Ends) -> bool:
        """Whether there are rows enough for the rate to be more than luck."""
        share = rows.negative_shares if self.fpr is not None else rows.positive_shares
        rare = self.rate if self.fpr is not None else 1 - self.rate
        return 1 / _per_row(share) >= FEWEST_EVENTS / rare

    def slope(self, rows: Ends) -> float:
        """lambda, the slope of the ROC curve at the wanted rate."""
        fpr = rows.rates(self.theta(rows))[1] if self.fpr is None else self.fpr
        fpr = max(fpr, _per_row(rows.negative_shares))
        high, low = (rows.rates(Target(fpr=a).theta(rows))[0] for a in (min(2 * fpr, 1), fpr / 2))
        return max((high - low) / (1.5 * fpr), LEAST_LAMBDA)


@dataclass(frozen=True, eq=False)
class Ends:
    """Rows at the end of a cascade.

    scores   : (n,), f_T; -inf for rows that were rejected
    positive : (n,)
    share    : (n,), weights of the rows; those of each class add up to 1
    """

    scores: Floats
    positive: NDArray[np.bool_]
    share: Floats

    @property
    def negative_shares(self) -> Floats:
        return self.share[~self.positive]

    @property
    def positive_shares(self) -> Floats:
        return self.share[self.positive]

    def rates(self, theta: float) -> tuple[float, float]:
        """TPR and FPR at a threshold."""
        above = self.share * (self.scores > theta)
        return float(above[self.positive].sum()), float(above[~self.positive].sum())


def exceeded_by(scores: Floats, share: Floats, rate: float) -> float:
    """The smallest of the scores that at most `rate` of their shares exceed; the largest score
    where that is none."""
    order = np.argsort(-scores, kind="stable")
    allowed = int(np.searchsorted(np.cumsum(share[order]), rate + ROUNDING, side="right"))
    return float(scores[order[min(allowed, len(scores) - 1)]])


def _per_row(share: Floats) -> float:
    """One row as a share: 1 / n for equal rows, else 1 / the number of equal rows that tell as
    much."""
    return float(np.square(share).sum())
