"""Follow a policy from set to set, and make its DAG.

    t = target[s][cell of values[s]]        t = s means QUIT

A row starts in set 0 and stops where its target is the set that it is in. In the DAG the model of
each set is a block of steps with a score column of its own (``Stages``). All its steps evaluate; at
its gate the column decides: QUIT, or leap to the first step of the block of a larger set.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mddag.acquisition.blocks import EnsembleBlocks
from mddag.acquisition.feature_sets import FeatureSets
from mddag.acquisition.models import SetModels
from mddag.engine.dag import Dag
from mddag.engine.purchases import Purchases
from mddag.ensemble.ensemble import Ensemble
from mddag.policy.grid import Grid
from mddag.policy.policy import EVAL, QUIT, SKIP, Policy
from mddag.policy.state import Stages

Edges = NDArray[np.float64]
Targets = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Stops:
    """Where n rows stopped: the last set, the price paid (n,), and the sets evaluated (n, M)."""

    last: NDArray[np.intp]
    cost: NDArray[np.float64]
    seen: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class SetPolicy:
    """A policy over sets.

    For each set there are rising `edges`, of which cell c holds edges[c - 1] < value <= edges[c],
    and `targets`, one for each cell.
    """

    edges: tuple[Edges, ...]
    targets: tuple[Targets, ...]

    def __len__(self) -> int:
        return len(self.targets)

    @classmethod
    def static(cls, n_sets: int, s: int) -> SetPolicy:
        """Send all rows to set s at once."""
        targets = [np.array([t]) for t in range(n_sets)]
        targets[0] = np.array([s])
        return cls(tuple(np.empty(0) for _ in targets), tuple(targets))

    def follow(self, sets: FeatureSets, values: NDArray[np.float64]) -> Stops:
        """Take rows with these values (n, M) through the sets."""
        n = len(values)
        at, cost = np.zeros(n, np.intp), np.zeros(n)
        seen = np.zeros(values.shape, bool)
        for s in self.reachable():
            here = np.flatnonzero(at == s)
            seen[here, s] = True
            to = self.targets[s][np.searchsorted(self.edges[s], values[here, s])]
            on = to != s
            cost[here[on]] += sets.fares[s, to[on]]
            at[here] = to
        start = self.targets[0]
        if (start == start[0]).all() and start[0] != 0:  # nobody needs the model of the first set
            seen[:, 0] = False
        return Stops(at, cost, seen)

    def used(self, seen: NDArray[np.bool_], least: float) -> NDArray[np.intp]:
        """Return the sets that at least a share of the rows evaluate, and the last."""
        share = seen.mean(axis=0)
        share[-1] = 1.0
        return np.flatnonzero(share >= least)

    def reachable(self) -> list[int]:
        """Return the sets that a row may come to, in rising order."""
        found = {0}
        for s in range(len(self)):
            if s in found:
                found.update(self.targets[s].tolist())
        return sorted(found)


def set_dag(
    models: SetModels, policy: SetPolicy, ensemble: Ensemble
) -> tuple[Dag, NDArray[np.intp]]:
    """Make the Dag of a policy over the models that some row may reach; return their sets, too."""
    sets, start = models.sets, policy.targets[0]
    bare = models.models[0] is None or (len(np.unique(start)) == 1 and start[0] != 0)
    used = np.array([s for s in policy.reachable() if not (s == 0 and bare)], np.intp)
    if len(used) == 0:  # everybody quits with nothing
        used = np.array([len(sets) - 1])
    place = {int(s): b for b, s in enumerate(used)}
    parts = [model for s in used if (model := models.models[s]) is not None]
    blocks = EnsembleBlocks.of(parts, ensemble)
    edges = [policy.edges[s] for s in used]
    targets = [np.array([place[int(t)] for t in policy.targets[s]]) for s in used]
    first = 0
    if bare:
        first = -1 if start[0] == 0 else place[int(start[0])]
    found = block_policy(blocks, edges, targets, ensemble.n_scores, first)
    buys = np.zeros((len(blocks.ensemble), sets.prices.n_groups), bool)
    for b, s in enumerate(used):
        buys[blocks.starts[b] : blocks.gates[b]] = sets.held[s]
    return Dag(blocks.ensemble, found, purchases=Purchases(sets.prices, buys)), used


def block_policy(
    blocks: EnsembleBlocks,
    edges: list[Edges],
    targets: list[Targets],
    n_scores: int,
    first: int = 0,
) -> Policy:
    """Make the policy over blocks, each of which decides by its own column.

    A target is the number of a later block, or its own for QUIT. `first` is the block that all rows
    begin with; -1 if they quit at once.
    """
    n_steps = len(blocks.ensemble)
    grid = Grid(np.unique(np.concatenate([np.empty(0), *edges])), n_scores)
    actions = np.full((n_steps, grid.n_cells), EVAL, np.uint8)
    leaps = np.zeros((n_steps, grid.n_cells), np.int32)
    for b, (gate, to) in enumerate(zip(blocks.gates, targets, strict=True)):
        cell = np.searchsorted(edges[b], np.append(grid.edges, np.inf))  # of each finer cell
        wanted = np.tile(to[cell], n_scores)
        actions[gate] = np.where(wanted == b, QUIT, SKIP)
        leaps[gate] = blocks.starts[wanted]
    if first != 0:
        actions[0] = QUIT if first < 0 else SKIP
        leaps[0] = n_steps if first < 0 else blocks.starts[first]
    block = np.searchsorted(blocks.gates, np.arange(n_steps))
    reads = np.append(block, len(blocks.gates) - 1)
    state = Stages(grid, reads, block[:, None] == np.arange(len(blocks.gates)))
    return Policy(actions, grid, np.arange(n_steps), state=state, leaps=leaps)
