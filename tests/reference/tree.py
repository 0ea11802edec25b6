"""The tree grown best-first, by brute force."""

import numpy as np

from mddag.ensemble.nodes import NODE, Nodes, category_words
from tests.reference.split import best_split, sides, sign, signed_weights, sums


def tree(columns, targets, weights, n_leaves):
    q = signed_weights(targets, weights)
    made = [list(range(len(q)))]  # the rows of each node, in the order of their making
    inner = {}  # node -> split, left, right
    while len(made) - len(inner) < n_leaves:
        gains = {}
        for node, rows in enumerate(made):
            if node not in inner:
                constant = sum(abs(t) for t in sums(rows, q))
                value, split = best_split(columns, rows, q, worth, to_beat=constant)
                if split is not None:
                    gains[node] = value - constant, split
        if not gains:
            break
        node = max(gains, key=lambda s: (gains[s][0], -s))
        inner[node] = gains[node][1], len(made), len(made) + 1
        made += sides(columns, made[node], gains[node][1])
    leaves = [rows for node, rows in enumerate(made) if node not in inner]
    votes = [[sign(t) for t in sums(rows, q)] for rows in leaves]
    return as_nodes(columns, [inner.get(node) for node in range(len(made))], votes)


def worth(left, right):
    """Each side votes for its own signs."""
    return sum(map(abs, left)) + sum(map(abs, right))


def as_nodes(columns, made, votes):
    """`made` holds (split, left, right) or None for a leaf; leaves are numbered as they come."""
    records, words, n_leaves = [], [], 0
    for node in made:
        if node is None:
            records.append((0.0, -1, n_leaves, -1, 0, 0, False))
            n_leaves += 1
            continue
        split, left, right = node
        if split.members is None:
            threshold = columns.threshold(split.feature, split.cut)
            records.append((threshold, split.feature, left, right, 0, 0, split.missing_left))
        else:
            own = category_words(np.array(sorted(split.members), np.int64)).tolist()
            place = (len(words), len(own), split.missing_left)
            records.append((0.0, split.feature, left, right, *place))
            words += own
    return Nodes(np.array(records, NODE), np.array(votes), np.array(words, np.uint32))
