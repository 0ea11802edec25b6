"""WorstCase: the longest way that a row can take through exported tables.

    W(row) = comparisons of a look-up + max over targets t of (depths of the trees of t + W(t + 1))

over all targets that a row of the jump table has, whether or not scores can lead there: a bound
that no row exceeds. A comparison is one of a value with a threshold (or a set), of a score with a
bound of the jump table, or of two scores. What follows the walk, a verdict or a probability, is not
in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log2

import numpy as np
from numpy.typing import NDArray

from mddag.serving.export.walk_tables import Splits, WalkTables


@dataclass(frozen=True)
class WorstCase:
    """Base classifiers and comparisons of the row that needs most of each."""

    evaluations: int
    comparisons: int

    @classmethod
    def of(cls, tables: WalkTables) -> WorstCase:
        total = np.concatenate([[0], np.cumsum(tree_depths(tables.splits))])
        steps = np.diff(total[tables.rounds])
        ones = np.ones(tables.n_steps, np.int64)
        looks = _looks(tables)
        return cls(_longest(tables, ones, 0 * looks), _longest(tables, steps, looks))


def tree_depths(splits: Splits) -> NDArray[np.int64]:
    """The most splits that a row passes in each tree, (n_trees,)."""
    depth = np.zeros(len(splits.roots), np.int64)
    trees, at = np.arange(len(splits.roots)), splits.roots
    while (inside := at >= 0).any():
        trees, at = trees[inside], at[inside]
        depth[np.unique(trees)] += 1
        children = splits.records["left"][at], splits.records["right"][at]
        trees, at = np.concatenate([trees, trees]), np.concatenate(children)
    return depth


def _looks(tables: WalkTables) -> NDArray[np.int64]:
    """The comparisons of a look-up in each row of the jump table, of its longest class."""
    n_tops = 1 if tables.stages is not None else tables.n_scores
    runs = np.diff(tables.starts).reshape(-1, n_tops).max(axis=1)
    tops = 0 if n_tops == 1 else 1 + 2 * (n_tops - 2)
    return np.array([ceil(log2(n)) + tops for n in runs.tolist()], np.int64)


def _longest(tables: WalkTables, steps: NDArray[np.int64], looks: NDArray[np.int64]) -> int:
    """The most that steps and look-ups can add up to on a way from the first row."""
    every, n_steps = tables.every, tables.n_steps
    n_tops = 1 if tables.stages is not None else tables.n_scores
    from_row = np.zeros(len(looks) + 1, np.int64)  # nothing behind the last row
    for row in range(len(looks) - 1, -1, -1):
        runs = slice(tables.starts[row * n_tops], tables.starts[(row + 1) * n_tops])
        ways = [0]
        for target in np.unique(tables.jumps[runs]).tolist():
            if target >= n_steps:
                continue
            block = target // every
            if tables.stages is not None and block > row:  # another column is looked at first
                ways.append(from_row[block])
            else:
                ways.append(steps[target : (block + 1) * every].sum() + from_row[block + 1])
        from_row[row] = looks[row] + max(ways)
    return int(from_row[0])
