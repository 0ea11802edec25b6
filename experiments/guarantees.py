"""Do the guarantees of ``sparsify`` hold on unseen data, and what do they cost?

LightGBM of 500 trees with eight leaves and the default solver; the rows that the model has not seen
are split again in each resampling: 10,000 policy rows (higgs 5,000), the rest for test. Of 50
guarantees with confidence 0.9, up to 9 may fail before the binomial 95 % limit is exceeded; the
harm on the test rows is noisy, too, and failures beyond that noise are counted separately.
Evaluations are compared with two policies of a sweep of the same solver over all policy rows, both
selected by the test rows themselves:

    best     the fewest evaluations that meet the bound on the test rows
    ideal    the fewest that meet it by the margin that a perfect test would ask for, had it all
             policy rows although they were learned from: z sqrt(share of rows that differ / n)

Rows are appended to results/guarantees.csv; resamplings that are there are not repeated.

    python experiments/guarantees.py [--data DIR] [--resamplings 50] [--only electricity] [--report]
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
import time
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from lightgbm import LGBMClassifier
from scipy.stats import binom, norm

import mddag

RESULTS = Path(__file__).parent / "results" / "guarantees.csv"
FIELDS = (
    "data", "target", "bound", "seed", "n_policy", "n_test", "harm", "error", "evaluations",
    "best_evaluations", "ideal_evaluations", "cpu_seconds",
)  # fmt: skip
ROWS = {  # for the model, for the policy
    "electricity": (15_000, 10_000),
    "adult": (18_000, 10_000),
    "higgs": (2_000, 5_000),
    "letter": (5_000, 10_000),
}
TARGETS = {"max_loss": 0.005, "max_disagreement": 0.01}
CONFIDENCE = 0.9
N_COMPARED = 10  # resamplings whose evaluations are compared with the best
BETAS = np.geomspace(1e-5, 1e-2, 25)


def data(name: str, folder: str) -> tuple[Any, Any]:
    """X, y in random order."""
    sys.path.insert(0, folder)
    import load

    if name == "adult":
        frame = load.adult()
        income = next(c for c in frame if frame[c].astype(str).str.contains(">50K").any())
        y = frame[income].astype(str).str.contains(">50K").to_numpy()
        frame = frame.drop(columns=[income, "is_test"])
        columns = [frame[c] if frame[c].dtype.kind in "if" else _codes(frame[c]) for c in frame]
        X = np.column_stack(columns)
    elif name == "letter":
        X, letters, _ = load.letter()
        y = letters >= 13  # A to M against N to Z
    else:
        X, y = load.electricity() if name == "electricity" else load.higgs_sample()
    order = np.random.default_rng(0).permutation(len(y))
    return np.asarray(X, float)[order], np.asarray(y, int)[order]


def _codes(column: Any) -> Any:
    return column.astype("category").cat.codes


class Unseen(NamedTuple):
    """An ensemble and the rows that it has not seen."""

    name: str
    ensemble: mddag.Ensemble
    X: Any
    y: Any
    full: Any

    @classmethod
    def of(cls, name: str, folder: str) -> Unseen:
        (X, y), n = data(name, folder), ROWS[name][0]
        model = LGBMClassifier(n_estimators=500, num_leaves=8, n_jobs=1, verbose=-1)
        ensemble = mddag.as_ensemble(model.fit(X[:n], y[:n]))
        return cls(name, ensemble, X[n:], y[n:], ensemble.labels(ensemble.scores(X[n:])))

    def harm(self, labels: Any, rows: Any, target: str) -> tuple[float, float]:
        """What the guarantee bounds, on these rows, and its standard error per sqrt(row)."""
        harm = (labels != self.full[rows]).astype(float)
        if target == "max_loss":
            harm = (labels != self.y[rows]) * 1.0 - (self.full[rows] != self.y[rows])
        return float(harm.mean()), float(harm.std())

    def resampled(self, target: str, seed: int) -> dict[str, Any]:
        """One guarantee, given on some rows and checked on the others."""
        order = np.random.default_rng(seed).permutation(len(self.y))
        policy, test = np.split(order, [ROWS[self.name][1]])
        began = time.process_time()
        bound = {target: TARGETS[target]}
        fast = mddag.sparsify(
            self.ensemble,
            self.X[policy],
            self.y[policy],
            **bound,
            metric="accuracy",
            random_state=seed,
        )
        seconds = time.process_time() - began
        harm, deviation = self.harm(fast.predict(self.X[test]), test, target)
        best, ideal = ("", "") if seed >= N_COMPARED else self.fewest(policy, test, target, seed)
        numbers = (harm, deviation / len(test) ** 0.5, fast.n_evaluated(self.X[test]).mean())
        key = (self.name, target, TARGETS[target], seed, len(policy), len(test))
        return dict(zip(FIELDS, (*key, *numbers, best, ideal, seconds), strict=True))

    def fewest(self, policy: Any, test: Any, target: str, seed: int) -> tuple[float, float]:
        """Evaluations of the best and of the ideal policy of a sweep over all policy rows."""
        labels = (self.y if target == "max_loss" else self.full)[policy]
        curve = mddag.sweep(self.ensemble, self.X[policy], labels, betas=BETAS, random_state=seed)
        best = ideal = float(self.ensemble.n_classifiers)
        for one in curve.policies:
            run = mddag.compile(self.ensemble, one).run(self.X[test])
            harm, deviation = self.harm(self.ensemble.labels(run.scores), test, target)
            margin = norm.ppf(CONFIDENCE) * deviation / len(policy) ** 0.5
            evaluations = float(run.n_evaluated.mean())
            best = min(best, evaluations if harm <= TARGETS[target] else best)
            ideal = min(ideal, evaluations if harm + margin <= TARGETS[target] else ideal)
        return best, ideal


def known() -> list[dict[str, str]]:
    """The rows written so far."""
    if not RESULTS.exists():
        return []
    with RESULTS.open(newline="") as file:
        return list(csv.DictReader(file))


def append(row: dict[str, Any]) -> None:
    RESULTS.parent.mkdir(exist_ok=True)
    is_new = not RESULTS.exists()
    with RESULTS.open("a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        if is_new:
            writer.writeheader()
        writer.writerow(rounded(row))


def rounded(row: dict[str, Any]) -> dict[str, Any]:
    return {k: round(v, 5) if isinstance(v, float) else v for k, v in row.items()}


def run(folder: str, names: list[str], n_resamplings: int) -> None:
    done = {(r["data"], r["target"], int(r["seed"])) for r in known()}
    for name in names:
        wanted = [(k, s) for s in range(n_resamplings) for k in TARGETS]
        wanted = [(k, s) for k, s in wanted if (name, k, s) not in done]
        unseen = Unseen.of(name, folder) if wanted else None
        for target, seed in wanted:
            append(unseen.resampled(target, seed))


def report() -> None:
    rows = known()
    for name, target in dict.fromkeys((r["data"], r["target"]) for r in rows):
        found = [r for r in rows if (r["data"], r["target"]) == (name, target)]
        harm, error, evaluations, seconds = (
            np.array([float(r[f]) for r in found])
            for f in ("harm", "error", "evaluations", "cpu_seconds")
        )
        ratios = [
            np.median([float(r["evaluations"]) / float(r[f]) for r in found if r[f]])
            for f in ("best_evaluations", "ideal_evaluations")
        ]
        bound, limit = TARGETS[target], int(binom.ppf(0.95, len(found), 1 - CONFIDENCE))
        print(
            f"{name:12} {target}={bound}: {(harm > bound).sum()} of {len(found)} violated (limit "
            f"{limit}), {(harm - 1.645 * error > bound).sum()} beyond noise; mean harm "
            f"{harm.mean():.4f}; {evaluations.mean():.1f} evaluations, {ratios[0]:.2f} of the best,"
            f" {ratios[1]:.2f} of the ideal (medians); {seconds.mean():.0f} CPU seconds each"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", default=os.environ.get("MDDAG_DATA"))
    parser.add_argument("--only", nargs="*", default=list(ROWS), choices=list(ROWS))
    parser.add_argument("--resamplings", type=int, default=50)
    parser.add_argument("--report", action="store_true", help="print what is there, run nothing")
    given = parser.parse_args()
    if not given.report and not given.data:
        sys.exit("name the folder of the data: --data, or the environment variable MDDAG_DATA")
    if not given.report:
        warnings.simplefilter("ignore")  # without a guarantee the full ensemble counts
        run(given.data, given.only, given.resamplings)
    report()
