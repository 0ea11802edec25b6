"""Blocks: several ensembles over the same columns as one, each a block of base classifiers.

The order is block 0, gate 0, block 1, gate 1 and so on. A policy with a score column for each block
(``Stages``) reads the sum of one block at a time. A gate is a tree of one leaf that votes 0 and is
never evaluated, so that rows which leap to the next block are not those that have finished this
one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import Features
from mddag.ensemble.nodes import NODE, Nodes
from mddag.ensemble.rescaling import Rescaling, carried
from mddag.ensemble.votes import starts_of


@dataclass(frozen=True, eq=False)
class EnsembleBlocks:
    """Concatenated ensembles."""

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


def on_columns(ensemble: Ensemble, columns: NDArray[np.intp], features: Features) -> Ensemble:
    """Return an ensemble that was trained on some of the columns, reading those of `features`."""
    nodes = ensemble.nodes.copy()
    split = nodes["feature"] >= 0
    nodes["feature"][split] = columns[nodes["feature"][split]]
    return replace(ensemble, nodes=nodes, features=features)


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
