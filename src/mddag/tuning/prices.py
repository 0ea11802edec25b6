"""NodePrices: nodes visited as the price of evaluations, for ``objective="nodes"``.

A tree of 64 leaves is no evaluation like that of a stump. Here the unit of cost is a node, which is
one comparison. Solvers price base classifier h_j, for all rows alike, at the mean number of nodes
that rows visit in it (for K > 2 in all its trees); what a policy costs on a row is then counted
exactly, by the depth of each leaf that the row reaches.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mddag._utils.arrays import part
from mddag.engine.node_counts import RowNodes
from mddag.ensemble.costs import LeafDepths
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.votes import Votes
from mddag.tuning.row_parts import RowParts


@dataclass(frozen=True, eq=False)
class NodePrices:
    """Prices of the base classifiers of an ensemble in nodes.

    depths : those of its leaves
    means  : float64 (N,), mean nodes of each base classifier
    """

    ensemble: Ensemble
    depths: LeafDepths
    means: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        ensemble: Ensemble,
        votes: Votes,
        weight: NDArray[np.float64] | None = None,
    ) -> NodePrices:
        """By the rows of these votes, with their weights (n,)."""
        if ensemble.priced:
            raise ValueError(
                "objective is 'nodes', but the ensemble has prices of its own (with_cost), which "
                "would be replaced; wanted an ensemble without them, or objective='evaluations'"
            )
        depths = LeafDepths.of(ensemble)
        means = np.average(depths.of_rows(votes.codes), axis=0, weights=weight)
        return cls(ensemble, depths, np.asarray(means, np.float64))

    def on(self, votes: Votes) -> RowNodes:
        """What counts the nodes that the rows of these votes visit."""
        return RowNodes(votes, self.depths)


def node_prices(parts: RowParts) -> NodePrices:
    """Prices by the rows for learning and choosing; those that certify have no part in them."""
    seen = parts.seen
    votes, weight = parts.votes.rows(seen), part(parts.weight, seen)
    return NodePrices.of(parts.ensemble, votes, weight)
