"""What SARSA(lambda) and Watkins' Q(lambda) share: episodes, snapshots, the best one kept.

Every `evaluate_every` episodes the greedy policy is tabulated on the grid of the MDP; that table
is scored by Eq. (8), and the best of all snapshots is the answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mddag._internal.checks import check_between, check_whole
from mddag._internal.parameters import Parameters
from mddag.mdp.mdp import MDP
from mddag.mdp.policy import Policy
from mddag.solvers.search import Search
from mddag.solvers.solver import Solver, check_samples
from mddag.solvers.td.episodes import Episodes
from mddag.solvers.td.exploration import Exploration, Flat
from mddag.solvers.td.values import Table, Value


@dataclass
class TemporalDifference(Parameters, Solver):
    """Parameters (see Sarsa) and the loop; the members say whether they learn off policy."""

    values: Value | None = None
    n_episodes: int = 1_000_000
    evaluate_every: int = 10_000
    rate: float = 0.2
    trace_decay: float = 0.95
    exploration: Exploration | None = None
    random_state: int | None = None
    verbose: bool = False

    off_policy: ClassVar[bool]
    settings: ClassVar[tuple[str, ...]] = ("random_state", "verbose")

    def solve(self, mdp: MDP, selection: MDP | None = None) -> Policy:
        """The best snapshot by Eq. (8) on `selection`, or on the MDP itself as in the paper."""
        check_samples(mdp, selection)
        return self.search(mdp, selection).policy

    def search(self, mdp: MDP, selection: MDP | None = None) -> Search:
        """The same, with the value of every snapshot."""
        self.check()
        return Search.among(
            self._snapshots(mdp),
            mdp,
            selection,
            name=type(self).__name__,
            total=self.n_episodes,
            verbose=self.verbose,
        )

    def _snapshots(self, mdp: MDP) -> Iterator[tuple[int, Policy]]:
        """Episodes done, and the greedy policy after them."""
        episodes = self._episodes(mdp)
        for done in episodes.run(self.n_episodes, self.evaluate_every):
            yield done, episodes.policy()

    def _episodes(self, mdp: MDP) -> Episodes:
        rules = (self.rate, self.trace_decay, self.off_policy)
        values = Table() if self.values is None else self.values
        exploration = Flat() if self.exploration is None else self.exploration
        return Episodes(mdp, values, exploration, rules, self.random_state)

    def check(self) -> None:
        """Refuse parameters that make no sense."""
        check_whole("n_episodes", self.n_episodes, 1)
        check_whole("evaluate_every", self.evaluate_every, 1)
        if self.random_state is not None:
            check_whole("random_state", self.random_state, 0)
        smallest = np.nextafter(0.0, 1.0)
        check_between("rate", self.rate, smallest, 1, "a learning rate above 0, at most 1")
        check_between("trace_decay", self.trace_decay, 0, 1, "lambda in 0..1")
        if self.values is not None and not hasattr(self.values, "start"):
            raise ValueError(f"values is {self.values!r}; wanted a value function such as Table()")
        is_class = isinstance(self.exploration, type)
        if self.exploration is not None and (is_class or not callable(self.exploration)):
            raise ValueError(
                f"exploration is {self.exploration!r}; wanted a callable such as Flat()"
            )
