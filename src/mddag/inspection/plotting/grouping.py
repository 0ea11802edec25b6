"""Grouping: hundreds of base classifiers as a few groups of neighbours in the order of evaluation.

    a group ends where its evaluations reach a share of all

so groups hold about equally many evaluations: the first base classifiers, which all instances pass,
stand alone, and the many at the end, which few reach, stand together. An edge between two groups
counts the instances that go from one to the other; edges inside of a group are not told.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mddag.inspection.plotting.graph import QUIT, START, Graph

MOST_GROUPS = 40


@dataclass(frozen=True, eq=False)
class Grouping:
    """Groups of a graph's nodes.

    graph : the groups as nodes 0, 1, …; `uses` are the instances that enter each
    first : intp (n_groups,), the place of a group's first node among the nodes
    last  : intp (n_groups,), that of its last
    """

    graph: Graph
    first: NDArray[np.intp]
    last: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.first)

    @classmethod
    def of(cls, graph: Graph, most: int = MOST_GROUPS) -> Grouping:
        """At most `most` groups."""
        group = groups_of(graph.uses.sum(axis=1), most)
        n_groups = int(group.max(initial=-1)) + 1
        first = np.searchsorted(group, np.arange(n_groups))
        last = np.searchsorted(group, np.arange(n_groups), side="right") - 1
        return cls(_merged(graph, group, n_groups), first, last)

    def names(self) -> list[str]:
        """The places of each group's nodes, counted from 1."""
        spans = zip(self.first.tolist(), self.last.tolist(), strict=True)
        return [f"{a + 1}" if a == b else f"{a + 1}-{b + 1}" for a, b in spans]


def groups_of(uses: NDArray[np.intp], most: int) -> NDArray[np.intp]:
    """The group of each node (n_nodes,): as many groups as there may be."""
    if len(uses) <= most:
        return np.arange(len(uses))
    low, high = 0.0, float(uses.sum())
    for _ in range(40):  # as fine as it can be
        middle = (low + high) / 2
        low, high = (low, middle) if _cut(uses, middle).max() < most else (middle, high)
    return _cut(uses, high)


def jump_share(graph: Graph) -> float:
    """The share of steps from one base classifier to another that leave some out between them."""
    place = {int(j): k for k, j in enumerate(graph.nodes)}
    inner = [e for e in range(len(graph.source)) if graph.source[e] >= 0 <= graph.target[e]]
    span = np.array([place[int(graph.target[e])] - place[int(graph.source[e])] for e in inner])
    count = graph.count[inner].sum(axis=1)
    return float(count[span > 1].sum() / max(count.sum(), 1)) if len(inner) else 0.0


def _cut(uses: NDArray[np.intp], size: float) -> NDArray[np.intp]:
    """Groups that end where they hold `size` evaluations; what holds so many alone is alone."""
    group = np.zeros(len(uses), np.intp)
    at, held = 0, 0.0
    for k, n in enumerate(uses.tolist()):
        if held and (held >= size or n >= size):
            at, held = at + 1, 0.0
        group[k] = at
        held += n
    return group


def _merged(graph: Graph, group: NDArray[np.intp], n_groups: int) -> Graph:
    of = {int(j): int(g) for j, g in zip(graph.nodes, group, strict=True)}
    of |= {START: START, QUIT: QUIT}
    source, target = (np.array([of[int(j)] for j in a], int) for a in (graph.source, graph.target))
    crosses = source != target
    pairs = np.stack([source, target], axis=1)[crosses]
    edges, which = np.unique(pairs, axis=0, return_inverse=True)
    count = np.zeros((len(edges), graph.count.shape[1]), np.intp)
    np.add.at(count, which.reshape(-1), graph.count[crosses])
    uses = np.zeros((n_groups, graph.count.shape[1]), np.intp)
    inner = edges[:, 1] >= 0
    np.add.at(uses, edges[inner, 1], count[inner])
    nodes = np.arange(n_groups)
    return Graph(nodes, uses, edges[:, 0], edges[:, 1], count, graph.groups, graph.size)
