"""Regions: a router tree, and for the rows of each of its leaves a condensation and an order.

The router is a regression tree on the full scores F, so rows of a region have similar scores, and
few base classifiers tell them apart. Each region has its own condensation and its own order over
the same base classifiers. Rows need no labels. A region has few rows; OUTSIDE further ones, which
count for PRIOR rows together, keep its weights from following noise.
"""

from __future__ import annotations

from collections.abc import Sequence

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
Step = tuple[NDArray[np.intp], Tables]  # which base classifiers, and what they vote


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


def routings_of(
    router: Nodes,
    votes: Votes,
    regions: NDArray[np.intp],
    sizes: Sequence[int],
    *,
    wanted: Vector | None = None,
) -> list[Routing]:
    """For each size as many base classifiers in every region, condensed and ordered by its rows.

    regions : of the rows of the votes (n,)
    wanted  : scores (n, K) that sums are to follow; the full ones by default
    """
    found: list[list[Step]] = [[] for _ in sizes]
    for q in range(router.n_leaves):
        rows, weight = _rows_of(regions, q)
        here, target = votes.rows(rows), None if wanted is None else wanted[rows]
        condensation = Condensation.of(here, max(sizes), None, weight, wanted=target)
        for size, steps in zip(sizes, found, strict=True):
            steps.append(_steps(condensation, here, size, weight))
    return [
        Routing.of(router, np.array([order for order, _ in steps]), [t for _, t in steps], source)
        for steps, source in ((steps, votes.tables) for steps in found)
    ]


def _steps(condensation: Condensation, votes: Votes, size: int, weight: Vector) -> Step:
    """The base classifiers of a region by step, and their votes."""
    few = condensation.arrangement(size)
    whole = few.then(arranged(Correlation(), few.votes(votes), None, weight))
    return whole.kept, whole.votes(votes.rows(slice(0, 1))).tables


def _rows_of(regions: NDArray[np.intp], q: int) -> tuple[NDArray[np.intp], Vector]:
    """The rows of a region and some of the others, evenly spaced, with their weights."""
    inside, outside = np.flatnonzero(regions == q), np.flatnonzero(regions != q)
    if len(outside) > OUTSIDE:
        outside = outside[np.linspace(0, len(outside) - 1, OUTSIDE).astype(np.intp)]
    rows = np.concatenate([inside, outside])
    share = PRIOR / max(len(outside), 1)
    return rows, np.concatenate([np.ones(len(inside)), np.full(len(outside), share)])
