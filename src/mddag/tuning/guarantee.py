"""Tests of a bound on what a sparse model loses against the full one.

A p-value is the largest probability of an excess loss this small on n rows although the true one is
above the bound. Where it is at most 1 - confidence, the bound is guaranteed. Candidates are tested
in a fixed order up to the first that fails ("learn then test", Angelopoulos et al. 2021), which
takes no correction for their number. Exact for counts:

    share of rows with an event     P(Bin(n, bound) <= k), the test of Clopper & Pearson (1934)
    mean of paired differences      of -1, 0, 1: the difference of two error rates on the same rows.
                                    Outcomes are ranked by their excess of worse rows over its own
                                    standard error, whose distribution hardly depends on the unknown
                                    share q of rows that differ; the largest tail over an interval
                                    that holds q but for a chance of NUISANCE, plus that chance
                                    (Berger & Boos 1994)
    mean of bounded differences     betting (Waudby-Smith & Ramdas 2024): a player stakes a part of
                                    the capital on each row against the hypothesis, by the rows
                                    before it. If it is true, the capital rarely grows:
                                    P(it ever is 1 / p or more) <= p

Means of unbounded differences (regression, log-loss) and functions of means (ROC AUC) have no such
bound; theirs is Student's, for skewed ones Hall's (1992), right for many rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta, binom, norm, t

from mddag.metrics.classification import ClassMetric
from mddag.metrics.regression import RegressionMetric

NUISANCE = 1e-4
FIRST = 0.1  # deviation of differences that is assumed before the first, in units of their span
MOST = 0.9  # of the largest stake that no row can turn into a debt
N_SHARES = 17  # shares q looked at, twice
ROUNDING = 1e-9  # so that the outcome seen counts as no smaller than itself
WORST = 0.25  # of a metric: a row hardly loses more, and so rare ones must be noticed
FEWEST = 100  # rows, for a mean to be about normal


def share_p_value(n_events: int, n_rows: int, bound: float) -> float:
    """Test "events are no rarer than `bound`", for `n_events` in `n_rows`."""
    return float(binom.cdf(n_events, n_rows, bound))


def difference_p_value(n_worse: int, n_better: int, n_rows: int, bound: float) -> float:
    """Test "worse rows outnumber better ones by a share of at least `bound` of all rows"."""
    n_differ = n_worse + n_better
    lowest = float(beta.ppf(NUISANCE / 2, n_differ, n_rows - n_differ + 1)) if n_differ else 0.0
    highest = 1.0
    if n_differ < n_rows:
        highest = float(beta.ppf(1 - NUISANCE / 2, n_differ + 1, n_rows - n_differ))
    if highest <= bound:  # so few rows differ that the excess cannot be so large
        return NUISANCE
    excess = (n_worse - n_better - n_rows * bound) / math.sqrt(n_differ + 1)
    largest, between = 0.0, (max(lowest, bound), highest)
    for _ in range(2):  # over the whole interval, then about the largest
        shares = np.geomspace(*between, N_SHARES)
        tails = [_difference_tail(excess, n_rows, q, bound) for q in shares]
        at = int(np.argmax(tails))
        largest = max(largest, tails[at])
        between = shares[max(at - 1, 0)], shares[min(at + 1, N_SHARES - 1)]
    return min(NUISANCE + largest, 1.0)


def _difference_tail(excess: float, n_rows: int, q: float, mean: float) -> float:
    """Return P((W - L - n mean) / sqrt(W + L + 1) <= excess).

    A row is worse with the chance (q + mean) / 2 and better with (q - mean) / 2.
    Given that m = W + L rows differ, W is binomial, and W - L = 2 W - m. A larger mean only lowers
    the chance, so a test at the bound itself covers all above it.
    """
    reach = 10 * math.sqrt(n_rows * q) + 50  # the rest has a chance below 1e-12
    m = np.arange(max(int(n_rows * q - reach), 0), min(int(n_rows * q + reach), n_rows) + 1)
    most = n_rows * mean + excess * np.sqrt(m + 1) + ROUNDING
    worse = min((q + mean) / (2 * q), 1.0)
    return float((binom.pmf(m, n_rows, q) * binom.cdf((m + most) // 2, m, worse)).sum())


def mean_p_value(differences: NDArray[np.float64], bound: float) -> float:
    """Test "the mean difference is at least `bound`", by Student's t: exact for normal means."""
    n = len(differences)
    if n < 2:
        return 1.0
    deviation = float(differences.std(ddof=1))
    if deviation == 0:
        return float(differences.mean() >= bound)
    return float(t.cdf((differences.mean() - bound) / (deviation / math.sqrt(n)), n - 1))


def skewed_p_value(losses: NDArray[np.float64], bound: float) -> float:
    """Test "the mean loss is at least `bound`" by Hall's t, which heeds the skewness.

    Few rows (or queries) lose much, and where none of them was drawn the mean looks too small.
    """
    n, mean = len(losses), float(losses.mean())
    deviation = float(losses.std(ddof=1)) if n > 1 else 0.0
    if deviation == 0:
        return float(mean >= bound)
    skewness = float(np.mean((losses - mean) ** 3)) / deviation**3
    off = (mean - bound) / deviation
    cubic = off + skewness * off**2 / 3 + skewness**2 * off**3 / 27 + skewness / (6 * n)
    return float(t.cdf(math.sqrt(n) * cubic, n - 1))


def bounded_p_value(
    differences: NDArray[np.float64], bound: float, span: float, confidence: float
) -> float:
    """Test "the mean difference is at least `bound`", for differences from -span to span.

    The stake at row i is the best for normal differences of the deviation of the rows before it
    and a test at this confidence; any stake below 1 / (span - bound) keeps the capital above 0.
    """
    off = bound - differences  # what a stake of 1 wins
    n, before = len(off), np.arange(len(off))
    centred = np.concatenate([[0.0], np.cumsum(np.square(differences))])[:-1]
    variance = (centred + (FIRST * span) ** 2) / (before + 1)
    stakes = np.sqrt(2 * math.log(1 / (1 - confidence)) / (n * variance))
    capital = np.cumsum(np.log1p(np.minimum(stakes, MOST / (span - bound)) * off))
    return float(min(math.exp(-max(float(capital.max(initial=0.0)), 0.0)), 1.0))


def rows_for_mean(bound: float, span: float, confidence: float) -> int:
    """Return the fewest rows that prove `bound` for bounded differences when all of them are 0."""
    return math.ceil(-math.log(1 - confidence) / math.log1p(MOST * bound / (span - bound)))


def rows_for_share(bound: float, confidence: float) -> int:
    """Return the fewest rows that prove `bound` when no event is seen in them."""
    return math.ceil(math.log(1 - confidence) / math.log1p(-bound))


def rows_for_difference(bound: float, confidence: float) -> int:
    """Return the fewest rows that prove `bound` when none of them differs."""
    return math.ceil(math.log(max(1 - confidence - NUISANCE, NUISANCE / 2)) / math.log1p(-bound))


def price_of_difference(bound: float, n_rows: int, confidence: float) -> float:
    """Return what a row that differs costs a proof on `n_rows`, be it for better or worse.

    With a share q of such rows a mean passes if it is below `bound` - z sqrt(q / n), about. The
    price is the slope of the root where that takes half of the bound: z^2 / (n bound), at most 1.
    """
    return float(min(norm.ppf(confidence) ** 2 / (n_rows * bound), 1.0))


def n_leading_proofs(p_values: Iterable[float], confidence: float) -> int:
    """Return the number of leading hypotheses rejected by fixed-sequence testing."""
    n_proved = 0
    for p_value in p_values:
        if p_value > 1 - confidence:
            break
        n_proved += 1
    return n_proved


Measure = Literal["share", "difference", "mean", "bounded", "asymptotic"]


@dataclass(frozen=True)
class BoundedLoss:
    """A loss beyond the full model's whose mean over unseen rows has a bound, and its test."""

    # What the excess loss of a row is. "share": 1 where its label differs from the full model's,
    # else 0. "difference": 1 where the sparse model alone is wrong, -1 where the full model is.
    # "mean": error of a regressor beyond the full model's, in the unit of its metric. "bounded" and
    # "asymptotic": what is lost of a metric, with and without a largest value for one row.
    measure: Measure
    metric: ClassMetric | RegressionMetric | None = None  # None for labels, and for queries
    threshold: float | None = None  # probability above which a row is of the second class
    worst: float = WORST  # rows that lose this much would be noticed by an "asymptotic" test
    fewest: int = FEWEST  # rows for the mean of an "asymptotic" loss to be about normal
    counted: str = "rows"  # what messages call rows

    @property
    def name(self) -> str:
        """What is lost, in words."""
        if self.metric is not None:
            return self.metric.name
        at = "" if self.threshold is None else f" at threshold {self.threshold:g}"
        if self.measure == "difference":
            return f"accuracy{at}"
        return f"labels changed{at}" if self.measure == "share" else "metric"

    @property
    def by_probabilities(self) -> bool:
        """Whether it takes calibrated probabilities, not predictions alone."""
        return self.threshold is not None or isinstance(self.metric, ClassMetric)

    @property
    def exact(self) -> bool:
        """Whether the test holds for every distribution of rows, not only for many rows."""
        return self.measure in ("share", "difference", "bounded")

    @property
    def span(self) -> float:
        """Largest absolute excess loss of a row."""
        span = self.metric.span if isinstance(self.metric, ClassMetric) else 1.0
        assert span is not None
        return span

    def p_value(self, excess: NDArray[np.float64], bound: float, confidence: float) -> float:
        """Test "the mean excess loss is at least the bound"."""
        if self.measure == "mean":
            return mean_p_value(excess, bound)
        if self.measure == "asymptotic":
            return skewed_p_value(excess, bound)
        if self.measure == "bounded":
            return bounded_p_value(excess, bound, self.span, confidence)
        n_worse, n_better = int((excess > 0).sum()), int((excess < 0).sum())
        if self.measure == "share":
            return share_p_value(n_worse, len(excess), bound)
        return difference_p_value(n_worse, n_better, len(excess), bound)

    def fewest_rows(self, bound: float, confidence: float) -> int:
        """Return the fewest certifying rows with which any policy could pass."""
        if self.measure == "difference":
            return rows_for_difference(bound, confidence)
        if self.measure == "bounded":
            return rows_for_mean(bound, self.span, confidence)
        if self.measure == "asymptotic":
            share = min(bound / self.worst, 0.5)
            return max(rows_for_share(share, confidence), self.fewest)
        # "mean": a share `bound` of rows that each lose the variance of y would have to be noticed
        return rows_for_share(bound, confidence)
