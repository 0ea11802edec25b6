"""Rows fetched as they are needed: is every answer that of whole rows, and how many calls are made?

    MDDAG_DATA=... python -m benchmarks.costs.fetched [--sets SET ...]

A model of ``mddag.acquire`` for each set at seed 0 is saved, loaded and run on the test rows, whose
groups a function gives when it is asked. Written to benchmarks/results/costs/fetched.csv: rows
whose label, groups or cost differ, calls, and mean rows per call and waves per row.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import lightgbm as lgb
import numpy as np

import mddag
from benchmarks.costs.curves import SETTINGS
from benchmarks.costs.price_lists import NAMES, problem
from benchmarks.places import RESULTS
from benchmarks.table import kept

FIELDS = ("set", "rows", "differ", "groups_bought", "groups", "calls", "rows_per_call", "waves")
MAX_LOSS = 0.005  # as measured on rows held out


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sets", nargs="*", choices=NAMES, default=list(NAMES))
    sets = parser.parse_args().sets
    kept(RESULTS / "costs" / "fetched.csv", FIELDS, (fetched(name) for name in sets))


def fetched(name: str) -> dict[str, object]:
    given = problem(name, 0)
    (X, y), (X_test, _) = given.train, given.test
    model = lgb.LGBMClassifier(**SETTINGS).fit(X, y)
    cheap = mddag.acquire(
        model,
        *given.policy,
        feature_costs=given.costs,
        feature_groups=given.groups,
        X_train=X,
        y_train=y,
        max_loss=MAX_LOSS,
        confidence=None,
    )
    with tempfile.TemporaryDirectory() as folder:
        cheap.save(Path(folder) / "model.mddag")
        served = mddag.load(Path(folder) / "model.mddag")
    columns = dict(zip(served.feature_prices.names, served.feature_prices.columns, strict=True))

    def fetch(group: Any, rows: Any) -> Any:
        return X_test[np.ix_(rows, columns[group])]

    found = served.predict_lazy(fetch, n_rows=len(X_test), return_details=True)
    same = found.predictions == cheap.predict(X_test)
    same &= (found.groups == cheap.groups_bought(X_test)).all(axis=1)
    same &= found.feature_cost == cheap.feature_cost(X_test)
    return {
        "set": name,
        "rows": len(X_test),
        "differ": int((~same).sum()),
        "groups_bought": round(float(found.groups.sum(axis=1).mean()), 2),
        "groups": found.groups.shape[1],
        "calls": found.n_calls,
        "rows_per_call": round(float(found.groups.sum() / max(found.n_calls, 1)), 1),
        "waves": round(float(found.waves.mean()), 2),
    }


if __name__ == "__main__":
    main()
