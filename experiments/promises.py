"""Do the promises of ``sparsify`` hold on fresh rows, and what do they cost?

LightGBM of 500 trees with eight leaves; the rows it has not seen are split anew in each resampling:
10 000 policy rows, the rest for test. Violations are counted on the test rows; of 50 promises made
with confidence 0.9, up to 8 may fail before the binomial 95 % limit is passed. Evaluations are
compared with the fewest of any policy that truly meets the bound, on the test rows, of a sweep of
the same solver over all policy rows.

    python experiments/promises.py [--data DIR] [--resamplings 50] [--only electricity]
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from lightgbm import LGBMClassifier
from scipy.stats import binom

import mddag
from mddag.ordering import Correlation
from mddag.solvers import Margin, Portfolio, Residual

RESULTS = Path(__file__).parent / "results" / "promises.csv"
N_POLICY = 10_000
PROMISES = {"max_loss": 0.005, "max_disagreement": 0.01}
CONFIDENCE = 0.9
N_COMPARED = 10  # resamplings whose evaluations are compared with the best
BETAS = np.geomspace(1e-5, 1e-2, 25)
# Without descent: fifty resamplings of three data sets take minutes instead of hours.
SOLVER = Portfolio(members=(Margin(), Residual()), orderings=(Correlation(),))


def data(name: str, folder: str) -> tuple[Any, Any, int]:
    """X, y in random order and the number of rows for the model."""
    sys.path.insert(0, folder)
    import load

    if name == "adult":
        frame = load.adult()
        target = next(c for c in frame if frame[c].astype(str).str.contains(">50K").any())
        y = frame[target].astype(str).str.contains(">50K").to_numpy()
        frame = frame.drop(columns=[target, "is_test"])
        columns = [frame[c] if frame[c].dtype.kind in "if" else _codes(frame[c]) for c in frame]
        X, n_model = np.column_stack(columns).astype(float), 18_000
    elif name == "letter":
        X, letters, _ = load.letter()
        y, n_model = letters >= 13, 6_000
    else:
        X, y = load.electricity()
        n_model = 15_000
    order = np.random.default_rng(0).permutation(len(y))
    return np.asarray(X, float)[order], np.asarray(y, int)[order], n_model


def _codes(column: Any) -> Any:
    return column.astype("category").cat.codes


def harms(labels: Any, full: Any, y: Any) -> dict[str, float]:
    """What is promised to be small, on these rows."""
    return {
        "max_loss": float(np.mean(labels != y) - np.mean(full != y)),
        "max_disagreement": float(np.mean(labels != full)),
    }


def resampled(
    ensemble: mddag.Ensemble, X: Any, y: Any, full: Any, knob: str, seed: int
) -> dict[str, float]:
    """One promise, made on some rows and looked at on the others."""
    order = np.random.default_rng(seed).permutation(len(y))
    policy, test = order[:N_POLICY], order[N_POLICY:]
    settings = {"solver": SOLVER, "random_state": seed}
    bound = {knob: PROMISES[knob]}
    fast = mddag.sparsify(ensemble, X[policy], y[policy], **bound, **settings)
    return {
        "harm": harms(fast.predict(X[test]), full[test], y[test])[knob],
        "evaluations": float(fast.n_evaluated(X[test]).mean()),
        "best_evaluations": np.nan if seed >= N_COMPARED else fewest(
            ensemble, X, y, full, policy, test, knob, settings
        ),
    }  # fmt: skip


def fewest(
    ensemble: mddag.Ensemble, X: Any, y: Any, full: Any, policy: Any, test: Any, knob: str,
    settings: dict[str, Any],
) -> float:  # fmt: skip
    """Evaluations of the best policy of a sweep that meets the bound on the test rows."""
    taught = y[policy] if knob == "max_loss" else full[policy]
    curve = mddag.sweep(ensemble, X[policy], taught, betas=BETAS, **settings)
    best = float(ensemble.n_classifiers)
    for one in {p.actions.tobytes(): p for p in curve.policies}.values():
        run = mddag.compile(ensemble, one).run(X[test])
        if harms(ensemble.labels(run.scores), full[test], y[test])[knob] <= PROMISES[knob]:
            best = min(best, float(run.n_evaluated.mean()))
    return best


def main(folder: str, names: list[str], n_resamplings: int) -> None:
    limit = int(binom.ppf(0.95, n_resamplings, 1 - CONFIDENCE))
    rows = []
    for name in names:
        X, y, n_model = data(name, folder)
        model = LGBMClassifier(n_estimators=500, num_leaves=8, n_jobs=1, verbose=-1)
        ensemble = mddag.as_ensemble(model.fit(X[:n_model], y[:n_model]))
        X, y = X[n_model:], y[n_model:]
        full = ensemble.labels(ensemble.scores(X))
        for knob, bound in PROMISES.items():
            found = []
            for seed in range(n_resamplings):
                found.append(resampled(ensemble, X, y, full, knob, seed))
                rows.append({"data": name, "knob": knob, "bound": bound, "seed": seed} | found[-1])
                write(rows)
            violations = sum(f["harm"] > bound for f in found)
            compared = found[:N_COMPARED]
            ratio = np.mean([f["evaluations"] / f["best_evaluations"] for f in compared])
            print(
                f"{name:12} {knob}={bound}: {violations} of {n_resamplings} violated (limit "
                f"{limit}), mean harm {np.mean([f['harm'] for f in found]):.4f}, "
                f"{np.mean([f['evaluations'] for f in found]):.1f} evaluations, "
                f"{ratio:.2f} of the best",
                flush=True,
            )


def write(rows: list[dict[str, Any]]) -> None:
    RESULTS.parent.mkdir(exist_ok=True)
    with RESULTS.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(
            {k: round(v, 5) if isinstance(v, float) else v for k, v in r.items()} for r in rows
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default=os.environ.get("MDDAG_DATA"))
    parser.add_argument("--only", nargs="*", default=["electricity", "adult", "letter"])
    parser.add_argument("--resamplings", type=int, default=50)
    given = parser.parse_args()
    if not given.data:
        sys.exit("name the folder of the data: --data, or the environment variable MDDAG_DATA")
    warnings.simplefilter("ignore")  # where nothing can be promised, the full ensemble counts
    main(given.data, given.only, given.resamplings)
