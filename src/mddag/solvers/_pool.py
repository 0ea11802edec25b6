"""Pool: candidates of many solvers in several orders, among which held-out rows choose.

Loss and cost of a candidate do not depend on beta, so each is evaluated once and competes at every
price: a policy learned at one beta may win at another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mddag.arrangement import Arrangement
from mddag.mdp import MDP
from mddag.policy import Policy
from mddag.solvers.solver import Candidates


@dataclass(frozen=True, eq=False)
class Ordered:
    """A problem with its base classifiers in some order, for learning and for choosing."""

    name: str
    arrangement: Arrangement
    learning: MDP
    selection: MDP

    @property
    def samples(self) -> tuple[MDP, MDP]:
        return self.learning, self.selection


@dataclass(frozen=True, eq=False)
class Entry:
    """Candidates of one solver in one order, with their value on the rows that choose.

    losses, costs : float64 (n_candidates,)
    """

    name: str
    candidates: Candidates | Sequence[Policy]
    arrangement: Arrangement
    losses: NDArray[np.float64]
    costs: NDArray[np.float64]


@dataclass(eq=False)
class Pool:
    """All entries so far; in a tie the earlier one wins, and in it the earlier candidate."""

    entries: list[Entry] = field(default_factory=list)

    def add(self, name: str, candidates: Candidates, problem: Ordered) -> None:
        """Candidates that are evaluated together."""
        losses, costs = candidates.evaluate(problem.selection)
        self._add(name, candidates, problem, losses, costs)

    def add_policies(self, name: str, policies: Sequence[Policy], problem: Ordered) -> None:
        """Candidates that are evaluated one by one."""
        values = [problem.selection.evaluate(policy) for policy in policies]
        losses, costs = np.array([v.loss for v in values]), np.array([v.cost for v in values])
        self._add(name, policies, problem, losses, costs)

    def _add(
        self,
        name: str,
        candidates: Candidates | Sequence[Policy],
        problem: Ordered,
        losses: NDArray[np.float64],
        costs: NDArray[np.float64],
    ) -> None:
        name = f"{name} in {problem.name}"
        self.entries.append(Entry(name, candidates, problem.arrangement, losses, costs))

    def best(self, beta: float, within: Ordered | None = None) -> tuple[Entry, int]:
        """The entry and the number of the candidate with the smallest value of Eq. (8).

        With `within`, of those in its order alone.
        """
        entries = self.entries
        if within is not None:
            entries = [e for e in entries if e.arrangement is within.arrangement]
        values = [entry.losses + beta * entry.costs for entry in entries]
        e = int(np.argmin([v.min(initial=np.inf) for v in values]))
        return entries[e], int(values[e].argmin())

    def policy(self, beta: float) -> Policy:
        """The winner at a price, for base classifiers in their own order."""
        entry, c = self.best(beta)
        return entry.candidates[c].after(entry.arrangement)

    def value(self, beta: float) -> float:
        """The winner's value of Eq. (8) on the rows that chose it: an optimistic one."""
        entry, c = self.best(beta)
        return float(entry.losses[c] + beta * entry.costs[c])

    def between(self, careful: float, bold: float, most: int) -> list[Policy]:
        """Of the candidates that no other beats in loss and cost, up to `most` at even distances
        of cost between the winners at two prices."""
        (first, c), (last, d) = self.best(careful), self.best(bold)
        places = [(e, c) for e, entry in enumerate(self.entries) for c in range(len(entry.costs))]
        costs = np.concatenate([entry.costs for entry in self.entries])
        losses = np.concatenate([entry.losses for entry in self.entries])
        order = np.lexsort((losses, costs))
        best_before = np.concatenate([[np.inf], np.minimum.accumulate(losses[order])[:-1]])
        front = order[losses[order] < best_before]
        front = front[(costs[front] > last.costs[d]) & (costs[front] < first.costs[c])]
        taken = (
            front[np.unique(np.linspace(0, len(front) - 1, most).astype(int))] if len(front) else []
        )
        return [
            self.entries[e].candidates[c].after(self.entries[e].arrangement)
            for e, c in (places[at] for at in reversed(taken))
        ]
