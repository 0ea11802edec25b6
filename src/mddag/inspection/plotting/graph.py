"""Count the decision DAG as it was walked: base classifiers, edges, and how many took them.

The edges are those of Section 3.1, U = union of the classification paths U_x, with their
multiplicities, here also by group; START and QUIT close every path at both ends.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, replace
from graphlib import TopologicalSorter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag._utils.checks import check_is
from mddag.engine.trace import Trace
from mddag.ensemble.votes import starts_of
from mddag.inspection.plotting._axes import group_of

START, QUIT = -1, -2


@dataclass(frozen=True, eq=False)
class Graph:
    """Nodes and edges with counts by group; without groups there is one column."""

    nodes: NDArray[np.intp]  # base classifiers, sources before targets
    uses: NDArray[np.intp]  # (n_nodes, n_columns), rows that evaluate each
    source: NDArray[np.intp]  # (n_edges,), a base classifier or START
    target: NDArray[np.intp]  # (n_edges,), a base classifier or QUIT
    count: NDArray[np.intp]  # (n_edges, n_columns), rows that take each edge
    groups: tuple[str, ...]  # names of the columns
    size: NDArray[np.intp]  # (n_columns,), rows in each

    @classmethod
    def of_trace(cls, trace: Trace, groups: ArrayLike | None = None, name: str = "groups") -> Graph:
        """Count the edges of all paths; `name` is what errors call the groups."""
        check_is("trace", trace, Trace, "a Trace, such as dag.run(X) or estimator.trace(X) gives")
        names, group = group_of(groups, len(trace), name)
        size = np.bincount(group, minlength=max(len(names), 1))
        lengths = trace.n_evaluated + 2  # with both ends
        starts = starts_of(lengths)
        first, last = starts[:-1], starts[1:] - 1
        walk = np.zeros(starts[-1], np.intp)
        walk[first], walk[last] = START, QUIT
        walk[walk == 0] = trace.indices
        steps = np.flatnonzero(walk != QUIT)
        source, target, which = _distinct(walk[steps], walk[steps + 1])
        color = np.repeat(group, lengths)[steps]
        count = np.bincount(which * len(size) + color, minlength=len(source) * len(size))
        nodes = _sources_first(np.unique(trace.indices), source, target)
        uses = trace.uses(int(nodes.max(initial=-1)) + 1, group)[nodes]
        return cls(nodes, uses, source, target, count.reshape(-1, len(size)), names, size)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self.size.sum())

    def without_rare(self, min_share: float) -> Graph:
        """Return the nodes and edges that at least `min_share` of all rows pass through."""
        least = min_share * self.n_rows
        node, edge = self.uses.sum(axis=1) >= least, self.count.sum(axis=1) >= least
        return replace(
            self,
            nodes=self.nodes[node],
            uses=self.uses[node],
            source=self.source[edge],
            target=self.target[edge],
            count=self.count[edge],
        )


def _distinct(
    source: NDArray[np.intp], target: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Return the sources and targets of distinct edges, and which of them each edge is."""
    base = int(target.max(initial=0)) + 3  # numbers are at least QUIT, -2
    codes, which = np.unique((source + 2) * base + target + 2, return_inverse=True)
    sources, targets = np.divmod(codes, base)
    return sources - 2, targets - 2, which


def _sources_first(
    nodes: NDArray[Any], source: NDArray[np.intp], target: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Sort nodes such that every edge leads onwards, the smallest number first where possible."""
    sorter = TopologicalSorter(dict.fromkeys(nodes.tolist(), ()))
    for a, b in zip(source.tolist(), target.tolist(), strict=True):
        if a >= 0 and b >= 0:
            sorter.add(b, a)
    sorter.prepare()
    ready = list(sorter.get_ready())
    heapq.heapify(ready)
    order: list[int] = []
    while ready:
        order.append(heapq.heappop(ready))
        sorter.done(order[-1])
        for j in sorter.get_ready():
            heapq.heappush(ready, j)
    return np.array(order, np.intp)


MOST_GROUPS = 40
RARE = 0.002  # a jump of a smaller share of rows is not drawn


@dataclass(frozen=True, eq=False)
class Grouping:
    """Groups of neighbors in the order of evaluation that hold about as many evaluations each.

    `graph` has the groups as nodes 0, 1, …, and `uses` are the rows that enter each; `first` and
    `last` are the positions of a group's first and last node. Edges inside of a group are left out.
    """

    graph: Graph
    first: NDArray[np.intp]
    last: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.first)

    @classmethod
    def of(cls, graph: Graph, most: int = MOST_GROUPS) -> Grouping:
        """Make at most `most` groups."""
        group = groups_of(graph.uses.sum(axis=1), most)
        n_groups = int(group.max(initial=-1)) + 1
        first = np.searchsorted(group, np.arange(n_groups))
        last = np.searchsorted(group, np.arange(n_groups), side="right") - 1
        return cls(_merged(graph, group, n_groups), first, last)

    @property
    def rows(self) -> NDArray[np.intp]:
        """The rows that come to each column, by color, the start first."""
        return np.vstack([self.graph.size, self.graph.uses])

    @property
    def quits(self) -> NDArray[np.intp]:
        """The rows that quit after each column, by color, the start first."""
        found = np.zeros_like(self.rows)
        ends = self.graph.target == QUIT
        found[self.graph.source[ends] + 1] = self.graph.count[ends]
        return found

    def bands(self) -> Iterator[tuple[int, int, int, int, int]]:
        """Yield what goes on to the next column: column, color, both ends' bottoms, rows.

        Columns count from 0, the start; the bottoms are rows of other colors below.
        """
        below = np.cumsum(self.rows, axis=1) - self.rows
        for a, b, count in self._edges():
            if b == a + 1:
                for k in np.flatnonzero(count).tolist():
                    yield a, k, int(below[a, k]), int(below[b, k]), int(count[k])

    def jumps(self) -> Iterator[tuple[int, int, NDArray[np.intp]]]:
        """Yield jumps over columns, unless they are rare: two columns, rows by color."""
        for a, b, count in self._edges():
            if b > a + 1 and count.sum() >= RARE * self.graph.n_rows:
                yield a, b, count

    def _edges(self) -> Iterator[tuple[int, int, NDArray[np.intp]]]:
        graph = self.graph
        for source, target, count in zip(graph.source, graph.target, graph.count, strict=True):
            if target != QUIT:
                yield int(source) + 1, int(target) + 1, count

    def names(self) -> list[str]:
        """Return the positions of each group's nodes, counted from 1."""
        spans = zip(self.first.tolist(), self.last.tolist(), strict=True)
        return [f"{a + 1}" if a == b else f"{a + 1}-{b + 1}" for a, b in spans]


def groups_of(uses: NDArray[np.intp], most: int) -> NDArray[np.intp]:
    """Return the group of each node (n_nodes,), which begin at equal shares of all evaluations."""
    if len(uses) <= most:
        return np.arange(len(uses))
    before = np.cumsum(uses) - uses
    return np.unique(before * most // uses.sum(), return_inverse=True)[1]


def jump_share(graph: Graph) -> float:
    """Return the share of steps from one base classifier to another that leave some out."""
    inner = (graph.source >= 0) & (graph.target >= 0)
    order = np.argsort(graph.nodes)  # the place of a node is order[rank among the nodes]
    ends = graph.source[inner], graph.target[inner]
    source, target = (order[np.searchsorted(graph.nodes, at, sorter=order)] for at in ends)
    count = graph.count[inner].sum(axis=1)
    return float(count[target > source + 1].sum() / max(count.sum(), 1))


def _merged(graph: Graph, group: NDArray[np.intp], n_groups: int) -> Graph:
    of = {START: START, QUIT: QUIT} | dict(zip(graph.nodes.tolist(), group.tolist(), strict=True))
    source, target = (
        np.array([of[j] for j in a.tolist()], int) for a in (graph.source, graph.target)
    )
    crosses = source != target
    source, target, which = _distinct(source[crosses], target[crosses])
    count = np.zeros((len(source), graph.count.shape[1]), np.intp)
    np.add.at(count, which, graph.count[crosses])
    uses = np.zeros((n_groups, graph.count.shape[1]), np.intp)
    inner = target >= 0
    np.add.at(uses, target[inner], count[inner])
    return Graph(np.arange(n_groups), uses, source, target, count, graph.groups, graph.size)
