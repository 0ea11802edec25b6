"""Step functions: one tree that votes the sum of several trees of one column.

The column's values fall into cells of equal leaves of all trees: intervals between thresholds, or
groups of categories. One tree finds the cell by halving. NaN goes to a cell whose leaves are those
of NaN, or to a leaf of its own; so do values outside of all category sets, which are the last cell.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag.ensemble.flat_trees import flat_nodes
from mddag.ensemble.nodes import Nodes, TreeBuilder, categories_of

Codes = NDArray[np.uint32]
# From two children to a split: those of the cells left of a number go left, and NaN where it says
Split = Callable[[int, int, int, int, bool], int]


def step_function(trees: Sequence[Nodes], votes: Sequence[NDArray[np.float64]]) -> Nodes:
    """The sum of trees that read one column, all by thresholds or all by category sets.

    votes : of each tree by leaf code, (n_leaves, width), added in this order
    """
    tree = TreeBuilder()
    splits = trees[0].records
    column = int(splits["feature"][0])

    def leaf(codes: Codes) -> int:
        total = np.zeros(votes[0].shape[1])
        for table, code in zip(votes, codes, strict=True):
            total += table[code]
        return tree.leaf(total)

    by_sets = splits["n_words"][0] > 0
    root = (_by_sets if by_sets else _by_thresholds)(trees, column, tree, leaf)
    return tree.finish(root)


def _by_thresholds(
    trees: Sequence[Nodes], column: int, tree: TreeBuilder, leaf: Callable[[Codes], int]
) -> int:
    records = np.concatenate([each.records for each in trees])
    cuts = np.unique(records["threshold"][records["feature"] >= 0])
    # cuts[i] lies in the cell that ends with it; what is above all cuts is the last cell
    codes = _codes(trees, [*cuts, np.nextafter(cuts[-1], np.inf), np.nan])
    cells, missing = codes[:-1], codes[-1]
    differs = (cells[1:] != cells[:-1]).any(axis=1)
    if not differs.any():
        differs[0] = True  # a cut, for NaN to stand beside
    cells, cuts = cells[np.append(True, differs)], cuts[differs]

    def split(middle: int, low: int, left: int, right: int, missing_left: bool) -> int:
        return tree.split(column, float(cuts[middle - 1]), left, right, missing_left)

    def beside(of_missing: int, last: int) -> int:
        # No number in the last cell is at most the last cut: left of it is NaN alone.
        return tree.split(column, float(cuts[-1]), of_missing, last, True)

    return _halved(cells, missing, leaf, split, beside)


def _by_sets(
    trees: Sequence[Nodes], column: int, tree: TreeBuilder, leaf: Callable[[Codes], int]
) -> int:
    known = np.unique(np.concatenate([categories_of(words) for words in _sets(trees)]))
    outside = 32 * max(len(words) for words in _sets(trees))
    codes = _codes(trees, [*known, outside, np.nan])
    others, missing = codes[-2], codes[-1]
    kinds, kind = np.unique(codes[:-2], axis=0, return_inverse=True)
    inside = np.flatnonzero((kinds != others).any(axis=1))
    members = [known[kind.reshape(-1) == group] for group in inside]

    def split(middle: int, low: int, left: int, right: int, missing_left: bool) -> int:
        of_left = np.concatenate(members[low:middle])
        return tree.nominal_split(column, of_left, left, right, missing_left)

    def beside(of_missing: int, last: int) -> int:
        return tree.nominal_split(column, np.empty(0, np.int64), of_missing, last, True)

    return _halved(np.vstack([kinds[inside], others]), missing, leaf, split, beside)


def _halved(
    cells: Codes,
    missing: Codes,
    leaf: Callable[[Codes], int],
    split: Split,
    beside: Callable[[int, int], int],
) -> int:
    """The root of a tree that finds the cell, the leaves of all trees there being `cells`
    (n_cells, n_trees); NaN has the leaves `missing` (n_trees,)."""
    alike = np.flatnonzero((cells == missing).all(axis=1))
    last = len(cells) - 1
    of_missing = int(alike[0]) if len(alike) else last

    def found(low: int, high: int) -> int:
        if high - low > 1:
            middle = (low + high) // 2
            left, right = found(low, middle), found(middle, high)
            return split(middle, low, left, right, of_missing < middle)
        own = leaf(cells[low])
        return own if len(alike) or low < last else beside(leaf(missing), own)

    return found(0, len(cells))


def _sets(trees: Sequence[Nodes]) -> list[NDArray[np.uint32]]:
    """The category sets of all splits."""
    return [
        tree.words[record["word"] : record["word"] + record["n_words"]]
        for tree in trees
        for record in tree.records[tree.records["feature"] >= 0]
    ]


def _codes(trees: Sequence[Nodes], values: Sequence[float]) -> Codes:
    """The leaf of every tree at these values of the column, (n_values, n_trees)."""
    narrow = []
    for tree in trees:
        records = tree.records.copy()
        records["feature"] = np.minimum(records["feature"], 0)  # the only column, number 0
        narrow.append(replace(tree, records=records))
    nodes, starts, words, word_starts = flat_nodes(narrow, 1)
    forest = nodes.view(np.uint8), starts, words, word_starts
    codes = np.empty((len(values), len(trees)), np.uint32)
    _core.leaf_codes(forest, np.array(values, float)[:, None], codes, 1)
    return codes
