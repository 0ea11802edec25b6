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
from mddag.ensemble.nodes import NODE
from mddag.ensemble.rescaling import Rescaling, carried
from mddag.ensemble.votes import Tables, starts_of


@dataclass(frozen=True, eq=False)
class EnsembleBlocks:
    """Concatenated ensembles."""

    ensemble: Ensemble  # base classifiers of all blocks, and their gates
    starts: NDArray[np.intp]  # (B,), first base classifier of each block
    gates: NDArray[np.intp]  # (B,), gate of each block, after its last base classifier

    @classmethod
    def of(cls, parts: Sequence[Ensemble], like: Ensemble) -> EnsembleBlocks:
        """Concatenate trees over the columns of `like`, whose bias and task they get."""
        with_gates = [
            part for block in parts for part in (_from_bias(block, like.bias), _gate(like))
        ]
        ends = np.cumsum([len(part) for part in with_gates]).reshape(-1, 2)
        lengths = np.array([len(block) for block in parts])
        return cls(_joined(with_gates, like), ends[:, 0] - lengths, ends[:, 0])


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


def _gate(like: Ensemble) -> Ensemble:
    """Return a tree of one leaf that votes 0."""
    leaf, n_scores = np.zeros(1, NODE), like.n_scores
    leaf["feature"], leaf["right"] = -1, -1
    tables = Tables(
        values=np.zeros(n_scores),
        starts=starts_of([n_scores]),
        score=np.full(1, 0 if n_scores == 1 else -1, np.int32),
        rounds=starts_of([1]),
        bias=like.bias,
    )
    words, word_starts = np.empty(0, np.uint32), np.zeros(2, np.int64)
    return replace(
        like,
        tables=tables,
        nodes=leaf,
        starts=starts_of([1]),
        words=words,
        word_starts=word_starts,
        cost=np.zeros(1),
        priced=False,
    )


def _joined(parts: Sequence[Ensemble], like: Ensemble) -> Ensemble:
    tables = [part.tables for part in parts]
    return replace(
        like,
        tables=Tables(
            values=np.concatenate([t.values for t in tables]),
            starts=_chained([t.starts for t in tables]),
            score=np.concatenate([t.score for t in tables]),
            rounds=_chained([t.rounds for t in tables]),
            bias=like.bias,
        ),
        nodes=np.concatenate([part.nodes.view(np.uint8) for part in parts]).view(NODE),
        starts=_chained([part.starts for part in parts]),
        words=np.concatenate([part.words for part in parts]),
        word_starts=_chained([part.word_starts for part in parts]),
        cost=np.concatenate([part.cost for part in parts]),
        priced=False,
    )


def _chained(starts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the starts of segments that follow one another."""
    return starts_of(np.concatenate([np.diff(s) for s in starts]))
