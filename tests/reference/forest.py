"""Twin of native/blocks/run/forest.hpp: integer sums, one row down one tree at a time."""

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


def cell(edges, n_scores, total):
    """The cell of integer sums, edges being integers too; see tests/reference/grid.py."""
    if n_scores == 1:
        return sum(edge < total[0] for edge in edges)
    top = total.index(max(total))
    margin = total[top] - max(total[:top] + total[top + 1 :])
    return top * (len(edges) + 1) + sum(edge < margin for edge in edges)


def run(ensemble, policy, fixed, X):
    """Every row through the jump table: sums and exit steps."""
    edges = [int(edge) for edge in fixed.edges(policy.grid.edges)]
    jumps, _ = policy.native
    sums, exits = [], []
    for row in X:
        total, exit_step = [int(b) for b in fixed.bias], 0
        j = jumps[0, cell(edges, ensemble.n_scores, total)]
        while j < policy.n_steps:
            h = vote(ensemble, fixed, policy.order[j], row)
            total = [a + b for a, b in zip(total, h, strict=True)]
            exit_step = int(j) + 1
            j = jumps[j + 1, cell(edges, ensemble.n_scores, total)]
        sums.append(total)
        exits.append(exit_step)
    return sums, exits
