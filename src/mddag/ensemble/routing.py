"""Routing: a router tree parts rows into regions, each with base classifiers of its own at a step.

The regions are the leaves of one tree, the router. Step 0 evaluates the router, which votes the
level of the region. Step j evaluates base classifier order[q, j - 1] of the source in region q,
with the weight that it has there. A step's code is (region, leaf):

    code = offset[q, tree] + leaf,

so for solvers and policies a step is an ordinary base classifier, and the state is (j, f) as ever.
``composition`` makes it one in fact, and takes regions apart for executors. All base classifiers of
the source must have equally many trees, for the same scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag._internal.read_only import ReadOnlyArrays, read_only
from mddag.ensemble.flat_trees import flat_nodes
from mddag.ensemble.nodes import Nodes
from mddag.ensemble.votes import Tables, Votes, starts_of


@dataclass(frozen=True, eq=False)
class Routing(ReadOnlyArrays):
    """Regions, and what is evaluated in each.

    router : the tree whose leaves are the R regions; its splits are numeric
    order  : intp (R, m), base classifiers of the source
    tables : the votes of all steps, of which there are m + 1, by code
    """

    router: Nodes
    order: NDArray[np.intp]
    tables: Tables

    def __post_init__(self) -> None:
        if (self.router.records["n_words"] > 0).any():
            raise ValueError("the router splits by categories; wanted numeric splits alone")
        order = np.asarray(self.order)
        if order.ndim != 2 or len(order) != self.router.n_leaves or order.min(initial=0) < 0:
            raise ValueError(
                f"order has shape {order.shape}; wanted base classifiers (R, m) for the "
                f"{self.router.n_leaves} leaves of the router"
            )
        if self.tables.n_classifiers != order.shape[1] + 1:
            raise ValueError(
                f"tables are for {self.tables.n_classifiers} steps; wanted {order.shape[1] + 1}, "
                "one for the router and one for each column of the order"
            )
        object.__setattr__(self, "order", read_only(order, np.intp))

    @classmethod
    def of(
        cls, router: Nodes, order: NDArray[np.intp], votes: Sequence[Tables], source: Tables
    ) -> Routing:
        """From the tables of the steps of each region, whose bias is its level."""
        levels = np.array([tables.bias for tables in votes]) - source.bias
        slots = [
            np.concatenate([t.values[t.starts[s] : t.starts[s + 1]] for t in votes])
            for s in range(votes[0].n_trees)
        ]
        values = [levels.ravel(), *slots]
        tables = Tables(
            values=np.concatenate(values),
            starts=starts_of([len(part) for part in values]),
            score=np.concatenate([[-1], votes[0].score]).astype(np.int32),
            rounds=np.concatenate([[0], 1 + votes[0].rounds]).astype(np.int64),
            bias=source.bias,
        )
        return cls(router, order, tables)

    @property
    def n_regions(self) -> int:
        return len(self.order)

    @property
    def n_steps(self) -> int:
        """The router's, and one for each of the m that follow."""
        return int(self.order.shape[1]) + 1

    @property
    def n_kept(self) -> int:
        """All of them: as a condensed arrangement it gives up the full sum."""
        return self.n_steps

    def regions(self, rows: Any) -> NDArray[np.intp]:
        """The region of each of some checked rows, (n,)."""
        return leaves_of(self.router, rows)

    def votes(self, votes: Votes) -> Votes:
        """The votes of the steps, of those of the source, whose regions must be known."""
        regions = votes.regions_of(self)
        trees = self.trees(votes.tables)
        offsets = before(votes.tables.n_leaves[trees])
        codes = np.empty((len(votes), self.tables.n_trees), self.tables.code_dtype())
        codes[:, 0] = regions
        for q in range(self.n_regions):
            here = np.flatnonzero(regions == q)
            codes[here, 1:] = votes.codes[here[:, None], trees[q]] + offsets[q]
        return Votes(codes, self.tables)

    def trees(self, source: Tables) -> NDArray[np.int64]:
        """The trees of the source behind each tree of a step but the router, (R, n_slots)."""
        if self.order.max(initial=-1) >= source.n_classifiers:
            raise ValueError(
                f"the routing evaluates base classifier {self.order.max()}, but there are "
                f"{source.n_classifiers}; wanted the ensemble that it was made for"
            )
        if not uniform(source):
            raise ValueError(
                "base classifiers have different numbers of trees, or vote for different scores; "
                "wanted an ensemble whose base classifiers are alike"
            )
        each = int(np.diff(source.rounds)[0]) if source.n_classifiers else 1
        spread = self.order[:, :, None] * each + np.arange(each)
        return spread.reshape(self.n_regions, -1).astype(np.int64)

    def check(self, source: Tables) -> None:
        """Refuse a source whose trees do not have the leaves that the tables are for."""
        leaves = source.n_leaves[self.trees(source)].sum(axis=0)
        wanted = np.concatenate([[self.n_regions], leaves])
        if not np.array_equal(wanted, self.tables.n_leaves):
            raise ValueError(
                "the routing's votes are not those of the leaves of its base classifiers; wanted "
                "the ensemble that it was made for"
            )


@dataclass(frozen=True, eq=False)
class Route:
    """The regions (n,) of some rows in a routing.

    costs : float64 (n_steps,), prices of its steps; None where base classifiers all cost alike
    """

    routing: Routing
    regions: NDArray[np.intp]
    costs: NDArray[np.float64] | None = None

    def rows(self, index: NDArray[np.intp] | NDArray[np.bool_] | slice) -> Route:
        """Those of some of the rows."""
        return Route(self.routing, self.regions[index], self.costs)


def with_regions(votes: Votes, routings: Sequence[Routing], rows: Any) -> Votes:
    """The votes of checked rows with their regions in these routings alone."""
    routes = tuple(Route(routing, routing.regions(rows)) for routing in routings)
    return Votes(votes.codes, votes.tables, routes)


def leaves_of(router: Nodes, rows: Any) -> NDArray[np.intp]:
    """The leaf that each of some checked rows reaches, (n,)."""
    nodes, starts, words, word_starts = flat_nodes([router], rows.shape[1])
    codes = np.empty((len(rows), 1), np.uint32)
    forest = nodes.view(np.uint8), starts, words, word_starts
    _core.leaf_codes(forest, rows, codes, 1)
    return codes[:, 0].astype(np.intp)


def uniform(source: Tables) -> bool:
    """Whether all base classifiers have equally many trees, that vote for the same scores."""
    n_trees = np.diff(source.rounds)
    if not len(n_trees) or (n_trees != n_trees[0]).any():
        return False
    score = source.score.reshape(len(n_trees), -1)
    return bool((score == score[0]).all())


def before(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """By region, the sum of the numbers (R, n) of those before it, (R, n)."""
    return np.cumsum(numbers, axis=0) - numbers
