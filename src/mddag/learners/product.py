"""Product: h_k(x) = prod_m v_k^(m) phi^(m)(x), a product of stumps.

Kégl & Busa-Fekete, "Boosting products of base classifiers" (ICML 2009). All terms start as +1; in
turn each is replaced by the best stump for the targets times the other terms, until a whole cycle
no longer raises the edge. The product is handed over as a tree that reads every distinct stump.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import cycle
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from mddag._internal.parameters import Parameters
from mddag.ensemble.nodes import NODE, Nodes
from mddag.learners._splits import best_stump, signed_weights
from mddag.learners.columns import Columns


@dataclass
class Product(Parameters):
    """A product of at most `n_terms` stumps (1 to 8)."""

    n_terms: int = 2

    def fit(
        self, columns: Columns, targets: NDArray[np.int8], weights: NDArray[np.float64]
    ) -> Nodes:
        """See `Learner.fit`."""
        number = isinstance(self.n_terms, Integral) and not isinstance(self.n_terms, bool)
        if not number or not 1 <= self.n_terms <= 8:
            raise ValueError(f"n_terms is {self.n_terms!r}; wanted a whole number from 1 to 8")
        q = signed_weights(targets, weights)
        terms = [_constant(targets.shape[1])] * self.n_terms
        votes = np.ones((self.n_terms, *targets.shape), np.int8)
        edge, stale = -1, 0  # so that the first stump is always taken
        for m in cycle(range(self.n_terms)):
            others = np.delete(votes, m, axis=0).prod(axis=0, dtype=np.int8)
            stump = best_stump(columns, targets * others, weights)
            vote = stump.votes.astype(np.int8)[columns.leaf_codes(stump)]
            reached = int((q * (others * vote)).sum())
            if reached > edge:
                edge, terms[m], votes[m], stale = reached, stump, vote, 0
            else:
                stale += 1
            if stale == self.n_terms:
                break
        return _parity_tree(terms)


def _constant(n_classes: int) -> Nodes:
    return Nodes(np.array([(0.0, -1, 0, -1, 0, 0, False)], NODE), np.ones((1, n_classes)))


def _parity_tree(terms: list[Nodes]) -> Nodes:
    """The full tree with one level per distinct split; a leaf votes the product of the terms."""
    stumps = [term for term in terms if len(term.records) > 1]
    splits = [(stump.records[:1].tobytes(), stump.words.tobytes()) for stump in stumps]
    levels = list(dict.fromkeys(splits))
    path = np.arange(2 ** len(levels))  # of a leaf: one bit per level, set where it goes right
    votes = np.ones((len(path), terms[0].votes.shape[1]))
    for term in terms:
        if len(term.records) == 1:
            votes *= term.votes[0]
    for stump, split in zip(stumps, splits, strict=True):
        went_right = path >> (len(levels) - 1 - levels.index(split)) & 1
        votes *= stump.votes[went_right]
    records = np.zeros(2 ** (len(levels) + 1) - 1, NODE)
    n_splits, n_words, words = len(path) - 1, 0, []
    for level, split in enumerate(levels):
        here = slice(2**level - 1, 2 ** (level + 1) - 1)
        stump = stumps[splits.index(split)]
        records[here] = stump.records[0]
        records["word"][here] = n_words if len(stump.words) else 0
        n_words += len(stump.words)
        words.append(stump.words)
    places = np.arange(n_splits)
    records["left"][:n_splits], records["right"][:n_splits] = 2 * places + 1, 2 * places + 2
    records["feature"][n_splits:], records["right"][n_splits:] = -1, -1
    records["left"][n_splits:] = path
    return Nodes(records, votes, np.concatenate([np.empty(0, np.uint32), *words]))
