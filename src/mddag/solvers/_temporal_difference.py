"""What SARSA(lambda) and Watkins' Q(lambda) share: episodes, snapshots, the best one kept.

Every `evaluate_every` episodes the greedy policy is tabulated on the grid of the MDP; that table
is scored by Eq. (8), and the best of all snapshots is the answer. Ctrl-C returns the best so far.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag.exploration import Exploration, Flat
from mddag.mdp import MDP
from mddag.policy import ACTIONS, Policy
from mddag.values import Table, Value

CHUNK = 10_000


@dataclass
class TemporalDifference:
    """Parameters and the loop; the members say whether they learn off policy.

    values         : the value function; Table() by default
    n_episodes     : one random instance each
    evaluate_every : episodes between snapshots
    rate           : learning rate, constant
    trace_decay    : lambda
    exploration    : epsilon_j(tau); Flat() by default, as in the paper
    """

    values: Value | None = None
    n_episodes: int = 1_000_000
    evaluate_every: int = CHUNK
    rate: float = 0.2
    trace_decay: float = 0.95
    exploration: Exploration | None = None
    random_state: int | None = None
    verbose: bool = False

    off_policy: ClassVar[bool] = False

    def solve(self, mdp: MDP, selection: MDP | None = None) -> Policy:
        """The best snapshot by Eq. (8) on `selection`, or on the MDP itself as in the paper."""
        return self.search(mdp, selection).policy

    def search(self, mdp: MDP, selection: MDP | None = None) -> Search:
        """The same, with the value of every snapshot."""
        self._check()
        selection = mdp if selection is None else selection
        run = _Run(self, mdp)
        search = Search(run.policy())
        try:
            for done in run.episodes():
                if done % self.evaluate_every == 0 or done == self.n_episodes:
                    search.consider(run.policy(), selection)
                    self._report(done, search)
        except KeyboardInterrupt:
            print(f"stopped; keeping the best policy of {len(search.history)}", file=sys.stderr)
        finally:
            if self.verbose:
                print(file=sys.stderr)
        return search

    def _check(self) -> None:
        wanted = {
            "n_episodes": self.n_episodes >= 1,
            "evaluate_every": self.evaluate_every >= 1,
            "rate": 0 < self.rate <= 1,
            "trace_decay": 0 <= self.trace_decay <= 1,
        }
        for name, right in wanted.items():
            if not right:
                raise ValueError(f"{name} is {getattr(self, name)}; see {type(self).__name__}")

    def _report(self, done: int, search: Search) -> None:
        if self.verbose:
            share = f"{done / self.n_episodes:4.0%}"
            best = f"best {search.best:.4f}, now {search.history[-1]:.4f}"
            print(f"\r{type(self).__name__} {share} {best}", end="", file=sys.stderr, flush=True)


@dataclass
class Search:
    """The best policy so far, its value of Eq. (8), and the values of all snapshots."""

    policy: Policy
    best: float = np.inf
    history: list[float] = field(default_factory=list)

    def consider(self, policy: Policy, selection: MDP) -> None:
        objective = selection.evaluate(policy).objective
        self.history.append(objective)
        if objective < self.best:
            self.policy, self.best = policy, objective


class _Run:
    """The state of one learning run: value function, random numbers, episodes done."""

    def __init__(self, solver: TemporalDifference, mdp: MDP) -> None:
        self.solver, self.mdp = solver, mdp
        values = Table() if solver.values is None else solver.values
        self.exploration = Flat() if solver.exploration is None else solver.exploration
        self.learned = values.start(mdp.n_steps, mdp.n_scores)
        self.norm = values.norm(mdp.votes.tables)
        self.allowed = tuple(action in mdp.actions for action in ACTIONS)
        seed = np.random.SeedSequence(solver.random_state)
        self.random = seed.generate_state(4, np.uint64).astype(np.uint64)

    def episodes(self) -> Iterator[int]:
        """Learn in chunks; yields the number of episodes done after each."""
        solver, mdp, done = self.solver, self.mdp, 0
        learning = (mdp.beta, solver.rate, solver.trace_decay, solver.off_policy, self.allowed)
        uniform = bool((mdp.weight == mdp.weight[0]).all())
        cumulative = np.empty(0) if uniform else np.cumsum(mdp.weight)
        loss = native_loss(mdp)
        while done < solver.n_episodes:
            ahead = solver.evaluate_every - done % solver.evaluate_every
            n = min(CHUNK, ahead, solver.n_episodes - done)
            _core.learn_episodes(
                mdp.votes.tables.native,
                mdp.votes.codes,
                mdp.votes.tables.bias,
                self.norm,
                learning,
                mdp.costs,
                cumulative,
                self.exploration(done + 1, mdp.n_steps),
                n,
                self.learned,
                self.random,
                loss,
            )
            done += n
            yield done

    def policy(self) -> Policy:
        """The greedy policy, tabulated at the centres of the grid's cells."""
        grid = self.mdp.grid
        actions = np.empty((self.mdp.n_steps, grid.n_cells), np.uint8)
        _core.tabulate(
            self.learned, self.norm, grid.centres, self.mdp.n_scores, self.allowed, actions
        )
        return Policy(actions, grid, np.arange(self.mdp.n_steps))


def native_loss(mdp: MDP) -> tuple[Any, ...] | Callable[[NDArray[np.float64], int], float]:
    """The loss as the kernel takes it: numbers if it has a native twin, else a callback."""
    native = getattr(mdp.loss, "native", None)
    if native is None:
        return lambda scores, i: float(mdp.losses_of(scores, np.array([i]))[0])
    kind, scale, prices = native(max(mdp.n_scores, 2))
    classes, values, shares = np.empty(0, np.int64), np.empty(0), np.empty(0)
    if mdp.labels.ndim == 2:
        shares = np.ascontiguousarray(mdp.labels).ravel()
    elif mdp.labels.dtype.kind == "f":
        values = mdp.labels
    else:
        classes = mdp.labels.astype(np.int64)
    return kind, scale, prices, classes, values, shares
