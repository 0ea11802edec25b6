"""Trees and stumps grown by brute force."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from mddag.ensemble.nodes import NODE, Nodes, category_words

# The best split of a set of rows, by trying all: whole numbers and no histogram.


@dataclass(frozen=True)
class Split:
    feature: int
    cut: int  # unused where `members` is a set
    members: frozenset | None  # categories that go left
    missing_left: bool
    left_codes: frozenset


def signed_weights(targets, weights):
    """q_ik as Python integers, [i][k]."""
    half = Fraction(1, 2)
    return [
        [int(Fraction(float(w)) * 2**60 + half) * int(y) for y, w in zip(ys, ws, strict=True)]
        for ys, ws in zip(targets, weights, strict=True)
    ]


def sums(rows, q):
    """Of each class over the rows."""
    return [sum(q[i][k] for i in rows) for k in range(len(q[0]))]


def sign(a):
    return -1.0 if a < 0 else 1.0


def splits(columns, f, rows, q):
    """Every split of column f that is tried, in the order in which ties are resolved."""
    n_codes = int(columns.n_codes[f])
    sides = (True, False) if columns.missing[f] else (True,)

    def split(cut, members, codes, missing_left):
        codes = frozenset(codes) | ({n_codes} if missing_left and columns.missing[f] else set())
        return Split(int(f), cut, members, missing_left, codes)

    if not columns.nominal[f]:
        for cut in range(n_codes):
            for missing_left in sides:
                yield split(cut, None, range(cut + 1), missing_left)
        return
    sets = [{c} for c in range(n_codes)]
    by_code = [sums([i for i in rows if columns.codes[f, i] == c], q) for c in range(n_codes)]
    sets += [{c for c in range(n_codes) if by_code[c][k] > 0} for k in range(len(q[0]))]
    sets += [set()] if columns.missing[f] else []
    for members in sets:
        for missing_left in sides:
            yield split(0, frozenset(members), members, missing_left)


def best_split(columns, rows, q, worth, to_beat):
    """The split that is worth most and more than `to_beat`, with its worth, or None.

    A split worth exactly what the constant vote is worth counts as none.
    """
    constant = sum(abs(t) for t in sums(rows, q))
    most, best = to_beat, None
    for f in columns.candidates:
        for split in splits(columns, f, rows, q):
            left, right = sides(columns, rows, split)
            value = worth(sums(left, q), sums(right, q))
            if value > most and value != constant:
                most, best = value, split
    return most, best


def sides(columns, rows, split):
    """The rows that go left, and those that go right."""
    goes_left = {i for i in rows if int(columns.codes[split.feature, i]) in split.left_codes}
    return [i for i in rows if i in goes_left], [i for i in rows if i not in goes_left]


# The tree grown best-first, by brute force.


def tree(columns, targets, weights, n_leaves):
    q = signed_weights(targets, weights)
    made = [list(range(len(q)))]  # the rows of each node, in the order of their making
    inner = {}  # node -> split, left, right
    while len(made) - len(inner) < n_leaves:
        gains = {}
        for node, rows in enumerate(made):
            if node not in inner:
                constant = sum(abs(t) for t in sums(rows, q))
                value, split = best_split(columns, rows, q, tree_worth, to_beat=constant)
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


def tree_worth(left, right):
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


# The stump h_k(x) = v_k phi(x) by brute force.


def stump(columns, targets, weights):
    q = signed_weights(targets, weights)
    rows = range(len(q))
    _, split = best_split(columns, rows, q, stump_worth, to_beat=-1)
    if split is None:
        return as_nodes(columns, [None], [[sign(t) for t in sums(rows, q)]])
    left, right = sides(columns, rows, split)
    plus, minus = (right, left) if split.members is None else (left, right)  # phi = +1, -1
    edges = [a - b for a, b in zip(sums(plus, q), sums(minus, q), strict=True)]
    v, opposite = [sign(e) for e in edges], [-sign(e) for e in edges]
    votes = [opposite, v] if split.members is None else [v, opposite]
    return as_nodes(columns, [(split, 1, 2), None, None], votes)


def stump_worth(left, right):
    """sum_k |edge_k| with phi = -1 on the left and +1 on the right, or the reverse."""
    return sum(abs(r - x) for x, r in zip(left, right, strict=True))
