"""The cascades of Figure 2 by their formulas, row by row: twins of src/mddag/detection."""

import math

import numpy as np


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


def fc_criterion(scores, costs, slope, signs, weight, eta):
    """L of stages with scores (M, n) and costs (M,), one row at a time."""
    negatives = [i for i, y in enumerate(signs) if y < 0]
    total = 0.0
    for i, y in enumerate(signs):
        final, cost = scores[-1][i], costs[-1]
        for m in range(len(scores) - 2, -1, -1):
            u = (math.tanh(slope * scores[m][i]) + 1) / 2
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
