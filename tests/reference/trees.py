"""Twin of native/ensemble/trees.hpp: one row down one tree, written to be read."""

import math

import numpy as np

from mddag.ensemble.nodes import categories_of


def goes_left(node, words, value):
    if math.isnan(value):
        return bool(node["missing_left"])
    if node["n_words"] > 0:
        start = node["word"]
        members = categories_of(words[start : start + node["n_words"]]).tolist()
        return math.isfinite(value) and value > -1 and math.trunc(value) in members
    return value <= node["threshold"]


def leaf_code(tree, row):
    """The code of the leaf that `row` reaches in `tree` (a Nodes)."""
    node = tree.records[0]
    while node["feature"] >= 0:
        left = goes_left(node, tree.words, float(row[node["feature"]]))
        node = tree.records[node["left"] if left else node["right"]]
    return int(node["left"])


def n_comparisons(tree, row):
    """How many nodes `row` is compared at in `tree`."""
    node, n = tree.records[0], 0
    while node["feature"] >= 0:
        left = goes_left(node, tree.words, float(row[node["feature"]]))
        node, n = tree.records[node["left"] if left else node["right"]], n + 1
    return n


def leaf_codes(ensemble, X):
    return np.array(
        [[leaf_code(ensemble.tree(t), row) for t in range(ensemble.n_trees)] for row in X]
    )


def votes(ensemble, X):
    """h_j(x_i), (n, N, K)."""
    tables = ensemble.tables
    dense = np.zeros((len(X), ensemble.n_classifiers, ensemble.n_scores))
    for i, row in enumerate(X):
        for j in range(ensemble.n_classifiers):
            for t in range(tables.rounds[j], tables.rounds[j + 1]):
                vote = ensemble.tree(t).votes[leaf_code(ensemble.tree(t), row)]
                if tables.score[t] < 0:
                    dense[i, j] += vote
                else:
                    dense[i, j, tables.score[t]] += vote[0]
    return dense


def scores(ensemble, X):
    """bias + every tree's vote, added one by one in the order of the trees."""
    result = np.tile(ensemble.bias, (len(X), 1))
    for i, row in enumerate(X):
        for t in range(ensemble.n_trees):
            vote = ensemble.tree(t).votes[leaf_code(ensemble.tree(t), row)]
            k = ensemble.tables.score[t]
            if k < 0:
                result[i] += vote
            else:
                result[i, k] += vote[0]
    return result
