"""Twin of native/mddag/engine/forest.hpp: fixed-point sums, one row down one tree at a time."""

from tests.reference.trees import leaf_code


def vote(ensemble, fixed, j, row):
    """h_j(row) in units of the fixed point, a list of K integers."""
    tables, total = ensemble.tables, [0] * ensemble.n_scores
    for t in range(tables.rounds[j], tables.rounds[j + 1]):
        leaf, start = leaf_code(ensemble.tree(t), row), tables.starts[t]
        if tables.score[t] >= 0:
            total[tables.score[t]] += int(fixed.values[start + leaf])
            continue
        for k in range(ensemble.n_scores):
            total[k] += int(fixed.values[start + leaf * ensemble.n_scores + k])
    return total


def sums(ensemble, fixed, X):
    """bias + all votes of every row, lists of K integers."""
    result = []
    for row in X:
        total = [int(b) for b in fixed.bias]
        for j in range(ensemble.n_classifiers):
            total = [a + b for a, b in zip(total, vote(ensemble, fixed, j, row), strict=True)]
        result.append(total)
    return result
