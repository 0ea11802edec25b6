"""Twin of native/solvers/descent.hpp: one backward sweep, every return by a rollout from the start.

Nothing is remembered between decisions: who reaches a decision is found by following the policy
from f^(0), and what an action pays by following it to the end.
"""

from math import sqrt

import numpy as np

from mddag.policy.policy import EVAL, QUIT, SKIP
from tests.reference import grid as grid_twin


def sweep(mdp, actions, every, guards, instances):
    """Improve actions, a list of lists (n_decisions, n_cells), in place."""
    for d in range(len(actions) - 1, -1, -1):
        here = [(i, f) for i in instances if (f := state_before(mdp, actions, every, i, d))]
        cells = [grid_twin.cell(mdp.grid, f) for _, f in here]
        groups = groups_of(cells, mdp.grid, mdp.grid.n_cells, guards.n_cells, guards.min_count)
        for members in set(groups.values()):
            returns = [
                [mdp.weight[i] * paid(mdp, actions, every, i, d, f, a) for a in (EVAL, SKIP, QUIT)]
                for (i, f), c in zip(here, cells, strict=True)
                if c in members
            ]
            best = choose(returns, guards, mdp.actions)
            for c in members:
                actions[d][c] = best


def evaluated(mdp, every, i, d, f):
    """The scores after the votes of decision d, and their cost."""
    tables, cost = mdp.votes.tables, 0.0
    for j in range(d * every, min((d + 1) * every, mdp.n_steps)):
        for t in range(tables.rounds[j], tables.rounds[j + 1]):
            vote = tables.table(t)[mdp.votes.codes[i, t]]
            f = [a + b for a, b in zip(f, vote, strict=True)]
        cost += mdp.costs[j]
    return f, cost


def state_before(mdp, actions, every, i, d):
    """The scores of instance i before decision d; None if it has quit."""
    f = list(mdp.votes.tables.bias)
    for before in range(d):
        action = actions[before][grid_twin.cell(mdp.grid, f)]
        if action == QUIT:
            return None
        if action == EVAL:
            f, _ = evaluated(mdp, every, i, before, f)
    return f


def paid(mdp, actions, every, i, d, f, action):
    """What instance i pays from scores f on: this action, then the policy."""
    total = 0.0
    while action != QUIT:
        if action == EVAL:
            f, cost = evaluated(mdp, every, i, d, f)
            total += cost
        d += 1
        action = actions[d][grid_twin.cell(mdp.grid, f)] if d < len(actions) else QUIT
    return float(mdp.losses(np.array([f]), [i])[0]) + mdp.beta * total


def choose(returns, guards, allowed):
    """The action for instances whose three returns these are."""
    best = EVAL
    if "quit" in allowed and advantage(returns, QUIT, EVAL, guards.z_quit) >= 0:
        best = QUIT
    if "skip" in allowed and advantage(returns, SKIP, best, guards.z_skip) > 0:
        best = SKIP
    return best


def advantage(returns, action, over, z):
    """By how much the sum of an action's returns is smaller, less z standard errors."""
    gains = [r[over] - r[action] for r in returns]
    mean = sum(gains) / len(gains)
    # rounding must not decide what is equal
    total = round(sum(gains), 9)
    return total - z * sqrt(sum((g - mean) ** 2 for g in gains))


def groups_of(cells, grid, n_cells, most, least):
    """From cell to the tuple of cells with which it decides; deserted rows are left out."""
    row_cells = len(grid.edges) + 1
    groups = {}
    for first in range(0, n_cells, row_cells):
        row = range(first, first + row_cells)
        inside = sorted(c for c in cells if c in row)
        if inside:
            part = {c: quantile_at(c, inside, most, least) for c in row}
            groups |= {c: tuple(other for other in row if part[other] == part[c]) for c in row}
    return groups


def quantile_at(cell, inside, most, least):
    """In which of the quantiles the visited cell nearest to `cell` has its middle instance."""
    nearest = min(inside, key=lambda visited: abs(visited - cell))  # the lower of two
    if most == 0:
        return nearest
    n_groups = min(most, max(len(inside) // least, 1))
    below = sum(c < nearest for c in inside)
    return (2 * below + inside.count(nearest)) * n_groups // (2 * len(inside))
