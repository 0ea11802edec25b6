"""Nodes: one tree as flat records, and the concatenated arrays of many trees.

There is one split rule: ``x <= threshold`` goes left, NaN goes left if ``missing_left``; a nominal
split sends the categories of its set left. Children follow their parent in the array, so a tree
cannot loop. Kernels do not check what they read, so every tree is checked here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mddag import _core
from mddag._utils.arrays import read_only
from mddag._utils.checks import as_floats, typed
from mddag.ensemble.votes import Tables, check_scores, starts_of

NODE = np.dtype(
    [
        ("threshold", np.float64),
        ("feature", np.int32),  # -1 at a leaf
        ("left", np.int32),  # child, counted from the root; at a leaf, the leaf code
        ("right", np.int32),
        ("word", np.int32),  # nominal split: where its category set begins in `words`
        ("n_words", np.int32),  # nominal split: length of the set; 0 means a numeric split
        ("missing_left", np.bool_),
    ],
    align=True,
)
MOST_WORDS = 2**24  # more than any set of a nominal split has
_FLOAT64, _UINT32 = np.dtype(np.float64), np.dtype(np.uint32)


@dataclass(frozen=True, eq=False)
class Nodes:
    """One tree."""

    records: NDArray[np.void]  # (n_nodes,), the root first, every child after its parent
    votes: NDArray[np.float64]  # (n_leaves, width), one row per leaf code
    # (n_words,), category sets of nominal splits as bits
    words: NDArray[np.uint32] = field(default_factory=lambda: np.empty(0, np.uint32))

    def __post_init__(self) -> None:
        _check_array("records", self.records, NODE, 1)
        _check_array("votes", self.votes, _FLOAT64, 2)
        _check_array("words", self.words, _UINT32, 1)
        if len(self.records) == 0:
            raise ValueError("records are empty; wanted at least one node, a leaf that votes alone")
        fault, i = _core.tree_fault(self.records.view(np.uint8), len(self.votes), len(self.words))
        if fault:
            raise ValueError(self._described(fault, i))

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return len(self.votes)

    def _described(self, fault: int, i: int) -> str:
        """Describe what is wrong with node i; faults are numbered as in tree_fault.hpp."""
        last = len(self.records) - 1
        if fault == 5:
            n_found = int((self.records["feature"] < 0).sum())
            return (
                f"votes have {self.n_leaves} rows, but the tree has {n_found} leaves; "
                "wanted one row for each leaf"
            )
        threshold, _, left, right, word, n_words, _ = self.records[i].item()
        return {
            1: f"node {i} has the children {left} and {right}; "
            f"wanted nodes after it, in {i + 1}..{last}",
            2: f"node {i} has the children {left} and {right}, "
            "one of which has a parent already; each node must be used once",
            3: f"node {i} reads {n_words} words from word {word} on; "
            f"wanted a set among the tree's {len(self.words)} words, of fewer than {MOST_WORDS}",
            4: f"node {i} is a leaf of code {left}; "
            f"wanted each of 0..{self.n_leaves - 1}, the rows of votes, at one leaf",
            6: f"node {i} is no child of another node; wanted one tree, whose root is node 0",
            7: f"node {i} has the threshold {threshold}; wanted a number, whatever the node is",
        }[fault]


def _check_array(name: str, array: NDArray[Any], dtype: np.dtype[Any], n_dims: int) -> None:
    if not isinstance(array, np.ndarray):
        raise TypeError(f"{name} is {typed(array)}; wanted a numpy array")
    in_order = array.flags.c_contiguous and array.flags.aligned
    if array.dtype != dtype or array.ndim != n_dims or not in_order:
        order = "C-contiguous" if array.flags.c_contiguous else "not C-contiguous"
        order += "" if array.flags.aligned else ", not aligned"
        kind = "NODE" if dtype is NODE else str(dtype)
        raise ValueError(
            f"{name} is {array.dtype} {array.shape}, {order}; "
            f"wanted C-contiguous {kind} with {n_dims} dimension(s)"
        )


class TreeBuilder:
    """A tree under construction: splits and leaves in any order, then ``finish``."""

    def __init__(self) -> None:
        self._records: list[tuple[float, int, int, int, int, int, bool]] = []
        self._votes: list[NDArray[np.float64]] = []
        self._words: list[NDArray[np.uint32]] = []
        self._n_words = 0

    def leaf(self, votes: NDArray[np.float64]) -> int:
        """Add a leaf that votes `votes` (width,) and return its node number."""
        self._votes.append(np.atleast_1d(np.asarray(votes, np.float64)))
        return self._add((0.0, -1, len(self._votes) - 1, -1, 0, 0, False))

    def split(
        self, feature: int, threshold: float, left: int, right: int, missing_left: bool
    ) -> int:
        """Add a numeric split over the nodes `left` and `right` and return its node number."""
        return self._add((threshold, feature, left, right, 0, 0, missing_left))

    def nominal_split(
        self, feature: int, categories: NDArray[np.int64], left: int, right: int, missing_left: bool
    ) -> int:
        """Add a split that sends `categories` left and return its node number."""
        words = category_words(categories)
        start, self._n_words = self._n_words, self._n_words + len(words)
        self._words.append(words)
        return self._add((0.0, feature, left, right, start, len(words), missing_left))

    def finish(self, root: int) -> Nodes:
        """Return the tree below node `root`, renumbered so that children follow their parent."""
        order = [root]
        for at in order:  # breadth first: the list grows while it is read
            _, feature, left, right, *_ = self._records[at]
            if feature >= 0:
                order += [left, right]
        if len(set(order)) != len(order):
            raise ValueError("a node has two parents; each node must be used once")
        place = {at: i for i, at in enumerate(order)}
        records = np.array([self._records[at] for at in order], dtype=NODE)
        votes = []
        for record in records:
            if record["feature"] < 0:
                votes.append(self._votes[record["left"]])
                record["left"] = len(votes) - 1
            else:
                record["left"] = place[int(record["left"])]
                record["right"] = place[int(record["right"])]
        words = np.concatenate(self._words) if self._words else np.empty(0, np.uint32)
        return Nodes(records, np.array(votes), words)

    def _add(self, record: tuple[float, int, int, int, int, int, bool]) -> int:
        self._records.append(record)
        return len(self._records) - 1


def category_words(categories: NDArray[np.int64]) -> NDArray[np.uint32]:
    """Return the set of `categories` (each >= 0) as bits of 32-bit words."""
    categories = np.asarray(categories, np.int64)
    bad = np.flatnonzero((categories < 0) | (categories >= 32 * (MOST_WORDS - 1)))
    if len(bad):
        raise ValueError(
            f"category {categories[bad[0]]} cannot be in a set; wanted numbers from 0 to "
            f"{32 * (MOST_WORDS - 1) - 1}: encode categories as 0, 1, 2, …"
        )
    n_words = 1 + (int(categories.max()) // 32 if len(categories) else 0)
    words = np.zeros(n_words, np.uint32)
    bits = np.uint32(1) << (categories % 32).astype(np.uint32)
    np.bitwise_or.at(words, categories // 32, bits)
    return words


def categories_of(words: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Return the categories in a set; the inverse of `category_words`."""
    bits = (words[:, None] >> np.arange(32, dtype=np.uint32)) & np.uint32(1)
    return np.flatnonzero(bits.ravel()).astype(np.int64)


def flat_nodes(
    trees: Sequence[Nodes], n_features: int
) -> tuple[NDArray[np.void], NDArray[np.int64], NDArray[np.uint32], NDArray[np.int64]]:
    """Return nodes, starts, words and word starts of all trees, as an Ensemble holds them."""
    bad = next((t for t, tree in enumerate(trees) if not isinstance(tree, Nodes)), None)
    if bad is not None:
        raise TypeError(f"trees[{bad}] is {typed(trees[bad])}; wanted Nodes")
    # As bytes: numpy compares the types of records field by field, for every tree.
    nodes = _joined([tree.records.view(np.uint8) for tree in trees], np.uint8).view(NODE)
    starts = starts_of([len(tree.records) for tree in trees])
    if nodes["feature"].max(initial=-1) >= n_features:
        at = int(np.argmax(nodes["feature"] >= n_features))
        t = int(np.searchsorted(starts, at, side="right")) - 1
        raise ValueError(
            f"tree {t} splits column {nodes['feature'][at]} (node {at - starts[t]}), but there are "
            f"{n_features} features; columns must lie in 0..{n_features - 1}"
        )
    words = _joined([tree.words for tree in trees], np.uint32)
    return nodes, starts, words, starts_of([len(tree.words) for tree in trees])


def flat_tables(
    trees: Sequence[Nodes],
    bias: ArrayLike,
    score: ArrayLike | None = None,
    rounds: ArrayLike | None = None,
) -> Tables:
    """Return the votes of all trees; `score` and `rounds` are as for ``Ensemble.from_trees``."""
    checked_bias = np.atleast_1d(as_floats("bias", bias, "one finite number for each score, (K,)"))
    if checked_bias.ndim != 1 or checked_bias.size == 0 or not np.isfinite(checked_bias).all():
        raise ValueError(
            f"bias is {checked_bias.tolist()}; wanted one finite number for each score, (K,)"
        )
    widths = np.array([tree.votes.shape[1] for tree in trees], np.intp)
    tables = Tables(
        values=_joined([tree.votes.ravel() for tree in trees], np.float64),
        starts=starts_of([tree.votes.size for tree in trees]),
        score=_checked_score(score, widths, len(checked_bias)),
        rounds=_checked_rounds(rounds, len(trees)),
        bias=read_only(checked_bias, np.float64),
    )
    if not np.isfinite(tables.values).all():
        at = int(np.argmin(np.isfinite(tables.values)))
        t = int(np.searchsorted(tables.starts, at, side="right")) - 1
        code = (at - tables.starts[t]) // widths[t]
        raise ValueError(
            f"tree {t} votes {tables.values[at]} (leaf code {code}); votes must be finite"
        )
    return tables


def _joined(parts: list[NDArray[Any]], dtype: Any) -> NDArray[Any]:
    """Concatenate the parts into a copy."""
    return np.concatenate(parts) if parts else np.empty(0, dtype)


def _checked_score(
    score: ArrayLike | None, widths: NDArray[np.intp], n_scores: int
) -> NDArray[np.int32]:
    if score is None:
        score = np.where((widths == n_scores) & (n_scores > 1), -1, 0)
    array = _whole_numbers("score", score, f"one for each of {len(widths)} trees")
    if array.shape != widths.shape:
        raise ValueError(
            f"score has shape {array.shape}; wanted one number for each tree, ({len(widths)},)"
        )
    check_scores(array, n_scores)
    wanted = np.where(array < 0, n_scores, 1)
    bad = np.flatnonzero(widths != wanted)
    if len(bad):
        t = int(bad[0])
        what = f"all {n_scores} scores" if array[t] < 0 else f"score {array[t]} of {n_scores}"
        raise ValueError(
            f"tree {t} has votes of width {widths[t]}, but votes for {what}; "
            f"wanted width {wanted[t]}"
        )
    return read_only(array, np.int32)


def _checked_rounds(rounds: ArrayLike | None, n_trees: int) -> NDArray[np.int64]:
    if rounds is None:
        return read_only(np.arange(n_trees + 1), np.int64)
    array = _whole_numbers("rounds", rounds, f"rising from 0 to {n_trees}")
    if array.ndim != 1 or array.size == 0 or array[0] != 0 or array[-1] != n_trees:
        raise ValueError(
            f"rounds are {np.array2string(array, threshold=6)}; wanted numbers rising from 0 to "
            f"{n_trees}, the number of trees: h_j is the sum of trees rounds[j] .. rounds[j + 1]"
        )
    falls = np.flatnonzero(array[1:] < array[:-1])
    if len(falls):
        j = int(falls[0])
        raise ValueError(
            f"rounds fall from {array[j]} to {array[j + 1]} (base classifier {j}); "
            "wanted numbers that never fall"
        )
    return read_only(array, np.int64)


def _whole_numbers(name: str, numbers: ArrayLike, wanted: str) -> NDArray[Any]:
    array: NDArray[Any] = np.asarray(numbers)
    if array.size and array.dtype.kind not in "iu":
        raise ValueError(f"{name} is {array.dtype}; wanted whole numbers, {wanted}")
    return array
