"""Read groups: the groups of features that trees read, as wholes and on the way to each leaf.

    read_groups(j)     = groups of all splits of base classifier j
    groups_by_leaf(l)  = groups of the splits between the root and leaf l

A row reads the groups on its own way; what a whole base classifier may read is known before the row
begins with it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.votes import starts_of
from mddag.features.prices import FeaturePrices


def read_groups(prices: FeaturePrices, ensemble: Ensemble) -> NDArray[np.bool_]:
    """The groups that the trees of each base classifier read, (N, G)."""
    feature, tables = ensemble.nodes["feature"], ensemble.tables
    tree = np.repeat(np.arange(ensemble.n_trees), np.diff(ensemble.starts))
    classifier = np.repeat(np.arange(len(ensemble)), np.diff(tables.rounds))
    buys = np.zeros((len(ensemble), prices.n_groups), bool)
    split = feature >= 0
    group = prices.group_of(ensemble.n_features)
    buys[classifier[tree[split]], group[feature[split]]] = True
    return buys


def groups_by_leaf(prices: FeaturePrices, ensemble: Ensemble) -> NDArray[np.bool_]:
    """The groups on the way to each leaf, (n_leaves, G), by leaf code, tree behind tree."""
    nodes, group = ensemble.nodes, prices.group_of(ensemble.n_features)
    starts = starts_of(ensemble.tables.n_leaves)
    found = np.zeros((starts[-1], prices.n_groups), bool)
    at, tree = ensemble.starts[:-1], np.arange(ensemble.n_trees)
    read = np.zeros((len(at), prices.n_groups), bool)
    while len(at):  # level by level
        inner = nodes["feature"][at] >= 0
        found[starts[tree[~inner]] + nodes["left"][at[~inner]]] = read[~inner]
        at, tree, read = at[inner], tree[inner], read[inner]
        read[np.arange(len(at)), group[nodes["feature"][at]]] = True
        first = ensemble.starts[tree]
        at = np.concatenate([first + nodes["left"][at], first + nodes["right"][at]])
        tree, read = np.tile(tree, 2), np.tile(read, (2, 1))
    return found
