"""Twins of mddag.tuning.guarantee: every outcome of n rows listed, its chance summed."""

from math import comb, sqrt


def share_tail(n_events, n_rows, rate):
    return sum(comb(n_rows, k) * rate**k * (1 - rate) ** (n_rows - k) for k in range(n_events + 1))


def studentised(worse, better, n_rows, mean):
    """The excess of worse rows beyond its mean, in standard errors."""
    return (worse - better - n_rows * mean) / sqrt(worse + better + 1)


def difference_tail(excess, n_rows, p_worse, p_better, mean):
    """P(studentised excess <= excess) over all numbers of worse and better rows."""
    total = 0.0
    for worse in range(n_rows + 1):
        for better in range(n_rows + 1 - worse):
            if studentised(worse, better, n_rows, mean) <= excess + 1e-10:
                same = n_rows - worse - better
                ways = comb(n_rows, worse) * comb(n_rows - worse, better)
                total += ways * p_worse**worse * p_better**better * (1 - p_worse - p_better) ** same
    return total
