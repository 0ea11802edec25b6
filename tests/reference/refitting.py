"""The objective of refitted leaves, row by row, in log-odds, and sums by leaf."""

import math

import numpy as np


def objective(votes, values, targets, mass, factor, ridge):
    """sum_i m_i log-loss(q_i, a f(x_i)) + ridge / 2 |a (v - v_0)|^2 at leaf values v."""
    tables = votes.tables
    total = 0.0
    for i in range(len(votes)):
        scores = list(tables.bias)
        for t in range(tables.n_trees):
            leaf, begin = int(votes.codes[i, t]), int(tables.starts[t])
            if tables.score[t] >= 0:
                scores[tables.score[t]] += values[begin + leaf]
            else:
                for k in range(len(scores)):
                    scores[k] += values[begin + leaf * len(scores) + k]
        z = [factor * score for score in scores]
        z = [0.0, *z] if len(z) == 1 else z
        largest = max(z)
        log_sum = largest + math.log(sum(math.exp(one - largest) for one in z))
        total += mass[i] * sum(q * (log_sum - one) for q, one in zip(targets[i], z, strict=True))
    return total + ridge / 2 * factor**2 * float(np.square(values - tables.values).sum())


def leaf_sums(votes, numbers):
    """Numbers (n, K) added up over the rows that reach each leaf, for each value of the tables."""
    tables = votes.tables
    sums = np.zeros(len(tables.values))
    for i in range(len(votes)):
        for t in range(tables.n_trees):
            leaf, begin = int(votes.codes[i, t]), int(tables.starts[t])
            if tables.score[t] >= 0:
                sums[begin + leaf] += numbers[i, tables.score[t]]
            else:
                for k in range(tables.n_scores):
                    sums[begin + leaf * tables.n_scores + k] += numbers[i, k]
    return sums
