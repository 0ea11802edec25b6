"""Stump: one cut of one column, h_k(x) = v_k phi(x) with phi(x) = +1 if x > theta, else -1.

The cut maximises sum_k |edge_k| with edge_k = sum_i w_ik y_ik phi(x_i), and v_k is the sign of
edge_k. A constant vote is the stump without a column, and wins ties.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mddag.columns import Columns
from mddag.nodes import Growing, Nodes
from mddag.parameters import Parameters
from mddag.signed_weights import signed_weights


@dataclass
class Stump(Parameters):
    """The best cut of the best column."""

    def fit(
        self, columns: Columns, targets: NDArray[np.int8], weights: NDArray[np.float64]
    ) -> Nodes:
        """See `Learner.fit`."""
        q = signed_weights(targets, weights)
        total = q.sum(axis=0)
        best, found = int(np.abs(total).sum()), None
        for f in columns.candidates:
            sums = np.zeros((columns.n_codes[f] + 1, q.shape[1]), np.int64)
            np.add.at(sums, columns.codes[f], q)
            below = np.cumsum(sums[:-1], axis=0)[: None if columns.missing[f] else -1]
            for missing_left in (True, False) if columns.missing[f] else (True,):
                edges = total - 2 * (below + missing_left * sums[-1])
                criterion = np.abs(edges).sum(axis=1)
                if len(criterion) and criterion.max() > best:
                    cut = int(criterion.argmax())
                    best, found = int(criterion[cut]), (int(f), cut, missing_left, edges[cut])
        growing = Growing()
        if found is None:
            return growing.finish(growing.leaf(np.where(total >= 0, 1.0, -1.0)))
        feature, cut, missing_left, edge = found
        v = np.where(edge >= 0, 1.0, -1.0)
        left, right = growing.leaf(-v), growing.leaf(v)
        threshold = columns.threshold(feature, cut)
        return growing.finish(growing.split(feature, threshold, left, right, missing_left))
