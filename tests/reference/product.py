"""The product of stumps by coordinate ascent: its votes on the training rows, int [i][k]."""

from math import prod

from tests.reference.columns import leaf
from tests.reference.split import signed_weights
from tests.reference.stump import stump


def product_votes(columns, X, targets, weights, n_terms):
    q = signed_weights(targets, weights)
    n, n_classes = len(q), len(q[0])
    terms = [[[1] * n_classes for _ in range(n)] for _ in range(n_terms)]

    def votes(terms):
        return [[prod(t[i][k] for t in terms) for k in range(n_classes)] for i in range(n)]

    def edge(terms):
        h = votes(terms)
        return sum(q[i][k] * h[i][k] for i in range(n) for k in range(n_classes))

    best, rising = -1, True
    while rising:
        rising = False
        for m in range(n_terms):
            rest = votes(terms[:m] + terms[m + 1 :])
            nodes = stump(columns, targets * rest, weights)
            term = [[int(v) for v in nodes.votes[leaf(nodes, x)]] for x in X]
            tried = [*terms[:m], term, *terms[m + 1 :]]
            if edge(tried) > best:
                best, terms, rising = edge(tried), tried, True
    return votes(terms)
