"""Reject thresholds by backward induction, and the last threshold at a wanted rate.

After step t a row with the partial sum f_t is rejected where f_t <= r_t; a row that passes all T
steps is called positive where f_T > theta. The thresholds minimize

    P(miss) + lambda P(false positive) + beta E_negatives[cost of the steps evaluated].

Let V_t(i) be what row i pays from step t on if it is not rejected there. At the end V_T is 1 for a
positive at or below theta, lambda for a negative above it. Rejection costs a positive 1 and a
negative nothing, so from the last step but one down to the first

    r_t = argmax_r  sum over rows with f_t <= r of  [V_t(i) - reject(i)],

one sort and one running sum. Rows are all rows, not only those that reach step t: the thresholds of
earlier steps are not known yet. With thresholds of a first pass (`before`) a second one leaves out
the rows that these reject earlier; on the rows given that lowers the objective further.

Positives are few where it matters, in their lower tail. As a guard each positive counts as if it
were `shift` standard deviations (of the positives' f_t) lower than it is.

theta is the threshold of the wanted FPR (or TPR), see `WantedRate`. lambda, the price of a false
positive in misses, is the slope of the ROC curve there,

    lambda = [TPR(2 a) - TPR(a / 2)] / (1.5 a),       a the FPR,

since on the curve a small change of theta gains as many positives as it pays in false ones.

`WantedRate.expected` allows for the rows: of n negatives the (k + 1)-th largest score is exceeded
by a new negative with probability (k + 1) / (n + 1), so theta is the score with the largest k for
which this is at most the wanted FPR. With fewer than 1 / FPR - 1 negatives it is their largest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag._utils.checks import check_between
from mddag._utils.warnings import doubt

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

GAP = 1e-9  # of the range of the sums: keys no further apart are one, but for rounding
NEVER = -np.inf  # the threshold of a step that rejects no row
LEAST_LAMBDA = 0.1
ROUNDING = 1e-9
DECIDING = 5  # negatives that decide the rate at which cascades are chosen
LARGEST_FPR = 0.1  # of those rates: with few negatives they would be no detection any more
FEWEST_EVENTS = 10  # false positives (or misses) that a rate is known by to a third


@dataclass(frozen=True, eq=False)
class RankedSums:
    """Partial sums of rows, sorted at each step: what all candidates of one order share."""

    sums: Floats  # (T, n), f_1 … f_T
    positive: Flags  # (n,)
    share: Floats  # (n,), weights of the rows; those of each class add up to 1
    ranks: NDArray[np.int32]  # (T, n), rows by rising sum, that of positives less the shift
    cuts: Floats  # (T, n), a threshold after the k-th row of a step; NaN where the next is a tie

    @classmethod
    def of(
        cls, sums: Floats, positive: Flags, weight: Floats | None = None, *, shift: float
    ) -> RankedSums:
        """Sort sums (T, n)."""
        share = shares_by_class(positive, weight)
        ranks, cuts = np.empty(sums.shape, np.int32), np.empty(sums.shape)
        for t, f in enumerate(sums):
            among = share * positive
            deviation = float(np.sqrt(among @ np.square(f - among @ f)))
            key = f - shift * deviation * positive
            ranks[t] = np.argsort(key, kind="stable")
            cuts[t] = _cuts(key[ranks[t]])
        return cls(sums, positive, share, ranks, cuts)

    def thresholds(
        self,
        theta: float,
        lam: float,
        prices: Floats,
        *,
        looks: Flags | None = None,
        before: Floats | None = None,
    ) -> Floats:
        """Learn r_1 … r_T' of as many steps as have prices; `looks` are those that may reject."""
        length = len(prices)
        reject, negative = self.share * self.positive, self.share * ~self.positive
        going_on = np.where(self.sums[length - 1] > theta, lam * negative, reject)
        looks = np.ones(length, bool) if looks is None else looks
        reached = np.full(len(reject), length, np.int32)
        if before is not None:
            reached = last_steps(self.sums, before)
        found = np.empty(length)
        _core.reject_thresholds(
            (self.sums, self.ranks, self.cuts),
            (reject, negative, reached, prices, looks),
            GAP,
            going_on,
            found,
        )
        return found


def last_steps(sums: Floats, thresholds: Floats) -> NDArray[np.int32]:
    """Return the step, counted from 0, at which rows with sums (T, n) are rejected, or the last."""
    last = np.empty(sums.shape[1], np.int32)
    _core.last_steps(sums, thresholds, last)
    return last


def shares_by_class(positive: Flags, weight: Floats | None) -> Floats:
    """Return weights (n,) that add up to 1 over the positives and over the negatives."""
    weight = np.ones(len(positive)) if weight is None else weight
    totals = np.where(positive, weight[positive].sum(), weight[~positive].sum())
    return np.asarray(weight / totals)


def _cuts(keys: Floats) -> Floats:
    """Cut midway between each of the sorted keys and the next one, and a little above the last."""
    near = GAP * max(float(keys[-1] - keys[0]), 1e-300)
    cuts = np.append((keys[:-1] + keys[1:]) / 2, keys[-1] + max(near, abs(keys[-1]) * GAP))
    cuts[:-1][np.diff(keys) <= near] = np.nan  # no threshold can part them
    return cuts


@dataclass(frozen=True, eq=False)
class EndScores:
    """Rows at the end of a cascade."""

    scores: Floats  # (n,), f_T; -inf for rows that were rejected
    positive: Flags  # (n,)
    share: Floats  # (n,), weights of the rows; those of each class add up to 1

    @classmethod
    def of(cls, scores: Floats, positive: Flags, weight: Floats | None = None) -> EndScores:
        """Take rows with weights (n,) of any sum; None: all alike."""
        return cls(scores, positive, shares_by_class(positive, weight))

    def rates(self, theta: float) -> tuple[float, float]:
        """Return TPR and FPR at a threshold."""
        above = self.share * (self.scores > theta)
        return float(above[self.positive].sum()), float(above[~self.positive].sum())

    def exceeded_by(self, rate: float) -> float:
        """Return the smallest score that at most `rate` of the negatives exceed, or the largest."""
        return _exceeded_by(self.scores[~self.positive], self.share[~self.positive], rate)

    def reached_by(self, rate: float) -> float:
        """Return a threshold just below the largest score that `rate` of the positives reach."""
        missed = _exceeded_by(-self.scores[self.positive], self.share[self.positive], 1 - rate)
        return float(np.nextafter(-missed, -np.inf))

    def one_of(self, rows: Flags) -> float:
        """Return one of the rows as a share: 1 / the number of equal rows that tell as much."""
        return float(np.square(self.share[rows]).sum())


def _exceeded_by(scores: Floats, share: Floats, rate: float) -> float:
    """Return the smallest score that at most `rate` of the shares exceed, or the largest score."""
    order = np.argsort(-scores, kind="stable")
    allowed = int(np.searchsorted(np.cumsum(share[order]), rate + ROUNDING, side="right"))
    return float(scores[order[min(allowed, len(scores) - 1)]])


@dataclass(frozen=True)
class WantedRate:
    """The wanted rate: exactly one of the two is a number."""

    fpr: float | None = None
    tpr: float | None = None

    def __post_init__(self) -> None:
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
        """Return the name of the argument that asks for it."""
        return "target_fpr" if self.tpr is None else "target_tpr"

    @property
    def rate(self) -> float:
        """Return the one that is a number."""
        return self.tpr if self.fpr is None else self.fpr  # type: ignore[return-value]

    def theta(self, rows: EndScores) -> float:
        """Return the threshold that meets the rate on these very rows."""
        return rows.reached_by(self.rate) if self.fpr is None else rows.exceeded_by(self.fpr)

    def expected(self, rows: EndScores) -> float:
        """Return the threshold that meets the rate on unseen data, on average."""
        if self.fpr is not None:
            return rows.exceeded_by(self.fpr - (1 - self.fpr) * rows.one_of(~rows.positive))
        return rows.reached_by(min(self.rate + self.rate * rows.one_of(rows.positive), 1.0))

    def safer(self, theta: float, other: float) -> float:
        """Return the threshold of the two that keeps to the wanted rate rather."""
        return max(theta, other) if self.fpr is not None else min(theta, other)

    def for_choosing(self, rows: EndScores) -> WantedRate:
        """Return the rate at which these rows choose cascades: an FPR that some negatives decide.

        Where fewer than DECIDING negatives decide the wanted one, selection bias would choose.
        """
        if self.fpr is None:
            return self
        least = min(DECIDING * rows.one_of(~rows.positive), LARGEST_FPR)
        return WantedRate(fpr=max(self.fpr, least))

    def loss(self, rows: EndScores, lam: float) -> float:
        """Return what is lost at the wanted rate: misses, or lambda times the false positives."""
        tpr, fpr = rows.rates(self.theta(rows))
        if self.fpr is not None:
            return 1 - tpr
        return lam * fpr if tpr >= self.rate - ROUNDING else lam + 1 - tpr

    def mean_loss(self, rows: EndScores, lam: float) -> float:
        """Return the loss at about the wanted rate, since with few rows that at it is noise."""
        if self.fpr is None:
            return self.loss(rows, lam)
        about = (min(factor * self.fpr, 1.0) for factor in (0.5, 1.0, 2.0))
        return float(np.mean([1 - rows.rates(rows.exceeded_by(fpr))[0] for fpr in about]))

    def slope(self, rows: EndScores) -> float:
        """Return lambda, the slope of the ROC curve at the wanted rate."""
        fpr = rows.rates(self.theta(rows))[1] if self.fpr is None else self.fpr
        fpr = max(fpr, rows.one_of(~rows.positive))
        high, low = (rows.rates(rows.exceeded_by(a))[0] for a in (min(2 * fpr, 1), fpr / 2))
        return max((high - low) / (1.5 * fpr), LEAST_LAMBDA)

    def doubt_few(self, rows: EndScores) -> None:
        """Warn of too few rows to know the rate by."""
        of_fpr = self.fpr is not None
        rate = self.rate if of_fpr else 1 - self.rate
        deciding = ~rows.positive if of_fpr else rows.positive
        if 1 / rows.one_of(deciding) < FEWEST_EVENTS / rate:
            kind, what = ("negatives", "FPR") if of_fpr else ("positives", "TPR")
            n = np.count_nonzero(deciding)
            doubt(
                f"{self.name}={self.rate:g} is to be met with {n} {kind}, of which {rate * n:.2g} "
                f"decide it; wanted {FEWEST_EVENTS / rate:.0f} or more: the {what} of unseen data "
                "may be several times off, see result_.rates"
            )
