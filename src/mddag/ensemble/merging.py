"""Merging: all trees that read one column alone are one step function of it, exactly.

The sum of stumps of column c is constant between neighbouring thresholds, so one tree, a binary
search over the thresholds, votes what all of them vote together (``step_functions``):

    sum_{t reads c alone} h_t(x)  =  h_c(x_c).

Trees by numeric and by nominal splits of one column make two step functions. Trees of several
columns, trees that mix both kinds of splits, and columns with one tree stay as they are. Trees
without splits, and step functions without steps, become part of the bias. Votes are added in the
order of the trees, in float64; only their rounding differs from the source's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mddag.ensemble.nodes import Nodes
from mddag.ensemble.step_functions import step_function
from mddag.ensemble.votes import Tables

MOST_LEAVES = 256  # of a tree that batch kernels take, and of codes of one byte

Column = tuple[int, bool]  # which, and whether it is split by category sets


@dataclass(frozen=True, eq=False)
class MergedClassifier:
    """A base classifier after merging.

    trees  : with what each votes for, as ``Tables.score``
    olds   : the base classifiers of the source that its trees come from
    """

    trees: list[tuple[Nodes, int]]
    olds: list[int]


def merged_classifiers(trees: Sequence[Nodes], tables: Tables) -> Iterator[MergedClassifier]:
    """One for each column, where its first tree was; before it what is left of the base classifier
    of that tree."""
    columns = [_column_of(tree) for tree in trees]
    groups = {group[0]: group for group in _groups(trees, columns)}
    moved = {t for group in groups.values() if len(group) > 1 for t in group}
    owner = np.repeat(np.arange(tables.n_classifiers), np.diff(tables.rounds))
    for j in range(tables.n_classifiers):
        own = range(tables.rounds[j], tables.rounds[j + 1])
        kept = [t for t in own if t not in moved and len(trees[t].records) > 1]
        if kept:
            yield MergedClassifier([(trees[t], int(tables.score[t])) for t in kept], [j])
        for t in own:
            if t in moved and t in groups:
                group = groups[t]
                votes, score = _width_of_score(tables, group)
                found = step_function([trees[s] for s in group], votes)
                yield MergedClassifier([(found, score)], np.unique(owner[group]).tolist())


def constant_votes(trees: Iterable[tuple[Nodes, int]], n_scores: int) -> NDArray[np.float64]:
    """The votes of those trees that have no splits, (K,)."""
    total = np.zeros(n_scores)
    for tree, score in trees:
        if len(tree.records) == 1:
            total[slice(None) if score < 0 else slice(score, score + 1)] += tree.votes[0]
    return total


def _column_of(tree: Nodes) -> Column | None:
    """The column that all splits of a tree read in one way; None if there is none."""
    splits = tree.records[tree.records["feature"] >= 0]
    read = {
        (int(f), bool(n)) for f, n in zip(splits["feature"], splits["n_words"] > 0, strict=True)
    }
    return read.pop() if len(read) == 1 else None


def _groups(trees: Sequence[Nodes], columns: Sequence[Column | None]) -> list[list[int]]:
    """The trees of each step function, in their order. A column has several step functions where
    its thresholds would make more than MOST_LEAVES leaves."""
    groups: list[list[int]] = []
    unfinished: dict[Column, tuple[list[int], set[float]]] = {}
    for t, (tree, column) in enumerate(zip(trees, columns, strict=True)):
        if column is None:
            continue
        nominal = column[1]
        splits = tree.records["feature"] >= 0
        cuts = set() if nominal else set(tree.records["threshold"][splits].tolist())
        group, known = unfinished.get(column, ([], set()))
        if not group or len(known | cuts) + 2 > MOST_LEAVES:  # its cells, and a leaf for NaN
            group, known = [], set()
            groups.append(group)
        group.append(t)
        unfinished[column] = group, known | cuts
    return groups


def _width_of_score(tables: Tables, group: list[int]) -> tuple[list[NDArray[np.float64]], int]:
    """The votes of trees, each (n_leaves, width), and what they are for: one score, or all."""
    scores = set(tables.score[group].tolist())
    score = scores.pop() if len(scores) == 1 else -1
    whole = [tables.table(t) for t in group]
    return (whole if score < 0 else [table[:, score : score + 1] for table in whole]), score
