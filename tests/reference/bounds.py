"""Twins of bounds and estimates of losses."""

from math import comb, sqrt

# Twins of mddag.tuning.guarantee: every outcome of n rows listed, its chance summed.


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


# Twin of LossEstimator: the formulas of its docstring, candidate by candidate.
#
# losses, soft_losses, differs : of the candidates, the full ensemble first
# by_labels                   : whether they were learned from labels
# n, square                   : rows, and the mean square of what an error costs


def estimates(losses, soft_losses, differs, by_labels, n, square, charge):
    bias = {
        kind: _bias(losses, soft_losses, differs, by_labels, kind, n, square) for kind in (0, 1)
    }
    found = []
    for loss, by_it, r, kind in zip(losses, soft_losses, differs, by_labels, strict=True):
        label_gain, soft_gain = loss - losses[0], by_it - soft_losses[0]
        k, soft_error = 0.0, 0.0
        if r > 0:
            k = bias[int(kind)] * r / (bias[int(kind)] * r + square / n)
            soft_error = soft_gain**2 / (n * r)
        error = sqrt(k**2 * square * r / n + (1 - k) ** 2 * soft_error)
        found.append(losses[0] + soft_gain + k * (label_gain - soft_gain) + charge * error)
    return found


def _bias(losses, soft_losses, differs, by_labels, kind, n, square):
    """b^2 of one kind: what labels and soft targets differ by beyond noise, per decision."""
    excess, decisions = 0.0, 0.0
    for loss, by_it, r, of_kind in zip(losses, soft_losses, differs, by_labels, strict=True):
        if of_kind == kind and r > 0:
            difference = (loss - losses[0]) - (by_it - soft_losses[0])
            excess += (difference**2 - square * r / n) / r
            decisions += r
    return max(excess / decisions, 0.0) if decisions else 0.0
