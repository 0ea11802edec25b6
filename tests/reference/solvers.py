"""Solvers in plain loops, among them the one that tries all policies."""

import math
from itertools import product
from math import sqrt

import numpy as np

from mddag.policy.policy import EVAL, QUIT, SKIP, Policy
from tests.reference import rollout

# Twin of native/solvers/descent.hpp: one backward sweep, every return by a rollout from the start.
#
# Nothing is remembered between decisions: who reaches a decision is found by following the policy
# from f^(0), and what an action pays by following it to the end.


def sweep(mdp, actions, every, guards, instances):
    """Improve actions, a list of lists (n_decisions, n_cells), in place."""
    for d in range(len(actions) - 1, -1, -1):
        here = [(i, f) for i in instances if (f := state_before(mdp, actions, every, i, d))]
        cells = [rollout.cell(mdp.grid, f) for _, f in here]
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
        action = actions[before][rollout.cell(mdp.grid, f)]
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
        action = actions[d][rollout.cell(mdp.grid, f)] if d < len(actions) else QUIT
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


# The best policy there is, by trying them all: what solvers of small problems must reach.


def reachable_cells(mdp):
    """By step, the cells in which some sum of votes can lie."""
    sums, cells = {float(mdp.votes.tables.bias[0])}, []
    for j in range(mdp.n_steps):
        cells.append(sorted({int(mdp.grid.cells(np.array([[f]]))[0]) for f in sums}))
        sums |= {f + h for f in sums for h in mdp.votes.tables.table(j)[:, 0].tolist()}
    return cells


def best_objective(mdp):
    """The smallest value of Eq. (8) over all policies on the grid of a binary MDP."""
    cells = reachable_cells(mdp)
    places = [(j, c) for j in range(mdp.n_steps) for c in cells[j]]
    # at the last step to skip is to quit
    choices = [(EVAL, QUIT) if j == mdp.n_steps - 1 else (EVAL, SKIP, QUIT) for j, _ in places]
    actions = np.full((mdp.n_steps, mdp.grid.n_cells), QUIT)
    best = np.inf
    for chosen in product(*choices):
        for place, action in zip(places, chosen, strict=True):
            actions[place] = action
        policy = Policy(actions.copy(), mdp.grid, np.arange(mdp.n_steps))
        best = min(best, mdp.evaluate(policy).objective)
    return best


# Twin of native/exits/quit_cuts.hpp: the cuts of QWYC, tried cell by cell for one histogram.


def cut(there, wrong, budget, shares):
    """Cells up to low and from high on quit, and the weight that does: (low, high, weight)."""
    n_cells, slack = len(there), budget * (1 + 1e-12)
    best, most = (0, 0), 0.0
    for share in shares:
        n_low = most_cells(wrong, share * slack)
        n_high = most_cells(wrong[::-1], slack - running(wrong[:n_low]))
        n_high = min(n_high, n_cells - n_low)
        weight = running(there[:n_low]) + running(there[::-1][:n_high])
        if weight > most:
            best, most = (n_low, n_high), weight
    n_low, n_high = best
    last = last_filled(there[::-1][:n_high])
    return last_filled(there[:n_low]), n_cells - 1 - last, most


def most_cells(wrong, budget):
    """The most cells, from the first on, that together lose no more than the budget."""
    return max(n for n in range(len(wrong) + 1) if n == 0 or running(wrong[:n]) <= budget)


def running(numbers):
    """Their sum, added one by one."""
    total = 0.0
    for number in numbers:
        total += number
    return total


def last_filled(there):
    """The last cell with rows; -1 where there is none."""
    return max((c for c, weight in enumerate(there) if weight > 0), default=-1)


# The objective of refitted leaves, row by row, in log-odds, and sums by leaf.


def objective(votes, values, targets, mass, factor, ridge):
    """sum_i m_i log-loss(q_i, a f(x_i)) + ridge / 2 |a (v - v_0)|^2 at leaf values v."""
    tables = votes.tables
    total = 0.0
    for i in range(len(votes)):
        scores = list(tables.bias)
        for t in range(tables.n_trees):
            leaf, begin = int(votes.codes[i, t]), int(tables.starts[t])
            if tables.score[t] >= 0:
                scores[tables.score[t]] += values[begin + leaf]
            else:
                for k in range(len(scores)):
                    scores[k] += values[begin + leaf * len(scores) + k]
        z = [factor * score for score in scores]
        z = [0.0, *z] if len(z) == 1 else z
        largest = max(z)
        log_sum = largest + math.log(sum(math.exp(one - largest) for one in z))
        total += mass[i] * sum(q * (log_sum - one) for q, one in zip(targets[i], z, strict=True))
    return total + ridge / 2 * factor**2 * float(np.square(values - tables.values).sum())


def leaf_sums(votes, numbers):
    """Numbers (n, K) added up over the rows that reach each leaf, for each value of the tables."""
    tables = votes.tables
    sums = np.zeros(len(tables.values))
    for i in range(len(votes)):
        for t in range(tables.n_trees):
            leaf, begin = int(votes.codes[i, t]), int(tables.starts[t])
            if tables.score[t] >= 0:
                sums[begin + leaf] += numbers[i, tables.score[t]]
            else:
                for k in range(tables.n_scores):
                    sums[begin + leaf * tables.n_scores + k] += numbers[i, k]
    return sums
