"""Twin of ensemble/merging.py: the sum of the trees of one column, tree by tree, at one value."""

import numpy as np

from tests.reference import trees as reference


def columns_of(tree):
    """The columns that a tree reads, and whether by category sets."""
    return {(int(r["feature"]), bool(r["n_words"] > 0)) for r in tree.records if r["feature"] >= 0}


def step_functions(ensemble):
    """The trees of each column, where they are several and read nothing else."""
    groups = {}
    for t in range(ensemble.n_trees):
        read = columns_of(ensemble.tree(t))
        if len(read) == 1:
            groups.setdefault(read.pop(), []).append(t)
    return {column: trees for column, trees in groups.items() if len(trees) > 1}


def vote(ensemble, trees, row):
    """What some trees vote together on a row, (K,)."""
    total = np.zeros(ensemble.n_scores)
    for t in trees:
        tree = ensemble.tree(t)
        own = tree.votes[reference.leaf_code(tree, row)]
        if ensemble.tables.score[t] < 0:
            total += own
        else:
            total[ensemble.tables.score[t]] += own[0]
    return total
