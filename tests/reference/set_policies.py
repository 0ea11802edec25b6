"""Twin of src/mddag/acquisition/search.py: one row and one cell at a time."""

import numpy as np


def solve(sample, losses, beta, leads):
    """Targets of each set and cell, and the cross-fitted loss and cost of every row."""
    n, n_sets = len(sample), len(sample.sets)
    targets, outcome = {}, {}
    for s in reversed(range(n_sets)):
        options = [s] + [t for t in range(n_sets) if leads[s][t]]
        if len(options) == 1:
            targets[s] = [s]
            outcome[s] = [(losses[i][s], sample.measured[i][s], 0.0) for i in range(n)]
            continue
        cells = [_cell(sample.edges[s], sample.values[i][s]) for i in range(n)]
        results = [[_result(sample, losses, outcome, s, t, i) for t in options] for i in range(n)]
        targets[s] = [options[k] for k in _best(sample, results, cells, s, beta, None)]
        by_fold = {f: _best(sample, results, cells, s, beta, f) for f in set(sample.fold.tolist())}
        outcome[s] = [results[i][by_fold[sample.fold[i]][cells[i]]] for i in range(n)]
    return targets, [o[1] for o in outcome[0]], [o[2] for o in outcome[0]]


def _cell(edges, value):
    return sum(value > edge for edge in edges)


def _result(sample, losses, outcome, s, t, i):
    """Loss, measured loss and cost of row i in set s that goes to t, or quits where t is s."""
    if t == s:
        return losses[i][s], sample.measured[i][s], 0.0
    loss, measured, cost = outcome[t][i]
    return loss, measured, cost + sample.sets.fares[s][t]


def _best(sample, results, cells, s, beta, without):
    """The option of each cell, by the rows in it and half of those in its neighbours."""
    n_options, n_cells = len(results[0]), len(sample.edges[s]) + 1
    sums = np.zeros((n_cells, n_options))
    for i, cell in enumerate(cells):
        if sample.fold[i] == without:
            continue
        for k, (loss, _, cost) in enumerate(results[i]):
            sums[cell][k] += loss + beta * cost
    best = []
    for c in range(n_cells):
        lent = [sums[d] / 2 for d in (c - 1, c + 1) if 0 <= d < n_cells]
        best.append(int(np.argmin(sum(lent, sums[c]))))
    return best


def follow(policy, sets, values):
    """The last set and the cost of one row with these values (M,)."""
    at, cost = 0, 0.0
    while True:
        to = int(policy.targets[at][_cell(policy.edges[at], values[at])])
        if to == at:
            return at, cost
        cost += sets.fares[at][to]
        at = to
