"""Descent: exact coordinate descent on Eq. (8).

Given x every transition is known, so the return of any action on any instance is known exactly. A
sweep goes from the last decision to the first; each cell takes the action with the smallest sum of
returns over the instances that reach it, the later decisions being improved already. Where every
cell decides alone the objective can only fall on these rows. There is no learning rate, and no
exploration but the starts.

A descent ends in a local optimum, so it is started many times. A sum over few instances is noisy,
and the smallest of three noisy sums is too small on average. So cells decide together in groups,
actions must win by a number of standard errors (guards), which may cost something on these rows,
and `selection` rows choose among sweeps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from mddag._internal.checks import check_between, check_one_of, check_whole, checked_threads, typed
from mddag._internal.parameters import Parameters
from mddag.mdp.mdp import MDP
from mddag.mdp.policy import Policy
from mddag.solvers.descent.descents import Actions, Descents, suited
from mddag.solvers.descent.sweep import Guards
from mddag.solvers.search import Search
from mddag.solvers.solver import SETTINGS, Solver, check_samples
from mddag.solvers.teacher import with_teacher

FREE = Guards()
COARSE = Guards(n_cells=8, min_count=30, z_skip=1.0)
CAREFUL = Guards(n_cells=16, min_count=30, z_skip=1.0, z_quit=0.5)
RANDOM_CELLS = (0, 16, 32, 64)
DRAW_EVERY = 4  # the other explorations shake what was found


@dataclass
class Descent(Parameters, Solver):
    """Descents from several starts; the best sweep of all is the answer.

    n_starts     : explorations, besides the descent from the optimum without SKIP
    n_sweeps     : most sweeps of one descent
    n_cells      : groups of cells that decide together at a step, per top class; 0 lets every cell
                   of the grid decide alone, None tries several
    z            : standard errors by which SKIP must beat the other actions, and QUIT by half as
                   many EVAL; None tries several
    every        : steps that one decision covers, see Policy
    targets      : "labels", or "teacher": the full ensemble's calibrated probabilities
    start        : a policy to start from instead of exploring, such as that of a neighbouring beta
    random_state : a seed, or None for a new one at each call
    n_threads    : -1 for all cores; the answer does not depend on it
    verbose      : report the descents on standard error
    """

    n_starts: int = 4
    n_sweeps: int = 4
    n_cells: int | None = None
    z: float | None = None
    every: int = 1
    targets: str = "labels"
    start: Policy | None = None
    random_state: int | None = None
    n_threads: int = 1
    verbose: bool = False

    settings: ClassVar[tuple[str, ...]] = SETTINGS

    def solve(self, mdp: MDP, selection: MDP | None = None) -> Policy:
        """The best candidate by Eq. (8) on `selection`, or on the MDP itself."""
        check_samples(mdp, selection)
        return self.search(mdp, selection).policy

    def search(self, mdp: MDP, selection: MDP | None = None) -> Search:
        """The same, with the value of every candidate."""
        self.check()
        return Search.among(
            self._policies(mdp),
            mdp,
            selection,
            name="Descent",
            total=len(self._guards()) + self.n_starts,
            verbose=self.verbose,
        )

    def policies(self, mdp: MDP) -> Iterator[Policy]:
        """The policies after every sweep of every descent, the optimum without SKIP first."""
        self.check()
        return (policy for _, policy in self._policies(mdp))

    def _policies(self, mdp: MDP) -> Iterator[tuple[int, Policy]]:
        """The same, with the number of descents so far."""
        start = None if self.start is None else suited(self.start, mdp, self.every)
        mdp = with_teacher(mdp) if self.targets == "teacher" else mdp
        descents = Descents(mdp, self.every, self.n_sweeps, checked_threads(self.n_threads))
        ends = []
        for n_done, guards in enumerate(self._guards(), 1):
            no_skip = descents.without_skip(guards)
            yield n_done, descents.policy(no_skip)
            for policy in descents.descend(no_skip if start is None else start, guards):
                yield n_done, policy
            ends.append(policy.actions)
        if "skip" in mdp.actions and start is None and self.n_starts > 0:
            for n_random, policy in self._explored(descents, ends):
                yield n_done + n_random, policy

    def _explored(self, descents: Descents, ends: list[Actions]) -> Iterator[tuple[int, Policy]]:
        """The policies of explorations that ended lower than all before; then descents from the
        best of them on all instances."""
        rng = np.random.default_rng(self.random_state)
        for guards, end in zip(self._guards(), ends, strict=True):
            descents.explore(end, guards)
        for n_random in range(self.n_starts):
            guards = self._drawn_guards(rng)
            drawn = n_random % DRAW_EVERY == 0
            start = descents.random(guards, rng) if drawn else descents.shaken(rng)
            if descents.explore(start, guards):
                yield n_random + 1, descents.policy(descents.elite[0][1])
        for guards in self._guards():
            for policy in descents.descend(descents.elite[0][1], guards):
                yield self.n_starts, policy

    def _guards(self) -> tuple[Guards, ...]:
        """Those of the descents on all instances."""
        if self.n_cells is None and self.z is None:
            return FREE, COARSE, CAREFUL
        z = CAREFUL.z_skip if self.z is None else self.z
        n_cells = CAREFUL.n_cells if self.n_cells is None else self.n_cells
        return (replace(CAREFUL, n_cells=n_cells, z_skip=z, z_quit=z / 2),)

    def _drawn_guards(self, rng: np.random.Generator) -> Guards:
        """Those of an exploration."""
        n_cells = int(rng.choice(RANDOM_CELLS)) if self.n_cells is None else self.n_cells
        z = 0.0 if self.z is None else self.z
        return Guards(n_cells=n_cells, z_skip=z, z_quit=z / 2)

    def check(self) -> None:
        """Refuse parameters that make no sense."""
        check_whole("n_starts", self.n_starts, 0)
        check_whole("n_sweeps", self.n_sweeps, 1)
        check_whole("every", self.every, 1)
        check_one_of("targets", self.targets, ("labels", "teacher"))
        checked_threads(self.n_threads)
        if self.n_cells is not None:
            check_whole("n_cells", self.n_cells, 0)
        if self.random_state is not None:
            check_whole("random_state", self.random_state, 0)
        if self.z is not None:
            check_between("z", self.z, 0, np.inf, "a number of standard errors, 0 or more")
        if self.start is not None and not isinstance(self.start, Policy):
            raise TypeError(f"start is {typed(self.start)}; wanted a Policy")
