"""Twin of src/mddag/serving/export/walk.h: the exported tables walked, one row at a time."""

import numpy as np

from tests.reference.trees import goes_left


def leaf(splits, root, row):
    """Where the votes of the leaf begin that a row reaches from a root."""
    at = root
    while at >= 0:
        node = splits.records[at]
        left = goes_left(node, splits.words, float(row[node["feature"]]))
        at = node["left"] if left else node["right"]
    return ~at


def next_step(tables, step, sums):
    """The first step from `step` on that evaluates."""
    if step % tables.every:
        return step
    row, state = step // tables.every, sums[0]
    if tables.n_scores > 1:
        top = sums.index(max(sums))
        state = sums[top] - max(sums[:top] + sums[top + 1 :])
        row = row * tables.n_scores + top
    first, end = tables.starts[row : row + 2]
    return int(tables.jumps[first + np.searchsorted(tables.bounds[first:end], state)])


def run(tables, row):
    """Integer sums (K) and how many base classifiers were evaluated."""
    sums, n_evaluated = [int(b) for b in tables.bias], 0
    j = next_step(tables, 0, sums)
    while j < tables.n_steps:
        for t in range(tables.rounds[j], tables.rounds[j + 1]):
            at = leaf(tables.splits, tables.splits.roots[t], row)
            k = int(tables.score[t])
            for c in [k] if k >= 0 else range(tables.n_scores):
                sums[c] += int(tables.votes[at + (0 if k >= 0 else c)])
        n_evaluated += 1
        j = next_step(tables, j + 1, sums)
    return sums, n_evaluated
