"""Do bounds in units of a metric hold on unseen data, and what do they cost?

LightGBM of 200 trees with eight leaves and the default solver; the rows that the model has not seen
are split again in each resampling: 4,000 policy rows, the rest for test. What is lost is measured
against the model's own probabilities, as its user would. Of 50 bounds with confidence 0.9 up to 9
may fail before the binomial 95 % limit is exceeded; the loss on the test rows is noisy, too, and
failures beyond that noise are counted separately. "default" bounds what is lost of accuracy and
of ROC AUC at once; the dataset "rare" has 1 % positives and 20,000 policy rows.

Rows are appended to results/metrics.csv; resamplings that are there are not repeated. ``--adult``
prints what ROC AUC within 0.001 costs there compared with ``max_disagreement=0.01``, for 500 trees
and 10,000 rows.

    python experiments/metrics.py [--data DIR] [--resamplings 50] [--only adult] [--report|--adult]
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
import time
import warnings
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from lightgbm import LGBMClassifier
from scipy.stats import binom
from sklearn.datasets import make_hastie_10_2

import mddag
from mddag.metrics import Accuracy, LogLoss, RocAuc
from mddag.metrics.classification import ClassMetric
from mddag.solvers import Portfolio

RESULTS = Path(__file__).parent / "results" / "metrics.csv"
FIELDS = ("data", "metric", "bound", "seed", "n_test", "lost", "error", "evaluations", "seconds")
N_MODEL = {
    "electricity": 15_000,
    "adult": 18_000,
    "bank": 12_000,
    "letter": 5_000,
    "rare": 20_000,
}
N_POLICY = {"rare": 20_000}  # 4,000 elsewhere
BOUNDS: dict[str, tuple[ClassMetric | None, float]] = {
    "RocAuc()": (RocAuc(), 0.002),
    "LogLoss()": (LogLoss(), 0.01),
    "default": (None, 0.005),
}
CONFIDENCE = 0.9
N_TREES = 200


def data(name: str, folder: str) -> tuple[Any, Any]:
    """X, y in random order; categories become numbers."""
    sys.path.insert(0, folder)
    import load

    if name in ("adult", "bank"):
        frame = load.adult() if name == "adult" else load.bank()
        last = next(c for c in frame if c in ("income", "class", "y", "target"))
        y = frame[last].astype(str).str.contains(">50K|yes").to_numpy()
        frame = frame.drop(columns=[c for c in (last, "is_test", "duration") if c in frame])
        X = np.column_stack([c if c.dtype.kind in "if" else _codes(c) for _, c in frame.items()])
    elif name == "rare":
        X, _ = make_hastie_10_2(160_000, random_state=0)
        squares = np.square(X).sum(axis=1) + np.random.default_rng(0).normal(0, 2, len(X))
        y = squares > np.quantile(squares, 0.99)
    elif name == "letter":
        X, letters, _ = load.letter()
        y = letters >= 13  # A to M against N to Z
    else:
        X, y = load.electricity()
    order = np.random.default_rng(0).permutation(len(y))
    return np.asarray(X, float)[order], np.asarray(y, int)[order]


def _codes(column: Any) -> Any:
    return column.astype("category").cat.codes


class Remembered(Portfolio):
    """The default solver. Both metrics learn by the same loss, so the second needs no search."""

    found: ClassVar[dict[Any, Any]] = {}

    def judged(self, mdp: Any, betas: Any, selection: Any = None) -> Any:
        key = self.random_state, mdp.labels.tobytes(), mdp.votes.codes.tobytes()
        if key not in self.found:
            self.found.clear()
            self.found[key] = super().judged(mdp, betas, selection)
        return self.found[key]


class Unseen(NamedTuple):
    """A model and the rows that it has not seen."""

    name: str
    model: Any
    X: Any
    y: Any

    @classmethod
    def of(cls, name: str, folder: str, n_trees: int = N_TREES) -> Unseen:
        (X, y), n = data(name, folder), N_MODEL[name]
        model = LGBMClassifier(n_estimators=n_trees, num_leaves=8, n_jobs=1, verbose=-1)
        return cls(name, model.fit(X[:n], y[:n]), X[n:], y[n:])

    def parted(self, n_policy: int, seed: int) -> tuple[Any, Any]:
        """Policy rows and test rows."""
        order = np.random.default_rng(seed).permutation(len(self.y))
        return order[:n_policy], order[n_policy:]

    def lost(self, fast: Any, metric: ClassMetric, test: Any) -> tuple[float, float]:
        """What is lost against the model's own probabilities, and its standard error."""
        full, sparse = (m.predict_proba(self.X[test]) for m in (self.model, fast))
        numbers = metric.lost(full, sparse, np.eye(2)[self.y[test]], np.ones(len(test)))
        return float(numbers.mean()), float(numbers.std() / len(test) ** 0.5)

    def resampled(self, name: str, seed: int) -> list[dict[str, Any]]:
        """One bound, met on some rows and checked on the others: a row for each metric."""
        metric, bound = BOUNDS[name]
        policy, test = self.parted(N_POLICY.get(self.name, 4_000), seed)
        began = time.process_time()
        fast = mddag.sparsify(
            self.model,
            self.X[policy],
            self.y[policy],
            metric=metric,
            max_loss=bound,
            solver=Remembered(),
            random_state=seed,
        )
        seconds = time.process_time() - began
        evaluations = fast.n_evaluated(self.X[test]).mean()
        protected = (
            {name: metric} if metric else {f"{name}: {m}": m for m in (Accuracy(), RocAuc())}
        )
        return [
            dict(
                zip(
                    FIELDS,
                    (
                        *(self.name, told, bound, seed, len(test)),
                        *(*self.lost(fast, m, test), evaluations, seconds),
                    ),
                    strict=True,
                )
            )
            for told, m in protected.items()
        ]


def known() -> list[dict[str, str]]:
    """The rows written so far."""
    if not RESULTS.exists():
        return []
    with RESULTS.open(newline="") as file:
        return list(csv.DictReader(file))


def append(row: dict[str, Any]) -> None:
    is_new = not RESULTS.exists()
    with RESULTS.open("a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        if is_new:
            writer.writeheader()
        writer.writerow({k: round(v, 6) if isinstance(v, float) else v for k, v in row.items()})


def run(folder: str, names: list[str], n_resamplings: int) -> None:
    done = {(r["data"], r["metric"].partition(":")[0], int(r["seed"])) for r in known()}
    unseen = {name: Unseen.of(name, folder) for name in names}
    for seed in range(n_resamplings):
        for name in names:
            for metric in BOUNDS:
                if (name, metric, seed) not in done and (name != "rare" or metric == "default"):
                    for row in unseen[name].resampled(metric, seed):
                        append(row)


def report() -> None:
    rows = known()
    for name, metric in sorted({(r["data"], r["metric"]) for r in rows}):
        found = [r for r in rows if (r["data"], r["metric"]) == (name, metric)]
        lost, error, evaluations, seconds = (
            np.array([float(r[f]) for r in found])
            for f in ("lost", "error", "evaluations", "seconds")
        )
        bound = BOUNDS[metric.partition(":")[0]][1]
        limit = int(binom.ppf(0.95, len(found), 1 - CONFIDENCE))
        print(
            f"| {name} | `{metric}`, {bound} | {(lost > bound).sum()} of {len(found)} (limit "
            f"{limit}; beyond noise {(lost - 1.645 * error > bound).sum()}) | {lost.mean():.5f} | "
            f"{evaluations.mean():.0f} | {seconds.mean():.1f} | "
            f"{(evaluations > 0.999 * N_TREES).sum()} |"
        )


def adult(folder: str, n_seeds: int = 5) -> None:
    """What a bound on ROC AUC costs where one on disagreement lets it fall."""
    unseen = Unseen.of("adult", folder, 500)
    kinds: tuple[dict[str, Any], ...] = (
        {"max_disagreement": 0.01},
        {"metric": RocAuc(), "max_loss": 0.001},
        {"metric": RocAuc(), "max_loss": 0.001, "confidence": None},
        {"metric": RocAuc(), "max_loss": 0.002},
        {"metric": RocAuc(), "budget": 20},
        {"budget": 20},
    )
    for given in kinds:
        found = []
        for seed in range(n_seeds):
            policy, test = unseen.parted(10_000, seed)
            fast = mddag.sparsify(
                unseen.model, unseen.X[policy], unseen.y[policy], random_state=seed, **given
            )
            auc = [
                RocAuc()(m.predict_proba(unseen.X[test]), unseen.y[test])
                for m in (unseen.model, fast)
            ]
            found.append([*auc, fast.n_evaluated(unseen.X[test]).mean()])
        full, sparse, evaluations = np.mean(found, axis=0)
        print(f"{given}: ROC AUC {full:.4f} -> {sparse:.4f} with {evaluations:.0f} evaluations")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", default=os.environ.get("MDDAG_DATA"))
    parser.add_argument("--only", nargs="*", default=list(N_MODEL), choices=list(N_MODEL))
    parser.add_argument("--resamplings", type=int, default=50)
    parser.add_argument("--report", action="store_true", help="print what is there, run nothing")
    parser.add_argument("--adult", action="store_true", help="that comparison alone")
    given = parser.parse_args()
    if not given.report and not given.data:
        sys.exit("name the folder of the data: --data, or the environment variable MDDAG_DATA")
    warnings.simplefilter("ignore")  # without a guarantee the full ensemble counts
    if given.adult:
        adult(given.data)
    else:
        if not given.report:
            run(given.data, given.only, given.resamplings)
        report()
