"""Search: members at many prices, judged by rows that had no part in their actions.

| member  | policies |
|---|---|
| static  | one set for all rows |
| cascade | up to three nested sets with thresholds (``thresholds``) |
| chain   | cells along a chain of nested sets, with jumps (``backward``) |
| lattice | cells over all sets that were given |

Each is learned from several losses: of the labels softened by the full model (the mean of label and
opinion), and of that opinion alone. At a price the member with the smallest cross-fitted
objective is taken. Sets that fewer than LEAST of the rows evaluate are left out and the rest is
solved again. ``extend`` adds members that read other values, such as expected gains.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mddag.solvers.acquisition.backward import Solved, solve
from mddag.solvers.acquisition.feature_sets import FeatureSets
from mddag.solvers.acquisition.set_policy import SetPolicy, Stops
from mddag.solvers.acquisition.set_sample import SetSample
from mddag.solvers.acquisition.thresholds import Cascades

LEAST = 0.01  # of the rows, for a set to stay
PRICES = np.geomspace(0.004, 8.0, 28)  # in what all features together are worth
Member = Callable[[float], Solved]
Values = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Candidate:
    """A policy over sets, and what its member does to rows out of its folds.

    reading    : which values it reads: "score", or another that was added
    loss, cost : float64 (n,), cross-fitted
    n_held     : so many rows, the first, have scores of the very models that the result has; None
                 for all
    """

    member: str
    reading: str
    beta: float
    policy: SetPolicy
    loss: NDArray[np.float64]
    cost: NDArray[np.float64]
    n_held: int | None = None

    @property
    def held_loss(self) -> float:
        """Mean loss of the rows that were held out."""
        return float(self.loss[: self.n_held].mean())

    @property
    def held_cost(self) -> float:
        """What the rows that were held out pay, in the mean."""
        return float(self.cost[: self.n_held].mean())

    def objective(self, beta: float, weight: NDArray[np.float64]) -> float:
        return float(np.average(self.loss + beta * self.cost, weights=weight))


@dataclass
class Search:
    """Candidates over the sets of samples.

    samples : by what is learned from; they are judged by the same loss
    n_held  : see ``Candidate``
    """

    samples: dict[str, SetSample]
    n_held: int | None = None
    members: dict[tuple[str, str], Member] = field(default_factory=dict)
    found: dict[float, list[Candidate]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        samples: dict[str, SetSample],
        chains: Sequence[Sequence[int]],
        n_held: int | None = None,
    ) -> Search:
        """The members over samples that differ in what they learn from."""
        search = cls(samples, n_held)
        for learned_from, sample in samples.items():
            search.extend("score", learned_from, sample, chains)
            cascades = Cascades.of(sample, chains)
            search.members[f"cascade, {learned_from}", "score"] = cascades.solve
            statics = Cascades.of(sample, [[s] for s in range(len(sample.sets))])
            search.members[f"static, {learned_from}", "score"] = statics.solve
        return search

    @property
    def sets(self) -> FeatureSets:
        return next(iter(self.samples.values())).sets

    @property
    def weight(self) -> NDArray[np.float64]:
        """Of the rows."""
        return next(iter(self.samples.values())).weight

    def extend(
        self, reading: str, learned_from: str, sample: SetSample, chains: Sequence[Sequence[int]]
    ) -> None:
        """Members by cells that read the values of this sample."""
        ways = {"lattice": sample.sets.leads}
        ways |= {f"chain {i}": _along(chain, len(sample.sets)) for i, chain in enumerate(chains)}
        for name, leads in ways.items():
            if name != "lattice" and len(chains) == 1 and (leads == ways["lattice"]).all():
                continue  # the same twice
            self.members[f"{name}, {learned_from}", reading] = _Cells(sample, leads)

    def prices(self, lost_by_none: float, lost_by_all: float) -> NDArray[np.float64]:
        """Prices beta, from hardly any to prohibitive."""
        worth = max(lost_by_none - lost_by_all, 1e-3) / max(float(self.sets.cost[-1]), 1e-12)
        found: NDArray[np.float64] = PRICES * worth
        return found

    def at(self, beta: float) -> list[Candidate]:
        """A candidate of every member at a price; learned once."""
        known = self.found.setdefault(beta, [])
        done = {(c.member, c.reading) for c in known}
        for (member, reading), learned in self.members.items():
            if (member, reading) not in done:
                got = learned(beta)
                known.append(
                    Candidate(member, reading, beta, got.policy, got.loss, got.cost, self.n_held)
                )
        return known

    def best(self, beta: float) -> Candidate:
        """The smallest cross-fitted objective at a price; the simplest of equals."""
        of = self.weight
        return min(self.at(beta), key=lambda c: (c.objective(beta, of), len(c.member)))


@dataclass(frozen=True, eq=False)
class _Cells:
    """The backward solution over some ways, without sets that hardly any row evaluates."""

    sample: SetSample
    leads: NDArray[np.bool_]

    def __call__(self, beta: float) -> Solved:
        solved = solve(self.sample, beta, self.leads)
        for _ in range(2):
            stops: Stops = solved.policy.follow(self.sample.sets, self.sample.values)
            kept = np.zeros(len(self.leads), bool)
            kept[solved.policy.used(stops.seen, LEAST)] = True
            kept[0] = True
            rare = stops.seen.any(axis=0) & ~kept
            if not rare.any():
                break
            solved = solve(self.sample, beta, self.leads & ~rare)
        return solved


def _along(chain: Sequence[int], n_sets: int) -> NDArray[np.bool_]:
    """From the first set, and from each set of a chain, to all that follow in it."""
    leads = np.zeros((n_sets, n_sets), bool)
    on = np.array(sorted({0, *chain}))
    leads[np.ix_(on, on)] = True
    return np.triu(leads, 1)
