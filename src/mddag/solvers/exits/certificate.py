"""Certificate: quit when no vote that remains can change the label.

The tables of an ensemble hold every vote that its base classifiers can ever give, so the largest
swing of h_j … h_N is known without any row: for one score the sums of the smallest and of the
largest votes, for several the largest sum by which class l can gain on class k. Where the margin is
above it, the label of the full ensemble is certain, on any input.

The label is certain, not the score. Little is saved where the last votes are as large as the first.
Of votes given as numbers, it holds for the values among them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mddag.ensemble.votes import Tables
from mddag.mdp.mdp import MDP
from mddag.solvers.exits.family import OneKnob, check_classes
from mddag.solvers.exits.nested import Exits, inner_edges


@dataclass
class Certificate(OneKnob):
    """Quit when the label is certain.

    every : steps between two looks at the margin
    """

    def candidates(self, mdp: MDP) -> Exits:
        """The full ensemble and the certain exits."""
        check_classes(self, mdp)
        tables, (edges, sign) = mdp.votes.tables, inner_edges(mdp.grid)
        if mdp.n_scores == 1:
            fall, rise = (swing[:: self.every, None] for swing in _one_score(tables))
            spare = np.where(sign > 0, edges - fall, -edges - rise)
        else:
            gains = _several_scores(tables)[:: self.every]
            spare = edges - np.repeat(gains, len(mdp.grid.edges) + 1, axis=1)
        certain = np.where(sign == 0, -np.inf, spare - _rounding(tables))
        return Exits(mdp, certain, np.zeros(1), self.every)


def _one_score(tables: Tables) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """By how much f can still fall and rise from step j on, both (N,) and 0 or more."""
    low, high = np.zeros(tables.n_trees), np.zeros(tables.n_trees)
    for t in range(tables.n_trees):
        table = tables.table(t)
        low[t], high[t] = table.min(), table.max()
    first = tables.rounds[:-1]
    fall, rise = (np.append(np.cumsum(v[::-1])[::-1], 0.0)[first] for v in (-low, high))
    return np.maximum(fall, 0.0), np.maximum(rise, 0.0)


def _several_scores(tables: Tables) -> NDArray[np.float64]:
    """By how much any class can still gain on class k from step j on, (N, K), 0 or more."""
    gain = np.zeros((tables.n_scores, tables.n_scores))  # of class l on class k, [k, l]
    most = np.empty((tables.n_classifiers, tables.n_scores))
    for j in range(tables.n_classifiers - 1, -1, -1):
        for t in range(tables.rounds[j], tables.rounds[j + 1]):
            _add_gain(gain, tables, t)
        most[j] = gain.max(axis=1)  # a class gains 0 on itself
    return most


def _add_gain(gain: NDArray[np.float64], tables: Tables, t: int) -> None:
    table, k = tables.table(t), tables.score[t]
    if k < 0:
        gain += (table[:, None, :] - table[:, :, None]).max(axis=0)
        return
    own, kept = table[:, k], gain[k, k]
    gain[:, k] += own.max()
    gain[k, :] -= own.min()
    gain[k, k] = kept


def _rounding(tables: Tables) -> float:
    """What rounding may hide: fixed point keeps every vote to 2^-31 of the largest sum."""
    largest = np.abs(tables.bias).max() + tables.reach().sum()
    return float(largest * (tables.n_trees + 1) * 2.0**-31)
