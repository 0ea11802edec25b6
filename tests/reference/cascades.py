"""The cascades of Figure 2 and their thresholds by their formulas, row by row."""

import math
from itertools import pairwise

import numpy as np

# The cascades of Figure 2 by their formulas, row by row: twins of src/mddag/detection.


def left(votes, order, ends, rejects, counts):
    """Stage, score and whether accepted of one row with votes (N,); counts[t][m] as in Chain."""
    for m, end in enumerate(ends):
        score = sum(votes[order[t]] for t in range(end) if counts is None or counts[t][m])
        if score <= rejects[m]:
            return m, score, False
    return len(ends) - 1, score, True


def soft_cascade(votes, positive, n_steps, detection_rate, alpha):
    """Order, and the scores of the lowest positive that each step keeps."""
    shape = [
        math.exp(alpha * t / n_steps) if alpha >= 0 else math.exp(-alpha * (1 - t / n_steps))
        for t in range(1, n_steps + 1)
    ]
    k = (1 - detection_rate) / sum(shape)
    n_positive = int(positive.sum())
    alive, score, spare = np.ones(len(votes), bool), np.zeros(len(votes)), 0.0
    order, kept = [], []
    for t in range(min(n_steps, votes.shape[1])):
        spare += k * shape[t]
        edges = {
            h: votes[alive & positive, h].mean() - votes[alive & ~positive, h].mean()
            for h in range(votes.shape[1])
            if h not in order
        }
        largest = max(edges.values())
        h = min(h for h, edge in edges.items() if edge >= largest - 1e-9)
        order.append(h)
        score = score + votes[:, h]
        ordered = np.sort(score[alive & positive])
        lowest = ordered[int(spare * n_positive + 1e-9)]
        spare -= np.count_nonzero(ordered < lowest) / n_positive
        kept.append(lowest)
        alive &= score >= lowest
        if not (alive & ~positive).any():
            break
    return order, kept


def fc_criterion(scores, costs, signs, weight, eta):
    """L of stages with scores (M, n) and costs (M,), one row at a time."""
    negatives = [i for i, y in enumerate(signs) if y < 0]
    total = 0.0
    for i, y in enumerate(signs):
        final, cost = scores[-1][i], costs[-1]
        for m in range(len(scores) - 2, -1, -1):
            u = (math.tanh(scores[m][i]) + 1) / 2
            final = scores[m][i] + u * (final - scores[m][i])
            cost = costs[m] + u * cost
        total += weight[i] * math.exp(-y * final)
        total += eta * cost / len(negatives) if y < 0 else 0.0
    return total


def wald_reject(positives, negatives, shares, miss, width, grid):
    """The first place of a fine grid where a positive is likely enough, by sums of Gaussians."""

    def density(scores, share, s):
        return share * sum(math.exp(-(((s - x) / width) ** 2) / 2) for x in scores)

    for s in grid:
        p = density(positives, shares[0], s)
        if p > miss * density(negatives, shares[1], s) and p > 1e-12:
            return s
    return grid[-1]


# Twin of mddag/detection/thresholds.py: the same minimum by trying every cut.


def paid(sums, positive, thresholds, start, theta, lam, beta, n_positive, n_negative):
    """What one row pays from step `start` on; it is taken to stand behind the evaluation of it."""
    steps = 0
    for t in range(start, len(sums)):
        last = t == len(sums) - 1
        if not last and sums[t] <= thresholds[t]:
            break
        if last:
            miss = positive and not sums[t] > theta
            false = not positive and sums[t] > theta
            return (
                miss / n_positive
                + lam * false / n_negative
                + price(positive, steps, beta, n_negative)
            )
        steps += 1
    return positive / n_positive + price(positive, steps, beta, n_negative)


def price(positive, steps, beta, n_negative):
    return 0.0 if positive else beta * steps / n_negative


def objective(rows, positive, thresholds, start, theta, lam, beta):
    """Over all rows, as if all of them stood at step `start`."""
    counts = sum(positive), len(positive) - sum(positive)
    return sum(
        paid(row, p, thresholds, start, theta, lam, beta, *counts)
        for row, p in zip(rows, positive, strict=True)
    )


def reject_thresholds(rows, positive, theta, lam, beta):
    """From the last step but one down, the threshold with the smallest objective, by trial."""
    n_steps = len(rows[0])
    thresholds = [float("-inf")] * n_steps
    for t in range(n_steps - 2, -1, -1):
        values = sorted({row[t] for row in rows})
        cuts = [float("-inf")]
        cuts += [(a + b) / 2 for a, b in pairwise(values)]
        cuts += [values[-1] + 1e-9 * max(values[-1] - values[0], abs(values[-1]), 1e-300)]
        tried = [[*thresholds[:t], cut, *thresholds[t + 1 :]] for cut in cuts]
        found = [objective(rows, positive, trial, t, theta, lam, beta) for trial in tried]
        best = min(range(len(cuts)), key=lambda c: (found[c] > min(found) + 1e-9, c))
        thresholds = tried[best]
    return thresholds
