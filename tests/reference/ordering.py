"""Twin of mddag.policy.ordering: correlations from their definition, one row at a time."""

import math


def products(first, second, weight):
    """The weighted sum over rows and scores of products, each a list of rows of K scores."""
    return sum(
        w * math.fsum(a * b for a, b in zip(f, g, strict=True))
        for f, g, w in zip(first, second, weight, strict=True)
    )


def centered(rows):
    """Scores minus their mean over the classes, where there are several."""
    return [[s - sum(row) / len(row) for s in row] if len(row) > 1 else list(row) for row in rows]


def partial_sums(votes, chosen):
    """The votes of the chosen base classifiers, centered over the classes."""
    dense = votes.dense()
    sums = [[0.0] * votes.tables.n_scores for _ in range(len(votes))]
    for row, said in zip(sums, dense, strict=True):
        for j in chosen:
            for k in range(len(row)):
                row[k] += said[j, k]
    return centered(sums)


def about_the_mean(rows, weight):
    """Rows of scores minus their weighted mean."""
    total = sum(weight)
    means = [
        sum(w * r[k] for w, r in zip(weight, rows, strict=True)) / total
        for k in range(len(rows[0]))
    ]
    return [[s - m for s, m in zip(row, means, strict=True)] for row in rows]


def row_weights(votes, weight, focus):
    """weight x exp(-focus x margin / rms margin) of the full scores."""
    margins = []
    for row in votes.scores().tolist():
        best = sorted(row)
        margins.append(abs(row[0]) if len(row) == 1 else best[-1] - best[-2])
    squares = sum(w * m * m for w, m in zip(weight, margins, strict=True))
    rms = math.sqrt(squares / sum(weight))
    return [
        w * math.exp(-focus * m / rms if rms else 0) for w, m in zip(weight, margins, strict=True)
    ]


def correlation(votes, chosen, weight):
    """<f, F> / |f| |F| of the partial sum f of the chosen ones; 0 where f says nothing."""
    full = about_the_mean(partial_sums(votes, range(votes.tables.n_classifiers)), weight)
    some = about_the_mean(partial_sums(votes, chosen), weight)
    square, whole = products(some, some, weight), products(full, full, weight)
    if square <= 1e-9 * whole:
        return 0.0
    return products(some, full, weight) / math.sqrt(square * whole)


def worths(votes, chosen, prices, weight):
    """By base classifier not chosen yet, what its choice raises the correlation by, per price."""
    now = correlation(votes, chosen, weight)
    found = {}
    for j in range(votes.tables.n_classifiers):
        if j not in chosen:
            gain = correlation(votes, [*chosen, j], weight) - now
            found[j] = gain / prices[j] if gain > 0 else gain * prices[j]
    return found
