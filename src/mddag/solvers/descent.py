"""Descent: exact coordinate descent on Eq. (8).

Every transition of a row is known, so the return of any action is known exactly. A sweep goes from
the last decision to the first and gives each cell the action with the smallest sum of returns over
the rows that reach it (native/solvers/descent.hpp). A descent ends in a local optimum, so it is
started many times; sums over few rows are noisy, so cells decide in groups and actions must win by
some standard errors (`Guards`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag._utils.checks import (
    Parameters,
    check_between,
    check_one_of,
    check_whole,
    checked_jobs,
    typed,
)
from mddag.policy.mdp import MDP
from mddag.policy.policy import ACTIONS, EVAL, SKIP, Policy, trusted_policy
from mddag.solvers.solver import SearchingSolver, quit_loss, with_soft_targets


@dataclass(frozen=True)
class Guards:
    """What keeps a sweep from fitting noise; the defaults do nothing."""

    # groups of cells that decide together, per top class; 0 lets every cell decide alone
    n_cells: int = 0
    min_count: int = 1  # approximate number of rows per group
    z_skip: float = 0.0  # standard errors by which SKIP must beat the better of EVAL and QUIT
    # standard errors by which QUIT must beat EVAL. Rows that all gain alike have none, so only
    # `min_count` guards a group of one
    z_quit: float = 0.0


class Sweep:
    """Sweeps over policies for some rows of an MDP, all by default."""

    def __init__(
        self,
        mdp: MDP,
        *,
        every: int = 1,
        actions: tuple[str, ...] | None = None,
        rows: NDArray[np.int64] | None = None,
        n_jobs: int = 1,
    ) -> None:
        tables = mdp.votes.tables
        rows = np.arange(mdp.n_rows) if rows is None else rows
        eval_, skip, quit_ = (a in (mdp.actions if actions is None else actions) for a in ACTIONS)
        self.sample = (
            tables.native,
            mdp.votes.codes,
            rows.astype(np.int64),
            tables.bias,
            mdp.costs,
            mdp.weight,
        )
        self.grid = mdp.grid.native
        # More steps than there are is all of them; the kernel could not count to any number
        n_together = min(every, max(mdp.n_steps, 1))
        self.arguments = (mdp.beta, n_together, (eval_, skip, quit_))
        loss = quit_loss(mdp)
        self.loss = mdp.losses if callable(loss) else loss
        self.n_jobs = checked_jobs(n_jobs)

    def __call__(self, actions: NDArray[np.uint8], guards: Guards) -> float:
        """Improve actions (n_decisions, n_cells) in place and return Eq. (8) on these rows."""
        limits = (guards.n_cells, guards.min_count, guards.z_skip, guards.z_quit)
        return _core.descend(
            self.sample, self.grid, self.arguments, limits, self.loss, actions, self.n_jobs
        )


Actions = NDArray[np.uint8]  # (n_decisions, n_cells)

SHARES = (0.03, 0.1, 0.3)  # of the decisions: evaluated in a random start, changed in a shaken one
N_DRAWN = 4  # random starts of which one sweep lets one go on
FEW, FEWER = 4000, 1000  # rows for exploring, and for choosing what was drawn
N_ELITE = 4  # ends that may be shaken
LEAST_FALL = 5e-4  # of the objective, relative, for another sweep


class Descents:
    """Descents on one MDP.

    Three starts are fixed: evaluate all, the optimum without SKIP, a policy that is given. Others
    are random, on a few thousand rows at most: a policy that skips most decisions in all cells, or
    one of the best ends so far with a share of its decisions changed.
    """

    def __init__(self, mdp: MDP, every: int, n_sweeps: int, n_jobs: int) -> None:

        def sweep(actions: tuple[str, ...], n_most: int) -> Sweep:
            rows = mdp.counting(n_most)
            return Sweep(mdp, every=every, actions=actions, rows=rows, n_jobs=n_jobs)

        no_skip = tuple(action for action in mdp.actions if action != "skip")
        self.mdp, self.every, self.n_sweeps = mdp, every, n_sweeps
        self.shape = -(-mdp.n_steps // every), mdp.grid.n_cells
        self.on_all, self.on_few, self.on_fewer = (
            sweep(mdp.actions, n_most) for n_most in (mdp.n_rows, FEW, FEWER)
        )
        self.on_all_no_skip = sweep(no_skip, mdp.n_rows)
        self.elite: list[tuple[float, Actions]] = []

    def evaluate_all(self) -> Actions:
        """Return the actions that evaluate everything."""
        return np.full(self.shape, EVAL, np.uint8)

    def without_skip(self, guards: Guards) -> Actions:
        """Return the optimum without SKIP; all rows reach every decision, so one sweep finds it."""
        actions = self.evaluate_all()
        self.on_all_no_skip(actions, guards)
        return actions

    def random(self, guards: Guards, rng: np.random.Generator) -> Actions:
        """Return the best of a few starts that evaluate a random share of the decisions."""
        drawn = []
        for share in rng.choice(SHARES, N_DRAWN):
            actions = self.evaluate_all()
            actions[rng.random(len(actions)) >= share] = SKIP
            drawn.append((self.on_fewer(actions, guards), actions))
        return min(drawn, key=lambda one: one[0])[1]

    def shaken(self, rng: np.random.Generator) -> Actions:
        """Return one of the elite with a random share of its decisions changed in all cells."""
        actions = self.elite[int(len(self.elite) * rng.random() ** 2)][1].copy()
        hit = np.flatnonzero(rng.random(len(actions)) < rng.choice(SHARES))
        actions[hit] = rng.choice(np.array([EVAL, SKIP], np.uint8), (len(hit), 1))
        return actions

    def explore(self, start: Actions, guards: Guards) -> bool:
        """Descend on few rows and return whether the end is lower than all before."""
        *_, (value, actions) = self._sweeps(start, guards, self.on_few)
        is_best = not self.elite or value < self.elite[0][0]
        if all(value != other for other, _ in self.elite):
            self.elite.append((value, actions))
            self.elite = sorted(self.elite, key=lambda one: one[0])[:N_ELITE]
        return is_best

    def descend(self, start: Actions, guards: Guards) -> Iterator[Policy]:
        """Descend on all rows, yielding the policy after every sweep."""
        for _, actions in self._sweeps(start, guards, self.on_all):
            yield self.policy(actions)

    def _sweeps(
        self, actions: Actions, guards: Guards, sweep: Sweep
    ) -> Iterator[tuple[float, Actions]]:
        """Yield the value and the actions after every sweep, until the value stops falling."""
        before = np.inf
        for _ in range(self.n_sweeps):
            actions = actions.copy()
            value = sweep(actions, guards)
            yield value, actions
            if not value < before - LEAST_FALL * abs(value):
                break
            before = value

    def policy(self, actions: Actions) -> Policy:
        """Return the policy with these actions."""
        mdp = self.mdp
        steps = np.arange(mdp.n_steps)
        return trusted_policy(actions, mdp.grid, steps, self.every)


def suited(start: Policy, mdp: MDP, every: int) -> Actions:
    """Return the actions of a policy on the grid of an MDP; it must decide on the same steps."""
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
    inside = np.searchsorted(edges, mdp.grid.centers)
    cells = (np.arange(n_parts)[:, None] * (len(edges) + 1) + inside).ravel()
    return np.ascontiguousarray(start.actions[:, cells])


FREE = Guards()
COARSE = Guards(n_cells=8, min_count=30, z_skip=1.0)
CAREFUL = Guards(n_cells=16, min_count=30, z_skip=1.0, z_quit=0.5)
RANDOM_CELLS = (0, 16, 32, 64)
DRAW_EVERY = 4  # the other explorations shake what was found


@dataclass
class Descent(Parameters, SearchingSolver):
    """Learn by coordinate descent from several starts; the best sweep is the answer.

    Parameters
    ----------
    n_starts : int, default=4
        Number of random starts in addition to the optimum without SKIP.
    n_sweeps : int, default=4
        Largest number of sweeps of one descent.
    n_cells : int or None, default=None
        Groups of cells that decide together at a step, per top class; 0 lets every cell of the grid
        decide alone, None tries several.
    z : float or None, default=None
        Standard errors by which SKIP must beat the other actions, and twice those by which QUIT
        must beat EVAL; None tries several.
    every : int, default=1
        Number of steps that one decision covers.
    targets : {"labels", "model"}, default="labels"
        Learn from labels, or from the calibrated probabilities of the full ensemble.
    start : Policy, default=None
        Policy to start from instead of random starts, such as that of a similar beta.
    random_state : int or None, default=None
        Seed; None for a new one at each call.
    n_jobs : int, default=1
        Number of threads, -1 for all cores; the answer does not depend on it.
    verbose : bool, default=False
        Whether to report the descents on standard error.

    Examples
    --------
    >>> import mddag
    >>> from mddag.solvers import Descent
    >>> mdp = mddag.MDP([[2.0, 0.1], [-1.5, 0.1], [-0.1, 1.0]], [1, 0, 1], beta=0.05)
    >>> policy = Descent(n_starts=2, random_state=0).solve(mdp)
    >>> mdp.evaluate(policy).loss
    0.0
    """

    n_starts: int = 4
    n_sweeps: int = 4
    n_cells: int | None = None
    z: float | None = None
    every: int = 1
    targets: str = "labels"
    start: Policy | None = None
    random_state: int | None = None
    n_jobs: int = 1
    verbose: bool = False

    @property
    def _n_total(self) -> int:
        return len(self._guards()) + self.n_starts

    def policies(self, mdp: MDP) -> Iterator[Policy]:
        """Return the policy after every sweep of every descent, the optimum without SKIP first.

        Parameters
        ----------
        mdp : MDP
            Rows to learn from.

        Returns
        -------
        iterator of Policy
            The policies, made one after the other.
        """
        self.check()
        return (policy for _, policy in self._made(mdp))

    def _made(self, mdp: MDP) -> Iterator[tuple[int, Policy]]:
        """Yield the number of descents so far and a policy."""
        start = None if self.start is None else suited(self.start, mdp, self.every)
        mdp = with_soft_targets(mdp) if self.targets == "model" else mdp
        descents = Descents(mdp, self.every, self.n_sweeps, checked_jobs(self.n_jobs))
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
        """Yield random starts that end lower than all before, then descents on all rows."""
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
        """Return the guards of descents on all rows."""
        if self.n_cells is None and self.z is None:
            return FREE, COARSE, CAREFUL
        z = CAREFUL.z_skip if self.z is None else self.z
        n_cells = CAREFUL.n_cells if self.n_cells is None else self.n_cells
        return (replace(CAREFUL, n_cells=n_cells, z_skip=z, z_quit=z / 2),)

    def _drawn_guards(self, rng: np.random.Generator) -> Guards:
        """Draw the guards of a random start."""
        n_cells = int(rng.choice(RANDOM_CELLS)) if self.n_cells is None else self.n_cells
        z = 0.0 if self.z is None else self.z
        return Guards(n_cells=n_cells, z_skip=z, z_quit=z / 2)

    def check(self) -> None:
        check_whole("n_starts", self.n_starts, 0)
        check_whole("n_sweeps", self.n_sweeps, 1)
        check_whole("every", self.every, 1)
        check_one_of("targets", self.targets, ("labels", "model"))
        checked_jobs(self.n_jobs)
        if self.n_cells is not None:
            check_whole("n_cells", self.n_cells, 0)
        if self.random_state is not None:
            check_whole("random_state", self.random_state, 0)
        if self.z is not None:
            check_between("z", self.z, 0, np.inf, "a number of standard errors, 0 or more")
        if self.start is not None and not isinstance(self.start, Policy):
            raise TypeError(f"start is {typed(self.start)}; wanted a Policy")
