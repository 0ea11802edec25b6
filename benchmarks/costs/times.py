"""How long ``acquire`` takes: processor seconds on one thread, with 5 and with 50 groups.

    python -m benchmarks.costs.times

20 000 rows of made-up data, half of which train a LightGBM of 100 trees and the models of sets.
Written to benchmarks/results/costs/times.csv: seconds in all, those of training a model for each
set, and the rest, which is training again for cross-fitted scores, and learning policies.
"""

from __future__ import annotations

import time

import lightgbm as lgb
import numpy as np
from sklearn.datasets import make_classification

import mddag
from benchmarks.places import RESULTS
from benchmarks.table import written
from mddag.acquisition.front import SetFront
from mddag.acquisition.models import SetModels
from mddag.acquisition.rows import SplitRows
from mddag.ensemble.feature_prices import FeaturePrices
from mddag.tuning.targets import MaxLoss

N_ROWS = 20_000
SETTINGS = {"n_estimators": 100, "n_jobs": 1, "verbose": -1, "random_state": 0}
FIELDS = ("groups", "models", "rows", "seconds", "training", "beyond")


def main() -> None:
    rows = [measured(n_groups) for n_groups in (5, 50)]
    written(RESULTS / "costs" / "times.csv", FIELDS, rows)


def measured(n_groups: int) -> dict[str, object]:
    """A bound on the loss, estimated: it needs policies at many prices."""
    X, y = make_classification(
        N_ROWS, 100, n_informative=40, n_redundant=10, flip_y=0.05, random_state=0
    )
    half = N_ROWS // 2
    model = lgb.LGBMClassifier(**SETTINGS).fit(X[:half], y[:half])
    ensemble = mddag.as_ensemble(model)
    groups = {f"g{g}": list(range(g, 100, n_groups)) for g in range(n_groups)}
    costs = {name: 1.0 + g % 5 for g, name in enumerate(groups)}
    prices = FeaturePrices.of(ensemble.features, costs, groups)
    began = time.process_time()
    parts = (X[half:], y[half:], X[:half], y[:half])
    given = SplitRows(model, ensemble, *parts, np.random.RandomState(0))
    found = SetFront.learned(given, prices, np.empty(0, np.intp))
    MaxLoss(0.005, confidence=None).choose(found)
    in_all = time.process_time() - began
    began = time.process_time()
    SetModels.trained(given, found.models.sets, 0)
    training = time.process_time() - began
    numbers = {"seconds": in_all, "training": training, "beyond": in_all - training}
    row = {"groups": n_groups, "models": len(found.models), "rows": N_ROWS}
    row |= {name: round(seconds, 1) for name, seconds in numbers.items()}
    print(row, flush=True)
    return row


if __name__ == "__main__":
    main()
