"""Rankings query by query: metrics, and the urgency of documents."""

from math import erfc, exp, log2, pi, sqrt

import numpy as np

# Metrics of rankings, query by query and position by position.


def ranked(scores, labels, qid):
    """The labels of each query in the order of its scores, queries as they first appear."""
    for q in dict.fromkeys(qid):
        rows = [i for i in range(len(qid)) if qid[i] == q]
        yield [labels[i] for i in sorted(rows, key=lambda i: -scores[i])]  # sorted is stable


def usual(i):
    return log2(i + 1)


def letor(i):
    return 1.0 if i < 3 else log2(i)


def dcg(labels, k, discount):
    return sum((2**y - 1) / discount(i) for i, y in enumerate(labels[:k], 1))


def ndcg(labels, k, discount):
    ideal = dcg(sorted(labels, reverse=True), k, discount)
    return dcg(labels, k, discount) / ideal if ideal > 0 else 0.0


def mean_ndcg(labels):
    return sum(ndcg(labels, i + 1, letor) for i in range(len(labels))) / len(labels)


def average_precision(labels):
    hits = [i for i, y in enumerate(labels, 1) if y > 0]
    return sum((n + 1) / i for n, i in enumerate(hits)) / len(hits) if hits else 0.0


def reciprocal_rank(labels):
    return next((1 / i for i, y in enumerate(labels, 1) if y > 0), 0.0)


# Urgency, document by document and pair by pair.


def excess(z):
    """E[(N(0, 1) - z)+]."""
    return exp(-z * z / 2) / sqrt(2 * pi) - z * erfc(z / sqrt(2)) / 2


def worth(readings, discounts, mean, gain):
    """What the position of each document by its reading is worth."""
    n = len(readings)
    order = sorted(range(n), key=lambda i: -readings[i])
    depth = n if mean else min(len(discounts), n)
    ideals = np.cumsum([discounts[r] * gain(readings[order[r]]) for r in range(depth)])
    found = [0.0] * n
    for r in range(depth):
        if mean:
            found[order[r]] = discounts[r] * sum(1 / i for i in ideals[r:] if i > 1e-9) / n
        else:
            found[order[r]] = discounts[r] / ideals[-1] if ideals[-1] > 1e-9 else 0.0
    return found


def urgency(readings, spreads, alive, discounts, mean, gain, slope):
    """Of the documents of one query."""
    n, value = len(readings), worth(readings, discounts, mean, gain)
    found = [0.0] * n
    for i in range(n):
        for j in range(n):
            if alive[i] and i != j:
                z = abs(readings[i] - readings[j]) / sqrt(spreads[i] ** 2 + spreads[j] ** 2)
                found[i] += slope * abs(value[i] - value[j]) * spreads[i] * excess(z)
    return found
