"""TreeArrays: the trees of a foreign model one behind the other, on their way to an Ensemble.

Readers fill it with whole arrays, not node by node. It has the leaves' training weights, which an
Ensemble has not: their mean vote is the part of a tree that is prior, to be moved into the bias.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mddag.ensemble.nodes import NODE, Nodes
from mddag.ensemble.votes import starts_of

NO_WORDS = np.empty(0, np.uint32)


@dataclass(frozen=True, eq=False)
class TreeArrays:
    """Trees laid out flat; the split rule is already ours.

    starts       : int64 (n_trees + 1,), where tree t's nodes begin
    feature      : int (n_nodes,), -1 at a leaf
    threshold    : float64 (n_nodes,)
    left, right  : int (n_nodes,), children counted from the root of their tree
    missing_left : bool (n_nodes,)
    votes        : float64 (n_leaves, width), the leaves in the order of their nodes
    weight       : float64 (n_leaves,), how much of the training rows each leaf holds
    sets         : by node, the words of the category set that a nominal split sends left
    """

    starts: NDArray[np.int64]
    feature: NDArray[np.integer]
    threshold: NDArray[np.float64]
    left: NDArray[np.integer]
    right: NDArray[np.integer]
    missing_left: NDArray[np.bool_]
    votes: NDArray[np.float64]
    weight: NDArray[np.float64]
    sets: dict[int, NDArray[np.uint32]]

    @property
    def n_trees(self) -> int:
        return len(self.starts) - 1

    @property
    def leaf_starts(self) -> NDArray[np.int64]:
        """Where tree t's leaves begin among all leaves, (n_trees + 1,)."""
        return starts_of(self.feature < 0)[self.starts]

    def mean_votes(self) -> NDArray[np.float64]:
        """The weighted mean vote of each tree, (n_trees, width): its prior."""
        first = self.leaf_starts[:-1]
        total = np.add.reduceat(self.weight, first)
        # A tree that saw no weighted row counts its leaves alike.
        idle = np.repeat(total <= 0, np.diff(self.leaf_starts))
        weight = np.where(idle, 1.0, self.weight)
        sums = np.add.reduceat(self.votes * weight[:, None], first, axis=0)
        return np.asarray(sums / np.add.reduceat(weight, first)[:, None])

    def minus(self, votes: NDArray[np.float64]) -> TreeArrays:
        """The same trees, each voting less by its row of `votes` (n_trees, width)."""
        spread = np.repeat(votes, np.diff(self.leaf_starts), axis=0)
        return replace(self, votes=self.votes - spread)

    def trees(self) -> list[Nodes]:
        """The trees as an Ensemble takes them."""
        records, words, word_starts = self._records()
        leaf_starts, trees = self.leaf_starts, []
        for t in range(self.n_trees):
            nodes = records[self.starts[t] : self.starts[t + 1]]
            votes = self.votes[leaf_starts[t] : leaf_starts[t + 1]]
            try:
                trees.append(Nodes(nodes, votes, words[word_starts[t] : word_starts[t + 1]]))
            except ValueError as error:
                raise ValueError(f"tree {t} of the model cannot be read: {error}") from error
        return trees

    def _records(self) -> tuple[NDArray[np.void], NDArray[np.uint32], NDArray[np.int64]]:
        leaf = self.feature < 0
        code = np.cumsum(leaf) - 1 - np.repeat(self.leaf_starts[:-1], np.diff(self.starts))
        n_words = np.zeros(len(self.feature), np.int64)
        for at, words in self.sets.items():
            n_words[at] = len(words)
        word = starts_of(n_words)
        records = np.zeros(len(self.feature), NODE)
        records["threshold"] = np.where(leaf, 0.0, self.threshold)
        records["feature"] = np.where(leaf, -1, self.feature)
        records["left"] = np.where(leaf, code, self.left)
        records["right"] = np.where(leaf, -1, self.right)
        tree_word = np.repeat(word[self.starts[:-1]], np.diff(self.starts))
        records["word"] = np.where(n_words > 0, word[:-1] - tree_word, 0)
        records["n_words"] = n_words
        records["missing_left"] = self.missing_left & ~leaf
        sets = [self.sets[at] for at in sorted(self.sets)]
        return records, np.concatenate(sets) if sets else NO_WORDS, word[self.starts]
