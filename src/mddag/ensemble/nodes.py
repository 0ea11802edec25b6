"""Nodes: one tree as flat records, the form in which learners and adapters hand over a tree.

There is one split rule: ``x <= threshold`` goes left, NaN goes left if ``missing_left``; a nominal
split sends the categories of its set left. Children follow their parent in the array, so a tree
cannot loop. Kernels do not check what they read, so every tree is checked here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag._utils.checks import typed

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
            f"wanted nodes behind it, in {i + 1}..{last}",
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
