"""Regions: a router tree, and for the rows of each of its leaves a condensation and an order.

The router is a regression tree on the full scores F, so rows of a region have similar scores, and
few base classifiers tell them apart. Each region has its own condensation and its own order over
the same base classifiers. Rows need no labels. A region has few rows; OUTSIDE further ones, which
count for PRIOR rows together, keep its weights from following noise.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mddag.ensemble.nodes import Nodes, TreeBuilder
from mddag.ensemble.routing import Routing
from mddag.ensemble.votes import Tables, Votes
from mddag.ordering.arrangement import arranged
from mddag.ordering.condensation import Condensation
from mddag.ordering.correlation import Correlation

LARGEST = 1e38  # a float32, which scikit-learn's trees are grown on
PRIOR, OUTSIDE = 50.0, 500

Vector = NDArray[np.float64]


def fitted_router(X: NDArray[np.floating], scores: Vector, n_regions: int, fewest: int) -> Nodes:
    """A regression tree of at most `n_regions` leaves, each of `fewest` rows or more.

    NaN is below all numbers.
    """
    from sklearn.tree import DecisionTreeRegressor  # what serves models does without it

    X = np.nan_to_num(np.asarray(X, np.float64), nan=-LARGEST, posinf=LARGEST, neginf=-LARGEST)
    X = np.clip(X, -LARGEST, LARGEST)
    grown = DecisionTreeRegressor(
        max_leaf_nodes=max(n_regions, 2), min_samples_leaf=fewest, random_state=0
    ).fit(X, scores)
    tree, nodes = TreeBuilder(), grown.tree_

    def added(at: int) -> int:
        if nodes.children_left[at] < 0:
            return tree.leaf(np.zeros(1))
        left, right = added(nodes.children_left[at]), added(nodes.children_right[at])
        return tree.split(int(nodes.feature[at]), float(nodes.threshold[at]), left, right, True)

    return tree.finish(added(0))


def routing_of(
    router: Nodes,
    votes: Votes,
    regions: NDArray[np.intp],
    size: int,
    *,
    wanted: Vector | None = None,
    weight: Vector | None = None,
) -> Routing:
    """`size` base classifiers for each region, condensed and ordered by its rows.

    regions : of the rows of the votes (n,)
    wanted  : scores (n, K) that sums are to follow; the full ones by default
    weight  : of the rows (n,); 1 by default
    """
    weight = np.ones(len(votes)) if weight is None else weight
    orders, parts = [], []
    for q in range(router.n_leaves):
        rows, counts = _rows_of(regions, q, weight)
        of_region = votes.rows(rows)
        order, tables = _condensed(
            of_region, size, None if wanted is None else wanted[rows], counts
        )
        orders.append(order)
        parts.append(tables)
    return Routing.of(router, np.array(orders), parts, votes.tables)


def _condensed(
    votes: Votes, size: int, wanted: Vector | None, weight: Vector
) -> tuple[NDArray[np.intp], Tables]:
    """The base classifiers of a region by step, and their votes."""
    few = Condensation.of(votes, size, None, weight, wanted=wanted).arrangement(size)
    whole = few.then(arranged(Correlation(), few.votes(votes), None, weight))
    return whole.kept, whole.votes(votes.rows(slice(0, 1))).tables


def _rows_of(regions: NDArray[np.intp], q: int, weight: Vector) -> tuple[NDArray[np.intp], Vector]:
    """The rows of a region and some of the others, evenly spaced, with their weights."""
    inside, outside = np.flatnonzero(regions == q), np.flatnonzero(regions != q)
    if len(outside) > OUTSIDE:
        outside = outside[np.linspace(0, len(outside) - 1, OUTSIDE).astype(np.intp)]
    share = PRIOR / max(len(outside), 1)
    rows = np.concatenate([inside, outside])
    return rows, np.concatenate([weight[inside], share * weight[outside]])
