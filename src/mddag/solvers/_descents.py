"""Descents: where coordinate descent starts, and its sweeps from there to a local optimum.

Descent ends where no single decision can be bettered, and which end that is depends on the start.
Three are deliberate: evaluate all, the optimum without SKIP, a policy that is given. The others
are random: most steps are skipped by everyone, or the best end so far is shaken.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mddag.mdp import MDP
from mddag.policy import EVAL, SKIP, Policy
from mddag.solvers._sweep import Guards, Sweep

Actions = NDArray[np.uint8]  # (n_decisions, n_cells)

SHARES = (0.03, 0.1, 0.3)  # of the decisions: evaluated in a random start, changed in a shaken one
N_DRAWN = 4  # random starts of which one sweep on a few instances lets one go on
FEW_INSTANCES = 4000
LEAST_FALL = 1e-4  # of the objective, relative, for another sweep


class Descents:
    """Descents on one MDP. `best` is the lowest end so far by the rows that are learned from."""

    def __init__(self, mdp: MDP, every: int, n_sweeps: int, n_threads: int) -> None:
        self.mdp, self.every, self.n_sweeps = mdp, every, n_sweeps
        self.sweep = Sweep(mdp, every=every, n_threads=n_threads)
        no_skip = tuple(action for action in mdp.actions if action != "skip")
        self.sweep_no_skip = Sweep(mdp, every=every, actions=no_skip, n_threads=n_threads)
        few = np.linspace(0, mdp.n_instances - 1, min(mdp.n_instances, FEW_INSTANCES))
        self.glance = Sweep(mdp, every=every, instances=few.astype(np.int64), n_threads=n_threads)
        self.shape = -(-mdp.n_steps // every), mdp.grid.n_cells
        self.best, self.lowest = np.full(self.shape, EVAL, np.uint8), np.inf

    def evaluate_all(self) -> Actions:
        return np.full(self.shape, EVAL, np.uint8)

    def without_skip(self, guards: Guards) -> Actions:
        """The optimum without SKIP: everyone reaches every decision, so one sweep finds it."""
        actions = self.evaluate_all()
        self.sweep_no_skip(actions, guards)
        return actions

    def random(self, guards: Guards, rng: np.random.Generator) -> Actions:
        """The most promising of a few starts that evaluate a random share of the decisions."""
        drawn = []
        for share in rng.choice(SHARES, N_DRAWN):
            actions = self.evaluate_all()
            actions[rng.random(len(actions)) >= share] = SKIP
            drawn.append((self.glance(actions, guards), len(drawn), actions))
        return min(drawn, key=lambda d: d[:2])[2]

    def shaken(self, rng: np.random.Generator) -> Actions:
        """The best so far, a random share of its decisions made EVAL or SKIP for everyone."""
        actions = self.best.copy()
        hit = np.flatnonzero(rng.random(len(actions)) < rng.choice(SHARES))
        actions[hit] = rng.choice(np.array([EVAL, SKIP], np.uint8), (len(hit), 1))
        return actions

    def descend(self, actions: Actions, guards: Guards) -> Iterator[Policy]:
        """The policy after every sweep, until the objective falls no more."""
        before = np.inf
        for _ in range(self.n_sweeps):
            actions = actions.copy()
            value = self.sweep(actions, guards)
            yield self.policy(actions)
            if value < self.lowest:
                self.best, self.lowest = actions, value
            if not value < before * (1 - LEAST_FALL):
                break
            before = value

    def policy(self, actions: Actions) -> Policy:
        return Policy(actions, self.mdp.grid, np.arange(self.mdp.n_steps), self.every)


def suited(start: Policy, mdp: MDP, every: int) -> Actions:
    """The actions of a policy on the grid of an MDP, if it decides on the same steps."""
    start.require(mdp.n_steps, mdp.n_scores)
    if start.every != every:
        raise ValueError(
            f"start decides every {start.every} steps; wanted every={every}, as this solver does"
        )
    if not np.array_equal(start.order, np.arange(mdp.n_steps)):
        raise ValueError(
            "start takes the base classifiers in another order than the MDP; learn on "
            "mdp.reordered(start.order), in whose order it is replace(start, order=arange(N))"
        )
    edges, n_rows = start.grid.edges, mdp.n_scores
    inside = np.searchsorted(edges, mdp.grid.centres)
    cells = (np.arange(n_rows)[:, None] * (len(edges) + 1) + inside).ravel()
    return np.ascontiguousarray(start.actions[:, cells])
