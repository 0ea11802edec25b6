"""Reject thresholds by backward induction.

After step t a row with the partial sum f_t is rejected where f_t <= r_t; a row that passes all T
steps is called positive where f_T > theta. The thresholds minimise

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

theta is the threshold of the wanted FPR (or TPR), see ``WantedRate``. lambda, the price of a false
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
from numpy.typing import ArrayLike, NDArray

from mddag import _core
from mddag._utils.checks import as_floats, check_between
from mddag._utils.warnings import doubt
from mddag.metrics.detection import checked_positive

Floats = NDArray[np.float64]
GAP = 1e-9  # of the range of the sums: keys no further apart are one, but for rounding
NEVER = -np.inf  # the threshold of a step that rejects no row
LEAST_LAMBDA = 0.1
ROUNDING = 1e-9
DECIDING = 5  # negatives that decide the rate at which cascades are chosen
LARGEST_FPR = 0.1  # of those rates: with few negatives they would be no detection any more
FEWEST_EVENTS = 10  # false positives (or misses) that a rate is known by to a third


def reject_thresholds(
    partial_sums: ArrayLike,
    positive: ArrayLike,
    theta: float,
    lam: float,
    beta: float,
    shift: float = 0.1,
    costs: ArrayLike | None = None,
) -> Floats:
    """Learn one reject threshold per step by backward induction.

    Parameters
    ----------
    partial_sums : array-like of shape (n, T)
        f_1 … f_T of each row.
    positive : array-like of shape (n,)
        Labels of two values.
    theta : float
        What f_T must exceed for a positive.
    lam, beta : float
        Prices of a false positive and of one evaluation of a negative; a miss costs 1.
    shift : float, default 0.1
        By how many standard deviations positives are taken to be lower.
    costs : array-like of shape (T,), default None
        Prices of the steps in units of beta; None means 1.

    Returns
    -------
    float64 array of shape (T,)
        r_1 … r_T; -inf where no row is rejected, as at the last step.

    Raises
    ------
    ValueError
        If a number is not finite, or all rows are of one class.

    Examples
    --------
    The first vote tells the classes apart, and the second costs a tenth per negative.

    >>> from mddag.detection.thresholds import reject_thresholds
    >>> sums = [[1.0, 2.0], [1.0, 1.5], [-1.0, 0.0], [-1.0, -2.0]]
    >>> reject_thresholds(sums, [1, 1, 0, 0], theta=1.0, lam=1.0, beta=0.1, shift=0.0)
    array([  0., -inf])
    """
    sums = as_floats("partial_sums", partial_sums, "numbers (n, T)")
    if sums.ndim != 2 or not np.isfinite(sums).all():
        raise ValueError(f"partial_sums are of shape {sums.shape}; wanted finite numbers (n, T)")
    rows = checked_positive(positive, len(sums))
    if rows.all() or not rows.any():
        raise ValueError("all rows are of one class; wanted positives and negatives")
    for name, value in (("lam", lam), ("beta", beta), ("shift", shift)):
        check_between(name, value, 0.0, np.inf, "a finite number, 0 or more")
    prices = np.ones(sums.shape[1]) if costs is None else as_floats("costs", costs, "(T,)")
    ranked = RankedSums.of(np.ascontiguousarray(sums.T), rows, shift=shift)
    return ranked.thresholds(sums.shape[1], theta, lam, beta * prices)


@dataclass(frozen=True, eq=False)
class RankedSums:
    """Partial sums of rows, sorted at each step: what all candidates of one order share."""

    sums: Floats  # (T, n), f_1 … f_T
    positive: NDArray[np.bool_]  # (n,)
    share: Floats  # (n,), weights of the rows; those of each class add up to 1
    # int32 (T, n), rows by rising key, the key being the sum, less the shift of positives
    ranks: NDArray[np.int32]
    cuts: Floats  # (T, n), a threshold after the k-th row of a step; NaN where the next is a tie

    @classmethod
    def of(
        cls,
        sums: Floats,
        positive: NDArray[np.bool_],
        weight: Floats | None = None,
        *,
        shift: float,
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
        length: int,
        theta: float,
        lam: float,
        prices: Floats,
        *,
        looks: NDArray[np.bool_] | None = None,
        before: Floats | None = None,
    ) -> Floats:
        """Learn r_1 … r_length of the first `length` steps.

        prices : (length,), of the steps
        looks  : (length,), the steps after which a row may be rejected; all by default
        before : (length,), thresholds by which rows that do not reach a step are left out of it
        """
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
    """Return the last step, counted from 0, that rows with sums (T, n) reach, int32 (n,).

    That is the first at which they are rejected, or the last of the thresholds.
    """
    last = np.empty(sums.shape[1], np.int32)
    _core.last_steps(sums, thresholds, last)
    return last


def shares_by_class(positive: NDArray[np.bool_], weight: Floats | None) -> Floats:
    """Return weights (n,) that add up to 1 over the positives and over the negatives."""
    weight = np.ones(len(positive)) if weight is None else weight
    totals = np.where(positive, weight[positive].sum(), weight[~positive].sum())
    return np.asarray(weight / totals)


def _cuts(keys: Floats) -> Floats:
    """Cut midway between each of the sorted keys and the next one, and a little above the last.

    NaN where the two are one: no threshold can part them.
    """
    near = GAP * max(float(keys[-1] - keys[0]), 1e-300)
    cuts = np.append((keys[:-1] + keys[1:]) / 2, keys[-1] + max(near, abs(keys[-1]) * GAP))
    cuts[:-1][np.diff(keys) <= near] = np.nan
    return cuts


@dataclass(frozen=True)
class WantedRate:
    """The wanted rate: exactly one of the two is a number."""

    fpr: float | None = None
    tpr: float | None = None

    def check(self) -> None:
        """Raise for what is no rate, and for none or two of them."""
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

    def for_choosing(self, rows: EndScores) -> WantedRate:
        """Return the rate at which these rows choose cascades.

        That is a larger FPR where fewer than DECIDING negatives decide the wanted one, since
        otherwise selection bias decides.
        """
        if self.fpr is None:
            return self
        least = min(DECIDING * _per_row(rows.negative_shares), LARGEST_FPR)
        return WantedRate(fpr=max(self.fpr, least))

    def theta(self, rows: EndScores) -> float:
        """Return the threshold that meets the rate on these very rows."""
        if self.fpr is not None:
            return exceeded_by(rows.scores[~rows.positive], rows.negative_shares, self.fpr)
        return self._at_tpr(rows, self.rate)

    def expected(self, rows: EndScores) -> float:
        """Return the threshold that meets the rate on unseen data, on average."""
        if self.fpr is not None:
            fewer = self.fpr - (1 - self.fpr) * _per_row(rows.negative_shares)
            return exceeded_by(rows.scores[~rows.positive], rows.negative_shares, fewer)
        more = self.rate + self.rate * _per_row(rows.positive_shares)
        return self._at_tpr(rows, min(more, 1.0))

    def _at_tpr(self, rows: EndScores, tpr: float) -> float:
        above = exceeded_by(-rows.scores[rows.positive], rows.positive_shares, 1 - tpr)
        return float(np.nextafter(-above, -np.inf))

    def safer(self, theta: float, other: float) -> float:
        """Return the threshold of the two that keeps to the wanted rate rather."""
        return max(theta, other) if self.fpr is not None else min(theta, other)

    def doubt_few(self, rows: EndScores) -> None:
        """Warn of too few rows to know the rate by."""
        fpr = self.fpr is not None
        rate = self.rate if fpr else 1 - self.rate
        share = rows.negative_shares if fpr else rows.positive_shares
        if 1 / _per_row(share) < FEWEST_EVENTS / rate:
            kind, what = ("negatives", "FPR") if fpr else ("positives", "TPR")
            doubt(
                f"{self.name}={self.rate:g} is to be met with {len(share)} {kind}, of which "
                f"{rate * len(share):.2g} decide it; wanted {FEWEST_EVENTS / rate:.0f} or more: "
                f"the {what} of unseen data may be several times off, see realised_fpr_"
            )

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
        about = (WantedRate(fpr=min(factor * self.fpr, 1.0)) for factor in (0.5, 1.0, 2.0))
        return float(np.mean([target.loss(rows, lam) for target in about]))

    def slope(self, rows: EndScores) -> float:
        """Return lambda, the slope of the ROC curve at the wanted rate."""
        fpr = rows.rates(self.theta(rows))[1] if self.fpr is None else self.fpr
        fpr = max(fpr, _per_row(rows.negative_shares))
        high, low = (
            rows.rates(WantedRate(fpr=a).theta(rows))[0] for a in (min(2 * fpr, 1), fpr / 2)
        )
        return max((high - low) / (1.5 * fpr), LEAST_LAMBDA)


@dataclass(frozen=True, eq=False)
class EndScores:
    """Rows at the end of a cascade."""

    scores: Floats  # (n,), f_T; -inf for rows that were rejected
    positive: NDArray[np.bool_]  # (n,)
    share: Floats  # (n,), weights of the rows; those of each class add up to 1

    @classmethod
    def of(
        cls, scores: Floats, positive: NDArray[np.bool_], weight: Floats | None = None
    ) -> EndScores:
        """Take rows with weights (n,) of any sum; None: all alike."""
        return cls(scores, positive, shares_by_class(positive, weight))

    @property
    def negative_shares(self) -> Floats:
        return self.share[~self.positive]

    @property
    def positive_shares(self) -> Floats:
        return self.share[self.positive]

    def rates(self, theta: float) -> tuple[float, float]:
        """Return TPR and FPR at a threshold."""
        above = self.share * (self.scores > theta)
        return float(above[self.positive].sum()), float(above[~self.positive].sum())


def exceeded_by(scores: Floats, share: Floats, rate: float) -> float:
    """Return the smallest score that at most `rate` of the shares exceed, or the largest score."""
    order = np.argsort(-scores, kind="stable")
    allowed = int(np.searchsorted(np.cumsum(share[order]), rate + ROUNDING, side="right"))
    return float(scores[order[min(allowed, len(scores) - 1)]])


def _per_row(share: Floats) -> float:
    """Return one row as a share: 1 / the number of equal rows that would tell as much."""
    return float(np.square(share).sum())
