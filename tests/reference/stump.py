"""The stump h_k(x) = v_k phi(x) by brute force."""

from tests.reference.split import best_split, sides, sign, signed_weights, sums
from tests.reference.tree import as_nodes


def stump(columns, targets, weights):
    q = signed_weights(targets, weights)
    rows = range(len(q))
    _, split = best_split(columns, rows, q, worth, to_beat=-1)
    if split is None:
        return as_nodes(columns, [None], [[sign(t) for t in sums(rows, q)]])
    left, right = sides(columns, rows, split)
    plus, minus = (right, left) if split.members is None else (left, right)  # phi = +1, -1
    edges = [a - b for a, b in zip(sums(plus, q), sums(minus, q), strict=True)]
    v, opposite = [sign(e) for e in edges], [-sign(e) for e in edges]
    votes = [opposite, v] if split.members is None else [v, opposite]
    return as_nodes(columns, [(split, 1, 2), None, None], votes)


def worth(left, right):
    """sum_k |edge_k| with phi = -1 on the left and +1 on the right, or the reverse."""
    return sum(abs(r - x) for x, r in zip(left, right, strict=True))
