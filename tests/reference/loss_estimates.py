"""Twin of LossEstimator: the formulas of its docstring, candidate by candidate.

losses, soft_losses, differs : of the candidates, the full ensemble first
by_labels                   : whether they were learned from labels
n, square                   : rows, and the mean square of what an error costs
"""

from math import sqrt


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
