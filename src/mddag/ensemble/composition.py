"""Composition: the steps of a routing as trees, and the steps of each region by themselves.

A composed tree is the router's, with the tree of each region in place of its leaf: an ordinary
ensemble, which any code can take that knows nothing of regions. Executors that know of them run the
part of each region on its rows (``Routed.part``), so that no row passes the router more than once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.nodes import NODE
from mddag.ensemble.routing import Routing, before
from mddag.ensemble.votes import starts_of


@dataclass(frozen=True, eq=False)
class Routed:
    """A routing over its source."""

    routing: Routing
    source: Ensemble

    def __post_init__(self) -> None:
        self.routing.check(self.source.tables)

    @cached_property
    def trees(self) -> NDArray[np.int64]:
        """The tree of the source in each region and slot, (R, n_slots)."""
        return self.routing.trees(self.source.tables)

    @cached_property
    def composed(self) -> Ensemble:
        """Its steps as base classifiers, the router first; each costs 1."""
        source, routing = self.source, self.routing
        records, starts = self._nodes()
        words, lengths = self._words()
        return replace(
            source,
            tables=routing.tables,
            nodes=np.concatenate([routing.router.records.view(np.uint8), records]).view(NODE),
            starts=np.concatenate([[0], len(routing.router.records) + starts]),
            words=words,
            word_starts=starts_of([0, *lengths.sum(axis=0)]),
            cost=np.ones(routing.n_steps),
            routed=self,
        )

    def part(self, q: int) -> Ensemble:
        """The steps of one region: a constant, its level, then its base classifiers."""
        own = self.source.taken(self.routing.order[q])
        level = np.zeros(1, NODE)
        level["feature"], level["right"] = -1, -1
        nodes = np.concatenate([level.view(np.uint8), own.nodes.view(np.uint8)])
        tables = self.routing.tables
        sizes = np.diff(tables.starts)[1:] // tables.n_leaves[1:] * self._leaves[q]
        return replace(
            own,
            tables=replace(
                tables,
                values=tables.values[self.values_of(q)],
                starts=starts_of([tables.starts[1] // self.routing.n_regions, *sizes]),
            ),
            nodes=nodes.view(NODE),
            starts=np.concatenate([[0], 1 + own.starts]),
            word_starts=np.concatenate([[0], own.word_starts]),
            cost=np.ones(self.routing.n_steps),
            priced=False,
        )

    def values_of(self, q: int) -> NDArray[np.int64]:
        """Which values of the routing's tables are a region's, in the order of its part."""
        tables = self.routing.tables
        widths = np.diff(tables.starts) // tables.n_leaves
        leaves = np.concatenate([[1], self._leaves[q]])
        first = np.concatenate([[q], before(self._leaves)[q]])
        return ranges(tables.starts[:-1] + widths * first, widths * leaves)

    def sources(self, q: int) -> NDArray[np.int32]:
        """The number of each step's base classifier in the source, which has no number for the
        router: it gets the next, N."""
        return np.concatenate([[len(self.source)], self.routing.order[q]]).astype(np.int32)

    @property
    def _leaves(self) -> NDArray[np.int64]:
        return self.source.tables.n_leaves[self.trees]

    def _nodes(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """The nodes of all composed trees as bytes, and where each begins, and the end."""
        source, trees = self.source, self.trees
        sizes = np.diff(source.starts)[trees]
        n_words = np.diff(source.word_starts)[trees]
        heads, lengths = self._router_splits(before(sizes)), sizes.sum(axis=0)
        n_head = heads.shape[1]
        by_slot = [array.T.ravel() for array in (trees, sizes, before(sizes), self._offsets)]
        tree, size, base, code = by_slot
        below = source.nodes[ranges(source.starts[tree], size)]
        leaf = below["feature"] < 0
        children = np.repeat(base + n_head, size)
        below["left"] += np.where(leaf, np.repeat(code, size), children).astype(np.int32)
        below["right"] += np.where(leaf, 0, children).astype(np.int32)
        below["word"] += np.repeat(before(n_words).T.ravel(), size).astype(np.int32)
        starts = starts_of(lengths + n_head)
        nodes = np.empty(starts[-1], NODE)
        at_head = (starts[:-1, None] + np.arange(n_head)).ravel()
        nodes[at_head] = heads.ravel()
        nodes[np.setdiff1d(np.arange(len(nodes)), at_head, assume_unique=True)] = below
        return nodes.view(np.uint8), starts

    @property
    def _offsets(self) -> NDArray[np.int64]:
        return before(self._leaves)

    def _router_splits(self, base: NDArray[np.int64]) -> NDArray[np.void]:
        """The router's splits for each slot (n_slots, R - 1). They lead to the trees of regions,
        whose nodes begin `base` (R, n_slots) behind them."""
        records = self.routing.router.records
        split = records["feature"] >= 0
        place = np.cumsum(split) - 1  # of a split among the splits
        heads = np.repeat(records[split][None], base.shape[1], axis=0)
        for side in ("left", "right"):
            child = records[split][side]
            of_leaf = records["left"][child] * ~split[child]
            leads = np.where(split[child], place[child], split.sum() + base[of_leaf].T)
            heads[side] = leads
        return heads

    def _words(self) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        source = self.source
        lengths = np.diff(source.word_starts)[self.trees]
        where = ranges(source.word_starts[self.trees].T.ravel(), lengths.T.ravel())
        return source.words[where], lengths


def ranges(starts: NDArray[Any], lengths: NDArray[Any]) -> NDArray[np.int64]:
    """The numbers starts[i] .. starts[i] + lengths[i], one range behind the other."""
    behind = np.cumsum(lengths) - lengths
    found: NDArray[np.int64] = np.repeat(starts - behind, lengths) + np.arange(lengths.sum())
    return found
