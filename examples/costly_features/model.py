"""A model that buys: trees that read one group each, the cheap groups first, quitting when sure.

With the trees sorted by group, a group is paid at its first tree, so an ordinary policy with a
price for each base classifier knows what buying costs.
"""

from __future__ import annotations

import numpy as np
from examples.costly_features.applicants import PRICES, WAVE_COST, applicants, groups
from sklearn.ensemble import HistGradientBoostingClassifier

import mddag
from mddag.dag.purchases import read_groups
from mddag.features.prices import FeaturePrices
from mddag.ordering import Given
from mddag.serving.predictor import Predictor
from mddag.solvers import Descent


def buying_model(n_rows: int = 12_000, beta: float = 0.004) -> Predictor:
    """Trained, learned and priced."""
    X, y = applicants(n_rows)
    train, policy = slice(0, n_rows // 3), slice(n_rows // 3, None)
    boost = HistGradientBoostingClassifier(
        max_iter=60, max_leaf_nodes=8, interaction_cst=list(groups().values()), random_state=0
    ).fit(X[train], y[train])
    ensemble = mddag.as_ensemble(boost)
    prices = FeaturePrices.of(ensemble.features, PRICES, groups(), WAVE_COST)
    group = read_groups(prices, ensemble).argmax(axis=1)  # interaction_cst: there is one
    by_price = np.argsort(prices.costs[group], kind="stable")
    first = np.append(True, np.diff(group[by_price]) != 0)
    cost = np.where(first, prices.costs[group[by_price]] + WAVE_COST, 0.0)
    sorted_trees = ensemble.reordered(by_price).with_cost(cost)
    dag = mddag.MDDAGClassifier(
        sorted_trees,
        beta=beta,
        solver=Descent(n_starts=0, n_cells=16, z=1.0, random_state=0),
        ordering=Given(),
        actions=("eval", "quit"),
        random_state=0,
    ).fit(X[policy], y[policy])
    return dag.with_prices(PRICES, groups(), WAVE_COST).predictor()
