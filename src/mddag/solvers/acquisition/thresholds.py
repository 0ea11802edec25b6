"""Thresholds: cascades of up to three nested sets, a row leaving where its model is sure.

    quit in s  where  |value| > t_s

Every choice of one, two or three sets of a chain, with every threshold of a grid of quantiles, is
a candidate: few numbers to learn, so few rows suffice. Sums over rows are taken once, fold by
fold; a price then picks among them. These are the cascades that engineers build by hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, product

import numpy as np
from numpy.typing import NDArray

from mddag.solvers.acquisition.backward import Solved
from mddag.solvers.acquisition.feature_sets import FeatureSets
from mddag.solvers.acquisition.set_policy import SetPolicy
from mddag.solvers.acquisition.set_sample import SetSample, between

SHARES = np.concatenate([[0.01, 0.03], np.linspace(0.06, 0.94, 12), [0.97, 0.99]])
Stages = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Cascades:
    """All cascades over some chains.

    stages     : the sets of each, in rising order
    thresholds : float64 (n_cascades, 2), those of all stages but the last; unused ones are 0
    losses, costs : float64 (n_cascades, n_folds), sums over the rows of each fold
    """

    sample: SetSample
    stages: list[Stages]
    thresholds: NDArray[np.float64]
    losses: NDArray[np.float64]
    costs: NDArray[np.float64]

    @classmethod
    def of(cls, sample: SetSample, chains: Sequence[Sequence[int]]) -> Cascades:
        """Cascades along chains of sets, each a list of rising numbers."""
        distinct = {stages for chain in chains for stages in _choices(chain)}
        found = [_on_grid(sample, stages) for stages in sorted(distinct)]
        return cls(
            sample,
            [stages for stages, thresholds, _, _ in found for _ in thresholds],
            np.concatenate([thresholds for _, thresholds, _, _ in found]),
            np.concatenate([losses for _, _, losses, _ in found]),
            np.concatenate([costs for _, _, _, costs in found]),
        )

    def solve(self, beta: float) -> Solved:
        """The best at a price; rows are judged by the best of the other folds."""
        objective = self.losses + beta * self.costs
        total, sample = objective.sum(axis=1), self.sample
        loss, cost = np.empty(len(sample)), np.empty(len(sample))
        for fold in range(sample.n_folds):
            rows = np.flatnonzero(sample.fold == fold)
            best = self.policy(int(np.argmin(total - objective[:, fold])))
            stops = best.follow(sample.sets, sample.values[rows])
            loss[rows], cost[rows] = sample.judged[rows, stops.last], stops.cost
        return Solved(self.policy(int(np.argmin(total))), loss, cost)

    def policy(self, at: int) -> SetPolicy:
        """The policy of a cascade."""
        n_sets = len(self.sample.sets)
        edges = [np.empty(0)] * n_sets
        targets = [np.array([s]) for s in range(n_sets)]
        stages, signed = self.stages[at], self.sample.around is not None
        if stages[0] != 0:
            targets[0] = np.array([stages[0]])
        for s, t, threshold in zip(stages, stages[1:], self.thresholds[at], strict=False):
            edges[s] = np.array([-threshold, threshold] if signed else [threshold])
            targets[s] = np.array([s, t, s] if signed else [t, s])
        return SetPolicy(tuple(edges), tuple(targets))


def _choices(chain: Sequence[int]) -> Iterator[Stages]:
    for n_stages in (1, 2, 3):
        yield from combinations(chain, n_stages)


def _on_grid(
    sample: SetSample, stages: Stages
) -> tuple[Stages, NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """The stages with all thresholds (n, 2): losses and costs of each fold (n, n_folds)."""
    asked = [_asked(sample, s) for s in stages[:-1]]
    grids = [thresholds for thresholds, _ in asked]
    pairs = list(product(*grids))
    thresholds = np.zeros((len(pairs), 2))
    thresholds[:, : len(grids)] = np.reshape(pairs, (len(pairs), len(grids)))
    sums = [_sums(sample, stages, [a for _, a in asked], f) for f in range(sample.n_folds)]
    losses, costs = (np.stack(parts, axis=1) for parts in zip(*sums, strict=True))
    return stages, thresholds, losses, costs


def _asked(sample: SetSample, s: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Thresholds of a set, and whether each row goes on at each of them, (n, n_thresholds)."""
    sure = np.abs(sample.values[:, s]) if sample.around is not None else sample.values[:, s]
    thresholds = between(sure, SHARES)
    return thresholds, (sure[:, None] <= thresholds).astype(np.float64)


def _sums(
    sample: SetSample, stages: Stages, asked: list[NDArray[np.float64]], fold: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Losses and costs of all thresholds on the rows of a fold, each (n,)."""
    rows = np.flatnonzero(sample.fold == fold)
    weight, sets = sample.weight[rows], sample.sets
    lost = [weight * sample.losses[rows, s] for s in stages]
    fares = [
        _fare(sets, 0, stages[0]),
        *map(sets.fares.item, pairwise(stages)),
    ]
    loss, cost = np.array([0.0]), np.array([fares[0] * weight.sum()])
    on = [a[rows] for a in asked]
    if not on:
        return np.array([lost[0].sum()]), cost
    loss = lost[0] @ (1 - on[0])
    passed = weight @ on[0]
    if len(on) == 1:
        return loss + lost[1] @ on[0], cost + fares[1] * passed
    first, second = on
    loss = loss[:, None] + first.T @ (lost[1][:, None] * (1 - second) + lost[2][:, None] * second)
    cost = cost + fares[1] * passed[:, None] + fares[2] * (first.T @ (weight[:, None] * second))
    return loss.ravel(), cost.ravel()


def _fare(sets: FeatureSets, s: int, t: int) -> float:
    return 0.0 if s == t else float(sets.fares[s, t])
