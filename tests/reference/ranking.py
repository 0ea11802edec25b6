"""Metrics of rankings, query by query and position by position."""

from math import log2


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
