"""A model that buys: gradient boosting, made by ``mddag.acquire`` into a DAG that knows prices."""

from __future__ import annotations

from sklearn.ensemble import HistGradientBoostingClassifier

import mddag
from examples.costly_features.applicants import PRICES, WAVE_COST, applicants, groups
from mddag.serving.predictor import Predictor


def buying_model(n_rows: int = 8000, beta: float = 0.004, max_iter: int = 60) -> Predictor:
    """Half of the rows train, the others decide what buying is worth: beta in units of error."""
    X, y = applicants(n_rows)
    train, policy = slice(0, n_rows // 2), slice(n_rows // 2, None)
    boost = HistGradientBoostingClassifier(max_iter=max_iter, max_leaf_nodes=8, random_state=0)
    boost.fit(X[train], y[train])
    return mddag.acquire(
        boost,
        X[policy],
        y[policy],
        feature_costs=PRICES,
        feature_groups=groups(),
        wave_cost=WAVE_COST,
        X_train=X[train],
        y_train=y[train],
        beta=beta,
    ).predictor()
