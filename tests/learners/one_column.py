"""A learner in plain Python: the best cut of one given column, found by looking at every row."""

from dataclasses import dataclass

import numpy as np

from mddag.ensemble.nodes import TreeBuilder


@dataclass
class OneColumn:
    column: int = 0

    def fit(self, columns, targets, weights):
        """The cut with the largest sum_k |edge_k|; see mddag.learners.Learner."""
        codes, edges = columns.codes[self.column], []
        for cut in range(columns.n_codes[self.column]):
            phi = np.where(codes <= cut, -1.0, 1.0)
            edges.append(phi @ (weights * targets))
        cut = int(np.abs(edges).sum(axis=1).argmax())
        v = np.where(edges[cut] >= 0, 1.0, -1.0)
        tree = TreeBuilder()
        left, right = tree.leaf(-v), tree.leaf(v)
        threshold = columns.threshold(self.column, cut)
        root = tree.split(self.column, threshold, left, right, missing_left=False)
        return tree.finish(root)
