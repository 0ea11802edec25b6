"""Pool: candidates of many solvers in several orders, among which held-out rows choose.

Loss and cost of a candidate do not depend on beta, so each is judged once and competes at every
price: a policy learned at one beta may win at another.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mddag.ensemble.rescaling import Rescaling
from mddag.mdp.grid import Grid
from mddag.mdp.mdp import MDP
from mddag.mdp.policy import Policy
from mddag.ordering.arrangement import Arrangement
from mddag.solvers.front import front, rounded, rungs
from mddag.solvers.portfolio.judge import Judge, Opinions
from mddag.solvers.solver import Candidates


@dataclass(frozen=True, eq=False)
class Ordered:
    """A problem with its base classifiers in some order, for learning and for choosing."""

    name: str
    arrangement: Arrangement
    learning: MDP
    judge: Judge


class Indexed(Protocol):
    def __getitem__(self, c: int, /) -> Policy: ...


class Packed:
    """Policies that would fill memory, with their actions compressed: most cells do as others."""

    def __init__(self) -> None:
        self.kept: list[tuple[Grid, NDArray[np.intp], int, Rescaling | None]] = []
        self.actions: list[bytes] = []

    def append(self, policy: Policy) -> None:
        self.kept.append((policy.grid, policy.order, policy.every, policy.rescaling))
        self.actions.append(zlib.compress(policy.actions.tobytes(), 1))

    def __getitem__(self, c: int, /) -> Policy:
        grid, order, every, rescaling = self.kept[c]
        actions = np.frombuffer(zlib.decompress(self.actions[c]), np.uint8)
        return Policy(actions.reshape(-1, grid.n_cells), grid, order, every, rescaling)


@dataclass(frozen=True, eq=False)
class Entry:
    """Candidates of one solver in one order, and what the judge thinks of them.

    by_labels : whether labels taught them, other than the choice of a knob
    """

    name: str
    candidates: Indexed
    arrangement: Arrangement
    opinions: Opinions
    by_labels: bool


class Pool:
    """All entries so far; in a tie the earlier one wins, and in it the earlier candidate."""

    def __init__(self, problem: Ordered) -> None:
        self.entries: list[Entry] = []
        self.judge = problem.judge
        self.add_policies("all", [problem.learning.evaluate_all()], problem)

    def add(self, name: str, candidates: Candidates, problem: Ordered) -> None:
        """Candidates that are evaluated together."""
        opinions = problem.judge.of_candidates(candidates)
        self._add(name, candidates, problem, opinions, by_labels=False)

    def add_policies(
        self, name: str, policies: Iterable[Policy], problem: Ordered, *, by_labels: bool = False
    ) -> None:
        """Candidates that are evaluated one by one, and packed before the next is made."""
        packed, opinions = Packed(), []
        for policy in policies:
            opinions.append(problem.judge.of_policy(policy))
            packed.append(policy)
        self._add(name, packed, problem, Opinions.joined(opinions), by_labels=by_labels)

    def _add(
        self,
        name: str,
        candidates: Indexed,
        problem: Ordered,
        opinions: Opinions,
        *,
        by_labels: bool,
    ) -> None:
        name = f"{name} in {problem.name}"
        self.entries.append(Entry(name, candidates, problem.arrangement, opinions, by_labels))

    def among(self, entries: Sequence[Entry]) -> Pool:
        """A pool of some of the entries and the full ensemble."""
        other = copy(self)
        other.entries = [self.entries[0], *(e for e in entries if e is not self.entries[0])]
        return other

    @property
    def losses(self) -> NDArray[np.float64]:
        """The estimated loss of every candidate, entry by entry, rounded: those that decide alike
        are to be equal, in whatever sequence their losses were added up."""
        opinions = [entry.opinions for entry in self.entries]
        by_labels = np.repeat(
            [entry.by_labels for entry in self.entries], [len(o.costs) for o in opinions]
        )
        return rounded(self.judge.estimates(Opinions.joined(opinions), by_labels))

    @property
    def costs(self) -> NDArray[np.float64]:
        """The mean cost of every candidate, entry by entry."""
        return np.concatenate([e.opinions.costs for e in self.entries])

    def best(self, beta: float) -> tuple[Entry, int]:
        """The entry and the number of the candidate with the smallest value of Eq. (8)."""
        return self._place(self._best(beta))

    def best_in(self, arrangement: Arrangement, beta: float) -> Policy | None:
        """The best of one arrangement, in its order; None where the full ensemble is better."""
        known = [e for e in self.entries[1:] if e.arrangement is arrangement]
        entry, c = self.among(known).best(beta)
        return None if entry is self.entries[0] else entry.candidates[c]

    def policy(self, beta: float) -> Policy:
        """The winner at a price, for base classifiers in their own order."""
        return self.candidate(self._best(beta))

    def front(self) -> NDArray[np.intp]:
        """The candidates that no cheaper one beats in loss, by rising cost."""
        return front(self.losses, self.costs)

    def ladder(self, step: float) -> list[tuple[float, Policy]]:
        """Of the front, from the dearest on, candidates that are each cheaper by a factor `step` or
        more, and their prices; but for the cheapest."""
        found = rungs(self.losses, self.costs, step)[:-1]
        return [(price, self.candidate(at)) for price, at in found]

    def candidate(self, at: int) -> Policy:
        """A candidate by its number, for base classifiers in their own order."""
        entry, c = self._place(at)
        return entry.candidates[c].after(entry.arrangement)

    def _best(self, beta: float) -> int:
        return int((self.losses + beta * self.costs).argmin())

    def _place(self, at: int) -> tuple[Entry, int]:
        for entry in self.entries:
            if at < len(entry.opinions.costs):
                return entry, at
            at -= len(entry.opinions.costs)
        raise IndexError(f"the pool has no candidate {at} beyond its last")
