"""Guarantee: what a sparse DAG may lose at most against the full ensemble, and its proof.

The proof rests on the certifying rows, on which nothing was learned or chosen. Candidates are
tested on them in turn, from the most evaluations to the fewest, up to the first whose bound cannot
be shown: fixed-sequence testing ("learn then test", Angelopoulos et al. 2021), which takes no
correction for several candidates, since the order is fixed before.

A p-value is the largest probability of an excess loss this small on n rows although the true one is
above the bound. Where it is at most 1 - confidence, the bound is guaranteed. Exact for counts:

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

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta, binom, norm, t

from mddag._utils.warnings import doubt
from mddag.metrics.classification import ClassMetric
from mddag.tuning.excess_loss import Measure
from mddag.tuning.front import Candidate, CandidateSearch
from mddag.tuning.row_parts import CERTIFIED_SHARES

NUISANCE = 1e-4
FIRST = 0.1  # deviation of differences that is assumed before the first, in units of their span
MOST = 0.9  # of the largest stake that no row can turn into a debt
N_SHARES = 17  # shares q looked at, twice
ROUNDING = 1e-9  # so that the outcome seen counts as no smaller than itself
WORST = 0.25  # of a metric: a row hardly loses more, and so rare ones must be noticed
FEWEST = 100  # rows, for a mean to be about normal


def share_p_value(n_events: int, n_rows: int, bound: float) -> float:
    """Of "events are no rarer than `bound`", for `n_events` in `n_rows`."""
    return float(binom.cdf(n_events, n_rows, bound))


def difference_p_value(n_worse: int, n_better: int, n_rows: int, bound: float) -> float:
    """Of "worse rows outnumber better ones by a share of at least `bound` of all rows"."""
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
    """P((W - L - n mean) / sqrt(W + L + 1) <= excess), a row being worse with the chance
    (q + mean) / 2 and better with (q - mean) / 2.

    Given that m = W + L rows differ, W is binomial, and W - L = 2 W - m. A larger mean only lowers
    the chance, so a test at the bound itself covers all above it.
    """
    reach = 10 * math.sqrt(n_rows * q) + 50  # the rest has a chance below 1e-12
    m = np.arange(max(int(n_rows * q - reach), 0), min(int(n_rows * q + reach), n_rows) + 1)
    most = n_rows * mean + excess * np.sqrt(m + 1) + ROUNDING
    worse = min((q + mean) / (2 * q), 1.0)
    return float((binom.pmf(m, n_rows, q) * binom.cdf((m + most) // 2, m, worse)).sum())


def mean_p_value(differences: NDArray[np.float64], bound: float) -> float:
    """Of "the mean difference is at least `bound`", by Student's t: exact for normal means."""
    n = len(differences)
    if n < 2:
        return 1.0
    deviation = float(differences.std(ddof=1))
    if deviation == 0:
        return float(differences.mean() >= bound)
    return float(t.cdf((differences.mean() - bound) / (deviation / math.sqrt(n)), n - 1))


def skewed_p_value(losses: NDArray[np.float64], bound: float) -> float:
    """Of "the mean loss is at least `bound`", by Hall's t, which heeds the skewness: few rows (or
    queries) lose much, and where none of them was drawn the mean looks too small."""
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
    """Of "the mean difference is at least `bound`", for differences from -span to span.

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
    """The fewest rows that promise `bound` for bounded differences when all of them are 0."""
    return math.ceil(-math.log(1 - confidence) / math.log1p(MOST * bound / (span - bound)))


def rows_for_share(bound: float, confidence: float) -> int:
    """The fewest rows that promise `bound` when no event is seen in them."""
    return math.ceil(math.log(1 - confidence) / math.log1p(-bound))


def rows_for_difference(bound: float, confidence: float) -> int:
    """The fewest rows that promise `bound` when none of them differs."""
    return math.ceil(math.log(max(1 - confidence - NUISANCE, NUISANCE / 2)) / math.log1p(-bound))


def price_of_difference(bound: float, n_rows: int, confidence: float) -> float:
    """What a row that differs costs a proof on `n_rows`, be it for better or worse.

    With a share q of such rows a mean passes if it is below `bound` - z sqrt(q / n), about. The
    price is the slope of the root where that takes half of the bound: z^2 / (n bound), at most 1.
    """
    return float(min(norm.ppf(confidence) ** 2 / (n_rows * bound), 1.0))


def last_promised(p_values: Iterable[float], confidence: float) -> int:
    """How many hypotheses fall, tested in turn up to the first that stands."""
    n_promised = 0
    for p_value in p_values:
        if p_value > 1 - confidence:
            break
        n_promised += 1
    return n_promised


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
            return mean_p_value(excess, self.bound)
        if self.measure == "asymptotic":
            return skewed_p_value(excess, self.bound)
        if self.measure == "bounded":
            return bounded_p_value(excess, self.bound, self.span, self.confidence)
        n_worse, n_better = int((excess > 0).sum()), int((excess < 0).sum())
        if self.measure == "share":
            return share_p_value(n_worse, len(excess), self.bound)
        return difference_p_value(n_worse, n_better, len(excess), self.bound)

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
        return price_of_difference(self.bound, n_certifying, self.confidence)

    def require(self, n_rows: int, n_certifying: int, share: float = CERTIFIED_SHARES[-1]) -> None:
        """Refuse what no policy could pass, whatever it loses: too few rows, or too sure.

        share : of the rows that certify
        """
        if self.measure == "difference" and 1 - self.confidence < NUISANCE:
            raise ValueError(
                f"confidence is {self.confidence}, but no number of rows proves {self.knob} with "
                f"{1 - NUISANCE} or more; give less, or max_disagreement, which bounds it"
            )
        needed = {
            "share": lambda: rows_for_share(self.bound, self.confidence),
            "difference": lambda: rows_for_difference(self.bound, self.confidence),
            # a share `bound` of rows that each lose the variance of y would have to be noticed
            "mean": lambda: rows_for_share(self.bound, self.confidence),
            "bounded": lambda: rows_for_mean(self.bound, self.span, self.confidence),
            "asymptotic": lambda: max(
                rows_for_share(min(self.bound / WORST, 0.5), self.confidence), FEWEST
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
    search: CandidateSearch,
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
    n_proved = last_promised(found, guarantee.confidence)
    if n_proved > 0:
        return cheaper[n_proved - 1]
    doubt(
        f"{len(certifying)} certifying rows prove {guarantee.knob}={guarantee.bound} for no policy "
        "faster than the full ensemble, which is returned; give more rows or a larger bound"
    )
    return full
