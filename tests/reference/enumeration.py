"""The best policy there is, by trying them all: what solvers of small problems must reach."""

from itertools import product

import numpy as np

from mddag.policy.policy import EVAL, QUIT, SKIP, Policy


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
