"""Make the DAG of a policy over sets.

The model of each set is a block of steps with a score column of its own (``Stages``); all of them
evaluate. At the gate after a block its column decides: QUIT, or leap to the first step of the block
of a larger set. A gate is a tree of one leaf that votes 0 and is never evaluated, so that rows
which leap to the next block are not those that have finished this one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mddag.acquisition.feature_sets import Edges, SetPolicy, Targets
from mddag.acquisition.models import SetModels
from mddag.engine.dag import Dag
from mddag.engine.purchases import Purchases
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.nodes import NODE, Nodes
from mddag.ensemble.rescaling import Rescaling, carried
from mddag.ensemble.votes import starts_of
from mddag.policy.grid import Grid
from mddag.policy.policy import EVAL, QUIT, SKIP, Policy
from mddag.policy.state import Stages


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


@dataclass(frozen=True, eq=False)
class EnsembleBlocks:
    """Ensembles over the same columns as one: block 0, gate 0, block 1, gate 1 and so on."""

    ensemble: Ensemble  # base classifiers of all blocks, and their gates
    starts: NDArray[np.intp]  # (B,), first base classifier of each block
    gates: NDArray[np.intp]  # (B,), gate of each block, after its last base classifier

    @classmethod
    def of(cls, parts: Sequence[Ensemble], like: Ensemble) -> EnsembleBlocks:
        """Concatenate trees over the columns of `like`, whose bias and task they get."""
        # A gate is a tree of one leaf
        leaf = np.zeros(1, NODE)
        leaf["feature"], leaf["right"] = -1, -1
        gate = Nodes(leaf, np.zeros((1, like.n_scores)))
        trees, score, lengths = [], [], []
        for block in (_from_bias(part, like.bias) for part in parts):
            trees += [*(block.tree(t) for t in range(block.n_trees)), gate]
            score += [*block.tables.score.tolist(), 0 if like.n_scores == 1 else -1]
            lengths += [*np.diff(block.tables.rounds).tolist(), 1]
        joined = Ensemble.from_trees(
            trees,
            features=like.features,
            bias=like.bias,
            score=np.array(score),
            rounds=starts_of(lengths),
            kind=like.kind,
        )
        cost = np.concatenate([[*part.cost, 0.0] for part in parts])
        n_classifiers = np.array([len(part) for part in parts], np.intp)
        gates = np.cumsum(n_classifiers + 1) - 1
        return cls(replace(joined, task=like.task, cost=cost), gates - n_classifiers, gates)


def _from_bias(block: Ensemble, bias: NDArray[np.float64]) -> Ensemble:
    """Let the first base classifiers of a block carry the difference of its bias from another."""
    if len(block) == 0:
        return block
    shift = np.zeros((len(block), block.n_scores))
    can = carried(block.tables)
    for k, more in enumerate(block.bias - bias):
        shift[np.argmax(can[:, k]), k] = more
        if more and not can[:, k].any():
            raise ValueError(
                f"no base classifier of the block votes for score {k}, which its bias moves by "
                f"{more:g}; wanted trees for every class"
            )
    return block.rescaled(Rescaling(bias - block.bias, shift))
