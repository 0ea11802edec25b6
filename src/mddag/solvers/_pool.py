"""Pool: candidates of many solvers in several orders, among which held-out rows choose.

Loss and cost of a candidate do not depend on beta, so each is judged once and competes at every
price: a policy learned at one beta may win at another.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mddag.arrangement import Arrangement
from mddag.mdp import MDP
from mddag.policy import Policy
from mddag.solvers._judge import Judge, Opinions
from mddag.solvers.solver import Candidates


@dataclass(frozen=True, eq=False)
class Ordered:
    """A problem with its base classifiers in some order, for learning and for choosing."""

    name: str
    arrangement: Arrangement
    learning: MDP
    judge: Judge

    @property
    def selection(self) -> MDP:
        return self.judge.mdp


class Indexed(Protocol):
    def __getitem__(self, c: int, /) -> Policy: ...


class Packed:
    """Policies that would fill memory, with their actions compressed: most cells do as others."""

    def __init__(self, policies: Sequence[Policy]) -> None:
        self.kept = [(p.grid, p.order, p.every, p.actions.shape) for p in policies]
        self.actions = [zlib.compress(p.actions.tobytes(), 1) for p in policies]

    def __getitem__(self, c: int, /) -> Policy:
        grid, order, every, shape = self.kept[c]
        actions = np.frombuffer(zlib.decompress(self.actions[c]), np.uint8).reshape(shape)
        return Policy(actions, grid, order, every)


@dataclass(frozen=True, eq=False)
class Entry:
    """Candidates of one solver in one order, and what the judge thinks of them."""

    name: str
    candidates: Indexed
    arrangement: Arrangement
    opinions: Opinions


class Pool:
    """All entries so far; in a tie the earlier one wins, and in it the earlier candidate."""

    def __init__(self, problem: Ordered) -> None:
        self.entries: list[Entry] = []
        self.judge = problem.judge
        self.add_policies("all", [problem.learning.evaluate_all()], problem)

    def add(self, name: str, candidates: Candidates, problem: Ordered) -> None:
        """Candidates that are evaluated together."""
        self._add(name, candidates, problem, problem.judge.of_candidates(candidates))

    def add_policies(self, name: str, policies: list[Policy], problem: Ordered) -> None:
        """Candidates that are evaluated one by one."""
        self._add(name, Packed(policies), problem, problem.judge.of_policies(policies))

    def _add(self, name: str, candidates: Indexed, problem: Ordered, opinions: Opinions) -> None:
        name = f"{name} in {problem.name}"
        self.entries.append(Entry(name, candidates, problem.arrangement, opinions))

    def among(self, entries: Sequence[Entry]) -> Pool:
        """A pool of some of the entries and the full ensemble."""
        other = object.__new__(Pool)
        other.judge = self.judge
        other.entries = [self.entries[0], *(e for e in entries if e is not self.entries[0])]
        return other

    @property
    def losses(self) -> NDArray[np.float64]:
        """The estimated loss of every candidate, entry by entry."""
        return self.judge.estimates(Opinions.joined([e.opinions for e in self.entries]))

    @property
    def costs(self) -> NDArray[np.float64]:
        """The mean cost of every candidate, entry by entry."""
        return np.concatenate([e.opinions.costs for e in self.entries])

    def best(self, beta: float) -> tuple[Entry, int]:
        """The entry and the number of the candidate with the smallest value of Eq. (8)."""
        return self._place(self._best(beta))

    def policy(self, beta: float) -> Policy:
        """The winner at a price, for base classifiers in their own order."""
        return self.candidate(self._best(beta))

    def front(self) -> NDArray[np.intp]:
        """The candidates that no other beats in both loss and cost, by rising cost."""
        losses, costs = self.losses, self.costs
        order = np.lexsort((losses, costs))
        best_before = np.concatenate([[np.inf], np.minimum.accumulate(losses[order])[:-1]])
        return order[losses[order] < best_before]

    def between(self, careful: float, bold: float, most: int) -> list[Policy]:
        """Of the front, up to `most` candidates at even distances between the winners at two
        prices, from the most evaluations to the fewest."""
        losses, costs = self.losses, self.costs
        dearest, cheapest = (costs[(losses + b * costs).argmin()] for b in (careful, bold))
        front = self.front()
        front = front[(costs[front] > cheapest) & (costs[front] < dearest)]
        if len(front) > most:
            front = front[np.linspace(0, len(front) - 1, most).astype(int)]
        return [self.candidate(int(at)) for at in front[::-1]]

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
