"""Graph: the decision DAG as it was walked: base classifiers, edges, and how many took them.

The edges are those of Section 3.1, U = union of the classification paths U_x, with their
multiplicities, here also by group; START and QUIT close every path at both ends. A policy may
have an order of its own, so the nodes are sorted such that every edge leads to the right, and by
number where the edges leave a choice: for a policy in the order of the ensemble, by number.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag._internal.checks import check_is
from mddag.dag.trace import Trace
from mddag.inspection.plotting._axes import blend, group_of, hex_code

START, QUIT = -1, -2
_ENDS = {START: "start", QUIT: "quit"}


@dataclass(frozen=True, eq=False)
class Graph:
    """Nodes and edges with counts by group.

    nodes  : intp (n_nodes,), base classifiers, sources before targets
    uses   : intp (n_nodes, n_columns), instances that evaluate each
    source : intp (n_edges,), a base classifier or START
    target : intp (n_edges,), a base classifier or QUIT
    count  : intp (n_edges, n_columns), instances that take each edge
    groups : the groups' names, one per column; without groups there is one column
    size   : intp (n_columns,), instances in each group
    """

    nodes: NDArray[np.intp]
    uses: NDArray[np.intp]
    source: NDArray[np.intp]
    target: NDArray[np.intp]
    count: NDArray[np.intp]
    groups: tuple[str, ...]
    size: NDArray[np.intp]

    @classmethod
    def of_trace(cls, trace: Trace, groups: ArrayLike | None = None, name: str = "groups") -> Graph:
        """Count the edges of all paths; `name` is what errors call the groups."""
        instead = "a Trace, such as dag.run(X) or estimator.trace(X) gives"
        check_is("trace", trace, Trace, instead)
        names, group = group_of(groups, len(trace), name)
        size = np.bincount(group, minlength=max(len(names), 1))
        inner = trace.edges(group)
        ends = _end_edges(trace, group, len(size))
        pairs = np.concatenate([np.stack([inner["source"], inner["target"]], axis=1), ends[0]])
        nodes = _sources_first(np.unique(trace.indices), inner["source"], inner["target"])
        uses = trace.uses(int(nodes.max(initial=-1)) + 1, group)[nodes]
        count = np.concatenate([inner["count"].reshape(-1, len(size)), ends[1]])
        return cls(nodes, uses, pairs[:, 0], pairs[:, 1], count, names, size)

    @property
    def n_instances(self) -> int:
        return int(self.size.sum())

    def without_rare(self, min_share: float) -> Graph:
        """The nodes and edges that at least `min_share` of all instances pass through."""
        least = min_share * self.n_instances
        node, edge = self.uses.sum(axis=1) >= least, self.count.sum(axis=1) >= least
        return replace(
            self,
            nodes=self.nodes[node],
            uses=self.uses[node],
            source=self.source[edge],
            target=self.target[edge],
            count=self.count[edge],
        )

    def to_dot(self) -> str:
        """The graph in the DOT language of Graphviz, to be laid out from left to right."""
        lines = ["digraph mddag {", "  rankdir=LR;", "  node [shape=circle, style=filled];"]
        lines += [
            f'  {name} [shape=plaintext, style="", label="{name}"];' for name in _ENDS.values()
        ]
        shades = blend(self.uses, len(self.groups))
        for j, uses, shade in zip(self.nodes, self.uses.sum(axis=1), shades, strict=True):
            fill = f'fillcolor="{hex_code(shade)}", fontcolor=white'
            lines.append(f'  h{j} [label="{j}", tooltip="{uses} instances", {fill}];')
        widths = 0.3 + 6 * self.count.sum(axis=1) / max(self.n_instances, 1)
        shades = blend(self.count, len(self.groups))
        for e, (width, shade) in enumerate(zip(widths, shades, strict=True)):
            ends = f"{_dot_name(self.source[e])} -> {_dot_name(self.target[e])}"
            note = f'tooltip="{self.count[e].sum()} instances"'
            lines.append(f'  {ends} [penwidth={width:.2f}, color="{hex_code(shade)}", {note}];')
        return "\n".join([*lines, "}", ""])

    def to_networkx(self) -> Any:
        """A networkx.DiGraph; nodes are numbers, "start" and "quit", both with `count`.

        With groups, `by_group` holds the counts by the group's name.
        """
        try:
            import networkx
        except ImportError as error:
            raise ImportError(
                "to_networkx needs networkx, which is not installed: pip install networkx"
            ) from error
        graph = networkx.DiGraph()
        for end in _ENDS.values():
            graph.add_node(end, **self._attributes(self.size))
        for j, uses in zip(self.nodes.tolist(), self.uses, strict=True):
            graph.add_node(j, **self._attributes(uses))
        for source, target, count in zip(self.source, self.target, self.count, strict=True):
            ends = [_ENDS.get(int(j), int(j)) for j in (source, target)]
            graph.add_edge(*ends, **self._attributes(count))
        return graph

    def _attributes(self, count: NDArray[np.intp]) -> dict[str, Any]:
        attributes: dict[str, Any] = {"count": int(count.sum())}
        if self.groups:
            attributes["by_group"] = dict(zip(self.groups, count.tolist(), strict=True))
        return attributes


def _dot_name(j: int) -> str:
    return _ENDS.get(int(j), f"h{j}")


def _end_edges(
    trace: Trace, group: NDArray[np.intp], n_columns: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """START -> first and last -> QUIT of every path, as pairs (n, 2) and counts (n, n_columns)."""
    some = trace.n_evaluated > 0
    none = np.full((int((~some).sum()), 2), [START, QUIT], np.intp)
    first = trace.indices[trace.indptr[:-1][some]]
    last = trace.indices[trace.indptr[1:][some] - 1]
    begin = np.stack([np.full(len(first), START, np.intp), first], axis=1)
    end = np.stack([last, np.full(len(last), QUIT, np.intp)], axis=1)
    pairs, which = np.unique(np.concatenate([begin, end, none]), axis=0, return_inverse=True)
    count = np.zeros((len(pairs), n_columns), np.intp)
    owner = np.concatenate([group[some], group[some], group[~some]])
    np.add.at(count, (which.reshape(-1), owner), 1)
    return pairs, count


def _sources_first(
    nodes: NDArray[Any], source: NDArray[np.intp], target: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Nodes such that every edge leads onwards, the smallest number first where it is open."""
    followers: dict[int, list[int]] = defaultdict(list)
    waits: dict[int, int] = defaultdict(int)
    for a, b in zip(source.tolist(), target.tolist(), strict=True):
        followers[a].append(b)
        waits[b] += 1
    ready = [j for j in nodes.tolist() if not waits[j]]
    order: list[int] = []
    while ready:
        order.append(heapq.heappop(ready))
        for j in followers[order[-1]]:
            waits[j] -= 1
            if not waits[j]:
                heapq.heappush(ready, j)
    return np.array(order, np.intp)
