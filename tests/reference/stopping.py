"""Twin of mddag.solvers.stopping: the value of going on, one instance and cell at a time."""

import numpy as np


def sums(mdp):
    """f^(0) .. f^(N) of every instance, (N + 1, n, K)."""
    votes = mdp.votes.dense()
    bias = np.tile(mdp.votes.tables.bias, (len(votes), 1))
    return np.array([bias + votes[:, :j].sum(axis=1) for j in range(mdp.n_steps + 1)])


def read(mdp, scores, j):
    factor = 1.0 if mdp.factors is None else mdp.factors[j]
    return mdp.losses(factor * scores)


def by_groups(n_groups):
    """Cells in turn join the group that their first instance falls into; a group decides as one."""

    def quits(gains, counts):
        group, before = [], 0
        for count in counts:
            group.append(min(before * n_groups // sum(counts), n_groups - 1))
            before += count
        total = [sum(g for g, own in zip(gains, group, strict=True) if own == k) for k in group]
        return [t >= 0 for t in total]

    return quits


def by_thresholds(gains, _counts):
    """All pairs of thresholds, tried."""
    n = len(gains)

    def gained(low, high):
        return sum(gains[:low]) + sum(gains[high:])

    pairs = [(low, high) for high in range(n + 1) for low in range(high + 1)]
    low, high = max(pairs, key=lambda pair: gained(*pair))
    return [not low <= place < high for place in range(n)]


def quits(mdp, decide, every=1):
    """Whether to quit, by decision and place on the axis of scores or margins."""
    passed, n_places = sums(mdp), len(mdp.grid.edges) + 1
    value = read(mdp, passed[-1], mdp.n_steps)
    table = []
    for j in reversed(range(0, mdp.n_steps, every)):
        value = value + mdp.beta * sum(mdp.costs[j : j + every])
        loss = read(mdp, passed[j], j)
        places = mdp.grid.cells(passed[j]) % n_places
        gains, counts = [0.0] * n_places, [0] * n_places
        for i, place in enumerate(places):
            gains[place] += mdp.weight[i] * (value[i] - loss[i])
            counts[place] += 1
        row = decide(gains, counts)
        value = np.array([loss[i] if row[p] else value[i] for i, p in enumerate(places)])
        table.insert(0, row)
    return table
