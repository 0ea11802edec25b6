"""Read groups: the groups of features that the trees of each base classifier may read."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mddag.ensemble.ensemble import Ensemble
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
