"""Descents: where coordinate descent starts, and its sweeps from there to a local optimum.

A descent ends where no single decision can be bettered, and which end that is depends on the start.
Three starts are fixed: evaluate all, the optimum without SKIP, a policy that is given. Others are
random, on a few thousand instances at most: a policy that skips most decisions in all cells, or one
of the best ends so far with a share of its decisions changed.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mddag.mdp.mdp import MDP
from mddag.mdp.policy import EVAL, SKIP, Policy
from mddag.solvers.descent.sweep import Guards, Sweep

Actions = NDArray[np.uint8]  # (n_decisions, n_cells)

SHARES = (0.03, 0.1, 0.3)  # of the decisions: evaluated in a random start, changed in a shaken one
N_DRAWN = 4  # random starts of which one sweep lets one go on
FEW, FEWER = 4000, 1000  # instances for exploring, and for choosing what was drawn
N_ELITE = 4  # ends that may be shaken
LEAST_FALL = 5e-4  # of the objective, relative, for another sweep


class Descents:
    """Descents on one MDP."""

    def __init__(self, mdp: MDP, every: int, n_sweeps: int, n_threads: int) -> None:

        def sweep(actions: tuple[str, ...], n_most: int) -> Sweep:
            instances = mdp.counting(n_most)
            return Sweep(
                mdp, every=every, actions=actions, instances=instances, n_threads=n_threads
            )

        no_skip = tuple(action for action in mdp.actions if action != "skip")
        self.mdp, self.every, self.n_sweeps = mdp, every, n_sweeps
        self.shape = -(-mdp.n_steps // every), mdp.grid.n_cells
        self.on_all, self.on_few, self.on_fewer = (
            sweep(mdp.actions, n_most) for n_most in (mdp.n_instances, FEW, FEWER)
        )
        self.on_all_no_skip = sweep(no_skip, mdp.n_instances)
        self.elite: list[tuple[float, Actions]] = []

    def evaluate_all(self) -> Actions:
        return np.full(self.shape, EVAL, np.uint8)

    def without_skip(self, guards: Guards) -> Actions:
        """The optimum without SKIP: all instances reach every decision, so one sweep finds it."""
        actions = self.evaluate_all()
        self.on_all_no_skip(actions, guards)
        return actions

    def random(self, guards: Guards, rng: np.random.Generator) -> Actions:
        """The most promising of a few starts that evaluate a random share of the decisions."""
        drawn = []
        for share in rng.choice(SHARES, N_DRAWN):
            actions = self.evaluate_all()
            actions[rng.random(len(actions)) >= share] = SKIP
            drawn.append((self.on_fewer(actions, guards), actions))
        return min(drawn, key=lambda one: one[0])[1]

    def shaken(self, rng: np.random.Generator) -> Actions:
        """One of the elite, a random share of its decisions made EVAL or SKIP in all cells."""
        actions = self.elite[int(len(self.elite) * rng.random() ** 2)][1].copy()
        hit = np.flatnonzero(rng.random(len(actions)) < rng.choice(SHARES))
        actions[hit] = rng.choice(np.array([EVAL, SKIP], np.uint8), (len(hit), 1))
        return actions

    def explore(self, start: Actions, guards: Guards) -> bool:
        """Descend on few instances; whether the end is lower than all before."""
        *_, (value, actions) = self._sweeps(start, guards, self.on_few)
        is_best = not self.elite or value < self.elite[0][0]
        if all(value != other for other, _ in self.elite):
            self.elite.append((value, actions))
            self.elite = sorted(self.elite, key=lambda one: one[0])[:N_ELITE]
        return is_best

    def descend(self, start: Actions, guards: Guards) -> Iterator[Policy]:
        """Descend on all instances: the policy after every sweep."""
        for _, actions in self._sweeps(start, guards, self.on_all):
            yield self.policy(actions)

    def _sweeps(
        self, actions: Actions, guards: Guards, sweep: Sweep
    ) -> Iterator[tuple[float, Actions]]:
        """The value and the actions after every sweep, until the value falls no more."""
        before = np.inf
        for _ in range(self.n_sweeps):
            actions = actions.copy()
            value = sweep(actions, guards)
            yield value, actions
            if not value < before - LEAST_FALL * abs(value):
                break
            before = value

    def policy(self, actions: Actions) -> Policy:
        mdp = self.mdp
        steps = np.arange(mdp.n_steps)
        return Policy(actions, mdp.grid, steps, self.every)


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
            "mdp.arranged(Arrangement(start.order, start.rescaling)), where its order is arange(N)"
        )
    edges, n_parts = start.grid.edges, mdp.grid.n_cells // (len(mdp.grid.edges) + 1)
    inside = np.searchsorted(edges, mdp.grid.centres)
    cells = (np.arange(n_parts)[:, None] * (len(edges) + 1) + inside).ravel()
    return np.ascontiguousarray(start.actions[:, cells])
