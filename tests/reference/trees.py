"""Trees in plain Python: one row down one tree, sums of votes in integers, and faulty nodes."""

import math

import numpy as np

from mddag.ensemble.nodes import categories_of

# Twin of native/ensemble/trees.hpp: one row down one tree, written to be read.


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


# Twin of native/blocks/run/forest.hpp: integer sums, one row down one tree at a time.


def vote(ensemble, fixed, j, row):
    """h_j(row) in units of the fixed point, a list of K integers."""
    tables, total = ensemble.tables, [0] * ensemble.n_scores
    for t in range(tables.rounds[j], tables.rounds[j + 1]):
        leaf, start = leaf_code(ensemble.tree(t), row), tables.starts[t]
        if tables.score[t] >= 0:
            total[tables.score[t]] += int(fixed.values[start + leaf])
            continue
        for k in range(ensemble.n_scores):
            total[k] += int(fixed.values[start + leaf * ensemble.n_scores + k])
    return total


def sums(ensemble, fixed, X):
    """bias + all votes of every row, lists of K integers."""
    result = []
    for row in X:
        total = [int(b) for b in fixed.bias]
        for j in range(ensemble.n_classifiers):
            total = [a + b for a, b in zip(total, vote(ensemble, fixed, j, row), strict=True)]
        result.append(total)
    return result


def cell(edges, n_scores, total):
    """The cell of integer sums, edges being integers too; see rollout.py."""
    if n_scores == 1:
        return sum(edge < total[0] for edge in edges)
    top = total.index(max(total))
    margin = total[top] - max(total[:top] + total[top + 1 :])
    return top * (len(edges) + 1) + sum(edge < margin for edge in edges)


def run(ensemble, policy, fixed, X):
    """Every row through the jump table: sums and exit steps."""
    edges = [int(edge) for edge in fixed.edges(policy.grid.edges)]
    jumps, _ = policy.native
    sums, exits = [], []
    for row in X:
        total, exit_step = [int(b) for b in fixed.bias], 0
        j = jumps[0, cell(edges, ensemble.n_scores, total)]
        while j < policy.n_steps:
            h = vote(ensemble, fixed, policy.order[j], row)
            total = [a + b for a, b in zip(total, h, strict=True)]
            exit_step = int(j) + 1
            j = jumps[j + 1, cell(edges, ensemble.n_scores, total)]
        sums.append(total)
        exits.append(exit_step)
    return sums, exits


# The specification of native/ensemble/tree_fault.hpp: the first node that is wrong, and how.


def first_fault(records, n_leaves, n_words):
    """(fault, node): 0 none, 1 child, 2 shared, 3 set, 4 code, 5 votes, 6 orphan, 7 threshold."""
    records = [dict(zip(records.dtype.names, r, strict=True)) for r in records.tolist()]
    children, codes = [], []
    for i, node in enumerate(records):
        if i > 0 and i not in children:
            return 6, i
        if math.isnan(node["threshold"]):
            return 7, i
        if node["feature"] < 0:
            if node["left"] not in range(n_leaves) or node["left"] in codes:
                return 4, i
            codes.append(node["left"])
            continue
        for side in ("left", "right"):
            if node[side] not in range(i + 1, len(records)):
                return 1, i
            if node[side] in children:
                return 2, i
            children.append(node[side])
        if node["n_words"] and not (
            0 < node["n_words"] < 2**24 and 0 <= node["word"] <= n_words - node["n_words"]
        ):
            return 3, i
    return (5 if len(codes) < n_leaves else 0), len(records)
